"""Makes what emend runs: `python export.py --base BASE --data DATA --judge judge.npz --out FOLDER`.

Writes embed.onnx and judge.onnx, which take `words` [batch, tokens, 384], the rows of the word table, and `mask` [batch,
tokens]; words.q4, that table in 4 bits, shared by both; tokenizer.json, cut to `--pieces`; and model.json, what was made of
what. The base's table was in 4 bits before (Q4_0: blocks of 32, a 16-bit scale each), so nothing is lost.

Weights lie in 8 bits in both. embed.onnx also computes in 8 bits, which is faster. judge.onnx does not: with activations in 8
bits a probability was off by .05 in the mean, by .36 at most, and depended on what else was in the batch; with weights
alone in 8 bits by .005, and every platform says the same.
"""
import argparse
import hashlib
import json
import os
import random

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

import vocabulary
from data import read
from model import HIDDEN, Encoder, Judge

BLOCK = 32


def four_bits(table):
    """Blocks of 32 weights: a 16-bit scale, then 16 bytes; byte j holds weight j low and weight j + 16 high, plus 8 each."""
    blocks = table.reshape(-1, BLOCK)
    peak = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)[:, 0]
    scale = (peak / -8).astype(np.float16)
    divisor = np.where(scale == 0, 1, scale.astype(np.float32))
    numbers = np.clip(np.round(blocks / divisor[:, None]) + 8, 0, 15).astype(np.uint8)
    packed = np.empty(len(blocks), dtype=[("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
    packed["scale"], packed["pairs"] = scale, numbers[:, : BLOCK // 2] | numbers[:, BLOCK // 2 :] << 4
    error = np.abs((numbers.astype(np.float32) - 8) * divisor[:, None] - blocks).max()
    return packed.tobytes(), float(error)


class Embed(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, words, mask):
        x = self.encoder.hidden(placed(self.encoder, words), mask)
        return nn.functional.normalize(self.encoder.mean(x, mask), dim=-1)


class Judged(nn.Module):
    def __init__(self, judge):
        super().__init__()
        self.judge = judge

    def forward(self, words, mask):
        return self.judge.judged(placed(self.judge, words), mask)


def placed(encoder, words):
    return words + encoder.positions.weight[: words.shape[1]] + encoder.types.weight[0]


def export(module, names, path):
    words, mask = torch.randn(2, 7, HIDDEN), torch.ones(2, 7, dtype=torch.int64)
    mask[1, 5:] = 0
    axes = {"words": {0: "batch", 1: "tokens"}, "mask": {0: "batch", 1: "tokens"}}
    axes |= {name: {0: "batch", **({1: "tokens"} if name in ("span", "wrong") else {})} for name in names}
    torch.onnx.export(module.eval(), (words, mask), f"{path}.fp32", input_names=["words", "mask"], output_names=names,
                      dynamic_axes=axes, opset_version=17, dynamo=False)
    if names == ["embedding"]:
        # 7 of 8 bits are used, since 16-bit sums overflow on processors without VNNI: the same scores everywhere.
        quantize_dynamic(f"{path}.fp32", path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    else:
        weights_in_8_bits(f"{path}.fp32", path)
    onnx.checker.check_model(path)


def weights_in_8_bits(source, target):
    """Every matrix as 8-bit numbers and a scale a column, unfolded by nodes that a runtime computes once, when it loads."""
    model = onnx.load(source)
    graph = model.graph
    initial = {tensor.name: tensor for tensor in graph.initializer}
    unfold = []
    for name, tensor in initial.items():
        weights = onnx.numpy_helper.to_array(tensor)
        if weights.ndim != 2 or weights.size < 100_000:
            continue
        by_row = any(node.op_type == "Gemm" and node.input[1] == name for node in graph.node)
        scale = np.abs(weights).max(1 if by_row else 0, keepdims=True).astype(np.float32) / 127
        numbers = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
        graph.initializer.remove(tensor)
        graph.initializer.extend([onnx.numpy_helper.from_array(numbers, f"{name}.numbers"), onnx.numpy_helper.from_array(scale, f"{name}.scale")])
        unfold.append(onnx.helper.make_node("Cast", [f"{name}.numbers"], [f"{name}.wide"], to=onnx.TensorProto.FLOAT))
        unfold.append(onnx.helper.make_node("Mul", [f"{name}.wide", f"{name}.scale"], [name]))
    for i, node in enumerate(unfold):
        graph.node.insert(i, node)
    onnx.save(model, target)


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", judge="", out="", pieces=56000, longest=320, window=160, keep_fp32=0).items():
        options.add_argument("--" + name.replace("_", "-"), default=default, type=type(default))
    o = options.parse_args()
    os.makedirs(o.out, exist_ok=True)
    texts = list({text: None for row in read(o.data) for text in (row["a"], row["b"])})
    random.Random(1).shuffle(texts)
    seen, unseen = texts[:200000], texts[200000:220000]
    before = json.load(open(f"{o.base}/tokenizer.json"))
    after, kept = vocabulary.cut(f"{o.base}/tokenizer.json", seen, o.pieces)
    json.dump(after, open(f"{o.out}/tokenizer.json", "w"), ensure_ascii=False, separators=(",", ":"))

    base, judge = Encoder(o.base), Judge(o.base, o.judge)
    packed, error = four_bits(base.words.weight.numpy()[kept])
    open(f"{o.out}/words.q4", "wb").write(packed)
    export(Embed(base), ["embedding"], f"{o.out}/embed.onnx")
    export(Judged(judge), ["labels", "span", "wrong"], f"{o.out}/judge.onnx")
    for name in ("embed", "judge"):
        if not o.keep_fp32:
            os.remove(f"{o.out}/{name}.onnx.fp32")
    digest = lambda path: hashlib.sha256(open(path, "rb").read()).hexdigest()
    line = {"scale": 1.0, "shift": 0.0}
    made = {"pieces": len(kept), "words": "Q4_0", "largest error of a word weight": error, "judge": digest(o.judge),
            "texts cut otherwise": vocabulary.changed(before, after, kept, unseen)}
    model = {"identity": f"emend-{made['judge'][:8]}", "width": HIDDEN, "longest": o.longest, "window": o.window,
             "calibration": {name: dict(line) for name in ("relevance", "answerability", "support", "span", "wrong")}, "made": made}
    json.dump(model, open(f"{o.out}/model.json", "w"), indent=1)
    sizes = {name: os.path.getsize(f"{o.out}/{name}") for name in sorted(os.listdir(o.out))}
    print(json.dumps({**made, "bytes": sizes, "all": sum(sizes.values())}, indent=1))


if __name__ == "__main__":
    main()

"""Makes what emend runs: `python export.py --base BASE --data DATA --judge judge.npz --out FOLDER`.

Writes embed.onnx and judge.onnx (8-bit weights), which take `words` [batch, tokens, 384], the rows of the word table, and
`mask` [batch, tokens]; words.q4, that table in 4 bits, shared by both; tokenizer.json, cut to `--pieces`; and model.json,
what was made of what. The base's table was in 4 bits before (Q4_0: blocks of 32, a 16-bit scale each), so nothing is lost.
"""
import argparse
import hashlib
import json
import os
import random

import numpy as np
import onnx
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
    # 7 of 8 bits are used, since 16-bit sums overflow on processors without VNNI: the same scores everywhere.
    quantize_dynamic(f"{path}.fp32", path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    onnx.checker.check_model(path)


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", judge="", out="", pieces=56000, longest=320, keep_fp32=0).items():
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
    model = {"identity": f"emend-{made['judge'][:8]}", "width": HIDDEN, "longest": o.longest,
             "calibration": {name: dict(line) for name in ("relevance", "answerability", "support", "span", "wrong")}, "made": made}
    json.dump(model, open(f"{o.out}/model.json", "w"), indent=1)
    sizes = {name: os.path.getsize(f"{o.out}/{name}") for name in sorted(os.listdir(o.out))}
    print(json.dumps({**made, "bytes": sizes, "all": sum(sizes.values())}, indent=1))


if __name__ == "__main__":
    main()

"""Makes what emend runs: `python export.py --base BASE --data DATA --judge judge.npz --out FOLDER`.

`--judge a.npz,b.npz` takes the mean of several runs. Writes embed.onnx and judge.onnx, which take `words` [batch, tokens, 384], the rows of the word table, and `mask` [batch,
tokens]; words.q4, that table in 4 bits, shared by both; tokenizer.json, cut to `--pieces`; and model.json, what was made of
what. The base's table was in 4 bits before (Q4_0: blocks of 32, a 16-bit scale each), so nothing is lost.

Both compute in 8 bits: every column of a matrix has its own scale, and so has every token. With one scale for all tokens, a
probability was off by .05 in the mean and depended on what else was in the batch.
"""
import argparse
import hashlib
import json
import math
import os
import random

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from torch import nn

import vocabulary
from data import read
from model import HIDDEN, Encoder, Judge

BLOCK = 32
# Of 127. Processors without VNNI add two products in 16 bits, which overflow: with 84, in 22 of 254,803,968 such sums; with 127,
# in 16,781. 64 would exclude it, with twice the error.
MOST_WEIGHT = 84


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
    axes |= {name: {0: "batch", **({1: "tokens"} if name in ("span", "wrong", "units") else {})} for name in names}
    torch.onnx.export(module.eval(), (words, mask), f"{path}.fp32", input_names=["words", "mask"], output_names=names,
                      dynamic_axes=axes, opset_version=17, dynamo=False)
    in_8_bits(f"{path}.fp32", path)
    onnx.checker.check_model(path)


def in_8_bits(source, target):
    """Every large matrix in 8 bits, a scale a column, and what it is multiplied with in 8 bits, a scale a token."""
    model = onnx.load(source)
    graph = model.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    large = lambda node: node.op_type in ("MatMul", "Gemm") and node.input[1] in constants and math.prod(constants[node.input[1]].dims) >= 100_000
    nodes, quantised = [], {}

    def constant(name, values):
        graph.initializer.append(onnx.numpy_helper.from_array(values, name))
        return name

    def add(op, inputs, output, **attributes):
        nodes.append(onnx.helper.make_node(op, inputs, [output], **attributes))
        return output

    zero, one, least = constant("zero", np.uint8(128)), constant("one", np.float32(1)), constant("least", np.float32(1e-6))
    signed, step, flat = constant("signed", np.int8(0)), constant("step", np.float32(1 / 127)), constant("flat", np.int64([-1]))
    size = add("Gather", [add("Shape", ["words"], "shape"), constant("outer", np.int64([0, 1]))], "size")
    zeros = onnx.numpy_helper.from_array(np.uint8([128]))
    zeros = add("ConstantOfShape", [add("ReduceProd", [size], "tokens", keepdims=1)], "zeros", value=zeros)

    def quantise(x, width):
        """The tokens of x in 8 bits, and the scale of each."""
        if x not in quantised:
            low = add("Neg", [add("ReduceMin", [x], f"{x}.min", axes=[2], keepdims=1)], f"{x}.low")
            high = add("ReduceMax", [x], f"{x}.high", axes=[2], keepdims=1)
            scale = add("Mul", [add("Max", [high, low, least], f"{x}.most"), step], f"{x}.scale")
            scales = add("Reshape", [scale, flat], f"{x}.scales")
            rows = add("Reshape", [x, constant(f"{x}.width", np.int64([-1, width]))], f"{x}.rows")
            numbers = add("QuantizeLinear", [rows, scales, zeros], f"{x}.numbers", axis=0)
            whole = add("Concat", [size, constant(f"{x}.last", np.int64([width]))], f"{x}.whole", axis=0)
            quantised[x] = add("Reshape", [numbers, whole], f"{x}.quantised"), scale
        return quantised[x]

    for node in graph.node:
        if not large(node):
            nodes.append(node)
            continue
        name = node.input[1]
        weights = onnx.numpy_helper.to_array(constants[name])
        graph.initializer.remove(constants[name])
        if node.op_type == "Gemm":
            # It sees one row a pair, so only its size matters.
            scale = (np.abs(weights).max(1, keepdims=True) / 127).astype(np.float32)
            wide = add("Cast", [constant(f"{name}.numbers", np.round(weights / scale).astype(np.int8))], f"{name}.wide", to=onnx.TensorProto.FLOAT)
            add("Mul", [wide, constant(f"{name}.scale", scale)], name)
            nodes.append(node)
            continue
        scale = (np.maximum(np.abs(weights).max(0), 1e-8) / MOST_WEIGHT).astype(np.float32)
        numbers, token_scale = quantise(node.input[0], len(weights))
        inputs = [numbers, constant(f"{name}.numbers", np.round(weights / scale).astype(np.int8)), one]
        inputs += [constant(f"{name}.scale", scale), zero, signed]
        product = add("MatMulIntegerToFloat", inputs, f"{name}.product", domain="com.microsoft")
        add("Mul", [product, token_scale], node.output[0])
    nodes = with_skips(nodes, constants)
    del graph.node[:]
    graph.node.extend(nodes)
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, target)


def with_skips(nodes, constants):
    """Layer norms with the residual and the bias before them as one node, which is faster."""
    by = {node.output[0]: node for node in nodes}
    gone = set()
    for i, node in enumerate(nodes):
        both = by.get(node.input[0]) if node.op_type == "LayerNormalization" else None
        if both is None or both.op_type != "Add":
            continue
        for inner, skip in (tuple(both.input), tuple(both.input)[::-1]):
            biased = by.get(inner)
            bias = [x for x in biased.input if x in constants] if biased is not None and biased.op_type == "Add" else []
            if len(bias) == 1 and len(constants[bias[0]].dims) == 1:
                (product,) = set(biased.input) - set(bias)
                epsilon = next(a.f for a in node.attribute if a.name == "epsilon")
                nodes[i] = onnx.helper.make_node("SkipLayerNormalization", [product, skip, *node.input[1:], bias[0]],
                                                 node.output, domain="com.microsoft", epsilon=epsilon)
                gone |= {both.output[0], inner}
                break
    return [node for node in nodes if node.output[0] not in gone]


def mean_of(paths, target):
    """Writes the mean of several runs' weights, which is better than each on sets never trained on (arXiv 2203.05482)."""
    runs = [np.load(path) for path in paths]
    means = {name: np.mean([run[name].astype(np.float32) for run in runs], 0).astype(runs[0][name].dtype) for name in runs[0].files}
    np.savez(target, **means)


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", judge="", out="", pieces=56000, longest=320, window=320, layers=12, keep_fp32=0).items():
        options.add_argument("--" + name.replace("_", "-"), default=default, type=type(default))
    o = options.parse_args()
    os.makedirs(o.out, exist_ok=True)
    if "," in o.judge:
        mean_of(o.judge.split(","), f"{o.out}/mean.npz")
        o.judge = f"{o.out}/mean.npz"
    texts = list({text: None for row in read(o.data) for text in (row["a"], row["b"])})
    random.Random(1).shuffle(texts)
    seen, unseen = texts[:200000], texts[200000:220000]
    before = json.load(open(f"{o.base}/tokenizer.json"))
    after, kept = vocabulary.cut(f"{o.base}/tokenizer.json", seen, o.pieces)
    json.dump(after, open(f"{o.out}/tokenizer.json", "w"), ensure_ascii=False, separators=(",", ":"))

    base, judge = Encoder(o.base), Judge(o.base, o.judge, o.layers)
    packed, error = four_bits(base.words.weight.numpy()[kept])
    open(f"{o.out}/words.q4", "wb").write(packed)
    export(Embed(base), ["embedding"], f"{o.out}/embed.onnx")
    export(Judged(judge), ["labels", "span", "wrong", "units"], f"{o.out}/judge.onnx")
    for name in ("embed", "judge"):
        if not o.keep_fp32:
            os.remove(f"{o.out}/{name}.onnx.fp32")
    digest = lambda *paths: hashlib.sha256(b"".join(open(path, "rb").read() for path in paths)).hexdigest()
    # Stores compare vectors of the same identity, so it depends on what embeds and not on the judge.
    embeds = digest(*(f"{o.out}/{name}" for name in ("embed.onnx", "words.q4", "tokenizer.json")))
    line = {"scale": 1.0, "shift": 0.0}
    made = {"pieces": len(kept), "words": "Q4_0", "largest error of a word weight": error, "judge": digest(o.judge),
            "texts cut otherwise": vocabulary.changed(before, after, kept, unseen)}
    model = {"identity": f"emend-{embeds[:8]}", "width": HIDDEN, "longest": o.longest, "window": o.window, "spanShare": 0.2,
             "calibration": {name: dict(line) for name in ("relevance", "answerability", "support", "span", "wrong", "answers", "states")}, "made": made}
    json.dump(model, open(f"{o.out}/model.json", "w"), indent=1)
    if o.judge == f"{o.out}/mean.npz":
        os.remove(o.judge)
    sizes = {name: os.path.getsize(f"{o.out}/{name}") for name in sorted(os.listdir(o.out))}
    print(json.dumps({**made, "bytes": sizes, "all": sum(sizes.values())}, indent=1))


if __name__ == "__main__":
    main()

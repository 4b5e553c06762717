"""Weights to go on from, of a network in the package: `python unpack.py ../../model/judge.onnx start.npz`.

Every number of a large matrix is moved by up to half a step of its 8 bits. Without that, rounding to the same steps again takes back
whatever training changed by less. What the graph leaves out because it cancels out (network.py) is zero.
"""
import sys

import numpy as np
import onnx
from onnx import numpy_helper

from model import HIDDEN, LAYERS
from network import SIZE


def unpacked(path, seed=1):
    r = np.random.default_rng(seed)
    held = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    weights = {f"norm.{part}": held[f"norm.{part}"] for part in ("weight", "bias")}
    whole = lambda numbers, scale: ((numbers + r.uniform(-0.5, 0.5, numbers.shape)) * scale).astype(np.float32)
    zero, root = np.zeros(HIDDEN, np.float32), np.float32(SIZE ** -0.5)
    for layer in range(LAYERS):
        at = lambda name: f"layers.{layer}.{name}"
        three = whole(held[at("three.weight")], held[at("three.scale")])
        query, key, value = np.split(three, 3, 1)
        weights |= {at("query.weight"): (query / root).T, at("key.weight"): key.T, at("value.weight"): value.T}
        weights |= {at("query.bias"): held[at("query.bias")].reshape(-1) / root, at("key.bias"): zero, at("value.bias"): zero}
        for part, bias in (("out", "norm1.before"), ("wide", "wide.bias"), ("narrow", "norm2.before")):
            weights |= {at(f"{part}.weight"): whole(held[at(f"{part}.weight")], held[at(f"{part}.scale")]).T, at(f"{part}.bias"): held[at(bias)]}
        for part in ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"):
            weights[at(part)] = held[at(part)]
    if "labels.weight" in held:
        weights["middle.0.weight"] = held["middle.numbers"].astype(np.float32) * held["middle.scale"][:, None]
        weights |= {
            "middle.0.bias": held["middle.bias"], "labels.weight": held["labels.weight"], "labels.bias": held["labels.bias"]}
        for name, rows in (("span", slice(0, 2)), ("wrong", slice(2, 3)), ("units", slice(3, 5))):
            weights |= {f"{name}.weight": held["tokens.weight"].T[rows], f"{name}.bias": held["tokens.bias"][rows]}
    return weights


if __name__ == "__main__":
    np.savez(sys.argv[2], **{name: np.ascontiguousarray(one) for name, one in unpacked(sys.argv[1]).items()})

"""Makes what emend runs: `python export.py --base BASE --data DATA --judge judge.npz --embed embed.npz --out FOLDER`.

`a.npz,b.npz` is the mean of several runs. Writes embed.onnx and judge.onnx, which take `words` [batch, tokens, 384], the rows of
the word table, and `mask` [batch, tokens] (network.py); words.q4, that table in 4 bits, shared by both; tokenizer.json, cut to
`--pieces`; and model.json, what was made of what. In a folder that has these files, only the networks that are named are written
again, and a judge keeps its calibration until `evaluate.py --fit`. The base's table was in 4 bits before (Q4_0:
blocks of 32, a 16-bit scale each), so nothing is lost.
"""
import argparse
import hashlib
import json
import os
import random
import re

import numpy as np
import torch

import network
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


def weights_of(module):
    """Its weights by name: large matrices in 8 bits, as `network.py` takes them; without the word table."""
    weights = {name: tensor.float().numpy() for name, tensor in module.state_dict().items() if name != "words.weight"}
    for name, matrix in weights.items():
        if re.fullmatch(r"layers\.\d+\.(query|key|value|out|wide|narrow)\.weight", name):
            weights[name] = network.in_8_bits(matrix.T)
        if name == "middle.0.weight":
            numbers, scale = network.in_8_bits(matrix.T, most=127)
            weights[name] = numbers.T, scale
    return weights


def mean_of(paths):
    """The mean of several runs' weights, which is better than each on sets never trained on (arXiv 2203.05482)."""
    runs = [np.load(path) for path in paths.split(",")]
    return {name: np.mean([run[name].astype(np.float32) for run in runs], 0) for name in runs[0].files}


def digest(*paths):
    return hashlib.sha256(b"".join(open(path, "rb").read() for path in paths)).hexdigest()


def cut(o):
    """Cuts the vocabulary and writes its words; what model.json says of them."""
    texts = list({text: None for row in read(o.data) for text in (row["a"], row["b"])})
    random.Random(1).shuffle(texts)
    seen, unseen = texts[:200000], texts[200000:220000]
    before = json.load(open(f"{o.base}/tokenizer.json"))
    after, kept = vocabulary.cut(f"{o.base}/tokenizer.json", seen, o.pieces)
    json.dump(after, open(f"{o.out}/tokenizer.json", "w"), ensure_ascii=False, separators=(",", ":"))
    packed, error = four_bits(Encoder(o.base).words.weight.numpy()[kept])
    open(f"{o.out}/words.q4", "wb").write(packed)
    line = {"scale": 1.0, "shift": 0.0}
    return {"identity": "", "width": HIDDEN, "longest": o.longest, "window": o.window, "spanShare": 0.2,
            "calibration": {name: dict(line) for name in ("relevance", "answerability", "support", "span", "wrong", "answers", "states")},
            "made": {"pieces": len(kept), "words": "Q4_0", "largest error of a word weight": error,
                     "texts cut otherwise": vocabulary.changed(before, after, kept, unseen)}}


def filled(module, paths):
    """The module with the mean of these runs, whose tables are the base's."""
    if paths:
        module.load_state_dict({name: torch.from_numpy(one) for name, one in mean_of(paths).items()}, strict=False)
    return weights_of(module)


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", judge="", embed="", out="", pieces=56000, longest=320, window=320, layers=12).items():
        options.add_argument("--" + name.replace("_", "-"), default=default, type=type(default))
    o = options.parse_args()
    os.makedirs(o.out, exist_ok=True)
    is_new = not os.path.exists(f"{o.out}/model.json")
    model = cut(o) if is_new else json.load(open(f"{o.out}/model.json"))
    if o.judge:
        network.judge(filled(Judge(o.base, layers=o.layers), o.judge), f"{o.out}/judge.onnx")
        model["made"]["judge"] = digest(*o.judge.split(","))
    if o.embed or is_new:
        network.embedder(filled(Encoder(o.base), o.embed), f"{o.out}/embed.onnx")
    # Stores compare vectors of the same identity, so it depends on what embeds and not on the judge.
    model["identity"] = f"emend-{digest(*(f'{o.out}/{name}' for name in ('embed.onnx', 'words.q4', 'tokenizer.json')))[:8]}"
    json.dump(model, open(f"{o.out}/model.json", "w"), indent=1)
    sizes = {name: os.path.getsize(f"{o.out}/{name}") for name in sorted(os.listdir(o.out)) if os.path.isfile(f"{o.out}/{name}")}
    print(json.dumps({**model["made"], "bytes": sizes, "all": sum(sizes.values())}, indent=1))


if __name__ == "__main__":
    main()

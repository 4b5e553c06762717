"""Figures of a judge by set: `python evaluate.py --base BASE --data DATA --judge judge.npz [--most 300] [--json]`.

Rows of the splits dev and ood. AUC, balanced accuracy at .5, half the width of its 95 % interval, and the share of spans
that overlap the answer. Sets outside release.json, and made-up facts of another seed, were never trained on.
"""
import argparse
import json
import math
import random

import numpy as np
import torch

import facts
from data import collate, encode, read
from model import TASKS, Judge
from train import tokenizer_of


def auc(scores, labels):
    yes, no = scores[labels], scores[~labels]
    return float((yes[:, None] > no[None]).mean() + 0.5 * (yes[:, None] == no[None]).mean()) if len(yes) and len(no) else math.nan


def judged(model, tokenizer, rows, device, batch=32):
    """Per row: the probability that its label is yes, and whether the span overlaps the answer (None: not known)."""
    encoded = [encode(tokenizer, row) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: len(encoded[i][0]))
    scores, overlaps = np.zeros(len(rows)), [None] * len(rows)
    for at in range(0, len(order), batch):
        some = order[at : at + batch]
        ids, mask, allowed, _ = collate([encoded[i] for i in some], device)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            labels, span, _ = model(ids, mask)
        labels, span = labels.float().cpu(), span.float().cpu().masked_fill(~allowed.cpu()[..., None], -1e4)
        for row, i in enumerate(some):
            task = rows[i]["task"]
            scores[i] = torch.softmax(labels[row, 2:], -1)[0] if task == "support" else torch.sigmoid(labels[row, TASKS.index(task)])
            _, start, end, *_ = encoded[i]
            if start > 0:
                first, last = int(span[row, 1:, 0].argmax()) + 1, int(span[row, 1:, 1].argmax()) + 1
                overlaps[i] = first <= end and last >= start
    return scores, overlaps


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", judge="", device="cpu", most=300, pieces=288, threads=0).items():
        options.add_argument("--" + name, default=default, type=type(default))
    options.add_argument("--json", action="store_true")
    o = options.parse_args()
    if o.threads:
        torch.set_num_threads(o.threads)
    release = set(json.load(open(f"{o.data}/release.json")))
    model, tokenizer = Judge(o.base, o.judge).to(o.device).eval(), tokenizer_of(o.base, o.pieces)
    groups = {}
    for row in [*(row for row in read(o.data) if row["split"] != "train"), *facts.rows(4 * o.most, -1)]:
        groups.setdefault((row["task"], row["set"], row["lang"]), []).append(row)
    found, means = [], {}
    for (task, name, lang), group in sorted(groups.items()):
        group = random.Random(2).sample(group, min(o.most, len(group)))
        scores, overlaps = judged(model, tokenizer, group, o.device)
        truth = np.array([row["label"] for row in group], bool)
        known = [overlap for overlap in overlaps if overlap is not None]
        right = (scores >= 0.5) == truth
        sides = [right[truth], right[~truth]]
        balanced = np.mean([side.mean() for side in sides]) if all(map(len, sides)) else math.nan
        width = 1.96 * math.sqrt(sum(side.mean() * (1 - side.mean()) / len(side) for side in sides)) / 2 if all(map(len, sides)) else math.nan
        seen = name in release or name.startswith("facts")
        found.append(dict(task=task, set=name, lang=lang, n=len(group), auc=auc(scores, truth), balanced=float(balanced), within=width,
                          span=float(np.mean(known)) if known else None, spans=len(known), trained=seen))
        means.setdefault((task, seen), []).append((found[-1]["auc"], balanced))
        if not o.json:
            print(f"{task} {name} {lang} n {len(group)} AUC {found[-1]['auc']:.3f} BAcc {balanced:.3f} ±{width:.3f}"
                  + (f" span {np.mean(known):.2f} of {len(known)}" if known else "") + ("" if seen else " (unseen)"), flush=True)
    if o.json:
        print(json.dumps(found))
    for (task, seen), values in sorted(means.items()):
        print(f"MEAN {task}, {'trained on' if seen else 'unseen'}: {len(values)} sets, AUC %.3f BAcc %.3f" % tuple(np.nanmean(values, 0)), flush=True)


if __name__ == "__main__":
    main()

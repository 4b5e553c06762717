"""Trains the judge.

    python train.py --base BASE --data DATA --out judge --minutes 120 [--start judge.npz] [--device cuda]

BASE is a folder with weights.npz and tokenizer.json of multilingual-e5-small, DATA one with relevance, answerability and
support as gzipped JSON Lines and release.json, the sets to train on. Writes OUT.npz every 300 steps (the running mean of
the weights, in 16 bits), OUT.pt to go on from, and OUT.json: options, seed, rows seen, the data's hashes. The rate rises,
stays, and falls over the last part (`--fall`, a share of the whole), so that a run in stretches loses nothing: `--resume`
goes on where one stopped. A file OUT.stop ends it after the step at hand.
"""
import argparse
import hashlib
import json
import os
import random
import time

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from data import batches, claims_of, collate, encode, kind_of, names_in, neighbours_of, read, surrounded, training_rows, varied
from model import TABLES, TASKS, Judge

MEMORY = 0.998  # Of the running mean, a step.
TAUGHT = 0.1  # The weight of a teacher's outputs beside the labels.


def unit_logits(scores, units, most):
    """The mean of the scores [rows, tokens] over the tokens of each unit: [rows, units]."""
    inside = units >= 0
    index = units.clamp(min=0)
    total = torch.zeros(len(units), most, device=scores.device).scatter_add(1, index, scores * inside)
    count = torch.zeros_like(total).scatter_add(1, index, inside.to(scores.dtype))
    return total / count.clamp(min=1)


def unit_loss(logits, wanted, label):
    """Of one row: what answers and what does not count the same. If no place is known, some unit of a positive row has to do it."""
    known, positive = wanted >= 0, wanted > 0.5
    each = F.binary_cross_entropy_with_logits(logits, wanted.clamp(min=0), reduction="none")
    parts = [each[some].mean() for some in (known & positive, known & ~positive) if some.any()]
    if label and not positive.any() and (wanted < 0).any():
        open_units = logits[wanted < 0]
        parts.append(-torch.log1p(-torch.exp(F.logsigmoid(-open_units).sum()).clamp(max=1 - 1e-6)))
    return sum(parts) / max(1, len(parts))


def loss_of(output, batch, rows, encoded):
    labels, span, wrong, units = (part.float() for part in output)
    marks = batch.marks
    span = span.masked_fill(~batch.allowed[..., None], -1e4)
    tensor = lambda values: torch.tensor(values, device=labels.device)
    of = lambda task: [i for i, row in enumerate(rows) if row["task"] == task]
    total = 0.0
    for head, task in enumerate(TASKS[:2]):
        if some := of(task):
            total += F.binary_cross_entropy_with_logits(labels[some, head], tensor([float(rows[i]["label"]) for i in some]), reduction="sum")
    if some := of("support"):
        total += F.cross_entropy(labels[some, 2:], tensor([kind_of(rows[i]) for i in some]), reduction="sum")
    if some := [i for i, one in enumerate(encoded) if one.start >= 0]:
        for column, side in enumerate(("start", "end")):
            total += 0.25 * F.cross_entropy(span[some, :, column], tensor([getattr(encoded[i], side) for i in some]), reduction="sum")
    most = batch.wanted.shape[1]
    for column in (0, 1):
        logits = unit_logits(units[..., column], batch.units, most)
        for i in of("support") if column else of("answerability") + of("relevance"):
            there = len(encoded[i].wanted)
            if there:
                total += 0.5 * unit_loss(logits[i, :there], batch.wanted[i, :there], rows[i]["label"])
    known = marks >= 0
    if known.any():
        # By row, so that a long claim counts no more than a short one.
        each = F.binary_cross_entropy_with_logits(wrong, marks.clamp(min=0), reduction="none") * known
        total += 0.5 * (each.sum(1) / known.sum(1).clamp(min=1)).sum()
    return total / len(rows)


def rate_at(step, done, fall):
    return min(1.0, (step + 1) / 100) * min(1.0, max(0.0, (1 - done) / fall))


def trainer(model, rate, freeze):
    for layer in model.layers[:freeze]:
        layer.requires_grad_(False)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    is_head = lambda name: name.startswith(("middle", "labels", "span", "wrong", "units"))
    groups = [{"params": [p for n, p in named if not is_head(n)], "lr": rate}, {"params": [p for n, p in named if is_head(n)], "lr": 5 * rate}]
    return torch.optim.AdamW(groups, weight_decay=0.01), [p for _, p in named]


def likeness(output, taught, batch):
    """How far a student's outputs are from those of its teacher (arXiv 1503.02531): squared, over what either says something about."""
    total = F.mse_loss(output[0].float(), taught[0].float())
    inside = batch.allowed.float()
    for mine, theirs in zip(output[1:], taught[1:]):
        apart = (mine.float() - theirs.float()).pow(2)
        apart = apart.mean(-1) if apart.dim() == 3 else apart
        total = total + (apart * inside).sum() / inside.sum()
    return total


def step_of(model, optimizer, parameters, tokenizer, rows, device, teacher=None):
    encoded = [encode(tokenizer, row) for row in rows]
    batch = collate(encoded, device)
    with torch.autocast(device, torch.bfloat16):
        output = model(batch.ids, batch.mask)
    loss = loss_of(output, batch, rows, encoded)
    if teacher:
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            taught = teacher(batch.ids, batch.mask)
        loss = loss + TAUGHT * likeness(output, taught, batch)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return loss.item()


def tokenizer_of(base, pieces):
    tokenizer = Tokenizer.from_file(f"{base}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(pieces, strategy="only_second")
    return tokenizer


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", out="judge", start="", device="cpu", minutes=120.0, fall=0.6, rows=130000, pieces=400,
                              rate=3e-5, freeze=2, batch=32, seed=1, shares="0.13,0.42,0.45", threads=0, layers=12, teacher="", handbooks="").items():
        options.add_argument("--" + name, default=default, type=type(default))
    options.add_argument("--resume", action="store_true")
    o = options.parse_args()
    if o.threads:
        torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    r = random.Random(o.seed)
    tokenizer = tokenizer_of(o.base, o.pieces)
    release = set(json.load(open(f"{o.data}/release.json")))
    sets = {}
    for row in read(o.data):
        if row["split"] == "train" and row["set"] in release:
            sets.setdefault((row["task"], row["set"], row["lang"]), []).append(row)
    names = names_in(sets)
    sets |= claims_of(sets, names, r)
    pools = neighbours_of(sets)
    train = [surrounded(varied(row, names, r), pools, r) for row in training_rows(sets, o.rows, map(float, o.shares.split(",")), o.seed, o.handbooks)]
    steps = list(batches(train, o.batch, r))

    model = Judge(o.base, o.start, o.layers).to(o.device)
    teacher = Judge(o.base, o.teacher).to(o.device).eval() if o.teacher else None
    optimizer, parameters = trainer(model, o.rate, o.freeze)
    rates = [group["lr"] for group in optimizer.param_groups]
    mean, first, spent = None, 0, 0.0
    if o.resume:
        kept = torch.load(f"{o.out}.pt", map_location=o.device)
        model.load_state_dict(kept["model"], strict=False)
        optimizer.load_state_dict(kept["optimizer"])
        mean, first, spent = kept["mean"], kept["step"], kept["spent"]
    trained = lambda: {k: v.detach() for k, v in model.state_dict().items() if not k.startswith(TABLES)}
    mean = mean or {k: v.clone() for k, v in trained().items()}

    def save(step):
        state = {"model": trained(), "optimizer": optimizer.state_dict(), "mean": mean, "step": step, "spent": spent + time.time() - began}
        torch.save(state, f"{o.out}.pt.new")
        os.replace(f"{o.out}.pt.new", f"{o.out}.pt")
        model.pack(f"{o.out}.new.npz", {k: v.cpu() for k, v in mean.items()})
        os.replace(f"{o.out}.new.npz", f"{o.out}.npz")
        hashes = {task: hashlib.sha256(open(f"{o.data}/{task}.jsonl.gz", "rb").read()).hexdigest() for task in TASKS}
        json.dump({**vars(o), "rows_seen": step * o.batch, "data": hashes}, open(f"{o.out}.json", "w"), indent=1)

    print(f"{len(train)} rows of {sum(map(len, sets.values()))}, {len(steps)} steps", flush=True)
    model.train()
    began, shown = time.time(), None
    for step in range(first, len(steps)):
        done = max(step / len(steps), (spent + time.time() - began) / (60 * o.minutes))
        if done >= 1 or os.path.exists(f"{o.out}.stop"):
            break
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * rate_at(step, done, o.fall)
        loss = step_of(model, optimizer, parameters, tokenizer, steps[step], o.device, teacher)
        memory = min(MEMORY, (step + 1) / (step + 20))
        with torch.no_grad():
            for k, v in trained().items():
                mean[k].lerp_(v, 1 - memory)
        shown = loss if shown is None else 0.98 * shown + 0.02 * loss
        if step % 25 == 0:
            print(f"step {step} of {len(steps)}, {spent + time.time() - began:.0f} s, loss {shown:.4f}", flush=True)
        if step % 300 == 299:
            save(step + 1)
    save(step + 1)


if __name__ == "__main__":
    main()

"""Trains the judge.

    python train.py --base BASE --data DATA --out judge --minutes 120 [--start judge.npz] [--device cuda --workers 12]

BASE is a folder with weights.npz and tokenizer.json of multilingual-e5-small, DATA one with relevance, answerability and
support as gzipped JSON Lines and release.json, the sets to train on. Writes OUT.npz every 5 minutes (the running mean of
the weights, in 16 bits), OUT.pt to go on from, and OUT.json: options, seed, rows seen, the data's hashes. The rate rises,
stays, and falls over the last part (`--fall`, a share of the whole), so that a run in stretches loses nothing: `--resume`
goes on where one stopped, with the same rows if the number of workers is the same. A file OUT.stop ends it after the step at hand.
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
from torch.utils.data import DataLoader

from data import BLOCK, UNKNOWN, Batches, claims_of, names_in, neighbours_of, read, surrounded, training_rows, varied
from model import TABLES, TASKS, Judge, taken

MEMORY = 0.998  # Of the running mean, a step.
HEADS_RATE = 3  # The heads learn so many times as fast as the rest.
TAUGHT = 0.3  # The weight of likeness to a teacher beside the labels.


def unit_logits(scores, units, most):
    """The mean of the scores [rows, tokens] over the tokens of each unit: [rows, units]."""
    inside = units >= 0
    index = units.clamp(min=0)
    total = torch.zeros(len(units), most, device=scores.device).scatter_add(1, index, scores * inside)
    count = torch.zeros_like(total).scatter_add(1, index, inside.to(scores.dtype))
    return total / count.clamp(min=1)


def unit_loss(logits, wanted, label):
    """Per row: what answers and what does not count the same. If no place is known, some unit of a positive row has to do it."""
    positive, negative, unknown = wanted > 0.5, (wanted >= 0) & (wanted <= 0.5), wanted == UNKNOWN
    each = F.binary_cross_entropy_with_logits(logits, wanted.clamp(min=0), reduction="none")
    mean = lambda some: (each * some).sum(1) / some.sum(1).clamp(min=1)
    some_open = -torch.log1p(-torch.exp((F.logsigmoid(-logits) * unknown).sum(1)).clamp(max=1 - 1e-6))
    is_open = (label > 0) & ~positive.any(1) & unknown.any(1)
    parts = positive.any(1).float() + negative.any(1).float() + is_open.float()
    return (mean(positive) + mean(negative) + some_open * is_open) / parts.clamp(min=1)


def loss_of(output, batch):
    labels, span, wrong, units = (part.float() for part in output)
    span = span.masked_fill(~batch.allowed[..., None], -1e4)
    claims = batch.task == TASKS.index("support")
    yes_or_no = labels.gather(1, batch.task.clamp(max=1)[:, None])[:, 0]
    each = torch.where(claims, F.cross_entropy(labels[:, 2:], batch.kind, reduction="none"),
                       F.binary_cross_entropy_with_logits(yes_or_no, batch.label, reduction="none"))
    for column, side in enumerate((batch.start, batch.end)):
        each = each + 0.25 * F.cross_entropy(span[..., column], side.clamp(min=0), reduction="none") * (batch.start >= 0)
    scores = torch.where(claims[:, None], units[..., 1], units[..., 0])
    each = each + 0.5 * unit_loss(unit_logits(scores, batch.units, batch.wanted.shape[1]), batch.wanted, batch.label)
    # By row, so that a long claim counts no more than a short one.
    known = batch.marks >= 0
    marked = F.binary_cross_entropy_with_logits(wrong, batch.marks.clamp(min=0), reduction="none") * known
    each = each + 0.5 * marked.sum(1) / known.sum(1).clamp(min=1)
    return each.mean()


def rate_at(step, done, fall):
    return min(1.0, (step + 1) / 40) * min(1.0, max(0.0, (1 - done) / fall))


def trainer(model, rate, freeze):
    for layer in model.layers[:freeze]:
        layer.requires_grad_(False)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    is_head = lambda name: name.startswith(("middle", "labels", "span", "wrong", "units"))
    groups = [{"params": [p for n, p in named if not is_head(n)], "lr": rate}, {"params": [p for n, p in named if is_head(n)], "lr": HEADS_RATE * rate}]
    parameters = [p for _, p in named]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=parameters[0].is_cuda), parameters


def likeness(output, states, teacher, batch):
    """How far a student is from its teacher, squared: its outputs (arXiv 1503.02531), over what either says something about, and its
    layers' states (arXiv 1909.10351)."""
    theirs = teacher.states(teacher.embedded(batch.ids), batch.mask)
    taught = teacher.heads(theirs[-1], batch.mask)
    total = F.mse_loss(output[0].float(), taught[0].float())
    inside = batch.allowed.float()
    for mine, other in zip(output[1:], taught[1:]):
        apart = (mine.float() - other.float()).pow(2)
        apart = apart.mean(-1) if apart.dim() == 3 else apart
        total = total + (apart * inside).sum() / inside.sum()
    there = batch.mask.float()
    for mine, layer in zip(states, taken(len(states))):
        total = total + ((mine.float() - theirs[layer].float()).pow(2).mean(-1) * there).sum() / there.sum()
    return total


def step_of(model, optimizer, parameters, batch, teacher=None):
    """One step; returns the loss as a tensor, so that a GPU is not waited for."""
    with torch.autocast(batch.ids.device.type, torch.bfloat16):
        states = model.states(model.embedded(batch.ids), batch.mask)
        output = model.heads(states[-1], batch.mask)
        loss = loss_of(output, batch)
        if teacher:
            loss = loss + TAUGHT * likeness(output, states, teacher, batch)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return loss.detach()


def tokenizer_of(base, pieces):
    tokenizer = Tokenizer.from_file(f"{base}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(pieces, strategy="only_second")
    return tokenizer


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", out="judge", start="", device="cpu", minutes=120.0, fall=0.6, rows=130000, pieces=400, workers=0,
                              rate=3e-5, freeze=2, batch=32, seed=1, shares="0.13,0.42,0.45", threads=0, layers=12, dropout=0.0, teacher="",
                              handbooks="").items():
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
    train = training_rows(sets, o.rows, map(float, o.shares.split(",")), o.seed, o.handbooks)
    steps = Batches(train, lambda row, r: surrounded(varied(row, names, r), pools, r), tokenizer, o.batch, o.seed)

    model = Judge(o.base, o.start, o.layers, o.dropout).to(o.device)
    teacher = Judge(o.base, o.teacher).to(o.device).eval().requires_grad_(False) if o.teacher else None
    optimizer, parameters = trainer(model, o.rate, o.freeze)
    rates = [group["lr"] for group in optimizer.param_groups]
    mean, first, spent = None, 0, 0.0
    if o.resume:
        kept = torch.load(f"{o.out}.pt", map_location=o.device)
        model.load_state_dict(kept["model"], strict=False)
        optimizer.load_state_dict(kept["optimizer"])
        mean, first, spent = kept["mean"], kept["step"], kept["spent"]
    trained = {k: v for k, v in model.state_dict().items() if not k.startswith(TABLES)}
    mean = mean or {k: v.clone() for k, v in trained.items()}

    def save(step):
        state = {"model": trained, "optimizer": optimizer.state_dict(), "mean": mean, "step": step, "spent": spent + time.time() - began}
        torch.save(state, f"{o.out}.pt.new")
        os.replace(f"{o.out}.pt.new", f"{o.out}.pt")
        model.pack(f"{o.out}.new.npz", {k: v.cpu() for k, v in mean.items()})
        os.replace(f"{o.out}.new.npz", f"{o.out}.npz")
        hashes = {task: hashlib.sha256(open(f"{o.data}/{task}.jsonl.gz", "rb").read()).hexdigest() for task in TASKS}
        json.dump({**vars(o), "rows_seen": step * o.batch, "seconds": state["spent"], "data": hashes}, open(f"{o.out}.json", "w"), indent=1)

    print(f"{len(train)} rows of {sum(map(len, sets.values()))}, {len(steps)} steps", flush=True)
    model.train()
    began, shown, saved = time.time(), None, time.time()
    loader = DataLoader(steps, batch_size=None, num_workers=o.workers, pin_memory=o.device == "cuda", prefetch_factor=4 * BLOCK if o.workers else None)
    for step, batch in enumerate(loader):
        if step < first:
            continue
        done = max(step / len(steps), (spent + time.time() - began) / (60 * o.minutes))
        if done >= 1 or os.path.exists(f"{o.out}.stop"):
            break
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * rate_at(step, done, o.fall)
        loss = step_of(model, optimizer, parameters, batch.to(o.device), teacher)
        memory = min(MEMORY, (step + 1) / (step + 20))
        torch._foreach_lerp_(list(mean.values()), list(trained.values()), 1 - memory)
        shown = loss if shown is None else shown.lerp(loss, 0.02)
        if step % 25 == 0:
            print(f"step {step} of {len(steps)}, {spent + time.time() - began:.0f} s, loss {shown.item():.4f}", flush=True)
        if time.time() - saved > 300:
            save(step + 1)
            saved = time.time()
    save(step + 1)


if __name__ == "__main__":
    main()

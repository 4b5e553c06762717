"""Can the judge learn at all? `python test_training.py --base BASE`: 200 made-up rows, seen some times over, have to be known by heart.

A label that is shuffled, a head that gets no gradient or a mask that hides the passage would end it above the bounds.
"""
import argparse
import random

import numpy as np
import torch

import facts
from data import Batches, collate, encode
from model import TASKS, Judge
from train import step_of, tokenizer_of, trainer


def judged(model, tokenizer, rows):
    """Per row the probability that its label is yes, and whether the span overlaps the answer (None: not known)."""
    scores, overlaps = [], []
    for row in rows:
        encoded = encode(tokenizer, row)
        batch = collate([encoded], [row])
        with torch.no_grad():
            labels, span, *_ = model(batch.ids, batch.mask)
        scores.append(float(torch.softmax(labels[0, 2:], -1)[0] if row["task"] == "support" else torch.sigmoid(labels[0, TASKS.index(row["task"])])))
        first, last = (int(at) + 1 for at in span[0].masked_fill(~batch.allowed[0, :, None], -1e4)[1:].argmax(0))
        overlaps.append(first <= encoded.end and last >= encoded.start if encoded.start > 0 else None)
    return np.array(scores), overlaps


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--base", required=True)
    options.add_argument("--start", default="")
    options.add_argument("--passes", type=int, default=30)
    o = options.parse_args()
    torch.manual_seed(3)
    r = random.Random(3)
    rows, tokenizer, model = facts.rows(200, 3), tokenizer_of(o.base, 160), Judge(o.base, o.start)
    spoken_for = [row for row in rows if row.get("at")]
    for row in spoken_for:
        assert row["b"][slice(*row["at"])].strip(), row
    optimizer, parameters = trainer(model, 1e-4, 2)
    model.train()
    for done in range(o.passes):
        r.shuffle(rows)
        losses = [step_of(model, optimizer, parameters, batch).item() for batch in Batches(rows, lambda row, r: row, tokenizer, 20, done)]
        print(f"pass {done + 1}: loss {np.mean(losses):.3f}", flush=True)
        if np.mean(losses) < 0.1:
            break
    model.eval()
    scores, overlaps = judged(model, tokenizer, rows)
    truth = np.array([row["label"] for row in rows], bool)
    right = float(((scores >= 0.5) == truth).mean())
    spans = float(np.mean([overlap for overlap in overlaps if overlap is not None]))
    print(f"labels {right:.3f}, spans {spans:.3f} of {sum(overlap is not None for overlap in overlaps)}")
    assert right >= 0.97 and spans >= 0.9, "The judge does not learn 200 rows by heart."
    assert all(encode(tokenizer, row).start > 0 for row in spoken_for), "An answer's place is lost on the way to tokens."


if __name__ == "__main__":
    main()

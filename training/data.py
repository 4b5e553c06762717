"""Rows for the judge: read, varied, and turned into tokens.

A row: {task, set, lang, a: question or claim, b: passage, label, split} and, where known, kind (supported, contradicted,
neutral), answer (its words in b) or at ([start, end] in b), wrong ([start, end] in a).
"""
import gzip
import json
import math
import random
import re

import numpy as np
import torch

import facts
from asked import claimed, unanswered
from model import KINDS, TASKS

FIELDS = ("set", "lang", "a", "b", "label", "kind", "answer", "wrong", "doc")


def read(folder):
    for task in TASKS:
        with gzip.open(f"{folder}/{task}.jsonl.gz", "rt") as lines:
            for line in lines:
                row = json.loads(line)
                yield {"task": task, **{k: row[k] for k in FIELDS if row.get(k) is not None}, "split": row.get("split", "train")}


def training_rows(sets, rows, shares, seed, made=0.15):
    """`rows` rows: each task has its share, within it every set is drawn by the square root of its size; `made` of all are
    made-up facts. Sets are {(task, set, language): rows}; a set that is drawn oftener than it has rows comes again."""
    r = random.Random(seed)
    chosen = facts.rows(int(rows * made), seed)
    for task, share in zip(TASKS, shares):
        weight = {key: math.sqrt(len(some)) for key, some in sets.items() if key[0] == task}
        for key, w in weight.items():
            n = int(rows * (1 - made) * share * w / sum(weight.values())) + 1
            while n > 0:
                chosen += r.sample(sets[key], min(n, len(sets[key])))
                n -= len(sets[key])
    r.shuffle(chosen)
    return chosen


def pairs_of(text):
    return {text[i : i + 2].lower() for i in range(len(text) - 1)}


def cropped(row, r):
    """A long passage is cut to some of its sentences, so that nothing the label rests on lies behind what the model sees.
    The answer stays in; without one the sentences stay that share most with the claim. A positive whose place is not known
    is left whole."""
    limit = r.randint(400, 950) if row["lang"] == "en" else r.randint(130, 240)
    if len(row["b"]) <= limit or "at" in row:
        return row
    sentences = [s for s in re.split(r"(?<=[。！？!?\n])|(?<=[.] )", row["b"]) if s]
    answer = row.get("answer")
    if answer and row["b"].count(answer) == 1:
        at, end = row["b"].find(answer), row["b"].find(answer) + len(answer)
    elif row["task"] == "support":
        claim = pairs_of(row["a"])
        best = max(range(len(sentences)), key=lambda i: len(claim & pairs_of(sentences[i])))
        at = sum(map(len, sentences[:best]))
        end = at + len(sentences[best])
    elif row["label"] == 0:
        at = end = r.randrange(len(row["b"]))
    else:
        return row
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence))
    first = max(i for i in range(len(sentences)) if starts[i] <= at)
    last = first
    while starts[last + 1] < end:
        last += 1
    while True:
        left = first > 0 and starts[last + 1] - starts[first - 1] <= limit
        right = last + 1 < len(sentences) and starts[last + 2] - starts[first] <= limit
        if not left and not right:
            break
        if left and (not right or r.random() < 0.5):
            first -= 1
        else:
            last += 1
    return {**row, "b": row["b"][starts[first] : starts[last + 1]].strip()}


def names_in(sets):
    """The answers to the questions on each document: {(set, document): {answer: None}}, in the order of the rows."""
    names = {}
    for row in (row for rows in sets.values() for row in rows if row.get("answer")):
        names.setdefault((row["set"], row.get("doc")), {})[row["answer"]] = None
    return names


def claims_of(sets, names, r):
    """Sets of claims made of the answered questions of these sets."""
    made = {}
    for row in (row for rows in list(sets.values()) for row in rows if row["task"] == "answerability"):
        if claim := claimed(cropped(row, r), names.get((row["set"], row.get("doc")), ()), r):
            made.setdefault(("support", claim["set"], row["lang"]), []).append(claim)
    return made


CHANGED = 0.3  # Of the answered questions, where a change fits.


def varied(row, names, r):
    """People do not type as data sets do: some rows lose capitals or the question mark, some passages get their title. Some
    questions are changed so that their passage answers them no longer."""
    row = cropped(dict(row), r)
    if row["task"] == "answerability" and row["label"] == 1 and r.random() < CHANGED:
        row = unanswered(row, names.get((row["set"], row.get("doc")), ()), r) or row
    if row["task"] != "support" and r.random() < 0.15:
        row["a"] = row["a"].rstrip("?？ ")
        if row["lang"] == "en":
            row["a"] = row["a"].lower()
    title = row.get("doc", "")
    if title.startswith(("squad:", "drcd:")) and r.random() < 0.5:
        on_top = title.split(":", 1)[1].replace("_", " ") + "\n"
        row["b"] = on_top + row["b"]
        if "at" in row:
            row["at"] = [at + len(on_top) for at in row["at"]]
    if row["task"] == "support" and row["set"] == "fever" and r.random() < 0.1:
        # Whether a passage settles a statement is what answerability means for a question of yes or no.
        row = {**row, "task": "answerability", "label": int(row["kind"] != "neutral"), "a": f"Is it true that {row['a'].rstrip('.')}?"}
        row.pop("wrong", None)
    return row


def encode(tokenizer, row):
    """Ids; first and last token of the answer (0, 0: none here; -1, -1: not known); first token of the passage; per token
    of the claim 1 where it is wrong, 0 where it is not, -1 where nothing is known."""
    pair = tokenizer.encode(row["a"][:500], row["b"])
    second = next((i for i, part in enumerate(pair.sequence_ids) if part == 1), len(pair.ids) - 1)
    start = end = -1
    place = row.get("at")
    if not place and row.get("answer") and row["b"].count(row["answer"]) == 1:
        at = row["b"].find(row["answer"])
        place = [at, at + len(row["answer"])]
    if row["task"] == "answerability" and row["label"] == 0:
        start = end = 0
    elif place:
        inside = [i for i, (offsets, part) in enumerate(zip(pair.offsets, pair.sequence_ids))
                  if part == 1 and offsets[0] < place[1] and offsets[1] > place[0]]
        if inside:
            start, end = inside[0], inside[-1]
    marks = np.full(len(pair.ids), -1, np.int8)
    if row["task"] == "support" and (row.get("wrong") or (row["set"] in MARKED and row["label"] == 1)):
        wrong = row.get("wrong") or [0, 0]
        for i, (offsets, part) in enumerate(zip(pair.offsets, pair.sequence_ids)):
            if part == 0:
                marks[i] = offsets[0] < wrong[1] and offsets[1] > wrong[0]
    return np.array(pair.ids, np.int32), start, end, second, marks


# Sets whose false claims are marked: their true ones teach that nothing is to be marked.
MARKED = {"asked-claim", "edited-en", "edited-zh", "facts-claim", "facts-claim-cross"}


def collate(encoded, device="cpu"):
    length = max(len(row[0]) for row in encoded)
    ids = torch.ones(len(encoded), length, dtype=torch.long)
    mask, allowed = torch.zeros_like(ids), torch.zeros(ids.shape, dtype=torch.bool)
    marks = torch.full(ids.shape, -1.0)
    for i, (row, _, _, second, wrong) in enumerate(encoded):
        ids[i, : len(row)] = torch.from_numpy(row.astype(np.int64))
        mask[i, : len(row)] = 1
        allowed[i, 0] = True
        allowed[i, second : len(row) - 1] = True
        marks[i, : len(row)] = torch.from_numpy(wrong.astype(np.float32))
    return ids.to(device), mask.to(device), allowed.to(device), marks.to(device)


def batches(rows, batch, r):
    """Rows of like length together, in random order."""
    size = lambda row: len(row["b"]) * (1 if row["lang"] == "en" else 2.5)
    for at in range(0, len(rows), batch * 50):
        block = sorted(rows[at : at + batch * 50], key=size)
        some = [block[i : i + batch] for i in range(0, len(block), batch)]
        r.shuffle(some)
        yield from some


def kind_of(row):
    return KINDS[row["kind"]]

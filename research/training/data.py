"""Rows for the judge: read, varied, and turned into tokens.

A row: {task, set, lang, a: question or claim, b: passage, label, split} and, where known, kind (supported, contradicted,
neutral), answer (its words in b) or at ([start, end] in b), unit (the unit of b that answers or states it), inner (the part of b that
the row is about; around it is other text), wrong ([start, end] in a).
"""
import gzip
import json
import math
import random
import re
from typing import NamedTuple

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

import facts
import handbooks
import statements
import written
from asked import claimed, unanswered
from model import KINDS, TASKS
from windows import among, units_of

FIELDS = ("set", "lang", "a", "b", "label", "kind", "answer", "wrong", "doc")


def read(folder):
    for task in TASKS:
        with gzip.open(f"{folder}/{task}.jsonl.gz", "rt") as lines:
            for line in lines:
                row = json.loads(line)
                yield {"task": task, **{k: row[k] for k in FIELDS if row.get(k) is not None}, "split": row.get("split", "train")}


# Of all rows: made-up facts, those on written documents, and questions and statements on public handbooks, where clones of these are given.
MADE, WROTE, HANDBOOKS, STATED = 0.03, 0.07, 0.15, 0.5


def training_rows(sets, rows, shares, seed, clones=""):
    """`rows` rows: each task has its share, within it every set is drawn by the square root of its size. Sets are {(task, set,
    language): rows}; a set that is drawn oftener than it has rows comes again."""
    r = random.Random(seed)
    chosen = facts.rows(int(rows * MADE), seed)
    for some, share in ((lambda: written.rows(r), WROTE), (lambda: handbooks.rows(clones, r), HANDBOOKS if clones else 0),
                        (lambda: statements.rows(clones, r), STATED if clones else 0)):
        wanted = len(chosen) + int(rows * share)
        while len(chosen) < wanted:
            chosen += some()[: wanted - len(chosen)]
    made = len(chosen) / rows
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
    is left whole, and so is a table. The line of headings above a written document stays."""
    limit = r.randint(400, 950) if row["lang"] == "en" else r.randint(130, 240)
    is_written = row["set"].startswith("written")
    if len(row["b"]) <= limit or "\n|" in row["b"] or ("at" in row and not is_written):
        return row
    head = row["b"].index("\n") + 1 if is_written else 0
    sentences = [s for s in re.split(r"(?<=[。！？!?\n])|(?<=[.] )", row["b"][head:]) if s]
    answer, place = row.get("answer"), row.get("at") or row.get("unit")
    if place:
        at, end = place[0] - head, place[1] - head
    elif answer and row["b"].count(answer) == 1:
        at = row["b"].find(answer) - head
        end = at + len(answer)
    elif row["task"] == "support":
        claim = pairs_of(row["a"])
        best = max(range(len(sentences)), key=lambda i: len(claim & pairs_of(sentences[i])))
        at = sum(map(len, sentences[:best]))
        end = at + len(sentences[best])
    elif row["label"] == 0:
        at = end = r.randrange(len(row["b"]) - head)
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
    text = row["b"][head:][starts[first] : starts[last + 1]]
    moved = -starts[first] - (len(text) - len(text.lstrip()))
    places = {name: [max(head, place + moved) for place in row[name]] for name in ("at", "unit") if name in row}
    return {**row, "b": row["b"][:head] + text.strip(), **places}


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


def neighbours_of(sets):
    """Passages to set rows among: {(set, language): passages}."""
    pools = {}
    for (_, name, lang), rows in sets.items():
        pools.setdefault((name, lang), []).extend(row["b"] for row in rows)
    return {key: list(dict.fromkeys(some)) for key, some in pools.items()}


SURROUNDED = 0.5  # Of the rows of public sets, whose passages are paragraphs.


def surrounded(row, pools, r, share=SURROUNDED):
    pool = pools.get((row["set"], row["lang"]))
    if not pool or row["set"].startswith("written") or r.random() >= share:
        return row
    answer = row.get("answer") or ""
    others = [b for b in r.sample(pool, min(6, len(pool))) if b != row["b"] and (not answer or answer not in b)]
    return among(row, others, r)


class Encoded(NamedTuple):
    ids: np.ndarray
    # First and last token of the answer (0, 0: none here; -1, -1: not known).
    start: int
    end: int
    # The first token of the passage.
    second: int
    # Per token of the claim 1 where it is wrong, 0 where it is not, -1 where nothing is known.
    marks: np.ndarray
    # Per token the number of its unit, -1 outside of any.
    units: np.ndarray
    # Per unit the probability that it answers or states it, -1 where that is not known.
    wanted: np.ndarray


def wanted_of(row, units):
    """What is known of each unit: the one with the answer answers, all others do not; nothing does in a row that is not answered. If
    the place is not known, neither are the units of the row's own text."""
    place = row.get("unit") or row.get("at")
    if row["label"] == 0:
        return [0.0] * len(units)
    first, last = row.get("inner", (0, len(row["b"])))
    is_own = lambda unit: unit[0] < last and unit[1] > first
    if not place and row.get("answer"):
        holds = [row["answer"] in row["b"][start:end] for start, end in units]
        return [1.0 if has and sum(holds) == 1 else -1.0 if has or not any(holds) and is_own(unit) else 0.0 for has, unit in zip(holds, units)]
    if not place:
        return [-1.0 if is_own(unit) else 0.0 for unit in units]
    return [float(start < place[1] and end > place[0]) for start, end in units]


def encode(tokenizer, row):
    pair = tokenizer.encode(row["a"][:500], row["b"])
    # Read once: each of these builds its list anew.
    ids, offsets, parts = pair.ids, pair.offsets, pair.sequence_ids
    second = next((i for i, part in enumerate(parts) if part == 1), len(ids) - 1)
    start = end = -1
    place = row.get("at")
    if not place and row.get("answer") and row["b"].count(row["answer"]) == 1:
        at = row["b"].find(row["answer"])
        place = [at, at + len(row["answer"])]
    if row["task"] == "answerability" and row["label"] == 0:
        start = end = 0
    elif place:
        inside = [i for i, (at, part) in enumerate(zip(offsets, parts)) if part == 1 and at[0] < place[1] and at[1] > place[0]]
        if inside:
            start, end = inside[0], inside[-1]
    marks = np.full(len(ids), -1, np.int8)
    if row["task"] == "support" and (row.get("wrong") or (row["set"] in MARKED and row["label"] == 1)):
        wrong = row.get("wrong") or [0, 0]
        for i, (at, part) in enumerate(zip(offsets, parts)):
            if part == 0:
                marks[i] = at[0] < wrong[1] and at[1] > wrong[0]
    spans = units_of(row["b"])
    of_token, unit = np.full(len(ids), -1, np.int16), 0
    for i in range(second, len(ids) - 1):
        first, last = offsets[i]
        while unit < len(spans) and spans[unit][1] <= first:
            unit += 1
        if unit < len(spans) and last > spans[unit][0]:
            of_token[i] = unit
    inside = int(of_token.max()) + 1
    wanted = np.array(wanted_of(row, spans)[:inside], np.float32)
    return Encoded(np.array(ids, np.int32), start, end, second, marks, of_token, wanted)


# Sets whose false claims are marked: their true ones teach that nothing is to be marked.
MARKED = {"asked-claim", "written-statements", "edited-en", "edited-zh", "facts-claim", "facts-claim-cross"}


class Batch(NamedTuple):
    ids: torch.Tensor
    mask: torch.Tensor
    # Tokens that an answer may begin or end at.
    allowed: torch.Tensor
    marks: torch.Tensor
    units: torch.Tensor
    # [rows, units]; UNKNOWN where that is not known, ABSENT where there is no unit.
    wanted: torch.Tensor
    # [rows]: the number of the task and of the label's kind; 0 or 1; first and last token of the answer.
    task: torch.Tensor
    kind: torch.Tensor
    label: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor

    def to(self, device):
        return Batch(*(part.to(device, non_blocking=True) for part in self))


UNKNOWN, ABSENT = -1.0, -2.0


def collate(encoded, rows):
    # A multiple of 8, as the fast kernels of a GPU want it.
    length = -(-max(len(one.ids) for one in encoded) // 8) * 8
    ids = torch.ones(len(encoded), length, dtype=torch.long)
    mask, allowed = torch.zeros_like(ids), torch.zeros(ids.shape, dtype=torch.bool)
    marks, units = torch.full(ids.shape, -1.0), torch.full(ids.shape, -1)
    wanted = torch.full((len(encoded), max(1, *(len(one.wanted) for one in encoded))), ABSENT)
    for i, one in enumerate(encoded):
        tokens = len(one.ids)
        ids[i, :tokens] = torch.from_numpy(one.ids.astype(np.int64))
        mask[i, :tokens] = 1
        allowed[i, 0] = True
        allowed[i, one.second : tokens - 1] = True
        marks[i, :tokens] = torch.from_numpy(one.marks.astype(np.float32))
        units[i, :tokens] = torch.from_numpy(one.units.astype(np.int64))
        wanted[i, : len(one.wanted)] = torch.from_numpy(one.wanted)
    task = torch.tensor([TASKS.index(row["task"]) for row in rows])
    kind = torch.tensor([KINDS[row["kind"]] if row["task"] == "support" else 0 for row in rows])
    label = torch.tensor([float(row["label"]) for row in rows])
    start, end = (torch.tensor([getattr(one, side) for one in encoded]) for side in ("start", "end"))
    return Batch(ids, mask, allowed, marks, units, wanted, task, kind, label, start, end)


BLOCK = 16  # Batches made together, so that rows of like length share one.


class Batches(IterableDataset):
    """Batches of rows, varied and in tokens. Worker k of n makes the blocks k, k + n, k + 2n and so on."""

    def __init__(self, rows, vary, tokenizer, batch, seed):
        self.rows, self.vary, self.tokenizer, self.batch, self.seed = rows, vary, tokenizer, batch, seed

    def __len__(self):
        return -(-len(self.rows) // self.batch)

    def __iter__(self):
        worker = get_worker_info()
        first, every = (worker.id, worker.num_workers) if worker else (0, 1)
        size = self.batch * BLOCK
        for at in range(first * size, len(self.rows), every * size):
            r = random.Random(f"{self.seed} {at}")
            rows = [self.vary(row, r) for row in self.rows[at : at + size]]
            pairs = sorted(((encode(self.tokenizer, row), row) for row in rows), key=lambda pair: len(pair[0].ids))
            some = [pairs[i : i + self.batch] for i in range(0, len(pairs), self.batch)]
            r.shuffle(some)
            for one in some:
                yield collate(*zip(*one))

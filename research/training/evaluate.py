"""Figures of an exported model by set: `python evaluate.py --model FOLDER --data DATA [--most 100] [--fit]`.

Rows of the splits dev and ood, made-up facts of another seed and written documents kept for this. Passages are read in windows as
the product reads them. Per set AUC, balanced accuracy at .5 with half the width of its 95 % interval, expected calibration error,
the share of spans that overlap the answer, the AUC of the best unit, and the share of best units that are the right one. Sets outside release.json were never trained on; those of the split ood are for the end, and
never fitted on. `--fit` writes lines of log odds (Platt) into model.json, each set counting the same.
"""
import argparse
import json
import math
import random

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import facts
import handbooks
import written
from data import neighbours_of, read, surrounded
from windows import units_of

BLOCK = 32
SCORES = ("relevance", "answerability", "support", "span", "answers", "states")


def word_table(folder, width):
    packed = np.fromfile(f"{folder}/words.q4", dtype=[("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
    numbers = np.concatenate([packed["pairs"] & 15, packed["pairs"] >> 4], 1).astype(np.float32) - 8
    return (numbers * packed["scale"].astype(np.float32)[:, None]).reshape(-1, width)


class Model:
    def __init__(self, folder):
        self.file = json.load(open(f"{folder}/model.json"))
        self.words = word_table(folder, self.file["width"])
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.session = onnxruntime.InferenceSession(f"{folder}/judge.onnx")

    def windows(self, a, b):
        """As the product reads a passage: in windows that share a third. Ids, and where each piece stands in the passage."""
        cut = lambda text: self.tokenizer.encode(text, add_special_tokens=False)
        asked, passage = cut(a).ids[: self.file["longest"] // 2], cut(b)
        room = max(self.file["window"] - len(asked) - 4, self.file["window"] // 2)
        step = -(-room * 2 // 3)
        for at in range(0, max(1, len(passage.ids) - room + step), step):
            yield [0, *asked, 2, 2, *passage.ids[at : at + room], 2], len(asked) + 3, passage.offsets[at : at + room]

    def judge(self, rows):
        """Per row raw scores: relevance, answerability, support, span (log odds each), each of the window where it is
        highest, and where in the passage the best span is."""
        windows = [(i, *window) for i, row in enumerate(rows) for window in self.windows(row["a"][:500], row["b"])]
        windows.sort(key=lambda window: len(window[1]))
        found = [dict.fromkeys(SCORES, -math.inf) for _ in rows]
        for at in range(0, len(windows), 8):
            some = windows[at : at + 8]
            length = max(len(ids) for _, ids, *_ in some)
            words = np.zeros((len(some), length, self.file["width"]), np.float32)
            mask = np.zeros((len(some), length), np.int64)
            for row, (_, ids, *_) in enumerate(some):
                words[row, : len(ids)], mask[row, : len(ids)] = self.words[ids], 1
            labels, span, _, *scores = self.session.run(None, {"words": words, "mask": mask})
            # The networks before had no scores of units.
            units = scores[0] if scores else np.zeros((*mask.shape, 2), np.float32)
            for row, (i, ids, second, offsets) in enumerate(some):
                support = labels[row, 2] - np.logaddexp(labels[row, 3], labels[row, 4])
                starts, ends = span[row, second : len(ids) - 1, 0], span[row, second : len(ids) - 1, 1]
                sums = [(starts[a] + ends[b], offsets[a][0], offsets[b][1]) for a in range(len(starts)) for b in range(a, min(a + 40, len(ends)))]
                best, first, last = max(sums, default=(0.0, 0, 0))
                spanned = best - span[row, 0].sum()
                answers = labels[row, 1] + self.file["spanShare"] * spanned
                for name, score in zip(SCORES, (labels[row, 0], answers, support, spanned)):
                    if score > found[i][name]:
                        found[i][name] = float(score)
                        if name == "span":
                            found[i]["at"] = (first, last)
                middles = np.array([(start + end) / 2 for start, end in offsets])
                for unit in units_of(rows[i]["b"]):
                    own = np.flatnonzero((middles >= unit[0]) & (middles < unit[1]))
                    if not len(own):
                        continue
                    for name, score in zip(SCORES[4:], units[row, second + own].mean(0)):
                        if score > found[i][name]:
                            found[i][name], found[i][f"{name} at"] = float(score), unit
        return found


def place_of(row):
    """Where the answer stands in the passage; None where that is not known, (0, 0) where it does not."""
    if row["task"] == "answerability" and row["label"] == 0:
        return (0, 0)
    if row.get("at"):
        return tuple(row["at"])
    answer = row.get("answer")
    at = row["b"].find(answer) if answer and row["b"].count(answer) == 1 else -1
    return None if at < 0 else (at, at + len(answer))


def auc(scores, labels):
    yes, no = scores[labels], scores[~labels]
    return float((yes[:, None] > no[None]).mean() + 0.5 * (yes[:, None] == no[None]).mean()) if len(yes) and len(no) else math.nan


def calibration_error(p, labels):
    bins = np.minimum(9, (p * 10).astype(int))
    return float(sum(abs(p[bins == b].mean() - labels[bins == b].mean()) * (bins == b).mean() for b in range(10) if (bins == b).any()))


def platt(scores, labels, weights):
    """Scale and shift of log odds by Newton's method, on standardised scores and with a little ridge, so that it settles."""
    middle, spread = scores.mean(), scores.std() + 1e-6
    x = np.stack([(scores - middle) / spread, np.ones(len(scores))], 1)
    weights = weights / weights.mean()
    line = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ line, -30, 30)))
        gradient = x.T @ (weights * (labels - p)) - line
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + np.eye(2)
        line = line + np.clip(np.linalg.solve(hessian, gradient), -1, 1)
    return float(line[0] / spread), float(line[1] - line[0] * middle / spread)


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(model="", data="", most=100, seed=1, task="", handbooks="").items():
        options.add_argument("--" + name, default=default, type=type(default))
    for name in ("fit", "ood", "wide"):
        options.add_argument("--" + name, action="store_true")
    o = options.parse_args()
    release = set(json.load(open(f"{o.data}/release.json")))
    model = Model(o.model)
    groups = {}
    made = [*facts.rows(8 * o.most, -1), *written.rows(random.Random(o.seed), "dev")]
    if o.handbooks:
        made += handbooks.rows(o.handbooks, random.Random(o.seed), "dev")
    for row in [*(row for row in read(o.data) if row["split"] != "train"), *made]:
        if (o.ood or row.get("split") != "ood") and row["task"].startswith(o.task):
            groups.setdefault((row["task"], row["set"], row["lang"]), []).append(row)
    rows = [row for _, group in sorted(groups.items()) for row in random.Random(o.seed).sample(group, min(o.most, len(group)))]
    if o.wide:
        r, pools = random.Random(o.seed), neighbours_of({key: [*group] for key, group in groups.items()})
        rows = [surrounded(row, pools, r, 1.0) for row in rows]
    found = model.judge(rows)
    size = {}
    for row in rows:
        key = (row["task"], row["set"], row["lang"])
        size[key] = size.get(key, 0) + 1
    def right(i):
        (first, last), (start, end) = found[i].get("at", (0, 0)), place_of(rows[i])
        return first < end and last > start

    lines = dict(model.file["calibration"])
    of = lambda task, fit=False: [i for i, row in enumerate(rows) if row["task"] == task and not (fit and row.get("split") == "ood")]
    label = lambda i: rows[i]["label"] == 1
    if o.fit:
        for task in ("relevance", "answerability", "support"):
            some = of(task, True)
            if not some:
                continue
            weights = np.array([1 / size[(task, rows[i]["set"], rows[i]["lang"])] for i in some])
            lines[task] = dict(zip(("scale", "shift"), platt(np.array([found[i][task] for i in some]), np.array([label(i) for i in some]), weights)))
        known = [i for i in of("answerability", True) if place_of(rows[i])]
        if known:
            lines["span"] = dict(zip(("scale", "shift"), platt(np.array([found[i]["span"] for i in known]), np.array([right(i) for i in known]), np.ones(len(known)))))
        for task, name in (("answerability", "answers"), ("support", "states")):
            some = [i for i in of(task, True) if math.isfinite(found[i][name])]
            weights = np.array([1 / size[(task, rows[i]["set"], rows[i]["lang"])] for i in some])
            lines[name] = dict(zip(("scale", "shift"), platt(np.array([found[i][name] for i in some]), np.array([label(i) for i in some]), weights)))
        model.file["calibration"] = lines
        json.dump(model.file, open(f"{o.model}/model.json", "w"), indent=1)
    means = {}
    for key in sorted(size):
        task, name, lang = key
        some = [i for i in of(task) if (rows[i]["set"], rows[i]["lang"]) == (name, lang)]
        scores, labels = np.array([found[i][task] for i in some]), np.array([label(i) for i in some])
        p = 1 / (1 + np.exp(-(lines[task]["scale"] * scores + lines[task]["shift"])))
        balanced = ((p[labels] >= 0.5).mean() + (p[~labels] < 0.5).mean()) / 2 if labels.any() and not labels.all() else math.nan
        half = 1.96 * 0.5 / math.sqrt(len(some))
        spans = [right(i) for i in some if label(i) and place_of(rows[i])]
        best = "states" if task == "support" else "answers"
        of_units = auc(np.array([found[i][best] for i in some]), labels)
        place = lambda row: row.get("unit") or place_of(row)
        hits = [found[i][f"{best} at"][0] < place(rows[i])[1] and found[i][f"{best} at"][1] > place(rows[i])[0]
                for i in some if label(i) and place(rows[i]) and f"{best} at" in found[i]]
        kind = "ood" if rows[some[0]].get("split") == "ood" else "trained" if name in release or name.startswith("written") else "unseen"
        means.setdefault((task, kind), []).append((auc(scores, labels), balanced, calibration_error(p, labels), of_units, np.mean(hits) if hits else math.nan))
        shown = " ".join(f"{name} {np.mean(some):.3f}" for name, some in (("span", spans), ("unit", hits)) if some) + f" unit auc {of_units:.3f}"
        print(f"{task:14} {kind:8} {name:22} {lang:8} n={len(some):4} auc {auc(scores, labels):.3f} balanced {balanced:.3f} ±{half:.3f} ece {means[(task, kind)][-1][2]:.3f} {shown}")
    for (task, kind), values in sorted(means.items()):
        print(f"mean {task:14} {kind:8} sets={len(values):3} auc {np.nanmean([v[0] for v in values]):.3f} balanced {np.nanmean([v[1] for v in values]):.3f} ece {np.mean([v[2] for v in values]):.3f} unit auc {np.nanmean([v[3] for v in values]):.3f} unit {np.nanmean([v[4] for v in values]):.3f}")
    print(json.dumps(lines))


if __name__ == "__main__":
    main()

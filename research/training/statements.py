"""Rows of statements/*.jsonl: statements as a strong chat model writes them from a passage of a public handbook, and the same with one
planted error each (a number, name, degree, condition, cause, addition …), every one read by somebody who did not write it.

{repo, hash, dev, said: [[statement, kind, unit, wrong]]}: `kind` is supported, contradicted or neutral, `unit` is [start, end] in the passage
of what the statement rests on, `wrong` [start, end] of the planted error in the statement, where it is one stretch; either may be null.
The passages are those of handbooks.py.
"""
import glob
import json

import handbooks


def rows(clones, r, split="train"):
    made = []
    for path in sorted(glob.glob(f"{handbooks.HERE}/statements/*.jsonl")):
        for one in map(json.loads, open(path, encoding="utf-8")):
            if one["dev"] == (split == "dev"):
                made += rows_of(one, handbooks.passages_of(clones, one["repo"])[one["hash"]])
    r.shuffle(made)
    return made


def rows_of(one, passage):
    title, doc = passage["title"], f"handbooks:{one['repo']}/{passage['doc']}"
    for text, kind, unit, wrong in one["said"]:
        row = {"task": "support", "set": "written-statements", "lang": passage["lang"], "a": text, "b": f"{title}\n{passage['text']}", "doc": doc,
               "kind": kind, "label": int(kind == "supported")}
        if unit:
            row["unit"] = [at + len(title) + 1 for at in unit]
        yield {**row, "wrong": wrong} if wrong else row

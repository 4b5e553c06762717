"""Rows of written/*.jsonl: documents of made-up organisations, written for this, with questions and claims on each.

A document: {id, lang, title, sections: [{heading, text}], questions: [{q, section, answer, span}], unanswerable: [{q, section}],
claims: [{c, section, label, evidence}]}. `answer` is the unit that answers, `span` its words that do, `evidence` what a verdict rests
on. No other section answers a question of the same document. written/follow-ups/*.jsonl has what is asked after another question: {doc,
before, q, section, answer, span}; the judge reads both, the one before first.
"""
import glob
import json
import os

# Of a window, in characters.
LONGEST = {"en": 1500, "zh": 480}
HERE = os.path.dirname(os.path.abspath(__file__))


def lines(pattern):
    for path in sorted(glob.glob(f"{HERE}/written/{pattern}")):
        yield from map(json.loads, open(path, encoding="utf-8"))


def documents():
    """With the follow-ups on each among its questions."""
    asked = {}
    for one in lines("follow-ups/*.jsonl"):
        asked.setdefault(one["doc"], []).append({**one, "q": f"{one['before']} {one['q']}"})
    for document in lines("*.jsonl"):
        more = asked.get(document["id"], [])
        yield {**document, "questions": document["questions"] + [one for one in more if one.get("answer")],
               "unanswerable": document["unanswerable"] + [one for one in more if not one.get("answer")]}


PRECEDED = 0.08


def split_of(number):
    """Every tenth document is kept for development."""
    return "dev" if number % 10 == 9 else "train"


def rows(r, split="train"):
    """One row a question and claim, and one beside another section of the same document."""
    made = []
    for number, document in enumerate(documents()):
        if split_of(number) == split:
            made += rows_of(document, r)
    r.shuffle(made)
    return made


def rows_of(document, r):
    sections = document["sections"]
    lang, doc = document["lang"], f"written:{document['id']}"

    def window(first, last):
        """The sections from first to last, under the document's title; where each begins."""
        text = f"{document['title']} › {sections[first]['heading']}\n"
        starts = []
        for i in range(first, last + 1):
            if i > first:
                text += f"\n\n## {sections[i]['heading']}\n\n"
            starts.append(len(text))
            text += sections[i]["text"]
        return text, starts

    def beside(number):
        """The section alone or beside a neighbour, if both fit into a window."""
        first, last = r.choice([(number, number), (number - 1, number), (number, number + 1)])
        text, starts = window(max(0, first), min(len(sections) - 1, last))
        if len(text) > LONGEST[lang]:
            first, (text, starts) = number, window(number, number)
        return text, starts[number - max(0, first)]

    def other(number):
        another = r.choice([i for i in range(len(sections)) if i != number])
        return window(another, another)[0]

    def placed(words, number):
        text, start = beside(number)
        at = sections[number]["text"].find(words)
        return text, [start + at, start + at + len(words)] if at >= 0 else None

    for one in document["questions"]:
        if "before" not in one and r.random() < PRECEDED:
            # Another question may stand before one that needs none.
            one = {**one, "q": f"{r.choice(document['questions'])['q']} {one['q']}"}
        text, unit = placed(one["answer"], one["section"])
        row = {"task": "answerability", "set": "written", "lang": lang, "a": one["q"], "label": 1, "b": text, "doc": doc}
        if unit:
            inside = one["answer"].find(one["span"])
            at = [unit[0] + inside, unit[0] + inside + len(one["span"])] if inside >= 0 else unit
            row |= {"unit": unit, "at": at}
        yield row
        yield {"task": "answerability", "set": "written", "lang": lang, "a": one["q"], "label": 0, "b": other(one["section"]), "doc": doc}
    for one in document["unanswerable"]:
        yield {"task": "answerability", "set": "written", "lang": lang, "a": one["q"], "label": 0, "b": beside(one["section"])[0], "doc": doc}
    for one in document["claims"]:
        text, unit = placed(one["evidence"], one["section"])
        row = {"task": "support", "set": "written-claim", "lang": lang, "a": one["c"], "b": text, "label": int(one["label"] == "supported"),
               "kind": one["label"], "doc": doc}
        yield {**row, "unit": unit} if unit else row
        if r.random() < 0.3:
            yield {**row, "b": other(one["section"]), "label": 0, "kind": "neutral"}

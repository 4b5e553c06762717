"""Windows as emend reads them: a passage under its title, among other text, and its units.

A unit is a sentence, a list entry or a table row: what an answer quotes.
"""
import re

LINE = re.compile(r"[^\n]+")
SENTENCE_END = re.compile(r"(?<=[。！？!?；])(?=[^”」』）)])|(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Dr|St|vs|No)\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=[\"“(\[A-Z0-9*`])")
WHOLE = re.compile(r"\s*(?:\||#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)")
LONGEST = 60  # Of a window, in units.


def units_of(text):
    """Spans of the units of a text, in order. Headings, rules between table rows and lines without words are none."""
    units = []
    for line in LINE.finditer(text):
        if re.match(r"\s*#{1,6}\s", line[0]) or not re.search(r"\w", line[0]):
            continue
        cuts = [0, len(line[0])] if WHOLE.match(line[0]) else [0, *(cut.end() for cut in SENTENCE_END.finditer(line[0])), len(line[0])]
        for start, end in zip(cuts, cuts[1:]):
            words = line[0][start:end]
            if words.strip():
                left = len(words) - len(words.lstrip())
                units.append((line.start() + start + left, line.start() + start + len(words.rstrip())))
    return units[:LONGEST]


def moved(span, by):
    return [at + by for at in span]


def among(row, others, r):
    """The row with its passage among other text of the same size, as a passage of a document has more than one paragraph.
    `others` are passages in the same language that do not bear on the row."""
    limit = r.randint(700, 1500) if row["lang"] == "en" else r.randint(250, 520)
    before, after = [], []
    for other in others:
        room = limit - len(row["b"]) - sum(map(len, before + after))
        if room < 80:
            break
        if len(other) > room:
            ends = [unit[1] for unit in units_of(other) if unit[1] <= room]
            other = other[: ends[-1]] if ends else ""
        if other:
            (before if r.random() < 0.5 else after).append(other)
    if not before and not after:
        return row
    top = "".join(f"{text}\n\n" for text in before)
    wide = {**row, "b": top + row["b"] + "".join(f"\n\n{text}" for text in after)}
    for place in ("at", "unit"):
        if place in row:
            wide[place] = moved(row[place], len(top))
    return {**wide, "inner": [len(top), len(top) + len(row["b"])]}

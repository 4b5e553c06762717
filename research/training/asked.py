"""Rows made of a question and its answer: hard ones, since they keep the words of the person who asked.

`unanswered` changes a question so that its passage no longer answers it; `claimed` turns question and answer into a claim,
true or false. Both change only what stands in the passage, so that words alone do not tell.
"""
import re

NAME = re.compile(r"(?:(?<=\s)|(?<=[(“\"]))[A-Z][\w-]+(?: (?:of |the |de |von )?[A-Z][\w-]+)*")
NUMBER = re.compile(r"(?<![\w.,])\d+(?![\w,]|\.\d)")
# Capitals that are no names.
OPENERS = set("What When Where Which Who Whose Why How Did Does Do Is Are Was Were In The At By On Can This That These Those It He "
              "She They His Her Their Its An If As For From There While After".split())
OPPOSITES = [pair.split() for pair in (
    "first last,before after,largest smallest,highest lowest,most least,north south,east west,northern southern,eastern western,"
    "increase decrease,increased decreased,above below,early late,earliest latest,oldest youngest,male female,won lost,began ended,"
    "start end,buy sell,allow prohibit,allowed prohibited,strongest weakest,longest shortest,upper lower,positive negative,"
    "advantage disadvantage,supported opposed,accepted rejected,joined left,success failure,最大 最小,最高 最低,最早 最晚,最多 最少,之前 之后,"
    "以前 以后,第一 第二,首次 最后一次,北部 南部,东部 西部,增加 减少,上升 下降,优点 缺点,成功 失败,开始 结束,支持 反对,男性 女性,"
    "最長 最短,之後 之前,東部 西部,增加 減少,優點 缺點,開始 結束,支持 反對").split(",")]


def unanswered(row, names, r):
    """The row with another name, number or opposite in its question, as in SQuAD 2.0 (arXiv 1806.03822): one that the passage
    has as well, or an opposite that it lacks. None where nothing fits. `names` are answers to other questions on the same
    document, which stand for names where a script has no capitals."""
    asked, passage, answer = row["a"], row["b"], row.get("answer") or ""
    is_new = lambda x: x not in asked and x not in answer and answer not in x
    choices = []
    for pattern in (NAME, NUMBER):
        inside = {m.group() for m in pattern.finditer(passage)} - OPENERS
        for m in pattern.finditer(asked):
            before = asked[: m.start()].rsplit(maxsplit=1)[-1:]
            is_part = pattern is NAME and before and before[0][0].isupper() and before[0] not in OPENERS
            if m.group() not in passage or is_part:
                continue
            own = set(m.group().split())
            others = [x for x in inside if is_new(x) and not own & set(x.split()) and (pattern is NAME or len(x) == len(m.group()))]
            if others:
                choices.append((m.group(), r.choice(sorted(others))))
    if row["lang"] != "en":
        known = [x for x in names if 2 <= len(x) <= 8 and x in passage and not NUMBER.search(x)]
        for name in known:
            others = [x for x in known if is_new(x) and not set(x) & set(name) and abs(len(x) - len(name)) < 3]
            if name in asked and others:
                choices.append((name, r.choice(sorted(others))))
    has = lambda word, text: re.search(rf"\b{word}\b", text) if word.isascii() else word in text
    for one, two in OPPOSITES:
        for a, b in ((one, two), (two, one)):
            if has(a, asked) and has(a, passage) and not has(b, passage) and not has(b, asked):
                choices.append((a, b))
    if not choices:
        return None
    changed = {**row, "a": asked.replace(*r.choice(choices), 1), "label": 0}
    changed.pop("answer", None)
    return changed


# A question about its subject, whose place the answer can take.
SUBJECT = re.compile(r"(?:Who|What|Which \w+|What \w+) ((?:(?:is|was|are|were) (?:the|an?|one|responsible|in|used|known)|\w+ed|wrote|won|led|"
                     r"made|became|began|built|gave|took|held|said|has|had|can|will) .+?)\??\s*$")
# What a Chinese answer replaces in its question.
ASKED = re.compile("哪一?[位名人个所座家首部篇本条支国族部]|哪些|哪里|哪儿|哪年|哪一年|哪个|谁|誰|什么|什麼|何人|何時|何地|何處|多少|哪[裡裏兒]|哪一?[個間條國種]|幾年|几年|何年")


def claimed(row, names, r):
    """A claim made of a question and its answer. Seven of ten are to be false: they have another value of the passage, or a
    changed question. None where nothing fits, which leaves 45 % true ones."""
    answer = row.get("answer") or ""
    if not answer or len(answer) > 60 or row["label"] != 1:
        return None
    kind, value, asked = "supported", answer, row["a"]
    if r.random() < 0.7:
        if changed := r.random() < 0.35 and unanswered(row, names, r):
            asked, kind = changed["a"], "neutral"
        elif others := rivals(row, names):
            kind, value = "contradicted", r.choice(others)
        else:
            return None
    bare = asked.rstrip("?？ ")
    if row["lang"] == "en":
        subject = SUBJECT.match(asked)
        text, at = (f"{value} {subject[1]}.", 0) if subject else (f"{bare}? {value}.", len(bare) + 2)
    else:
        place = ASKED.search(asked)
        text, at = (f"{bare[: place.start()]}{value}{bare[place.end() :]}。", place.start()) if place else (f"{bare}？{value}。", len(bare) + 1)
    claim = {"task": "support", "set": "asked-claim", "lang": row["lang"], "a": text, "b": row["b"], "label": int(kind == "supported"),
             "kind": kind, "doc": row.get("doc", "")}
    return {**claim, "wrong": [at, at + len(value)]} if kind == "contradicted" else claim


def rivals(row, names):
    """Values of the passage of the same kind as the answer: numbers of as many digits, names, or in Chinese other answers."""
    asked, passage, answer = row["a"], row["b"], row["answer"]
    shape = next((p for p in (NUMBER, NAME) if p.fullmatch(answer) and (p is NUMBER or row["lang"] == "en")), None)
    has_digit = lambda x: bool(re.search(r"\d", x))
    if shape:
        some = {m.group() for m in shape.finditer(passage)} - OPENERS
    else:
        some = {x for x in names if x in passage and 2 <= len(x) <= 30 and abs(len(x) - len(answer)) < 4 and has_digit(x) == has_digit(answer)}
    is_other = lambda x: x not in asked and x not in answer and answer not in x and not set(answer.split()) & set(x.split())
    is_far = lambda x: shape or row["lang"] == "en" or has_digit(x) or len(set(x) & set(answer)) < 2
    return sorted(x for x in some if is_other(x) and is_far(x) and (shape is not NUMBER or len(x) == len(answer)))

"""Rows on passages of public handbooks and manuals: questions in other words than the passage has, questions that it only seems to
answer, and claims that keep or twist what it says.

handbooks/*.jsonl holds what was written for this and no text of the passages: {repo, doc, hash, dev, q: [[question, unit, span,
others]], near: [question], t: [[claim, unit]], f: [[claim, unit, kind]]}, where `unit` and `span` are [start, end] in the passage and
`others` are hashes of passages that a search finds with the question and that do not answer it. The passages are cut from clones of the
repositories, at these commits; some are sections of written/*.jsonl.
"""
import functools
import glob
import hashlib
import json
import os
import re
import subprocess

from written import documents

# The clone's folder: commit, licence, language, files.
REPOSITORIES = {
    "sourcegraph+handbook": ("5752928b213a3ddbc7cee4459524f404a5b96fb4", "Apache-2.0", "en", r"^content/.*\.md$"),
    "alphagov+govuk-developer-docs": ("972d1b4410ffd165f2f3e889eda30bcf7d1cc6b3", "MIT", "en", r"^source/.*\.md(\.erb)?$"),
    "github+opensource.guide": ("ebc9678e39b55ff5e5c8801d1960904692188e90", "CC BY 4.0", "en", r"^_articles/[\w-]+\.md$"),
    "rust-lang+rust-forge": ("4a6c16c29461b7a921103d54a3dbdc4b294fdeeb", "MIT", "en", r"\.md$"),
    "jitsi+handbook": ("39ea55309eff25a339b4c31fa5367f25842c0f5a", "Apache-2.0", "en", r"^docs/.*\.md$"),
    "thoughtbot+guides": ("640b2cbad7abf926febd713647dea8f1f2cce402", "CC BY 3.0", "en", r"\.md$"),
    "kubernetes+community": ("24e7d8f5409c1a0121394a613746e524f781e044", "Apache-2.0", "en",
                             r"^(?!elections|sig-.*archive|wg-.*archive|archive|events/20|.*/(minutes|notes)).*\.md$"),
    "ubuntu+ubuntu-project-docs": ("67ba22fcebbc2d8d219fbd21558c948ee5a1ab7a", "CC BY-SA 3.0", "en", r"^docs/.*\.md$"),
    "caktus+guidebook": ("0aba96fb368a8a110884615344a6f43e07af6426", "MIT", "en", r"^docs/.*\.md$"),
    "Selleo+guidebook": ("58d316ab2677320ed143e517c2967331f2469ff4", "MIT", "en", r"^docs/.*\.mdx?$"),
    "pingcap+docs-cn": ("ae9ab0fd89873986fabc4c8873d77d46ba76f066", "CC BY-SA 3.0", "zh", r"^(?!releases|TOC|api/|tidb-cloud)[\w/-]+\.md$"),
    "hexojs+site": ("59ec5bd280851a691489538b05e31c7fcab365e2", "CC BY 4.0", "zh", r"^source/zh-cn/.*\.md$"),
    "github+opensource.guide/zh": ("ebc9678e39b55ff5e5c8801d1960904692188e90", "CC BY 4.0", "zh", r"^_articles/zh-hans/.*\.md$"),
    "PKUFlyingPig+cs-self-learning": ("adce8e13789dc16aa6d1fbe163e9541736defae4", "MIT", "zh", r"^docs/(?!.*\.en\.md).*\.md$"),
    "Ac-Wiki+AcWiKi": ("63e16ddbbab18b7347dbccbf167098e1a0b2baef", "Apache-2.0", "zh", r"^docs/.*\.md$"),
    "HITSZ-OpenAuto+hoa.moe": ("4c3f262754a5e2b309250712636b333d50d05140", "MIT", "zh", r"^content/(?!news).*\.md$"),
}
# Of a passage, in characters.
SHORTEST, LONGEST = {"en": 280, "zh": 110}, {"en": 1300, "zh": 480}
HERE = os.path.dirname(os.path.abspath(__file__))


def hash_of(doc, text):
    return hashlib.sha256(f"{doc}\n{text}".encode()).hexdigest()[:16]


@functools.cache
def passages_of(clones, name):
    """{hash: passage} of a repository, a passage being {doc, title, text}."""
    commit, _, lang, files = REPOSITORIES[name]
    git = ["git", "-C", f"{clones}/{name.split('/')[0]}/repo"]
    listed = subprocess.run([*git, "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True)
    found = {}
    for doc in (name for name in listed.stdout.split("\n") if re.search(files, name)):
        source = subprocess.run([*git, "show", f"{commit}:{doc}"], capture_output=True, text=True, errors="replace", check=True).stdout
        for title, text in cut(source, lang):
            found[hash_of(doc, text)] = {"doc": doc, "title": title or doc, "text": text, "lang": lang}
    return found


@functools.cache
def sections():
    """{hash: passage} of the written documents."""
    return {hash_of(one["id"], section["text"]): {"doc": one["id"], "title": f"{one['title']} › {section['heading']}", "text": section["text"],
                                                  "lang": one["lang"]} for one in documents() for section in one["sections"]}


def plain(source):
    """Without front matter, comments, templates, tags, pictures, addresses and bold."""
    for pattern, by in ((r"\A---\n(.*?)\n---\n", ""), (r"<!--.*?-->", ""), (r"\{\{.*?\}\}|\{%.*?%\}|\{#[\w-]+\}", ""), (r"<[^>\n]{1,300}>", ""),
                        (r"!\[[^\]]*\]\([^)]*\)", ""), (r"\[([^\]]*)\]\([^)]*\)", r"\1"), (r"\*\*|__", "")):
        source = re.sub(pattern, by, source, flags=re.S if pattern[:2] in (r"\A", "<!") else 0)
    return source


def cut(source, lang):
    """The sections of a file with the headings above them, long ones in parts, without those that are mostly code or no prose."""
    front = re.match(r"---\n(.*?)\n---", source, re.S)
    titled = front and re.search(r"^title:\s*(.+)$", front[1], re.M)
    title = [titled[1].strip(" \"'")] if titled and titled[1].strip(" \"'") else []
    first, *rest = re.split(r"^(#{1,4})\s+(.+?)\s*#*$", plain(source), flags=re.M)
    sections, path = [(title, first)], []
    for level, heading, body in zip(rest[::3], rest[1::3], rest[2::3]):
        path = [(deep, name) for deep, name in path if deep < len(level)] + [(len(level), heading.strip())]
        heads = title + [name for _, name in path]
        sections.append(([name for i, name in enumerate(heads) if i == 0 or heads[i - 1] != name], body))
    for heads, body in sections:
        for text in parts_of(body.strip(), lang):
            letters = len(re.findall(r"[A-Za-z\u4e00-\u9fff]", text))
            if letters >= len(text) * 0.45 and (lang == "en" or len(re.findall("[\u4e00-\u9fff]", text)) >= 70):
                yield " › ".join(heads), text


def parts_of(text, lang):
    if text.count("```") >= 2 and sum(map(len, re.findall(r"```.*?```", text, re.S))) > len(text) * 0.3:
        return
    part = ""
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text)):
        if len(part) + len(paragraph) > LONGEST[lang] and len(part) >= SHORTEST[lang]:
            yield part
            part = ""
        part = f"{part}\n\n{paragraph}".strip() if part else paragraph.strip()
    if SHORTEST[lang] <= len(part) <= LONGEST[lang] * 1.25:
        yield part


def written():
    for path in sorted(glob.glob(f"{HERE}/handbooks/*.jsonl")):
        yield from map(json.loads, open(path, encoding="utf-8"))


def rows(clones, r, split="train"):
    """A row a question and claim, one a question beside a passage that was found with it and does not answer, and some claims beside another one."""
    passages = {name: passages_of(clones, name) for name in REPOSITORIES} | {"written": sections()}
    made = []
    for one in written():
        if one["dev"] == (split == "dev"):
            made += rows_of(one, passages[one["repo"]], r)
    r.shuffle(made)
    return made


def rows_of(one, passages, r):
    passage = passages[one["hash"]]
    lang, doc = passage["lang"], f"handbooks:{one['repo']}/{one['doc']}"
    moved = lambda place: [at + len(passage["title"]) + 1 for at in place]

    def row(task, a, label, p=passage):
        name = "written-handbooks" if task == "answerability" else "written-handbooks-claim"
        return {"task": task, "set": name, "lang": lang, "a": a, "label": label, "b": f"{p['title']}\n{p['text']}", "doc": doc}

    for question, unit, span, others in one["q"]:
        yield {**row("answerability", question, 1), "unit": moved(unit), "at": moved(span)}
        if others:
            yield row("answerability", question, 0, passages[r.choice(others)])
    for question in one["near"]:
        yield row("answerability", question, 0)
    others = [other for *_, others in one["q"] for other in others]
    for claim, unit in one["t"]:
        yield {**row("support", claim, 1), "kind": "supported", "unit": moved(unit)}
        if others and r.random() < 0.3:
            yield {**row("support", claim, 0, passages[r.choice(others)]), "kind": "neutral"}
    for claim, unit, kind in one["f"]:
        yield {**row("support", claim, 0), "kind": kind, "unit": moved(unit)}

"""Trains the embedder: questions beside the passages that answer them.

    python embed.py --base BASE --data DATA --handbooks CLONES --out embed --minutes 60 [--start embed.npz] [--threads 1]

Contrastive (InfoNCE, arXiv 1807.03748): of all passages of a batch, a question's own has to be the nearest, and the other way
round. A batch is of one source, a handbook or a public set, so that the passages in it are about the same things: they are the hard
negatives. Passages that a search found with the question and that do not answer it are added. A passage is embedded once for all of
its questions. Writes OUT.npz every 5 minutes: the running mean of the weights, in 16 bits.
"""
import argparse
import json
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import handbooks
import written
from data import read
from model import TABLES, Encoder

MEMORY = 0.99  # Of the running mean, a step.
TEMPERATURE = 0.03
PUBLIC = 0.3  # The share of batches from public sets.
UNTITLED = 0.15  # Of the passages, the share that is embedded without its title.


def sources_of(base, data, clones):
    """{source: [(passage, [questions], [hashes of passages found with them])]}, and the passages by hash."""
    known, sources = {}, {}
    for one in handbooks.written():
        if one["dev"]:
            continue
        passages = handbooks.sections() if one["repo"] == "written" else handbooks.passages_of(clones, one["repo"])
        known |= passages if one["repo"] not in sources else {}
        passage = passages[one["hash"]]
        others = [other for *_, others in one["q"] for other in others]
        sources.setdefault(one["repo"], []).append((text_of(passage), [q for q, *_ in one["q"]], others))
    for number, document in enumerate(written.documents()):
        if written.split_of(number) == "dev":
            continue
        for at, section in enumerate(document["sections"]):
            asked = [q["q"] for q in document["questions"] if q["section"] == at]
            if asked:
                text = f"{document['title']}\n{section['heading']}\n{section['text']}"
                sources.setdefault(f"written {document['lang']}", []).append((text, asked, []))
    release = set(json.load(open(f"{data}/release.json")))
    public = {}
    for row in read(data):
        if row["split"] == "train" and row["set"] in release and row["label"] and row["task"] != "support":
            public.setdefault(f"{row['set']} {row['lang']}", {}).setdefault(row["b"], []).append(row["a"])
    for name, some in public.items():
        sources[name] = [(text, asked, []) for text, asked in some.items()]
    return sources, {key: text_of(passage) for key, passage in known.items()}


def text_of(passage):
    return f"{passage['title']}\n{passage['text']}"


def batches(sources, known, size, r):
    """(questions, passages, own): own[i] is the number of the passage that answers question i."""
    public = {name: some for name, some in sources.items() if name.split(" ")[0] not in handbooks.REPOSITORIES and not name.startswith("written")}
    own = {name: some for name, some in sources.items() if name not in public}
    orders = {}
    while True:
        pool = public if r.random() < PUBLIC else own
        name = r.choices(list(pool), [math.sqrt(len(some)) if pool is public else len(some) for some in pool.values()])[0]
        order = orders.get(name, [])
        if len(order) < min(size, len(pool[name])):
            order = r.sample(pool[name], len(pool[name]))
        chosen, orders[name] = order[:size], order[size:]
        questions, passages, answers = [], [], []
        for number, (text, asked, _) in enumerate(chosen):
            _, _, rest = text.partition("\n")
            passages.append(rest if rest and r.random() < UNTITLED else text)
            for question in r.sample(asked, min(2, len(asked))):
                questions.append(question)
                answers.append(number)
        others = list({other for _, _, some in chosen for other in some if other in known})
        shown = {text for text, *_ in chosen}
        passages += [known[other] for other in r.sample(others, min(len(others), size // 3)) if known[other] not in shown]
        yield questions, passages, answers


def vectors(model, tokenizer, texts, longest):
    """Of length 1. Texts of like length are embedded together, since padding costs as much as words."""
    ids = [encoded.ids[:longest] for encoded in tokenizer.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    parts, group = [], max(8, math.ceil(len(order) / 4))
    for at in range(0, len(order), group):
        some = [ids[i] for i in order[at : at + group]]
        wide = max(map(len, some))
        batch = torch.tensor([one + [1] * (wide - len(one)) for one in some])
        mask = torch.tensor([[1] * len(one) + [0] * (wide - len(one)) for one in some])
        parts.append(F.normalize(model.mean(model.hidden(model.embedded(batch), mask).float(), mask), dim=-1))
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(parts)[back]


def loss_of(asked, found, answers):
    """Both ways. Questions of the same passage are not each other's rivals."""
    own = torch.tensor(answers)
    scores = asked @ found.T / TEMPERATURE
    there = F.cross_entropy(scores, own)
    rivals = scores.T[: max(answers) + 1]
    same = own[None, :] == torch.arange(len(rivals))[:, None]
    back = -(rivals.masked_fill(~same, -1e4).logsumexp(1) - rivals.logsumexp(1)).mean()
    return there + 0.3 * back


def main():
    options = argparse.ArgumentParser()
    for name, default in dict(base="", data="", handbooks="", out="embed", start="", minutes=60.0, size=40, longest=192, rate=3e-5, freeze=2,
                              seed=1, threads=0, fall=0.6).items():
        options.add_argument("--" + name, default=default, type=type(default))
    o = options.parse_args()
    if o.threads:
        torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    r = random.Random(o.seed)
    tokenizer = Tokenizer.from_file(f"{o.base}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(o.longest)
    sources, known = sources_of(o.base, o.data, o.handbooks)
    print({name: len(some) for name, some in sources.items()}, flush=True)
    model = Encoder(o.base)
    if o.start:
        model.load_state_dict({k: torch.from_numpy(v).float() for k, v in np.load(o.start).items()}, strict=False)
    for layer in model.layers[: o.freeze]:
        layer.requires_grad_(False)
    model.norm.requires_grad_(o.freeze == 0)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=o.rate, weight_decay=0.01)
    trained = {k: v for k, v in model.state_dict().items() if not k.startswith(TABLES)}
    mean = {k: v.clone() for k, v in trained.items()}

    def save():
        np.savez(f"{o.out}.new.npz", **{k: v.half().numpy() for k, v in mean.items()})
        os.replace(f"{o.out}.new.npz", f"{o.out}.npz")

    began = saved = time.time()
    shown, seen = None, 0
    for step, (questions, passages, answers) in enumerate(batches(sources, known, o.size, r)):
        done = (time.time() - began) / (60 * o.minutes)
        if done >= 1 or os.path.exists(f"{o.out}.stop"):
            break
        for group in optimizer.param_groups:
            group["lr"] = o.rate * min(1.0, (step + 1) / 30) * min(1.0, max(0.0, (1 - done) / o.fall))
        with torch.autocast("cpu", torch.bfloat16):
            asked = vectors(model, tokenizer, [f"query: {question}" for question in questions], o.longest)
            found = vectors(model, tokenizer, [f"passage: {passage}" for passage in passages], o.longest)
        loss = loss_of(asked.float(), found.float(), answers)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        memory = min(MEMORY, (step + 1) / (step + 10))
        torch._foreach_lerp_(list(mean.values()), list(trained.values()), 1 - memory)
        seen += len(questions)
        shown = loss.item() if shown is None else 0.95 * shown + 0.05 * loss.item()
        if step % 10 == 0:
            print(f"step {step}, {time.time() - began:.0f} s, {seen} questions, loss {shown:.4f}", flush=True)
        if time.time() - saved > 300:
            save()
            saved = time.time()
    save()


if __name__ == "__main__":
    main()

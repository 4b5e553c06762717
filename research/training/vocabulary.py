"""Cuts the tokenizer's vocabulary to what English and both Chinese scripts need.

multilingual-e5 cuts text by a unigram model: the likeliest way to cut it into pieces. A piece that no likeliest way uses
can go without changing any. So kept are the pieces that a large text uses, every piece of Han characters or of a single
character, and the commonest of the rest. What is cut otherwise afterwards is measured by `changed`.
"""
import collections
import json
import unicodedata

from tokenizers import Tokenizer

SPECIAL = 4  # <s> <pad> </s> <unk> come first; <mask> is not needed.


def is_chinese(piece):
    """Han characters, alone or among marks and digits."""
    text = piece.replace("▁", "")
    return any("㐀" <= c <= "鿿" for c in text) and not any(unicodedata.name(c, "").startswith(("HIRAGANA", "KATAKANA", "HANGUL")) for c in text)


def cut(path, texts, size):
    """The tokenizer at `path` as JSON with `size` pieces, and the old number of each new one."""
    whole = json.load(open(path))
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    used = collections.Counter()
    for at in range(0, len(texts), 1000):
        for encoded in tokenizer.encode_batch(texts[at : at + 1000], add_special_tokens=False):
            used.update(encoded.ids)
    vocabulary = whole["model"]["vocab"]
    must = set(range(SPECIAL))
    for i, (piece, _) in enumerate(vocabulary):
        if is_chinese(piece) or (len(piece) == 1 and ord(piece) < 0x2FFF) or len(piece) == 1 and not piece.isalpha():
            must.add(i)
    # The likeliest pieces of plain Latin letters fill up what is left: a text not seen here may use them.
    rest = sorted((i for i, (piece, _) in enumerate(vocabulary) if i not in must),
                  key=lambda i: (-used[i], not vocabulary[i][0].isascii(), -vocabulary[i][1]))
    kept = sorted([*must, *rest[: size - len(must)]])
    model = {**whole["model"], "vocab": [vocabulary[i] for i in kept], "unk_id": 3}
    special = {token: kept.index(i) for token, i in (("<s>", 0), ("<pad>", 1), ("</s>", 2), ("<unk>", 3))}
    added = [{**token, "id": special[token["content"]]} for token in whole["added_tokens"] if token["content"] in special]
    return {**whole, "model": model, "added_tokens": added, "truncation": None, "padding": None}, kept


def changed(before, after, kept, texts):
    """The share of texts that are cut otherwise than before."""
    old, new = Tokenizer.from_str(json.dumps(before)), Tokenizer.from_str(json.dumps(after))
    same = sum([kept[i] for i in b.ids] == a.ids for a, b in
               zip(old.encode_batch(texts, add_special_tokens=False), new.encode_batch(texts, add_special_tokens=False)))
    return 1 - same / len(texts)

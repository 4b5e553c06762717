"""The judge: a small BERT with heads for a pair of texts.

A pair is `<s> question or claim </s></s> passage </s>`. Heads on [first token; mean of all tokens] of the last layer:
relevance, answerability (yes or no each) and support (supported, contradicted, neutral). Heads on every token: start and
end of the answer in the passage, where the first token stands for "none here"; `wrong`, the words of a claim that
the passage does not carry; and `units`, whose mean over the tokens of a sentence, list entry or table row says in log odds
that it answers the question (0) or states the claim (1), as Provence (arXiv 2501.16214) labels the tokens of a passage.
"""
import re

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

TASKS = ["relevance", "answerability", "support"]
KINDS = {"supported": 0, "contradicted": 1, "neutral": 2}
HIDDEN, LAYERS, HEADS, WIDE = 384, 12, 12, 1536
TABLES = ("words", "positions", "types")  # The base's embeddings, never trained.
PARTS = (("query", "attention.self.query"), ("key", "attention.self.key"), ("value", "attention.self.value"),
         ("out", "attention.output.dense"), ("wide", "intermediate.dense"), ("narrow", "output.dense"),
         ("norm1", "attention.output.LayerNorm"), ("norm2", "output.LayerNorm"))


class Layer(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.wide, self.narrow = nn.Linear(HIDDEN, WIDE), nn.Linear(WIDE, HIDDEN)
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN, 1e-12), nn.LayerNorm(HIDDEN, 1e-12)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        split = lambda t: t.view(batch, length, HEADS, -1).transpose(1, 2)
        query, key, value = (split(part(x)) for part in (self.query, self.key, self.value))
        if x.is_cuda:
            seen = F.scaled_dot_product_attention(query, key, value, mask.to(query.dtype))
        else:
            # Written out: on a CPU the fused kernel's way back takes half of a training step, this a tenth.
            with torch.autocast(x.device.type, enabled=False):
                weights = (query * (HEADS / HIDDEN) ** 0.5) @ key.transpose(-1, -2) + mask.to(query.dtype)
                seen = weights.softmax(-1) @ value
        x = self.norm1(x + self.dropout(self.out(seen.transpose(1, 2).reshape(x.shape))))
        return self.norm2(x + self.dropout(self.narrow(F.gelu(self.wide(x)))))


class Encoder(nn.Module):
    """The base alone: embeddings and layers, filled from its weights (a folder with weights.npz). Of fewer layers than the
    base has, every other one is taken, the last always."""

    def __init__(self, base, layers=LAYERS, dropout=0.0):
        super().__init__()
        weights = {name: torch.from_numpy(array) for name, array in np.load(f"{base}/weights.npz").items()}
        table = lambda name: nn.Embedding.from_pretrained(weights[f"embeddings.{name}_embeddings.weight"], freeze=True)
        self.words, self.positions, self.types = table("word"), table("position"), table("token_type")
        self.norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        fill = lambda module, name: module.load_state_dict({k: weights[f"{name}.{k}"] for k in ("weight", "bias")})
        fill(self.norm, "embeddings.LayerNorm")
        for i, layer in enumerate(self.layers):
            for part, name in PARTS:
                fill(getattr(layer, part), f"encoder.layer.{taken(layers)[i]}.{name}")

    def embedded(self, ids):
        return self.words(ids) + self.positions.weight[: ids.shape[1]] + self.types.weight[0]

    def states(self, embedded, mask):
        """What each layer puts out."""
        x = self.norm(embedded)
        hidden = (1 - mask[:, None, None, :].to(x.dtype)) * -1e4
        states = []
        for layer in self.layers:
            x = layer(x, hidden)
            states.append(x)
        return states

    def hidden(self, embedded, mask):
        return self.states(embedded, mask)[-1]

    @staticmethod
    def mean(x, mask):
        weight = mask[..., None].to(x.dtype)
        return (x * weight).sum(1) / weight.sum(1)


def taken(layers):
    """The layers of the base that a network of so many layers begins with."""
    return [round((i + 1) * LAYERS / layers) - 1 for i in range(layers)]


class Judge(Encoder):
    def __init__(self, base, start="", layers=LAYERS, dropout=0.0):
        super().__init__(base, layers, dropout)
        self.middle = nn.Sequential(nn.Linear(2 * HIDDEN, HIDDEN), nn.Tanh())
        self.labels, self.span = nn.Linear(HIDDEN, 5), nn.Linear(HIDDEN, 2)
        self.wrong, self.units = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, 2)
        if start:
            self.load(start)

    def load(self, path):
        """A packed checkpoint (see `pack`), of as many layers or of all. Heads that it lacks stay as they are."""
        packed = {name: torch.from_numpy(array).float() for name, array in np.load(path).items()}
        if len(self.layers) < layers_in(packed):
            number = {f"layers.{old}.": f"layers.{new}." for new, old in enumerate(taken(len(self.layers)))}
            prefix = lambda name: re.match(r"(?:layers\.\d+\.)?", name)[0]
            packed = {number.get(prefix(name), "") + name[len(prefix(name)):]: array for name, array in packed.items()
                      if not prefix(name) or prefix(name) in number}
        missing, unknown = self.load_state_dict(packed, strict=False)
        assert not unknown and all(name.startswith((*TABLES, "wrong", "units")) for name in missing), (missing, unknown)

    def pack(self, path, state=None):
        """All but the base's tables, in 16 bits."""
        state = state or self.state_dict()
        np.savez(path, **{k: v.half().numpy() for k, v in state.items() if not k.startswith(TABLES)})

    def forward(self, ids, mask):
        return self.judged(self.embedded(ids), mask)

    def judged(self, embedded, mask):
        """labels [batch, 5], span [batch, tokens, 2], wrong [batch, tokens], units [batch, tokens, 2], all before sigmoid or softmax."""
        return self.heads(self.hidden(embedded, mask), mask)

    def heads(self, x, mask):
        both = torch.cat([x[:, 0], self.mean(x, mask)], -1)
        return self.labels(self.middle(both)), self.span(x), self.wrong(x)[..., 0], self.units(x)


def layers_in(packed):
    return 1 + max(int(name.split(".")[1]) for name in packed if name.startswith("layers."))

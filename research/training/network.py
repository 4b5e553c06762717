"""The ONNX graphs of the encoder, written out: torch's export of it takes three times as long to load and a fifth longer to run.

Every large matrix is in 8 bits, a scale a column, and what it is multiplied with as well, a scale a token. With one scale for
all tokens, a probability was off by .05 in the mean and depended on what else was in the batch.

What cancels out is left out: a key's bias adds the same to every score of a query, and since the weights of a query sum to
one, the values' bias is added to that of `out`. GELU is its tanh form, which differs by less than 8 bits do.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model import HEADS, HIDDEN, WIDE

SIZE = HIDDEN // HEADS
EPSILON = 1e-12
# GELU is never below minus this, so the least number of a token need not be looked for.
LOWEST_GELU = 0.17
# Of 127. Processors without VNNI add two products in 16 bits, which overflow: with 84, in 22 of 254,803,968 such sums; with 127,
# in 16,781. 64 would exclude it, with twice the error.
MOST_WEIGHT = 84


def in_8_bits(matrix, most=MOST_WEIGHT):
    """[in, out] in 8 bits, and the scale of every column."""
    scale = (np.maximum(np.abs(matrix).max(0), 1e-8) / most).astype(np.float32)
    return np.round(matrix / scale).astype(np.int8), scale


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, values):
        self.constants[name] = np.array(values, order="C")
        return name

    def add(self, op, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return output

    def microsoft(self, op, inputs, output, **attributes):
        return self.add(op, inputs, output, domain="com.microsoft", **attributes)

    def save(self, path, outputs):
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        inputs = [value("words", TensorProto.FLOAT, ["batch", "tokens", HIDDEN]), value("mask", TensorProto.INT64, ["batch", "tokens"])]
        graph = helper.make_graph(self.nodes, "encoder", inputs, [value(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
                                  [numpy_helper.from_array(values, name) for name, values in self.constants.items()])
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        # Older runtimes refuse a newer version.
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def layers(graph, weights):
    """The hidden states of the last layer, [batch, tokens, 384]. Between, every token is a row.

    `weights` has arrays by the names of `model.Encoder`, and (numbers, scale) for a large matrix, as `in_8_bits` returns it."""
    constant, add, microsoft = graph.constant, graph.add, graph.microsoft
    constant("one", np.float32(1)), constant("zero", np.uint8(128)), constant("signed", np.int8(0)), constant("flat", np.int64([-1]))
    constant("least", np.float32(1e-6)), constant("lowest", np.float32(LOWEST_GELU)), constant("step", np.float32(1 / 127))
    constant("first", np.int64([0])), constant("second", np.int64([1])), constant("middle", np.int64([1, 3]))
    constant("row", np.int64([-1, HIDDEN]))

    add("Shape", ["words"], "shape")
    add("Slice", ["shape", "first", constant("two", np.int64([2]))], "size")
    add("Slice", ["shape", "second", "two"], "length")
    add("Concat", ["size", constant("parts", np.int64([3, HEADS, SIZE]))], "apart", axis=0)
    add("ConstantOfShape", [add("ReduceProd", ["size"], "rows", keepdims=1)], "zeros", value=numpy_helper.from_array(np.uint8([128])))

    # A hidden token gets -10,000 in every score: as another number of its key, beside a one in every query.
    add("Cast", ["mask"], "seen", to=TensorProto.FLOAT)
    add("Mul", [add("Sub", ["seen", "one"], "unseen"), constant("far", np.float32(1e4))], "penalty")
    add("Gather", [add("Concat", ["size", constant("each", np.int64([HEADS, 1]))], "column", axis=0), constant("order", np.int64([0, 2, 1, 3]))], "columns")
    add("Expand", [add("Unsqueeze", ["penalty", "middle"], "penalties"), "columns"], "of keys")
    add("ConstantOfShape", ["columns"], "of queries", value=numpy_helper.from_array(np.float32([1])))

    def quantised(x, low=None):
        """The rows of x in 8 bits, and the scale of each."""
        high = add("ReduceMax", [x], f"{x}.high", axes=[1], keepdims=1)
        lows = [low] if low else [add("Neg", [add("ReduceMin", [x], f"{x}.min", axes=[1], keepdims=1)], f"{x}.low"), "least"]
        scale = add("Mul", [add("Max", [high, *lows], f"{x}.most"), "step"], f"{x}.scale")
        return add("QuantizeLinear", [x, add("Reshape", [scale, "flat"], f"{x}.scales"), "zeros"], f"{x}.numbers", axis=0), scale

    def product(x, scale, matrix, name):
        numbers, scales = matrix
        inputs = [x, constant(f"{name}.weight", numbers), "one", constant(f"{name}.scale", scales.astype(np.float32)), "zero", "signed"]
        return add("Mul", [microsoft("MatMulIntegerToFloat", inputs, f"{name}.product"), scale], name)

    places = constant("places", weights["positions.weight"] + weights["types.weight"][0])
    add("Add", ["words", add("Slice", [places, "first", "length"], "placed")], "embedded")
    norm = [constant(f"norm.{part}", weights[f"norm.{part}"]) for part in ("weight", "bias")]
    x = add("LayerNormalization", [add("Reshape", ["embedded", "row"], "entered"), *norm], "x", axis=-1, epsilon=EPSILON)
    for layer in range(1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))):
        of = lambda name: weights[f"layers.{layer}.{name}"]
        at = lambda name: f"layers.{layer}.{name}"
        (query, query_scale), (key, key_scale), (values, value_scale) = of("query.weight"), of("key.weight"), of("value.weight")
        (out, out_scale), root = of("out.weight"), np.float32(SIZE ** -0.5)
        all_three = np.concatenate([query, key, values], 1), np.concatenate([query_scale * root, key_scale, value_scale])
        out_bias = of("out.bias") + of("value.bias") @ (out.astype(np.float32) * out_scale)

        three = add("Reshape", [product(*quantised(x), all_three, at("three")), "apart"], at("apart"))
        split = [at("query of one"), at("key of one"), at("value of one")]
        add("Split", [add("Transpose", [three], at("heads"), perm=[2, 0, 3, 1, 4])], split, axis=0)
        q, k, v = (add("Squeeze", [part, "first"], part.removesuffix(" of one")) for part in split)
        q = add("Add", [q, constant(at("query.bias"), (of("query.bias") * root).reshape(HEADS, 1, SIZE))], at("query biased"))
        q, k = (add("Concat", [part, more], f"{part} masked", axis=3) for part, more in ((q, "of queries"), (k, "of keys")))
        scores = add("MatMul", [q, add("Transpose", [k], at("keys"), perm=[0, 1, 3, 2])], at("scores"))
        seen = add("MatMul", [add("Softmax", [scores], at("weights"), axis=-1), v], at("seen"))
        seen = add("Reshape", [add("Transpose", [seen], at("seen by token"), perm=[0, 2, 1, 3]), "row"], at("attention"))

        def normed(y, skip, bias, name):
            """Adds the residual and the bias, and normalises, in one operation."""
            parts = [constant(at(f"{name}.{part}"), of(f"{name}.{part}")) for part in ("weight", "bias")]
            return microsoft("SkipLayerNormalization", [y, skip, *parts, constant(at(f"{name}.before"), bias)], at(name), epsilon=EPSILON)

        middle = normed(product(*quantised(seen), of("out.weight"), at("out")), x, out_bias.astype(np.float32), "norm1")
        wide = product(*quantised(middle), of("wide.weight"), at("wide"))
        wide = microsoft("FastGelu", [wide, constant(at("wide.bias"), of("wide.bias"))], at("gelu"))
        x = normed(product(*quantised(wide, "lowest"), of("narrow.weight"), at("narrow")), middle, of("narrow.bias"), "norm2")
    return add("Reshape", [x, "shape"], "hidden")


def mean(graph):
    """The mean of the tokens that the mask shows, [batch, 384]."""
    seen = graph.add("Unsqueeze", ["seen", graph.constant("last", np.int64([2]))], "seen tokens")
    total = graph.add("ReduceSum", [graph.add("Mul", ["hidden", seen], "shown"), "second"], "total", keepdims=0)
    return graph.add("Div", [total, graph.add("ReduceSum", [seen, "second"], "count", keepdims=0)], "mean")


def embedder(weights, path):
    """Writes what turns texts into vectors: `embedding` [batch, 384], of length 1."""
    graph = Graph()
    layers(graph, weights)
    length = graph.add("ReduceL2", [mean(graph)], "norm", axes=[-1], keepdims=1)
    graph.add("Div", ["mean", graph.add("Max", [length, graph.constant("small", np.float32(EPSILON))], "norms")], "embedding")
    graph.save(path, {"embedding": ["batch", HIDDEN]})


def judge(weights, path):
    """Writes what judges pairs: the outputs of `model.Judge`."""
    graph = Graph()
    add, constant = graph.add, graph.constant
    layers(graph, weights)
    begin = add("Gather", ["hidden", constant("begin", np.int64(0))], "begins", axis=1)
    both = add("Concat", [begin, mean(graph)], "both", axis=-1)
    numbers, scale = weights["middle.0.weight"]
    # It sees one row a pair, so only its size matters.
    wide = add("DequantizeLinear", [constant("middle.numbers", numbers), constant("middle.scale", scale)], "middle.weight", axis=0)
    middle = add("Tanh", [add("Gemm", [both, wide, constant("middle.bias", weights["middle.0.bias"])], "middle.sum", transB=1)], "middle.tanh")
    add("Gemm", [middle, *(constant(f"labels.{part}", weights[f"labels.{part}"]) for part in ("weight", "bias"))], "labels", transB=1)
    names = ("span", "wrong", "units")
    heads = [np.concatenate([weights[f"{name}.{part}"] for name in names]) for part in ("weight", "bias")]
    tokens = add("MatMul", ["hidden", constant("tokens.weight", heads[0].T)], "tokens.product")
    tokens = add("Add", [tokens, constant("tokens.bias", heads[1])], "of tokens")
    add("Split", [tokens, constant("widths", np.int64([2, 1, 2]))], ["span", "wrong of one", "units"], axis=2)
    add("Squeeze", ["wrong of one", "last"], "wrong")
    graph.save(path, {"labels": ["batch", 5], "span": ["batch", "tokens", 2], "wrong": ["batch", "tokens"], "units": ["batch", "tokens", 2]})

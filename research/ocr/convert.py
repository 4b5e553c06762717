"""Makes model/ocr: `python convert.py MODELS OUT`, with MODELS the folder `rapidocr/models` of the wheel rapidocr 3.10.0.

Needs onnx and numpy. Weights are stored in 16 bits, and the file format is one that ONNX Runtime 1.16.3 opens.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODELS, OUT = sys.argv[1:]


def halved(model):
    """Stores large tensors in 16 bits, with a node that casts each back to 32."""
    tensors, casts = [], []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type == TensorProto.FLOAT and values.size > 64:
            assert np.abs(values).max() < 60_000
            tensors.append(numpy_helper.from_array(values.astype(np.float16), tensor.name + "_half"))
            casts.append(helper.make_node("Cast", [tensor.name + "_half"], [tensor.name], to=TensorProto.FLOAT))
        else:
            tensors.append(tensor)
    nodes = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(tensors)
    model.graph.node.extend(casts + nodes)
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


for source, name in [("PP-OCRv6_det_small", "find"), ("PP-OCRv6_rec_small", "read")]:
    model = onnx.load(f"{MODELS}/{source}.onnx")
    for entry in model.metadata_props:
        if entry.key == "character":
            with open(f"{OUT}/characters.txt", "w", encoding="utf-8") as file:
                file.write(entry.value)
    onnx.save(halved(model), f"{OUT}/{name}.onnx")

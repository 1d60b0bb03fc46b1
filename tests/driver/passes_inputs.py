"""Random inputs for a model, as a folder that `--io` reads."""
import json

import numpy as np
import onnx

NAMES = {"FLOAT": ("float32", np.float32), "BOOL": ("bool", np.bool_), "INT32": ("int32", np.int32)}


def write_inputs(model, folder):
    for info in model.graph.input:
        kind, dtype = NAMES[onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type)]
        shape = [d.dim_value or 2 for d in info.type.tensor_type.shape.dim]
        values = np.random.default_rng(3).uniform(-1, 1, shape) * (100 if dtype == np.int32 else 1)
        (folder / f"in_{info.name}.{kind}.bin").write_bytes(((values > 0) if dtype == np.bool_ else values.astype(dtype)).tobytes())
        (folder / f"in_{info.name}.json").write_text(json.dumps({"name": info.name, "type": kind, "dims": shape}))

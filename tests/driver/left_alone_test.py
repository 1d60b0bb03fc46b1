"""Around nodes that are left alone: an Identity that only names what they give is none, declarations of outputs stand once, sizes that
the model does not name get no name, and a second run writes the same bytes. A Transpose that does not say its order reverses the axes."""
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch
from onnx_judge import judge

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
node = helper.make_node
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
VALUES = [0.5, -1.25, 2.0, -3.5, 4.25, 0.0]


def value(name, shape=(2, 3), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=(), opset=16, **domains):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *(helper.make_opsetid(d.replace("_", "."), v) for d, v in domains.items())])
    made.ir_version = 8
    return made


def untyped():
    """An optional has no type here; its element is renamed into an output."""
    return model([node("Optional", ["x"], ["o"]), node("OptionalGetElement", ["o"], ["v"]), node("Identity", ["v"], ["y"]),
                  node("OptionalHasElement", ["o"], ["h"]), node("Identity", ["h"], ["has"])], [value("x")], [value("y"), value("has", (), BOOL)])


def shared():
    """The same value is two outputs: one of them needs the Identity."""
    return model([node("Optional", ["x"], ["o"]), node("OptionalGetElement", ["o"], ["v"]), node("Identity", ["v"], ["y"]), node("Identity", ["v"], ["z"])],
                 [value("x")], [value("y"), value("z")])


def open_sizes():
    """A scaler is left alone and typed: its size is the input's, which the model does not name."""
    return model([node("Scaler", ["x"], ["s"], domain="ai.onnx.ml", offset=[0.5, 1.0, 2.0], scale=[1.0, 2.0, 3.0]),
                  node("Normalizer", ["s"], ["y"], domain="ai.onnx.ml", norm="L1")], [value("x", (None, 3))], [value("y", (None, 3))], ai_onnx_ml=1)


def transposed():
    weights = [helper.make_tensor(name, FLOAT, dims, [0.25] * dims[0] * dims[1]) for name, dims in (("w", [2, 4]), ("v", [3, 2]))]
    return model([node("Transpose", ["x"], ["t"]), node("Gemm", ["t", "w"], ["g"]), node("Transpose", ["g"], ["u"]), node("Gemm", ["u", "v"], ["y"])],
                 [value("x")], [value("y", (4, 2))], weights)


CASES = {"untyped": (untyped, {"Optional": 1, "OptionalGetElement": 1, "OptionalHasElement": 1}),
         "shared": (shared, {"Optional": 1, "OptionalGetElement": 1, "Identity": 1}),
         "open sizes": (open_sizes, {"Scaler": 1, "Normalizer": 1}),
         "transposed": (transposed, {"Gemm": 2})}

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    pairs = []
    for name, (make, left) in CASES.items():
        path, first, second = (folder / f"{name}{kind}.onnx" for kind in ("", ".1", ".2"))
        path.write_bytes(make().SerializeToString())
        for source, written in ((path, first), (first, second)):
            code, _, errors = vouch("optimize", source, "--rules", root / "rules", "-o", written)
            checks.that(code == 0, f"{name}: {errors}")
        graph = onnx.load(str(first)).graph
        found = {}
        for one in graph.node:
            found[one.op_type] = found.get(one.op_type, 0) + 1
        checks.that(found == left, f"{name}: {found} is left, expected {left}")
        checks.that(first.read_bytes() == second.read_bytes(), f"{name}: a second run writes other bytes")
        checks.that(not {v.name for v in graph.value_info} & {v.name for v in graph.output}, f"{name}: an output is declared twice")
        sizes = {dim.dim_param for v in graph.value_info for dim in v.type.tensor_type.shape.dim}
        checks.that(sizes <= {""}, f"{name}: sizes have names that the model does not give: {sizes}")
        pairs.append((name, path, first, [("x", "float32", [2, 3], VALUES)]))
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        checks.that(answer["difference"] is not None and answer["difference"] <= 1e-6, f"{name} in ONNX Runtime: {answer}")
checks.end()

"""Models with operators that rules leave alone, but that have a value: they run, `optimize --io` compares what it wrote, and the page
that lists these operators names each that is tried here. Values by numpy, from ONNX's Operators.md."""
import pathlib
import re
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
random = np.random.default_rng(7)

KINDS = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}


def made(nodes, inputs, outputs, opset=18):
    declared = [[helper.make_tensor_value_info(name, KINDS[a.dtype.name], a.shape) for name, a in arrays.items()]
                for arrays in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *declared)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model


def runs(name, nodes, inputs, outputs):
    """The model's outputs are these, as it is and as `optimize` writes it."""
    with tempfile.TemporaryDirectory() as there:
        folder = pathlib.Path(there)
        (folder / "m.onnx").write_bytes(made(nodes, inputs, outputs).SerializeToString())
        io = folder / "io"
        io.mkdir()
        for prefix, arrays in (("in_", inputs), ("out_", outputs)):
            for value, array in arrays.items():
                (io / f"{prefix}{value}.pb").write_bytes(numpy_helper.from_array(array, value).SerializeToString())
        code, out, errors = vouch("run", folder / "m.onnx", "--io", io)
        checks.that(code == 0, f"{name}: run: exit {code}: {out}{errors}")
        code, out, errors = vouch("optimize", folder / "m.onnx", "--io", io, "-o", folder / "o.onnx")
        checks.that(code == 0, f"{name}: optimize: exit {code}: {out}{errors}")
        code, out, errors = vouch("run", folder / "o.onnx", "--io", io)
        checks.that(code == 0, f"{name}: run of what was written: exit {code}: {out}{errors}")


def node(op, inputs, outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), **attributes)


x = random.permutation(24).reshape(2, 3, 4).astype(np.float32) - 11
few = np.array([2], np.int64)
order = np.argsort(-x, axis=1, kind="stable")[:, :2]
CASES = {
    "TopK": ([node("Identity", ["x"], ["i"]), node("TopK", ["i", "k"], ["y", "at"], axis=1)], {"x": x, "k": few},
             {"y": np.take_along_axis(x, order, 1), "at": order}),
    "NonZero": ([node("Relu", ["x"], ["r"]), node("NonZero", ["r"])], {"x": x}, {"y": np.array(np.nonzero(np.maximum(x, 0)), np.int64)}),
    "Compress": ([node("Compress", ["x", "c"], axis=2)], {"x": x, "c": np.array([True, False, True])}, {"y": x[:, :, [0, 2]]}),
    "ReverseSequence": ([node("ReverseSequence", ["x", "n"], time_axis=1, batch_axis=0)], {"x": x, "n": np.array([3, 2], np.int64)},
                        {"y": np.stack([x[0, ::-1], np.concatenate([x[1, 1::-1], x[1, 2:]])])}),
    "IsNaN": ([node("Div", ["x", "x"], ["q"]), node("IsNaN", ["q"])], {"x": x}, {"y": x == 0}),
    "IsInf": ([node("Reciprocal", ["x"], ["q"]), node("IsInf", ["q"])], {"x": x}, {"y": x == 0}),
    "BitShift": ([node("BitShift", ["a", "b"], direction="RIGHT")], {"a": np.array([200, 7], np.uint8), "b": np.array([3, 1], np.uint8)},
                 {"y": np.array([25, 3], np.uint8)}),
    "BitwiseAnd": ([node("BitwiseAnd", ["a", "b"])], {"a": np.array([-2, 7], np.int32), "b": np.array([5], np.int32)},
                   {"y": np.array([4, 5], np.int32)}),
    "BitwiseOr": ([node("BitwiseOr", ["a", "b"])], {"a": np.array([-2, 6], np.int32), "b": np.array([5], np.int32)},
                  {"y": np.array([-1, 7], np.int32)}),
    "BitwiseXor": ([node("BitwiseXor", ["a", "b"])], {"a": np.array([-2, 6], np.int32), "b": np.array([5], np.int32)},
                   {"y": np.array([-5, 3], np.int32)}),
    "BitwiseNot": ([node("BitwiseNot", ["a"])], {"a": np.array([-2, 6], np.int32)}, {"y": np.array([1, -7], np.int32)}),
    "Unique": ([node("Unique", ["a"], ["y", "first", "which", "counts"])], {"a": np.array([3, 1, 3, 2], np.int64)},
               dict(zip(("y", "first", "which", "counts"), np.unique([3, 1, 3, 2], True, True, True)))),
    "ScatterElements": ([node("ScatterElements", ["x", "i", "u"], axis=2, reduction="add")],
                        {"x": x, "i": np.full((2, 3, 2), -1, np.int64), "u": np.ones((2, 3, 2), np.float32)},
                        {"y": np.concatenate([x[:, :, :3], x[:, :, 3:] + 2], 2)}),
    "NonMaxSuppression": ([node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"])],
                          {"boxes": np.array([[[0, 0, 2, 2], [0, 0, 2, 1.9], [0, 5, 1, 6]]], np.float32), "most": np.array([3], np.int64),
                           "scores": np.array([[[0.5, 0.9, 0.7]]], np.float32), "overlap": np.array([0.5], np.float32)},
                          {"y": np.array([[0, 0, 1], [0, 0, 2]], np.int64)}),
    # In the middle between four pixels, and on one.
    "GridSample": ([node("GridSample", ["p", "g"], align_corners=1)],
                   {"p": np.array([[[[1, 2], [3, 6]]]], np.float32), "g": np.array([[[[0, 0], [1, -1]]]], np.float32)},
                   {"y": np.array([[[[3, 2]]]], np.float32)}),
}
for name, case in CASES.items():
    runs(name, *case)

page = (root / "docs/models.md").read_text()
listed = re.search(r"evaluated and left alone: ((?:`\w+`[,.]?\s*(?:and\s+)?)+)", page)
named = set(re.findall(r"`(\w+)`", listed.group(1))) if listed else set()
checks.that(named == set(CASES) | {"Scatter"}, f"docs/models.md lists {sorted(named)}")

# What has no value says why, with the node; what is unknown stays unknown.
with tempfile.TemporaryDirectory() as there:
    path = pathlib.Path(there) / "m.onnx"
    for nodes, inputs, outputs, said in (
            ([node("TopK", ["x", "k"], ["y", "at"])], {"x": x, "k": np.array([9], np.int64)}, {"y": x, "at": x.astype(np.int64)},
             "TopK: k must be a number of elements that the axis has"),
            ([node("Det", ["x"])], {"x": x}, {"y": x[:, 0, 0]}, "this call of Det has no meaning here and cannot be evaluated")):
        path.write_bytes(made(nodes, inputs, outputs).SerializeToString())
        words = [word for value, array in inputs.items() for word in ("--input", f"{value}={path.parent / value}.pb")]
        for value, array in inputs.items():
            (path.parent / f"{value}.pb").write_bytes(numpy_helper.from_array(array, value).SerializeToString())
        code, out, errors = vouch("run", path, *words)
        checks.that(code == 3 and said in errors and "node 'y" in errors, f"{said}: exit {code}: {out}{errors}")

checks.end()

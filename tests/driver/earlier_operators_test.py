"""Operators of ONNX that meant something else in older versions: what they compute is what numpy says, they stay what they are where the
model is written as it was, and a newer version is written by proven rules, or by the writer where no rule is given, and gives the same."""
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)
from onnx_judge import judge

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()


def softmax(rows):
    e = numpy.exp(rows - rows.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def hardmax(rows):
    out = numpy.zeros_like(rows)
    out[numpy.arange(len(rows)), rows.argmax(axis=1)] = 1
    return out


OF_ROWS = {"Softmax": softmax, "LogSoftmax": lambda rows: numpy.log(softmax(rows)), "Hardmax": hardmax}
SHAPE = (2, 3, 4)


def model(op, axis, opset=11):
    attributes = {} if axis is None else {"axis": axis}
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], **attributes)], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, SHAPE)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 6
    return made


def operators(path):
    return [node.op_type for node in onnx.load(str(path)).graph.node if node.op_type != "Constant"]


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    x = numpy.random.RandomState(5).randint(-3, 4, SHAPE).astype(numpy.float32)  # with equal elements, too
    numpy.save(folder / "in_x.npy", x)
    pairs = []
    for op, of_rows in OF_ROWS.items():
        for axis in (None, 0, 1, 2, -1, -2):
            first = 1 if axis is None else axis % 3
            expected = of_rows(x.reshape(int(numpy.prod(SHAPE[:first])), -1).astype(numpy.float64)).reshape(SHAPE)
            numpy.save(folder / "out_y.npy", expected.astype(numpy.float32))
            name = f"{op} along {axis}"
            path = folder / f"{op}_{axis}.onnx"
            onnx.save(model(op, axis), path)
            code, out, errors = vouch("run", path, "--io", folder)
            checks.that(code == 0, f"{name}: numpy has other numbers: {out}{errors}")
            for label, more in (("old", []), ("new", ["--opset", 17]), ("proven", ["--opset", 17, "--rules", root / "rules/dialect/to_onnx.gsl"])):
                written = path.with_suffix(f".{label}.onnx")
                rules = [] if label == "proven" else ["--rules", root / "rules"]
                code, _, errors = vouch("optimize", path, *rules, *more, "-o", written)
                found = operators(written) if code == 0 else errors
                by_itself = label == "old" or first == 2
                checks.that([x for x in found if x != "Shape"] == ([op] if by_itself else ["Flatten", op, "Reshape"]), f"{name}, {label}: {found}")
                checks.that(vouch("run", written, "--io", folder)[0] == 0, f"{name}, {label}: what is written gives other numbers")
                pairs.append((f"{name} {label}", path, written, [("x", "float32", SHAPE, x.ravel().tolist())]))
            code, out, _ = vouch("equiv", path, path.with_suffix(".new.onnx"))
            # Which element of a line is the first of the largest is a question of products of sizes, and stays open.
            checks.that(code == 0 or (code == 2 and op == "Hardmax"), f"{name}: not proven equal to what it is in a newer version: {out}")
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        checks.that(answer["difference"] is not None and answer["difference"] <= 1e-6, f"{name}: ONNX Runtime: {answer}")
checks.end()

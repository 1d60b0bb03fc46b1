"""Operators of ONNX that meant something else in older versions: what they compute is what numpy says, they stay what they are where the
model is written as it was, and a newer version is written by proven rules, or by the writer where no rule is given, and gives the same."""
import json
import pathlib
import re
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


def told():
    """The page says of each row of the reader's tables which kind of row it is."""
    page = (root / "docs" / "models.md").read_text()
    section = page[page.index("## Older versions of operators"):page.index("## Operators of rules")]
    for path in sorted((root / "src" / "io").glob("onnx_adapt_*.cpp")):
        text = path.read_text()
        rows = text[text.index("std::vector<Adaptation>"):] + (root / "src" / "io" / "onnx_earlier.h").read_text()
        for op in re.findall(r'"([A-Z]\w+)"', rows):
            checks.that(f"`{op}`" in section, f"docs/models.md does not say how {op} of {path.name} is read")


told()


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


def one_hot(axis, opset):
    """Of two numbers out of four: axes are those of the result, which has one more."""
    graph = helper.make_graph([helper.make_node("OneHot", ["i", "depth", "values"], ["y"], axis=axis)], "g",
                              [helper.make_tensor_value_info("i", TensorProto.INT64, (2,))],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [helper.make_tensor("depth", TensorProto.INT64, (), [4]), helper.make_tensor("values", TensorProto.FLOAT, (2,), [0, 1])])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 6
    return made


def operators(path):
    return [node.op_type for node in onnx.load(str(path)).graph.node if node.op_type != "Constant"]


def resized(x, scales, linear):
    """Positions are scaled about the origin; the nearest is the one below."""
    for axis, scale in enumerate(scales):
        at = numpy.arange(int(x.shape[axis] * scale)) / scale
        low = numpy.floor(at).astype(int)
        high, rest = numpy.minimum(low + 1, x.shape[axis] - 1), (at - low) if linear else numpy.zeros(len(at))
        rest = rest.reshape([-1 if k == axis else 1 for k in range(x.ndim)])
        x = x.take(low, axis) * (1 - rest) + x.take(high, axis) * rest
    return x


def resize_model(opset, scales, mode):
    """As each of the versions before opset 11 has it: the scales are an attribute, or an operand."""
    op, operands, attributes = ("Upsample", ["x"], {"scales": scales}) if opset < 9 else ("Upsample" if opset < 10 else "Resize", ["x", "s"], {})
    size = [int(n * s) for n, s in zip((1, 2, 3, 4), scales)]
    constants = [helper.make_tensor("s", TensorProto.FLOAT, [4], scales)] if opset >= 9 else []
    graph = helper.make_graph([helper.make_node(op, operands, ["y"], mode=mode, **attributes)], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 2, 3, 4))],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, size)], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 4
    return made


def resizes(folder, pairs):
    x = numpy.random.RandomState(7).randint(-8, 9, (1, 2, 3, 4)).astype(numpy.float32)
    numpy.save(folder / "in_x.npy", x)
    for opset in (7, 8, 9, 10):
        for mode in ("nearest", "linear"):
            scales = [1.0, 1.0, 2.0, 2.0] if opset != 10 else [1.0, 1.0, 2.0, 0.5]
            numpy.save(folder / "out_y.npy", resized(x.astype(numpy.float64), scales, mode == "linear").astype(numpy.float32))
            name, path = f"opset {opset}, {mode}", folder / f"resize_{opset}_{mode}.onnx"
            onnx.save(resize_model(opset, scales, mode), path)
            checks.that(vouch("run", path, "--io", folder)[0] == 0, f"{name}: numpy has other numbers")
            old = "Upsample" if opset < 10 else "Resize"
            for label, more, op in (("old", ["--rules", root / "rules"], old), ("new", ["--opset", 12], "Resize"), ("newest", ["--opset", 17], "Resize"),
                                    ("proven", ["--opset", 17, "--rules", root / "rules/dialect/to_onnx.gsl"], "Resize")):
                written = path.with_suffix(f".{label}.onnx")
                code, out, errors = vouch("optimize", path, *more, "-o", written, "--json", "-")
                found = operators(written) if code == 0 else errors
                checks.that(found == [op], f"{name}, {label}: {found}")
                checks.that(vouch("run", written, "--io", folder)[0] == 0, f"{name}, {label}: what is written gives other numbers")
                fired = [rule["name"] for rule in json.loads(out)["rules"] if rule["fired"]] if code == 0 else []
                checks.that(label != "proven" or fired == ["resize_10_as_resize"], f"{name}: the rule does not fire")
                pairs.append((f"{name} {label}", path, written, [("x", "float32", (1, 2, 3, 4), x.ravel().tolist())]))
            checks.that(vouch("equiv", path, path.with_suffix(".newest.onnx"))[0] == 0, f"{name}: not proven equal to what it is in a newer version")


def one_hots(folder, pairs):
    """In versions 9 and 11, axes from the front and from the end."""
    io = folder / "one_hot"
    io.mkdir()
    numpy.save(io / "in_i.npy", numpy.array([1, 3]))
    for opset in (9, 11):
        for axis in (0, 1, -1, -2):
            numpy.save(io / "out_y.npy", numpy.ascontiguousarray(numpy.moveaxis(numpy.eye(4, dtype=numpy.float32)[[1, 3]], -1, axis)))
            path = io / f"{opset}_{axis}.onnx"
            onnx.save(one_hot(axis, opset), path)
            written = path.with_suffix(".written.onnx")
            code, _, errors = vouch("optimize", path, "--rules", root / "rules", "-o", written)
            for one in (path, written) if code == 0 else ():
                checks.that(vouch("run", one, "--io", io)[0] == 0, f"OneHot of version {opset} along {axis}: numpy has other numbers for {one.name}")
            checks.that(code == 0, f"OneHot of version {opset} along {axis}: {errors}")
            pairs.append((f"OneHot of version {opset} along {axis}", path, written, [("i", "int64", (2,), [1, 3])]))


SCATTERED, AT, UPDATES = numpy.arange(12, dtype=numpy.float32).reshape(3, 4), numpy.array([[0, 2, 1, 0], [2, 0, 0, 1]]), numpy.full((2, 4), 9, numpy.float32)


def scatters(folder, pairs):
    """Opsets 9 and 10 call it Scatter, and so does what is written for them; later ones ScatterElements."""
    io = folder / "scatter"
    io.mkdir()
    numpy.save(io / "in_x.npy", SCATTERED)
    expected = SCATTERED.copy()
    numpy.put_along_axis(expected, AT, UPDATES, 0)
    numpy.save(io / "out_y.npy", expected)
    for opset, asked in ((9, None), (10, None), (10, 9), (10, 11), (9, 17), (10, 8)):
        graph = helper.make_graph([helper.make_node("Scatter", ["x", "i", "u"], ["y"], "s", axis=0)], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, (3, 4))], [helper.make_tensor_value_info("y", TensorProto.FLOAT, (3, 4))],
                                  [helper.make_tensor("i", TensorProto.INT64, AT.shape, AT.ravel()), helper.make_tensor("u", TensorProto.FLOAT, AT.shape, UPDATES.ravel())])
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        made.ir_version = 5
        path = io / f"{opset}_{asked}.onnx"
        onnx.save(made, path)
        written = path.with_suffix(".written.onnx")
        name = f"Scatter of opset {opset}, written for {asked or opset}"
        code, _, errors = vouch("optimize", path, "--rules", root / "rules", *(["--opset", asked] if asked else []), "-o", written)
        if asked == 8:
            checks.that(code == 3 and not written.exists(), f"{name}: {code}: {errors}")
            continue
        there = onnx.load(str(written)) if code == 0 else None
        checks.that(there is not None and there.opset_import[0].version == (asked or opset) and
                    [node.op_type for node in there.graph.node] == ["Scatter" if (asked or opset) < 11 else "ScatterElements"], f"{name}: {errors}{there}")
        for one in (path, written):
            checks.that(vouch("run", one, "--io", io)[0] == 0, f"{name}: numpy has other numbers for {one.name}")
        pairs.append((name, path, written, [("x", "float32", SCATTERED.shape, SCATTERED.ravel().tolist())]))


# Before opset 7 the right operand lies along the axes of the left one from `axis` on, and a slope of one axis along axis 1.
FROM_AXIS = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Div": numpy.divide, "Pow": numpy.power, "And": numpy.logical_and,
             "Or": numpy.logical_or, "Xor": numpy.logical_xor, "Equal": numpy.equal, "Greater": numpy.greater, "Less": numpy.less,
             "PRelu": lambda x, y: numpy.where(x < 0, x * y, x)}


def broadcast_model(op, x, y, out, axis, fixed):
    attributes = {} if op == "PRelu" else {"broadcast": 1, "axis": axis}
    kinds = [helper.np_dtype_to_tensor_dtype(a.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[a.dtype]
             for a in (x, y, out)]
    inputs = [helper.make_tensor_value_info(name, kind, a.shape) for name, kind, a in zip("xy", kinds, (x, y))]
    graph = helper.make_graph([helper.make_node(op, ["x", "y"], ["z"], **attributes)], "g", inputs[:1] if fixed else inputs,
                              [helper.make_tensor_value_info("z", kinds[2], out.shape)],
                              [helper.make_tensor("y", kinds[1], y.shape, y.ravel().tolist())] if fixed else [])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 6)])
    made.ir_version = 4
    return made


WITHOUT = ["--rules", root / "rules/noop.gsl"]  # and without the rules of earlier operators


def broadcasts(folder):
    random = numpy.random.RandomState(3)
    for op, function in FROM_AXIS.items():
        for shape, axis in (((3,), 1), ((2,), 0), ((2, 3), 0), ((4,), 2), ((1,), 1)) if op == "Add" else (((3,), 1),):
            x, y = random.randint(1, 5, SHAPE), random.randint(1, 5, shape)
            x, y = (a > 2 if op in ("And", "Or", "Xor") else a.astype(numpy.int32 if op == "Equal" else numpy.float32) for a in (x, y))
            x = -x if op == "PRelu" else x
            out = function(x, y.reshape(shape + (1,) * (3 - axis - len(shape))))
            for name, array in (("in_x", x), ("in_y", y), ("out_z", out)):
                numpy.save(folder / f"{name}.npy", array)
            for fixed in (False, True):
                (folder / "in_y.npy").unlink() if fixed else None
                name, path = f"{op} of opset 6 from axis {axis} on by {list(shape)}{', known' if fixed else ''}", folder / f"{op}_{axis}_{len(shape)}_{fixed}.onnx"
                onnx.save(broadcast_model(op, x, y, out, axis, fixed), path)
                checks.that(vouch("run", path, "--io", folder)[0] == 0, f"{name}: numpy has other numbers")
                for label, more in (("believed", WITHOUT), ("newest", [*WITHOUT, "--opset", 17]), ("proven", ["--rules", root / "rules/earlier.gsl"])):
                    written = path.with_suffix(f".{label}.onnx")
                    code, out_text, errors = vouch("optimize", path, *more, "-o", written, "--json", "-")
                    found = operators(written) if code == 0 else errors
                    along_last = axis + len(shape) == 3
                    checks.that(found == [op] or (found == ["Unsqueeze", op] and not along_last and not (fixed and label == "proven")), f"{name}, {label}: {found}")
                    checks.that(vouch("run", written, "--io", folder)[0] == 0, f"{name}, {label}: what is written gives other numbers")
                    fired = [rule["name"] for rule in json.loads(out_text)["rules"] if rule["fired"]] if code == 0 else []
                    checks.that(label != "proven" or fired == ([] if along_last else [f"{op.lower()}_6_as_{op.lower()}"]), f"{name}: fired: {fired}")
                checks.that(vouch("equiv", path, written)[0] == 0, f"{name}: not proven equal to what it is in a newer version")
    merged(folder)


def merged(folder):
    """Rules see the operators of today: what is added along the channels of a convolution becomes its bias."""
    x, w, b = (numpy.random.RandomState(k).randint(-3, 4, shape).astype(numpy.float32) for k, shape in enumerate(((1, 2, 4, 4), (3, 2, 3, 3), (3,))))
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Add", ["c", "b"], ["z"], broadcast=1, axis=1)], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)], [helper.make_tensor_value_info("z", TensorProto.FLOAT, (1, 3, 2, 2))],
                              [helper.make_tensor(name, TensorProto.FLOAT, a.shape, a.ravel().tolist()) for name, a in (("w", w), ("b", b))])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 6)])
    made.ir_version = 4
    onnx.save(made, folder / "biased.onnx")
    code, _, errors = vouch("optimize", folder / "biased.onnx", "-o", folder / "merged.onnx")
    found = operators(folder / "merged.onnx") if code == 0 else errors
    checks.that(found == ["Conv"], f"a bias of opset 6: {found}")
    checks.that(vouch("equiv", folder / "biased.onnx", folder / "merged.onnx")[0] == 0, "a bias of opset 6: not proven equal")


with tempfile.TemporaryDirectory() as made:
    broadcasts(pathlib.Path(made))

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
            checks.that(code == 0, f"{name}: not proven equal to what it is in a newer version: {out}")
    (folder / "out_y.npy").unlink()
    resizes(folder, pairs)
    one_hots(folder, pairs)
    scatters(folder, pairs)
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        checks.that(answer["difference"] is not None and answer["difference"] <= 1e-6, f"{name}: ONNX Runtime: {answer}")
checks.end()

"""The published library in its own operators meets ONNX models by the rules of the dialect: runs end, a model never comes out
larger, what is kept has the same outputs, and a second run fires nothing."""
import json
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)
from pass_graphs import IMAGE, model, weights
from passes_inputs import write_inputs

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
rules = ["--rules", root / "rules" / "gsl", root / "rules" / "dialect", root / "rules" / "earlier.gsl"]
checks = Checks()


def run(path, *more):
    code, out, errors = vouch("optimize", path, *rules, "--json", "-", *more)
    checks.that(code == 0, f"{path}: exit {code}: {errors}")
    return json.loads(out) if code == 0 else None


def fired(summary):
    return {rule["name"]: rule["fired"] for rule in summary["rules"] if rule["fired"]}


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    parallel = model([("Conv x u -> a", {}), ("Conv x v -> b", {})], IMAGE, {"u": weights(4, 3, 3, 3), "v": weights(4, 3, 3, 3)}, "a b")
    onnx.save(parallel, folder / "two.onnx")
    write_inputs(parallel, folder)
    summary = run(folder / "two.onnx", "-o", folder / "one.onnx", "--io", folder)
    if summary:
        checks.that("parallel_two_conv" in fired(summary), f"nothing was merged: {fired(summary)}")
        checks.that(all(output["ok"] for output in summary["outputs"]), "outputs differ")
        checks.that({node.op_type for node in onnx.load(folder / "one.onnx").graph.node} - {"Constant"} == {"Conv", "Split"}, "not written in ONNX's operators")
        again = run(folder / "one.onnx")
        checks.that(again and not fired(again), f"a second run fires {again and fired(again)}")

# Operators of rules alone, each by its rule: what is written has none of them, and gives the same; by the writer alone, too.
EACH = {
    "softmax_11_as_softmax": ("softmax_11", "x", {"axis": 1}), "log_softmax_11_as_log_softmax": ("log_softmax_11", "x", {"axis": 0}),
    "hardmax_11_as_hardmax": ("hardmax_11", "x", {"axis": -2}),
    "reshape_as_reshape": ("reshape", "x", {"shape": [3, 4]}), "squeeze_as_squeeze": ("squeeze", "one", {"axes": [1]}),
    "unsqueeze_as_unsqueeze": ("unsqueeze", "x", {"axes": [-1]}), "transpose_as_transpose": ("transpose", "x", {"perm": [2, 0, 1]}),
    "slice_as_slice": ("slice", "x", {"starts": [0, 1, 0], "limits": [2, 3, 2], "strides": [1, 2, 1]}),
    "reverse_as_slice": ("reverse", "x", {"axes": [0, 2]}), "convert_as_cast": ("convert", "x", {"dtype": "int32"}),
    "pad_as_pad": ("pad", "x scalar", {"low": [0, 1, 0], "high": [1, 0, 0], "interior": [0, 0, 0]}),
    "select_as_where": ("select", "p x y", {}), "maximum_as_max": ("maximum", "x y", {}), "minimum_as_min": ("minimum", "x y", {}),
    "clamp_as_min_of_max": ("clamp", "scalar x y", {}), "compare_as_equal": ("compare", "x y", {"direction": "EQ"}),
    "compare_as_not_equal": ("compare", "x y", {"direction": "NE"}), "compare_as_less": ("compare", "x y", {"direction": "LT"}),
    "compare_as_less_or_equal": ("compare", "x y", {"direction": "LE"}), "compare_as_greater": ("compare", "x y", {"direction": "GT"}),
    "compare_as_greater_or_equal": ("compare", "x y", {"direction": "GE"}), "bias_add_as_add": ("bias_add", "x bias", {"axis": -2}),
    "broadcast_as_expand": ("broadcast_in_dim", "bias", {"shape": [2, 3], "broadcast_dimensions": [1]}),
    "dot_general_as_product": ("dot_general", "matrix other", {"lhs_batch_dimensions": [], "rhs_batch_dimensions": [],
                                                               "lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]}),
    "max_pool2d_as_max_pool": ("max_pool2d", "image", {"pool_size": [2, 2], "strides": [2, 1], "padding": [0, 1, 1, 0], "dilation": [1, 1]}),
    "avg_pool2d_as_average_pool": ("avg_pool2d", "image", {"pool_size": [2, 2], "strides": [1, 1], "padding": [0, 1, 1, 0],
                                                           "dilation": [1, 1], "count_include_pad": 1}),
    "layer_norm_as_normalization": ("layer_norm", "x gamma gamma", {"axis": -1, "epsilon": {"float": 0.25}, "center": 1, "scale": 1}),
}
EACH.update({f"{op}_6_as_{op}": (f"{op}_6", operands, {"axis": axis})
             for ops, operands, axis in (("add sub mul equal greater less", "x bias", 1), ("div pow", "x two", -3), ("prelu", "x bias", 1), ("and or xor", "p q", 0))
             for op in ops.split()})
EACH.update({f"reduce_{what}_as_{what}": (f"reduce_{what}", "x", {"axes": axes, "keepdims": keep})
             for what, axes, keep in (("sum", [1], 0), ("mean", [0, -1], 1), ("max", [2], 1), ("min", [0], 0), ("prod", [1, 2], 0))})
SCALES = {"doubled": [2, 2], "fivefold": [5, 5], "sixteenfold": [16, 16], "half_more": [1.5, 1.5], "halved": [0.5, 0.5], "twice_as_high": [2, 1],
          "uneven": [2.75, 0.875], "doubled_line": [2], "stretched_line": [3.125], "doubled_volume": [2, 2, 2], "shrunk_volume": [0.75, 1, 2.5]}
THIRDS = {"thirds": [4 / 3, 4 / 3]}  # which float32 has not: what the operator takes them for is no element
SCALES |= THIRDS
CONSTANTS = {name: {"kind": "constant", "type": "float32", "dims": [2 + len(scales)], "data": [1, 1, *scales]} for name, scales in SCALES.items()}
RESIZED = [("resize_10", f"{('line', 'image', 'volume')[len(scales) - 1]} {name}", {"mode": mode}) for name, scales in SCALES.items() for mode in ("linear", "nearest")
           if mode == "linear" or all(scale >= 1 or 1 / scale % 1 == 0 for scale in scales)]
EACH["resize_10_as_resize"] = RESIZED[0]
SHAPES = {"x": [2, 3, 2], "y": [2, 3, 2], "one": [2, 1, 2], "p": [2, 3, 2], "scalar": [], "bias": [3], "matrix": [2, 3], "other": [3, 2],
          "image": [1, 2, 4, 4], "line": [1, 2, 4], "volume": [1, 2, 2, 2, 2], "gamma": [2], "q": [2], "two": [2, 3]}


def lowered(name, op, operands, attributes, *options):
    """Written as ONNX, with the same outputs; the operators that it has, and what fired."""
    with tempfile.TemporaryDirectory() as place:
        read = sorted(set(operands.split()) - CONSTANTS.keys())
        given = [{"name": x, **CONSTANTS[x]} for x in operands.split() if x in CONSTANTS]
        graph = {"vouch": 1, "inputs": [{"name": x, "type": "bool" if x in "pq" else "float32", "dims": SHAPES[x]} for x in read],
                 "nodes": given + [{"name": "r", "op": op, "operands": operands.split(), "attributes": attributes}],
                 "outputs": [{"name": "out", "value": "r"}]}
        folder = pathlib.Path(place)
        (folder / "m.json").write_text(json.dumps(graph))
        for at, x in enumerate(read):
            array = numpy.random.default_rng(at).integers(-9, 9, SHAPES[x])
            array = array > 0 if x in "pq" else array.astype(numpy.float32)
            (folder / f"in_{x}.pb").write_bytes(numpy_helper.from_array(numpy.asarray(array), x).SerializeToString())
        code, out, errors = vouch("optimize", folder / "m.json", *options, "-o", folder / "o.onnx", "--io", folder, "--json", "-")
        checks.that(code == 0, f"{name}: exit {code}: {errors[-300:]}")
        summary = json.loads(out) if code == 0 else {"rules": []}
        code, out, errors = vouch("run", folder / "m.json", "--io", folder, "--out", folder / "told")
        for file in (folder / "told").glob("*"):
            shutil.copy(file, folder / f"out_{file.name.removeprefix('out_')}")
        code, out, errors = vouch("run", folder / "o.onnx", "--io", folder)
        checks.that(code == 0 and "out" in out, f"{name}: what is written gives something else: {out[-300:]} {errors[-300:]}")
        ops = {node.op_type for node in onnx.load(folder / "o.onnx").graph.node} if (folder / "o.onnx").exists() else {"nothing"}
        checks.that(all(each[0].isupper() for each in ops), f"{name}: written as {ops}")
        return fired(summary)


for name, (op, operands, attributes) in EACH.items():
    by_rules = lowered(name, op, operands, attributes, *rules)
    checks.that(name in by_rules, f"{name} does not fire on its own operator: {by_rules}")
    lowered(f"{op} by the writer", op, operands, attributes)
for op, operands, attributes in RESIZED:
    name = f"{operands}, {attributes['mode']}"
    by_rules = lowered(name, op, operands, attributes, *rules)
    held = not THIRDS.keys() & set(operands.split())
    checks.that(("resize_10_as_resize" in by_rules) == held, f"{name}: fired: {by_rules}")
for what in ("sum", "mean", "max", "min", "prod"):  # of no axes: in ONNX an empty list means all
    for options in (rules, (), ("--opset", "13")):
        lowered(f"reduce_{what} of no axes", f"reduce_{what}", "x", {"axes": [], "keepdims": 0}, *options)
for path in sorted((root / ".." / "shared" / "data" / "models").glob("*/model.onnx")):
    summary = run(path)
    if summary:
        calls = summary["calls"]
        checks.that(calls["after"] <= calls["before"], f"{path.parent.name}: {calls['before']} calls became {calls['after']}")
checks.end()

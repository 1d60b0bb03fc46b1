"""`vouch equiv`: how far a folded parameter may be off, by its element type; expected bounds are NumPy's."""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch = Vouch(sys.argv[1])
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
BITS = {TensorProto.FLOAT16: 11, TensorProto.BFLOAT16: 8, TensorProto.FLOAT: 24}


def rounded(values, kind):
    """To the nearest number of the type, ties to even; the numbers here are neither small nor large."""
    digits = BITS[kind]
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    return np.ldexp(np.rint(np.ldexp(fraction, digits)), exponent - digits)


def model(name, kind, nodes, constants, stored=None):
    value = lambda name: helper.make_tensor_value_info(name, kind, ["n", 4])
    tensors = [helper.make_tensor(key, stored or kind, values.shape, values.ravel().tolist()) for key, values in constants.items()]
    graph = helper.make_graph([helper.make_node(op, ins.split(), outs.split(), **more) for op, ins, outs, more in nodes], "g",
                              [value("x")], [value("y")], tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    path = place / f"{name}.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def judged(a, b, *options):
    status, out, errors = vouch("equiv", a, b, "--json", "-", *options, seconds=200)
    checks.that(status in (0, 1, 2), f"{a.name}, {b.name}: exit code {status}: {errors}")
    return json.loads(out)


random = np.random.default_rng(5)
RAW, SCALES = random.uniform(0.3, 2, (4, 4)), random.uniform(0.3, 2, 4)
for kind in BITS:
    label = TensorProto.DataType.Name(kind)
    weights, scales = rounded(RAW, kind), rounded(SCALES, kind)
    exact = weights * scales
    kept = rounded(exact, kind)
    bound = np.max(np.abs(kept - exact) / np.maximum(exact, kept))  # against the side on which it is larger
    before = model(f"{label}_before", kind, [("MatMul", "x w", "t", {}), ("Mul", "t s", "y", {})], {"w": weights, "s": scales})
    after = lambda name, values: model(f"{label}_{name}", kind, [("MatMul", "x w", "y", {})], {"w": values})
    found = judged(before, after("after", kept))
    checks.that(found["verdict"].startswith("equal (real)"), f"{label}: one rounding of a product is a fold: {found['verdict']}")
    told = found.get("fold_bound", 0)
    checks.that(bound <= told <= bound * 1.0001, f"{label}: NumPy's bound is {bound}, {told} is told")
    if bound > 1e-6:
        strict = judged(before, after("after", kept), "--fold-tolerance", "1e-6")
        checks.that(not strict["verdict"].startswith("equal"), f"{label}: what is stated is for every type: {strict['verdict']}")
    wrong = kept.copy()
    wrong[1, 2] *= 1 + 8 * 2.0 ** -BITS[kind] if kind != TensorProto.FLOAT else 1 + 2e-6
    faulty = judged(before, after("wrong", rounded(wrong, kind)))
    checks.that(not faulty["verdict"].startswith("equal"), f"{label}: eight roundings are no fold: {faulty['verdict']}")

# Weights that were kept in fewer digits are not the same weights, where one model still has them.
wide = model("wide", TensorProto.FLOAT, [("MatMul", "x w", "y", {})], {"w": rounded(RAW, TensorProto.FLOAT)})
kept = model("kept", TensorProto.FLOAT, [("Cast", "w", "v", {"to": TensorProto.FLOAT}), ("MatMul", "x v", "y", {})],
             {"w": rounded(RAW, TensorProto.FLOAT16)}, TensorProto.FLOAT16)
for a, b in ((wide, kept), (kept, wide)):
    found = judged(a, b)
    checks.that(not found["verdict"].startswith("equal"), f"float32 beside float16: {found['verdict']}")
checks.end()

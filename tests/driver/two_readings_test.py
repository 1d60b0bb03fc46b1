"""Attributes that no number is equal to (-0, NaN, infinity), and calls that authorities read in two ways: each stays as it is, is not
merged with its neighbour, and its neighbour is rewritten."""
import math
import pathlib
import struct
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()


def optimized(name, nodes, outputs, weights=(), dims=(1, 3, 1), opset=13):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
                              [helper.make_empty_tensor_value_info(output) for output in outputs], list(weights))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "o.onnx"
        path.write_bytes(made.SerializeToString())
        code, _, errors = vouch("optimize", path, "--rules", root / "rules", "-o", out)
        checks.that(code == 0, f"{name}: exit {code}: {errors}")
        return onnx.load_from_string(out.read_bytes()).graph if code == 0 else graph


def same_bits(a, b):
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def attribute(graph, output, name):
    """Of the node that gives the output; tensors by their first element; -1 where there is none."""
    held = [a for node in graph.node if output in node.output for a in node.attribute if a.name == name]
    if not held:
        return -1.0
    found = held[0]
    return numpy_helper.to_array(found.t).reshape(-1)[0] if found.HasField("t") else found.f


# Of two calls that differ in the sign of a zero alone, each keeps its own.
for op, name, other in [("LeakyRelu", "alpha", {}), ("Elu", "alpha", {}), ("ThresholdedRelu", "alpha", {}), ("Selu", "gamma", {"alpha": 1.0}),
                        ("Shrink", "bias", {"lambd": 0.5}), ("HardSigmoid", "beta", {"alpha": 1.0})]:
    for odd in (-0.0, math.nan, math.inf):
        nodes = [helper.make_node(op, ["x"], ["y"], **{name: 0.0}, **other), helper.make_node(op, ["x"], ["z"], **{name: odd}, **other)]
        graph = optimized(f"{op} {odd}", nodes, ["y", "z"])
        kept = [attribute(graph, output, name) for output in ("y", "z")]
        checks.that(same_bits(kept[0], 0.0) and same_bits(kept[1], odd), f"{op} {name} {odd}: {kept}")
nodes = [helper.make_node("LeakyRelu", ["x"], [output], alpha=0.0) for output in ("a", "b")] + [helper.make_node("Sub", ["a", "b"], ["y"])]
checks.that(len(optimized("twice 0", nodes, ["y"]).node) <= 2, "two calls with alpha 0 are one")

# A fill that no term stands for is neither folded nor refused; another is folded.
sizes = helper.make_tensor("s", TensorProto.INT64, [3], [1, 3, 1])
for fill, stays in [(-0.0, True), (math.nan, True), (0.5, False), (math.inf, False)]:
    tensor = helper.make_tensor("v", TensorProto.FLOAT, [1], [fill])
    nodes = [helper.make_node("ConstantOfShape", ["s"], ["f"], value=tensor), helper.make_node("Mul", ["x", "f"], ["y"])]
    graph = optimized(f"fill {fill}", nodes, ["y"], [sizes])
    fills = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    checks.that(bool(fills) == stays, f"fill {fill}: {[node.op_type for node in graph.node]}")
    if stays and fills:
        checks.that(same_bits(float(attribute(graph, fills[0].output[0], "value")), fill), f"fill {fill} is another one")


# An empty list of axes squeezes nothing, or (ONNX Runtime) all axes of size 1. The call stays, and what stands before it goes.
def squeezed(name, weights, opset, dims, **attributes):
    names = [weight.name for weight in weights]
    nodes = [helper.make_node("Identity", ["x"], ["i"]), helper.make_node("Squeeze", ["i", *names], ["o"], **attributes),
             helper.make_node("Relu", ["o"], ["p"]), helper.make_node("Relu", ["p"], ["y"])]
    return [node.op_type for node in optimized(name, nodes, ["y"], weights, dims, opset).node]


for opset in (13, 21):
    axes = helper.make_tensor("axes", TensorProto.INT64, [0], [])
    # Where nothing is of size 1 both readings are one, and squeeze nothing.
    for dims, left in [((1, 3, 1), ["Squeeze", "Relu", "Relu"]), (("n", 3), ["Squeeze", "Relu", "Relu"]), ((2, 3), ["Relu"])]:
        found = squeezed(f"empty axes {opset} {dims}", [axes], opset, dims)
        checks.that(found == left, f"empty axes {opset} {dims}: {found}")
found = squeezed("empty axes 11", [], 11, (1, 3, 1), axes=[])
checks.that(found == ["Squeeze", "Relu", "Relu"], f"empty axes 11: {found}")
found = squeezed("no axes", [], 13, (1, 3, 1))
checks.that(found == ["Squeeze", "Relu"], f"no axes: {found}")


def padded(mode, pads):
    amounts = helper.make_tensor("pads", TensorProto.INT64, [2], pads)
    nodes = [helper.make_node("Pad", ["x", "pads"], ["p"], mode=mode), helper.make_node("Pad", ["x", "pads"], ["q"], mode=mode),
             helper.make_node("Sub", ["p", "q"], ["y"])]
    return [node.op_type for node in optimized(f"pad {mode} {pads}", nodes, ["y"], [amounts], (4,), 19).node].count("Pad")


# Pads below 0 where elements are repeated: what is cropped is repeated or not. Two such calls are as little one as any that is not known.
# Beyond one turn ONNX Runtime makes zeros of what wraps around.
for mode, pads, calls in [("wrap", [-1, 1], 2), ("reflect", [1, -2], 2), ("wrap", [1, 1], 1), ("reflect", [1, 0], 1), ("edge", [-1, 1], 1),
                          ("constant", [-1, 1], 1), ("wrap", [5, 0], 2), ("wrap", [4, 4], 1), ("edge", [-4, 5], 2), ("edge", [-3, 5], 1)]:
    checks.that(padded(mode, pads) == calls, f"{mode} {pads}: {padded(mode, pads)} calls, expected {calls}")


# How many steps of floats there are may depend on what is rounded: (0.4 - 0.1) / 0.1 is 3 or a little more. Where that is one, it is folded.
def ranged(kind, start, limit, delta):
    bounds = [helper.make_tensor(name, kind, [], [value]) for name, value in (("a", start), ("b", limit), ("d", delta))]
    nodes = [helper.make_node("Range", ["a", "b", "d"], ["r"]), helper.make_node("Cast", ["r"], ["c"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["x", "c"], ["y"])]
    return "Range" in [node.op_type for node in optimized(f"range {start} {limit} {delta}", nodes, ["y"], bounds, (1,)).node]


for kind, start, limit, delta, stays in [
        (TensorProto.DOUBLE, 0.1, 0.4, 0.1, True), (TensorProto.DOUBLE, 0.1, 1.1, 0.1, True), (TensorProto.FLOAT, 0.0, 0.3, 0.1, True),
        (TensorProto.DOUBLE, 0.0, 0.25, 0.1, False), (TensorProto.FLOAT, 0.1, 1.05, 0.1, False), (TensorProto.FLOAT, 0.0, 3.0, 0.5, False),
        (TensorProto.FLOAT, 3.0, 0.0, -0.75, False), (TensorProto.INT32, 1, 11, 3, False)]:
    checks.that(ranged(kind, start, limit, delta) == stays, f"Range({start}, {limit}, {delta}) of {kind}: {'folded' if stays else 'left'}")


# To a length that is no whole number, at the end of an input, of a piece without elements: the call stays, what stands before it goes, and its neighbour is rewritten.
def beside(name, call, weights, opset, dims):
    nodes = [helper.make_node("Identity", ["x"], ["i"]), call, helper.make_node("Relu", ["o"], ["p"]), helper.make_node("Relu", ["p"], ["y"])]
    return [node.op_type for node in optimized(name, nodes, ["y"], weights, dims, opset).node]


def scales(number):
    return [helper.make_tensor("s", TensorProto.FLOAT, [4], [1, 1, 1, number])]


nearest, earlier_linear = (helper.make_node("Resize", ["i", "s"], ["o"], mode=mode) for mode in ("nearest", "linear"))
cropped = helper.make_node("Resize", ["i", "", "s"], ["o"], mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
valid = helper.make_node("MaxPool", ["i"], ["o"], kernel_shape=[1, 3], strides=[1, 3], ceil_mode=1, auto_pad="VALID")
dilated, close = (helper.make_node("MaxPool", ["i"], ["o"], kernel_shape=[1, 2], dilations=[1, apart], auto_pad="SAME_UPPER") for apart in (2, 1))
halves = helper.make_node("Split", ["i"], ["o", "q"], axis=3, num_outputs=2)
for name, call, weights, opset, dims, stays in [
        ("half of 3", cropped, scales(0.5), 13, (1, 1, 1, 3), True), ("half of 2", cropped, scales(0.5), 13, (1, 1, 1, 2), False),
        ("three quarters of 4, nearest", nearest, scales(0.75), 10, (1, 1, 1, 4), True), ("half of 4, nearest", nearest, scales(0.5), 10, (1, 1, 1, 4), False),
        ("half more, nearest", nearest, scales(1.5), 10, (1, 1, 1, 4), False), ("three quarters of 4, linear", earlier_linear, scales(0.75), 10, (1, 1, 1, 4), False),
        ("a window beyond 4", valid, [], 12, (1, 1, 1, 4), True), ("windows of 6", valid, [], 12, (1, 1, 1, 6), False),
        ("dilated windows", dilated, [], 12, (1, 1, 1, 4), True), ("close windows", close, [], 12, (1, 1, 1, 4), False),
        ("halves of 1", halves, [], 18, (1, 1, 1, 1), True), ("halves of 3", halves, [], 18, (1, 1, 1, 3), False)]:
    found = beside(name, call, weights, opset, dims)
    checks.that("Identity" not in found and (call.op_type in found or not stays), f"{name}: {found}")
    checks.that(found.count("Relu") == (2 if stays else 1), f"{name}: {found}")


# What Affine multiplies by and adds, where a model does not say: ONNX Runtime takes other numbers than the operator of this name had.
def recurrence(**given):
    graph = helper.make_graph([helper.make_node("RNN", ["x", "w", "r"], ["o"], hidden_size=1, activations=["Affine"], **given)], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 1))], [helper.make_empty_tensor_value_info("o")],
                              [helper.make_tensor(name, TensorProto.FLOAT, (1, 1, 1), [3]) for name in "wr"])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]).SerializeToString())
        (path.parent / "in_x.json").write_text('{"name": "x", "type": "float32", "dims": [1, 1, 1]}')
        (path.parent / "in_x.float32.bin").write_bytes(struct.pack("<f", 5))
        code, _, errors = vouch("run", path, "--io", folder, "--out", folder + "/out")
        return code, errors, struct.unpack("<f", (path.parent / "out" / "out_o.float32.bin").read_bytes())[0] if code == 0 else None


checks.that(recurrence(activation_alpha=[2.0], activation_beta=[1.0])[2] == 31, "2 * (3 * 5) + 1 of what is said")
for given in ({}, {"activation_alpha": [2.0]}, {"activation_beta": [1.0]}):
    code, errors, _ = recurrence(**given)
    checks.that(code == 3 and "alpha and beta of Affine" in errors, f"Affine with {given}: exit {code}: {errors}")
checks.end()

"""What is known before any input is gives types to what a model leaves open: the branch of an If that is taken although both have other
ranks, sizes that are computed through floats, regions of an image. One run does all: a second one fires nothing and writes the same
bytes. Expected outputs by hand and NumPy."""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
node = helper.make_node
X = numpy.arange(-6, 6, dtype=numpy.float32).reshape(1, 3, 2, 2)


def ints(name, *values):
    return numpy_helper.from_array(numpy.array(values, numpy.int64), name)


def branch(name, *nodes):
    """The last node gives the result; its type is left open."""
    result = onnx.ValueInfoProto()
    result.name = nodes[-1].output[0]
    return helper.make_graph(list(nodes), name, [], [result])


def operators(graph):
    found = []
    for each in graph.node:
        found += [each.op_type] if each.op_type != "Constant" else []
        for attribute in each.attribute:
            found += operators(attribute.g) if attribute.type == onnx.AttributeProto.GRAPH else []
    return sorted(found)


def check(name, nodes, constants, expected, left, opset=13, outputs=("y",), runs=True):
    given = [onnx.ValueInfoProto() for _ in outputs]
    for info, output in zip(given, outputs):
        info.name = output
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)], given, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        onnx.save(model, str(folder / "model.onnx"))
        numpy.save(folder / "in_x.npy", X)
        for output, value in zip(outputs, expected if runs else ()):
            numpy.save(folder / f"out_{output}.npy", value)
        first, second, trace = folder / "first.onnx", folder / "second.onnx", folder / "trace.json"
        told = {}
        for source, written, more in ((folder / "model.onnx", first, ("--trace", trace)), (first, second, ())):
            code, out, errors = vouch("optimize", source, "--rules", root / "rules", "-o", written, "--json", "-", *more,
                                       *(("--io", folder) if runs else ()))
            checks.that(code == 0, f"{name}: exit {code}: {out[-300:]}{errors}")
            told = json.loads(out) if code == 0 else {}
        if not told:
            return
        checks.that(told["rewrites"] == 0, f"{name}: a second run fires {[rule for rule in told['rules'] if rule['fired']]}")
        checks.that(first.read_bytes() == second.read_bytes(), f"{name}: a second run writes other bytes")
        checks.that(operators(onnx.load(str(first)).graph) == sorted(left), f"{name}: {operators(onnx.load(str(first)).graph)} is left")
        code, _, errors = vouch("optimize", folder / "model.onnx", "--rules", root / "rules", "--replay", trace, "-o", second)
        checks.that(code == 0 and first.read_bytes() == second.read_bytes(), f"{name}: replayed: exit {code}: {errors}")


# A flag that two conversions hide; the branch that is not taken gives another rank, and both name their values alike.
hidden = [node("Cast", ["flag"], ["f"], to=TensorProto.FLOAT), node("Cast", ["f"], ["c"], to=TensorProto.BOOL)]
flat = branch("flat", node("Neg", ["x"], ["inner"]), node("Reshape", ["inner", "all"], ["result"]))
whole = branch("whole", node("Abs", ["x"], ["inner"]), node("Relu", ["inner"], ["again"]), node("Relu", ["again"], ["result"]))
for flag, left, value in ((0, ["Abs", "Relu", "Tanh"], numpy.tanh(abs(X))), (1, ["Neg", "Reshape", "Tanh"], numpy.tanh(-X.reshape(-1)))):
    check(f"branches_of_two_ranks_{flag}", [*hidden, node("If", ["c"], ["r"], then_branch=flat, else_branch=whole), node("Tanh", ["r"], ["y"])],
          [ints("flag", flag), ints("all", -1)], [value], left)
# Names that the graph around has as well, and a conditional within a branch.
inside = branch("inside", node("Neg", ["x"], ["s"]), node("If", ["c"], ["t"], then_branch=flat, else_branch=whole), node("Sin", ["t"], ["result2"]))
check("branch_in_branch", [*hidden, node("If", ["c"], ["r"], then_branch=flat, else_branch=inside), node("Relu", ["x"], ["inner"]),
                           node("Tanh", ["r"], ["y"])], [ints("flag", 0), ints("all", -1)],
      [numpy.tanh(numpy.sin(abs(X))), numpy.maximum(X, 0)], ["Abs", "Relu", "Relu", "Sin", "Tanh"], outputs=("y", "inner"))
# Scales that a model works out of its own sizes, rounded down.
scale = [node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "at"], ["height"]), node("Cast", ["height"], ["h"], to=TensorProto.FLOAT),
         node("Mul", ["h", "two"], ["twice"]), node("Floor", ["twice"], ["floor"]), node("Div", ["floor", "h"], ["by"]),
         node("Concat", ["ones", "by", "by"], ["scales"], axis=0)]
check("scales_of_sizes", [*scale, node("Upsample", ["x", "scales"], ["u"], mode="nearest"), node("Conv", ["u", "w"], ["y"])],
      [ints("at", 2), numpy_helper.from_array(numpy.array(2, numpy.float32), "two"), numpy_helper.from_array(numpy.ones(2, numpy.float32), "ones"),
       numpy_helper.from_array(numpy.ones((1, 3, 1, 1), numpy.float32), "w")],
      [X.repeat(2, 2).repeat(2, 3).sum(1, keepdims=True)], ["Conv", "Upsample"], opset=9)
# An image with its channels last between convolutions; the largest of a window, then what is positive.
vector = numpy.array([1, -2, 0.5], numpy.float32)
last = [node("Sin", ["x"], ["a"]), node("Transpose", ["a"], ["b"], perm=[0, 2, 3, 1]), node("Add", ["b", "k"], ["c"]), node("Relu", ["c"], ["d"]),
        node("Transpose", ["d"], ["e"], perm=[0, 3, 1, 2]), node("MaxPool", ["e"], ["f"], kernel_shape=[2, 2]), node("Cos", ["f"], ["y"])]
check("pool_between_transposes", last, [numpy_helper.from_array(vector, "k")],
      [numpy.cos(numpy.maximum((numpy.sin(X) + vector[:, None, None]).max((2, 3), keepdims=True), 0))],
      ["Sin", "Add", "MaxPool", "Relu", "Cos"])
# What nobody reads is no reader.
check("unread", [node("Relu", ["x"], ["a"]), node("Neg", ["a"], ["b"]), node("Relu", ["a"], ["c"]), node("Sin", ["c"], ["y"])], [],
      [numpy.sin(numpy.maximum(X, 0))], ["Relu", "Sin"])
# A row of conditionals, each with the same names inside.
row = []
for k in range(20):
    last = f"v{k - 1}" if k else "x"
    row.append(node("If", ["c"], [f"v{k}"], then_branch=branch("other", node("Unsqueeze", [last, "zero"], ["result"])),
                    else_branch=branch("one", node("Relu", [last], ["result"]))))
check("row_of_branches", [*hidden, *row, node("Sin", ["v19"], ["y"])], [ints("flag", 0), ints("zero", 0)], [numpy.sin(numpy.maximum(X, 0))],
      ["Relu", "Sin"])
# Calls that stay as they are, whose results have the types that ONNX says.
constant = numpy_helper.from_array
regions = [node("RoiAlign", ["x", "rois", "images"], ["r"], output_height=2, output_width=3), node("Shape", ["r"], ["s"]),
           node("Gather", ["s", "first"], ["k"]), node("Concat", ["k", "rest"], ["to"], axis=0), node("Reshape", ["r", "to"], ["f"]), node("Tanh", ["f"], ["y"])]
check("regions", regions, [constant(numpy.ones((2, 4), numpy.float32), "rois"), ints("images", 0, 0), ints("first", 0), ints("rest", 18)], [None],
      ["RoiAlign", "Reshape", "Tanh"], opset=16, runs=False)
turned = [node("Transpose", ["g"], ["a"], perm=[0, 2, 3, 1]), node("Transpose", ["a"], ["b"], perm=[0, 3, 1, 2]), node("Tanh", ["b"], ["y"])]
check("points", [node("GridSample", ["x", "grid"], ["g"]), *turned], [constant(numpy.zeros((1, 5, 7, 2), numpy.float32), "grid")], [None],
      ["GridSample", "Tanh"], opset=16, runs=False)
kept = [node("NonMaxSuppression", ["boxes", "scores"], ["g"]), node("Transpose", ["g"], ["a"], perm=[1, 0]),
        node("Transpose", ["a"], ["b"], perm=[1, 0]), node("Cast", ["b"], ["c"], to=TensorProto.INT64), node("Neg", ["c"], ["y"])]
check("kept_boxes", kept, [constant(numpy.zeros((1, 2, 4), numpy.float32), "boxes"), constant(numpy.zeros((1, 1, 2), numpy.float32), "scores")],
      [None], ["NonMaxSuppression", "Neg"], runs=False)
# A sequence that is handed on is the sequence.
check("sequence_handed_on", [node("SequenceConstruct", ["x", "x"], ["s"]), node("Identity", ["s"], ["t"]), node("SequenceAt", ["t", "at"], ["v"]),
                             node("Tanh", ["v"], ["y"])], [numpy_helper.from_array(numpy.array(0, numpy.int64), "at")], [numpy.tanh(X)],
      ["SequenceConstruct", "SequenceAt", "Tanh"], runs=False)
checks.end()

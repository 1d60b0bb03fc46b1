"""What is not known stays as it is: never merged, folded, duplicated or dropped, while everything around it is rewritten."""
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
pair = [2, 3]


def value(name, shape=pair, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), opset=13, **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers), **more)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.acme", 1)])
    made.ir_version = 8
    return made


def optimized(name, made, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "o.onnx"
        path.write_bytes(made.SerializeToString())
        code, _, errors = vouch("optimize", path, "--rules", root / "rules", "--allow-unproven", "-o", out, *arguments)
        checks.that(code == 0, f"{name}: exit {code}: {errors}")
        return onnx.load_from_string(out.read_bytes()) if code == 0 else made


def operators(made):
    return sorted(node.op_type for node in made.graph.node)


# Two draws of one form, and two states: their difference is not zero. Around them two identities go.
draws = [helper.make_node("RandomNormal", [], [f"r{k}"], shape=pair) for k in (0, 1)]
states = [helper.make_node("Counter", ["x"], [f"s{k}"], domain="com.acme") for k in (0, 1)]
around = [helper.make_node("Identity", ["r0"], ["i0"]), helper.make_node("Identity", ["s0"], ["j0"]),
          helper.make_node("Sub", ["i0", "r1"], ["d"]), helper.make_node("Sub", ["j0", "s1"], ["e"]),
          helper.make_node("Add", ["d", "e"], ["y"])]
typed = [value(f"r{k}") for k in (0, 1)] + [value(f"s{k}") for k in (0, 1)]
done = optimized("draws", model(draws + states + around, [value("x")], [value("y")], value_info=typed))
checks.that(operators(done) == ["Add", "Counter", "Counter", "RandomNormal", "RandomNormal", "Sub", "Sub"],
            f"draws: {operators(done)}")

# A normalisation that trains has three results, whoever reads them.
moments = [helper.make_tensor(name, TensorProto.FLOAT, [3], [1.0] * 3) for name in ("s", "b", "m", "v")]
trains = helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y", "running_mean", "running_variance"], training_mode=1)
done = optimized("trains", model([trains], [value("x")], [value("y")], moments, opset=15))
checks.that([list(node.output) for node in done.graph.node] == [list(trains.output)], f"trains: {done.graph.node}")

# On constants alone it is not folded, and what it gives is not known.
weight = helper.make_tensor("w", TensorProto.FLOAT, pair, [1.0] * 6)
frob = helper.make_node("Frobnicate", ["w"], ["f"], domain="com.acme")
done = optimized("constants", model([frob, helper.make_node("Mul", ["f", "x"], ["y"])], [value("x")], [value("y")], [weight]))
checks.that(operators(done) == ["Frobnicate", "Mul"], f"constants: {operators(done)}")

# A branch that draws: the If stays one, and its condition is not looked through.
branches = {name: helper.make_graph([helper.make_node("RandomUniform", [], [f"{name}_out"], shape=pair)], name, [],
                                    [value(f"{name}_out")]) for name in ("then_branch", "else_branch")}
ifs = [helper.make_node("If", ["c"], [f"y{k}"], **branches) for k in (0, 1)]
ends = [helper.make_node("Sub", ["y0", "y1"], ["y"])]
done = optimized("branches", model(ifs + ends, [value("c", [], TensorProto.BOOL)], [value("y")]))
checks.that(operators(done) == ["If", "If", "Sub"], f"branches: {operators(done)}")

# Branches that differ in rank give something of no known type; sequences are no tensors.
branches = {"then_branch": helper.make_graph([helper.make_node("Relu", ["x"], ["a"])], "t", [], [value("a")]),
            "else_branch": helper.make_graph([helper.make_node("ReduceMax", ["x"], ["b"], keepdims=0)], "e", [], [value("b", [])])}
nodes = [helper.make_node("Identity", ["x"], ["copy"]), helper.make_node("If", ["c"], ["z"], **branches),
         helper.make_node("SequenceConstruct", ["copy", "z"], ["s"]), helper.make_node("SequenceLength", ["s"], ["n"])]
done = optimized("ranks", model(nodes, [value("x"), value("c", [], TensorProto.BOOL)], [value("n", [], TensorProto.INT64)]))
checks.that(operators(done) == ["If", "SequenceConstruct", "SequenceLength"], f"ranks: {operators(done)}")
checks.that(done.graph.node[1].input[0] == "x", "what a foreign node reads is rewritten around it")

# A 1 KB model of doubling Concats is not folded into gigabytes.
nodes = [helper.make_node("Concat", [f"v{k}", f"v{k}"], [f"v{k + 1}"], axis=0) for k in range(28)]
start = helper.make_tensor("v0", TensorProto.FLOAT, [2], [1.0, 2.0])
done = optimized("doubling", model(nodes, [value("x")], [value("v28", None)], [start]))
checks.that(len(done.SerializeToString()) < 40 << 20, f"doubling: {len(done.SerializeToString())} bytes")

# Very many attributes, captured values and levels cost time and memory in proportion.
many = helper.make_node("Frobnicate", ["x"], ["y"], domain="com.acme", **{f"a{k}": k for k in range(100000)})
optimized("attributes", model([many], [value("x")], [value("y")]))
count = 20000
outer = [helper.make_node("Relu", ["x"], [f"v{k}"]) for k in range(count)]
inner = [helper.make_node("Neg", [f"v{k}"], [f"n{k}"]) for k in range(count)]
inner += [helper.make_node("Add", [f"n{k}" if k == 0 else f"t{k}", f"n{k + 1}"], [f"t{k + 1}"]) for k in range(count - 1)]
branches = {"then_branch": helper.make_graph(inner, "t", [], [value(f"t{count - 1}")]),
            "else_branch": helper.make_graph([helper.make_node("Neg", ["v0"], ["e"])], "e", [], [value("e")])}
optimized("captures", model(outer + [helper.make_node("If", ["c"], ["y"], **branches)],
                            [value("x"), value("c", [], TensorProto.BOOL)], [value("y")]))


def nested(depth):
    if depth == 0:
        return [helper.make_node("Relu", ["x"], ["r0"])]
    then = helper.make_graph(nested(depth - 1), f"t{depth}", [], [value(f"r{depth - 1}")])
    other = helper.make_graph([helper.make_node("Neg", ["x"], [f"e{depth}"])], f"e{depth}", [], [value(f"e{depth}")])
    return [helper.make_node("If", ["c"], [f"r{depth}"], then_branch=then, else_branch=other)]


def untyped_operands(schema, typed):
    """A call of an operator of ONNX whose operands, the first `typed` of them apart, are what an unknown operator gives, of which nothing is said."""
    fill = {"INT": 1, "INTS": [0], "FLOAT": 1.0, "FLOATS": [1.0], "STRING": "i->i" if schema.name == "Einsum" else "S", "STRINGS": ["S"]}
    needed = {name: fill.get(attribute.type.name) for name, attribute in schema.attributes.items() if attribute.required}
    if None in needed.values():
        return None  # graphs and types: these are tried above
    operands = ["x" if k < typed else f"u{k}" for k in range(max(schema.min_input, 1))]
    makers = [helper.make_node("Frobnicate", ["x"], [f"u{k}"], domain="com.acme") for k in range(len(operands))]
    return makers + [helper.make_node(schema.name, operands, ["y"], **needed)]


# Whatever operator is given a value of which nothing is known: it stays, whether its type is computed or its result is opaque.
tried = 0
for schema in onnx.defs.get_all_schemas():
    if schema.domain == "" and not schema.deprecated and schema.min_input > 0 and schema.min_output > 0:
        for typed in range(min(schema.min_input, 2)):
            nodes = untyped_operands(schema, typed)
            if nodes:
                tried += 1
                result = helper.make_empty_tensor_value_info("y")
                done = optimized(f"{schema.name} with {typed} typed", model(nodes, [value("x")], [result], opset=onnx.defs.onnx_opset_version()))
                # An Identity of what has no type only names it.
                checks.that((schema.name in operators(done)) == (schema.name != "Identity" or typed > 0), f"{schema.name} with {typed} typed: {operators(done)}")
checks.that(tried > 150, f"only {tried} operators were tried")

# A recurrence over what is untyped, with weights that are known, as voice detectors have it.
for operator, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    weights = [helper.make_tensor("w", TensorProto.FLOAT, [1, gates * 2, 3], [0.5] * gates * 6),
               helper.make_tensor("r", TensorProto.FLOAT, [1, gates * 2, 2], [0.5] * gates * 4)]
    nodes = [helper.make_node("Frobnicate", ["x"], ["u"], domain="com.acme"), helper.make_node(operator, ["u", "w", "r"], ["y"], hidden_size=2)]
    done = optimized(operator, model(nodes, [value("x")], [helper.make_empty_tensor_value_info("y")], weights))
    checks.that(operators(done) == sorted(["Frobnicate", operator]), f"{operator}: {operators(done)}")

# Operators on features are typed as ONNX says: the numbers of classes need no conversion, and the label no copy.
features = [helper.make_node("Scaler", ["x"], ["s"], domain="ai.onnx.ml", offset=[0.5] * 3, scale=[1.0, 2.0, 1.0]),
            helper.make_node("LinearClassifier", ["s"], ["l", "p"], domain="ai.onnx.ml", classlabels_ints=[0, 1], coefficients=[1.0] * 6,
                             intercepts=[0.0, 1.0], multi_class=1, post_transform="SOFTMAX"),
            helper.make_node("Normalizer", ["p"], ["y"], domain="ai.onnx.ml", norm="L1"),
            helper.make_node("Cast", ["l"], ["c"], to=TensorProto.INT64), helper.make_node("Identity", ["c"], ["label"])]
made = model(features, [value("x")], [value("label", ["n"], TensorProto.INT64), value("y", ["n", 2])])
made.opset_import.add(domain="ai.onnx.ml", version=1)
done = optimized("features", made)
checks.that(operators(done) == ["LinearClassifier", "Normalizer", "Scaler"], f"features: {operators(done)}")
checks.that([output.name for output in done.graph.output] == ["label", "y"], "features: outputs keep their names")

# A declaration that an operator of ONNX contradicts is no reason to drop what reshapes: x is 2 x 3, and is declared to come out as 3 x 2.
numbers = lambda name, kind, shape, values: helper.make_tensor(name, kind, shape, values)
shaped = numbers("s", TensorProto.INT64, [2], [3, 2])
indices, three = numbers("i", TensorProto.INT64, pair, [0] * 6), numbers("k", TensorProto.INT64, [1], [3])
half, true = numbers("h", TensorProto.FLOAT, [], [0.5]), numbers("t", TensorProto.BOOL, [], [True])
of_x = lambda op, *more, outputs=("a",), **attributes: [helper.make_node(op, ["x", *more], list(outputs), **attributes)]
to_bits = [helper.make_node("Cast", ["x"], ["u"], to=TensorProto.UINT32)]
from_bits = [helper.make_node("Cast", ["v"], ["a"], to=TensorProto.FLOAT)]
for name, nodes in [
        ("LeakyRelu", of_x("LeakyRelu", alpha=-0.0)), ("Elu", of_x("Elu", alpha=float("nan"))), ("TopK", of_x("TopK", "k", outputs=("a", "j"))),
        ("ScatterElements", of_x("ScatterElements", "i", "x")), ("Dropout", of_x("Dropout", "h", "t")), ("Bernoulli", of_x("Bernoulli")),
        ("RandomNormalLike", of_x("RandomNormalLike")), ("LpNormalization", of_x("LpNormalization")),
        ("IsNaN", [helper.make_node("IsNaN", ["x"], ["v"])] + from_bits),
        ("BitShift", to_bits + [helper.make_node("BitShift", ["u", "u"], ["v"], direction="LEFT")] + from_bits)]:
    nodes = nodes + [helper.make_node("Reshape", ["a", "s"], ["b"]), helper.make_node("Relu", ["b"], ["y"])]
    done = optimized(f"{name} declared otherwise", model(nodes, [value("x")], [value("y", [3, 2])], [shaped, indices, three, half, true], opset=15,
                                                         value_info=[value("a", [3, 2])]))
    checks.that("Reshape" in operators(done), f"{name} declared otherwise: {operators(done)}")

optimized("levels", model(nested(20), [value("x"), value("c", [], TensorProto.BOOL)], [value("r20")]))
checks.end()

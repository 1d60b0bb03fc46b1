"""What is written is accepted by ONNX's own checker: every real model, rewritten, and small graphs of every operator.

The checker knows the operator sets up to that of its release. Where the written model needs a newer one (Gelu and Mish are
younger than set 17), those operators are replaced by their definition and the rest is checked in the checker's newest set;
what cannot be replaced is counted and named. A model that the checker's set can hold must not ask for a newer one.
"""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
    from onnx import checker, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root / ".." / "shared" / "data" / "models"
cases = pathlib.Path("/usr/share/libonnx-testdata/data/node")
NEWEST = onnx.defs.onnx_opset_version()
ALL = "all" in sys.argv[3:]
MOST_CASES = 3 if ALL else 1  # of one operator
# Operators that a graph cannot hold by themselves or alone: results of others, and what holds graphs.
NOT_ALONE = {"DropoutMask", "MaxPoolIndices", "BatchNormalizationMean", "BatchNormalizationVariance", "LayerNormalizationMean",
             "LayerNormalizationInvStdDev", "SkipLayerNormalizationSum", "SkipSimplifiedLayerNormalizationSum",
             "SoftmaxCrossEntropyLossLogProbability", "AttentionPresentKey", "AttentionPresentValue", "AttentionScores", "foreign"}
# ONNX Runtime's, though it stands in ONNX's domain, of which the checker wants to know every operator.
OF_RUNTIME = {"SimplifiedLayerNormalization"}
checks = Checks()
newer = []  # what the checker is too old for
lowered = []


def known(node):
    try:
        schema = onnx.defs.get_schema(node.op_type, NEWEST, "")
    except onnx.defs.SchemaError:
        return False
    return all(a.name in schema.attributes for a in node.attribute) and len(node.input) <= schema.max_input


def constant_of(model, name):
    """The numbers of an initialiser or Constant node, or None."""
    for tensor in model.graph.initializer:
        if tensor.name == name:
            return numpy_helper.to_array(tensor)
    for node in model.graph.node:
        if node.op_type == "Constant" and node.output[0] == name:
            return numpy_helper.to_array(node.attribute[0].t)
    return None


def lower(model, node, k):
    """Gelu and Mish by older operators, reductions with their axes as an attribute; None for others."""
    x, y = node.input[0], node.output[0]
    names = [f"{y}.lowered_{k}_{i}" for i in range(6)]
    if node.op_type == "Gelu":
        one, two = names[0], names[1]
        return [helper.make_node("CastLike", ["lowered_one", x], [one]), helper.make_node("CastLike", ["lowered_two", x], [two]),
                helper.make_node("Erf", [x], [names[2]]), helper.make_node("Add", [names[2], one], [names[3]]),
                helper.make_node("Mul", [x, names[3]], [names[4]]), helper.make_node("Div", [names[4], two], [y])]
    if node.op_type == "Mish":
        return [helper.make_node("Softplus", [x], [names[0]]), helper.make_node("Tanh", [names[0]], [names[1]]),
                helper.make_node("Mul", [x, names[1]], [y])]
    if node.op_type.startswith("Reduce") and len(node.input) == 2:
        axes = constant_of(model, node.input[1])
        keep = [a.i for a in node.attribute if a.name == "keepdims"] or [1]
        if axes is not None:
            return [helper.make_node(node.op_type, [x], [y], axes=[int(a) for a in axes], keepdims=keep[0])]
    return None


def in_newest_known_set(model, what):
    """The model in the checker's newest set, or None if an operator has no form there."""
    nodes = []
    for k, node in enumerate(model.graph.node):
        if known(node):
            nodes.append(node)
            continue
        parts = lower(model, node, k)
        if parts is None:
            newer.append(f"{what}: {node.op_type}")
            return None
        nodes += parts
        lowered.append(f"{what}: {node.op_type}")
    old = onnx.ModelProto()
    old.CopyFrom(model)
    del old.graph.node[:]
    old.graph.node.extend([helper.make_node("Constant", [], ["lowered_one"], value_float=1.0),
                           helper.make_node("Constant", [], ["lowered_two"], value_float=2.0)] + nodes)
    old.ir_version = min(old.ir_version, onnx.IR_VERSION)
    next(e for e in old.opset_import if e.domain == "").version = NEWEST
    return old


def opset_of(model):
    return next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))


def check(path, what, own=0):
    """`own`: the set of the model that was read, which is written again."""
    model = onnx.load(str(path))
    opset = opset_of(model)
    if any(node.op_type in OF_RUNTIME for node in model.graph.node):
        newer.append(f"{what}: ONNX Runtime's")
        return
    if opset > NEWEST:
        nested = any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for n in model.graph.node for a in n.attribute)
        checks.that(opset <= own or nested or not all(known(node) for node in model.graph.node),
                    f"{what}: set {opset} is asked for, though {NEWEST} has every operator of it")
        model = in_newest_known_set(model, what)
        if model is None:
            return
    try:
        checker.check_model(model, full_check=True)
        checks.that(True, what)
    except Exception as error:  # the checker has several kinds, one of them C++'s
        checks.that(False, f"{what}: {str(error)[:300]}")


def check_models(folder):
    for path in sorted(models.glob("*/model.onnx")):
        written = folder / "model.onnx"
        code, _, errors = vouch("optimize", path, "--rules", root / "rules", "--allow-unproven", "-o", written)
        checks.that(code == 0, f"{path}: exit {code}: {errors}")
        if code == 0:
            check(written, path.parent.name, opset_of(onnx.load(str(path))))


def rewritten(source, written, nothing):
    code, _, errors = vouch("optimize", source, "--rules", nothing, "--no-fold", "-o", written)
    return code == 0, errors


def check_operators(folder):
    """Operators with Debian's conformance cases by these, the others by the graphs of onnx_checker_graphs.json."""
    nothing, written = folder / "none.gsl", folder / "written.onnx"
    nothing.write_text("// no rules\n")
    by_operator = {}
    if cases.is_dir():
        for path in cases.glob("*/model.onnx"):
            nodes = onnx.load(str(path)).graph.node
            if len(nodes) == 1:
                by_operator.setdefault(nodes[0].op_type, []).append((path.stat().st_size, path))
    graphs = json.loads((pathlib.Path(__file__).parent / "onnx_checker_graphs.json").read_text())
    code, text, errors = vouch("ops")
    checks.that(code == 0, errors)
    for operator in (line.split("(")[0] for line in text.splitlines()):
        done = 0
        for _, path in sorted(by_operator.get(operator, []))[:12]:
            if done == MOST_CASES and not ALL:
                break
            ok, _ = rewritten(path, written, nothing)  # other element types than ours are refused: not the question here
            if ok and done < MOST_CASES:
                check(written, f"{operator} ({path.parent.name})")
                done += 1
        for k, graph in enumerate(graphs.get(operator, [])):
            source = folder / "graph.json"
            refused = graph.pop("refused", None)
            source.write_text(json.dumps({"vouch": 1} | graph))
            ok, errors = rewritten(source, written, nothing)
            if refused:
                checks.that(not ok and operator in errors, f"{operator}: {refused}, yet it is written")
            else:
                checks.that(ok, f"{operator}, graph {k}: {errors[:400]}")
                if ok:
                    check(written, f"{operator}, graph {k}")
            done += 1
        checks.that(done or operator in NOT_ALONE, f"{operator}: no graph of it was written")


with tempfile.TemporaryDirectory() as name:
    check_operators(pathlib.Path(name))
    if models.is_dir():
        check_models(pathlib.Path(name))
    else:
        print(f"the real models are not there, expected in {models}")
print(f"checked with ONNX {onnx.__version__}, operator set {NEWEST}")
for line in sorted(set(lowered)):
    print("newer than the checker, replaced by its definition:", line)
for line in sorted(set(newer)):
    print("newer than the checker, not checked:", line)
checks.end()

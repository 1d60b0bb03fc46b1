"""Inside If, Loop and Scan the same rules fire, through the same gate, and the trace says in which body: it is done again by it, refused
where it was changed, and the written model gives what the model gave."""
import copy
import json
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
rules = root / "rules"
checks = Checks()
node, tensor = helper.make_node, helper.make_tensor
FLOATS = [0.5, -1.25, 2.0, -3.5, 4.25, 0.0]


def value(name, shape=(2, 3), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs, outputs, initializers=()):
    return helper.make_graph(nodes, "g", inputs, outputs, list(initializers))


def model(made, opset=13):
    out = helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)])
    out.ir_version = 8
    return out


def flip(source, between, target):
    return [node("Transpose", [source], [between], perm=[1, 0]), node("Transpose", [between], [target], perm=[1, 0])]


def branch(nodes, result):
    return graph(nodes, [], [value(result)])


def conditional():
    """Each branch has what cancels; one reads what stands around it."""
    then = branch(flip("x", "t1", "t2") + [node("Relu", ["t2"], ["t3"]), node("Relu", ["t3"], ["t4"])], "t4")
    other = branch([node("Add", ["around", "zero"], ["e1"]), node("Neg", ["e1"], ["e2"])], "e2")
    return model(graph([node("Exp", ["x"], ["around"]), node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                       [value("x"), value("c", (), TensorProto.BOOL)], [value("y")],
                       [tensor("zero", TensorProto.FLOAT, [], [0.0])]))


def counters():
    return [value("i", (), TensorProto.INT64), value("going", (), TensorProto.BOOL)]


def loop(body, outputs, carried=("x",)):
    return model(graph([node("Loop", ["n", "", *carried], [name for name, _ in outputs], body=body)],
                       [value("x"), value("n", (), TensorProto.INT64)], [value(name, shape) for name, shape in outputs]))


def collecting():
    """A carried value and one that is collected: how often it runs is not known."""
    body = graph([node("Identity", ["going"], ["on"])] + flip("v", "v1", "v2") +
                 [node("Mul", ["v2", "half"], ["v3"]), node("Relu", ["v3"], ["r"]), node("Relu", ["r"], ["rr"])],
                 [*counters(), value("v")], [value("on", (), TensorProto.BOOL), value("v3"), value("rr")],
                 [tensor("half", TensorProto.FLOAT, [], [0.5])])
    return loop(body, [("y", (2, 3)), ("all", ("m", 2, 3))])


def growing():
    """What is carried has another shape in each iteration: what holds in the first holds no more. The sizes are not declared."""
    untyped = helper.make_tensor_value_info("v", TensorProto.FLOAT, None)
    body = graph([node("Identity", ["going"], ["on"]), node("Shape", ["v"], ["s"]), node("Reshape", ["v", "s"], ["w"]),
                  node("Concat", ["w", "x"], ["v2"], axis=0)],
                 [*counters(), untyped], [value("on", (), TensorProto.BOOL), helper.make_tensor_value_info("v2", TensorProto.FLOAT, None)])
    return loop(body, [("y", ("m", 3))])


def nested():
    """A conditional in a loop's body."""
    then = branch(flip("v", "t1", "t2") + [node("Relu", ["t2"], ["t3"])], "t3")
    other = branch([node("Neg", ["v"], ["e1"]), node("Neg", ["e1"], ["e2"])], "e2")
    body = graph([node("Identity", ["going"], ["on"]), node("Equal", ["i", "one"], ["odd"]),
                  node("If", ["odd"], ["w"], then_branch=then, else_branch=other), node("Mul", ["w", "half"], ["w2"])],
                 [*counters(), value("v")], [value("on", (), TensorProto.BOOL), value("w2")],
                 [tensor("one", TensorProto.INT64, [], [1]), tensor("half", TensorProto.FLOAT, [], [0.5])])
    return loop(body, [("y", (2, 3))])


def longer(name):
    """What is carried grows along a size that the body calls by `name`: where nothing else goes by it, it says nothing."""
    body = graph([node("Identity", ["going"], ["on"]), node("Neg", ["v"], ["v1"]), node("Neg", ["v1"], ["v2"]), node("Concat", ["v2", "x"], ["v3"], axis=0)],
                 [*counters(), value("v", (name, 3))], [value("on", (), TensorProto.BOOL), value("v3", ("longer", 3))])
    made = loop(body, [("y", ("m", 3))])
    made.graph.input[0].CopyFrom(value("x", ("rows", 3)))
    return made


def scanning(state=(3,)):
    """A state and an element of what is scanned: the state keeps its size, or does not."""
    body = graph([node("Mul", ["h", "one"], ["h1"]), node("Add", ["h1", "e"], ["h2"]), node("Transpose", ["h2"], ["c"], perm=[0])],
                 [value("h", state), value("e", (3,))], [value("h2", (3,)), value("c", (3,))],
                 [tensor("one", TensorProto.FLOAT, [], [1.0])])
    return model(graph([node("ReduceSum", ["x", "zero"], ["h0"], keepdims=0), node("Scan", ["h0", "x"], ["y", "all"], body=body, num_scan_inputs=1)],
                       [value("x")], [value("y", (3,)), value("all", (2, 3))], [tensor("zero", TensorProto.INT64, [1], [0])]))


def named():
    """The branch that is known to be taken, whose nodes keep their names."""
    then = branch([node("Exp", ["x"], ["t1"], name="first"), node("Sin", ["t1"], ["t2"], name="second")], "t2")
    return model(graph([node("If", ["known"], ["i"], name="choice", then_branch=then, else_branch=branch([node("Neg", ["x"], ["e"])], "e")),
                        node("Cos", ["i"], ["y"], name="third")], [value("x")], [value("y")], [tensor("known", TensorProto.BOOL, [], [1])]))


def calls(made):
    found = []
    for one in made.node:
        found.append(one.op_type)
        for attribute in one.attribute:
            found += calls(attribute.g) if attribute.HasField("g") else []
    return sorted(found)


x = ("x", "float32", [2, 3], FLOATS)
runs = [("n", "int64", [], [3])]
CASES = {
    "conditional": (conditional, {"Transpose", "Add"}, [x, ("c", "bool", [], [1])]),
    "otherwise": (conditional, {"Transpose", "Add"}, [x, ("c", "bool", [], [0])]),
    "collecting": (collecting, {"Transpose"}, [x, *runs]),
    "growing": (growing, set(), [x, *runs]),
    "longer": (lambda: longer("length"), {"Neg"}, [x, *runs]),
    "longer by a name of x": (lambda: longer("rows"), set(), [x, *runs]),
    "scanning": (scanning, {"Mul", "Transpose"}, [x]),
    "nested": (nested, {"Transpose", "Neg"}, [x, *runs]),
}


def optimize(path, *arguments):
    return vouch("optimize", path, "--rules", rules, *arguments)


def changed(trace, change, path, expected, folder):
    bad = copy.deepcopy(trace)
    change(bad, next(step for step in bad["steps"] if "body" in step and "rule" in step))
    lie, written = folder / "bad.json", folder / "bad.onnx"
    lie.write_text(json.dumps(bad))
    code, _, errors = optimize(path, "-o", written, "--replay", lie)
    checks.that(code == 3 and expected in errors and not written.exists(), f"exit {code}, expected '{expected}' in: {errors}")


def replays(name, path, folder):
    trace, written, again = folder / "t.json", folder / f"{name}.out.onnx", folder / "again.onnx"
    code, out, errors = optimize(path, "-o", written, "--trace", trace, "--json", "-")
    checks.that(code == 0, f"{name}: {errors}")
    code, _, errors = optimize(path, "-o", again, "--replay", trace)
    checks.that(code == 0 and again.read_bytes() == written.read_bytes(), f"{name}: the trace is not done again: {errors}")
    code, second, errors = optimize(written, "--json", "-")
    checks.that(code == 0 and json.loads(second)["rewrites"] == 0, f"{name}: a second run fires: {errors}{second}")
    return json.loads(trace.read_text()), json.loads(out)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    pairs = []
    for name, (make, gone, feeds) in CASES.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(make().SerializeToString())
        trace, summary = replays(name, path, folder)
        left = calls(onnx.load(folder / f"{name}.out.onnx").graph)
        checks.that(not gone & set(left), f"{name}: {left}")
        inside = [step for step in trace["steps"] if "body" in step]
        checks.that(bool(inside) == bool(gone), f"{name}: {len(inside)} steps are in bodies")
        checks.that(sum(rule["fired"] for rule in summary["rules"]) == summary["rewrites"], f"{name}: rules and rewrites differ")
        checks.that(not gone or max(len(step["body"]) for step in inside) == (2 if name == "nested" else 1), f"{name}: depth of bodies")
        pairs.append((name, path, folder / f"{name}.out.onnx", feeds))
        if name == "nested":
            changed(trace, lambda bad, step: step["body"][0].__setitem__(0, 10 ** 6), path, "has no body", folder)
            changed(trace, lambda bad, step: step["body"][0].__setitem__(1, "tail"), path, "has no body 'tail'", folder)
            changed(trace, lambda bad, step: step.pop("body"), path, "", folder)
            changed(trace, lambda bad, step: step.update(hash="0" * 32), path, "no rule of this name and content", folder)
            changed(trace, lambda bad, step: bad["steps"].remove(step), path, "", folder)
    for name, answer in (judge(sys.argv[1], root, folder, pairs) or {}).items():
        checks.that(answer["difference"] == 0, f"{name} in ONNX Runtime: {answer}")

    path = folder / "named.onnx"
    path.write_bytes(named().SerializeToString())
    code, _, errors = optimize(path, "-o", folder / "inlined.onnx")
    names = [(one.name, one.op_type) for one in onnx.load(folder / "inlined.onnx").graph.node] if code == 0 else errors
    checks.that(names == [("first", "Exp"), ("second", "Sin"), ("third", "Cos")], f"the branch that is taken: {names}")

    # A rule that is refused at the top is refused within.
    wrong = folder / "wrong.gsl"
    wrong.write_text("rule no_sign { let x = *; source Neg(x); target x; }")
    code, out, errors = vouch("optimize", folder / "nested.onnx", "--rules", wrong, "--json", "-")
    checks.that(code == 0 and json.loads(out)["rewrites"] == 0, f"an unproven rule fires in a body: {errors}{out}")
    refusals = json.loads(out)["refusals"] if code == 0 else []
    checks.that(any("else_branch" in refusal["node"] for refusal in refusals), f"the refusal does not name the body: {refusals}")
checks.end()

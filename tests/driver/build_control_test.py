"""Conditionals and loops in models that become libraries: both branches and a choice, bodies as often as they run. What is expected
is worked out here, in Python; what depends on data is refused before anything is written."""
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch
from library import C_TYPES, Loaded, compile_shared

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = [0.5, -1.25, 2.0, 3.5]


def info(name, dims, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def graph(name, nodes, inputs, outputs, held=()):
    return helper.make_graph(nodes, name, inputs, outputs, list(held))


def number(name, value, dims=(), kind=FLOAT):
    return helper.make_tensor(name, kind, list(dims), value if isinstance(value, list) else [value])


def model(made):
    path = place / f"{made.name}.onnx"
    onnx.save_model(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def built(made, *words):
    code, out, err = vouch("build", model(made), "-o", place / made.name, *words, limited=False)
    checks.that(code == 0, f"{made.name} is built: exit {code}: {out}{err}")
    if code != 0:
        return None
    library = Loaded(place / made.name, compile_shared(place / made.name, place / f"{made.name}.so"))
    checks.that(not library.by_file or library.load() == 0, f"{made.name}: its weights")
    return library


def gives(library, values, expected, what):
    """`values`: by input; `expected`: by output, exactly."""
    if library is None:
        return
    manifest = library.manifest["inputs"]
    code, found = library.run([(C_TYPES[one["type"]] * one["cells"])(*values[one["name"]]) for one in manifest])
    lists = {name: list(cells) for name, cells in found.items()}
    checks.that(code == 0 and lists == expected, f"{what}: {code}, {lists} where {expected} is expected")


def refused(made, *texts):
    code, out, err = vouch("build", model(made), "-o", place / made.name)
    missing = [text for text in texts if text not in err]
    checks.that(code == 3 and not missing and not (place / made.name).exists(), f"{made.name}: exit {code}, without {missing}: {out}{err}")


def branch(name, nodes, outputs, held=()):
    return graph(name, nodes, [], outputs, held)


def choices():
    """Two results; each branch captures x, one of them a constant of the graph around."""
    then = branch("t", [node("Add", "x x", "a"), node("Less", "x one", "b")], [info("a", [4]), info("b", [4], BOOL)])
    other = branch("e", [node("Sub", "x three", "c"), node("Less", "one x", "d")], [info("c", [4]), info("d", [4], BOOL)], [number("three", 3.0)])
    for name, dims in (("scalar", []), ("one_element", [1])):
        made = graph(name, [node("If", "k", "y z", then_branch=then, else_branch=other)], [info("x", [4]), info("k", dims, BOOL)],
                     [info("y", [4]), info("z", [4], BOOL)], [number("one", 1.0)])
        library = built(made)
        gives(library, {"x": X, "k": [1]}, {"y": [2 * v for v in X], "z": [int(v < 1) for v in X]}, f"{name}, taken")
        gives(library, {"x": X, "k": [0]}, {"y": [v - 3 for v in X], "z": [int(1 < v) for v in X]}, f"{name}, not taken")


def undefined_branch():
    """What is not chosen may be undefined: integers divided by 0, roots of negative numbers, an index beyond its axis."""
    then = branch("t", [node("Div", "n d", "a")], [info("a", [2], INT64)])
    other = branch("e", [node("Identity", "n", "b")], [info("b", [2], INT64)])
    library = built(graph("quotient", [node("Equal", "d none", "e"), node("ReduceMin", "d", "m", keepdims=0), node("Equal", "m none", "k0"),
                                       node("Not", "k0", "k"), node("If", "k", "y", then_branch=then, else_branch=other)],
                          [info("n", [2], INT64), info("d", [2], INT64)], [info("y", [2], INT64)], [number("none", 0, kind=INT64)]))
    gives(library, {"n": [7, 9], "d": [2, 3]}, {"y": [3, 3]}, "quotient, no divisor is 0")
    gives(library, {"n": [7, 9], "d": [2, 0]}, {"y": [7, 9]}, "quotient, a divisor is 0")
    then = branch("t", [node("Gather", "x i", "a")], [info("a", [1])])
    other = branch("e", [node("Identity", "zero", "b")], [info("b", [1])])
    library = built(graph("picked", [node("Less", "i four", "k"), node("If", "k", "y", then_branch=then, else_branch=other)],
                          [info("x", [4]), info("i", [1], INT64)], [info("y", [1])], [number("four", 4, kind=INT64), number("zero", [0.25], [1])]))
    gives(library, {"x": X, "i": [2]}, {"y": [2.0]}, "picked within")
    gives(library, {"x": X, "i": [9]}, {"y": [0.25]}, "picked beyond")


def known():
    """A condition on sizes that --size makes numbers: one branch, and the other may be of another shape. One within another."""
    inner = graph("i", [node("Neg", "x", "a")], [], [info("a", ["n"])])
    deep = graph("d", [node("Abs", "x", "a2")], [], [info("a2", ["n"])])
    then = branch("t", [node("If", "k2", "b", then_branch=inner, else_branch=deep)], [info("b", ["n"])])
    other = branch("e", [node("Concat", "x x", "c", axis=0)], [info("c", [None])])
    made = graph("sizes", [node("Size", "x", "s"), node("Less", "s five", "k"), node("If", "k", "y", then_branch=then, else_branch=other)],
                 [info("x", ["n"]), info("k2", [], BOOL)], [info("y", [None])], [number("five", 5, kind=INT64)])
    library = built(made, "--size", "n=4")
    gives(library, {"x": X, "k2": [1]}, {"y": [-v for v in X]}, "sizes, the inner branch")
    gives(library, {"x": X, "k2": [0]}, {"y": [abs(v) for v in X]}, "sizes, the other inner branch")
    made.name = "longer"
    library = built(made, "--size", "n=6")
    if library is not None:
        checks.that([one["name"] for one in library.manifest["inputs"]][0] == "x", "longer: its inputs")
        given = {"x": [*X, 1.0, 2.0], "k2": [1]}
        gives(library, {one["name"]: given[one["name"]] for one in library.manifest["inputs"]}, {"y": 2 * given["x"]}, "longer")


def looped(name, body_nodes, limit, held=(), trips=3, outer=(), inputs=()):
    """s = s + i * x, with s of each iteration collected."""
    body = graph("body", [node("Cast", "i", "f", to=FLOAT), node("Mul", "f x", "p"), node("Add", "s p", "s2"), node("Identity", "s2", "each"),
                          *body_nodes], [info("i", [], INT64), info("going", [], BOOL), info("s", [4])],
                 [info(limit, [], BOOL), info("s2", [4]), info("each", [4])], list(held))
    first = "m" if trips is not None else ""
    call = helper.make_node("Loop", [first, "", "x"], ["y", "all"], body=body)
    return graph(name, [*outer, call], [info("x", [4]), *inputs], [info("y", [4]), info("all", [None, 4])],
                 [number("m", trips, kind=INT64)] if trips is not None and not inputs else [])


def loops():
    going = [node("Identity", "going", "on")]
    expected = [[v * (1 + sum(range(k + 1))) for v in X] for k in range(3)]
    library = built(looped("counted", going, "on"))
    gives(library, {"x": X}, {"y": expected[2], "all": sum(expected, [])}, "counted")
    until = [node("Less", "i last", "on")]
    library = built(looped("until", until, "on", [number("last", 1, kind=INT64)], trips=None))
    gives(library, {"x": X}, {"y": expected[1], "all": sum(expected[:2], [])}, "until a condition on the iteration")
    data = [node("ReduceSum", "s2", "t", keepdims=0), node("Less", "t last", "on")]
    refused(looped("by_data", data, "on", [number("last", 10.0)]), "node", "depends on data")
    refused(looped("fed", going, "on", inputs=[info("m", [], INT64)]), "how often the loop runs depends on data")
    refused(looped("endless", going, "on", trips=None), "does not end within")


def nested_loops():
    """One within another: each is short enough to be written out, both together are not, and memory is not what ends it."""
    def repeated(name, nodes, inner, outer):
        body = graph(name, [*nodes, node("Identity", f"going_{name}", f"on_{name}")],
                     [info(f"i_{name}", [], INT64), info(f"going_{name}", [], BOOL), info(outer, [4])], [info(f"on_{name}", [], BOOL), info(inner, [4])])
        return helper.make_node("Loop", ["m", "", "x" if outer == "s" else "s"], ["y" if outer == "s" else "t2"], body=body)
    inside = repeated("inner", [node("Add", "t x", "t1")], "t1", "t")
    outside = repeated("outer", [inside], "t2", "s")
    for name, trips in (("few", 3), ("many", 1000)):
        made = graph(name, [outside], [info("x", [4])], [info("y", [4])], [number("m", trips, kind=INT64)])
        if name == "few":
            gives(built(made), {"x": X}, {"y": [v * (1 + trips * trips) for v in X]}, "few within few")
        else:
            refused(made, "node", "more than 65536 calls")


def scans():
    """A running sum from the end along axis 1, each stored along axis 1 in the order of the steps, reversed again; captures b."""
    body = graph("body", [node("Add", "s v", "s1"), node("Mul", "s1 b", "s2"), node("Identity", "s2", "each")], [info("s", [2]), info("v", [2])],
                 [info("s2", [2]), info("each", [2])])
    call = helper.make_node("Scan", ["s0", "x"], ["y", "all"], body=body, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1],
                            scan_output_axes=[-1], scan_output_directions=[1])
    library = built(graph("scanned", [call], [info("s0", [2]), info("x", [2, 3]), info("b", [])], [info("y", [2]), info("all", [2, 3])]))
    x, state, each = [[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], [0.5, 0.25], []
    for step in (2, 1, 0):
        state = [(s + row[step]) * 2.0 for s, row in zip(state, x)]
        each.insert(0, state)
    gives(library, {"s0": [0.5, 0.25], "x": sum(x, []), "b": [2.0]}, {"y": state, "all": [one[k] for k in (0, 1) for one in each]}, "scanned")


def recurrent_in_branch():
    """A recurrence within a branch is unrolled there; with weights of 0 it gives 0."""
    held = [number("w", [0.0] * 8, [1, 8, 1]), number("r", [0.0] * 16, [1, 8, 2])]
    then = branch("t", [node("LSTM", "x w r", "a", hidden_size=2)], [info("a", [3, 1, 1, 2])], held)
    other = branch("e", [node("Identity", "x2", "b")], [info("b", [3, 1, 1, 2])])
    library = built(graph("lstm", [node("If", "k", "y", then_branch=then, else_branch=other)],
                          [info("x", [3, 1, 1]), info("x2", [3, 1, 1, 2]), info("k", [], BOOL)], [info("y", [3, 1, 1, 2])]))
    other_values = [float(k) for k in range(6)]
    gives(library, {"x": [1.0, 2.0, 3.0], "x2": other_values, "k": [1]}, {"y": [0.0] * 6}, "lstm, taken")
    gives(library, {"x": [1.0, 2.0, 3.0], "x2": other_values, "k": [0]}, {"y": other_values}, "lstm, not taken")


choices()
undefined_branch()
known()
loops()
nested_loops()
scans()
recurrent_in_branch()
unlike = branch("e", [node("Concat", "x x", "c", axis=0)], [info("c", [8])])
refused(graph("unlike", [node("If", "k", "y", then_branch=branch("t", [node("Neg", "x", "a")], [info("a", [4])]), else_branch=unlike)],
              [info("x", [4]), info("k", [], BOOL)], [info("y", [None])]), "node", "the branches give float32[4] and float32[8]")
shutil.rmtree(place)
checks.end()

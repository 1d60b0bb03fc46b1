"""Scan, as ONNX has it since opset 9: what it gives, by numpy; equal where bodies were rewritten inside, and never with another axis,
another direction, other states or another body. Scan of opset 8, which has a batch and `sequence_lens`, stays what its file says."""
import itertools
import json
import sys

from command import Checks, Vouch
from model_pairs import Pairs, model, node, tensor, value

import numpy
import onnx
from onnx import helper, numpy_helper

checks = Checks()
vouch = Vouch(sys.argv[1])
pairs = Pairs(vouch, checks)
LENGTH, WIDTH = 4, 3


def body(steps, inputs=("s", "e", "f", "r"), outputs=("p", "q"), constants=(), width=WIDTH):
    return helper.make_graph(steps, "body", [value(n, (width,)) for n in inputs], [value(n, (width,)) for n in outputs],
                             [tensor("half", [0.5], []), tensor("two", [2.0], []), *constants])


def scan(graph, given, results, inputs, outputs, scanned=1, constants=(), opset=13, **attributes):
    return model([helper.make_node("Scan", given.split(), results.split(), body=graph, num_scan_inputs=scanned, **attributes)],
                 [value(n, s) for n, s in inputs], [value(n, s) for n, s in outputs], constants, opset=opset)


def by_numpy(first, second, x, y, attributes):
    """Of the body p = s/2 + e, q = r - f; collected are p * f and e - r."""
    axes, ways = attributes["scan_input_axes"], attributes["scan_input_directions"]
    columns = [numpy.moveaxis(t, axis, 0)[::-1 if way else 1] for t, axis, way in zip((x, y), axes, ways)]
    s, r, collected = first, second, ([], [])
    for e, f in zip(*columns):
        collected[1].append(e - r)
        s, r = s * numpy.float32(0.5) + e, r - f
        collected[0].append(s * f)
    whole = [numpy.stack(c[::-1] if way else c, axis) for c, way, axis in
             zip(collected, attributes["scan_output_directions"], attributes["scan_output_axes"])]
    return [s, r, *whole]


def tensors(place, named):
    place.mkdir(exist_ok=True)
    for k, (name, array) in enumerate(named):
        (place / f"in_{k}.json").write_text(json.dumps({"name": name, "type": "float32", "dims": list(array.shape)}))
        array.astype("float32").tofile(place / f"in_{k}.float32.bin")
    return place


def run():
    steps = [node("Mul", "s half", "t"), node("Add", "t e", "p"), node("Sub", "r f", "q"), node("Mul", "p f", "g"), node("Sub", "e r", "h")]
    graph = body(steps, ("s", "r", "e", "f"), ("p", "q", "g", "h"))
    draw = numpy.random.default_rng(3)
    done = 0
    for a, b, o, u in itertools.product((0, 1, -1), (0, -1), (0, 1, -1), (0, -2)):
        for ways in ((0, 0), (1, 0), (0, 1), (1, 1)):
            attributes = {"scan_input_axes": [a, b], "scan_input_directions": ways, "scan_output_axes": [o, u], "scan_output_directions": ways[::-1]}
            form = lambda axis: (LENGTH, WIDTH) if axis in (0, -2) else (WIDTH, LENGTH)
            made = scan(graph, "i j x y", "s r g h", [("i", (WIDTH,)), ("j", (WIDTH,)), ("x", form(a)), ("y", form(b))],
                        [("s", (WIDTH,)), ("r", (WIDTH,)), ("g", form(o)), ("h", form(u))], 2, **attributes)
            path = pairs.folder / "run.onnx"
            path.write_bytes(made.SerializeToString())
            given = [("i", draw.normal(size=WIDTH)), ("j", draw.normal(size=WIDTH)), ("x", draw.normal(size=form(a))), ("y", draw.normal(size=form(b)))]
            given = [(name, array.astype("float32")) for name, array in given]
            out = pairs.folder / "out"
            out.mkdir(exist_ok=True)
            code, _, errors = vouch("run", path, "--io", tensors(pairs.folder / "given", given), "--out", out)
            wanted = by_numpy(*(array for _, array in given), attributes)
            found = {}
            for about in out.glob("*.json"):
                told = json.loads(about.read_text())
                found[told["name"]] = numpy.fromfile(out / f"{about.stem}.float32.bin", "float32").reshape(told["dims"])
            same = code == 0 and all(found[n].shape == w.shape and numpy.allclose(found[n], w, 1e-6, 1e-6) for n, w in zip("srgh", wanted))
            checks.that(same, f"{attributes}: {code} {errors}")
            done += 1
    print(f"{done} forms of Scan, as numpy has them")


def one(steps, constants=(), given="i x", initial=(("i", (3,)), ("x", (3, 3))), **attributes):
    """One state; scanned is a square, whose axes have one size."""
    graph = body(steps, ("s", "e"), ("p", "q"), constants)
    return scan(graph, given, "t y", initial, [("t", (3,)), ("y", (3, 3))], **attributes)


KEPT = [node("Mul", "s half", "h"), node("Add", "h e", "p"), node("Sub", "p e", "q")]


def equal():
    doubled, added = [node("Mul", "s two", "d"), node("Sub", "d e", "p"), node("Relu", "p", "q")], [
        node("Add", "s s", "d"), node("Sub", "d e", "p"), node("Relu", "p", "m"), node("Relu", "m", "q")]
    pairs.is_equal("twice and plus itself, and a Relu twice", one(doubled), one(added))
    pairs.is_equal("along the other axis, from its end", one(doubled, scan_input_axes=[1]), one(added, scan_input_axes=[-1]))
    zeros = {"scan_input_axes": [0], "scan_input_directions": [0], "scan_output_axes": [0], "scan_output_directions": [0]}
    pairs.is_equal("what absence means, spelt out", one(KEPT), one(KEPT, **zeros), "equal (exact)")
    for name in ("scan_input_directions", "scan_output_directions", "scan_output_axes", "scan_input_axes"):
        pairs.is_equal(f"{name} in both", one(doubled, **{name: [1]}), one(added, **{name: [1]}))
    weights = numpy.sin(numpy.arange(9, dtype=numpy.float32)).reshape(3, 3)
    folded = [numpy_helper.from_array(weights, "w")], [numpy_helper.from_array((weights * 3).astype("float32"), "w")]
    three = tensor("three", [3.0], [])
    long = [node("MatMul", "s w", "m"), node("Mul", "m three", "d"), node("Add", "d e", "p"), node("Neg", "p", "q")]
    short = [node("MatMul", "s w", "d"), node("Add", "d e", "p"), node("Neg", "p", "q")]
    pairs.is_equal("a factor folded into weights", one(long, [*folded[0], three]), one(short, folded[1]), "equal (real)")
    pairs.never_equal("another factor folded", one(long, [*folded[0], tensor("three", [3.01], [])]), one(short, folded[1]))
    taken = (("i", (3,)), ("x", (3, 3)), ("c", (3,)))
    outside = [node("Add", "s c", "d"), node("Add", "d c", "p"), node("Add", "p e", "q")], [
        node("Mul", "c two", "d"), node("Add", "s d", "p"), node("Add", "e p", "q")]
    pairs.is_equal("what a body captures", *(one(steps, initial=taken) for steps in outside))
    size = (("i", (3,)), ("x", ("n", 3)))
    free = lambda steps: scan(body(steps, ("s", "e"), ("p", "q")), "i x", "t y", size, [("t", (3,)), ("y", ("n", 3))])
    pairs.is_equal("of any length", free(doubled), free(added))
    checks.that("all sizes n" in vouch("equiv", pairs.folder / "a.onnx", pairs.folder / "b.onnx")[1], "and that is said")


def apart():
    for name in ("scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"):
        pairs.never_equal(f"other {name}", one(KEPT), one(KEPT, **{name: [1]}))
    pairs.never_equal("another body", one(KEPT), one([KEPT[0], node("Sub", "h e", "p"), KEPT[2]]))
    pairs.never_equal("what it collects from another step", one(KEPT), one([*KEPT[:2], node("Sub", "s e", "q")]))
    two = lambda steps, given="i j x", outputs=("p", "q", "g"), inputs=("s", "r", "e"): scan(
        body(steps, inputs, outputs), given, "t u y", [("i", (3,)), ("j", (3,)), ("x", (3, 3))], [("t", (3,)), ("u", (3,)), ("y", (3, 3))])
    steps = [node("Mul", "s half", "h"), node("Add", "h e", "p"), node("Sub", "r e", "q"), node("Mul", "p q", "g")]
    pairs.never_equal("states that begin the other way round", two(steps), two(steps, "j i x"))
    pairs.never_equal("states that swap in each step", two(steps), two(steps, outputs=("q", "p", "g")))
    pairs.never_equal("states that the body takes the other way round", two(steps), two(steps, inputs=("r", "s", "e")))
    pairs.is_equal("both the other way round", two(steps), two(steps), "equal (exact)")
    both = lambda given, steps: scan(body(steps, ("e", "f"), ("p",)), given, "y", [("x", (3, 3)), ("z", (3, 3))], [("y", (3, 3))], 2)
    pairs.never_equal("scanned values swapped", both("x z", [node("Sub", "e f", "p")]), both("z x", [node("Sub", "e f", "p")]))


def bad_forms():
    refused = {"a list that is too long": {"scan_input_axes": [0, 1]}, "an axis that is not there": {"scan_input_axes": [2]},
               "a third direction": {"scan_output_directions": [2]}, "more scanned than given": {"scanned": 3}, "none scanned": {"scanned": 0}}
    for name, change in refused.items():
        made = pairs.folder / "bad.onnx"
        made.write_bytes(one(KEPT, **change).SerializeToString())
        code, out, errors = vouch("equiv", made, made)
        checks.that(code in (2, 3) and not out.startswith("equal"), f"{name}: {code} {out}{errors}")


def evidence():
    """A proof is gone through again, and `optimize` writes a Scan that is the one it read."""
    place = pairs.folder / "proof"
    place.mkdir()
    before = one([node("Mul", "s two", "d"), node("Sub", "d e", "p"), node("Relu", "p", "q")])
    after = one([node("Add", "s s", "d"), node("Sub", "d e", "p"), node("Relu", "p", "q")])
    for name, made in (("a", before), ("b", after)):
        (place / f"{name}.onnx").write_bytes(made.SerializeToString())
    code, out, errors = vouch("equiv", place / "a.onnx", place / "b.onnx", "--trace", place / "p.equalities.json")
    checks.that(code == 0 and any(s["by"] == "bodies" for s in json.loads((place / "p.equalities.json").read_text())["steps"]), f"{out}{errors}")
    checks.that(vouch("verify", place)[0] == 0, "verify goes through it again")
    (place / "b.onnx").write_bytes(one(KEPT).SerializeToString())
    checks.that(vouch("verify", place)[0] == 1, "and not for another model")
    written = pairs.folder / "written.onnx"
    captured = one([node("Add", "s c", "d"), node("Add", "d e", "p"), node("Relu", "p", "q")],
                   initial=(("i", (3,)), ("x", (3, 3)), ("c", (3,))), scan_input_axes=[1], scan_output_directions=[1])
    source = pairs.folder / "captured.onnx"
    source.write_bytes(captured.SerializeToString())
    code, out, errors = vouch("optimize", source, "-o", written, "--prove-result")
    checks.that(code == 0 and "equal (exact)" in out, f"written as it was read: {code} {out}{errors}")
    again = onnx.load(str(written))
    onnx.checker.check_model(again)
    kept = [n for n in again.graph.node if n.op_type == "Scan"]
    checks.that(len(kept) == 1 and {a.name: list(a.ints) for a in kept[0].attribute if a.ints} == {"scan_input_axes": [1], "scan_output_directions": [1]},
                f"what is written: {kept}")


def of_opset_8():
    steps = [node("Add", "s e", "p"), node("Sub", "p e", "q")]
    old = lambda way, lengths: model([helper.make_node("Scan", [lengths, "i", "x"], ["t", "y"], body=body(steps, ("s", "e"), ("p", "q")), num_scan_inputs=1,
                                                       directions=[way])], [value("i", (1, 3)), value("x", (1, 3, 3))] + [value("n", (1,), onnx.TensorProto.INT64)] * bool(lengths),
                                     [value("t", (1, 3)), value("y", (1, 3, 3))], opset=8)
    for name, a, b in (("another direction", old(0, ""), old(1, "")), ("with lengths", old(0, "n"), old(1, "n"))):
        pairs.never_equal(f"opset 8, {name}", a, b)
    pairs.verdict(old(0, "n"), old(0, "n"))
    code, out, errors = vouch("equiv", pairs.folder / "a.onnx", pairs.folder / "b.onnx")
    checks.that(code == 2 and "Scan" in out + errors and "no meaning here" in out + errors, f"opset 8, and it is named: {code} {out}{errors}")


for group in (run, equal, apart, bad_forms, evidence, of_opset_8):
    group()
checks.that(pairs.kept_apart >= 12 and pairs.equal >= 10, f"{pairs.kept_apart} pairs kept apart, {pairs.equal} equal")
checks.end()

"""`vouch equiv` option by option and limit by limit: names that are mapped, sizes that are given, progress on a terminal, weights in
files of their own, bodies of loops, reasons of what stays open. What holds is worked out by hand from ONNX's definitions."""
import itertools
import json
import os
import pty
import re
import subprocess
import sys

from command import Checks, Vouch
from model_pairs import BOOL, INT64, Pairs, ints, model, node, tensor, value

import numpy
import onnx
from onnx import helper, numpy_helper

checks = Checks()
vouch = Vouch(sys.argv[1])
pairs = Pairs(vouch, checks)
EXACT = "equal (exact)"


def told(a, b, *options):
    """Verdict, JSON and text."""
    verdict = pairs.verdict(a, b, *options)
    report = pairs.folder / "report.json"
    _, text, errors = vouch("equiv", pairs.folder / "a.onnx", pairs.folder / "b.onnx", *options)
    return verdict, json.loads(report.read_text()) if report.exists() else {}, text + errors


def names():
    difference = lambda first, second, out: model([node("Sub", f"{first} {second}", out)], [value(n) for n in sorted((first, second))], [value(out)])
    a, b = difference("p", "q", "y"), difference("v", "u", "z")  # b's inputs are u, v: by position p is u
    for options, wanted in ((("p=v", "q=u"), EXACT), (("p=u", "q=v"), "different"), ((), "different")):
        given = [word for name in options for word in ("--map", name)]
        verdict, _, text = told(a, b, *given)
        checks.that(verdict == wanted, f"mapped by {options}: {verdict}, expected {wanted}: {text}")
    verdict, _, text = told(a, b, "--map", "p=w")
    checks.that(verdict not in (EXACT, "open") and "--map p=w" in text, f"mapped to what is not there: {verdict} {text}")
    two = lambda first, second: model([node("Relu", "x", first), node("Neg", "x", second)], outputs=[value("y"), value("z")])
    verdict, _, _ = told(two("y", "z"), two("z", "y"), "--map", "y=z", "--map", "z=y")
    checks.that(verdict == EXACT, f"outputs that are mapped: {verdict}")


def sizes():
    flat = lambda rows: model([node("Reshape", "x s")], [value("x", (rows, 4))], [value("y", None)], [ints("s", 1, -1)])
    first = model([node("Slice", "x b e a", "t"), node("Reshape", "t s")], [value("x", ("rows", 4))], [value("y", None)],
                  [ints("b", 0), ints("e", 1), ints("a", 0), ints("s", 1, -1)])
    verdict, _, text = told(flat("rows"), first, "--size", "rows=1")
    checks.that(verdict == EXACT and "rows = 1, as given" in text, f"one row is the first: {verdict} {text}")
    for options in ((), ("--size", "rows=2")):
        verdict, _, text = told(flat("rows"), first, *options)
        checks.that(not verdict.startswith("equal"), f"the first of several rows, {options}: {verdict} {text}")
    verdict, report, text = told(flat("rows"), flat("rows"))
    checks.that(verdict == EXACT and "as given" not in text, f"at all sizes: {verdict} {text}")
    verdict, _, text = told(flat("rows"), flat(3))
    checks.that(verdict == EXACT and "rows = 3, as the second model has it" in text, f"a size that the second model fixes: {verdict} {text}")


def drawn(terminal, *options):
    """What is drawn where standard error is a terminal of that kind."""
    ours, theirs = pty.openpty()
    done = subprocess.Popen([sys.argv[1], "equiv", str(pairs.folder / "a.onnx"), str(pairs.folder / "b.onnx"), *options], stdout=subprocess.PIPE,
                            stderr=theirs, env={**os.environ, "TERM": terminal}, text=True)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    out, _ = done.communicate(timeout=60)
    return done.returncode, out, said.decode()


def progress():
    steps = [node("Tanh", "x" if k == 0 else f"t{k - 1}", f"t{k}") for k in range(50)] + [node("Relu", "t49")]
    verdict, _, _ = told(model(steps), model(steps))
    code, out, said = drawn("xterm")
    counts = [tuple(map(int, pair)) for pair in re.findall(r"\] (\d+)/(\d+)", said)]
    checks.that(code == 0 and out.startswith(verdict), f"on a terminal: {code} {out}")
    checks.that(counts and counts[-1][0] == counts[-1][1] and counts == sorted(counts), f"progress: {said!r}")
    checks.that(said.endswith("\r\033[K"), f"and no trace of it is left: {said!r}")
    checks.that(drawn("dumb")[2] == "", "a terminal that cannot go back gets none")
    checks.that(vouch("equiv", pairs.folder / "a.onnx", pairs.folder / "b.onnx")[2] == "", "and no file either")


def files():
    weights = numpy_helper.from_array(numpy.sin(numpy.arange(400, dtype=numpy.float32)), "c")
    made = model([node("Add", "x c")], [value("x", (400,))], [value("y", (400,))], [weights])
    other = model([node("Sub", "x d")], [value("x", (400,))], [value("y", (400,))], [numpy_helper.from_array(-numpy_helper.to_array(weights), "d")])
    paths = []
    for name, proto in (("c", made), ("d", other)):
        (pairs.folder / name).mkdir()
        paths.append(pairs.folder / name / "m.onnx")
        copy = onnx.ModelProto()
        copy.CopyFrom(proto)
        onnx.save_model(copy, str(paths[-1]), save_as_external_data=True, location="weights.bin", size_threshold=0)
        checks.that((paths[-1].parent / "weights.bin").stat().st_size >= 1600, "the weights are in a file of their own")
    pairs.is_equal("weights in a file of their own, and in the model", paths[0], made, EXACT)
    pairs.is_equal("weights in two files, negated", paths[0], paths[1], "equal")


def turns(step, trips=3):
    body = helper.make_graph([node("Identity", "go", "on"), *step], "body", [value("i", (), INT64), value("go", (), BOOL), value("s")],
                             [value("on", (), BOOL), value("p")], [tensor("two", [2.0], []), tensor("three", [3.0], [])])
    return model([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], constants=[tensor("n", [trips], [], INT64)])


def loops():
    doubled, added = [node("Mul", "s two", "t"), node("Sub", "t x", "p")], [node("Add", "s s", "t"), node("Sub", "t x", "p")]
    pairs.is_equal("twice, and plus itself, in each turn", turns(doubled), turns(added))
    pairs.is_equal("two Relus, and one, in each turn", turns([node("Relu", "s", "t"), node("Relu", "t", "p")]), turns([node("Relu", "s", "p")]))
    pairs.never_equal("three times, and plus itself", turns([node("Mul", "s three", "t"), node("Sub", "t x", "p")]), turns(added))
    pairs.never_equal("and another number of turns", turns(doubled), turns(added, 4))


def bits():
    """MatMul and Add store twice, Gemm once: 1 + 2^-24 is 1 in float32, but 1 + 2^-24 + 2^-24 is not."""
    constants = [tensor("w", [1.0, 1.0], [2, 1]), tensor("b", [2.0 ** -24])]
    of = lambda *nodes: model(list(nodes), [value("x", (1, 2))], [value("y", (1, 1))], constants)
    two, one = of(node("MatMul", "x w", "t"), node("Add", "t b")), of(node("Gemm", "x w b"))
    pairs.is_equal("Gemm, over the reals", two, one, "equal (real)")
    verdict, report, text = told(two, one, "--exact")
    checks.that(verdict == "open" and all(region["reason"] for region in report["open"]) and "over the reals" in text, f"bit for bit: {verdict} {text}")
    given = pairs.folder / "given"
    given.mkdir()
    (given / "in_0.json").write_text(json.dumps({"name": "x", "type": "float32", "dims": [1, 2]}))
    numpy.array([1, 2.0 ** -24], "float32").tofile(given / "in_0.float32.bin")
    results = []
    for side in "ab":
        out = pairs.folder / f"out.{side}"
        out.mkdir()
        vouch("run", pairs.folder / f"{side}.onnx", "--io", given, "--out", out)
        results.append(numpy.fromfile(next(out.glob("*.float32.bin")), "float32")[0])
    checks.that(results == [1.0, numpy.float32(1) + numpy.float32(2.0 ** -23)], f"and the bits are others: {results}")


def limits():
    """Equal, and too large to be shown: open, and why."""
    def product(order):
        terms = [node("Add", f"x c{k}", f"a{k}") for k in range(40)]
        joined = [node("Mul", f"{f'a{order[0]}' if k == 1 else f'm{k - 1}'} a{order[k]}", "y" if k == 39 else f"m{k}") for k in range(1, 40)]
        return model(terms + joined, constants=[tensor(f"c{k}", [1 + k / 64], []) for k in range(40)])
    verdict, report, text = told(product(range(40)), product([*range(20, 40), *range(20)]))
    checks.that(verdict in ("open", "equal (real)"), f"forty factors: {verdict} {text}")
    if verdict == "open":
        checks.that(all(region["reason"] for region in report["open"]) and "too large" in text, f"and which limit ended it: {text}")
    print(f"forty factors in another order: {verdict}")


for group in (names, sizes, progress, files, loops, bits, limits):
    group()
checks.end()

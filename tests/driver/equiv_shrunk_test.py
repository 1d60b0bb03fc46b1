"""The input on which `vouch equiv` shows a difference has few elements that are not 0: of each that is left the difference needs. Zeroing any one
of them makes the models agree, as `vouch run` says; and as many are left as the difference needs by the models' definitions."""
import json
import sys

from command import Checks, Vouch
from model_pairs import Pairs, model, node, tensor, value

import numpy

checks = Checks()
vouch = Vouch(sys.argv[1])
folder = Pairs(vouch, checks).folder
ROUNDING = 1e-5  # of float32, relative to the largest element
CONSTANTS = [tensor("zero", [0.0], []), tensor("half", [0.5], []), tensor("much", [1.5], []), tensor("axes", [0, 1], [2], 7)]


def outputs(path, place):
    out = folder / "out"
    for old in out.glob("*") if out.exists() else ():
        old.unlink()
    out.mkdir(exist_ok=True)
    code, _, errors = vouch("run", path, "--io", place, "--out", out)
    checks.that(code == 0, f"{path} runs: {errors}")
    return [numpy.fromfile(file, "float32").astype(float) for file in sorted(out.glob("*.float32.bin"))]


def differ(paths, place):
    first, second = (outputs(path, place) for path in paths)
    return any(numpy.abs(x - y).max(initial=0) > ROUNDING * max(numpy.abs(x).max(initial=0), 1) for x, y in zip(first, second))


def is_shrunk(name, a, b, needed, shape=(4, 5), names=("x",)):
    of = lambda nodes: model(nodes, [value(n, shape) for n in names], [value("y", None)], CONSTANTS)
    paths = [folder / "a.onnx", folder / "b.onnx"]
    for path, nodes in zip(paths, (a, b)):
        path.write_bytes(of(nodes).SerializeToString())
    place = folder / name.replace(" ", "_")
    code, out, errors = vouch("equiv", *paths, "--repro", place)
    checks.that(code == 1 and out.startswith("different"), f"{name}: {code} {out}{errors}")
    files = sorted(place.glob("in_*.float32.bin"))
    left = [(file, at) for file in files for at in numpy.flatnonzero(numpy.fromfile(file, "float32"))]
    print(f"{name}: {len(left)} elements are not 0")
    checks.that(len(files) == len(names) and len(left) == needed, f"{name}: {len(left)} elements are left, {needed} are needed: {out}")
    checks.that(differ(paths, place), f"{name}: the models differ on it")
    for file, at in left:
        whole = numpy.fromfile(file, "float32")
        fewer = whole.copy()
        fewer[at] = 0
        fewer.tofile(file)
        checks.that(not differ(paths, place), f"{name}: element {at} of {file.name} is not needed")
        whole.tofile(file)


is_shrunk("the absolute value", [node("Relu", "x")], [node("Abs", "x")], 1)
is_shrunk("a bias", [node("Add", "x half")], [node("Add", "x much")], 0)
is_shrunk("scaled", [node("Mul", "x half")], [node("Mul", "x much")], 1)
# Another value only where both are positive.
both = [node("Relu", "x", "p"), node("Relu", "z", "q"), node("Mul", "p q", "r"), node("Mul", "x z", "s"), node("Add", "r s")]
is_shrunk("where two are positive", both, [node("Mul", "x z")], 2, names=("x", "z"))
three = [node("Mul", "x z", "p"), node("Mul", "p w")], [node("Mul", "x z", "p"), node("Mul", "p w", "q"), node("Mul", "q half")]
is_shrunk("a product of three", *three, 3, names=("x", "z", "w"))
# The second input hides what the first shows as long as it is there.
is_shrunk("a difference", [node("Sub", "x z", "d"), node("Relu", "d")], [node("Sub", "x z", "d"), node("Abs", "d")], 1, names=("x", "z"))
# Each element counts once: only its own column sees it.
is_shrunk("a sum over an axis", [node("ReduceSum", "x axes", keepdims=0)], [node("Relu", "x", "p"), node("ReduceSum", "p axes", keepdims=0)], 1)
checks.end()

"""What only finishes the elements of a kernel is done in that kernel's tiles: fewer calls, the bits that `--plain` gives, certificates
that hold, and nodes that are all accounted for. What others read, or what lies elsewhere, stays a call of its own. A transposed
convolution with strides is a plain sum for each residue, and then put together."""
import array
import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

from command import Checks, Vouch, has_prover, users_cache
from library import Loaded, compile_shared, largest_error, node, put_input, tensors, weights

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
chance = random.Random(20)
PROVER = has_prover(vouch.program)
ALL = "all" in sys.argv[3:]  # both ways in which a window meets its strides are verified

CONV = [weights(chance, "w", 16, 8, 3, 3), weights(chance, "b", 16), node("c", "Conv", "x", "w", "b", pads=[1, 1, 1, 1])]
IMAGE = [("x", [1, 8, 14, 14])]
RESIDUAL = [*IMAGE, ("r", [1, 16, 14, 14])]
PRODUCT = [weights(chance, "w", 48, 64), weights(chance, "b", 64), node("m", "MatMul", "x", "w")]
ROWS = [("x", [24, 48])]
WINDOW = [weights(chance, "w", 8, 1, 5, 5), weights(chance, "b", 8), node("c", "Conv", "x", "w", "b", pads=[2, 2, 2, 1], strides=[2, 1], group=8)]


def spread(window, **attributes):
    return [weights(chance, "w", 8, 12, window, window), weights(chance, "b", 12),
            node("t", "ConvTranspose", "x", "w", "b", strides=[2, 2], **attributes), node("y", "Relu", "t")]


PUT_TOGETHER = [["ConvTranspose"]] * 5 + [["Relu"]]
# Inputs, nodes, outputs, and the operators of each call that is no copy.
CASES = {
    "relu": (IMAGE, [*CONV, node("y", "Relu", "c")], ["y"], [["Conv", "Relu"]]),
    "residual": (RESIDUAL, [*CONV, node("s", "Add", "r", "c"), node("y", "Relu", "s")], ["y"], [["Conv", "Add", "Relu"]]),
    "dense": (ROWS, [*PRODUCT, node("s", "Add", "m", "b"), node("y", "Tanh", "s")], ["y"], [["MatMul", "Add", "Tanh"]]),
    "both_read": (IMAGE, [*CONV, node("y", "Relu", "c")], ["y", "c"], [["Conv"], ["Relu"]]),
    "read_twice": (IMAGE, [*CONV, node("e", "Exp", "c"), node("t", "Tanh", "c"), node("y", "Add", "e", "t")], ["y"], [["Conv"], ["Exp"], ["Tanh"], ["Add"]]),
    "elsewhere": (ROWS, [*PRODUCT, node("t", "Transpose", "m", perm=[1, 0]), node("y", "Relu", "t")], ["y"], [["MatMul"], ["Transpose"], ["Relu"]]),
    "window": (IMAGE, [*WINDOW, node("y", "Relu", "c")], ["y"], [["Conv", "Relu"]]),
    "spread": (IMAGE, spread(4, pads=[1, 1, 1, 1]), ["y"], PUT_TOGETHER),
    "spread_odd": (IMAGE, spread(3, pads=[1, 0, 0, 1], output_padding=[1, 0]), ["y"], PUT_TOGETHER),
}


def library_of(name, path, *words):
    code, out, err = vouch("build", path, "-o", place / name, "--no-rules", *words, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    loaded = Loaded(place / name, compile_shared(place / name, place / f"{name}.so"))
    checks.that(not loaded.by_file or loaded.load() == 0, f"{name}: its weights")
    return loaded


def interpreted(name, path, inputs, values):
    io = place / f"{name}_io"
    io.mkdir()
    for (tensor, dims), cells in zip(inputs, values):
        put_input(io, tensor, "float32", dims, cells)
    code, out, err = vouch("run", path, "--io", io, "--out", io)
    checks.that(code == 0, f"{name} is interpreted: {out}{err}")
    return tensors(io, "out_")


for name, (inputs, nodes, outputs, calls) in CASES.items():
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": n, "type": "float32", "dims": d} for n, d in inputs], "nodes": nodes,
                                "outputs": [{"name": value, "value": value} for value in outputs]}))
    library, plain = library_of(name, path), library_of(f"{name}_plain", path, "--plain")
    listed = [[node["op"] for node in call["nodes"]] for call in library.manifest["calls"]]
    listed = [ops for at, ops in enumerate(listed) if not library.manifest["calls"][at]["kernel"].endswith("_pack")]
    checks.that(listed == calls, f"{name}: calls {listed}, expected {calls}")
    values = []
    for _, dims in inputs:
        count = 1
        for n in dims:
            count *= n
        values.append(array.array("f", [chance.choice([chance.uniform(-3, 3), 0.0, -0.0]) for _ in range(count)]))
    given = [(ctypes.c_float * len(one))(*one) for one in values]
    (code, found), (plain_code, other) = library.run(given), plain.run(given)
    checks.that(code == plain_code == 0, f"{name}: codes {code} and {plain_code}")
    expected = interpreted(name, path, inputs, values)
    for output in outputs:
        checks.that(bytes(found[output]) == bytes(other[output]), f"{name}: {output} has other bits than --plain gives")
    error = largest_error(found, {output: expected[output] for output in outputs})
    checks.that(error < 1e-5, f"{name} is {error} off what the interpreter computes in double precision")

if PROVER:
    fused = [place / name for name in ("residual", "dense", "spread_odd", *["spread"] * ALL)]
    with users_cache():
        code, out, err = vouch("verify", *fused, "--trust", limited=False, seconds=600)
    for text in (*(f"^{folder.name} +proven" for folder in fused), r"Add \(1\), Conv \(1\), Relu \(1\)", r"Add \(1\), MatMul \(1\), Tanh \(1\)"):
        checks.that(code == 0 and re.search(text, out, re.M), f"verify says '{text}': exit {code}: {(out + err)[:3000]}")
    copy = place / "lie"
    for what, file, before, after in [("another node", "manifest.json", '"op": "Tanh"', '"op": "Exp"'),
                                      ("a node left out", "manifest.json", r'\{\s*"name": "s",\s*"op": "Add"\s*\},\s*', ""),
                                      ("another ending", "dense_*_matmul_add_tanh.c", "tanhf", "coshf")]:
        shutil.copytree(place / "dense", copy)
        path = next(copy.rglob(file))
        text = path.read_text()
        lie = re.sub(before, after, text)
        checks.that(lie != text, f"no place for {what}")
        path.write_text(lie)
        code, out, err = vouch("verify", copy, limited=False, seconds=600)
        checks.that(code == 1 and path.name in out + err, f"{what}: exit {code}: {(out + err)[:1500]}")
        shutil.rmtree(copy)
else:
    print("not run: coqc or the compiled library is not there, so no library is verified")
shutil.rmtree(place)
checks.end()

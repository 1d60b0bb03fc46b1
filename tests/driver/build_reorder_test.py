"""`vouch build --reorder`: sums that one accumulator would leave waiting have partial sums. The results are those of that order bit for bit, by
every compiler; without the option the bits are those of the order that is written; kernels that have no such sum are as they are. Coq
is asked of the library, whose table says `real` of these kernels; a folder whose recipe says otherwise than its texts is refused."""
import json
import math
import os
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover, users_cache
from library import Loaded, compile_shared, floats, lying_recipes, node
from orders import by_lanes, seq

try:
    import numpy
except ImportError:
    print("not run: NumPy is not there")
    sys.exit(SKIPPED)

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
draw = numpy.random.default_rng(17)
f32 = numpy.float32
ROWS, COLUMNS = 6, 1000
AXES = {"name": "axes", "kind": "constant", "type": "int64", "dims": [1], "data": [1]}


def built(name, nodes, *words, outputs=("y",)):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [ROWS, COLUMNS]}], "nodes": nodes,
                                "outputs": [{"name": one, "value": one} for one in outputs]}))
    code, out, err = vouch("build", path, "-o", place / name, "--name", "lib", "--no-rules", *words)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return place / name, out


def computed(folder, x, compiler="gcc", flags=("-O2", "-fopenmp-simd")):
    given = floats(x.size)
    given[:] = x.flatten().tolist()
    code, outputs = Loaded(folder, compile_shared(folder, folder.with_suffix(f".{compiler}{''.join(flags)}.so"), compiler, flags)).run([given])
    checks.that(code == 0, f"{folder.name} runs: {code}")
    return {name: numpy.array(list(values), f32) for name, values in outputs.items()}


def kernels(folder):
    return {path.name: path.read_text() for path in folder.glob("kernels/*.c")}


x = draw.uniform(-2, 2, (ROWS, COLUMNS)).astype(f32)
MODEL = [AXES, node("s", "ReduceSum", "x", "axes", keepdims=0), node("q", "ReduceSumSquare", "x", "axes", keepdims=0), node("r", "Relu", "x")]
OUTPUTS = ("s", "q", "r")
ours, said = built("ours", MODEL, "--reorder", outputs=OUTPUTS)
plain, said_plain = built("plain", MODEL, outputs=OUTPUTS)
checks.that("reorder  2 of 3 kernels" in said and "reorder" not in said_plain, f"how many kernels are in another order is said: {said}")
header = [(folder / "lib.h").read_text() for folder in (ours, plain)]
checks.that("over the reals they are the same" in header[0] and "over the reals" not in header[1], "the header says it")
checks.that("by lanes of" in (ours / "report.txt").read_text(), "the report says in which order")
every = [computed(ours, x, compiler, flags) for compiler in filter(shutil.which, ("gcc", "clang"))
         for flags in (("-O2", "-fopenmp-simd"), ("-O3", "-fopenmp-simd", "-march=native"), ("-O3", "-fopenmp"))]
checks.that(len({tuple(one[name].tobytes() for name in OUTPUTS) for one in every}) == 1, "compilers give the same bits")
found, written = every[0], computed(plain, x)
width = 16  # and 8 terms that are left
for name, terms in (("s", x), ("q", x * x)):
    wanted = numpy.array([by_lanes(list(row), width) for row in terms], f32)
    checks.that(found[name].tobytes() == wanted.tobytes(), f"{name}, in lanes: {found[name]}, expected {wanted}")
    wanted = numpy.array([seq(list(row)) for row in terms], f32)
    checks.that(written[name].tobytes() == wanted.tobytes(), f"{name}, as it is written: {written[name]}, expected {wanted}")
    exact = [math.fsum(map(float, row)) for row in terms]
    checks.that(numpy.allclose(found[name], exact, rtol=1e-5, atol=1e-4), f"{name}: {found[name]}, exactly {exact}")
checks.that(found["r"].tobytes() == numpy.maximum(x, 0).tobytes(), "what has no sum")
relu = [kernels(built(f"relu{len(words)}", [node("y", "Relu", "x")], *words)[0]) for words in ((), ("--reorder",))]
checks.that(relu[0] == relu[1], "a kernel without such a sum is as it is without the option")
normal = [computed(built(f"softmax{len(words)}", [node("y", "Softmax", "x", axis=1)], *words)[0], x)["y"] for words in ((), ("--reorder",))]
wide = numpy.exp(x.astype(float))
wanted = (wide / wide.sum(axis=1, keepdims=True)).flatten()
checks.that(all(numpy.allclose(one, wanted, rtol=1e-5) for one in normal), "a softmax is near that of doubles in either order")

for words in (["--plain"], ["--fma"], ["--targets", "generic,avx2"]):
    code, out, err = vouch("build", place / "ours.json", "-o", place / "both", "--reorder", *words)
    checks.that(code == 64 or (code != 0 and "--reorder" in out + err), f"--reorder {words}: exit {code}: {out}{err}")
    checks.that(not (place / "both").exists(), f"--reorder {words}: nothing is written")

if has_prover(vouch.program):
    with users_cache():
        code, out, err = vouch("verify", ours, plain, "--json", "-", limited=False, seconds=600)
    told = json.loads(out)
    checks.that(code == 0 and [one["verdict"] for one in told["library_calls"]] == ["proven"] * 2, f"both are certified: exit {code}: {out[:1500]}{err}")
    algebras = {(pathlib.Path(one["folder"]).name, one["algebra"]): one["certified"] for one in told["kernels"]}
    checks.that(algebras == {("ours", "real"): True, ("ours", "exact"): True, ("plain", "exact"): True}, f"in which algebra: {algebras}")
    code, out, err = vouch("verify", "--trust", ours, limited=False, seconds=600)
    checks.that("order of sums" in out and "2 of 3 kernels" in out, f"--trust says it: {out[:1500]}")
else:
    print("Coq was not asked: its compiler or the library is not there")

lying_recipes(checks, vouch, "reorder", ours, plain)
shutil.rmtree(place)
checks.end()

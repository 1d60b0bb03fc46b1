"""`vouch build --reorder`: sums that one accumulator would leave waiting have partial sums. The results are those of that order bit for bit, by
every compiler; without the option the bits are those of the order that is written; kernels that have no such sum are as they are. With --fma
products are not rounded before they are added in that order; with --targets each version adds in it. Coq is asked of the libraries, whose
table says `real` of these kernels and of the calls; a folder whose recipe says otherwise than its texts is refused."""
import json
import math
import os
import pathlib
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover, users_cache
from library import Loaded, compile_shared, floats, lying_recipes, node
from orders import Fused, by_lanes, seq

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
both, said = built("both", MODEL, "--reorder", "--fma", outputs=OUTPUTS)
checks.that("reorder  2 of 3 kernels" in said and "fma      1 of 3" in said, f"both are said: {said}")
few = numpy.concatenate([x[:, :24], x[:, 24:] * f32(1e-3)], axis=1)  # so that roundings of products show in the sums
fused, rounded = computed(both, few), computed(ours, few)
wanted = numpy.array([by_lanes([Fused(v, v) for v in row], width).number() for row in few], f32)
checks.that(fused["q"].tobytes() == wanted.tobytes() != rounded["q"].tobytes(), f"q, in lanes and fused: {fused['q']}, expected {wanted}")
checks.that(fused["s"].tobytes() == rounded["s"].tobytes(), "a sum without products is not fused")
for words, like in ((["--reorder"], rounded), (["--reorder", "--fma"], fused)):
    versions, _ = built(f"versions{len(words)}", MODEL, *words, "--targets", "generic,avx2,avx512", outputs=OUTPUTS)
    checks.that("avx512" in "".join(kernels(versions).values()), "kernels have versions")
    checks.that(all(computed(versions, few)[name].tobytes() == like[name].tobytes() for name in OUTPUTS), f"{words}: versions give the same bits")
checks.that(found["r"].tobytes() == numpy.maximum(x, 0).tobytes(), "what has no sum")
relu = [kernels(built(f"relu{len(words)}", [node("y", "Relu", "x")], *words)[0]) for words in ((), ("--reorder",))]
checks.that(relu[0] == relu[1], "a kernel without such a sum is as it is without the option")
normal = [computed(built(f"softmax{len(words)}", [node("y", "Softmax", "x", axis=1)], *words)[0], x)["y"] for words in ((), ("--reorder",))]
wide = numpy.exp(x.astype(float))
wanted = (wide / wide.sum(axis=1, keepdims=True)).flatten()
checks.that(all(numpy.allclose(one, wanted, rtol=1e-5) for one in normal), "a softmax is near that of doubles in either order")

code, out, err = vouch("build", place / "ours.json", "-o", place / "neither", "--reorder", "--plain")
checks.that(code == 64 and "--reorder" in out + err, f"--reorder --plain: exit {code}: {out}{err}")
checks.that(not (place / "neither").exists(), "--reorder --plain: nothing is written")

if has_prover(vouch.program):
    with users_cache():
        code, out, err = vouch("verify", ours, plain, both, place / "versions2", "--json", "-", limited=False, seconds=600)
    told = json.loads(out)
    checks.that(code == 0 and [one["verdict"] for one in told["library_calls"]] == ["proven"] * 4, f"all are certified: exit {code}: {out[:1500]}{err}")
    algebras = {(pathlib.Path(one["folder"]).name, one["algebra"]): one["certified"] for one in told["kernels"]}
    checks.that(algebras == {(name, one): True for name, one in ((path.name, one) for path in (ours, plain, both, place / "versions2")
                                                                 for one in ("real", "exact")) if (name, one) != ("plain", "real")}, f"in which algebra: {algebras}")
    calls = {pathlib.Path(one["folder"]).name: (one["algebra"], one["axioms"]) for one in told["library_calls"]}
    checks.that(calls == {"ours": ("real", "none"), "plain": ("exact", "none"), "both": ("real", "none"), "versions2": ("real", "none")},
                f"of the graph as it is written: {calls}")
    with users_cache():
        code, out, err = vouch("verify", "--trust", ours, limited=False, seconds=600)
    checks.that("order of sums" in out and "2 of 3 kernels" in out and "library_written_means" in out, f"--trust says it: {out[:1500]}")
else:
    print("Coq was not asked: its compiler or the library is not there")

lying_recipes(checks, vouch, "reorder", ours, plain)
shutil.rmtree(place)
checks.end()

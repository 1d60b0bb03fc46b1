"""`vouch build --lanes`: exp, tanh and erf of a library's kernels are functions of their own texts. The results are near those of doubles, and the
same bits by every compiler; Coq is asked of the library, whose certificates say what is replaced; kernels without these functions are
as they are without the option; a folder whose recipe says otherwise than its texts is refused."""
import json
import math
import pathlib
import random
import shutil
import sys
import tempfile

from binary32 import bits
from command import Checks, Vouch, has_prover, users_cache
from library import Loaded, compile_shared, floats, lying_recipes, node

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
chance = random.Random(41)
ROWS, COLUMNS = 3, 50


def built(name, nodes, *words):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [ROWS, COLUMNS]}], "nodes": nodes,
                                "outputs": [{"name": "y", "value": "y"}]}))
    code, out, err = vouch("build", path, "-o", place / name, "--name", "lib", "--no-rules", *words)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return place / name, out


def computed(folder, given, compiler="gcc", flags=("-O2", "-fopenmp-simd")):
    code, outputs = Loaded(folder, compile_shared(folder, folder.with_suffix(f".{compiler}{''.join(flags)}.so"), compiler, flags)).run([given])
    checks.that(code == 0, f"{folder.name} runs: {code}")
    return list(outputs["y"])


def kernels(folder):
    return {path.name: path.read_text() for path in folder.glob("kernels/*.c")}


given = floats(ROWS * COLUMNS)
given[:] = [chance.uniform(-3, 3) for _ in range(ROWS * COLUMNS)]
rows = [[math.exp(math.tanh(x) + math.erf(x)) for x in given[i * COLUMNS:(i + 1) * COLUMNS]] for i in range(ROWS)]
expected = [x / math.fsum(row) for row in rows for x in row]
MODEL = [node("t", "Tanh", "x"), node("e", "Erf", "x"), node("s", "Add", "t", "e"), node("y", "Softmax", "s", axis=1)]
lanes, said = built("lanes", MODEL, "--lanes")
plain, said_plain = built("plain", MODEL)
checks.that("lanes    " in said and "lanes    " not in said_plain, f"how many kernels have approximations is said: {said}")
for folder, ours in ((lanes, True), (plain, False)):
    text = "".join(kernels(folder).values())
    checks.that(all((f"{f}_lanes(" in text) == ours and (f"{f}f(" in text) != ours for f in ("exp", "tanh", "erf")), f"{folder.name}: its functions")
checks.that("exp_lanes" in (lanes / "lib.h").read_text(), "the header says it")
results = [computed(lanes, given, compiler, flags) for compiler in filter(shutil.which, ("gcc", "clang"))
           for flags in (("-O2", "-fopenmp-simd"), ("-O3", "-fopenmp-simd", "-march=native"))]
checks.that(len({tuple(map(bits, one)) for one in results}) == 1, "compilers give the same bits")
worst = max(abs(a - b) / b for a, b in zip(results[0], expected, strict=True))
checks.that(worst < 2e-6, f"the result is off by {worst}")

relu = [node("y", "Relu", "x")]
same = [kernels(built(f"relu{len(words)}", relu, *words)[0]) for words in ((), ("--lanes",))]
checks.that(same[0] == same[1], "a kernel without these functions is as it is without the option")

if has_prover(vouch.program):
    with users_cache():
        code, out, err = vouch("verify", lanes, "--json", "-", limited=False, seconds=600)
    told = json.loads(out)
    proven = code == 0 and [one["verdict"] for one in told["library_calls"]] == ["proven"]
    checks.that(proven, f"the library is certified: exit {code}: {out[:1500]}{err}")
    code, out, err = vouch("verify", "--trust", lanes, limited=False, seconds=600)
    checks.that("not proved" in out and "exp_lanes" in out, f"--trust says what is measured: {out[:800]}")
else:
    print("Coq was not asked: its compiler or the library is not there")

lying_recipes(checks, vouch, "lanes", lanes, plain)
shutil.rmtree(place)
checks.end()

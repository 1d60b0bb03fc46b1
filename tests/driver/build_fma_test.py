"""`vouch build --fma`: what the kernels of a library add as products is not rounded first. The bits are those of exact arithmetic that rounds once
for each addition; without --fma those of each product rounded. Coq is asked of the library with what is fused as part of its graph; a folder
whose recipe says otherwise than its texts is refused; kernels of integers, and those that add no product, are as they are without."""
import ctypes
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from binary32 import added, bits, fused, plain
from command import Checks, Vouch, has_prover, users_cache
from library import Loaded, cells, compile_shared, floats

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
chance = random.Random(26)
PROVER = has_prover(vouch.program)
ALL = "all" in sys.argv[3:]  # Coq is asked of the library of integers, too, whose texts are as they are without --fma
INSTRUCTION = "fma" in pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else False
ROWS, INNER, COLUMNS = 5, 23, 40
WEIGHTS = [ctypes.c_float(chance.uniform(-2, 2)).value for _ in range(INNER * COLUMNS)]
BIAS = [ctypes.c_float(chance.uniform(-2, 2)).value for _ in range(COLUMNS)]


def model(name, kind, weights, bias, finish):
    """x · w + bias, and what finishes it."""
    path = place / f"{name}.json"
    nodes = [{"name": "w", "kind": "parameter", "type": kind, "dims": [INNER, COLUMNS], "data": weights},
             {"name": "b", "kind": "parameter", "type": kind, "dims": [COLUMNS], "data": bias},
             {"name": "m", "op": "MatMul", "operands": ["x", "w"]}, {"name": "s", "op": "Add", "operands": ["m", "b"]}, *finish]
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": kind, "dims": [ROWS, INNER]}], "nodes": nodes,
                                "outputs": [{"name": "y", "value": "y"}]}))
    return path


def build(name, path, *words):
    code, out, err = vouch("build", path, "-o", place / name, "--name", "lib", "--no-rules", *words)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return place / name, out


def computed(folder, given, compiler="gcc", flags=("-O2", "-fopenmp-simd")):
    loaded = Loaded(folder, compile_shared(folder, folder.with_suffix(f".{compiler}{''.join(flags)}.so"), compiler, flags))
    checks.that(not loaded.by_file or loaded.load() == 0, f"{folder.name}: its weights")
    code, outputs = loaded.run([given])
    checks.that(code == 0, f"{folder.name} runs: {code}")
    return list(outputs["y"])


def differing(found, expected):
    return [at for at, (a, b) in enumerate(zip(found, expected, strict=True)) if bits(a) != bits(b)]


given = floats(ROWS * INNER)
given[:] = [chance.uniform(-2, 2) for _ in range(ROWS * INNER)]
pairs = [[(given[i * INNER + p], WEIGHTS[p * COLUMNS + j]) for p in range(INNER)] for i in range(ROWS) for j in range(COLUMNS)]
by_sum = {how: [max(0.0, added(how(0.0, one), BIAS[at % COLUMNS])) for at, one in enumerate(pairs)] for how in (fused, plain)}
checks.that(len(differing(by_sum[fused], by_sum[plain])) > 20, "inputs for which fusing shows")

path = model("dense", "float32", WEIGHTS, BIAS, [{"name": "y", "op": "Relu", "operands": ["s"]}])
folders = {}
for how, words in ((fused, ["--fma"]), (plain, [])):
    folders[how], said = build(f"dense_{how.__name__}", path, *words)
    checks.that(("fma      1 of" in said) == bool(words), f"how many kernels are fused is said with --fma: {said}")
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for flags in [("-O2", "-fopenmp-simd")] + [("-O3", "-fopenmp-simd", "-mfma")] * INSTRUCTION:
            wrong = differing(computed(folders[how], given, compiler, flags), by_sum[how])
            checks.that(not wrong, f"{how.__name__}, {compiler} {flags}: other bits than exact arithmetic gives at {wrong[:5]}")
versions, _ = build("dense_versions", path, "--fma", "--targets", "generic,avx2,avx512")
for newest in range(3):
    found = computed(versions, given, "gcc", ("-O2", "-fopenmp-simd", f"-DVOUCH_NEWEST={newest}"))
    checks.that(not differing(found, by_sum[fused]), f"with versions, none newer than number {newest}: the same bits")
element_wise, _ = build("dense_by_element", path, "--fma", "--plain")
checks.that(not differing(computed(element_wise, given), by_sum[fused]), "--plain with --fma: the same bits")
checks.that("fmaf(" in "".join(p.read_text() for p in folders[fused].glob("kernels/*.c")), "the texts say fmaf")
checks.that("fmaf(" not in "".join(p.read_text() for p in folders[plain].glob("kernels/*.c")), "without --fma they do not")
checks.that("-mfma" in (folders[fused] / "CMakeLists.txt").read_text(), "the build file asks for the instruction")
checks.that(", with fma" in (folders[fused] / "report.txt").read_text(), "the report says which kernels are fused")

# By its own build file, with the instruction and without.
for option in ["ON"] * INSTRUCTION + ["OFF"]:
    tree = place / f"tree_{option}"
    for words in (["cmake", "-S", folders[fused], "-B", tree, f"-DLIB_FMA={option}"], ["cmake", "--build", tree]):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        checks.that(done.returncode == 0, f"LIB_FMA={option}: {done.stdout}{done.stderr}")

# Integers have nothing to round.
whole = model("whole", "int32", [1] * (INNER * COLUMNS), list(range(COLUMNS)), [{"name": "y", "op": "Neg", "operands": ["s"]}])
folder, said = build("whole", whole, "--fma")
checks.that("fma      0 of" in said, f"no kernel of integers is fused: {said}")
ones = cells("int32", ROWS * INNER)
ones[:] = [1] * (ROWS * INNER)
checks.that(computed(folder, ones) == [-(INNER + j) for _ in range(ROWS) for j in range(COLUMNS)], "sums of integers are right")

if PROVER:
    with users_cache():
        libraries = [folders[fused], versions, *[folder] * ALL]
        code, out, err = vouch("verify", *libraries, "--json", "-", limited=False, seconds=600)
    proven = code == 0 and [one["verdict"] for one in json.loads(out)["library_calls"]] == ["proven"] * len(libraries)
    checks.that(proven, f"the libraries are certified: exit {code}: {out[:1500]}{err}")
    code, out, err = vouch("verify", "--trust", folders[fused], limited=False)
    checks.that("library_unfused" in out, f"--trust says over which numbers: {out[:800]}")
else:
    print("Coq was not asked: its compiler or the library is not there")

# What a recipe says is what the folder is made anew from.
for how, other in ((fused, plain), (plain, fused)):
    manifest = json.loads((folders[how] / "manifest.json").read_text())
    lying = place / f"lying_{how.__name__}"
    shutil.copytree(folders[how], lying)
    manifest["recipe"]["fma"] = other is fused
    (lying / "manifest.json").write_text(json.dumps(manifest))
    code, out, err = vouch("verify", lying, limited=False, seconds=600)
    checks.that(code == 1 and "kernels/" in out + err, f"a recipe that says otherwise: exit {code}: {out[:400]}{err[:400]}")
    manifest["recipe"]["fma"] = "yes"
    (lying / "manifest.json").write_text(json.dumps(manifest))
    code, out, err = vouch("verify", lying, limited=False)
    checks.that(code != 0 and "with its recipe" in out + err, f"a recipe that is none: exit {code}: {out[:400]}{err[:400]}")
shutil.rmtree(place)
checks.end()

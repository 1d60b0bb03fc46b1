#!/usr/bin/env python3
"""`vouch build --targets`: kernels in tiles have versions for kinds of processors, chosen when they are called. Every version that this
processor has gives the bits that `--plain` gives, by gcc and clang; tiles are cut for smaller registers; Coq certifies each version and the
library's calls, whichever is called; a lie in one version, one taken away, and manifests with other processors are refused."""
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
from library import Loaded, compile_shared, node, weights

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
chance = random.Random(31)
PROVER = has_prover(vouch.program)
ALL = "all" in sys.argv[3:]  # else clang compiles the newest version alone
TARGETS = ["--targets", "avx2,generic,avx512"]  # any order
FEATURES = [set(), {"avx2", "fma"}, {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"}]

CONV = [weights(chance, "w", 70, 8, 3, 3), weights(chance, "b", 70), node("c", "Conv", "x", "w", "b", pads=[1, 1, 1, 1]), node("y", "Relu", "c")]
STRIDE = [weights(chance, "w", 64, 8, 3, 3), node("y", "Conv", "x", "w", strides=[2, 2], pads=[1, 1, 1, 1])]
PRODUCT = [weights(chance, "w", 48, 130), weights(chance, "b", 130), node("m", "MatMul", "x", "w"), node("s", "Add", "m", "b"), node("y", "Tanh", "s")]
LONG = [weights(chance, "w", 700, 128), node("y", "MatMul", "x", "w")]
# inputs, nodes, whether tiles are wider than the registers of AVX2
CASES = {"conv": ([1, 8, 14, 14], CONV, True), "stride": ([1, 8, 14, 14], STRIDE, True), "dense": ([25, 48], PRODUCT, True), "long": ([31, 700], LONG, True),
         "softmax": ([24, 40], [node("y", "Softmax", "x")], False)}


def built(name, path, *words):
    code, out, err = vouch("build", path, "-o", place / name, "--no-rules", *words, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return place / name


def result(folder, shared, given):
    library = Loaded(folder, shared)
    checks.that(not library.by_file or library.load() == 0, f"{folder.name}: its weights")
    code, found = library.run([(ctypes.c_float * len(given))(*given)])
    checks.that(code == 0, f"{folder.name}: code {code}")
    return bytes(found["y"])


def newest():
    flags = next((set(line.split()) for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), set())
    return [number for number, features in enumerate(FEATURES) if features <= flags]


def versions_of(text):
    """The bodies by their words."""
    parts = re.split(r"(?m)^(?:VOUCH_AVX\w+ )?static void \w+_(generic|avx2|avx512)\(", text)
    return dict(zip(parts[1::2], parts[2::2]))


def widest_tile(body):
    return max(map(int, re.findall(r"float v\d+\[(\d+)\] __attribute__", body)), default=0)


print("versions that this processor has:", newest())
for name, (dims, nodes, wide) in CASES.items():
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": dims}], "nodes": nodes,
                                "outputs": [{"name": "y", "value": "y"}]}))
    folder, plain = built(name, path, *TARGETS), built(f"{name}_plain", path, "--plain")
    recipe = json.loads((folder / "manifest.json").read_text())["recipe"]
    checks.that(recipe["targets"] == ["generic", "avx2", "avx512"], f"{name}: the recipe {recipe}")
    several = [text for text in (file.read_text() for file in folder.glob("kernels/*.c")) if "has_avx2()" in text]
    checks.that(bool(several) == wide, f"{name}: {len(several)} kernels have versions")
    for text in several:
        widths = {word: widest_tile(body) for word, body in versions_of(text).items()}
        checks.that(widths["generic"] <= widths["avx2"] < 16 * 8 < widths["avx512"], f"{name}: tiles of {widths}")
    count = 1
    for n in dims:
        count *= n
    given = array.array("f", [chance.choice([chance.uniform(-3, 3), 0.0, -0.0]) for _ in range(count)])
    expected = result(plain, compile_shared(plain, place / f"{name}_plain.so"), given)
    for compiler in [c for c in ("gcc", "clang") if shutil.which(c)]:
        for number in newest() if ALL or compiler == "gcc" else newest()[-1:]:
            shared = place / f"{name}-{compiler}-{number}.so"
            compile_shared(folder, shared, compiler, ("-O2", "-fopenmp-simd", f"-DVOUCH_NEWEST={number}"))
            checks.that(result(folder, shared, given) == expected, f"{name} by {compiler}, newest {number}: other bits than --plain gives")

for words, code_wanted, message in [(["--targets", "avx2"], 3, "expected 'generic'"), (["--targets", "generic,avx3"], 3, "expected 'generic'"),
                                    ([*TARGETS, "--plain"], 64, "--plain")]:
    code, out, err = vouch("build", place / "dense.json", "-o", place / "refused", *words)
    checks.that(code == code_wanted and message in err, f"{words}: exit {code}, {err[:300]}")
    checks.that(not (place / "refused").exists(), f"{words} left files")

if PROVER:
    with users_cache():
        code, out, err = vouch("verify", *[place / name for name in CASES], "--trust", limited=False, seconds=900)
    calls = re.findall(r"^\w+ +proven .* \d+  none$", out, re.MULTILINE)
    checks.that(code == 0 and len(calls) == len(CASES), f"verify: exit {code}: {(out + err)[:3000]}")
copy = place / "lie"
dense = next(file for file in (place / "dense" / "kernels").glob("*.c") if "has_avx2()" in file.read_text()).name
for what, file, before, after in [
        ("a version for no processor", "manifest.json", r'"avx2",\s*"avx512"', '"avx2"'), ("no versions", "manifest.json", r',\s*"targets": \[[^]]*\]', ""),
        ("another version is called", dense, r"if \(has_avx512\(\)\) (\w+)_avx512\(", r"if (has_avx512()) \1_generic("),
        ("the newest computes something else", dense, r"(?s)^(.*\]) \* ", r"\1 + "),
        ("asked for something else", dense, r'VOUCH_HAS\("avx512f"\)', 'VOUCH_HAS("avx2")')]:
    shutil.copytree(place / "dense", copy)
    path = next(copy.rglob(file))
    text = path.read_text()
    lie = re.sub(before, after, text, count=1)
    checks.that(lie != text, f"no place for {what}")
    path.write_text(lie)
    code, out, err = vouch("verify", copy, limited=False, seconds=600)
    checks.that(code in (1, 3), f"{what}: exit {code}: {(out + err)[:1500]}")
    shutil.rmtree(copy)
shutil.rmtree(place)
checks.end()

#!/usr/bin/env python3
"""`vouch compile --targets`: one C text with a version for each kind of processor, of which one is chosen when it is called. Each version gives
the bits of the sums in order, worked out here in binary32; the text compiles without -march by gcc and clang, on 32-bit ARM too; Coq certifies
that whichever is called computes the kernel; texts with a version changed, missing or exchanged, and manifests with other targets, are refused."""
import ctypes
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from certified import FLAGS, Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
ALL = "all" in sys.argv[3:]  # else Coq is asked of two kernels, and clang of the newest version
check = Checks()
M, K, N = 13, 40, 150
KERNELS = {
    "named": ("kernel named;\nin A, B;\nout C;\nC<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];\n", [M, N, K]),
    "fixed": (f"kernel fixed;\nin A, B;\nout C;\nC<{M}, {N}>[i, j] = A<{M}, {K}>[i, p] * B<{K}, {N}>[p, j];\n", []),
    "plain": ("kernel plain;\nin A, B;\nout C;\nC<m, n>[i, j] = select(A<m, n>[i, j] < 0, B<m, n>[i, j] * 3, A[i, j] + 1);\n", None),
}
TARGETS = "avx512,generic,avx2"  # any order
FEATURES = {1: {"avx2", "fma"}, 2: {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"}}
REFUSED = [
    ("avx2", KERNELS["named"][0], [], "expected 'generic'"),
    ("generic,avx3", KERNELS["named"][0], [], "expected 'generic'"),
    ("generic,avx2,avx2", KERNELS["named"][0], [], "expected 'generic'"),
    ("generic,avx2", "kernel k;\nin has_avx2, B;\nout C;\nC<n>[i] = has_avx2<n>[i] + B<n>[i];\n", [], "is a function of the versions"),
    ("generic,avx2", "kernel k;\nin k_avx2, B;\nout C;\nC<n>[i] = k_avx2<n>[i] + B<n>[i];\n", [], "is a function of the versions"),
]


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def product(a, b):
    out = []
    for i in range(M):
        for j in range(N):
            total = 0.0
            for p in range(K):  # a product of two binary32 is exact in binary64, and so is a sum rounded twice, by Figueroa's bound
                total = rounded(total + rounded(a[i * K + p] * b[p * N + j]))
            out.append(total)
    return out


def floats(count, source):
    return (ctypes.c_float * count)(*[source.uniform(-2, 2) for _ in range(count)])


def computes(name, sizes, library, what):
    source = random.Random(name)
    function = getattr(ctypes.CDLL(str(library)), f"{name}_checked")
    c = (ctypes.c_float * (M * N))()
    if sizes is None:
        a, b = floats(M * N, source), floats(M * N, source)
        expected = [rounded(y * 3) if x < 0 else rounded(x + 1) for x, y in zip(a, b)]
        sizes = [M, N]
    else:
        a, b = floats(M * K, source), floats(K * N, source)
        expected = product(a, b)
    code = function(*[ctypes.c_int64(x) for x in sizes], a, b, c)
    check.that(code == 0 and list(c) == expected, f"{name} {what}: {code}, other bits than the sums in order have")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split())
    return set()


def runs_each(name, sizes, source, place, certified):
    """Every version that this processor has."""
    have = [0] + [number for number, features in FEATURES.items() if features <= processor()]
    for compiler in certified.compilers:
        for newest in have if ALL or compiler == "gcc" else have[-1:]:
            library = place / f"{name}-{compiler}-{newest}.so"
            done = subprocess.run([compiler, *FLAGS, f"-DVOUCH_NEWEST={newest}", "-shared", source, "-o", library, "-lm"],
                                  capture_output=True, text=True)
            check.that(done.returncode == 0, f"{compiler} {source.name}: {done.stderr[:400]}")
            if done.returncode == 0:
                computes(name, sizes, library, f"by {compiler}, newest {newest}")
    print("versions that this processor has:", have)


def registers(name, source, place):
    """Each version is compiled for its processor: without -march the widest registers are in its own code alone."""
    assembly = place / f"{name}.s"
    subprocess.run(["gcc", "-O3", "-fopenmp-simd", "-ffp-contract=off", "-S", source, "-o", assembly], check=True)
    used = {}
    for line in assembly.read_text().splitlines():
        if line.startswith(f"{name}_") and line.endswith(":"):
            at = line[:-1].split(".")[0]
        elif line.startswith("\t.size"):
            at = ""
        elif line.startswith("\t") and "%" in line:
            for width in ("zmm", "ymm"):
                if f"%{width}" in line:
                    used.setdefault(at, set()).add(width)
            check.that("vfmadd" not in line and "vfnmadd" not in line, f"{name}: a product is fused: {line}")
    check.that("zmm" in used.get(f"{name}_avx512", ()) and used.get(f"{name}_avx2") == {"ymm"} and f"{name}_generic" not in used,
               f"{name}: registers of {used}")


def newest_called(source):
    """clang with OpenMP would compile wide tiles for the plain processor; others ask for the newest."""
    for compiler, words, newest in [("gcc", ["-fopenmp"], 2), ("clang", ["-fopenmp"], 0), ("clang", ["-fopenmp-simd"], 2),
                                    ("clang", ["-fopenmp", "-DVOUCH_NEWEST=2"], 2)]:
        if shutil.which(compiler):
            macros = subprocess.run([compiler, *words, "-dM", "-E", source], check=True, capture_output=True, text=True).stdout
            check.that(f"#define VOUCH_NEWEST {newest}\n" in macros, f"{compiler} {words}: the newest version is not {newest}")


def elsewhere(name, source, place):
    """Processors of another kind."""
    compiler = shutil.which("arm-linux-gnueabihf-gcc")
    if not compiler:
        print("arm-linux-gnueabihf-gcc is not there: not tried")
        return
    done = subprocess.run([compiler, *FLAGS, "-O1", "-c", source, "-o", place / f"{name}.o"], capture_output=True, text=True)
    check.that(done.returncode == 0, f"ARM, {source.name}: {done.stderr[:400]}")


def swapped(text):
    begin = text.index("static void fixed_generic(")
    return text[:begin] + text[begin:].replace("(A, B, C);", "(B, A, C);", 1)


def without_version(text):
    begin = text.index("VOUCH_AVX2 static void")
    end = text.index("VOUCH_AVX512 static void")
    return text[:begin] + text[end:].replace("  else if (has_avx2()) fixed_avx2(A, B, C);\n", "")


def lies(place, certified):
    last = "  else fixed_generic(A, B, C);"
    for change, what in [
            (lambda text: text.replace("VOUCH_AVX2 static void fixed_avx2", "VOUCH_AVX512 static void fixed_avx2", 1), "for another processor"),
            (lambda text: text.replace("has_avx512()) fixed_avx512(", "has_avx512()) fixed_generic(", 1), "another version is called"),
            (lambda text: text.replace("has_avx2()) fixed", "has_avx512()) fixed", 1), "another question"),
            (lambda text: text.replace(last, "  else fixed_checked(A, B, C);", 1), "another function is called"),
            (lambda text: text.replace(last, "", 1), "nothing is called"),
            (swapped, "arguments exchanged"), (without_version, "a version is missing"),
            (lambda text: text.replace("return 1 <= VOUCH_NEWEST && ", "return 1 || ", 1), "never asked"),
            (lambda text: text[:text.rindex(" * B[")] + " + B[" + text[text.rindex(" * B[") + 5:] if " * B[" in text
             else text[:text.rindex("] * ")] + "] + " + text[text.rindex("] * ") + 4:], "the newest version computes something else"),
            (lambda text: text.replace(" = 0.0f;", " = 1.0f;", 1), "the generic version computes something else")]:
        certified.lie(place, "fixed", ".c", change, what)
    certified.lies = [(what, text.replace("certifies kernel lie", "certifies_versions kernels lie")) for what, text in certified.lies]
    for targets in (["generic", "avx2"], ["generic", "avx512", "avx2"], ["avx2"], None, []):
        change = (lambda recipe: recipe.pop("targets")) if targets is None else lambda recipe: recipe.update(targets=targets)
        certified.other_recipe(place / "fixed", "fixed", change, f"targets {targets}")


def refused(place):
    for targets, text, words, expected in REFUSED:
        path = place / "refused.tk"
        path.write_text(text)
        code, _, err = vouch("compile", path, "--targets", targets, *words, "-o", place / "refused")
        check.that(code == 3 and expected in err, f"--targets {targets}: exit {code}, {err[:300]}")
    check.that(not (place / "refused").exists(), "files were left")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    for name, (text, sizes) in KERNELS.items():
        path = place / f"{name}.tk"
        path.write_text(text)
        code, _, err = vouch("compile", path, "--targets", TARGETS, "-o", place / name)
        check.that(code == 0, f"compile {name}: {err[:400]}")
        source = place / name / f"{name}.c"
        recipe = json.loads((place / name / "manifest.json").read_text())["kernels"][name]["recipe"]
        check.that(recipe["targets"] == ["generic", "avx2", "avx512"], f"the recipe of {name}: {recipe}")
        check.that("generic, avx2, avx512 processors" in (place / name / f"{name}.h").read_text(), f"the header of {name} does not say it")
        runs_each(name, sizes, source, place, certified)
        newest_called(source)
        elsewhere(name, source, place)
        if sizes is not None:
            registers(name, source, place)
    lies(place, certified)
    refused(place)
    if certified.coq:
        certified.verified(*[place / name for name in KERNELS if ALL or name != "named"])
        certified.refused_by_coq(place)
    shutil.rmtree(place)
    check.end()


main()

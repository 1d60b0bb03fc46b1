#!/usr/bin/env python3
"""`vouch compile --fma`: where a product is added, it is not rounded first. The texts say `fmaf`, and give the bits that exact arithmetic rounded
once for each addition gives, whatever the plan; Coq certifies that, and that over scalars without rounding nothing changed; folders whose
text and recipe disagree are refused; what has no fused meaning is named. Coq's own fma of binary32 is compared with the processor's."""
import ctypes
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from binary32 import COQ_FLOATS, added, bits, coq_float, fused, plain
from certified import Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
check = Checks()
M, K, N = 9, 21, 40
PRODUCT = f"kernel product;\nin A, B;\nout C;\nC<{M}, {N}>[i, j] = A<{M}, {K}>[i, p] * B<{K}, {N}>[p, j];\n"
# element by element, as sizes have names; a bias, to which the sum is no product that is added; a sum begun by something else
KERNELS = {
    "product": PRODUCT,
    "symbolic": "kernel symbolic;\nin A, B;\nout C;\nC<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];\n",
    "onto": f"kernel onto;\nin A, B, D;\nout C;\nC<{M}, {N}>[i, j] = D<{M}, {N}>[i, j] + A<{M}, {K}>[i, p] * B<{K}, {N}>[p, j];\n",
    "axpy": f"kernel axpy;\nin A, B, D;\nout C;\nC<{N}>[i] = D<{N}>[i] + A<{N}>[i] * B<{N}>[i];\n",
}
REFUSED = [
    ("whole", f"kernel whole;\ntype int;\nin A, B;\nout C;\nC<{N}>[i] = A<{N}, 3>[i, p] * B<3>[p];\n", "is of floats"),
    ("stored", f"kernel stored;\nin A, B;\nout C;\nT<{N}>[i] = A<{N}>[i] * B<{N}>[i];\nC<4>[j] = T[j + 4 * q];\n", "stored product"),
    ("functional", None, "is a functional program"),
]


def floats(count, source):
    return (ctypes.c_float * count)(*[source.uniform(-2, 2) for _ in range(count)])


def columns(a, b, i, j):
    return [(a[i * K + p], b[p * N + j]) for p in range(K)]


def computes(name, library):
    source = random.Random(name)
    function = getattr(ctypes.CDLL(str(library)), name)
    if name == "axpy":
        a, b, d, c = (floats(N, source) for _ in range(4))
        function(a, b, d, c)
        expected = [fused(d[i], [(a[i], b[i])]) for i in range(N)]
    else:
        a, b, d, c = floats(M * K, source), floats(K * N, source), floats(M * N, source), floats(M * N, source)
        sizes = [ctypes.c_int64(x) for x in (M, N, K)] if name == "symbolic" else []
        function(*sizes, a, b, *([d] if name == "onto" else []), c)
        sums = [fused(0.0, columns(a, b, i, j)) for i in range(M) for j in range(N)]
        unfused = [plain(0.0, columns(a, b, i, j)) for i in range(M) for j in range(N)]
        check.that(sums != unfused, "inputs for which fusing shows")
        expected = [added(d[at], x) for at, x in enumerate(sums)] if name == "onto" else sums
    wrong = [at for at, x in enumerate(expected) if bits(x) != bits(c[at])]
    check.that(not wrong, f"{name}: {len(wrong)} of {len(expected)} elements are other than exact arithmetic says, the first at {wrong[:1]}")


def coq_fma(place):
    """Of binary32 in coq/array/Binary32.v, against `fmaf` of the C library: patterns of all kinds, and sums that nearly cancel."""
    fmaf = ctypes.CDLL("libm.so.6").fmaf
    fmaf.argtypes, fmaf.restype = [ctypes.c_float] * 3, ctypes.c_float
    source = random.Random(20)
    edges = [0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x4B800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]
    edges += [x | 1 << 31 for x in edges]

    def value(pattern):
        return struct.unpack("f", struct.pack("I", pattern))[0]

    cases = [[source.choice(edges) for _ in range(3)] for _ in range(1500)] + [[source.getrandbits(32) for _ in range(3)] for _ in range(1000)]
    for _ in range(1500):
        x, y = (source.choice([127, 64, 90, 1]) << 23 | source.getrandbits(23) | source.getrandbits(1) << 31 for _ in range(2))
        near = bits(-value(x) * value(y)) if abs(value(x) * value(y)) < 3e38 else 0
        cases.append([x, y, near ^ source.choice([0, 1, 1 << 31, 3])])
    rows = []
    for case in cases:
        result = bits(fmaf(*map(value, case)))
        rows.append("(" + ", ".join(coq_float(x) for x in [*case, result]) + ")")
    text = (COQ_FLOATS +
            "Definition cases := [" + ";\n".join(rows) + "].\n"
            "Goal forallb (fun c => let '(x, y, z, r) := c in same (fma32 x y z) r) cases = true.\nProof. vm_compute. reflexivity. Qed.\n")
    (place / "Fma.v").write_text(text)
    library = pathlib.Path(vouch.program).resolve().parent / "coq"
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", "Fma.v"], cwd=place, capture_output=True, text=True)
    check.that(done.returncode == 0, f"fma32 of Coq is not the processor's fmaf: {done.stderr[:300]}")


def lies(place, certified):
    certified.lie(place, "product", ".c", lambda text: text.replace("fmaf(", "fmin(", 1), "another function")
    certified.lie(place, "symbolic", ".c", unfused_text, "one sum that is not fused")
    certified.lie(place, "product", ".h", lambda text: text.replace("With fma:", "Without fma:", 1), "it is not fused")
    certified.other_recipe(place / "product", "product", lambda recipe: recipe.pop("fma"), "no fma")
    certified.other_recipe(place / "product", "product", lambda recipe: recipe.update(fma=False), "fma = False")
    certified.other_recipe(place / "rounded" / "product", "product", lambda recipe: recipe.update(fma=True), "fma = True")
    rounded_product = place / "rounded"
    certified.lie(rounded_product, "product", ".c", fused_text, "a sum that is fused without choice")


def certificates_that_lie(place):
    """Of other programs and kernels, and of more than holds: that the fused text is the kernel bit for bit."""
    text = (place / "product" / "product.v").read_text()
    library = pathlib.Path(vouch.program).resolve().parent / "coq"
    lies = [("another program", "Definition unfused_program", "(Op2 Mul)", "(Op2 Div)"),
            ("another kernel", "Definition index_kernel", "BOp2 Mul", "BOp2 Add"),
            ("nothing is fused", "Theorem fused", "fuses_to unfused_program kernel", "unfused_program = kernel"),
            ("the kernel itself", "Theorem computes_index_kernel", "ComputesFused", "ComputesIndex")]
    for what, begin, before, after in lies:
        at = text.index(begin)
        lying = text[:at] + text[at:].replace(before, after, 1)
        if what == "the kernel itself":
            lying = lying.replace("fuses_to_sound _ _ _ (packs_to_sound _ _ _ _ lowered) fused", "packs_to_sound _ _ _ _ lowered")
        (place / "Lie.v").write_text(lying)
        done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", "Lie.v"], cwd=place, capture_output=True, text=True)
        check.that(lying != text and done.returncode != 0 and "Error" in done.stderr, f"Coq accepts a certificate of {what}: {done.stderr[:200]}")


def unfused_text(text):
    begin = text.index("fmaf(")
    end = text.index(";", begin)
    a, b, c = text[begin + 5:end - 1].split(", ")
    return text[:begin] + f"({c} + ({a} * {b}))" + text[end:]


def fused_text(text):
    """The first `x = (x + (a * b));`."""
    for line in text.splitlines():
        left, equals, right = line.strip().partition(" = ")
        if equals and right.startswith(f"({left} + (") and " * " in right and right.endswith("));"):
            a, _, b = right[len(left) + 5:-3].rpartition("] * ")
            return text.replace(line, line.replace(right, f"fmaf({a}], {b}, {left});"), 1)
    return text


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    folders = []
    for at, (name, text) in enumerate(KERNELS.items()):
        path = place / f"{name}.tk"
        path.write_text(text)
        code, _, err = vouch("compile", "--fma", path, "-o", place / name)
        check.that(code == 0, f"compile {name}: {err[:400]}")
        source = place / name / f"{name}.c"
        check.that("fmaf(" in source.read_text(), f"{name} has no fmaf")
        check.that("With fma" in (place / name / f"{name}.h").read_text(), f"the header of {name} does not say it")
        check.that(json.loads((place / name / "manifest.json").read_text())["kernels"][name]["recipe"]["fma"] is True, f"the recipe of {name}")
        folders.append(place / name)
        library = certified.built(certified.compilers[at % len(certified.compilers)], source, place)
        if library:
            computes(name, library)
    (place / "rounded").mkdir()
    code, _, err = vouch("compile", place / "product.tk", "-o", place / "rounded" / "product")
    check.that(code == 0 and "fmaf(" not in (place / "rounded" / "product" / "product.c").read_text(), f"without --fma: {err[:300]}")
    for name, text, words in REFUSED:
        path = place / (f"{name}.tk" if text else f"{name}.fun")
        path.write_text(text or "kernel functional(sizes n; a: num[n], b: num[n]) -> y: num = reduce v in zip(a, b) with s = 0 { s + v.fst * v.snd }\n")
        code, _, err = vouch("compile", "--fma", path, "-o", place / "refused")
        check.that(code == 3 and words in err, f"{name}: exit {code}, {err[:300]}")
        check.that(not (place / "refused").exists(), f"{name} left files")
    lies(place, certified)
    if certified.coq:
        certified.verified(*folders)
        certified.refused_by_coq(place)
        certificates_that_lie(place)
        coq_fma(place)
    shutil.rmtree(place)
    check.end()


main()

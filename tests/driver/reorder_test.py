#!/usr/bin/env python3
"""`compile --reorder`: sums that wait for memory have partial sums, which the planner chooses. At sizes that fill no lanes, no rows and no
blocks the C text gives the bits of the order that its header says, as numpy adds them; `verify` says `real` of floats and `exact` of
integers; kernels that have no such sum, or more to do, keep their bits. Folders that claim the written order are refused."""
import ctypes
import json
import pathlib
import shutil
import sys
import tempfile

import numpy

from certified import Certified
from command import Checks, Vouch
from orders import Fused, by_blocks, by_lanes, seq

vouch = Vouch(sys.argv[1])
ALL = "all" in sys.argv[3:]  # else Coq is asked of few kernels
check = Checks()
f32 = numpy.float32


def alone(terms):
    """One sum, whose size has a name: 64 lanes, each in blocks of 2048 terms."""
    return by_lanes(terms, 64, inner=lambda lane: by_blocks(lane, 2048))


def in_row(terms):
    return by_lanes(terms, 16)


def products(a, b):
    """Not rounded before they are added."""
    return [Fused(x, y) for x, y in zip(a, b)]


def of_rows(matrix):
    return seq([in_row(list(row)) for row in matrix])


class Case:
    """`compute`: of the inputs what the output is, by the order that is expected."""

    def __init__(self, name, text, shapes, sizes, compute, kind=f32, words=(), held=None):
        self.name, self.text, self.shapes, self.sizes, self.compute = name, text, shapes, sizes, compute
        self.kind, self.words, self.held = kind, list(words), held or [kind] * 9


DOT = "kernel {0};\n{1}in A, B;\nout S;\nS<1>[z] = A<{2}>[i] * B<{2}>[i];\n"
LENGTHS = [(1,), (63,), (64,), (65,), (1003,), (131071,), (131072,), (131073,), (2 * 131072 + 64 * 3 + 5,)]
MATVEC = "kernel matvec;\nin A, X;\nout Y;\nY<m>[i] = A<m, k>[i, p] * X<k>[p];\n"
NAMED = [
    Case("dot", DOT.format("dot", "", "n"), lambda n: [(n,), (n,)], LENGTHS, lambda a, b: [alone(list(a * b))]),
    Case("norm", "kernel norm;\nin A;\nout Y;\nS<1>[z] = A<n>[i] * A<n>[i];\nY<1>[z] = sqrt(S[z]);\n", lambda n: [(n,)], LENGTHS,
         lambda a: [numpy.sqrt(alone(list(a * a)))]),
    Case("matvec", MATVEC, lambda m, k: [(m, k), (k,)], [(1, 1), (7, 15), (8, 16), (9, 17), (17, 33), (64, 100)],
         lambda a, x: [in_row(list(row * x)) for row in a]),
    Case("all", "kernel all;\nin A;\nout S;\nS<1>[z] = A<m, n>[i, j];\n", lambda m, n: [(m, n)], [(1, 5), (9, 16), (20, 47)],
         lambda a: [of_rows(a)]),
    Case("rows", "kernel rows;\nin X, G;\nout Y;\nS<m>[i] = X<m, d>[i, p] * X<m, d>[i, p] / d;\nY<m, d>[i, p] = X[i, p] / sqrt(S[i]) * G<d>[p];\n",
         lambda m, d: [(m, d), (d,)], [(3, 40), (8, 32)],
         lambda x, g: numpy.concatenate([row / numpy.sqrt(in_row(list(row * row / f32(len(row))))) * g for row in x])),
    Case("doubles", DOT.format("doubles", "type double;\n", "n"), lambda n: [(n,), (n,)], [(7,), (1003,)],
         lambda a, b: [alone(list(a * b))], kind=numpy.float64),
    Case("halves", DOT.format("halves", "type float16 A;\n", "n"), lambda n: [(n,), (n,)], [(1003,)],
         lambda a, b: [alone(list(a.astype(f32) * b))], held=[numpy.float16, f32, f32]),
    Case("whole", DOT.format("whole", "type int;\n", "n"), lambda n: [(n,), (n,)], [(1003,)], lambda a, b: [seq(list(a * b))],
         kind=numpy.int32),
    Case("versions", MATVEC.replace("matvec", "versions"), lambda m, k: [(m, k), (k,)], [(9, 35)],
         lambda a, x: [in_row(list(row * x)) for row in a], words=["--targets", "generic,avx2,avx512"]),
    Case("fused", DOT.format("fused", "", "n"), lambda n: [(n,), (n,)], LENGTHS[:6], lambda a, b: [alone(products(a, b)).number()],
         words=["--fma"]),
    Case("both", MATVEC.replace("matvec", "both"), lambda m, k: [(m, k), (k,)], [(9, 35)],
         lambda a, x: [in_row(products(row, x)).number() for row in a], words=["--fma", "--targets", "generic,avx2,avx512"]),
]
# Sizes that are numbers: few terms have fewer lanes, or stay as they are.
FIXED = [
    Case("lanes16", DOT.format("lanes16", "", "500"), lambda: [(500,), (500,)], [()], lambda a, b: [in_row(list(a * b))]),
    Case("few", DOT.format("few", "", "31"), lambda: [(31,), (31,)], [()], lambda a, b: [seq(list(a * b))]),
    Case("weights", "kernel weights;\nin X, D;\nout W;\nW<5, 3, 3>[q, r, s] = X<2, 5, 6, 35>[z, q, i + r, j + s] * D<2, 5, 4, 33>[z, q, i, j];\n",
         lambda: [(2, 5, 6, 35), (2, 5, 4, 33)], [()],
         lambda x, d: [by_two_loops(x[:, q, r:r + 4, s:s + 33] * d[:, q]) for q in range(5) for r in range(3) for s in range(3)]),
    Case("lanes8", "kernel lanes8;\nin A;\nout Y;\nY<11>[i] = A<11, 56>[i, j];\n", lambda: [(11, 56)], [()], lambda a: [by_lanes(list(row), 8) for row in a]),
    # Neighbours of the output lie side by side: in the order that is written.
    Case("columns", "kernel columns;\nin A, X;\nout Y;\nY<40>[j] = A<50, 40>[i, j] * X<50>[i];\n", lambda: [(50, 40), (50,)], [()],
         lambda a, x: [seq(list(a[:, j] * x)) for j in range(40)]),
    Case("windows", "kernel windows;\nin X;\nout Y;\nY<40>[i] = X<89>[i + p];\n", lambda: [(89,)], [()],
         lambda x: [seq(list(x[i:i + 50])) for i in range(40)]),
    Case("product", "kernel product;\nin A, B;\nout C;\nC<40, 72>[i, j] = A<40, 64>[i, p] * B<72, 64>[j, p];\n", lambda: [(40, 64), (72, 64)], [()],
         lambda a, b: [seq(list(x * y)) for x in a for y in b]),
]
AS_WRITTEN = ["few", "columns", "windows", "product"]
FEW = ["dot", "matvec", "halves", "whole", "weights", "few"]  # lanes in blocks, lanes, floats held as others, integers, loops in lanes, as written


def by_two_loops(terms):
    """The innermost loop in lanes of 16, which all loops go through; what is left after them by itself."""
    full = terms.shape[-1] // 16 * 16
    lanes = [seq(list(terms[..., lane:full:16].reshape(-1))) for lane in range(16)]
    return seq(lanes) + seq(list(terms[..., full:].reshape(-1)))


def inputs_of(case, sizes):
    draw = numpy.random.default_rng(11)
    out = []
    for shape, held in zip(case.shapes(*sizes), case.held):
        whole = numpy.issubdtype(held, numpy.integer)
        out.append(draw.integers(-2**31, 2**31, shape).astype(held) if whole else draw.uniform(-2, 2, shape).astype(held))
    return out


def computes(case, library):
    function = getattr(ctypes.CDLL(str(library)), f"{case.name}_checked")
    for sizes in case.sizes:
        arrays = inputs_of(case, sizes)
        with numpy.errstate(over="ignore"):
            expected = numpy.array(case.compute(*arrays), case.kind)
        out = numpy.zeros(expected.shape, case.kind)
        code = function(*[ctypes.c_int64(n) for n in sizes], *[x.ctypes.data_as(ctypes.c_void_p) for x in [*arrays, out]])
        check.that(code == 0 and out.tobytes() == expected.tobytes(), f"{case.name} {sizes}: {out[:3]} and not {expected[:3]}")


def reported(place, cases):
    for case in cases:
        code, out, err = vouch("verify", place / case.name, "--json", place / "verified.json", limited=False)
        algebra = json.loads((place / "verified.json").read_text())["kernels"][0]["algebra"]
        real = case.name not in AS_WRITTEN and numpy.issubdtype(case.kind, numpy.floating)
        check.that(code == 0 and algebra == ("real" if real else "exact"), f"{case.name}: {code} {algebra} {(out + err)[:300]}")
        header = (place / case.name / f"{case.name}.h").read_text()
        check.that(("Sums in another order" in header) == (case.name not in AS_WRITTEN), f"{case.name}: the header says what is computed")
        check.that(("The same over the reals" in header) == real, f"{case.name}: the header says what it is the same over")


def lies(place, certified):
    certified.lie(place, "dot", ".h", lambda text: text.replace("by lanes of 64", "by lanes of 32", 1), "another order")
    certified.lie(place, "dot", ".c", lambda text: text.replace("< 2048;", "< 2047;", 1), "a term is left out")
    recipe = json.loads((place / "matvec" / "manifest.json").read_text())["kernels"]["matvec"]["recipe"]
    check.that(recipe["reorder"] is True, "the recipe says what was asked for")
    certified.other_recipe(place / "matvec", "matvec", lambda recipe: recipe.pop("reorder"), "the written order")
    certified.other_recipe(place / "matvec", "matvec", lambda recipe: recipe.update(reorder="yes"), "no word")


def refusals(place):
    path = place / "dot.tk"
    program = place / "own.fun"
    program.write_text("kernel own(sizes n; xs: num[n]) -> out: num = reduce x in xs with sum = 0 { sum + x }\n")
    code, _, err = vouch("compile", "--reorder", program, "-o", place / "refused")
    check.that(code == 3 and "compile it with --plan too" in err, f"a program: exit {code}, {err[:300]}")
    code, _, err = vouch("compile", "--reorder", "--plan", program, "-o", place / "own")
    check.that(code == 0 and "by lanes of 64" in (place / "own" / "own.h").read_text(), f"a program by a plan: exit {code}, {err[:300]}")


def schedules(place):
    """What the planner chooses is text that `compile` takes, to the same C text; a schedule beside the kernel comes before it."""
    path = place / "beside.tk"
    path.write_text(MATVEC.replace("matvec", "beside"))
    code, text, err = vouch("schedule", "--reorder", path)
    check.that(code == 0 and "add Y by lanes of 16" in text, f"schedule: exit {code}, {err[:300]}")
    check.that(vouch("compile", "--reorder", path, "-o", place / "asked")[0] == 0, "it is compiled")
    path.with_suffix(".sched").write_text(text)
    check.that(vouch("compile", path, "-o", place / "said")[0] == 0, "its schedule is taken")
    same = [(place / folder / "beside.c").read_text() for folder in ("asked", "said")]
    check.that(same[0] == same[1], "the same text by the flag and by the schedule")
    path.with_suffix(".sched").write_text("schedule beside\nplain\n")
    vouch("compile", "--reorder", path, "-o", place / "plain")
    check.that("another order" not in (place / "plain" / "beside.h").read_text(), "what is beside the kernel is taken")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    folders = []
    for at, case in enumerate(NAMED + FIXED):
        path = place / f"{case.name}.tk"
        path.write_text(case.text)
        code, _, err = vouch("compile", "--reorder", *case.words, path, "-o", place / case.name)
        check.that(code == 0, f"compile {case.name}: {err[:400]}")
        if code == 0:
            folders.append(place / case.name)
            library = certified.built(certified.compilers[at % len(certified.compilers)], place / case.name / f"{case.name}.c", place)
            if library:
                computes(case, library)
    schedules(place)
    refusals(place)
    lies(place, certified)
    if certified.coq:
        few = [case for case in NAMED + FIXED if ALL or case.name in FEW]
        certified.verified(*[place / case.name for case in few], place / "own")
        reported(place, few)
        certified.refused_by_coq(place)
    shutil.rmtree(place)
    check.end()


main()

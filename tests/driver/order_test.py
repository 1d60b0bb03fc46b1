#!/usr/bin/env python3
"""Schedules that add in another order: `add S by lanes of 8 as P`. The C text gives the bits of that order, as numpy adds them in single
precision; Coq certifies the order, and that it is the kernel where addition has its laws; integers keep their bits. Schedules that do
not apply are refused with their line; folders, pieces and certificates that claim another order, or the written one bit for bit, are too."""
import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

from certified import Certified
from command import Checks, Vouch
from orders import by_blocks, by_lanes, seq

vouch = Vouch(sys.argv[1])
ALL = "all" in sys.argv[3:]  # else Coq is asked of few lies
check = Checks()
f32 = numpy.float32


DOT = "kernel {0};\nin A, B;\nout S;\nS<1>[z] = A<{1}>[i] * B<{1}>[i];\n"
BLOCKS = ("add S by blocks of 128 as P\nadd P by lanes of 8 as Q\n"
          "plan Q {{\n  each 1\n  parallel each {0}\n  tile\n}}\ntile\n")
N, ROWS = 1003, 5


class Case:
    def __init__(self, name, text, steps, order, sizes=(), inputs=2, rows=0, kind=f32, finish=lambda x: x):
        self.name, self.text, self.steps, self.order, self.sizes = name, text, steps, order, sizes
        self.inputs, self.rows, self.kind, self.finish = inputs, rows, kind, finish

    def terms(self, arrays, row):
        first = arrays[0][row * N:(row + 1) * N] if self.rows else arrays[0]
        return list(first * arrays[1]) if self.inputs == 2 else list(first * first)


def blocks_then_lanes(terms):
    return by_blocks(terms, 128, inner=lambda block: by_lanes(block, 8))


def tree(terms):
    """Lanes of 8, added in halves."""
    def halves(parts):
        return seq(parts) if len(parts) == 2 else by_lanes(parts, len(parts) // 2, outer=halves)
    return by_lanes(terms, 8, outer=halves)


CASES = [
    Case("named", DOT.format("named", "n"), BLOCKS.format("n / 128"), blocks_then_lanes, (N,)),
    Case("fixed", DOT.format("fixed", N), BLOCKS.format(N // 128), blocks_then_lanes),
    Case("trees", DOT.format("trees", "n"), "add S by lanes of 8 as L\nadd S by lanes of 4 as M\nadd S by lanes of 2 as K\n"
         "plan L {\n  each 1\n  tile\n}\ntile\n", tree, (N,)),
    Case("plainly", DOT.format("plainly", "n"), "add S by lanes of 8 as L\ntile\n", lambda t: by_lanes(t, 8), (N,)),
    Case("norm", "kernel norm;\nin A;\nout Y;\nS<1>[z] = A<n>[i] * A<n>[i];\nY<1>[z] = sqrt(S[z]);\n",
         "add S by lanes of 16 as L\nadd L by blocks of 8 as Q\nplan Q {\n  each 1\n  move 1\n  each n / 128\n  tile\n}\ntile\n",
         lambda t: by_lanes(t, 16, inner=lambda lane: by_blocks(lane, 8)), (N,), inputs=1, finish=numpy.sqrt),
    Case("rest", DOT.format("rest", "n"), "add S by lanes of 16 as L\nadd L by blocks of 8 as P\n"
         "plan P {\n  each 1\n  move 1\n  each n / 128\n  tile\n}\nplan L {\n  each 1\n  tile\n}\ntile\n",
         lambda t: by_lanes(t, 16, inner=lambda lane: by_blocks(lane, 8)), (N,)),
    Case("rows", f"kernel rows;\nin A, X;\nout Y;\nY<m>[i] = A<m, k>[i, p] * X<k>[p];\n",
         "add Y by lanes of 16 as L\nplan L {\n  parallel each m\n  tile\n}\nparallel each m\ntile\n",
         lambda t: by_lanes(t, 16), (ROWS, N), rows=ROWS),
    Case("whole", "kernel whole;\ntype int;\nin A, B;\nout S;\nS<1>[z] = A<n>[i] * B<n>[i];\n",
         "add S by lanes of 8 as L\ntile\n", seq, (N,), kind=numpy.int32),
]
# Certified too, not run: two loops, a condition, two summands, a local that is no sum, a quotient taken apart twice; sums that fill tiles.
ALSO = [
    ("inner", "kernel inner;\nin A;\nout S;\nS<1>[z] = A<20, 36>[i, j];\n", "add S loop 1 by lanes of 8 as L\nadd L by blocks of 1 as R\ntile\n"),
    ("below", "kernel below;\nin A;\nout Y;\nY<m>[i] = select(j <= i, A<m, m>[i, j], 0);\n", "add Y by lanes of 8 as L\neach m\ntile\n"),
    ("onto", "kernel onto;\nin A, D;\nout Y;\nT<6>[i] = exp(D<6>[i]);\nY<6>[i] = T[i] + A<6, 100>[i, j] * T[i] + D[i];\n",
     "add Y by blocks of 16 as P\nadd P by lanes of 4 as Q\ntile\n"),
    ("sums", "kernel sums;\nin A, B, C, D;\nout Y;\nY<4, 64>[i, j] = A<4, 9>[i, p] * B<9, 64>[p, j] + C<4, 16>[i, q] * D<16, 64>[q, j] + A[i, p];\n",
     "add Y by blocks of 3 as P\ntile\n"),
    ("deep", "kernel deep;\nin A;\nout S;\nS<1>[z] = A<n>[i];\n", "add S by lanes of 16 as L\nadd L by blocks of 8 as P\nadd P by lanes of 4 as Q\ntile\n"),
]
REFUSED = [
    ("add T by lanes of 8 as P\ntile", 2, 1, "no tensor 'T' to add"),
    ("add A by lanes of 8 as P\ntile", 2, 1, "no tensor 'A' to add"),
    ("add S by rows of 8 as P\ntile", 2, 10, "expected 'lanes' or 'blocks'"),
    ("add S by lanes of 1 as P\ntile", 2, 1, "two or more"),
    ("add S by blocks of 0 as P\ntile", 2, 1, "one term or more"),
    ("add S by lanes of 2000 as P\ntile", 2, 1, "fewer than 2000"),
    ("add S loop 1 by lanes of 8 as P\ntile", 2, 1, "no loop 1"),
    ("add S by lanes of 8 as A\ntile", 2, 1, "no new name"),
    ("add S by lanes of 8 as P\nadd P by lanes of 4 as P\ntile", 3, 1, "no new name"),
    ("add S by lanes of 8 as 3\ntile", 2, 1, "no new name"),
    ("add S by lanes of 8\ntile", 2, 20, "expected 'as'"),
    ("add S by lanes of 8 as P\nplan Q {\ntile\n}\ntile", 3, 6, "no local tensor 'Q'"),
    ("add S by lanes of 8 as P\nplan P {\ntile\n}\nplan P {\ntile\n}\ntile", 6, 6, "has a plan above already"),
    ("add S by lanes of 8 as P\nplan P\ntile\ntile", 3, 6, "expected '{' at the end of this line"),
    ("add S by lanes of 8 as P\nplan P {\neach 2\ntile\n}\ntile", 4, 1, "the first axis has 1 positions"),
    ("add S by lanes of 8 as P\ncopy A as axis 0\nplan P {\ntile\n}\ntile", 4, 6, "not both"),
    ("plan S {\ntile\n}\ntile", 2, 6, "no local tensor 'S'"),
]


def write(place, name, text, steps):
    path = place / f"{name}.tk"
    path.write_text(text)
    path.with_suffix(".sched").write_text(f"schedule {name}\n{steps}")
    return path


def compiled(place, name, text, steps):
    code, _, err = vouch("compile", write(place, name, text, steps), "-o", place / name)
    check.that(code == 0, f"compile {name}: {err[:400]}")
    return code == 0


def computes(case, library):
    draw = numpy.random.default_rng(7)
    make = (lambda n: draw.uniform(-2, 2, n).astype(f32)) if case.kind is f32 else (lambda n: draw.integers(-2**31, 2**31, n).astype(numpy.int32))
    arrays = [make(N * max(case.rows, 1)), make(N)][:case.inputs]
    out = numpy.zeros(max(case.rows, 1), case.kind)
    function = getattr(ctypes.CDLL(str(library)), f"{case.name}_checked")
    code = function(*[ctypes.c_int64(n) for n in case.sizes], *[x.ctypes.data_as(ctypes.c_void_p) for x in [*arrays, out]])
    with numpy.errstate(over="ignore"):
        expected = [case.finish(case.order(case.terms(arrays, row))) for row in range(max(case.rows, 1))]
        sums = [[order(case.terms(arrays, row)) for row in range(max(case.rows, 1))] for order in (case.order, seq)]
    check.that(code == 0 and list(out) == expected, f"{case.name}: {out[:3]} and not {expected[:3]}")
    check.that((sums[0] == sums[1]) == (case.kind is not f32), f"{case.name}: the order shows in floats, and in nothing else")


def refusals(place):
    for steps, line, column, words in REFUSED:
        code, _, err = vouch("compile", write(place, "named", DOT.format("named", N), steps + "\n"), "-o", place / "refused")
        place_of = f".sched:{line}:{column}: error: "
        check.that(code == 3 and place_of in err and words in err, f"{steps!r}: exit {code}, {err[:300]}")
        check.that(not (place / "refused").exists(), f"{steps!r} left files")


def read_back(place):
    path = place / "named.tk"
    code, text, err = vouch("schedule", path)
    check.that(code == 0 and "add S by blocks of 128 as P" in text, f"schedule: exit {code}, {err[:300]}")
    path.with_suffix(".sched").write_text(text)
    check.that(vouch("schedule", path)[1] == text, "a schedule that is printed is read back")
    code, text, err = vouch("schedule", "--explain", path)
    check.that(code == 0 and "its sums in another order" in text, f"explain: exit {code}, {err[:300]}")


def says_so(place):
    for case in CASES:
        header = (place / case.name / f"{case.name}.h").read_text()
        check.that("Sums in another order: add " in header, f"the header of {case.name} does not say the order")
        check.that(("The same over the reals" in header) == (case.kind is f32), f"the header of {case.name} says what it is the same over")


def reported(place):
    """`verify` says of each what it is equal over."""
    for case in CASES:
        code, out, err = vouch("verify", place / case.name, "--json", place / "verified.json", limited=False)
        algebra = json.loads((place / "verified.json").read_text())["kernels"][0]["algebra"]
        check.that(code == 0 and algebra == ("real" if case.kind is f32 else "exact"), f"{case.name}: {code} {algebra} {err[:200]}")
        check.that(("real: sums are in another order" in out) == (case.kind is f32), f"{case.name}: {out[:300]}")


def lies(place, certified):
    certified.lie(place, "named", ".c", lambda text: text.replace("i8 < 8;", "i8 < 7;", 1) if "i8 < 8;" in text else text.replace(" < 8;", " < 7;", 1), "a lane is left out")
    certified.lie(place, "named", ".h", lambda text: text.replace("by lanes of 8", "by lanes of 4", 1), "another order")
    certified.lie(place, "named", ".h", lambda text: text.replace("The same over the reals;", "The same;", 1), "more than holds")
    for what, change in [("another order", lambda s: s.replace("lanes of 8", "lanes of 4")), ("no order", lambda s: "\n".join(x for x in s.split("\n") if x[:3] != "add"))]:
        certified.other_recipe(place / "plainly", "plainly", lambda recipe: recipe.update(schedule=change(recipe["schedule"])), what)


def certificates_that_lie(place):
    """Of pieces that miss, repeat or swap terms, of another ordered kernel, and of the written order bit for bit."""
    text = (place / "named" / "named.v").read_text()
    library = pathlib.Path(vouch.program).resolve().parent / "coq"
    lies = [("terms that are elsewhere", "pc_to := [(IDiv (IMod (IVar 0) 128", "pc_to := [(IDiv (IMod (IVar 0) 64"),
            ("another piece", "pc_where := (CLe (IAdd (IVar 0) (ICon (1)%Z))", "pc_where := (CLe (IAdd (IVar 0) (ICon (2)%Z))"),
            ("a rest that is elsewhere", "pc_from := [(IAdd (IVar 0) (IScale (128)%Z", "pc_from := [(IAdd (IVar 0) (IScale (127)%Z"),
            ("one partial sum less", "su_loops := [(SPart (Quot 128) 0)]", "su_loops := [(SConst 3)]"),
            ("the written order", "ComputesIndex ordered_kernel kernel", "ComputesIndex index_kernel kernel"),
            ("the written order, reordered", "Reordered index_kernel ordered_kernel kernel", "Reordered ordered_kernel index_kernel kernel"),
            ("another kernel", "BOp2 Mul (BRead 0 [((IVar 0), (SVar 0))])", "BOp2 Sub (BRead 0 [((IVar 0), (SVar 0))])")]
    for what, before, after in lies if ALL else lies[1::2]:
        lying = text.replace(before, after, 1)
        (place / "Lie.v").write_text(lying)
        done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", "Lie.v"], cwd=place, capture_output=True, text=True)
        check.that(lying != text and done.returncode != 0 and "Error" in done.stderr, f"Coq, of a certificate of {what}: {done.returncode} {done.stderr[:200]}")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    folders = []
    for at, case in enumerate(CASES):
        if compiled(place, case.name, case.text, case.steps):
            folders.append(place / case.name)
            library = certified.built(certified.compilers[at % len(certified.compilers)], place / case.name / f"{case.name}.c", place)
            if library:
                computes(case, library)
    folders += [place / name for name, text, steps in ALSO if compiled(place, name, text, steps)]
    check.that((place / "rest" / "rest.c").read_text().count("omp simd") == 7, "what is left by full blocks is added in lanes, too")
    says_so(place)
    read_back(place)
    refusals(place)
    lies(place, certified)
    if certified.coq:
        certified.verified(*folders)
        reported(place)
        certified.refused_by_coq(place)
        certificates_that_lie(place)
    shutil.rmtree(place)
    check.end()


main()

#!/usr/bin/env python3
"""Versions for processors (`compile --targets`) of kernels that are not computed as they stand: with `--fma`, by a schedule that adds in
another order, with both, of functional programs by plans, of those in another order. Every version that this processor has gives the bits of what is
computed, worked out with exact fractions or in numpy's binary32; Coq certifies all of them; lies in a version that is fused, in one
that adds in another order, in a manifest, are refused; so is what has no versions, with the reason."""
import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

from binary32 import exact, rounded
from certified import Certified
from command import Checks, Vouch
from orders import Fused, by_lanes

vouch = Vouch(sys.argv[1])
ALL = "all" in sys.argv[3:]  # else Coq is asked of four kernels, and clang of the newest version
check = Checks()
f32 = numpy.float32
FEATURES = [set(), {"avx2", "fma"}, {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"}]
TARGETS = ["--targets", "generic,avx2,avx512"]
LANES = "schedule {}\nadd {} by lanes of 8 as parts\ntile\n"
ROWS = 4


def in_order(a, b):
    total = f32(0)
    for x, y in zip(a, b):
        total = total + x * y
    return total


def fused(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = rounded(exact(float(x)) * exact(float(y)) + exact(total))
    return f32(total)


def in_lanes(a, b):
    full = len(a) // 8 * 8
    parts = [in_order(a[:full][lane::8], b[:full][lane::8]) for lane in range(8)]
    total = in_order(parts, [f32(1)] * 8)
    return total + in_order(a[full:], b[full:]) if full < len(a) else total


def fused_in_lanes(a, b):
    return by_lanes([Fused(x, y) for x, y in zip(a, b)], 8).number()


DOT = "kernel {};\nin A, X;\nout Y;\nY<m>[i] = A<m, n>[i, j] * X<n>[j];\n"
FUN = "kernel {}(sizes m, n; a: num[m, n], x: num[n]) -> y: num[m] =\n  map row in a {{ reduce p in zip(row, x) with s = 0 {{ s + p.fst * p.snd }} }}\n"
# name, its text, its schedule, options, what an element is, the lengths of rows (of a kernel in index notation at least 1)
KERNELS = [
    ("fused", DOT, None, ["--fma"], fused, [1, 2, 7, 37]),
    ("ordered", DOT, LANES.format("ordered", "Y"), [], in_lanes, [1, 2, 7, 8, 37]),
    ("both", DOT, LANES.format("both", "Y"), ["--fma"], fused_in_lanes, [1, 2, 7, 8, 37]),
    ("functional", FUN, None, ["--plan"], in_order, [0, 1, 2, 7, 37]),
    ("functional_ordered", FUN, LANES.format("functional_ordered", "y"), ["--plan"], in_lanes, [0, 1, 2, 7, 8, 37]),
]
REAL = {"fused": "products are not rounded", "ordered": "another order", "both": "another order", "functional_ordered": "another order"}


def write(place, name, text, schedule):
    path = place / f"{name}{'.fun' if text is FUN else '.tk'}"
    path.write_text(text.format(name))
    if schedule:
        path.with_suffix(".sched").write_text(schedule)
    return path


def newest():
    flags = next((set(line.split()) for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), set())
    return [number for number, features in enumerate(FEATURES) if features <= flags]


def computes(name, library, element, lengths, what):
    draw = numpy.random.default_rng(11)
    function = getattr(ctypes.CDLL(str(library)), f"{name}_checked")
    for n in lengths:
        a, x = (draw.uniform(-2, 2, count).astype(f32) for count in (ROWS * n, n))
        y = numpy.full(ROWS, 77, f32)
        code = function(ctypes.c_int64(ROWS), ctypes.c_int64(n), *[array.ctypes.data_as(ctypes.c_void_p) for array in (a, x, y)])
        expected = [element(a[row * n:(row + 1) * n], x) for row in range(ROWS)]
        check.that(code == 0 and list(y) == expected, f"{name} {what}, rows of {n}: {code}, {y} and not {expected}")


def lies(place, certified):
    def last(text, old, new):
        at = text.rindex(old)
        return text[:at] + new + text[at + len(old):]

    certified.lie(place, "fused", ".c", lambda text: text.replace("fmaf(", "fmaf(1.0f + 0.0f * ", 1), "another product")
    certified.lie(place, "fused", ".c", lambda text: last(text, "fmaf(", "fmaf(0.0f + "), "another product in the newest")
    certified.lie(place, "ordered", ".c", lambda text: last(text, " * 8)", " * 4)"), "other terms in the newest")
    certified.lie(place, "functional", ".c", lambda text: text.replace("] * ", "] + ", 1), "a sum and no product")
    certified.lies = [(what, text.replace("certifies kernel lie", "certifies_versions kernels lie")) for what, text in certified.lies]
    for name, member, value in [("fused", "fma", False), ("fused", "fma", None), ("ordered", "schedule", None), ("functional", "planned", False),
                                ("ordered", "fma", True), ("functional", "targets", ["generic"])]:
        copy = place / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place / name, copy)
        manifest = json.loads((copy / "manifest.json").read_text())
        recipe = manifest["kernels"][name]["recipe"]
        recipe.pop(member, None)
        if value is not None:
            recipe[member] = value
        (copy / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        code, out, err = vouch("verify", copy, limited=False)
        check.that(code in (1, 3), f"{name} with {member} = {value} in the recipe: exit {code}, {(out + err)[:300]}")


def without_pieces(place, certified):
    """Coq by itself: a certificate whose pieces of the sum are fewer proves nothing."""
    text = (place / "ordered" / "ordered.v").read_text()
    at = text.index("wi_output := ")
    lie = text[:at] + "wi_output := [[]] |}.\n" + text[text.index("\n", text.index("|}.", at)):]
    check.that(lie != text, "pieces are taken away")
    (place / "Lie.v").write_text(lie)
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", place / "Lie.v"], capture_output=True, text=True)
    check.that(done.returncode != 0 and "reordered" in lie and "regroups index_kernel" in done.stderr, f"Coq on an order without its pieces: {done.stderr[:300]}")


def refused(place):
    for name, text, schedule, words, expected in [
            ("whole", DOT.replace("in A, X", "type int;\nin A, X"), None, ["--fma"], "is of floats"),
            ("own_loops", FUN, None, [], "by its own loops"),
            ("stored", "kernel {};\nin A, B;\nout C;\nT<8>[i] = A<8>[i] * B<8>[i];\nC<4>[j] = T[j + 4 * q];\n", None, ["--fma"], "stored product"),
            ("fused_plan", FUN, None, ["--fma", "--plan"], "is a functional program")]:
        code, _, err = vouch("compile", write(place, name, text, schedule), *TARGETS, *words, "-o", place / "refused")
        check.that(code == 3 and expected in err, f"{name}: exit {code}, {err[:300]}")
    check.that(not (place / "refused").exists(), "files were left")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    have = newest()
    print("versions that this processor has:", have)
    for name, text, schedule, words, element, lengths in KERNELS:
        code, _, err = vouch("compile", write(place, name, text, schedule), *TARGETS, *words, "-o", place / name)
        check.that(code == 0, f"compile {name}: {err[:400]}")
        for compiler in certified.compilers:
            for number in have if ALL or compiler == "gcc" else have[-1:]:
                library = certified.built(compiler, place / name / f"{name}.c", place, [f"-DVOUCH_NEWEST={number}"])
                if library:
                    computes(name, library, element, lengths, f"by {compiler}, newest {number}")
                    library.rename(place / f"{name}-{compiler}-newest{number}.so")
    lies(place, certified)
    refused(place)
    if certified.coq:
        code, _, err = vouch("compile", place / "functional_ordered.fun", "--plan", "-o", place / "one" / "functional_ordered")
        check.that(code == 0, f"one text for all processors: {err[:300]}")
        certified.verified(place / "one" / "functional_ordered", *[place / case[0] for case in KERNELS if ALL or case[0] in REAL])
        for name, words in REAL.items():
            _, out, _ = vouch("verify", place / name, limited=False, seconds=600)
            check.that("real: " in out and words in out, f"{name}: verify does not say that it is real: {out[:300]}")
        without_pieces(place, certified)
        certified.refused_by_coq(place)
    shutil.rmtree(place)
    check.end()


main()

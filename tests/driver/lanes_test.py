#!/usr/bin/env python3
"""`vouch compile --lanes`: exp, tanh and erf of floats are exp_lanes, tanh_lanes and erf_lanes of the C text. By how much these are off
is measured against functions of doubles (`all`: of all floats), and on some numbers they are what Coq's definitions say, bit for bit; the
certificates say what is replaced, and Coq accepts them, with fused products, versions, plans and functional programs too; texts, recipes
and certificates that lie are refused; without the option nothing changes."""
import ctypes
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from binary32 import COQ_FLOATS, bits, coq_float
from certified import Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
check = Checks()
STEP = "1" if "all" in sys.argv[3:] else "1009"
MOST = {"exp_lanes": 1.0, "tanh_lanes": 1.4, "erf_lanes": 1.2}
N = 100
ALL = "kernel functions;\nin A;\nout Y;\nY<n>[i] = exp(A<n>[i]) + tanh(A<n>[i]) * erf(A<n>[i]);\n"
SOFTMAX = ("kernel softmax;\nin A;\nout Y;\nE<m, n>[i, j] = exp(A<m, n>[i, j]);\nZ<m>[i] = E[i, j];\n"
           "Y<m, n>[i, j] = E[i, j] / Z[i];\n")
POWERS = "kernel powers(sizes n; a: num[n]) -> b: num[n] = map vec x in a { exp(x) + tanh(x) }\n"
# name, text, ending, options
CASES = [("functions", ALL, ".tk", []), ("softmax", SOFTMAX, ".tk", []), ("powers", POWERS, ".fun", []),
         ("functions", ALL, ".tk", ["--fma"]), ("functions", ALL, ".tk", ["--targets", "generic,avx2"]), ("powers", POWERS, ".fun", ["--plan"]),
         ("powers", POWERS, ".fun", ["--plan", "--targets", "generic,avx2"]), ("product", None, ".tk", [])]
PRODUCT = "kernel product;\nin A, B;\nout C;\nC<8, 64>[i, j] = A<8, 16>[i, p] * B<16, 64>[p, j];\n"


def folder_of(place, at):
    return place / f"{at}" / CASES[at][0]


def compiled(place, at, lanes=True):
    name, text, ending, options = CASES[at]
    folder = folder_of(place, at) if lanes else place / "plain" / name
    folder.parent.mkdir(exist_ok=True)
    path = folder.parent / f"{name}{ending}"
    path.write_text(text or PRODUCT)
    code, _, err = vouch("compile", *(["--lanes"] if lanes else []), *options, path, "-o", folder)
    check.that(code == 0, f"compile {name} {options}: {err[:400]}")
    return folder


def says_so(folder, at):
    name, text, _, _ = CASES[at]
    c = (folder / f"{name}.c").read_text()
    check.that(("exp_lanes(" in c) == (text is not None) and "expf(" not in c and "tanhf(" not in c, f"{name}: which functions it calls")
    check.that("In lanes" in (folder / f"{name}.h").read_text(), f"the header of {name} does not say it")
    check.that(json.loads((folder / "manifest.json").read_text())["kernels"][name]["recipe"]["lanes"] is True, f"the recipe of {name}")
    check.that("Theorem lanes" in (folder / f"{name}.v").read_text(), f"the certificate of {name} does not say it")


def errors(certified, text, place):
    """In units of the last place; of the same text by each compiler the same."""
    here = pathlib.Path(__file__).resolve().parent
    said = {}
    for compiler in certified.compilers:
        program = place / f"errors-{compiler}"
        done = subprocess.run([compiler, "-std=c99", "-O3", "-ffp-contract=off", f'-DTEXT="{text}"', here / "lanes_errors.c", "-o", program, "-lm"],
                              capture_output=True, text=True)
        check.that(done.returncode == 0, f"{compiler} lanes_errors.c: {done.stderr[:400]}")
        said[compiler] = subprocess.run([program, STEP], capture_output=True, text=True).stdout
    check.that(len(set(said.values())) == 1, f"compilers disagree: {said}")
    rows = [line.split() for line in next(iter(said.values())).splitlines()]
    print(*(" ".join(row) for row in rows), sep="\n")
    check.that([row[0] for row in rows] == list(MOST), f"functions that are measured: {rows}")
    for name, _, off, wrong in rows:
        check.that(0.5 < float(off) < MOST[name] and wrong == "0", f"{name} is off by {off}, and {wrong} times no number or infinite")


def coq_agrees(certified, place):
    """Each function of the C text, and Coq's definition, on numbers of all kinds."""
    source = random.Random(7)
    patterns = [source.getrandbits(32) for _ in range(60)] + [0, 1 << 31, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x42B17217, 0x42B17218]
    patterns += [bits(source.uniform(-110, 90)) for _ in range(60)] + [bits(source.uniform(-3, 3)) for _ in range(80)]
    numbers = [struct.unpack("f", struct.pack("I", p))[0] for p in patterns]
    rows = []
    for name, function in (("exp", "exp_lanes32"), ("tanh", "tanh_lanes32"), ("erf", "erf_lanes32")):
        path = place / "one.tk"
        path.write_text(f"kernel one;\nin A;\nout Y;\nY<n>[i] = {name}(A<n>[i]);\n")
        code, _, err = vouch("compile", "--lanes", path, "-o", place / name)
        check.that(code == 0, f"compile {name}: {err[:300]}")
        library = certified.built("gcc", place / name / "one.c", place / name)
        y = (ctypes.c_float * len(numbers))()
        ctypes.CDLL(str(library)).one(ctypes.c_int64(len(numbers)), (ctypes.c_float * len(numbers))(*numbers), y)
        results = list(struct.unpack(f"{len(numbers)}I", bytes(y)))
        rows += [f"same ({function} {coq_float(p)}) {coq_float(r)}" for p, r in zip(patterns, results)]
    text = (COQ_FLOATS +
            "Goal forallb (fun x => x) [" + ";\n".join(rows) + "] = true.\nProof. vm_compute. reflexivity. Qed.\n")
    done = by_coq(certified, place, text)
    check.that(done.returncode == 0, f"Coq's definitions are not the C text's functions: {done.stderr[:300]}")


def by_coq(certified, place, text):
    (place / "Asked.v").write_text(text)
    return subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", "Asked.v"], cwd=place, capture_output=True, text=True)


def lies(certified, place, plain):
    here = place / "0"
    for before, after, what in [("0x1.5558f4p-5f", "0x1.5558f6p-5f", "another coefficient"), ("0.625f", "0.5f", "another part"),
                                ("(exp_lanes(A[i]) +", "(expf(A[i]) +", "the C library's function")]:
        certified.lie(here, "functions", ".c", lambda text, b=before, a=after: text.replace(b, a, 1), what)
    certified.lie(place / "plain", "functions", ".c", lambda text: text.replace("expf(A[i])", "exp_lanes(A[i])", 1), "an approximation without choice")
    certified.lie(here, "functions", ".h", lambda text: text.replace("In lanes:", "Not in lanes:", 1), "nothing is approximated")
    certified.other_recipe(here / "functions", "functions", lambda recipe: recipe.pop("lanes"), "no lanes")
    for lanes in (False, "yes"):
        certified.other_recipe(here / "functions", "functions", lambda recipe: recipe.update(lanes=lanes), f"lanes = {lanes}")
    certified.other_recipe(plain, "functions", lambda recipe: recipe.update(lanes=True), "lanes = True")


def certificates_that_lie(certified, place):
    """Of another written kernel or program, and that what is computed is the written kernel itself."""
    for at, begin, before, after in [(0, "Definition written_kernel", "BOp1 Exp", "BOp1 Log"), (0, "Definition written_kernel", "BOp1 Exp", "BOp1 ExpLanes"),
                                     (0, "Theorem lanes", "KernelLanes written_kernel", "eq written_kernel"),
                                     (2, "Definition written ", "Op1 Exp", "Op1 Log"), (2, "Theorem lanes", "ProgramLanes", "eq")]:
        text = (folder_of(place, at) / f"{CASES[at][0]}.v").read_text()
        where = text.index(begin)
        lying = text[:where] + text[where:].replace(before, after, 1)
        done = by_coq(certified, place, lying)
        # exp of what is ExpLanes already is the same kernel: this is no lie
        accepted = after == "BOp1 ExpLanes"
        check.that(lying != text and (done.returncode == 0) == accepted, f"Coq on a certificate with {after}: {done.returncode}, {done.stderr[:300]}")


def refused(place):
    for name, text, words in [("doubles", "kernel doubles;\ntype double;\nin A;\nout Y;\nY<n>[i] = exp(A<n>[i]);\n", "of floats of 32 bits")]:
        path = place / f"{name}.tk"
        path.write_text(text)
        code, _, err = vouch("compile", "--lanes", path, "-o", place / "refused")
        check.that(code == 3 and words in err and not (place / "refused").exists(), f"{name}: exit {code}, {err[:300]}")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    for at in range(len(CASES)):
        says_so(compiled(place, at), at)
    plain = compiled(place, 0, lanes=False)
    text = (plain / "functions.c").read_text()
    check.that("exp_lanes" not in text and "expf(" in text and "Theorem lanes" not in (plain / "functions.v").read_text(), "without --lanes")
    errors(certified, folder_of(place, 0) / "functions.c", place)
    refused(place)
    lies(certified, place, plain)
    if certified.coq:
        certified.verified(*[folder_of(place, at) for at in range(len(CASES))])
        certified.refused_by_coq(place)
        certificates_that_lie(certified, place)
        coq_agrees(certified, place)
    shutil.rmtree(place)
    check.end()


main()

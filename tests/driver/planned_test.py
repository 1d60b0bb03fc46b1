#!/usr/bin/env python3
"""`vouch compile --plan`: functional programs by plans. The texts compile with gcc and clang without a warning, and give the bits of the
programs' own loops; Coq certifies that they compute the programs as they are written; of another program, another kernel, another statement
of an element Coq accepts nothing; gradients of programs are proven, of the programs; folders that lie are refused; what index notation does not have is named, and nothing is written."""
import ctypes
import hashlib
import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
ALL = "all" in sys.argv[3:]  # else Coq alone is asked of one lie of each class
check = Checks()
ONTO = """kernel onto(sizes m1, n1, p1, m, n, p; a: num[m1, n1, m, n], b: num[p1, n1, p, n]) -> c: num[m1, p1, m, p] =
  map par band in a {
    map column in b {
      reduce ab in zip(band, column) with sum = fill(num[m, p], 0) {
        map rows in zip(sum, ab.fst) {
          map sb in zip(rows.fst, ab.snd) { reduce q in zip(rows.snd, sb.snd) with s = sb.fst { s + q.fst * q.snd } }
        }
      }
    }
  }
"""
MEAN = """kernel mean(sizes n; xs: num[8 * n]) -> ys: num[n] =
  let total = mem(fold k < 8 with s = 0 { s + 1 }) in
  map row in xs.split(8, n) { (reduce x in row with s = 0 { s + x }) / total + (reduce x in row with s = 0 { s + x * x }) }
"""
BELOW = "kernel below(sizes n; xs: num[n]) -> ys: num[n] = generate i < n { fold j < n with s = 0 { if j < i + 1 then s + xs[j] else s } }\n"

# name, its text (nothing: it is shipped), sizes, cells of inputs and of the output, whether a plan has to have tiles for it
PRODUCT = {"m": 70, "n": 96, "p": 100}
BLOCKS = {"m1": 2, "n1": 3, "p1": 2, "m": 20, "n": 24, "p": 16}
WINDOWS = {"c": 4, "h": 12, "w": 13, "r": 3, "t": 2, "ho": 6, "wo": 6, "sh": 2, "sw": 2, "top": 1, "left": 1, "bottom": 1, "right": 1}
VALID = {"ic": 8, "oc": 16, "ho": 30, "wo": 30, "r": 2, "t": 2}
CASES = [
    ("matmul", None, PRODUCT, [70 * 96, 96 * 100], 70 * 100, True),
    ("onto", ONTO, BLOCKS, [2 * 3 * 20 * 24, 2 * 3 * 16 * 24], 2 * 2 * 20 * 16, True),
    ("block_mul", None, BLOCKS, [2 * 3 * 20 * 24, 2 * 3 * 16 * 24], 2 * 2 * 20 * 16, False),
    ("conv2d_valid", None, VALID, [8 * 32 * 32, 16 * 8 * 9], 16 * 30 * 30, True),
    ("average_pool", None, WINDOWS, [4 * 12 * 13], 4 * 36, False),
    ("layer_norm", None, {"m": 9, "n": 32}, [9 * 32, 32, 32, 1], 9 * 32, False),
    ("dense", None, {"m": 9, "n": 32, "p": 33}, [9 * 32, 33 * 32, 33], 9 * 33, False),
    ("mean", MEAN, {"n": 11}, [88], 11, False),
    ("below", BELOW, {"n": 40}, [40], 40, False),
    ("dot", None, {"n": 1000}, [1000, 1000], 1, False),
]
FEW = {"matmul", "block_mul", "layer_norm", "mean", "below"}  # one of each class: tiles, blocks of the program's own, several sums, a mean, a condition
CASES = [case for case in CASES if ALL or case[0] in FEW]
SYMBOLIC = ["matmul", "layer_norm", "trans"] if ALL else ["matmul"]  # for all sizes at once
GRADIENTS = [("dot", []), ("dense", ["--size", "m=3", "--size", "n=4", "--size", "p=5"]), ("layer_norm", ["--size", "m=3", "--size", "n=4"])][: None if ALL else 2]
REFUSED = [
    ("begins", "x: num[5]) -> y: num = reduce v in x with s = 1 { s + v }", [], "begins with 0"),
    ("largest", "x: num[5]) -> y: num = reduce v in x with s = -inf { max(s, v) }", [], "begins with 0"),
    ("fused", "x: num[5]) -> y: num = reduce v in x with s = 0 { fma(v, v, s) }", [], "fma(x, y, acc)"),
    ("after", "x: num[5]) -> y: num = reduce v in x with s = 0 { v + s }", [], "term + acc"),
    ("beside", "x: num[5]) -> y: num[10] = cat(x, x)", [], "cat("),
    ("pairs", "x: (num, num)[5]) -> y: num[5] = x.unzip.fst", [], "pairs in 'x'"),
    ("affine", "sizes m, n; x: num[m * n]) -> y: num[n, m] = x.split(m, n)", [], "--size"),
    ("word", "x: num[5]) -> y: num[5] = x", ["--size", "m"], "NAME=VALUE"),
]


def source(name, text, place):
    path = place / f"{name}.fun"
    shipped = next((root / "kernels").rglob(f"{name}.fun"), None)
    path.write_text(text or shipped.read_text())
    return path


def cells(count, generator):
    return [generator.choice([0.0, -0.0, float("inf")]) if generator.random() < 0.002 else generator.randrange(-500, 500) / 64 for _ in range(count)]


def run(library, name, sizes, inputs, count):
    function = getattr(ctypes.CDLL(library), f"{name}_checked")
    function.restype = ctypes.c_int
    out = (ctypes.c_float * count)()
    given = [ctypes.c_float(x[0]) if scalar else (ctypes.c_float * len(x))(*x) for x, scalar in inputs]
    check.that(function(*[ctypes.c_int64(s) for s in sizes], *given, out) == 0, f"{library.name}: a code other than 0")
    return list(out)


def same_bits(a, b):
    return all(x != x and y != y or struct.pack("f", x) == struct.pack("f", y) for x, y in zip(a, b, strict=True))


def against_own_loops(case, place, certified):
    name, text, sizes, lengths, count, tiled = case
    path = source(name, text, place)
    words = [word for size, value in sizes.items() for word in ("--size", f"{size}={value}")]
    code, _, err = vouch("compile", path, "-o", place / "own" / name)
    check.that(code == 0, f"compile {name}: {err[:300]}")
    code, _, err = vouch("compile", path, "--plan", *words, "-o", place / name)
    check.that(code == 0, f"compile --plan {name}: {err[:300]}")
    certificate = (place / name / f"{name}.v").read_text()
    check.that("Definition tiles" in certificate or not tiled, f"{name}: no tiles")
    check.that("computes_functional" in certificate, f"{name}: the certificate says nothing of the program")
    order = re.search(r"sizes ([^;]*);", path.read_text())
    order = [size.strip() for size in order[1].split(",")]
    inputs = [(cells(length, random.Random(length)), length == 1) for length in lengths]
    own = run(certified.built("gcc", place / "own" / name / f"{name}.c", place), name, [sizes[size] for size in order], inputs, count)
    for compiler in certified.compilers:
        built = certified.built(compiler, place / name / f"{name}.c", place / name)
        check.that(same_bits(run(built, name, [], inputs, count), own), f"{name}, {compiler}: other bits than its own loops give")
        built.unlink()


def lies(place, certified):
    certified.lie(place, "matmul", ".c", lambda text: text.replace(" + ", " - ", 1), "a difference for a sum")
    certified.lie(place, "matmul", ".h", lambda text: text.replace("const float *", "float *", 1), "an input that may be written")
    for what, file, change in [
        ("another program", "matmul.fun", lambda text: text.replace("sum + q.fst", "sum - q.fst")),
        ("a program of other order", "matmul.fun", lambda text: text.replace("q.fst * q.snd", "q.snd * q.fst")),
        ("another statement", "matmul.v", lambda text: text.replace("(ROp2 Mul ", "(ROp2 Add ", 1)),
        ("another meaning", "matmul.v", lambda text: text.replace("reads_as functional index_kernel", "reads_as kernel index_kernel")),
        ("no word of the program", "matmul.v", lambda text: text[:text.index("Definition functional")]),
        ("its own loops", "manifest.json", lambda text: text.replace('"planned": true', '"planned": false')),
        ("a recipe without a plan", "manifest.json", lambda text: re.sub(r',\s*"planned": true', "", text)),
        ("other sizes", "manifest.json", lambda text: text.replace("m=70", "m=71")),
    ]:
        copy = place / "lie"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place / "matmul", copy)
        honest = (copy / file).read_text()
        lying = change(honest)
        check.that(lying != honest, f"no place for the lie '{what}'")
        (copy / file).write_text(lying)
        if file != "manifest.json":
            manifest = json.loads((copy / "manifest.json").read_text())
            manifest["kernels"]["matmul"]["files"][file] = hashlib.sha256(lying.encode()).hexdigest()
            (copy / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        code, out, err = vouch("verify", copy, limited=False)
        check.that(code in (1, 3), f"the lie '{what}': exit {code}, {(out + err)[:300]}")


def refused_by_coq(place, certified):
    """Certificates that claim of other programs, kernels and statements what holds of these."""
    certificate = (place / "mean" / "mean.v").read_text()
    functional = certificate.index("Definition functional")
    element = certificate.index("Definition element")
    lying = [
        ("a program that subtracts", functional, "(Op2 Add)", "(Op2 Sub)"), ("a program of other sums", functional, "ERed Fresh (SConst 8)", "ERed Fresh (SConst 7)"),
        ("a program of another input", functional, "(TAry (SConst 88) TNum)", "(TAry (SConst 87) TNum)"), ("a statement that subtracts", element, "ROp2 Add", "ROp2 Sub"),
        ("a statement at another address", element, "(XMul (XSize (SConst 8))", "(XMul (XSize (SConst 7))"),
        ("a statement that adds the other way round", element, "(ROp2 Add (RScalar", "(ROp2 Add (RConst (Dyadic 0 0)) (RScalar"),
    ]
    for what, begin, before, after in lying if ALL else lying[2:5]:
        lie = certificate[:begin] + certificate[begin:].replace(before, after, 1)
        check.that(lie != certificate, f"no place for '{what}'")
        folder = place / "coq"
        folder.mkdir(exist_ok=True)
        (folder / "Lie.v").write_text(lie)
        done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", "Lie.v"], cwd=folder, capture_output=True, text=True)
        check.that(done.returncode != 0, f"Coq accepts {what}")


def gradients(place, certified):
    """Of programs: exact differences, certificates, and that the kernel that is differentiated is the program."""
    expected = 0
    for name, words in GRADIENTS:
        code, out, err = vouch("grad", source(name, None, place), "-o", place / "gradients" / name, "--check", *words)
        check.that(code == 0 and "elements equal" in out, f"grad {name}: exit {code}, {(out + err)[-300:]}")
        adjoints = list((place / "gradients" / name).glob("*_adjoint.v"))
        check.that(adjoints and all("reads_functional" in path.read_text() for path in adjoints), f"grad {name}: what is differentiated is not tied to the program")
        expected += len(adjoints)
    if certified.coq:
        code, out, err = vouch("verify", *[place / "gradients" / name for name, _ in GRADIENTS], limited=False, seconds=600)
        verdicts = re.findall(r"^\w+ +certified .* proven +none", out, re.MULTILINE)
        check.that(code == 0 and len(verdicts) == expected, f"verify the gradients: exit {code}, {(out + err)[:800]}")
        text = (place / "gradients" / "dot" / "dot_dxs_adjoint.v").read_text()
        begin = text.index("Definition functional")
        (place / "coq" / "Lie.v").write_text(text[:begin] + text[begin:].replace("(Op2 Mul)", "(Op2 Div)", 1))
        done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", "Lie.v"], cwd=place / "coq", capture_output=True, text=True)
        check.that(done.returncode != 0, "Coq accepts the gradient of another program")
    code, _, err = vouch("grad", source("softmax", None, place), "-o", place / "refused")
    check.that(code == 3 and "begins with 0" in err and not (place / "refused").exists(), f"grad softmax: exit {code}, {err[:300]}")
    code, out, err = vouch("show", source("matmul", None, place))
    check.that(code == 0 and "domain: [0, n)" in out, f"show matmul: exit {code}, {(out + err)[:300]}")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    certified = Certified(vouch, check)
    for case in CASES:
        against_own_loops(case, place, certified)
    lies(place, certified)
    certified.refused_by_coq(place)
    if certified.coq:
        refused_by_coq(place, certified)
        for name in SYMBOLIC:
            code, _, err = vouch("compile", "--plan", source(name, None, place), "-o", place / "symbolic" / name)
            check.that(code == 0, f"{name}, for all sizes: {err[:300]}")
        certified.verified(*[place / case[0] for case in CASES], *[place / "symbolic" / name for name in SYMBOLIC])
    gradients(place, certified)
    for name, text, words, said in REFUSED:
        code, _, err = vouch("compile", source(name, f"kernel {name}({text}\n", place), "--plan", *words, "-o", place / "refused")
        check.that(code == 3 and said in err, f"{name}: exit {code}, {err[:300]}")
        check.that(not (place / "refused").exists(), f"{name} left files")
    shutil.rmtree(place)
    check.end()


main()

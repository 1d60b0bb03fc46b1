"""Kernels in index notation through the command: what is shown, what is refused, and derivatives compiled and run.

Derivatives are compared with differences of the compiled kernel itself, on every element: inputs are small whole numbers, so
that float arithmetic is exact, and the kernels are of degree two at most, so that the difference is the derivative."""
import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

os.environ["OMP_NUM_THREADS"] = "1"  # thousands of short runs
vouch = Vouch(sys.argv[1])
root = pathlib.Path(sys.argv[2])
checks = Checks()
folder = tempfile.TemporaryDirectory()
place = pathlib.Path(folder.name)


def run_text(command, text, *options, name="kernel.tk"):
    path = place / name
    path.write_text(text)
    return vouch(command, path, *options, limited=False)


# --- show
EXAMPLE = "A<16, 32>[i, j] = B<16, 32, 4>[i, k, l] * C<32, 32>[k, j] * D<4, 32>[l, j];"
SHOWN = EXAMPLE + """
i
  index type: Spatial
  domain: [0, 16)
j
  index type: Spatial
  domain: [0, 32)
k
  index type: Reduce
  domain: [0, 32)
l
  index type: Reduce
  domain: [0, 4)
"""
code, out, err = run_text("show", EXAMPLE)
checks.that(code == 0 and out == SHOWN, f"the example of the source: {code}\n{out}{err}")
code, out, err = run_text("show", "A<n, m>[i, j] = B<n, m>[i, j] + B<n, m>[i, j];", "--size", "n=4", "--size", "m=6")
checks.that(code == 0 and "[0, 6)" in out, f"sizes with names: {out}{err}")
code, out, err = run_text("show", "A<8, 8>[i, j] = (B<10, 8>[i, j] + B<10, 8>[i + 1, j] + B<10, 8>[i + 2, j]) / 3.0;")
checks.that("[0, 8)" in out and "[0, 10)" not in out, f"the largest box: {out}{err}")

# Remainders leave several intervals: by hand, (i + 1) % 4 < 3 holds on 0..1, 3..5, 7..9; (3*i + 1) % 4 < 2 on 0..1, 4..5, 8..9.
for subscript, extent, domain in [("(i + 1)%4", 3, "[3, 6)"), ("(3*i + 1)%4", 2, "[0, 2)"), ("i%4", 4, "[0, 10)")]:
    code, out, err = run_text("show", f"A<10>[i] = B<{extent}>[{subscript}];")
    checks.that(code == 0 and f"domain: {domain}" in out, f"{subscript} below {extent}: {out}{err}")
code, out, err = run_text("show", "A<1>=B<4>[i]*B<4>[i];")
checks.that(code == 0 and "index type: Reduce" in out, f"no space after a shape: {code}, {out}{err}")

# --- bad input: exit 3, the place, the reason
# Which part of an axis is read; of a JSON form, whose left sides say that, a warning.
PARTS = [
    ("A<4>[i] = B<8>[i];", "`where 0 <= i < 4`"),
    ("A<4>[i] = A<4>[i] + B<8>[i];", "index 'i' runs over extent 4 of 'A' and over extent 8 of 'B'"),
    ("A<8, 4>[i, j] = B<10, 6>[i, j] + B<10, 6>[i + 2, j];", "index 'j' runs over extent 4 of 'A' and over extent 6 of 'B'"),
    ("A<n>[i] = B<n + 2>[i];", "index 'i' runs over extent n of 'A' and over extent n + 2 of 'B'"),
]
BAD = [
    ("A<4>[i] = B[i];", "unknown name 'B'"),
    ("A<4>[i] = B<4, 5>[i];", "rank 2 but 1 subscript"),
    ("A<4>[i] = B<4>[i] + B<5>[i];", "another shape"),
    ("A<4>[i] = B<9>[k] * C<2>[k + 12];", "has no values"),
    ("A<4>[i] = B<4>[i] * k;", "unbounded"),
    ("A<0>[i] = B<4>[i];", "at least 1"),
    ("A<-2>[i] = B<4>[i];", "at least 1"),
    ("A<4>[i] = B<4>[i // j];", "by a variable"),
    ("A<4>[i] = B<4>[i % 0];", "must be positive"),
    ("A<4>[i] = B<4>[C<4>[i]];", "does not hold integers"),
    ("A<4>[i] = B<4>[i * j];", "linear"),
    ("A<2000000, 2000000>[i, j] = B<2000000>[i];", "too many elements"),
    ("A<99999999999999999999>[i] = B<4>[i];", "at most 2^40"),
    ("A<4>[i + 1] = B<4>[i];", "plain indices"),
    ("A<4, 4>[i, i] = B<4>[i];", "plain indices"),
    ("A<4>[i] = B<4>[i]", "expected ';'"),
    ("A<4>[i] = foo(B<4>[i]);", "unknown function 'foo'"),
    ("A<4>[i] = select(B<4>[i], 1, 2);", "expected a condition"),
    ("A<n>[i] = B<8>[2*i];", "one ends with the smaller of 'n - 1' and '3'"),
    ("A<n>[i] = B<m>[i] where 0 <= i < m;", "give the size a value: --size m=16"),
    ("A<n>[n] = B<4>[n];", "both a size and an index"),
    ("A<n>[i] = B<n>[i + 1] * C<i>[i];", "'i' is both a size and an index"),
    ("A<n>[i] = B<n*m>[m*i];", "linear in the indices"),
    ("A<n - n>[i] = B<4>[i];", "an extent must be at least 1, found 0"),
    ("A<-n>[i] = B<4>[i];", "an extent must be at least 1, found -n"),
    ("A<n//m>[i] = B<n>[i];", "by a variable"),
    ("A<n>[i] = B<n>[i + 3*k] * W<4>[k] where 0 <= i < n;", "reaches from 0 to n + 8 but axis 0 of 'B' has extent n"),
    ("A<4>[i] = B<4>[i] / 0;", "division by zero"),
    ("A<4>[i] = B<6>[i + k] where 0 <= k < 4;", "reaches from 0 to 6"),
    # A condition is no value, whatever signs stand before it.
    ("A<4>[i] = select(-(i < 2), B<4>[i], 0);", "found a condition"),
    ("A<4>[i] = select(!-(i < 2), B<4>[i], 0);", "found a condition"),
    ("A<4>[i] = select(-!(i < 2), B<4>[i], 0);", "found a condition"),
    ("A<4>[i] = select(!i, B<4>[i], 0);", "expected a condition"),
    # A name once in a list, a header once, one name for what has one.
    ("out A, A; A<4>[i] = B<4>[i];", "'A' is given twice"),
    ("in B, B; A<4>[i] = B<4>[i];", "'B' is given twice"),
    ("grad B, B; A<4>[i] = B<4>[i];", "'B' is given twice"),
    ("grad B; grad B; A<4>[i] = B<4>[i];", "'grad' is given twice"),
    ("kernel a, b; A<4>[i] = B<4>[i];", "takes one name"),
    ("type half; A<4>[i] = B<4>[i];", "expected float, double, int, int64 or uint64"),
    ("out Z; A<4>[i] = B<4>[i];", "output 'Z' is assigned by no statement"),
    ("grad Z; A<4>[i] = B<4>[i];", "gradient asked for 'Z'"),
    # A given domain is taken as it is, once.
    ("A<4>[i] = B<4, 3>[i, k] where 0 <= k < 9;", "reaches from 0 to 8 but axis 1 of 'B' has extent 3"),
    ("A<4>[i] = B<4, 3>[i, k] where -1 <= k < 3;", "reaches from -1 to 2"),
    ("A<4>[i] = B<8>[i] where 0 <= i < 8;", "reaches from 0 to 7 but axis 0 of 'A' has extent 4"),
    ("A<4>[i] = B<4, 3>[i, k] where 0 <= k < 3, 0 <= k < 2;", "the domain of 'k' is given twice"),
    ("A<4>[i] = B<4, 3>[i, k] where 3 <= k < 3;", "the domain of 'k' is empty"),
    # One index, one extent.
    ("C<4, 5>[i, j] = A<4, 6>[i, k] * B<7, 5>[k, j];", "index 'k' runs over extent 6 of 'A' and over extent 7 of 'B'"),
    ("C<1> = A<6>[k] + B<7>[k];", "index 'k' runs over extent 6 of 'A' and over extent 7 of 'B'"),
    ("C<8>[i] = A<4>[i];", "index 'i' runs over extent 8 of 'C' and over extent 4 of 'A'"),
    ("A<n>[i] = B<m>[i];", "index 'i' runs over extent n of 'A' and over extent m of 'B'"),
    ("A<n>[i] = B<m>[i];", "`where 0 <= i < m`, and that there is so much: `require n >= m`"),
    ("C<5>[i] = A<6>[i] * B<7>[i];", "index 'i' runs over extent 6 of 'A' and over extent 7 of 'B'"),
    ("C<4>[i] = A<4, n>[i, k] * B<n + 1>[k];", "index 'k' runs over extent n of 'A' and over extent n + 1 of 'B'"),
    # No sizes are left.
    ("require 3 >= n, n >= 5; A<n>[i] = B<n>[i];", "no sizes have n >= 5"),
    ("require 2*n >= 2*m + 1, 2*m + 1 >= 2*n; A<n, m>[i, j] = B<n, m>[i, j];", "no sizes satisfy all conditions"),
    ("require n//2 >= 3, 5 >= n; A<n>[i] = B<n>[i];", "no sizes"),
    ("require n*n >= 10, 3 >= n; A<n>[i] = B<n>[i];", "no sizes satisfy all conditions"),
]
GOOD = [
    "A<4>[i] = select(!!(i < 2), B<4>[i], 0);",
    "A<4>[i] = B<8>[i] where 0 <= i < 4;",
    "A<n>[i] = B<n + 2>[i] where 0 <= i < n;",
    "require n >= m; A<n>[i] = B<m>[i] where 0 <= i < m;",
    "C<4, 5>[i, j] = A<4, 6>[i, k] * B<7, 5>[k, j] where 0 <= k < 6;",
    "C<8>[i] = A<4>[i] where 0 <= i < 4;",
    "A<4>[i] = A<4>[i] + B<8>[i] where 0 <= i < 4;",
    # A shape in a condition, whatever its extents are; and a comparison with what looks like one.
    "A<n>[i] = select(B<2*n>[i] < 3, 1, 2) where 0 <= i < n;",
    "A<n>[i] = select((3*B<2*n - 1, (n + 1)*3>[i, 0]) >= C<n>[i], 1, 2) where 0 <= i < n;",
    "A<n>[i] = select((i < 2*n) && C<1> > B<n>[i], 1, 2);",
    "require n >= 3, 3 >= n; A<n>[i] = B<n>[i];",
]
for text in GOOD:
    code, out, err = run_text("show", text)
    checks.that(code == 0, f"{text}: {code}, {err}")
for text, reason in PARTS:
    whole = json.dumps({"name": "k", "ins": ["A", "B", "C"], "outs": [text[0]], "data_type": "float", "kernel": text})
    code, out, err = run_text("show", whole, name="part.json")
    checks.that(code == 0 and "warning: index" in err and reason in err and "^" in err, f"in JSON, {text}: {code}, {err}")
for text, reason in PARTS + BAD:
    for command, options in (("show", ()), ("compile", ("-o", place / "none")), ("grad", ("-o", place / "none", "--to", "B"))):
        code, out, err = run_text(command, text, *options)
        checks.that(code == 3 and reason in err and "^" in err and ":1:" in err, f"{command} {text}: {code}, {err}")
        checks.that(not list((place / "none").glob("**/*.c")), f"{command} {text}: a C text was left")
    # In JSON the place is one in the kernel's own text.
    if ";" in text[:-1] or (text, reason) in PARTS:
        continue  # headers, which JSON has members for
    whole = json.dumps({"name": "k", "ins": ["A", "B", "C"], "outs": [text[0]], "data_type": "float", "kernel": text})
    code, out, err = run_text("show", whole, name="bad.json")
    checks.that(code == 3 and reason in err and "^" in err and "bad.json:kernel:1:" in err, f"in JSON, {text}: {code}, {err}")
# The second line of the second statement: line, column and the caret below the culprit.
code, out, err = run_text("show", "A<4>[i] = B<4>[i];\nC<4>[i] = A<4>[i]\n        + B<4>[i * i];")
checks.that(code == 3 and ":3:16: " in err and "linear" in err, f"the place: {err}")
lines = err.splitlines()
source = next((n for n, line in enumerate(lines) if "+ B<4>[i * i];" in line), None)
checks.that(source is not None and lines[source + 1].index("^") == lines[source].index("i * i"), f"the caret: {err}")
for sizes, reason in [("n=0", "at least 1"), ("n=-3", "at least 1"), ("n=9999999999999", "at most 2^40"), ("n=99999999999999999999", "--size"),
                      ("n", "--size")]:
    code, out, err = run_text("show", "A<n>[i] = B<n>[i];", "--size", sizes)
    checks.that(code == 3 and reason in err, f"--size {sizes}: {code}, {err}")
code, out, err = run_text("show", "A<n, n, n>[i, j, k] = B<n>[i];", "--size", "n=1000000")
checks.that(code == 3 and "too many elements" in err, f"extents whose product is too large: {code}, {err}")
code, out, err = run_text("show", "A<4>[i] = select(i > 1, B<4>[i - 2] * C<2>[i - 1], 0);")
checks.that(code == 3 and "do not keep" in err, f"a condition that is too weak: {code}, {err}")
code, out, err = run_text("grad", "A<4>[i] = B<4>[i];", "-o", place / "none")
checks.that(code == 3 and "write `grad A;` into it, or give --to A" in err, f"no target: {code}, {err}")
code, out, err = run_text("grad", "out A; type int; grad B; A<4>[i] = B<4>[i];", "-o", place / "none")
checks.that(code == 3 and "'int'" in err, f"an integer kernel: {code}, {err}")
code, out, err = run_text("grad", "out A; grad B; A<4>[i] = asin(B<4>[i]);", "-o", place / "none")
checks.that(code == 3 and "asin" in err, f"a function without derivative: {code}, {err}")
code, out, err = run_text("show", '{"name": "k", "ins": ["B"], "outs": ["A"], "kernel": "A<4>[i] = B<4>[i];", "grad": ["B"]}', name="x.json")
checks.that(code == 3 and "grad" in err, f"a misspelt member: {code}, {err}")


# The same in JSON, with the place there; a name that is given twice on the command line.
for member, value in [("ins", ["B", "B"]), ("outs", ["A", "A"]), ("grad_to", ["B", "B"])]:
    case = {"name": "k", "ins": ["B"], "outs": ["A"], "data_type": "float", "kernel": "A<4>[i] = B<4>[i];", **{member: value}}
    code, out, err = run_text("show", json.dumps(case, indent=1), name="x.json")
    checks.that(code == 3 and "is given twice" in err and f'"{value[0]}"' in err and "^" in err, f"{member} {value}: {code}, {err}")
code, out, err = run_text("grad", "A<4>[i] = B<4>[i];", "-o", place / "none", "--to", "B,B")
checks.that(code == 3 and "'B' is given twice" in err, f"--to B,B: {code}, {err}")
# A kernel without a name is called as its file is.
for file, name in [("conv-2d.tk", "conv_2d"), ("3rd.tk", "kernel_3rd"), ("plain.tk", "plain")]:
    code, out, err = run_text("grad", "A<4>[i] = B<4>[i];", "-o", place / "called", "--to", "B", name=file)
    checks.that(code == 0 and (place / "called" / f"{name}.tk").exists(), f"{file}: {code}, {err}")
# A functional program that is no kernel in index notation has no gradient, and why is said.
for command, options in (("show", ()), ("grad", ("-o", place / "none", "--to", "x"))):
    code, out, err = vouch(command, root / "kernels" / "network" / "softmax.fun", *options)
    checks.that(code == 3 and "not read as index notation" in err and "begins with 0" in err, f"{command} of a .fun: {code}, {err}")
# Conditions between bounds and data are told apart when they are negated.
code, out, err = run_text("show", "A<6>[i] = select(!(i < 2 || C<6>[i] < 0), B<4>[i - 2], 1);")
checks.that(code == 0, f"a negated disjunction with data: {code}, {err}")
# What 64 bits do not hold is no C text.
code, out, err = run_text("grad", "A<2000000>[i] = select(999999999999999999*i < 5, B<2000000>[i], 0);", "-o", place / "wide", "--to", "B")
checks.that(code == 3 and "64 bits" in err and "999999999999999999 * i" in err, f"an index of more than 64 bits: {code}, {err}")
checks.that(not list((place / "wide").glob("**/*.c")), "an index of more than 64 bits: a C text was left")


# --- gradients of operators
code, out, err = vouch("grad", "--op", "Conv", "--operand", "1,2,6,6", "--operand", "3,2,3,3", "--attr", "strides=2,2", "--attr", "pads=1,1,1,1",
                       "-o", place / "op", "--check", limited=False)
checks.that(code == 0 and "of 126 elements equal" in out and "126 of" in out and "2 of 2 proven bijective" in out, f"Conv: {code}, {out}{err}")
checks.that((place / "op" / "Conv_dx.c").exists() and (place / "op" / "Conv_dw.v").exists(), f"Conv's gradients are certified: {err}")
code, out, err = vouch("grad", "--op", "Softmax", "--operand", "2,3", "--to", "x", "-o", place / "op", "--check", limited=False)
checks.that(code == 0 and "within the bound of the differences" in out, f"Softmax: {code}, {out}{err}")
code, out, err = vouch("grad", "--op", "MaxPool", "--operand", "1,1,4,4", "--attr", "kernel_shape=2,2", "-o", place / "op", "--forward", limited=False)
checks.that(code == 0 and (place / "op" / "MaxPool.v").exists(), f"MaxPool's tangent is certified: {code}, {out}{err}")
for options, reason in [(["--op", "Convv", "--operand", "2"], "did you mean 'Conv'"), (["--op", "Relu", "--operand", "2,x"], "--operand"),
                        (["--op", "Relu", "--operand", "0"], "--operand"), (["--op", "Relu", "--operand", "2", "--attr", "axis=1"], "--attr"),
                        (["--op", "Softmax", "--operand", "2", "--attr", "axis=x"], "--attr"),
                        (["--op", "MatMul", "--operand", "2,3", "--operand", "2,3"], "one size"),
                        (["--op", "Concat", "--operand", "2"], "list of operands"), (["--op", "LSTM", "--operand", "2"], "LSTM"),
                        (["--op", "Relu", "--operand", "2", "--to", "z"], "'z' is no input"), ([], "--op")]:
    code, out, err = vouch("grad", *options, "-o", place / "none", limited=False)
    checks.that(code == 3 and reason in err, f"grad {options}: {code}, {err}")


# --- derivatives, compiled and run
def built(source):
    library = source.with_suffix(".so")
    done = subprocess.run(["gcc", "-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-ffp-contract=off", "-o", library,
                           source, "-lm"], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{source} compiles: {done.stderr}")
    return ctypes.CDLL(str(library)) if done.returncode == 0 else None


def parameters(header, name):
    signature = re.search(rf"\b{name}\((.*?)\);", header.read_text(), re.S).group(1)
    return re.findall(r"(\w+)(?:\[\d+\])*(?:,|$)", signature)


def call(library, header, name, arrays):
    names = parameters(header, name)
    getattr(library, name)(*[ctypes.byref(arrays[n]) for n in names])
    return names


def shapes_of(text):
    return {name: eval("*".join(sizes.split(",")) or "1") for name, sizes in re.findall(r"(\w+)\s*<([\d,\s]+)>", text)}


def array(values):
    return (ctypes.c_float * len(values))(*values)


def called_from_cpp(folder_of, name, arrays):
    """The outputs, from a call of the C++ function, whose parameters are references to arrays."""
    signature = re.search(rf"void {name}\((.*)\);", (folder_of / f"{name}.hpp").read_text())[1]
    parameters = re.findall(r"float (?:\(&(\w+)\)((?:\[\d+\])+)|&(\w+))", signature)
    names = [array or scalar for array, _, scalar in parameters]
    given = ", ".join(f"*static_cast<float (*){extents}>(p[{k}])" for k, (_, extents, _) in enumerate(parameters))
    (folder_of / "from_c.cc").write_text(f'#include "{name}.hpp"\nextern "C" void from_c(void **p) {{ {name}({given}); }}\n')
    library = folder_of / "from_c.so"
    sources = [folder_of / "from_c.cc", folder_of / f"{name}.cpp"]
    objects = []
    for source in folder_of.glob("*.c"):
        objects.append(source.with_suffix(".o"))
        subprocess.run(["gcc", "-O1", "-fopenmp", "-fPIC", "-w", "-c", source, "-o", objects[-1]], check=True)
    done = subprocess.run(["g++", "-std=c++17", "-O1", "-fopenmp", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *sources, *objects, "-o", library, "-lm"],
                          capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{name}.cpp compiles: {done.stderr[:800]}")
    addresses = (ctypes.c_void_p * len(names))(*[ctypes.addressof(arrays[n]) for n in names])
    ctypes.CDLL(str(library)).from_c(addresses)
    return {n: list(arrays[n]) for n in names}


def compare(path):
    case = json.loads(path.read_text())
    name, out = case["name"], case["outs"][0]
    primal_folder, grad_folder = place / (name + "_primal"), place / (name + "_grad")
    code, text, err = vouch("compile", path, "-o", primal_folder, limited=False)
    checks.that(code == 0, f"{name} compiles: {err}")
    code, text, err = vouch("grad", path, "-o", grad_folder, "--cpp", limited=False)
    checks.that(code == 0 and "certificate" not in err, f"{name} is differentiated and certified: {err}")
    primal = built(primal_folder / f"{name}.c")
    cells = shapes_of(case["kernel"])
    cells.update({"d" + n: size for n, size in list(cells.items())})
    numbers = random.Random(7)
    arrays = {n: array([numbers.choice([-3, -2, -1, 1, 2, 3]) for _ in range(size)]) for n, size in cells.items()}
    seed = list(arrays["d" + out])

    def value():
        call(primal, primal_folder / f"{name}.h", name, arrays)
        return sum(s * y for s, y in zip(seed, arrays[out]))

    for file in ("{}.cpp", "{}.hpp"):
        first = (grad_folder / file.format(name)).read_text().splitlines()[0]
        checks.that("No certificate covers this text" in first, f"{file}: {first}")
    checks.that(f"{name}.cpp" in text and "no certificate covers it" in text and "certified by" in text, f"what was written: {text}")
    by_references = called_from_cpp(grad_folder, name, arrays)
    for target in case["grad_to"]:
        certified = name if len(case["grad_to"]) == 1 else f"{name}_d{target}"
        call(built(grad_folder / f"{certified}.c"), grad_folder / f"{certified}.h", certified, arrays)
        found = list(arrays["d" + target])
        checks.that(by_references["d" + target] == found, f"{name}.cpp gives another d{target}")
        wrong = 0
        for e in range(cells[target]):
            kept = arrays[target][e]
            arrays[target][e] = kept + 1
            above = value()
            arrays[target][e] = kept - 1
            expected = (above - value()) / 2
            arrays[target][e] = kept
            near = 1e-4 * max(1, abs(expected))
            wrong += abs(found[e] - expected) > near
        checks.that(wrong == 0, f"{name}: {wrong} of {cells[target]} elements of d{target} differ")
    return case, grad_folder


OWN = {
    "by_twos": ("Y<3, 4>[n, i] = A<3, 11>[n, 2*i + 2*k] * W<3>[k];", ["A", "W"]),
    "folded": ("Y<24>[i] = A<2, 3, 4>[i//12, i//4%3, i%4] * B<2, 6>[i//2//6, i//2%6];", ["A", "B"]),
    "diagonal": ("Y<4>[i] = A<4, 4>[i, i] * A<4, 4>[i, k];", ["A"]),
    "window": ("Y<2, 3, 4>[o, p, q] = A<2, 6, 7>[c, p + r, q + s] * W<2, 2, 4, 4>[o, c, r, s];", ["A"]),
    "statements": ("T<4>[i] = A<4, 3>[i, k] * B<3>[k]; Y<2>[i] = T<4>[2*i + k] where 0 <= k < 2;", ["A"]),
    "negative": ("Y<3, 4>[i, j] = A<12, 4>[11 - 2*i - 3*k, 3 - j] * W<2, 3>[1 - k, 2 - i];", ["A", "W"]),
    "transposed": ("Y<2, 7>[n, z] = select(z - k >= 0 && z - k < 5, A<2, 5>[n, z - k] * W<3>[k], 0);", ["A", "W"]),
    "triangle": ("Y<4, 4>[i, j] = select(i < j, A<4, 4>[i, j], 2 * A<4, 4>[j, i]);", ["A"]),
    "mttkrp": ("Y<3, 2>[i, r] = A<3, 2, 3, 2, 2>[i, j, k, l, m] * B<2, 2>[j, r] * C<3, 2>[k, r];", ["A", "B", "C"]),
    # The last axis is long enough for tiles: some rows by some lanes, rows left over, lanes masked off, windows of lanes.
    "tiled": ("Y<5, 2, 19>[k, p, q] = A<13, 4, 21>[c, p + r, q + s] * W<5, 13, 3, 3>[k, c, r, s];", ["A"]),
    "tiled_exact": ("Y<7, 32>[i, j] = A<7, 5>[i, k] * B<5, 32>[k, j];", ["A", "B"]),
    "plain_triangle": ("Y<20, 18>[i, j] = select(j <= i, A<20, 3>[i, k] * B<3, 18>[k, j], 0);", ["A", "B"]),
    "tiled_rows_in_blocks": ("Y<203, 33>[i, j] = A<203, 5>[i, k] * B<5, 33>[k, j];", ["B", "A"]),
    "tiled_column": ("Y<6>[i] = A<6, 37>[i, j] * B<37>[j];", ["B", "A"]),
    "tiled_sums": ("Y<4, 20>[i, j] = A<4, 22>[i, j + s] * B<3>[s] - A<4, 22>[3 - i, j + 2] * C<4, 20>[i, j] / 4;", ["A", "B"]),
    "tiled_choice": ("Y<6, 18>[i, p] = select(i < c, A<5, 20>[c, p + r] * W<6, 5, 3>[i, c, r], 0);", ["A"]),
    "tiled_row": ("Y<40>[q] = A<60>[q + s] * W<21>[s];", ["A", "W"]),
    "coprime": ("Y<3>[i] = A<23>[3*i + 5*k] * W<4>[k];", ["A"]),
}
for name, (text, targets) in OWN.items():
    names = sorted(set(re.findall(r"([A-Z])<", text)) - {"Y", "T"})
    path = place / f"{name}.json"
    path.write_text(json.dumps({"name": name, "ins": names, "outs": ["Y"], "data_type": "float", "kernel": text, "grad_to": targets}))
    compare(path)
# Names that C or C++ do not leave to us, of a tensor and of the kernel.
for number, name in enumerate(["int", "class", "exp", "expf", "main", "malloc", "vouch_sum", "vouch_frame0_0", "vouch_min", "i_k", "_B", "gamma"]):
    for what, text in [("tensor", f"kernel k{number}; in A, {name}; out Y; grad A; Y<4, 20>[i, j] = A<4, 22>[i, j + k] * {name}<3>[k];"),
                       ("kernel", f"kernel {name}; in A, B; out Y; grad A; Y<4, 20>[i, j] = A<4, 22>[i, j + k] * B<3>[k];")]:
        folder_of = place / f"{what}_{number}"
        code, out, err = run_text("grad", text, "-o", folder_of, "--cpp")
        checks.that(code == 0, f"a {what} called {name}: {code}, {err}")
        for source in [*folder_of.glob("*.c"), *folder_of.glob("*.cpp")]:
            done = subprocess.run(["g++" if source.suffix == ".cpp" else "gcc", "-fopenmp", "-fsyntax-only", source], capture_output=True, text=True)
            checks.that(done.returncode == 0, f"a {what} called {name}: {source.name}: {done.stderr[:500]}")
code, out, err = run_text("grad", "kernel k; in A, k_dA; out Y; grad A, k_dA; Y<4>[i] = A<4>[i] * k_dA<4>[i];", "-o", place / "as_called", "--cpp")
done = subprocess.run(["g++", "-fsyntax-only", place / "as_called" / "k.cpp"], capture_output=True, text=True)
checks.that(code == 0 and done.returncode == 0, f"a tensor called as what computes it: {err}{done.stderr[:500]}")
code, out, err = vouch("grad", place / "window.json", "-o", place / "checked", "--check", limited=False)
checks.that(code == 0 and "1 of 1 proven bijective" in out and "84 of 84 elements equal" in out, f"--check: {code}, {out}{err}")
code, out, err = vouch("grad", place / "window.json", "-o", place / "checked", "--check", "--forward", limited=False)
checks.that(code == 0 and "24 of 24 elements equal" in out, f"--check --forward: {code}, {out}{err}")

data = root.parent / "shared" / "data" / "autograd"
if data.is_dir():
    golden = {case["case"]: case for case in json.loads((data / "golden.json").read_text())["cases"]}
    for number in range(1, 11):
        case, written = compare(data / f"case{number}.json")
        text = (written / f"{case['name']}.cpp").read_text()
        checks.that(golden[case["name"]]["signature"] in text, f"the signature of {case['name']}: {text}")
    for number in list(range(1, 11)):
        path = data / "forward" / f"case{number}.json"
        case = json.loads(path.read_text())
        code, out, err = vouch("compile", path, "-o", place / "forward", limited=False)
        checks.that(code == 0, f"{path.name}: {code}, {err}")
        held = "int32_t" if case["data_type"] == "int" else case["data_type"]
        header = (place / "forward" / f"{case['name']}.h").read_text()
        checks.that(re.search(rf"\b{held} \*{case['outs'][0]}(_\d)?\);", header), f"{path.name}: {header}")
else:
    print(f"not run: the cases of {data}, which is not there")
checks.end()

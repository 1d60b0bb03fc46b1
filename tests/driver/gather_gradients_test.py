#!/usr/bin/env python3
"""Gradients of reads at an index that is data: what `vouch grad` writes is certified C, Coq proves that it is the adjoint of the tangent, and
compiled it gives, on every element, what exact differences of the kernel give that are worked out here; so do tangents. Positions beyond the table
have no part in it, also those that floats cannot tell apart. Certificates that say another gradient are refused by Coq itself; what is not covered is
named.

    gather_gradients_test.py VOUCH ROOT"""
import ctypes
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

from certified import Certified
from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int32, "int64": ctypes.c_int64}
M, N, V = 7, 5, 4
SIZES = {"m": M, "n": N, "v": V}


def at(T, row, j):
    return T[row * N + j] if 0 <= row < V else 0


class Kernel:
    """From I (m indices), T (v rows of n) and, where it is named, W (n): `cells` numbers, each by `element(I, T, W, p)`."""

    def __init__(self, name, text, element, cells=M * N, computed="float", index="int64", by="T", smooth=False, table=""):
        self.name, self.element, self.cells, self.computed, self.index, self.by, self.smooth = name, element, cells, computed, index, by, smooth
        self.types = {"I": index, "T": table or computed}
        self.inputs = ["I", "T"] + (["W"] if "W" in text else [])
        self.text = (f"kernel {name};\nsize m, n, v;\nin {', '.join(self.inputs)};\nout C;\ntype {computed};\ntype {index} I;\n"
                     + (f"type {table} T;\n" if table else "") + f"grad {by};\n{text}\n")


# Polynomials of degree 4 at most in each element, so that four values give their derivative exactly.
KERNELS = [
    Kernel("rows", "C<m, n>[i, j] = T<v, n>[I<m>[i], j];", lambda I, T, W, p: at(T, I[p // N], p % N)),
    Kernel("rows32", "C<m, n>[i, j] = T<v, n>[I<m>[i], j];", lambda I, T, W, p: at(T, I[p // N], p % N), index="int"),
    Kernel("bags", "C<n>[j] = T<v, n>[I<m>[i], j];", lambda I, T, W, p: sum(at(T, row, p) for row in I), N),
    Kernel("weighed", "C<m, n>[i, j] = T<v, n>[I<m>[i] + 1, j] * W<n>[j];", lambda I, T, W, p: at(T, I[p // N] + 1, p % N) * W[p % N], computed="double"),
    Kernel("by_weights", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * W<n>[j] * W[j];", lambda I, T, W, p: at(T, I[p // N], p % N) * W[p % N] ** 2, by="W"),
    Kernel("of_whole_numbers", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * W<n>[j] * W[j];", lambda I, T, W, p: at(T, I[p // N], p % N) * W[p % N] ** 2, by="W", table="int"),
    Kernel("columns", "C<m, n>[i, j] = T<n, v>[j, I<m>[i]];", lambda I, T, W, p: T[(p % N) * V + I[p // N]] if 0 <= I[p // N] < V else 0),
    Kernel("squares", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * T[I[i], n - 1 - j];", lambda I, T, W, p: at(T, I[p // N], p % N) * at(T, I[p // N], N - 1 - p % N)),
    Kernel("next_to", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * T[I[i] + 1, j] - T[0, j] * T[0, j];",
           lambda I, T, W, p: at(T, I[p // N], p % N) * at(T, I[p // N] + 1, p % N) - T[p % N] ** 2),
    Kernel("from_the_end", "C<m, n>[i, j] = T<v, n>[select(I<m>[i] < 0, I[i] + v, I[i]), j] * W<n>[j];",
           lambda I, T, W, p: at(T, I[p // N] + V if I[p // N] < 0 else I[p // N], p % N) * W[p % N]),
    Kernel("through_locals", "L<m, n>[i, j] = T<v, n>[I<m>[i], j] * W<n>[j];\nC<m, n>[i, j] = L[i, j] * L[i, j] + L[i, 0];",
           lambda I, T, W, p: (lambda L: L(p % N) ** 2 + L(0))(lambda j: at(T, I[p // N], j) * W[j])),
    Kernel("of_locals", "L<v, n>[r, j] = T<v, n>[r, j] * T[r, j];\nC<m, n>[i, j] = L[I<m>[i], j] * W<n>[j];",
           lambda I, T, W, p: at(T, I[p // N], p % N) ** 2 * W[p % N]),
    Kernel("chosen", "C<m, n>[i, j] = select(j < 2, 3 * T<v, n>[I<m>[i], j], T[I[i], j] * T[I[i], j]);",
           lambda I, T, W, p: 3 * at(T, I[p // N], p % N) if p % N < 2 else at(T, I[p // N], p % N) ** 2),
    Kernel("grown", "C<m, n>[i, j] = exp(T<v, n>[I<m>[i], j] / 8) * W<n>[j];", lambda I, T, W, p: math.exp(at(T, I[p // N], p % N) / 8) * W[p % N],
           computed="double", smooth=True),
]
STEPS = [(-2, Fraction(1, 12)), (-1, Fraction(-2, 3)), (1, Fraction(2, 3)), (2, Fraction(-1, 12))]


def numbers(seed):
    draw = random.Random(seed)
    return {"I": [0, V - 1, V, -1, 1, 1, draw.randrange(-V, V)], "T": [draw.randrange(-9, 10) for _ in range(V * N)], "W": [draw.randrange(-5, 6) for _ in range(N)]}


def outputs(kernel, data):
    return [kernel.element(data["I"], data["T"], data["W"], p) for p in range(kernel.cells)]


def moved(data, name, deltas):
    return data | {name: [x + d for x, d in zip(data[name], deltas)]}


def along(kernel, data, deltas):
    """The derivative of the outputs along these changes of what is differentiated by."""
    step = 1e-3 if kernel.smooth else 1
    each = [(outputs(kernel, moved(data, kernel.by, [k * step * d for d in deltas])), weight / Fraction(step)) for k, weight in STEPS]
    return [sum(weight * Fraction(values[p]) for values, weight in each) for p in range(kernel.cells)]


def called(library, kernel, names, data, cells):
    function = getattr(ctypes.CDLL(library), f"{kernel.name}_checked")
    function.restype = ctypes.c_int
    computed = C_TYPES[kernel.computed]
    arrays = [(C_TYPES[kernel.types.get(name, kernel.computed)] * len(data[name]))(*data[name]) for name in names]
    out = (computed * cells)(*[1] * cells)
    text = (pathlib.Path(library).parent / kernel.name / f"{kernel.name}.h").read_text()
    sizes = re.findall(r"int64_t (\w+)[,)]", re.search(rf"int {kernel.name}_checked\(([^)]*\))", text)[1])
    code = function(*[ctypes.c_int64(SIZES[size]) for size in sizes], *arrays, out)
    check.that(code == 0, f"{kernel.name}: code {code}")
    return list(out)


def inputs_of(folder, name):
    return re.search(r"^in (.*);$", (folder / f"{name}.tk").read_text(), re.M)[1].split(", ")


def near(found, expected, smooth):
    return abs(found - expected) <= 1e-6 * (1 + abs(expected)) if smooth else found == expected


def gradients(kernel, folder, compiler):
    library = certified.built(compiler, folder / f"{kernel.name}.c", folder.parent)
    for seed in range(3):
        data = numbers(seed)
        cotangents = [random.Random(seed + 9).randrange(-4, 5) for _ in range(kernel.cells)]
        found = called(library, kernel, inputs_of(folder, kernel.name), data | {"dC": cotangents}, len(data[kernel.by]))
        for e in range(len(data[kernel.by])):
            slope = along(kernel, data, [int(e == k) for k in range(len(data[kernel.by]))])
            expected = sum(c * s for c, s in zip(cotangents, slope))
            check.that(near(found[e], expected, kernel.smooth), f"{kernel.name}, d{kernel.by}[{e}]: {found[e]}, expected {float(expected)}")


def tangents(kernel, folder, compiler):
    library = certified.built(compiler, folder / f"{kernel.name}.c", folder.parent)
    data = numbers(5)
    direction = [random.Random(6).randrange(-4, 5) for _ in data[kernel.by]]
    found = called(library, kernel, inputs_of(folder, kernel.name), data | {f"t{kernel.by}": direction}, kernel.cells)
    for p, expected in enumerate(along(kernel, data, direction)):
        check.that(near(found[p], expected, kernel.smooth), f"{kernel.name}, tC[{p}]: {found[p]}, expected {float(expected)}")


def beyond_floats(folder, compiler):
    """Positions that are the same number as a float, 2^24 and 2^24 + 1, are two."""
    library = certified.built(compiler, folder / "rows.c", folder.parent)
    function, v = ctypes.CDLL(library).rows_checked, (1 << 24) + 2
    out = (ctypes.c_float * v)()
    code = function(*[ctypes.c_int64(x) for x in (2, 1, v)], (ctypes.c_int64 * 2)(v - 1, v - 2), (ctypes.c_float * 2)(3, 5), out)
    check.that(code == 0 and out[v - 1] == 3 and out[v - 2] == 5 and out[v - 3] == 0, f"{code}: {out[v - 1]}, {out[v - 2]}, expected 3, 5")


def by_differences(place, kernel):
    """`grad --check` asks the same of exact differences, and the solver of the change of indices."""
    code, out, errors = vouch("grad", place / "sources" / f"{kernel.name}.tk", "-o", place / "checked", "--check")
    check.that(code == 0 and "differ" not in errors.replace("differences", ""), f"{kernel.name} --check: {code} {out}{errors}"[:600])
    check.that(re.search(r"(\d+) of \1 elements", out) is not None or "equal" in out, f"{kernel.name} --check: {out}"[:600])


def lies(place):
    """Coq by itself: the honest certificate is proven, one of another gradient is not."""
    honest = (place / "grad" / "rows" / "rows_adjoint.v").read_text()
    body = honest[honest.index("Definition gradient_kernel"):honest.index("(** What each tensor")]
    changes = [("no position", body.replace("BOp2 Equal", "BOp2 LessEq")), ("a position further", re.sub(r"\(BIndex \(IVar (\d)\)\)", r"(BIndex (IAdd (IVar \1) (ICon 1)))", body)),
               ("another index of the data", re.sub(r"BRead (\d) \[\(\(IVar 0\), \(SVar 0\)\)\]", r"BRead \1 [((IVar 1), (SVar 0))]", body)), ("twice", body.replace("BOp3 Sel", "BOp2 Add (BCon (Dyadic 1 0)) (BOp3 Sel", 1))]
    lying = [(what, text) for what, text in changes if text != body and text.count("(") == text.count(")")]
    check.that(len(lying) >= 2, f"lies about {body}")
    text = "".join(f"Module Lie{k}.\n{honest.replace(body, lie)[:honest.replace(body, lie).index('Theorem gradient_checked')]}"
                   "Theorem refuted : is_gradient forward_kernel gradient_kernel gradient_witness = false.\n"
                   f"Proof. vm_cast_no_check (eq_refl false). Qed.\nEnd Lie{k}.\n" for k, (_, lie) in enumerate(lying))
    (place / "Lies.v").write_text(text)
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", certified.library, "Vouch", "Lies.v"], cwd=place, capture_output=True, text=True)
    check.that(done.returncode == 0, f"Coq takes one of {[what for what, _ in lying]}: {done.stderr[:600]}")


REFUSED = [("grad", "of_halves", "grad T;\ntype int64 I;\ntype float16 T;\nC<4>[i] = T<4>[i] + I<4>[i];", "'T' is held as another type than is computed"),
           ("grad", "to_halves", "grad T;\ntype float16 C;\nC<4>[i] = T<4>[i];", "'C' is held as another type than is computed"),
           ("grad", "by_indices", "grad I;\ntype int64 I;\nC<4>[i] = T<9>[I<4>[i]];", "'I' is held as another type than is computed"),
           ("grad", "of_integers", "grad T;\ntype int64;\nC<4>[i] = T<9>[I<4>[i]];", "a kernel of type 'int64' has no gradient")]

with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    for way in ("grad", "forward", "sources"):
        (place / way).mkdir()
    folders = []
    for k, kernel in enumerate(KERNELS):
        path = place / "sources" / f"{kernel.name}.tk"
        path.write_text(kernel.text)
        for way, also, compares in (("grad", [], gradients), ("forward", ["--forward"], tangents)):
            code, out, errors = vouch("grad", path, *also, "-o", place / way / kernel.name)
            check.that(code == 0 and "certified by" in out, f"{way} of {kernel.name}: {out}{errors}")
            if code == 0:
                compares(kernel, place / way / kernel.name, certified.compilers[k % len(certified.compilers)])
                folders.append(place / way / kernel.name)
    beyond_floats(place / "grad" / "rows", certified.compilers[0])
    for name in ("rows", "squares", "through_locals", "grown"):
        by_differences(place, next(kernel for kernel in KERNELS if kernel.name == name))
    if certified.coq:
        # Each kernel is verified, its gradient or its tangents in turn; with `all` both.
        asked = folders if certified.by_each else [folder for at, folder in enumerate(folders) if at % 2 == at // 2 % 2]
        code, out, errors = vouch("verify", *asked, "--json", place / "table.json", limited=False, seconds=600)
        rows = json.loads((place / "table.json").read_text())["kernels"]
        check.that(code == 0 and len(rows) == (2 if certified.by_each else 1) * len(KERNELS), f"verify: exit {code}: {(out + errors)[:900]}")
        for row in rows:
            gradient = "proven" if f"/grad/{row['kernel']}" in row["folder"] else ""
            check.that(row["verdict"] == "certified" and row["gradient"] == gradient and row["axioms"] == "none", f"{row}")
        lies(place)
    certified.refusals(place, REFUSED)
check.end()

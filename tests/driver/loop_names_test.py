#!/usr/bin/env python3
"""Loops of the C text have the names of the kernel's indices. A name that C, a parameter, the text itself or another loop around has
is not used, and the text compiles without a warning (shadowing, too) and computes the kernel whatever indices are called; Coq
certifies it; a text whose loops are renamed, exchanged or declared twice is refused by `verify` and by Coq itself."""
import ctypes
import pathlib
import re
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
check = Checks()
STRICT = ["-Wshadow"]
SANITIZED = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
SIZES = (1, 2, 7, 33)
# Each may name an index, and C or the text has it already.
TAKEN = ["exp", "float", "for", "restrict", "lesser", "failed", "size_sum", "missing", "new_floats", "linux", "y0", "i3", "v4", "a", "r", "n", "k_taken"]


class Kernel:
    """`r` of extent n from `a` of extent n: `text` with the names of indices; the loops that its C text is to have."""

    def __init__(self, name, text, loops, expected):
        self.name, self.loops, self.expected = name, loops, expected
        self.text = f"kernel {name};\nsize n;\nin a;\nout r;\n{text}\n"


def product(a, n, p):
    return sum(a[k] for k in range(n)) * a[p]


KERNELS = [
    Kernel("plain", "r<n>[i] = a<n>[i] + a[i];", ["i"], lambda a, n, p: 2 * a[p]),
    Kernel("reduced", "r<n>[row] = a<n>[row] * a[col];", ["row", "col"], product),
    Kernel("two_statements", "t<n>[i] = a<n>[i] * 2;\nr<n>[i] = t[i] + a[j] * 0;", ["i", "i", "j"], lambda a, n, p: 2 * a[p]),
    Kernel("exchanged", "t<n>[i] = a<n>[j] * 1;\nr<n>[j] = t[j] + a[i] * 0;", None, lambda a, n, p: sum(a)),
]


def computes(kernel, library, compiler):
    function = getattr(ctypes.CDLL(str(library)), kernel.name + "_checked")
    for n in SIZES:
        given = [(k * 5) % 7 - 2.0 for k in range(n)]
        a, r = (ctypes.c_float * n)(*given), (ctypes.c_float * n)()
        check.that(function(ctypes.c_int64(n), a, r) == 0, f"{kernel.name}: not run at {n}")
        expected = [kernel.expected(given, n, p) for p in range(n)]
        check.that(list(r) == expected, f"{kernel.name}, {compiler}, n = {n}: {list(r)[:5]}, expected {expected[:5]}")


def program(kernel, library):
    return (f"import ctypes\na = (ctypes.c_float * 7)(*range(7))\nr = (ctypes.c_float * 7)()\n"
            f"print(ctypes.CDLL({str(library)!r}).{kernel.name}_checked(ctypes.c_int64(7), a, r))\n")


def named_as_written(kernel, source):
    loops = re.findall(r"for \(int64_t (\w+) = 0;", source.read_text())
    check.that(kernel.loops is None or loops == kernel.loops, f"{kernel.name} has the loops {loops}, not {kernel.loops}")


def whatever_it_is_called(place, certified):
    for name in TAKEN:
        path = place / "taken.tk"
        path.write_text(f"kernel k_taken;\nsize n;\nin a;\nout r;\nr<n>[{name}] = a<n>[{name}] * a[q];\n")
        code, _, err = vouch("compile", path, "-o", place / f"taken_{name}")
        if code == 3:  # a word of the notation, or the name of a size
            continue
        check.that(code == 0, f"an index called {name}: exit {code}, {err[:300]}")
        source = place / f"taken_{name}" / "k_taken.c"
        text = source.read_text()
        check.that("for (int64_t i2 = 0;" in text and "for (int64_t q = 0;" in text, f"an index called {name}: {text}")
        for compiler in certified.compilers if certified.by_each else [certified.compilers[len(name) % len(certified.compilers)]]:
            certified.built(compiler, source, place, STRICT)


def gradients(place, certified):
    """A derivative's loops have the names of its own indices: those of the target where these are plain, of the iteration where not."""
    path = place / "weighed.tk"
    path.write_text("kernel weighed;\nsize n, m;\nin a, w;\nout r;\ngrad a, w;\nr<n>[row] = a<n, m>[row, col] * w<m>[col] * w[col];\n")
    code, _, err = vouch("grad", path, "-o", place / "weighed")
    check.that(code == 0, f"grad: {err[:300]}")
    source = {name: place / "weighed" / f"{name}.c" for name in ("weighed_da", "weighed_dw")}
    loops = {name: re.findall(r"for \(int64_t (\w+) = 0; (\w+) < (\w+);", file.read_text()) for name, file in source.items()}
    expected = {"weighed_da": [("row", "row", "n"), ("col", "col", "m")], "weighed_dw": [("col", "col", "m"), ("row", "row", "n"), ("row_1", "row_1", "n")]}
    check.that(loops == expected, f"a gradient's loops: {loops}")
    n, m = 3, 2
    a, w, dr = [1.0, 2.0, -3.0, 4.0, 0.5, -1.0], [3.0, -2.0], [1.0, -2.0, 4.0]
    wanted = {"weighed_da": [dr[p // m] * w[p % m] ** 2 for p in range(n * m)],
              "weighed_dw": [sum(2 * dr[i] * a[i * m + k] * w[k] for i in range(n)) for k in range(m)]}
    for name, file in source.items():
        for compiler in certified.compilers:
            library = certified.built(compiler, file, place, STRICT)
            inputs = re.search(rf"int {name}_checked\(([^)]*)\)", (place / "weighed" / f"{name}.h").read_text())[1]
            given = {"a": a, "w": w, "dr": dr}
            arrays = [(ctypes.c_float * len(given[x]))(*given[x]) for x in re.findall(r"const float \*(\w+)", inputs)]
            sizes = [ctypes.c_int64({"n": n, "m": m}[x]) for x in re.findall(r"int64_t (\w+)", inputs)]
            out = (ctypes.c_float * len(wanted[name]))()
            code = getattr(ctypes.CDLL(str(library)), f"{name}_checked")(*sizes, *arrays, out)
            check.that(code == 0 and list(out) == wanted[name], f"{name}, {compiler}: {code}, {list(out)}, expected {wanted[name]}")
    if certified.coq:
        code, out, err = vouch("verify", place / "weighed", limited=False, seconds=600)
        check.that(code == 0 and out.count("proven") == 2, f"a gradient is certified and proven: {out}{err}")


RENAMED = [("the index of another loop", "a[row]", "a[col]"), ("a parameter", "a[col]", "a[n]"),
           ("a loop declared twice", "for (int64_t col = 0; col < n; col += 1)", "for (int64_t row = 0; row < n; row += 1)"),
           ("another bound", "col < n; col += 1", "row < n; col += 1"), ("another step", "col += 1", "row += 1")]

with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    certified.try_all(KERNELS, place, computes, program, SANITIZED, named_as_written)
    whatever_it_is_called(place, certified)
    for what, before, after in RENAMED:
        certified.lie(place, "reduced", ".c", lambda text: text.replace(before, after, 1), what)
    certified.lie(place, "reduced", ".c", lambda text: re.sub(r"\brow\b", "line", text), "every loop renamed")
    gradients(place, certified)
    certified.refused_by_coq(place)
check.end()

#!/usr/bin/env python3
"""Reads at an index that is data: rows of tables, embeddings, picks along an axis, permutations compile with gcc and clang without a warning,
in one step for each element, compute what Python says, give 0 outside of the table and count negative indices where the kernel says so, are
clean under the sanitizers for undefined behaviour and for addresses, also at the smallest and largest indices; Coq certifies them; texts
without a bound, with another bound, another table, another type are refused, by `verify` and by Coq itself; what is not covered is named."""
import ctypes
import pathlib
import re
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
SANITIZED = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
C_TYPES = {"int8": ctypes.c_int8, "bool": ctypes.c_bool, "float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int32, "int64": ctypes.c_int64}
LARGEST = {"int": (1 << 31) - 1, "int64": (1 << 63) - 1}
M, N, V = 9, 5, 4


def indices(dtype):
    return [0, V - 1, V, -1, -V, -V - 1, LARGEST[dtype], -LARGEST[dtype] - 1, 2]


def wrapped(at):
    return (at + (1 << 63)) % (1 << 64) - (1 << 63)


class Kernel:
    """From I (m indices) and T (v rows of n): m rows of n, or what `cells` says."""

    def __init__(self, name, computed, index, table, text, expected, cells=M * N):
        self.name, self.index, self.table, self.computed, self.expected, self.cells = name, index, table, computed, expected, cells
        held = "".join(f"type {t} {x};\n" for t, x in ((index, "I"), (table, "T")) if t != computed)
        self.text = f"kernel {name};\nsize m, n, v;\nin I, T;\nout C;\ntype {computed};\n{held}{text}\n"


def row(T, at, j):
    return T[at * N + j] if 0 <= at < V else 0


KERNELS = [
    Kernel("rows", "float", "int64", "float", "C<m, n>[i, j] = T<v, n>[I<m>[i], j];", lambda I, T, p: row(T, I[p // N], p % N)),
    Kernel("rows32", "float", "int", "float", "C<m, n>[i, j] = T<v, n>[I<m>[i], j];", lambda I, T, p: row(T, I[p // N], p % N)),
    Kernel("from_the_end", "double", "int64", "double", "C<m, n>[i, j] = T<v, n>[select(I<m>[i] < 0, I[i] + v, I[i]), j];",
           lambda I, T, p: row(T, wrapped(I[p // N] + V) if I[p // N] < 0 else I[p // N], p % N)),
    Kernel("columns", "int64", "int64", "int64", "C<m, n>[i, j] = T<n, v>[j, I<m>[i]];",
           lambda I, T, p: T[(p % N) * V + I[p // N]] if 0 <= I[p // N] < V else 0),
    Kernel("scaled", "int", "int64", "int", "C<m, n>[i, j] = 2 * T<v, n>[I<m>[i], j] + 1;", lambda I, T, p: 2 * row(T, I[p // N], p % N) + 1),
    Kernel("bags", "float", "int64", "float", "C<n>[j] = T<v, n>[I<m>[i], j];", lambda I, T, p: sum(row(T, at, p) for at in I), N),
    Kernel("next_row", "float", "int64", "float", "C<m, n>[i, j] = T<v, n>[I<m>[i] + 1, j] * (j + 1);",
           lambda I, T, p: row(T, wrapped(I[p // N] + 1), p % N) * (p % N + 1)),
    Kernel("whole_numbers", "float", "int64", "int", "C<m, n>[i, j] = T<v, n>[I<m>[i], j];", lambda I, T, p: row(T, I[p // N], p % N)),
    Kernel("long_numbers", "double", "int", "int64", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] / 2 + T[0, j];", lambda I, T, p: row(T, I[p // N], p % N) / 2 + T[p % N]),
    Kernel("wider", "double", "int64", "float", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * T[I[i] + 1, j];",
           lambda I, T, p: row(T, I[p // N], p % N) * row(T, wrapped(I[p // N] + 1), p % N)),
    Kernel("small_numbers", "int", "int64", "int8", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] * 100;", lambda I, T, p: row(T, I[p // N], p % N) * 100),
    Kernel("truths", "int", "int64", "bool", "C<m, n>[i, j] = T<v, n>[I<m>[i], j] + 1;", lambda I, T, p: int(row(T, I[p // N], p % N) != 0) + 1),
    Kernel("along", "float", "int64", "float", "C<m, n>[i, j] = T<v, n>[I<m>[i], n - 1 - j];",
           lambda I, T, p: row(T, I[p // N], N - 1 - p % N)),
]


def table(kernel):
    return [(3 * k) % 17 - 4 for k in range(V * N)]


def computes(kernel, library, how):
    function = getattr(ctypes.CDLL(library), f"{kernel.name}_checked")
    function.restype = ctypes.c_int
    I, T = indices(kernel.index), table(kernel)
    out = (C_TYPES[kernel.computed] * (kernel.cells + 4))(*[1] * (kernel.cells + 4))
    sizes = [ctypes.c_int64(x) for x in (M, N, V)]
    code = function(*sizes, (C_TYPES[kernel.index] * M)(*I), (C_TYPES[kernel.table] * (V * N))(*T), out)
    check.that(code == 0, f"{kernel.name}, {how}: code {code}")
    for p in range(kernel.cells):
        expected = kernel.expected(I, T, p)
        check.that(out[p] == expected, f"{kernel.name}[{p}], {how}: {out[p]}, expected {expected}")
    check.that(list(out)[kernel.cells:] == [1] * 4, f"{kernel.name} wrote past its output, {how}")


def program(kernel, library):
    return (f"import ctypes\nI = (ctypes.{C_TYPES[kernel.index].__name__} * {M})(*{indices(kernel.index)!r})\n"
            f"T = (ctypes.{C_TYPES[kernel.table].__name__} * {V * N})(*{table(kernel)!r})\n"
            f"C = (ctypes.{C_TYPES[kernel.computed].__name__} * {kernel.cells})()\nsizes = [ctypes.c_int64(x) for x in ({M}, {N}, {V})]\n"
            f"print(ctypes.CDLL({str(library)!r}).{kernel.name}_checked(*sizes, I, T, C))\n")


# A pattern in the C text, and what it is changed to.
LIES = [("rows", r"if \(0 <= (\w+) && \w+ < v\)", r"if (\1 < v)"), ("rows", r"if \(0 <= (\w+) && \w+ < v\)", r"if (0 <= \1)"),
        ("rows", r"(\w+) < v\)", r"\1 < n)"), ("rows", r"(\w+) < v\)", r"\1 <= v)"), ("rows", r"if \(0 <= (\w+) && ", r"if (1 <= \1 && "),
        ("rows", r"if \(0 <= \w+ && \w+ < v\) ", ""), ("rows", r"int64_t (\w+) = I", r"int32_t \1 = I"), ("rows", r"= I\[(\w+)\]", r"= I[0]"),
        ("rows", r"const int64_t \*restrict I", "const int32_t *restrict I"), ("rows32", r"int64_of_int32\(I", "int64_of_float(I"),
        ("rows", r"= T\[", "= 2.0f * T["), ("from_the_end", r"add_int64\(I\[", "sub_int64(I["), ("from_the_end", r"\(uint64_t\)a \+ \(uint64_t\)b", "a + b"),
        ("columns", r"if \(0 <= (\w+) &&", r"if (0 < \1 &&"), ("rows", r"(v\d+) = 0\.0f;", r"\1 = 1.0f;")]


def reads_once(kernel, source):
    over_table = re.findall(r"for \(int64_t \w+ = 0; \w+ < v;", source.read_text())
    check.that(len(over_table) == (kernel.table != kernel.computed), f"{kernel.name} goes through the table: {over_table}")


REFUSED = [("compile", "by_floats", "C<4>[i] = T<9>[I<4>[i]];", "'I' is an index here, but does not hold integers"),
           ("compile", "twice", "type int64 I;\nC<4>[i] = T<9, 9>[I<4>[i], I[i]];", "an index that is data and not asked for its range"),
           ("compile", "on_the_left", "C<4>[I<4>[i]] = T<4>[i];", "subscripts on the left must be distinct plain indices")]

with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    certified.try_all(KERNELS, place, computes, program, SANITIZED, reads_once)
    for name, before, after in LIES:
        certified.lie(place, name, ".c", lambda text: re.sub(before, after, text, count=1), after)
    certified.refused_by_coq(place)
    certified.refusals(place, REFUSED)
check.end()

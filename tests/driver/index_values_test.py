#!/usr/bin/env python3
"""Indices as values: kernels that compute with positions and sizes (ramps, ranges, one-hot rows, positional tables, averages that leave
padding out) compile with gcc and clang without a warning, compute what Python says, at sizes 1, 2, 7 and 40, also below zero and under
the sanitizer for undefined behaviour; Coq certifies them; a text that takes another index, another type or another sign is refused,
by `verify` and by Coq itself; a gradient takes an index as what does not vary."""
import ctypes
import pathlib
import struct
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
SANITIZED = ["-O0", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int32, "int64": ctypes.c_int64, "bool": ctypes.c_bool}
SIZES = (1, 2, 7, 40)


def rounded(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def wrapped(bits, value):
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


class Kernel:
    """`out` of extent `cells(n)` from `a` of extent n; its types; the value at each flat position."""

    def __init__(self, name, computed, given, result, text, cells, expected):
        self.name, self.given, self.result, self.cells, self.expected = name, given, result, cells, expected
        held = "".join(f"type {t} {x};\n" for t, x in ((given, "a"), (result, "r")) if t != computed)
        self.text = f"kernel {name};\nsize n;\nin a;\nout r;\ntype {computed};\n{held}{text}\n"

    def values(self, n):
        if self.given in ("int", "int64"):
            return [(k * 5) % 13 - 2 for k in range(n)]
        if self.given == "bool":
            return [k % 3 == 0 for k in range(n)]
        return [rounded(0.25 * k - 1.5) for k in range(n)]


def mean(a, n, i):
    """Three wide, one of padding on both sides that does not count; each addend is divided."""
    total, count = 0.0, min(3, n - i + 1) - max(0, 1 - i)
    for r in range(3):
        if 0 <= i + r - 1 < n:
            total = rounded(total + rounded(a[i + r - 1] / count))
    return total


KERNELS = [
    Kernel("ramp", "float", "float", "float", "r<n>[i] = a<n>[i] * i;", lambda n: n, lambda a, n, i: rounded(a[i] * i)),
    Kernel("below_zero", "float", "float", "float", "r<n>[i] = a<n>[i] + (3 * i - 10);", lambda n: n, lambda a, n, i: rounded(a[i] + (3 * i - 10))),
    Kernel("countdown", "double", "double", "double", "r<n>[i] = a<n>[i] / (n - i);", lambda n: n, lambda a, n, i: a[i] / (n - i)),
    Kernel("blocks", "float", "float", "int", "r<n>[i] = a<n>[i] * 0 + (i // 4) * 10 + i % 4;", lambda n: n, lambda a, n, i: i // 4 * 10 + i % 4),
    Kernel("shifted_blocks", "float", "float", "int", "r<n>[i] = a<n>[i] * 0 + (i - 5) // 3;", lambda n: n, lambda a, n, i: (i - 5) // 3),
    Kernel("one_hot", "int64", "int64", "float", "r<n, 9>[i, j] = select(a<n>[i] == j, 1, 0) + select(a[i] < 0, select(a[i] + 9 == j, 1, 0), 0);",
           lambda n: 9 * n, lambda a, n, p: 1 if a[p // 9] % 9 == p % 9 and a[p // 9] < 9 else 0),
    Kernel("one_hot_wide", "int64", "int64", "bool", "r<n, 9>[i, j] = select(a<n>[i] == 3000000000 * j, 1, 0);", lambda n: 9 * n,
           lambda a, n, p: a[p // 9] == 3000000000 * (p % 9)),
    Kernel("products", "int64", "int64", "int64", "r<n, n>[i, j] = a<n>[i] * i * j - j;", lambda n: n * n, lambda a, n, p: a[p // n] * (p // n) * (p % n) - p % n),
    Kernel("wraps", "int", "int", "int", "r<n>[i] = a<n>[i] + 400000000 * i;", lambda n: n, lambda a, n, i: wrapped(32, a[i] + wrapped(32, 400000000 * i))),
    Kernel("kept", "int64", "int64", "int64", "r<n>[i] = a<n>[i] + 4000000000 * i;", lambda n: n, lambda a, n, i: a[i] + 4000000000 * i),
    Kernel("positions", "double", "double", "float", "r<n, 4>[i, j] = sin((i * a<n>[i]) * 0.125 + j);", lambda n: 4 * n, None),
    Kernel("weighted_sum", "float", "float", "float", "r<n>[i] = a<n>[k] * (k + 1) * (i + 1);",
           lambda n: n, None),
    Kernel("padded_mean", "float", "float", "float",
           "r<n>[i] = select(1 <= i + k && i + k < n + 1, a<n>[i + k - 1], 0) / (min(3, n - i + 1) - max(0, 1 - i)) where 0 <= k < 3;",
           lambda n: n, mean),
    Kernel("size_only", "float", "float", "float", "r<n>[i] = a<n>[i] / n;", lambda n: n, lambda a, n, i: rounded(a[i] / n)),
]


def reference(kernel, a, n, p):
    if kernel.name == "weighted_sum":
        total = 0.0
        for k in range(n):
            total = rounded(total + rounded(rounded(a[k] * (k + 1)) * (p + 1)))
        return total
    if kernel.name == "positions":
        return None
    return kernel.expected(a, n, p)


def computes(kernel, library, how):
    import math
    function = getattr(ctypes.CDLL(library), f"{kernel.name}_checked")
    function.restype = ctypes.c_int
    for n in SIZES:
        a = kernel.values(n)
        cells = kernel.cells(n)
        given, out = (C_TYPES[kernel.given] * n)(*a), (C_TYPES[kernel.result] * (cells + 4))(*[1] * (cells + 4))
        code = function(ctypes.c_int64(n), given, out)
        check.that(code == 0, f"{kernel.name} of {n}, {how}: code {code}")
        for p in range(cells):
            if kernel.name == "positions":
                i, j = divmod(p, 4)
                check.that(abs(out[p] - math.sin(i * a[i] * 0.125 + j)) <= 1e-6, f"positions[{i}, {j}] of {n}, {how}: {out[p]}")
            else:
                expected = reference(kernel, a, n, p)
                check.that(out[p] == expected, f"{kernel.name}[{p}] of {n}, {how}: {out[p]}, expected {expected}")
        check.that(list(out)[cells:] == [1] * 4, f"{kernel.name} wrote past its output, {how}")


def program(kernel, library):
    n = max(SIZES)
    return (f"import ctypes\na = (ctypes.{C_TYPES[kernel.given].__name__} * {n})(*{kernel.values(n)!r})\n"
            f"r = (ctypes.{C_TYPES[kernel.result].__name__} * {kernel.cells(n)})()\n"
            f"print(ctypes.CDLL({str(library)!r}).{kernel.name}_checked(ctypes.c_int64({n}), a, r))\n")


# What is changed in the C text, and to what.
LIES = [("ramp", "float_of_index(i)", "float_of_index(n)"), ("ramp", "float_of_index(i)", "float_of_index((i + 1))"),
        ("ramp", "(float)a", "(float)(int32_t)a"), ("ramp", "(float)a", "(float)(a + 1)"), ("ramp", "float_of_index(i)", "i"),
        ("below_zero", "(-float_of_index(", "(float_of_index("), ("countdown", "double_of_index((", "float_of_index(("),
        ("kept", "int64_of_index((", "int32_of_index(("), ("wraps", "(int32_t)a;", "(int32_t)(a & 0xffff);"),
        ("blocks", "/ 4", "/ 5"), ("one_hot", "int64_of_index(j)", "int64_of_index(i)"), ("size_only", "float_of_index(n)", "float_of_index((n + 0))")]


def gradients(folder, coq):
    path = folder / "g.tk"
    path.write_text("kernel g;\nsize n;\nin a;\nout r;\ngrad a;\nr<n>[i] = a<n>[i] * a[i] * i + i;\n")
    code, out, err = vouch("grad", path, "-o", folder / "g")
    check.that(code == 0, f"grad: exit {code}, {err[:300]}")
    if code == 0 and coq:
        code, out, err = vouch("verify", folder / "g", "--json", folder / "g.json", limited=False, seconds=300)
        check.that(code == 0 and "certified" in out and "proven" in out, f"verify of a gradient: exit {code}, {(out + err)[:500]}")


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    certified.try_all(KERNELS, place, computes, program, SANITIZED)
    for name, before, after in LIES:
        certified.lie(place, name, ".c", lambda text: text.replace(before, after, 1), after)
    certified.refused_by_coq(place)
    gradients(place, certified.coq)
check.end()

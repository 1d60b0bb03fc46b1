#!/usr/bin/env python3
"""Literals at the ends of each type: what is compiled gives the number that was written, through gcc and clang without a warning, and under the
sanitizer for undefined behaviour; what a type does not hold exactly is refused at its place, never another number.

    literal_ends_test.py VOUCH"""
import ctypes
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

from certified import Certified
from command import Checks, Vouch

vouch, check = Vouch(sys.argv[1]), Checks()
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int32, "int64": ctypes.c_int64}
SANITIZED = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
# Above half of the way from 1 to the next float by less than doubles see.
BESIDE_FLOAT = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
LITERALS = {
    "int64": [2**63 - 1, -(2**63) + 1, -(2**63), 2**63, 2**62, 2**64, 10**30, 4294967296, -4294967297],
    "int": [2**31 - 1, -(2**31) + 1, -(2**31), 2**31, 2**32, 2**63 - 1, -(2**33)],
    "float": [2**127, 2**120 + 2**119, 2**24, 2**24 + 1, -(2**24) - 1, 2**63, 3 * 2**100, Fraction(1, 10), Fraction(3, 2**20), 10**39, Fraction(1, 10**50), 16777215,
              BESIDE_FLOAT, 2 * BESIDE_FLOAT - 1 - Fraction(3, 2**23), Fraction(1, 2**149), 3 * Fraction(1, 2**150) + Fraction(1, 2**210)],
    "double": [2**1023, 2**1000, 2**53, 2**53 + 1, 2**63 - 1, 2**63, Fraction(1, 10), 10**308, 10**309, Fraction(1, 10**400), 9007199254740991,
               Fraction(15, 10**324), Fraction(35, 10**324), 1 + Fraction(1, 2**53) + Fraction(1, 2**150)],
}


def written(value):
    if isinstance(value, int):
        return f"({value})" if value < 0 else str(value)
    scaled = value
    digits = 0
    while scaled.denominator != 1:
        scaled, digits = scaled * 10, digits + 1
    text = str(scaled.numerator).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}"


def nearest(dtype, value):
    """As the type has it: integers as they are, floats to nearest, ties to even; nothing beyond the ends."""
    if dtype in ("int", "int64"):
        bits = 31 if dtype == "int" else 63
        return value if -(2**bits) <= value < 2**bits else None
    digits, least, most = (24, -149, 128) if dtype == "float" else (53, -1074, 1024)
    exact = abs(Fraction(value))
    top = exact.numerator.bit_length() - exact.denominator.bit_length()
    place = Fraction(2) ** max(least, (top if exact >= Fraction(2) ** top else top - 1) - digits + 1)
    held = round(exact / place) * place
    return None if held >= 2**most else math.copysign(float(held), value)


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    folders, held = [], []
    for dtype, values in LITERALS.items():
        for k, value in enumerate(values):
            name = f"literal_{dtype}_{k}"
            path = place / f"{name}.tk"
            path.write_text(f"kernel {name};\ntype {dtype};\nin a;\nout r;\nr<2>[i] = a<2>[i] * 0 + {written(value)};\n")
            code, out, err = vouch("compile", path, "-o", place / name)
            if code != 0:
                at_place = re.search(rf"{name}\.tk:5:\d+: error", err)
                check.that(code == 3 and at_place and not (place / name).exists(), f"{dtype} {value}: exit {code}: {err[:300]}")
                # A refusal is honest; of what the type holds exactly it would be a gap.
                exact = nearest(dtype, value) == value
                check.that(not exact, f"{dtype} {value} is held, but refused: {err[:300]}")
                continue
            folders.append(place / name)
            held.append((name, dtype, value))
    check.that(len(folders) >= 12, f"{len(folders)} were compiled")
    sources = [place / name / f"{name}.c" for name, _, _ in held]
    for compiler in certified.compilers:
        library = certified.built_together(compiler, sources, place)
        for name, dtype, value in held if library else []:
            out, given = (C_TYPES[dtype] * 2)(), (C_TYPES[dtype] * 2)(1, 2)
            code = getattr(ctypes.CDLL(str(library)), f"{name}_checked")(given, out)
            check.that(code == 0 and list(out) == [nearest(dtype, value)] * 2, f"{dtype} {value}, {compiler}: {list(out)}, expected {nearest(dtype, value)}")
    library = certified.built_together("gcc", sources, place, SANITIZED)
    if library:
        certified.sanitized("literals", [
            f"import ctypes\nx = (ctypes.{C_TYPES[dtype].__name__} * 2)(1, 2)\ny = (ctypes.{C_TYPES[dtype].__name__} * 2)()\n"
            f"print(ctypes.CDLL({str(library)!r}).{name}_checked(x, y))\n" for name, dtype, _ in held], place)
    if certified.coq:
        certified.verified(*folders)
check.end()

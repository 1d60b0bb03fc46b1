"""What certified C computes of extreme values: NaN, infinities and zeros of both signs in `max`, `min` and `select`, by gcc and clang.

    extremes_test.py VOUCH ROOT"""
import ctypes
import math
import pathlib
import struct
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
checks = Checks()
NAN, INF = math.nan, math.inf
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double}
# a, b; what is expected of max(a, b), of min(a, b), and of select(a < b, b, a), by hand.
EXTREMA = [(NAN, 1.0, 1.0, 1.0, NAN), (1.0, NAN, 1.0, 1.0, 1.0), (NAN, NAN, NAN, NAN, NAN), (NAN, -INF, -INF, -INF, NAN), (INF, NAN, INF, INF, INF),
           (0.0, -0.0, 0.0, 0.0, 0.0), (-0.0, 0.0, -0.0, -0.0, -0.0), (-0.0, NAN, -0.0, -0.0, -0.0), (NAN, -0.0, -0.0, -0.0, NAN),
           (INF, -INF, INF, -INF, INF), (-1.0, 2.0, 2.0, -1.0, 2.0), (INF, INF, INF, INF, INF)]
BODIES = {"greatest": "max(a<n>[i], b<n>[i])", "least": "min(a<n>[i], b<n>[i])", "chosen": "select(a<n>[i] < b<n>[i], b[i], a[i])"}


def shown(value):
    """One text for all NaNs, and one for each other number: zeros differ."""
    return "NaN" if math.isnan(value) else struct.pack("d", value).hex()


def extrema(certified, place):
    for computed, kind in C_TYPES.items():
        for column, (what, body) in enumerate(BODIES.items()):
            name = f"{what}_{computed}"
            (place / f"{name}.tk").write_text(f"kernel {name};\nsize n;\nin a, b;\nout r;\ntype {computed};\nr<n>[i] = {body};\n")
            code, out, err = vouch("compile", place / f"{name}.tk", "-o", place / name)
            checks.that(code == 0, f"compile {name}: {err[:400]}")
            libraries = [certified.built(compiler, place / name / f"{name}.c", place) for compiler in certified.compilers] if code == 0 else []
            for library in filter(None, libraries):
                a, b, r = ((kind * len(EXTREMA))(*(row[k] for row in EXTREMA)) for k in (0, 1, 0))
                code = getattr(ctypes.CDLL(library), f"{name}_checked")(ctypes.c_int64(len(EXTREMA)), a, b, r)
                checks.that(code == 0, f"{library.name}: code {code}")
                for row, found in zip(EXTREMA, r):
                    checks.that(shown(found) == shown(row[2 + column]), f"{library.name}, {what} of {row[:2]}: {found}, expected {row[2 + column]}")


with tempfile.TemporaryDirectory() as scratch:
    extrema(Certified(vouch, checks), pathlib.Path(scratch))
checks.end()

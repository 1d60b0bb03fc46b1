"""What certified C computes of extreme values, by gcc and clang: NaN, infinities and zeros of both signs in `max`, `min` and `select`; and
random kernels over several element types at all triples of extreme values, bit for bit as numpy says, without a warning and without
behaviour that C does not define.

    extremes_test.py VOUCH ROOT [all]"""
import ctypes
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

from certified import FLAGS, Certified
from command import Checks, Vouch
from random_kernels import HELD, Kernel

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


def compared_with_itself(certified, place):
    """A condition that is always or never true is no reason for a compiler to refuse the text."""
    source = place / "itself.tk"
    source.write_text("kernel itself;\nsize n;\nin a;\nout r;\ntype int;\n"
                      "r<n>[i] = select(a<n>[i] < a[i], 1, select(a[i] == a[i], 2, 3)) + select(a[i] + 1 != a[i] + 1, 10, 20);\n")
    code, out, err = vouch("compile", source, "-o", place / "itself")
    checks.that(code == 0, f"compile itself: {err[:400]}")
    for compiler in certified.compilers:
        library = certified.built(compiler, place / "itself" / "itself.c", place)
        a, r = (ctypes.c_int * 3)(-2**31, 0, 2**31 - 1), (ctypes.c_int * 3)()
        checks.that(library and ctypes.CDLL(library).itself_checked(ctypes.c_int64(3), a, r) == 0 and list(r) == [22] * 3, f"{compiler}: {list(r)}")


def run(kernel, library):
    """What the kernel leaves, and what it returns; inputs that it does not need are no parameters of it."""
    result = np.zeros(len(kernel.expected), HELD[kernel.types["r"]])
    given = [kernel.inputs[x].ctypes.data_as(ctypes.c_void_p) for x in kernel.parameters]
    code = getattr(library, f"{kernel.name}_checked")(ctypes.c_int64(len(result)), *given, result.ctypes.data_as(ctypes.c_void_p))
    return code, result


def differs(kernel, found):
    """Where: all NaNs are one, and zeros of two signs are two."""
    expected = kernel.expected
    both_none = (found != found) & (expected != expected)
    same = found.view(f"u{found.itemsize}") == expected.view(f"u{expected.itemsize}")
    return np.flatnonzero(~(both_none | same))


def computes(kernels, library, how):
    for kernel in kernels:
        code, found = run(kernel, library)
        checks.that(code == 0, f"{kernel.name}, {how}: code {code}")
        wrong = differs(kernel, found)
        at = {x: kernel.inputs[x][wrong[0]] for x in kernel.read} if len(wrong) else {}
        checks.that(not len(wrong), f"{kernel.name}, {how}: {len(wrong)} differ, at {at} {found[wrong[:1]]}, expected {kernel.expected[wrong[:1]]}\n{kernel.text}")


def defined(kernels, sources, place):
    """In processes that the sanitizer ends where C does not say what is done: before this one has OpenMP's threads, which forks do not have."""
    library = place / "sanitized.so"
    built = subprocess.run(["gcc", *FLAGS, "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=float-divide-by-zero", "-fno-sanitize-recover=all",
                            "-static-libubsan", "-shared", *sources, "-o", library, "-lm"], capture_output=True, text=True)
    checks.that(built.returncode == 0, f"sanitized: {built.stderr[:400]}")
    for kernel in kernels if built.returncode == 0 else []:
        child = os.fork()
        if child == 0:
            os._exit(run(kernel, ctypes.CDLL(library))[0])
        checks.that(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, f"{kernel.name}: C does not define what it does\n{kernel.text}")


def random_kernels(certified, place, count):
    kernels = [Kernel(f"random{at}", random.Random(at)) for at in range(count)]
    folder = place / "random"
    folder.mkdir()
    for kernel in kernels:
        (folder / f"{kernel.name}.tk").write_text(kernel.text)
    code, out, err = vouch("compile", folder, "-o", place / "compiled", limited=False, seconds=600)
    checks.that(code == 0, f"compile: {err[:600]}")
    for kernel in kernels:
        header = (place / "compiled" / f"{kernel.name}.h").read_text()
        kernel.parameters = re.findall(r"const \w+ \*(\w+)", re.search(rf"int {kernel.name}_checked\((.*)\)", header)[1])
    sources = [place / "compiled" / f"{kernel.name}.c" for kernel in kernels]
    defined(kernels, sources, place)
    for compiler in certified.compilers:
        library = place / f"{compiler}.so"
        built = subprocess.run([compiler, *FLAGS, "-shared", *sources, "-o", library, "-lm"], capture_output=True, text=True)
        checks.that(built.returncode == 0, f"{compiler}: {built.stderr[:400]}")
        if built.returncode == 0:
            computes(kernels, ctypes.CDLL(library), compiler)
    print(f"figures: {count} random kernels, {sum(len(kernel.expected) for kernel in kernels)} elements each way")


with tempfile.TemporaryDirectory() as scratch:
    certified = Certified(vouch, checks)
    random_kernels(certified, pathlib.Path(scratch), 400 if "all" in sys.argv[3:] else 25)
    extrema(certified, pathlib.Path(scratch))
    compared_with_itself(certified, pathlib.Path(scratch))
checks.end()

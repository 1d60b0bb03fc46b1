#!/usr/bin/env python3
"""The C text of every shipped kernel and of wide literals compiles with gcc and clang without a warning; its checked form tells each
thing that is assumed and does not hold, touches nothing then, and otherwise computes the kernel, at sizes from 0 on; where memory
cannot be had it says so. A compiler that is not there is named and skipped."""
import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
check = Checks()
KERNELS = {
    "dot": "kernel dot(sizes n; xs: num[n], ys: num[n]) -> out: num =\n"
           "  reduce p in map par xy in zip(xs, ys) { xy.fst * xy.snd } with sum = 0 { p + sum }\n",
    "count2": "kernel count2() -> out: num =\n  reduce x in fill(num[65536 * 65536], 1) with s = 0 { 1 }\n",
    "shift": "kernel shift(sizes m, n, unused; xs: num[n]) -> ys: num[m] where m + 1 <= n = map x in xs.slice(1, m) { x + 1 }\n",
    "plus": "kernel plus(sizes n; a: num, xs: num[n]) -> ys: num[n] = map vec x in xs { a + x }\n",
    "lanes": "kernel lanes(sizes m, n; xs: num[m, n]) -> ys: num[m] =\n  map vec row in xs { reduce x in row with s = 0 { s + x } }\n",
}
FLAGS = ["-std=c99", "-O2", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC"]
SAFE = 64  # floats that nothing may touch, after every array


def floats(*values):
    return (ctypes.c_float * (len(values) + SAFE))(*values, *[-7.5] * SAFE)


def call(function, *arguments):
    return function(*[ctypes.c_int64(a) if isinstance(a, int) else a for a in arguments])


def built(compiler, source, folder):
    library = folder / f"{source.stem}-{compiler}.so"
    done = subprocess.run([compiler, *FLAGS, "-shared", source, "-o", library, "-lm"], capture_output=True, text=True)
    check.that(done.returncode == 0, f"{compiler} {source.name}: {done.stderr[:400]}")
    return ctypes.CDLL(library) if done.returncode == 0 else None


def products(dot):
    for n in (0, 1, 2, 7):
        xs, ys, out = floats(*range(n)), floats(*range(1, n + 1)), floats(-1)
        check.that(call(dot.dot_checked, n, xs, ys, out) == 0 and out[0] == sum(i * (i + 1) for i in range(n)), f"dot of {n}")
        check.that(list(out)[1:] == [-7.5] * SAFE, "dot wrote past its output")
    xs, ys, out = floats(1, 2), floats(3, 4), floats(-1)
    for code, what, arguments in [(1, "a negative size", (-1, xs, ys, out)), (2, "a size of 2^61", (2**61, xs, ys, out)),
                                  (2, "the largest size", (2**63 - 1, xs, ys, out)), (4, "no input", (2, None, ys, out)),
                                  (4, "no output", (2, xs, ys, None)), (5, "an output in an input", (2, xs, ys, ctypes.byref(xs, 4))),
                                  (0, "nothing where there are no elements", (0, None, None, out))]:
        found = call(dot.dot_checked, *arguments)
        check.that(found == code, f"dot, {what}: {found}, expected {code}")
    check.that(list(xs)[:2] == [1, 2] and list(ys)[:2] == [3, 4], "dot changed an input")


def shifted(shift):
    for m in (0, 1, 2, 7):
        xs, ys = floats(*range(m + 1)), floats(*[-1] * m)
        check.that(call(shift.shift_checked, m, m + 1, 0, xs, ys) == 0 and list(ys)[:m] == [i + 2 for i in range(m)], f"shift of {m}")
    check.that(call(shift.shift_checked, 2, 2, 0, floats(1, 2), floats(0, 0)) == 3, "shift: m + 1 <= n is broken")
    check.that(call(shift.shift_checked, 0, 0, 2**62, floats(1), floats(1)) == 3, "shift: m + 1 <= n is broken at 0")
    check.that(call(shift.shift_checked, 2**62, 2**63 - 1, 0, floats(1), floats(1)) == 2, "shift: sums of sizes overflow")


def without_memory(library):
    """In a process with little memory, from arrays that are there (pages of zeros that cost nothing)."""
    program = (f"import ctypes, mmap, resource\nlibrary = ctypes.CDLL('{library}')\nn = 1 << 27\n"
               "memory = mmap.mmap(-1, 4 * n, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
               "byte = ctypes.c_char.from_buffer(memory)\narea = ctypes.addressof(byte)\n"
               "out = ctypes.c_float(3)\nused = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
               "resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), used + (64 << 20)))\n"
               "print(library.dot_checked(ctypes.c_int64(n), ctypes.c_void_p(area), ctypes.c_void_p(area), ctypes.byref(out)))\n"
               "print(library.dot_checked(ctypes.c_int64(1000), ctypes.c_void_p(area), ctypes.c_void_p(area), ctypes.byref(out)))\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "2"})
    check.that(done.returncode == 0 and done.stdout.split() == ["6", "0"], f"no memory: exit {done.returncode}, {done.stdout} {done.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    for name, text in KERNELS.items():
        (folder / f"{name}.fun").write_text(text)
    code, _, said = vouch("compile", folder, "-o", folder / "own")
    check.that(code == 0, said)
    code, _, said = vouch("compile", root / "kernels", "-o", folder / "shipped", limited=False)
    check.that(code == 0, said)
    sources = sorted((folder / "own").glob("*.c")) + sorted((folder / "shipped").glob("*.c"))
    check.that(len(sources) > 80, f"{len(sources)} texts only")
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            print(f"skipped: {compiler} is not there")
            continue
        libraries = {}
        for source in sources:
            if source.parent.name == "own":
                libraries[source.stem] = built(compiler, source, folder)
            else:
                done = subprocess.run([compiler, *FLAGS, "-O0", "-c", source, "-o", folder / "x.o"], capture_output=True, text=True)
                check.that(done.returncode == 0, f"{compiler} {source.name}: {done.stderr[:400]}")
        products(libraries["dot"])
        shifted(libraries["shift"])
        out = floats(0)
        check.that(libraries["count2"].count2_checked(out) == 0 and out[0] == 1, "a loop of 65536 * 65536 steps runs")
        without_memory(folder / f"dot-{compiler}.so")
    header = (folder / "own" / "shift.h").read_text()
    check.that("int shift_checked(int64_t m, int64_t n, int64_t unused, const float *xs, float *ys);" in header, "the header declares it")
    check.that("where m + 1 <= n = map x in xs" in header, "the header shows the kernel")
check.end()

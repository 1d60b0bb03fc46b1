#!/usr/bin/env python3
"""Checked forms at the largest sizes there are, under the sanitizers for addresses and undefined behaviour: negative sizes are code 1,
sizes from which 64 bits do not count the bytes of an array code 2, what is not required code 3, arrays that are not there code 4; a
temporary for which there is no memory is code 6, before anything is read, and the plain form says so and aborts. Nothing overflows,
nothing crashes."""
import ctypes
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch

LARGE = [2**31 - 1, 2**31, 2**32 + 1, 2**40, 2**59, 2**61 - 1, 2**61, 2**62, 2**63 - 1]
SMALL = [1, 2, 7, 64, 1000]
NEGATIVE = [-1, -2**31, -2**63]
MOST_TRIED = 700
SANITIZER = ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
PRODUCT = "C<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];"
# Far from each other, and nothing there.
NOWHERE = [1 << 12, 1 << 61, 1 << 62, 3 << 61]


class Kernel:
    """`arrays`: of the sizes the numbers of elements, the output's last, of `width` bytes each; `meets`: what is required; `scarce`: sizes
    for which there is no memory."""

    def __init__(self, name, sizes, text, arrays, width=4, meets=lambda **_: True, scarce=(), words=("compile",), counts=(), schedule=""):
        self.name, self.sizes, self.arrays, self.width, self.meets, self.scarce = name, sizes.split(), arrays, width, meets, scarce
        self.words, self.counts = words, counts
        self.schedule = schedule and f"schedule {name}\n{schedule}"
        self.text = text if text.startswith("kernel") else f"kernel {name};\nsize {', '.join(self.sizes)};\n{text}\n"
        self.suffix = ".fun" if text.startswith("kernel") else ".tk"

    def instances(self):
        """One, two, then any of the sizes large, the others small; some negative."""
        base = dict.fromkeys(self.sizes, 3)
        for at in range(1, 3):
            for chosen in itertools.combinations(self.sizes, min(at, len(self.sizes))):
                for values in itertools.product(LARGE + NEGATIVE, repeat=len(chosen)):
                    yield base | dict(zip(chosen, values))
        numbers = random.Random(self.name)
        for _ in range(MOST_TRIED // 3):
            yield {size: numbers.choice(LARGE + SMALL) for size in self.sizes}

    def numbers(self, sizes):
        return [*sizes.values(), *(count(**sizes) for count in self.counts)]

    def codes(self, sizes):
        """Those that are right, without arrays. Between what is beyond 64 bits and what is far below, 64 bits may count a temporary or not."""
        numbers = self.numbers(sizes)
        if any(n < 0 for n in numbers):
            return {1}
        elements = self.arrays(**sizes)
        if any(self.width * n >= 2**63 for n in elements):
            return {2}
        product = 1
        for n in numbers:
            product *= max(n, 1)
        right = {4} if self.meets(**sizes) else {3}
        return right if 4096 * product < 2**63 else right | {2}


def product(m, n, k):
    return m * k, k * n, m * n


PANELS = [dict(m=0, n=1, k=2**45), dict(m=0, n=2**23, k=2**23), dict(m=1, n=2**44, k=1)]
KERNELS = [
    Kernel("tiled", "m n k", PRODUCT, product, scarce=PANELS),
    Kernel("fused", "m n k", PRODUCT, product, scarce=PANELS, words=["compile", "--fma"]),
    Kernel("versions", "m n k", PRODUCT, product, scarce=PANELS, words=["compile", "--targets", "generic,avx2,avx512"]),
    Kernel("plain", "m n k", PRODUCT, product, schedule="parallel each m\ntile\n"),
    Kernel("doubles", "m n k", "type double;\n" + PRODUCT, product, width=8),
    Kernel("integers", "m n k", "type int64;\n" + PRODUCT, product, width=8),
    Kernel("reordered", "n", "S<1> = A<n>[i] * B<n>[i];", lambda n: (n, n, 1), words=["compile", "--reorder"]),
    Kernel("attention", "b t s d", "in Q, K, V;\nS<b, t, s>[z, i, j] = Q<b, t, d>[z, i, p] * K<b, s, d>[z, j, p] / sqrt(d);\nE<b, t, s>[z, i, j] = exp(S[z, i, j]);\n"
           "Z<b, t>[z, i] = E[z, i, j];\nO<b, t, d>[z, i, p] = E[z, i, j] / Z[z, i] * V<b, s, d>[z, j, p];",
           lambda b, t, s, d: (b * t * d, b * s * d, b * s * d, b * t * d), scarce=[dict(b=1, t=2**46, s=3, d=0), dict(b=1, t=0, s=2**46, d=1)]),
    Kernel("convolution", "n k c h r", "Y<n, k, h - r + 1>[b, o, i] = X<n, c, h>[b, q, i + e] * W<k, c, r>[o, q, e];",
           lambda n, k, c, h, r: (n * c * h, k * c * r, n * k * max(h - r + 1, 0)), meets=lambda h, r, **_: h >= r, counts=[lambda h, r, **_: max(h - r + 1, 0)]),
    Kernel("pairs", "m n", "Y<m * n>[i] = X<2*m*n>[2*i] + X<2*m*n>[2*i + 1];", lambda m, n: (2 * m * n, m * n)),
    Kernel("table", "m v", "in T, I;\ntype int64 I;\ntype double T;\nY<m>[i] = T<v>[I<m>[i]];", lambda m, v: (2 * v, 2 * m, m), scarce=[dict(m=0, v=2**46)]),
    Kernel("stored", "m n", "kernel stored(sizes m, n; xs: num[m, n]) -> ys: num[m] =\n  let t = mem(map row in xs { map x in row { x * x } }) in\n"
           "  map row in t { reduce x in row with s = 0 { s + x } }\n", lambda m, n: (m * n, m), scarce=[dict(m=2**23, n=2**23)]),
    Kernel("shifted", "m n", "kernel shifted(sizes m, n; xs: num[n]) -> ys: num[m] where m + 1 <= n = map x in xs.slice(1, m) { x + 1 }\n",
           lambda m, n: (n, m), meets=lambda m, n: m + 1 <= n),
]


def in_own_process(libraries):
    for name, library in libraries.items():
        kernel = next(kernel for kernel in KERNELS if kernel.name == name)
        function = getattr(ctypes.CDLL(library), f"{name}_checked")
        tried = list(kernel.instances())
        for sizes in tried if len(tried) <= MOST_TRIED else random.Random(name).sample(tried, MOST_TRIED):
            code = function(*map(ctypes.c_int64, kernel.numbers(sizes)), *[None for _ in kernel.arrays(**sizes)])
            right = kernel.codes(sizes)
            if code not in right:
                print(json.dumps([name, sizes, f"returns {code}, not {sorted(right)}"]), flush=True)
        for sizes in kernel.scarce:
            arrays = [ctypes.c_void_p(NOWHERE[at]) for at, _ in enumerate(kernel.arrays(**sizes))]
            code = function(*map(ctypes.c_int64, kernel.numbers(sizes)), *arrays)
            if code != 6:
                print(json.dumps([name, sizes, f"returns {code}, not 6"]), flush=True)
        print(json.dumps([name, len(tried)]), flush=True)


def aborts(library, name):
    """The plain form, where there is no memory."""
    function = getattr(ctypes.CDLL(library), name)
    kernel = next(kernel for kernel in KERNELS if kernel.name == name)
    function(*map(ctypes.c_int64, kernel.numbers(kernel.scarce[0])), *map(ctypes.c_void_p, NOWHERE[:len(kernel.arrays(**kernel.scarce[0]))]))


if sys.argv[1] == "run":
    in_own_process(json.loads(sys.argv[2]))
    sys.exit(0)
if sys.argv[1] == "abort":
    aborts(*sys.argv[2:4])
    sys.exit(0)

vouch = Vouch(sys.argv[1])
check = Checks()
certified = Certified(vouch, check)


def own_process(*arguments, preload=""):
    environment = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "2", "LD_PRELOAD": preload, "PYTHONPATH": str(pathlib.Path(__file__).parent),
                   "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    return subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, env=environment)


def run(libraries, preload=""):
    done = own_process("run", json.dumps(libraries), preload=preload)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [line for line in lines if len(line) == 3]
    check.that(done.returncode == 0 and not wrong, f"exit {done.returncode} after {lines[-1:]}, {wrong[:5]}: {done.stderr[:800]}")
    check.that([line[0] for line in lines if len(line) == 2] == list(libraries), "a kernel was not tried")


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    sanitizer = ":".join(subprocess.run(["gcc", f"-print-file-name=lib{s}.so"], capture_output=True, text=True).stdout.strip() for s in ("asan", "ubsan"))
    plain, sanitized = {}, {}
    for at, kernel in enumerate(KERNELS):
        path = place / f"{kernel.name}{kernel.suffix}"
        path.write_text(kernel.text)
        if kernel.schedule:
            path.with_suffix(".sched").write_text(kernel.schedule)
        code, out, err = vouch(kernel.words[0], path, "-o", place / kernel.name, *kernel.words[1:])
        check.that(code == 0, f"{kernel.words} {kernel.name}: {err[:400]}")
        source = place / kernel.name / f"{kernel.name}.c"
        plain[kernel.name] = str(certified.built(certified.compilers[at % len(certified.compilers)], source, place))
        sanitized[kernel.name] = str(certified.built("gcc", source, place, SANITIZER))
    run(plain)
    run(sanitized, sanitizer)
    for name in ("tiled", "stored"):
        done = own_process("abort", plain[name], name)
        check.that(done.returncode == -signal.SIGABRT and done.stderr == "out of memory\n", f"{name}: exit {done.returncode}, {done.stderr[:300]}")
check.end()

"""Sizes with names: one gradient for all sizes, as text and as one certified C text, against the gradient derived at numbers.

Derived once with names, and at several instances with `--size`; both C texts are run on small whole numbers, on which float
arithmetic is exact, and must agree on every element. `--check` proves the change of indices for all sizes and compares with
exact rational differences at instances."""
import ctypes
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from command import Checks, Vouch

os.environ["OMP_NUM_THREADS"] = "1"
vouch = Vouch(sys.argv[1])
checks = Checks()
folder = tempfile.TemporaryDirectory()
place = pathlib.Path(folder.name)

# Text, targets, instances, and the sizes that the C text has besides the kernel's.
KERNELS = {
    "matmul": ("C<N, M>[i, j] = A<N, K>[i, k] * B<K, M>[k, j];", "A, B", [dict(N=1, M=1, K=1), dict(N=3, M=5, K=4), dict(N=7, M=2, K=9)], {}),
    "window": ("O<H - R + 1>[i] = A<H>[i + r] * W<R>[r];", "A, W", [dict(H=1, R=1), dict(H=9, R=3), dict(H=6, R=6)], {"count": "H - R + 1"}),
    "by_twos": ("O<(H - R)//2 + 1>[i] = A<H>[2*i + r] * W<R>[r];", "A, W", [dict(H=8, R=3), dict(H=9, R=3), dict(H=4, R=4)], {"count": "(H - R)//2 + 1"}),
    "dilated": ("O<H - 2*R + 2>[i] = A<H>[i + 2*r] * W<R>[r];", "A, W", [dict(H=9, R=3), dict(H=1, R=1), dict(H=8, R=4)], {"count": "H - 2*R + 2"}),
    "conv2d": ("Y<N, K, H - R + 1, W - S + 1>[n, k, p, q] = X<N, C, H, W>[n, c, p + r, q + s] * F<K, C, R, S>[k, c, r, s];", "X, F",
               [dict(N=2, K=3, H=5, R=2, W=6, S=3, C=2), dict(N=1, K=1, H=3, R=3, W=1, S=1, C=1)], {"count": "H - R + 1", "count2": "W - S + 1"}),
    "diagonal": ("O<N>[i] = A<N, N>[i, i] * A<N, N>[i, k];", "A", [dict(N=1), dict(N=4), dict(N=7)], {}),
    "broadcast": ("C<N, M>[i, j] = A<N>[i] * B<N, M>[i, j] + A<N>[i];", "A, B", [dict(N=2, M=3), dict(N=5, M=1)], {}),
    "statements": ("T<N>[i] = A<N, M>[i, j]; C<N, M>[i, j] = A<N, M>[i, j] * T<N>[i];", "A", [dict(N=2, M=3), dict(N=4, M=4)], {}),
    "reversed": ("C<N>[i] = A<N>[N - 1 - i] * B<N>[i];", "A, B", [dict(N=1), dict(N=6)], {}),
    "pairs": ("C<N>[i] = A<2*N>[2*i] + 3.0 * A<2*N>[2*i + 1];", "A", [dict(N=1), dict(N=5)], {}),
    "halves": ("C<N>[i] = A<(N + 1)//2>[i//2];", "A", [dict(N=1), dict(N=6), dict(N=7)], {"count": "(N + 1)//2"}),
    "mttkrp": ("O<I, R>[i, r] = T<I, J, K>[i, j, k] * B<J, R>[j, r] * C<K, R>[k, r];", "B, T", [dict(I=2, R=3, J=4, K=2), dict(I=1, R=1, J=1, K=5)], {}),
    "padded": ("O<H>[i] = select(i + r >= 1 && i + r < H + 1, A<H>[i + r - 1] * W<3>[r], 0.0);", "A, W", [dict(H=1), dict(H=2), dict(H=8)], {}),
    "coprime": ("C<N, M>[i, j] = A<3*N + 5*M>[3*i + 5*j];", "A", [dict(N=3, M=2), dict(N=1, M=1), dict(N=2, M=6)], {"count": "2*M + N - 2"}),
}


def derive(name, text, out, *options):
    path = place / f"{name}.tk"
    path.write_text(text)
    return vouch("grad", path, "-o", out, *options, limited=False)


def compiled(c):
    library = c.with_suffix(".so")
    subprocess.run(["gcc", "-O1", "-fopenmp", "-ffp-contract=off", "-w", "-shared", "-fPIC", c, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))[c.stem]


def shapes(header, sizes):
    """The number of elements of each array that the header names, in order."""
    out = []
    for role, name, shape in re.findall(r"^ \* (reads|writes)\s+(\w+) num\[(.*)\]$", header.read_text(), re.M):
        count = 1
        for extent in shape.split(","):
            count *= eval(extent, {}, sizes)
        out.append((role, name, count))
    return out


def result(function, header, sizes, values):
    """What the function writes; `sizes` are its first arguments, arrays are filled from `values` by name."""
    arrays, written = [], None
    for role, name, count in shapes(header, sizes):
        arrays.append((ctypes.c_float * count)(*(values(name, count) if role == "reads" else [-99] * count)))
        written = arrays[-1]
    signature = re.search(rf"^void {header.stem}\(([^)]*)\);$", header.read_text(), re.M)[1]
    leading = [ctypes.c_int64(sizes[s if s in sizes else s.removesuffix("_")]) for s in re.findall(r"int64_t (\w+)", signature)]
    function(*leading, *arrays)
    return list(written)


for name, (text, targets, instances, counts) in KERNELS.items():
    text = f"kernel {name}; grad {targets}; {text}"
    folder_of = place / name
    code, out, err = derive(name, text, folder_of, "--check")
    said = re.search(r"index changes: (\d+) of (\d+) proven.*\nexact differences: (\d+) of (\d+) elements", out)
    good = code == 0 and said and said[1] == said[2] and said[3] == said[4] and int(said[4]) > 0 and "certificate" not in err
    checks.that(good, f"{name}: {code}, {out}{err}")
    if not good:
        continue
    # The text and the JSON form are the same kernel.
    for form in [folder_of / f"{name}.tk", folder_of / f"{name}.json"]:
        code, out, err = vouch("show", form, limited=False)
        checks.that(code == 0 and "sizes: " in out, f"{form.name} read back: {code}, {err}")
    general = {c.stem: compiled(c) for c in folder_of.glob("*.c")}
    for number, instance in enumerate(instances):
        at_numbers = place / f"{name}_{number}"
        code, out, err = derive(name, text, at_numbers, *[w for s, v in instance.items() for w in ("--size", f"{s}={v}")])
        checks.that(code == 0, f"{name} at {instance}: {code}, {err}")
        sizes = instance | {s: eval(how, {}, instance) for s, how in counts.items()}
        randoms = {}

        def values(array, count):
            return randoms.setdefault(array, [random.Random(f"{array}{number}").randint(-4, 4) for _ in range(count)])
        texts = sorted(at_numbers.glob("*.c"))
        checks.that({c.stem for c in texts} == set(general), f"{name}: other texts at {instance}")
        for c in texts:
            expected = result(compiled(c), c.with_suffix(".h"), {}, values)
            found = result(general[c.stem], folder_of / f"{c.stem}.h", sizes, values)
            checks.that(found == expected and len(found) > 0, f"{c.stem} at {instance}: {found}, at numbers {expected}")

code, out, err = derive("window", "kernel window; grad A; O<H - R + 1>[i] = A<H>[i + r] * W<R>[r];", place / "cpp", "--cpp")
checks.that(code == 3 and "--size H=16" in err, f"--cpp with names: {code}, {err}")
code, out, err = vouch("show", place / "window.tk", limited=False)
checks.that(code == 0 and "H - R >= 0" in out and "domain: [0, H - R + 1)" in out and "domain: [0, R)" in out, f"show: {out}{err}")
checks.end()

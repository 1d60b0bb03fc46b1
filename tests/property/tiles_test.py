#!/usr/bin/env python3
"""tiles_test.py VOUCH FIRST COUNT: tiles of vectors in `tight/` texts of random gradients, with sanitizers, against the plain
loops of the same text and against the certified text. Inputs are small whole numbers, so that sums are exact in whatever order;
then some are infinite or NaN, which plain loops and tiles must treat alike, element by element."""
import ctypes
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "2"
SANITIZE = ["-O1", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-static-libasan"]
failures = []


def kernel(seed):
    """A kernel of degree one in each input; its last axes are long enough for tiles."""
    r = random.Random(seed)
    q, c, k, s = r.randint(16, 45), r.randint(1, 14), r.randint(1, 5), r.randint(1, 4)
    d, e = r.randint(1, 3), r.randint(1, 4)
    long = q + (s - 1) * d
    forms = [
        f"Y<{k}, {e}, {q}>[k, p, q] = A<{c}, {e}, {long}>[c, p, q + {d}*s] * B<{k}, {c}, {s}>[k, c, s];",
        f"Y<{k}, {e}, {q}>[k, p, q] = A<{c}, {e + s - 1}, {long}>[c, p + t, q + {d}*s] * B<{k}, {c}, {s}, {s}>[k, c, t, s];",
        f"Y<{k}, {q}>[k, q] = select(q - s >= 0 && q - s < {q - 3}, A<{c}, {q - 3}>[c, q - s] * B<{k}, {c}, {s}>[k, c, s], 0);",
        f"Y<{c}, {q}>[c, q] = A<{c}, {k}>[c, k] * B<{k}, {q}>[k, q];",
        f"Y<{c}, {k}>[c, k] = A<{c}, {q}>[c, q] * B<{k}, {q}>[k, q] / 4;",
        f"Y<{k}, {q}>[k, q] = A<{c}, {long}>[c, q + {d}*s] * B<{s}>[s] - A<{c}, {long}>[c, q] * B<{s}>[{s - 1}];",
        f"Y<{k}, {c}>[k, c] = select(k <= c, A<{c}, {q}>[c, q] * B<{k}, {q}>[k, q], 0);",
        f"T<{c}, {q}>[c, q] = A<{c}, {long}>[c, q + {d}*s] * B<{s}>[s]; Y<{q}>[q] = T<{c}, {q}>[c, q] * 2;",
        f"Y<{e}, {q}>[p, q] = A<{c}, {e}, {long}>[c, p, q + {d}*s] * B<{c}>[c] * C<{s}>[s];",
        f"Y<{k}, {q}>[k, q] = select(q - s >= 0 && q - s < {q}, A<{c}, {q}>[c, q - s] * B<{k}, {c}, {q}>[k, c, {q - 1} - s], 0) where 0 <= s < {q + 7};",
        f"Y<{q}>[q] = select(q < {q - 2}, A<{long}>[q + {d}*s] * B<{s}>[s], A<{long}>[q] * C<1>[0]);",
    ]
    text = forms[seed % len(forms)]
    names = [n for n in "ABC" if f"{n}<" in text]
    return text, names, ["float", "double"][seed // len(forms) % 2]


MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "%s"
static TYPE *input(FILE *f, long n) { TYPE *x = malloc(n * sizeof(TYPE)); if (fread(x, sizeof(TYPE), n, f) != (size_t)n) exit(9); return x; }
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
%s  fclose(in); fclose(out);
  return 0;
}
"""


def program(folder, name, out, flags, dtype):
    """A program that reads the inputs from a file and writes the outputs: each in a block of its own, so that sanitizers see its end."""
    signature = re.search(rf"\b{name}\((.*?)\);", (folder / f"{name}.h").read_text(), re.S).group(1)
    body, call = "", []
    for parameter in signature.split(","):
        label = re.search(r"(\w+)((?:\[\d+\])*)$", parameter.strip())
        count = math.prod(int(n) for n in re.findall(r"\[(\d+)\]", label[2]))
        read_only = "const" in parameter
        body += f"  TYPE *{label[1]} = {f'input(in, {count})' if read_only else f'calloc({count}, sizeof(TYPE))'};\n"
        call.append((label[1], count, read_only))
    body += f"  {name}({', '.join(f'(void *){n}' for n, _, _ in call)});\n"
    body += "".join(f"  fwrite({n}, sizeof(TYPE), {count}, out);\n" for n, count, read_only in call if not read_only)
    body += "".join(f"  free({n});\n" for n, _, _ in call)
    main = out.with_suffix(".c")
    main.write_text(f"#define TYPE {dtype}\n" + MAIN % (folder / f"{name}.h", body))
    subprocess.run(["gcc", "-w", "-fopenmp", *flags, main, folder / f"{name}.c", "-o", out, "-lm"], check=True)
    return sum(count for _, count, read_only in call if read_only)


def values(path, dtype):
    code = {"float": ctypes.c_float, "double": ctypes.c_double}[dtype]
    data = path.read_bytes()
    return list((code * (len(data) // ctypes.sizeof(code))).from_buffer_copy(data))


def same(a, b):
    return len(a) == len(b) and all(x == y or (x != x and y != y) for x, y in zip(a, b))


def check(vouch, seed, place):
    text, names, dtype = kernel(seed)
    target = names[seed // 20 % len(names)]
    folder = place / str(seed)
    folder.mkdir()
    (folder / "k.tk").write_text(f"kernel k; type {dtype}; in {', '.join(names)}; out Y; grad {target}; {text}")
    forward = ["--forward"] if seed % 3 == 2 else []
    subprocess.run([vouch, "grad", folder / "k.tk", "-o", folder, *forward], check=True, capture_output=True)
    tiles = "vouch_sum0_0" in (folder / "tight" / "k.c").read_text()
    count = program(folder / "tight", "k", folder / "vectors", SANITIZE, dtype)
    program(folder / "tight", "k", folder / "plain", [*SANITIZE, "-DVOUCH_PLAIN"], dtype)
    if dtype == "double":
        kinds = ["vectors", "plain"]
    else:
        kinds = ["vectors", "plain", "certified"]
        certified(folder, (folder / "k.h").read_text(), (folder / "tight" / "k.h").read_text())
    r = random.Random(seed)
    for kind, special in (("exact", []), ("special", [math.inf, -math.inf, math.nan])):
        numbers = [r.choice(special) if special and r.random() < 0.01 else r.randint(-4, 4) for _ in range(count)]
        code = {"float": ctypes.c_float, "double": ctypes.c_double}[dtype]
        (folder / "in").write_bytes(bytes((code * count)(*numbers)))
        found = {}
        for which in kinds:
            done = subprocess.run([folder / which, folder / "in", folder / "out"], capture_output=True, text=True)
            if done.returncode:
                failures.append(f"seed {seed}, {which}: {done.stderr[-1500:]}\n{text} by {target}")
                return tiles
            found[which] = values(folder / "out", dtype)
        for which in kinds:
            if (kind == "exact" or which != "certified") and not same(found[which], found["plain"]):
                failures.append(f"seed {seed}, {kind}: {which} differs from plain loops: {text} by {target}")
    return tiles


def certified(folder, pointers, sizes):
    """The certified text, whose parameters are pointers, called with the sizes that the tight text's header names."""
    order = re.findall(r"(\w+)\s*(?:,|\))", re.search(r"k\((.*?\))", pointers, re.S).group(1))
    shapes = {n: dims for n, dims in re.findall(r"(\w+)((?:\[\d+\])+)", sizes)}
    outputs = [n for n in shapes if re.search(rf"(?<!const )float {n}\[", sizes)]
    inner = folder / "pointers"
    inner.mkdir()
    parameters = ", ".join(f"{'' if n in outputs else 'const '}float {n}{shapes[n]}" for n in shapes)
    (inner / "w.h").write_text(f"int w({parameters});\n")
    (inner / "w.c").write_text(f'#include "{folder / "k.h"}"\nint w({parameters}) {{ k({", ".join("(void *)" + n for n in order)}); return 0; }}\n')
    subprocess.run(["gcc", "-w", "-fopenmp", *SANITIZE, "-c", folder / "k.c", "-o", folder / "k.o"], check=True)
    program(inner, "w", folder / "certified", [*SANITIZE, str(folder / "k.o")], "float")


def main():
    vouch, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tiled = 0
    with tempfile.TemporaryDirectory() as place:
        for seed in range(first, first + count):
            tiled += check(vouch, seed, pathlib.Path(place))
    print("\n".join(failures))
    print(f"{count} kernels, {tiled} in tiles, {len(failures)} failures")
    return 1 if failures or tiled * 3 < count else 0


if __name__ == "__main__":
    sys.exit(main())

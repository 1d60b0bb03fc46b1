#!/usr/bin/env python3
"""tiles_test.py VOUCH FIRST COUNT: certified texts of random gradients and tangents, long enough for tiles, with sanitizers, against
exact differences of the kernel. Each kernel is of degree one in each input, and inputs are small whole numbers, so that sums and
differences are exact in whatever order. Of a gradient some elements are compared, the first and the last among them."""
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
STEPS = 50  # elements of a gradient that are compared
failures = []


def kernel(seed):
    """A kernel of degree one in each input, most of them large enough for tiles."""
    r = random.Random(seed)
    q, c, k, s = r.randint(40, 120), r.randint(10, 48), r.randint(8, 32), r.randint(1, 4)
    d, e = r.randint(1, 3), r.randint(3, 8)
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


PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include "value/y.h"
#include "slope/k.h"
typedef {dtype} T;
static unsigned state = {seed}u;
static long draw(void) {{ return (state = state * 1664525u + 1013904223u) >> 8; }}
static T *numbers(long count) {{  /* in a block of its own, so that sanitizers see its end */
  T *x = malloc(count * sizeof(T));
  for (long i = 0; i < count; ++i) x[i] = (T)(draw() % 9 - 4);
  return x;
}}
int main(void) {{
{arrays}  k({slope});
  for (long step = 0; step < {steps}; ++step) {{
    long e = step == 0 ? 0 : step == 1 ? {elements} - 1 : draw() % {elements};
    {forth}
    y({value});
    T above[{outputs}];
    for (long i = 0; i < {outputs}; ++i) above[i] = Y[i];
    {back}
    y({value});
    {restore}
{compare}  }}
{freed}  return 0;
}}
"""
# A gradient is the sum of what one element of the target changes in Y, weighed by dY; a tangent is what all of tA change.
GRADIENT = """    double expected = 0;
    for (long i = 0; i < {outputs}; ++i) expected += (double)dY[i] * (above[i] - Y[i]) / 2;
    if (d{target}[e] != expected) {{ fprintf(stderr, "d{target}[%ld] is %g, expected %g\\n", e, (double)d{target}[e], expected); return 1; }}
"""
TANGENT = """    for (long i = 0; i < {outputs}; ++i)
      if (tY[i] != (above[i] - Y[i]) / 2) {{ fprintf(stderr, "tY[%ld] is %g, expected %g\\n", i, (double)tY[i], (double)(above[i] - Y[i]) / 2); return 1; }}
"""


def parameters(header, name):
    return re.findall(r"(\w+)\s*[,)]", re.search(rf"\bvoid {name}\((.*?\))", header.read_text(), re.S).group(1))


def program(folder, seed, text, target, dtype, forward):
    """The differences' program, which ends with 1 where they are not what the certified text gives."""
    value, slope = parameters(folder / "value" / "y.h", "y"), parameters(folder / "slope" / "k.h", "k")
    counts = {n: math.prod(map(int, sizes.split(","))) for n, sizes in re.findall(r"(\w)<([\d, ]+)>", text)}
    names = sorted({*value, *slope, "dY"} - ({"dY"} if forward else set()))
    step = (f"for (long i = 0; i < {counts[target]}; ++i) {target}[i] {{}} {{}} * t{target}[i];" if forward else f"{target}[e] {{}} {{}};")
    filled = {"outputs": counts["Y"], "target": target}
    source = folder / "differences.c"
    source.write_text(PROGRAM.format(
        dtype=dtype, seed=seed, slope=", ".join(slope), value=", ".join(value), steps=1 if forward else STEPS, elements=counts[target],
        arrays="".join(f"  T *{n} = numbers({counts[n[-1]]});\n" for n in names), forth=step.format("+=", 1), back=step.format("-=", 2),
        restore=step.format("+=", 1), compare=(TANGENT if forward else GRADIENT).format(**filled), freed="".join(f"  free({n});\n" for n in names), **filled))
    command = ["gcc", "-w", "-fopenmp", *SANITIZE, f"-I{folder}", source, folder / "value" / "y.c", folder / "slope" / "k.c", "-o", folder / "differences", "-lm"]
    subprocess.run(command, check=True)
    return folder / "differences"


def check(vouch, seed, place):
    text, names, dtype = kernel(seed)
    target = names[seed // 20 % len(names)]
    folder = place / str(seed)
    folder.mkdir()
    declared = f"type {dtype}; in {', '.join(names)}; out Y;"
    (folder / "k.tk").write_text(f"kernel k; {declared} grad {target}; {text}")
    (folder / "y.tk").write_text(f"kernel y; {declared} {text}")
    forward = seed % 3 == 2
    subprocess.run([vouch, "grad", folder / "k.tk", "-o", folder / "slope", *(["--forward"] if forward else [])], check=True, capture_output=True)
    subprocess.run([vouch, "compile", folder / "y.tk", "-o", folder / "value"], check=True, capture_output=True)
    done = subprocess.run([program(folder, seed, text, target, dtype, forward)], capture_output=True, text=True)
    if done.returncode:
        failures.append(f"seed {seed}: {done.stderr[-1500:]}\n{text} by {target}")
    return "PLeaf" in (folder / "slope" / "k.v").read_text()


def main():
    vouch, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tiled = 0
    with tempfile.TemporaryDirectory() as place:
        for seed in range(first, first + count):
            tiled += check(vouch, seed, pathlib.Path(place))
    print("\n".join(failures))
    print(f"{count} kernels, {tiled} in tiles, {len(failures)} failures")
    return 1 if failures or tiled * 8 < count else 0


if __name__ == "__main__":
    sys.exit(main())

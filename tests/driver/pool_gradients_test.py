#!/usr/bin/env python3
"""Gradients of pools, of windows that overlap, stand apart, are dilated, padded or cut off: the C text, compiled and run, gives each window's
cotangent to its largest element (of averages: to each its share); Coq certifies the text, what it computes in words that a person reads unless they are long, and that it is the gradient, by
computation. Whoever asks for other ties is told why there is no proof. With `all` Coq certifies all of them, else a few."""
import ctypes
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from certified import Certified
from command import Checks, Vouch, users_cache

vouch, check = Vouch(sys.argv[1]), Checks()
MOST_SECONDS = 120  # of Coq, beside much other work: by itself it takes 0.5 to 3, and a proof that is found by search minutes

# Operator, sizes of x, and what is as in ONNX: kernel_shape, strides, dilations, pads (before, after), ceil_mode.
POOLS = [
    ("MaxPool", (1, 2, 4, 4), (2, 2), (1, 1), (1, 1), (0, 0, 0, 0), 0),
    ("MaxPool", (1, 2, 6, 6), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), 0),
    ("MaxPool", (1, 2, 7, 7), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), 0),
    ("MaxPool", (1, 1, 7, 5), (2, 3), (3, 1), (2, 2), (0, 0, 0, 0), 0),
    ("MaxPool", (1, 1, 7), (2,), (2,), (1,), (0, 0), 1),
    ("MaxPool", (2, 1, 9), (5,), (3,), (1,), (2, 1), 0),
    ("AveragePool", (1, 1, 7, 7), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), 0),
]
# Each maximum is used twice by the next: unfolded, that doubles, and Coq would compare it for seconds.
TOO_LONG = {"pool2", "pool5"}
FEW = {"pool0", "pool2", "pool6"}


def outputs(size, kernel, stride, dilation, before, after, ceil):
    span = size + before + after - (dilation * (kernel - 1) + 1)
    count = -(-span // stride) if ceil else span // stride
    # A window that would begin behind the last element is none.
    return count + 1 - (ceil and count * stride >= size + before)


def gradient(op, dims, kernel, strides, dilations, pads, ceil, x, dy):
    """dx as a dictionary, and the number of windows."""
    axes = len(kernel)
    counts = [outputs(dims[2 + a], kernel[a], strides[a], dilations[a], pads[a], pads[axes + a], ceil) for a in range(axes)]
    dx = {at: 0.0 for at in itertools.product(*map(range, dims))}
    windows = list(itertools.product(range(dims[0]), range(dims[1]), *map(range, counts)))
    for number, window in enumerate(windows):
        places = [(*window[:2], *(w * s + k * d - p for w, s, k, d, p in zip(window[2:], strides, at, dilations, pads)))
                  for at in itertools.product(*map(range, kernel))]
        places = [p for p in places if p in x]
        if op == "MaxPool":
            dx[max(places, key=x.get)] += dy(number)
        else:
            for p in places:
                dx[p] += dy(number) / len(places)
    return dx, len(windows)


def differentiated(pool, folder, *options):
    op, dims, kernel, strides, dilations, pads, ceil = pool
    listed = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    words = [w for name, values in listed.items() for w in ("--attr", f"{name}={','.join(map(str, values))}")]
    return vouch("grad", "--op", op, "--operand", ",".join(map(str, dims)), *words, "--attr", f"ceil_mode={ceil}", "-o", folder, *options)


def run(pool, library, header):
    op, dims = pool[0], pool[1]
    at = list(itertools.product(*map(range, dims)))
    numbers = list(range(-len(at) // 2, -len(at) // 2 + len(at)))
    random.Random(str(pool)).shuffle(numbers)  # no two alike
    given = dict(zip(at, numbers))
    expected, windows = gradient(*pool, given, lambda number: float(number % 5 + 1))
    arrays = {"x": (ctypes.c_float * len(at))(*numbers), "dy": (ctypes.c_float * windows)(*[number % 5 + 1 for number in range(windows)]),
              "dx": (ctypes.c_float * len(at))()}
    names = re.findall(r"(\w+)(?:\[\d+\])*(?:,|$)", re.search(rf"\bvoid {op}\((.*?)\);", header.read_text(), re.S).group(1))
    getattr(ctypes.CDLL(str(library)), op)(*[arrays[name] for name in names])
    return list(arrays["dx"]), [expected[p] for p in at]


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    certified = Certified(vouch, check)
    folders = []
    for number, pool in enumerate(POOLS):
        folder = place / f"pool{number}"
        code, out, err = differentiated(pool, folder)
        check.that(code == 0 and (folder / f"{pool[0]}_adjoint.v").exists(), f"{pool}: exit {code}, {out[-300:]}{err}")
        if code != 0:
            continue
        folders.append(folder)
        libraries = place / f"libraries{number}"  # one each: what is loaded is known by its path
        libraries.mkdir()
        library = certified.built("gcc", folder / f"{pool[0]}.c", libraries)
        if library:
            found, expected = run(pool, library, folder / f"{pool[0]}.h")
            check.that(all(abs(f - e) <= 1e-5 for f, e in zip(found, expected)), f"{pool}: {found}, expected {expected}")
    if certified.coq:
        asked = folders if "all" in sys.argv[3:] else [folder for folder in folders if folder.name in FEW]
        with users_cache():
            code, out, err = vouch("verify", *asked, "--timeout", MOST_SECONDS, "--json", place / "said.json", limited=False, seconds=600)
        rows = json.loads((place / "said.json").read_text())["kernels"]
        check.that(code == 0 and len(rows) == len(asked) > 0 and all(r["verdict"] == "certified" and r["gradient"] == "proven" and r["axioms"] == "none" for r in rows),
                   f"{[folder.name for folder in asked]}: exit {code}, {rows}{err}")
        for folder in folders:
            stated = "Theorem computes :" in next(p for p in folder.glob("*.v") if "_adjoint" not in p.name).read_text()
            check.that(stated != (folder.name in TOO_LONG), f"{folder.name}: what the text computes is {'' if stated else 'not '}stated")
        code, out, err = differentiated(POOLS[0], place / "second", "--ties", "second")
        check.that(code == 0 and "has no adjoint certificate" in out and not list((place / "second").glob("*_adjoint.v")), f"other ties: {code}, {out[-300:]}{err}")
        with users_cache():
            code, out, _ = vouch("verify", place / "second", limited=False, seconds=600)
        check.that(code == 0 and "no proof" in out, f"other ties: {code}, {out}")
check.end()

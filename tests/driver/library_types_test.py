"""Libraries of models with elements that are no float32, and with indices that are data: what they compute is what Python's integers and
floats give, and what the interpreter gives; their certificates hold."""
import array
import ctypes
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from command import Checks, Vouch, has_prover
from library import (CODES, ROUNDING, WARNINGS, Loaded, bfloat, bfloat_bits, cells, compile_shared, half_bits, put_input, put_npy, sources,
                     tensors)

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2]).resolve()
EVERYTHING = "all" in sys.argv[3:]  # else Coq is asked of a few libraries
SEED = next((int(word) for word in sys.argv[3:] if word.isdigit()), random.SystemRandom().randrange(1 << 32))
print(f"seed {SEED}")
chance = random.Random(SEED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
PROVER = has_prover(vouch.program)
OK, NULL, ALIGNMENT, OVERLAP = 0, 1, 3, 4
BIG = 2 ** 63
FEW = {"dequantised", "shared", "halves"}
built = []


def wrapped(value, bits=64):
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def write_model(name, inputs, nodes, outputs):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": n, "type": t, "dims": d} for n, t, d in inputs], "nodes": nodes,
                                "outputs": [{"name": n, "value": v} for n, v in outputs]}))
    return path


def node(name, op, operands, **attributes):
    return {"name": name, "op": op, "operands": operands, **({"attributes": attributes} if attributes else {})}


def parameter(name, kind, dims, data):
    return {"name": name, "kind": "parameter", "type": kind, "dims": dims, "data": data}


def build(name, model, *words):
    code, out, err = vouch("build", model, "-o", place / name, "--no-rules", *words, limited=False, seconds=600)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    if code == 0:
        built.append(place / name)
    return place / name


def interpreted(name, model, about, given):
    io = place / f"{name}_io"
    io.mkdir(exist_ok=True)
    for one in about["inputs"]:
        put_input(io, one["name"], one["type"], one["dims"], given[one["name"]])
    code, out, err = vouch("run", model, "--io", io, "--out", io)
    checks.that(code == 0, f"{name} is interpreted: {out}{err}")
    return tensors(io, "out_")


def same(a, b):
    return a == b or (a != a and b != b)


def ran(name, model, values, expected, *words, close=False, compiler="gcc", interpreter=True):
    """`values` by input; `expected` by output: lists."""
    folder = build(name, model, *words)
    library = Loaded(folder, compile_shared(folder, place / f"{name}_{compiler}.so", compiler))
    checks.that(not library.by_file or library.load() == OK, f"{name}: its weights")
    given = {one["name"]: array.array(CODES[one["type"]], values[one["name"]]) for one in library.manifest["inputs"]}
    code, found = library.run([cells(one["type"], one["cells"]).__class__(*given[one["name"]]) for one in library.manifest["inputs"]])
    checks.that(code == OK, f"{name}: code {code}")
    others = interpreted(name, model, library.manifest, given) if interpreter else {}
    for what, numbers in expected.items():
        got = list(found[what])[:len(numbers)]
        near = all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) if close else same(a, b) for a, b in zip(got, numbers))
        checks.that(near and len(got) == len(numbers), f"{name}, {what}: {got}, expected {numbers}")
        if interpreter:
            checks.that(all(same(a, b) or (close and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)) for a, b in zip(got, others[what])),
                        f"{name}, {what}: {got}, the interpreter has {list(others[what])}")
    return library


def check_integers():
    """64 and 32 bits, at the edges and at random; sums and products wrap around."""
    for bits in (64, 32):
        kind, top = f"int{bits}", 1 << (bits - 1)
        a = [top - 1, -top, -1, 0, 7] + [chance.randrange(-top, top) for _ in range(11)]
        b = [1, -1, -top, 5, -3] + [chance.randrange(-top, top) for _ in range(11)]
        model = write_model(f"whole{bits}", [("a", kind, [4, 4]), ("b", kind, [4, 4])], [
            parameter("k", kind, [4], [3, -top, top - 1, -5]),
            node("s", "Add", ["a", "b"]), node("p", "Mul", ["s", "k"]), node("d", "Sub", ["p", "b"]),
            {"name": "ab", "kind": "tuple", "operands": ["a", "b"]}, node("g", "Max", ["ab"]), node("l", "Less", ["a", "b"]), node("e", "Equal", ["a", "a"]),
            node("w", "Where", ["l", "d", "a"])], [("s", "s"), ("d", "d"), ("g", "g"), ("l", "l"), ("e", "e"), ("w", "w")])
        k = [3, -top, top - 1, -5]
        s = [wrapped(x + y, bits) for x, y in zip(a, b)]
        d = [wrapped(wrapped(x * k[i % 4], bits) - y, bits) for i, (x, y) in enumerate(zip(s, b))]
        below = [int(x < y) for x, y in zip(a, b)]
        ran(f"whole{bits}", model, {"a": a, "b": b}, {"s": s, "d": d, "g": [max(x, y) for x, y in zip(a, b)], "l": below, "e": [1] * 16,
                                            "w": [y if c else x for c, x, y in zip(below, a, d)]})


def check_bytes():
    """Sums of bytes wrap around; quotients by a scale are rounded to float32, then to even, and saturate; products are exact."""
    a, b = [255, 0, 128, 7, 90, 200], [-128, 127, -1, 5, 0, -90]
    x = [0.05, 0.15, 0.25, -3.75, 1e9, -1e9]
    scale, zero = single(0.1), 3
    model = write_model("bytes", [("a", "uint8", [6]), ("b", "int8", [6]), ("x", "float32", [6])], [
        parameter("s", "float32", [], [0.1]), parameter("z", "uint8", [], [zero]), node("p", "Add", ["a", "a"]), node("m", "Mul", ["b", "b"]),
        node("q", "QuantizeLinear", ["x", "s", "z"]), node("d", "DequantizeLinear", ["q", "s", "z"]), node("i", "Cast", ["b"], to="int32")],
        [(one, one) for one in ("p", "m", "q", "d", "i")])
    quotients = [min(max(round(single(single(v) / scale)) + zero, 0), 255) for v in x]
    ran("bytes", model, {"a": a, "b": b, "x": x}, {"p": [(v + v) % 256 for v in a], "m": [wrapped(v * v, 8) for v in b], "q": quotients,
                                                   "d": [single((v - zero) * scale) for v in quotients], "i": b})
    rows, wide, columns = 2, 600, 3
    left = [chance.randrange(256) for _ in range(rows * wide)]
    right = [chance.randrange(-128, 128) for _ in range(wide * columns)]
    model = write_model("products", [("a", "uint8", [rows, wide])], [
        parameter("b", "int8", [wide, columns], right), parameter("az", "uint8", [], [99]), parameter("bz", "int8", [], [-7]),
        node("y", "MatMulInteger", ["a", "b", "az", "bz"])], [("y", "y")])
    ran("products", model, {"a": left}, {"y": [sum((left[r * wide + k] - 99) * (right[k * columns + c] + 7) for k in range(wide))
                                               for r in range(rows) for c in range(columns)]})


def check_halves():
    """Of two numbers each result is the exact one, rounded once."""
    half = lambda v: struct.unpack("e", struct.pack("e", v))[0]
    a = [half(chance.uniform(-9, 9)) for _ in range(12)] + [2.0 ** -24, 65504.0, -0.0, 0.333251953125]
    b = [half(chance.uniform(-9, 9)) for _ in range(12)] + [2.0 ** -24, 8.0, 1.0, 3.0]
    model = write_model("halves", [("a", "float16", [16]), ("b", "float16", [16])], [
        node("s", "Add", ["a", "b"]), node("p", "Mul", ["a", "b"]), node("q", "Div", ["a", "b"]), node("l", "Less", ["a", "b"]),
        node("f", "Cast", ["p"], to="float32")], [(one, one) for one in ("s", "p", "q", "l", "f")])
    product = [half(x * y) if abs(x * y) < 65520 else math.copysign(math.inf, x * y) for x, y in zip(a, b)]
    ran("halves", model, {"a": half_bits(a), "b": half_bits(b)}, {"s": [half(x + y) for x, y in zip(a, b)], "p": product,
        "q": [half(x / y) for x, y in zip(a, b)], "l": [int(x < y) for x, y in zip(a, b)], "f": product})


def check_conversions():
    x = [0.0, -0.5, 1.5, -2.75, 1e6, -16777215.0, 3.999, float("inf")]
    finite = x[:7] + [12.0]
    model = write_model("conversions", [("x", "float32", [8]), ("n", "int64", [8]), ("q", "bool", [8])], [
        node("i", "Cast", ["x"], to="int64"), node("j", "Cast", ["n"], to="int32"), node("f", "Cast", ["n"], to="float32"),
        node("t", "Cast", ["x"], to="bool"), node("z", "Cast", ["q"], to="float64"), node("u", "Cast", ["q"], to="int64"),
        node("no", "Not", ["q"]), node("both", "And", ["q", "t"]), node("m", "Mul", ["u", "n"])],
        [(one, one) for one in ("i", "j", "f", "t", "z", "u", "no", "both", "m")])
    n = [0, -1, 2 ** 31, -2 ** 31 - 1, 2 ** 40 + 17, BIG - 1, -BIG, 12345]
    q = [0, 1, 1, 0, 1, 0, 0, 1]
    ran("conversions", model, {"x": finite, "n": n, "q": q}, {
        "i": [int(v) for v in finite], "j": [wrapped(v, 32) for v in n], "f": [single(float(v)) for v in n],
        "t": [int(v != 0) for v in finite], "z": [float(v) for v in q], "u": q, "no": [1 - v for v in q],
        "both": [int(v and w != 0) for v, w in zip(q, finite)], "m": [v * w for v, w in zip(q, n)]})


def check_doubles():
    x = [chance.uniform(-3, 3) for _ in range(6)]
    w = [chance.uniform(-1, 1) for _ in range(6)]
    model = write_model("doubles", [("x", "float64", [2, 3])], [
        parameter("w", "float64", [3, 2], w), node("m", "MatMul", ["x", "w"]), node("e", "Exp", ["m"])], [("m", "m"), ("e", "e")])
    m = [sum(x[3 * i + k] * w[2 * k + j] for k in range(3)) for i in range(2) for j in range(2)]
    ran("doubles", model, {"x": x}, {"m": m, "e": [math.exp(v) for v in m]}, close=True)


def check_gathers():
    """Rows, elements, tuples by data; negative indices count from the end; an index outside reads zero, and touches nothing else."""
    rows = [chance.uniform(-2, 2) for _ in range(5 * 3)]
    rows = [-0.0] + [single(v) for v in rows[1:]]
    model = write_model("gathers", [("i", "int64", [4]), ("x", "float32", [5, 3]), ("j", "int32", [2, 3])], [
        parameter("table", "float32", [5, 3], rows),
        node("g", "Gather", ["table", "i"]), node("h", "Gather", ["x", "i"]), node("e", "GatherElements", ["x", "j"], axis=0),
        node("k", "Gather", ["i", "j"])], [("g", "g"), ("h", "h"), ("e", "e"), ("k", "k")])
    x = [float("inf"), float("nan")] + [single(chance.uniform(-9, 9)) for _ in range(13)]
    i, j = [4, 0, -1, 2], [0, -4, 3, 1, 2, -1]
    row = lambda of, at: of[3 * (at % 5):3 * (at % 5) + 3]
    expected = {"g": [v for at in i for v in row(rows, at)], "h": [v for at in i for v in row(x, at)]}
    inside = [at if -4 <= at < 4 else 0 for at in j]
    expected["k"] = [i[at % 4] for at in inside]
    expected["e"] = [x[3 * (at % 5) + c % 3] for c, at in enumerate(j)]
    library = ran("gathers", model, {"i": i, "x": x, "j": j}, expected)
    checks.that(math.copysign(1, list(library.run([(ctypes.c_int64 * 4)(*i), (ctypes.c_float * 15)(*x), (ctypes.c_int32 * 6)(*j)])[1]["g"])[3]) < 0,
                "a negative zero is read as it is")
    checks.that("chosen<" not in (place / "gathers" / "report.txt").read_text(), "an index is read at, in one step")
    outside = [5, -6, BIG - 1, -BIG]
    code, found = library.run([(ctypes.c_int64 * 4)(*outside), (ctypes.c_float * 15)(*x), (ctypes.c_int32 * 6)(*j)])
    checks.that(code == OK and list(found["g"]) == [0.0] * 12 and list(found["h"]) == [0.0] * 12, f"outside: {list(found['g'])}")
    model = write_model("hot", [("i", "int64", [4])], [
        {"name": "depth", "kind": "constant", "type": "int64", "dims": [], "data": [3]},
        {"name": "values", "kind": "constant", "type": "float32", "dims": [2], "data": [-1.0, 2.5]},
        node("y", "OneHot", ["i", "depth", "values"])], [("y", "y")])
    i = [0, -1, 2, 7]
    ran("hot", model, {"i": i}, {"y": [2.5 if at in (c, c - 3) else -1.0 for at in i for c in range(3)]})


def check_dequantised():
    """Weights that a model keeps as bytes are floats in the library: the same numbers, so the same bits, and no kernel for them."""
    rows, inner, columns = 2, 12, 10
    q = [chance.randrange(-128, 128) for _ in range(inner * columns)]
    scale, zero = [single(chance.uniform(0.01, 0.2)) for _ in range(columns)], [chance.randrange(-5, 6) for _ in range(columns)]
    x = [single(chance.uniform(-2, 2)) for _ in range(rows * inner)]
    model = write_model("dequantised", [("x", "float32", [rows, inner])], [
        parameter("q", "int8", [inner, columns], q), parameter("s", "float32", [columns], scale), parameter("z", "int8", [columns], zero),
        node("w", "DequantizeLinear", ["q", "s", "z"], axis=1), node("t", "Transpose", ["w"], perm=[1, 0]), node("y", "MatMul", ["x", "w"])],
        [("y", "y"), ("t", "t")])
    w = [single((value - zero[at % columns]) * scale[at % columns]) for at, value in enumerate(q)]
    sums = []
    for r in range(rows):
        for c in range(columns):
            total = 0.0
            for p in range(inner):
                total = single(total + single(x[r * inner + p] * w[p * columns + c]))
            sums.append(total)
    expected = {"y": sums, "t": [w[p * columns + c] for c in range(columns) for p in range(inner)]}
    library = ran("dequantised", model, {"x": x}, expected, interpreter=False)
    ops = [one["op"] for call in library.manifest["calls"] for one in call["nodes"]]
    checks.that(sorted(set(ops)) == ["MatMul", "copy"], f"no weight is computed at run time: {ops}")


def check_shared_arena():
    """Values of eight types that live at the same time and one after the other, in one arena: numbers that all of these types have, so
    that a byte taken too early shows; and hardly more memory than lives at once."""
    kinds = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64"]
    count, steps, given = 37, 60 if EVERYTHING else 30, [("a", "int8"), ("b", "float16"), ("c", "float64")]
    values = {name: [chance.randrange(-60, 61) for _ in range(count)] for name, _ in given}
    known, nodes, pairs = dict(given), [], []
    plain = lambda numbers, kind: half_bits(numbers) if kind == "float16" else numbers
    for step in range(steps):
        left, right = (chance.choice(list(known)[-9:]) for _ in "lr")
        kind, op = chance.choice(kinds), chance.choice(["Max", "Min"])
        nodes += [node(f"l{step}", "Cast", [left], to=kind), node(f"r{step}", "Cast", [right], to=kind), node(f"s{step}", "Neg", [f"l{step}"]),
                  {"name": f"p{step}", "kind": "tuple", "operands": [f"s{step}", f"r{step}"]}, node(f"v{step}", op, [f"p{step}"])]
        values[f"v{step}"] = [(max if op == "Max" else min)(-p, q) for p, q in zip(values[left], values[right])]
        known[f"v{step}"] = kind
    last = list(known)[-4:]
    nodes += [node(f"y{k}", "Cast", [one], to="int64") for k, one in enumerate(last)]
    model = write_model("shared", [(name, kind, [count]) for name, kind in given], nodes, [(f"y{k}", f"y{k}") for k in range(len(last))])
    library = ran("shared", model, {name: plain(values[name], kind) for name, kind in given}, {f"y{k}": values[one] for k, one in enumerate(last)},
                  interpreter=False)
    memory = library.manifest["memory"]
    cells = memory["arena_cells"]
    checks.that(sum(cells[kind] > 0 for kind in kinds) > 4 and memory["least_bytes"] <= memory["arena_bytes"] <= 1.1 * memory["least_bytes"],
                f"one arena for all types: {memory}")
    checks.that({cells[kind] * width for kind, width in (("float32", 4), ("int8", 1), ("int64", 8)) if cells[kind]} == {memory["arena_bytes"]},
                f"each type has all of it: {memory}")


MAIN = """#include "codes.h"
#include <stdio.h>
int main(void) {
  static int64_t a[CODES_INPUT_0_CELLS + 1], y[CODES_OUTPUT_0_CELLS];
  static float arena[CODES_ARENA_FLOATS + 1];
  static codes_more more;
  codes *model = NULL;
  a[0] = 5;
  if (codes_run(a, y, arena, CODES_ARENA_FLOATS, NULL) != CODES_NULL) return 1;
  if (codes_run(a, NULL, arena, CODES_ARENA_FLOATS, &more) != CODES_NULL) return 2;
  if (codes_run((const int64_t *)(const void *)((const char *)a + 4), y, arena, CODES_ARENA_FLOATS, &more) != CODES_ALIGNMENT) return 3;
  if (codes_run(a, a + 1, arena, CODES_ARENA_FLOATS, &more) != CODES_OVERLAP) return 4;
  if (codes_run(a, more.arena_int64, arena, CODES_ARENA_FLOATS, &more) != CODES_OVERLAP) return 5;
  if (codes_run(a, y, arena, CODES_ARENA_FLOATS, &more) != CODES_OK || y[0] != 100) return 6;
  if (codes_open(&model) != CODES_OK || codes_call(model, a, y) != CODES_OK || y[0] != 100) return 7;
  codes_close(model);
  return 0;
}
"""


def check_codes_and_example():
    model = write_model("codes", [("a", "int64", [4])], [
        {"name": "k", "kind": "parameter", "type": "int64", "dims": [4], "data": [5, -BIG, BIG - 1, 0]},
        node("s", "Add", ["a", "k"]), node("p", "Mul", ["s", "s"])], [("p", "p")])
    folder = build("codes", model)
    (place / "main.c").write_text(MAIN)
    flags = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fopenmp-simd"]
    for what, main in (("codes", place / "main.c"), ("example", folder / "example.c")):
        words = ["gcc", *WARNINGS, *ROUNDING, *flags, "-I", folder, "-o", place / f"{what}_program", main, *sources(folder), "-lm"]
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{what} compiles: {done.stderr[:1500]}")
    done = subprocess.run([str(place / "codes_program")], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"codes: exit {done.returncode} {done.stderr[:800]}")
    put_npy(place / "a.npy", "int64", [4], [5, 1, -1, -7])
    done = subprocess.run([str(place / "example_program"), str(place / "a.npy"), str(place / "p.npy")], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"the example runs: {done.stderr[:800]}")
    if done.returncode == 0:
        found = struct.unpack("<4q", (place / "p.npy").read_bytes()[-32:])
        expected = tuple(wrapped(wrapped(a + k) ** 2) for a, k in zip((5, 1, -1, -7), (5, -BIG, BIG - 1, 0)))
        checks.that(found == expected, f"the example: {found}, expected {expected}")


def check_short_and_unsigned():
    """At the edges and at random: sums and products wrap around, quotients and remainders are those of the type, a larger number is larger
    though its highest bit is set."""
    along = lambda name, axis: {"name": name, "kind": "constant", "type": "int64", "dims": [1], "data": [axis]}
    reduced = [along("rows", 1), node("x", "ReduceMax", ["a", "rows"], keepdims=0),
               along("columns", 0), node("y", "ReduceMin", ["a", "columns"], keepdims=0)]
    for kind, bits, sign in (("int16", 16, True), ("uint16", 16, False), ("uint32", 32, False), ("uint64", 64, False)):
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign else (0, (1 << bits) - 1)
        wrap = (lambda v: wrapped(v, bits)) if sign else (lambda v: v % (1 << bits))
        a = [high, low, high // 2 + 1, 5, 7] + [chance.randrange(low, high + 1) for _ in range(7)]
        b = [1, high, 3, high, 2] + [chance.randrange(1, high + 1) for _ in range(7)]
        k = [high, 3, low, 2]
        model = write_model(kind, [("a", kind, [3, 4]), ("b", kind, [3, 4]), ("i", "int64", [2])], [
            parameter("k", kind, [4], k), node("s", "Add", ["a", "b"]), node("p", "Mul", ["s", "k"]), node("q", "Div", ["p", "b"]),
            {"name": "ab", "kind": "tuple", "operands": ["a", "b"]}, node("g", "Max", ["ab"]), node("l", "Less", ["a", "b"]),
            node("m", "Mod", ["a", "b"]), node("f", "Cast", ["q"], to="float64"), node("c", "Cast", ["a"], to="int8"),
            node("r", "Gather", ["a", "i"]), node("w", "Where", ["l", "p", "k"]), node("n", "Sign", ["a"]), *(reduced if bits > 16 else [])],
            [(one, one) for one in "spqglmfcrwn" + ("xy" if bits > 16 else "")])
        s = [wrap(x + y) for x, y in zip(a, b)]
        p = [wrap(x * k[i % 4]) for i, x in enumerate(s)]
        q = [abs(x) // y * (-1 if x < 0 else 1) for x, y in zip(p, b)]
        less = [int(x < y) for x, y in zip(a, b)]
        ran(kind, model, {"a": a, "b": b, "i": [2, -3]}, {
            "s": s, "p": p, "q": q, "g": [max(x, y) for x, y in zip(a, b)], "l": less, "m": [x % y for x, y in zip(a, b)],
            "f": [float(v) for v in q], "c": [wrapped(v, 8) for v in a], "r": a[8:] + a[:4],
            "w": [v if t else k[i % 4] for i, (t, v) in enumerate(zip(less, p))],
            "n": [(v > 0) - (v < 0) for v in a],
            **({"x": [max(a[4 * i:4 * i + 4]) for i in range(3)], "y": [min(a[i::4]) for i in range(4)]} if bits > 16 else {})})


def check_short_quantised():
    """Steps of 16 bits: products of theirs beyond what a float32 holds are exact."""
    steps, zero, scale = [chance.randrange(1 << 16) for _ in range(8)] + [0, 65535], 32770, single(0.001)
    x = [chance.uniform(-30, 30) for _ in range(8)] + [1e9, -1e9]
    model = write_model("short_steps", [("n", "uint16", [10]), ("x", "float32", [10])], [
        parameter("s", "float32", [], [0.001]), parameter("z", "uint16", [], [zero]), node("d", "DequantizeLinear", ["n", "s", "z"]),
        node("q", "QuantizeLinear", ["x", "s", "z"])], [("d", "d"), ("q", "q")])
    ran("short_steps", model, {"n": steps, "x": [single(v) for v in x]}, {
        "d": [single((v - zero) * scale) for v in steps],
        "q": [min(max(round(single(single(v) / scale)) + zero, 0), 65535) for v in x]})


def check_bfloats():
    """Of two numbers each result is the exact one, rounded once; sums over an axis are rounded at their end."""
    a = [bfloat(chance.uniform(-9, 9)) for _ in range(12)] + [2.0 ** -133, bfloat(3e38), -0.0, bfloat(0.33)]
    b = [bfloat(chance.uniform(-9, 9)) for _ in range(12)] + [2.0 ** -133, 8.0, 1.0, 3.0]
    weights = [bfloat(chance.uniform(-1, 1)) for _ in range(8)]
    model = write_model("bfloats", [("a", "bfloat16", [4, 4]), ("b", "bfloat16", [4, 4])], [
        parameter("w", "bfloat16", [4, 2], weights), node("s", "Add", ["a", "b"]), node("p", "Mul", ["a", "b"]), node("q", "Div", ["a", "b"]),
        node("l", "Less", ["a", "b"]), node("f", "Cast", ["p"], to="float32"), node("h", "Cast", ["b"], to="float16"), node("t", "MatMul", ["b", "w"])],
        [(one, one) for one in "spqlfht"])
    product = [bfloat(x * y) for x, y in zip(a, b)]
    half = lambda v: struct.unpack("e", struct.pack("e", v))[0]
    ran("bfloats", model, {"a": bfloat_bits(a), "b": bfloat_bits(b)}, {
        "s": [bfloat(x + y) for x, y in zip(a, b)], "p": product, "q": [bfloat(x / y) for x, y in zip(a, b)],
        "l": [int(x < y) for x, y in zip(a, b)], "f": product, "h": [half(v) for v in b],
        "t": [bfloat(math.fsum(b[4 * i + k] * weights[2 * k + j] for k in range(4))) for i in range(4) for j in range(2)]})


check_integers()
check_conversions()
check_bytes()
check_dequantised()
check_halves()
check_bfloats()
check_short_and_unsigned()
check_short_quantised()
check_doubles()
check_gathers()
check_codes_and_example()
check_shared_arena()
if PROVER:
    if not EVERYTHING:
        built = [folder for folder in built if folder.name in FEW]
    code, out, err = vouch("verify", *built, limited=False, seconds=600)
    proven = len(re.findall(r"^\w+ +proven ", out, re.MULTILINE))  # of each its calls, and the chain of its steps
    checks.that(code == 0 and proven == 2 * len(built) > 0, f"{proven} of twice {len(built)} libraries are proven: exit {code}, {(out + err)[-1500:]}")
else:
    print("not run: coqc or the compiled library is not there, so no library is verified")
shutil.rmtree(place)
checks.end()

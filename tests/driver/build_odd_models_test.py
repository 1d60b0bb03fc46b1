"""Models at the edges of `vouch build`: every element type, numbers that wrap around, NaN and infinities, positions outside of an axis, names
that C has taken, graphs without inputs. Each becomes a library whose example, under sanitizers and compiled by gcc and clang without a
warning, gives what NumPy gives; or it is refused with a reason, before anything is written.

    build_odd_models_test.py VOUCH PROJECT [PATTERN]    those whose name has PATTERN
    build_odd_models_test.py VOUCH PROJECT all          each by clang too; else every third"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import SKIPPED, Checks, Vouch
from library import ROUNDING, WARNINGS, sources

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
ALL = sys.argv[3:] == ["all"]
PATTERN = sys.argv[3] if len(sys.argv) > 3 and not ALL else ""
checks = Checks()
compiled = []
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
numpy.seterr(all="ignore")
draw = numpy.random.default_rng(21)
FLOAT, DOUBLE, HALF, BOOL = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BOOL
INT8, INT16, INT32, INT64 = TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64
UINT8, UINT16, UINT32, UINT64 = TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64
DTYPES = {FLOAT: numpy.float32, DOUBLE: numpy.float64, HALF: numpy.float16, BOOL: bool, INT8: numpy.int8, INT16: numpy.int16, INT32: numpy.int32,
          INT64: numpy.int64, UINT8: numpy.uint8, UINT16: numpy.uint16, UINT32: numpy.uint32, UINT64: numpy.uint64}
inf, nan = numpy.inf, numpy.nan
f32 = numpy.float32


def node(op, operands, results, **attributes):
    return helper.make_node(op, operands, results, **attributes)


def held(name, values, kind=None):
    return numpy_helper.from_array(numpy.asarray(values, kind), name)


def body(nodes, inputs, outputs):
    return helper.make_graph(nodes, "body", *([helper.make_tensor_value_info(*one) for one in some] for some in (inputs, outputs)))


def model(nodes, inputs, outputs, weights=(), domains=()):
    infos = [[helper.make_tensor_value_info(*one) for one in some] for some in (inputs, outputs)]
    made = helper.make_model(helper.make_graph(nodes, "graph", *infos, list(weights)), ir_version=8, opset_imports=[
        helper.make_opsetid("", 17), *(helper.make_opsetid(domain, 1) for domain in domains)])
    return made.SerializeToString()


def built(name, text, *words):
    """The library's folder and manifest."""
    (place / f"{name}.onnx").write_bytes(text)
    code, out, err = vouch("build", place / f"{name}.onnx", "-o", place / name, "--name", "lib", *words, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return (place / name, json.loads((place / name / "manifest.json").read_text())) if code == 0 else (None, None)


def program(name, folder):
    """The example, by gcc; clang has no warning either."""
    compiled.append(name)
    if shutil.which("clang") and (ALL or PATTERN or len(compiled) % 3 == 1):
        done = subprocess.run(["clang", *WARNINGS, "-fopenmp-simd", "-fsyntax-only", *map(str, [*sources(folder), folder / "example.c"])],
                              capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{name}, clang: {done.stderr[:800]}")
    words = ["gcc", *WARNINGS, *ROUNDING, "-O0", "-fopenmp-simd", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
             "-o", place / f"{name}.out", *sources(folder), folder / "example.c", "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{name}, gcc: {done.stderr[:800]}")
    return place / f"{name}.out" if done.returncode == 0 else None


def alike(found, expected, allowed):
    """Floats within `allowed` of the largest finite one, what is not finite in the same places; all others equal."""
    expected = numpy.asarray(expected).astype(found.dtype)
    if found.shape != expected.shape or found.dtype.kind != "f" or allowed == 0:
        return found.shape == expected.shape and numpy.array_equal(found, expected, equal_nan=found.dtype.kind == "f")
    finite = numpy.isfinite(expected)
    largest = numpy.max(numpy.abs(expected[finite], dtype=float), initial=0) or 1
    near = numpy.max(numpy.abs(found[finite].astype(float) - expected[finite]), initial=0) <= allowed * largest
    return near and numpy.array_equal(found[~finite], expected[~finite], equal_nan=True)


def gives(name, text, feeds, compute, *words, allowed=0):
    """`compute`: of the inputs by name, the outputs by name."""
    if not re.search(PATTERN, name):
        return
    folder, about = built(name, text, *words)
    binary = program(name, folder) if folder else None
    if not binary:
        return
    (place / f"{name}_io").mkdir()
    paths = {kind: [place / f"{name}_io" / f"{kind}{k}.npy" for k in range(len(about[kind]))] for kind in ("inputs", "outputs")}
    given = {}
    for path, one in zip(paths["inputs"], about["inputs"]):
        given[one["name"]] = numpy.asarray(feeds[one["name"]]).astype(one["type"]).reshape(one["dims"])
        numpy.save(path, given[one["name"]])
    file = [folder / "lib.weights"] if (folder / "lib.weights").exists() else []
    done = subprocess.run([str(word) for word in [binary, *file, *paths["inputs"], *paths["outputs"]]], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{name} runs: exit {done.returncode}: {done.stderr[:1500]}")
    expected = compute(given)
    found = {one["name"]: numpy.load(path) for path, one in zip(paths["outputs"], about["outputs"]) if path.exists()}
    for what, values in expected.items():
        checks.that(what in found and alike(found[what], values, allowed), f"{name}, {what}: {found.get(what)}, expected {values}")


def refused(name, text, *texts, words=()):
    if not re.search(PATTERN, name):
        return
    (place / f"{name}.onnx").write_bytes(text)
    code, out, err = vouch("build", place / f"{name}.onnx", "-o", place / name, *words)
    missing = [one for one in texts if one not in err]
    checks.that(code == 3 and not missing and not (place / name).exists(), f"{name} is refused: exit {code}, without {missing}: {out}{err}")


def same(name, kind, dims=(3,)):
    return name, kind, list(dims)


def check_types():
    """What is read from a file is what is computed with, and what is written."""
    kinds = [kind for kind in DTYPES if kind != BOOL]
    feeds = {f"x{k}": numpy.array([1, 2, 100] if kind == INT8 else [3, 30000 if kind in (INT16, HALF) else 200, 255 if kind == UINT8 else 511])
             for k, kind in enumerate(kinds)}
    gives("types", model([node("Add", [f"x{k}", f"x{k}"], [f"y{k}"]) for k in range(len(kinds))], [same(f"x{k}", kind) for k, kind in enumerate(kinds)],
                         [same(f"y{k}", kind) for k, kind in enumerate(kinds)]), feeds,
          lambda x: {name.replace("x", "y"): values + values for name, values in x.items()})
    gives("truths", model([node("Not", ["x"], ["y"]), node("Equal", ["x", "z"], ["e"]), node("Xor", ["x", "z"], ["o"]), node("Cast", ["f"], ["t"], to=BOOL)],
                          [same("x", BOOL), same("z", BOOL), same("f", FLOAT)], [same(one, BOOL) for one in "yeot"]),
          {"x": [1, 0, 1], "z": [1, 1, 0], "f": [nan, -0.0, 1e-45]},
          lambda x: {"y": ~x["x"], "e": x["x"] == x["z"], "o": x["x"] ^ x["z"], "t": x["f"] != 0})
    gives("scalars", model([node("Mul", ["x", "x"], ["y"]), node("Cast", ["y"], ["z"], to=INT64)], [("x", FLOAT, [])], [("y", FLOAT, []), ("z", INT64, [])]),
          {"x": -2.5}, lambda x: {"y": x["x"] * x["x"], "z": 6})
    gives("halves", model([node("Mul", ["x", "x"], ["y"]), node("Cast", ["f"], ["z"], to=HALF), node("Cast", ["x"], ["w"], to=FLOAT)],
                          [same("x", HALF, [4]), same("f", FLOAT, [4])], [same("y", HALF, [4]), same("z", HALF, [4]), same("w", FLOAT, [4])]),
          {"x": [300, -65504, 1e-4, -inf], "f": [65519.99, 65520, -1e30, 2.98e-8]},
          lambda x: {"y": x["x"] * x["x"], "z": x["f"].astype(numpy.float16), "w": x["x"]})
    gives("doubles", model([node("Cast", ["x"], ["y"], to=FLOAT), node("Cast", ["x"], ["z"], to=HALF), node("Mul", ["x", "m"], ["p"]), node("Add", ["x", "l"], ["s"])],
                           [same("x", DOUBLE, [6])], [same("y", FLOAT, [6]), same("z", HALF, [6]), same("p", DOUBLE, [6]), same("s", DOUBLE, [6])],
                           [held("m", 1.7976931348623157e308), held("l", 5e-324)]),
          {"x": [1e300, -1e-300, 0.1, nan, inf, 65520]},
          lambda x: {"y": x["x"].astype(f32), "z": x["x"].astype(numpy.float16), "p": x["x"] * 1.7976931348623157e308, "s": x["x"] + 5e-324})


def check_whole_numbers():
    """Sums, products, negation wrap around; nothing that is divided by zero, nor the least number by -1, ends the program."""
    for kind in (INT8, INT16, INT32, INT64):
        least = int(numpy.iinfo(DTYPES[kind]).min)
        a, b = [least, least, -least - 1, 5, -7, 0], [-1, least, -least - 1, 0, 2, 0]
        divided = [i for i, y in enumerate(b) if y not in (0, -1)]
        names = {"s": "Add", "d": "Sub", "p": "Mul", "q": "Div", "r": "Mod"}
        nodes = [node(op, ["a", "b"], [name]) for name, op in names.items()] + [node("Neg", ["a"], ["n"]), node("Abs", ["a"], ["m"])]
        outputs = [same(one, kind, [6]) for one in [*names, "n", "m"]]
        pick = [node("Gather", [one, "i"], [one + "i"]) for one in "qr"]
        gives(f"wrap_{DTYPES[kind].__name__}", model(nodes + pick, [same("a", kind, [6]), same("b", kind, [6])],
                                                     outputs + [same(one + "i", kind, [len(divided)]) for one in "qr"], [held("i", divided)]),
              {"a": a, "b": b}, lambda x: {"s": x["a"] + x["b"], "d": x["a"] - x["b"], "p": x["a"] * x["b"], "n": -x["a"], "m": numpy.abs(x["a"]),
                                           "qi": [int(abs(int(p)) // abs(int(q)) * (1 if (p < 0) == (q < 0) else -1)) for p, q in zip(x["a"][divided], x["b"][divided])],
                                           "ri": numpy.mod(x["a"][divided], x["b"][divided])})
    ends = [2 ** 63, 2 ** 64 - 1, 2 ** 63 + 1, 0]  # of which no literal of C's is one that certificates have
    gives("unsigned_numbers", model([node("Add", ["x", f"k{k}"], [f"y{k}"]) for k in range(4)] + [node("Max", ["x", f"k{k}"], [f"m{k}"]) for k in range(4)] +
                                    [node("Less", ["x", f"k{k}"], [f"l{k}"]) for k in range(4)] + [node("LessOrEqual", [f"k{k}", "x"], [f"g{k}"]) for k in range(4)],
                                    [same("x", UINT64, [5])], [same(f"{one}{k}", BOOL if one in "lg" else UINT64, [5]) for one in "ymlg" for k in range(4)],
                                    [held(f"k{k}", end, numpy.uint64) for k, end in enumerate(ends)]),
          {"x": numpy.array([0, 1, 2 ** 63, 2 ** 63 - 1, 2 ** 64 - 1], numpy.uint64)},
          lambda x: {f"{name}{k}": compute(x["x"], numpy.uint64(end)) for k, end in enumerate(ends)
                     for name, compute in (("y", numpy.add), ("m", numpy.maximum), ("l", numpy.less), ("g", numpy.greater_equal))})
    whole = {"x": [2 ** 31 - 1, 2 ** 31 - 1, 5, -2 ** 31, -1]}
    gives("sums", model([node("ReduceSum", ["x"], ["y"], keepdims=0), node("CumSum", ["x", "k"], ["c"], exclusive=1, reverse=1)], [same("x", INT32, [5])],
                        [("y", INT32, []), same("c", INT32, [5])], [held("k", 0)]),
          whole, lambda x: {"y": numpy.sum(x["x"], dtype=numpy.int32), "c": [numpy.sum(x["x"][k + 1:], dtype=numpy.int32) for k in range(5)]})
    kinds = [INT8, UINT8, INT16, UINT16, INT32, UINT32, UINT64, BOOL, FLOAT, DOUBLE]
    gives("casts", model([node("Cast", ["x"], [f"y{k}"], to=kind) for k, kind in enumerate(kinds)], [same("x", INT64, [5])],
                         [same(f"y{k}", kind, [5]) for k, kind in enumerate(kinds)]),
          {"x": [-1, 300, -2 ** 63, 2 ** 63 - 1, 70000]}, lambda x: {f"y{k}": x["x"].astype(DTYPES[kind]) for k, kind in enumerate(kinds)})
    # What C leaves open (sanitizers look): of NaN, infinities and what no integer is near, no value is said.
    gives("far_casts", model([node("Cast", ["x"], [f"y{k}"], to=kind) for k, kind in enumerate(kinds)], [same("x", FLOAT, [8])],
                             [same(f"y{k}", kind, [8]) for k, kind in enumerate(kinds)]),
          {"x": [nan, inf, -inf, 1e30, -1e30, 3e9, -3.5, 2 ** 63]}, lambda x: {"y7": x["x"] != 0, "y8": x["x"], "y9": x["x"]})


def check_numbers():
    """NaN, infinities, the least and the largest number as weights, in the file and in the text, as one number and as several."""
    odd = numpy.array([nan, inf, -inf, 1e-45, 3.4028235e38, -0.0], f32)
    x = draw.normal(size=6).astype(f32)
    for name, words in (("odd_weights", []), ("odd_weights_embedded", ["--embed"])):
        gives(name, model([node("Add", ["x", "w"], ["y"]), node("Mul", ["x", "w"], ["z"])], [same("x", FLOAT, [6])], [same("y", FLOAT, [6]), same("z", FLOAT, [6])],
                          [held("w", odd)]), {"x": x}, lambda x: {"y": x["x"] + odd, "z": x["x"] * odd}, *words)
    nodes = [node("Mul", ["x", f"w{k}"], [f"y{k}"]) for k in range(6)] + [node("Add", ["x", f"w{k}"], [f"z{k}"]) for k in range(6)]
    gives("odd_numbers", model(nodes, [same("x", FLOAT, [4])], [same(f"{one}{k}", FLOAT, [4]) for one in "yz" for k in range(6)],
                               [held(f"w{k}", odd[k]) for k in range(6)]), {"x": [0, 1, -1, 1e-45]},
          lambda x: {**{f"y{k}": x["x"] * odd[k] for k in range(6)}, **{f"z{k}": x["x"] + odd[k] for k in range(6)}})
    gives("largest", model([node("ArgMax", ["x"], ["y"], axis=1, keepdims=0), node("ArgMin", ["x"], ["z"], axis=1, keepdims=0, select_last_index=1)],
                           [same("x", FLOAT, [4, 3])], [same("y", INT64, [4]), same("z", INT64, [4])]),
          {"x": [[-inf] * 3, [1, inf, inf], [-0.0, 0.0, -1], [2, 2, -inf]]}, lambda x: {"y": [0, 1, 0, 0], "z": [2, 0, 2, 2]})
    gives("largest_nan", model([node("ArgMax", ["x"], ["y"], axis=0, keepdims=0)], [same("x", FLOAT)], [("y", INT64, [])]), {"x": [nan, 1, nan]}, lambda x: {})
    gives("softmax", model([node("Softmax", ["x"], ["y"], axis=1)], [same("x", FLOAT, [2, 3])], [same("y", FLOAT, [2, 3])]),
          {"x": [[-inf, -inf, 0], [1e38, -1e38, 1e38]]}, lambda x: {"y": [[0, 0, 1], [0.5, 0, 0.5]]})
    gives("remainders", model([node("Mod", ["a", "b"], ["y"]), node("Mod", ["a", "b"], ["z"], fmod=1)], [same("a", INT32, [4]), same("b", INT32, [4])],
                              [same("y", INT32, [4]), same("z", INT32, [4])]), {"a": [-5, 5, -6, -2 ** 31], "b": [3, -3, 3, 7]},
          lambda x: {"y": numpy.mod(x["a"], x["b"]), "z": numpy.fmod(x["a"], x["b"])})


def check_positions():
    """Positions that are data; an axis has no such position: zero, and no other memory is read."""
    x = draw.normal(size=(3, 4)).astype(f32)
    nodes = [node("Gather", ["x", "i"], ["g"]), node("GatherElements", ["x", "j"], ["e"], axis=1), node("GatherND", ["x", "p"], ["n"])]
    gives("positions", model(nodes, [same("x", FLOAT, [3, 4]), same("i", INT64, [2]), same("j", INT32, [2, 2]), same("p", INT64, [2, 2])],
                             [same("g", FLOAT, [2, 4]), same("e", FLOAT, [2, 2]), same("n", FLOAT, [2])]),
          {"x": x, "i": [2, -3], "j": [[0, -1], [3, -4]], "p": [[0, -1], [-3, 2]]},
          lambda v: {"g": x[[2, -3]], "e": [[x[0, 0], x[0, -1]], [x[1, 3], x[1, 0]]], "n": [x[0, -1], x[-3, 2]]})
    gives("outside", model([node("Gather", ["x", "i"], ["g"])], [same("x", FLOAT, [3, 4]), same("i", INT64, [4])], [same("g", FLOAT, [4, 4])]),
          {"x": x, "i": [3, -4, 2 ** 62, -2 ** 63]}, lambda v: {"g": numpy.zeros((4, 4))})


def check_branches():
    """What is not chosen is computed, and ends nothing."""
    vector, whole = ("t", FLOAT, [3]), ("t", INT32, [3])
    logs = node("If", ["c"], ["y"], then_branch=body([node("Log", ["x"], ["t"])], [], [vector]), else_branch=body([node("Neg", ["x"], ["t"])], [], [vector]))
    gives("logs", model([logs], [("c", BOOL, []), same("x", FLOAT)], [same("y", FLOAT)]), {"c": False, "x": [-1, 0, inf]}, lambda x: {"y": -x["x"]})
    quotients = node("If", ["c"], ["y"], then_branch=body([node("Div", ["x", "z"], ["t"])], [], [whole]), else_branch=body([node("Identity", ["x"], ["t"])], [], [whole]))
    gives("quotients", model([quotients], [("c", BOOL, []), same("x", INT32), same("z", INT32)], [same("y", INT32)]),
          {"c": False, "x": [-2 ** 31, 4, 5], "z": [-1, 0, 2]}, lambda x: {"y": x["x"]})


def check_borders():
    """What is repeated or mirrored on both sides of each of four axes or on one, of one element too."""
    for name, dims, pads in (("borders", [3, 4, 3, 5], [1, 2, 1, 2, 2, 1, 1, 2]), ("thin_borders", [1, 1, 9, 11], [2, 2, 0, 1, 1, 2, 1, 2]),
                             ("one_side", [3, 4], [2, 0, 0, 1])):
        width = list(zip(pads[:len(dims)], pads[len(dims):]))
        shape = [n + low + high for n, (low, high) in zip(dims, width)]
        modes = ["edge", "reflect"] if min(dims) > 2 else ["edge"]
        gives(name, model([node("Pad", ["x", "p"], [mode], mode=mode) for mode in modes], [same("x", FLOAT, dims)], [same(mode, FLOAT, shape) for mode in modes],
                          [held("p", pads)]), {"x": draw.normal(size=dims)}, lambda x: {mode: numpy.pad(x["x"], width, mode) for mode in modes})


NAMES = ["main", "malloc", "restrict", "a.b", "a/b", "A_B", "a_b", "_x", "__y", "errno", "NAN", "int", "n" * 300, "1", "é", "weights", "arena", "lib", "LIB_OK",
         "lib_run", "lib_plan", "lib_message", "lib_0_add", "LIB_INPUT_0_FLOATS", "NULL", "bool", "code", "memcpy", "of_lib_run", "I", "I_", "and", "class"]


def check_names():
    pairs = list(zip(NAMES, NAMES[1:]))
    gives("names", model([node("Add", [a, b], [f"{a}/{b}"]) for a, b in pairs], [same(name, FLOAT, [2]) for name in NAMES],
                         [same(f"{a}/{b}", FLOAT, [2]) for a, b in pairs]), {name: draw.normal(size=2) for name in NAMES},
          lambda x: {f"{a}/{b}": x[a] + x[b] for a, b in pairs})
    if (place / "names").exists():
        for language, compiler, first in (("c", "gcc", "complex.h"), ("c", "clang", "complex.h"), ("c++", "g++", "complex")):
            text = f"#include <{first}>\n#include \"lib.h\"\n"
            done = shutil.which(compiler) and subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Werror", f"-I{place}/names", "-x", language, "-"],
                                                             input=text, capture_output=True, text=True)
            checks.that(not done or done.returncode == 0, f"lib.h after <{first}>, {compiler}: {done and done.stderr[:600]}")
    gives("comments", model([helper.make_node("Add", ["x", "x"], ["if"], name="*/ int x; /*"), helper.make_node("Add", ["if", "x"], ["y\n#define"], name="a\\\nb??/")],
                            [same("x", FLOAT)], [same("y\n#define", FLOAT), same("if", FLOAT)]), {"x": [1, 2, 3]}, lambda x: {"y\n#define": [3, 6, 9], "if": [2, 4, 6]})
    gives("sizes", model([node("Add", ["x", "x"], ["y"])], [same("x", FLOAT, ["a b=c*/", 2])], [same("y", FLOAT, ["a b=c*/", 2])]),
          {"x": [[1, 2], [3, 4]]}, lambda x: {"y": 2 * x["x"]}, "--size", "a b=c*/=2")
    gives("outputs", model([node("Neg", ["x"], ["r"])], [same("x", FLOAT), same("u", INT8, [2, 2]), ("v", BOOL, [])], [same("x", FLOAT), same("k", INT64), same("r", FLOAT)],
                           [held("k", [7, -9, 2 ** 40])]), {"x": [1, -2, 3], "u": [[1, 2], [3, 4]], "v": True},
          lambda x: {"x": x["x"], "k": [7, -9, 2 ** 40], "r": -x["x"]})
    many = [f"past_key_values_of_decoder_layer_{k}" for k in range(140)]  # together longer than a string that C promises
    gives("many_names", model([node("Split", ["x"], many, axis=0)], [same("x", FLOAT, [140])], [same(name, FLOAT, [1]) for name in many]),
          {"x": numpy.arange(140)}, lambda x: {name: [k] for k, name in enumerate(many)})
    if (place / "many_names.out").exists():
        done = subprocess.run([place / "many_names.out"], capture_output=True, text=True)
        checks.that(done.returncode == 64 and done.stderr.endswith(".out" + "".join(f" {name}.npy" for name in ["x", *many]) + "\n"), done.stderr[:300])
    gives("no_inputs", model([node("Add", ["k", "k"], ["y"])], [], [same("y", FLOAT)], [held("k", [1, 2, 3], f32)]), {}, lambda x: {"y": [2, 4, 6]})


def check_quantised():
    """Weights of four bits, in blocks with a step each; a layer between a step for all and one for each channel, ties to even, saturated."""
    blocks, steps = draw.integers(-8, 8, size=(6, 4)), (draw.integers(1, 9, size=(3, 4)) / 8).astype(f32)
    pairs = (blocks.flatten() & 15).astype(numpy.uint8)
    four = onnx.TensorProto(name="w", data_type=22, dims=[6, 4], raw_data=(pairs[0::2] | pairs[1::2] << 4).tobytes())
    product = onnx.ModelProto.FromString(model([node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=2), node("MatMul", ["x", "d"], ["y"])],
                                               [same("x", FLOAT, [2, 6])], [same("y", FLOAT, [2, 4])], [four, held("s", steps)]))
    product.opset_import[0].version, product.ir_version = 21, 10
    gives("four_bits", product.SerializeToString(), {"x": draw.integers(-9, 9, size=(2, 6))},
          lambda x: {"y": x["x"] @ (blocks * numpy.repeat(steps, 2, axis=0)).astype(f32)})
    kernel, zeros, each = draw.integers(-99, 99, size=(4, 3)), numpy.array([0, 3, -2, 0]), numpy.array([0.25, 0.5, 0.125, 1])
    bias = [7, -900, 3, 0]
    sums = lambda q: numpy.einsum("oc,chw->ohw", kernel - zeros[:, None], q[0].astype(int) - 128) + numpy.array(bias)[:, None, None]
    layer = [node("QLinearConv", ["q", "a", "za", "k", "e", "ze", "b", "zb", "n"], ["y"])]
    data = [held("a", 0.5, f32), held("za", 128, numpy.uint8), held("k", kernel[:, :, None, None], numpy.int8), held("e", each, f32),
            held("ze", zeros, numpy.int8), held("b", 16, f32), held("zb", 100, numpy.uint8), held("n", bias, numpy.int32)]
    gives("channels", model(layer, [same("q", UINT8, [1, 3, 5, 5])], [same("y", UINT8, [1, 4, 5, 5])], data), {"q": draw.integers(0, 256, size=(1, 3, 5, 5))},
          lambda x: {"y": numpy.clip(numpy.rint(sums(x["q"]) * each[:, None, None] / 32) + 100, 0, 255)[None]})
    last = [helper.make_node("QGemm", ["q", "a", "za", "m", "e", "ze", "n", "b", "zb"], ["y"], domain="com.microsoft", transB=1)]
    gives("last_layer", model(last, [same("q", UINT8, [2, 3])], [same("y", UINT8, [2, 4])], [held("m", kernel, numpy.int8), *data[:2], *data[3:]], ["com.microsoft"]),
          {"q": draw.integers(0, 256, size=(2, 3))},
          lambda x: {"y": numpy.clip(numpy.rint(((x["q"].astype(int) - 128) @ (kernel - zeros[:, None]).T + bias) * each / 32) + 100, 0, 255)})


def check_refusals():
    relu = lambda *dims: ([node("Relu", ["x"], ["y"])], [same("x", FLOAT, dims)], [same("y", FLOAT, dims)])
    untyped = onnx.ModelProto.FromString(model(*relu(3)))
    untyped.graph.input[0].type.tensor_type.ClearField("shape")
    refused("no_shape", untyped.SerializeToString(), "input 'x'", "unknown rank", "expected a tensor of numbers")
    for kind, word in ((TensorProto.STRING, "string"), (TensorProto.COMPLEX64, "complex64")):
        refused(word, model([node("Identity", ["x"], ["y"])], [same("x", kind)], [same("y", kind)]), "input 'x'", word, "expected a tensor of numbers")
    refused("empty", model(*relu(0, 3)), "input 'x'", "no elements")
    refused("countless", model(*relu("n", 3)), "input 'x'", "more elements than 64 bits count", words=["--size", f"n={2 ** 63 - 1}"])
    counted = [node("NonMaxSuppression", ["x", "s"], ["b"]), node("ReduceMax", ["b"], ["m"], axes=[1], keepdims=0),
               helper.make_node("Shape", ["m"], ["y"], name="here")]
    refused("counted", model(counted, [same("x", FLOAT, [1, 4, 4]), same("s", FLOAT, [1, 1, 4])], [same("y", INT64, (1,))]), "node 'here'", "a size that only data decide")
    refused("no_size", model(*relu("n", 3)), "--size", "'n' has no value", "--size n=1")
    refused("size_zero", model(*relu("n", 3)), "at least 1, found n=0", words=["--size", "n=0"])
    for op in ("RandomNormalLike", "Bernoulli", "Unique", "NonZero"):
        refused(op, model([helper.make_node(op, ["x"], ["y"], name="here")], [same("x", FLOAT)], [("y", FLOAT if op[0] in "RBU" else INT64, None)]), "node 'here'", op)
    whole, image, line, one = same("x", UINT32, [3]), same("x", FLOAT, [1, 1, 4, 4]), same("x", FLOAT, [4, 3]), same("x", FLOAT, [1, 4, 1])
    kept = {"BitwiseAnd": (whole, "xx", []), "BitwiseOr": (whole, "xx", []), "BitwiseXor": (whole, "xx", []), "BitwiseNot": (whole, "x", []),
            "BitShift": (whole, "xx", [], {"direction": "LEFT"}), "TopK": (line, "xk", [held("k", [2])]), "DFT": (one, "x", []),
            "ReverseSequence": (line, "xk", [held("k", [1, 2, 3])]), "GridSample": (image, "xg", [held("g", numpy.zeros((1, 2, 2, 2)), f32)]),
            "RoiAlign": (image, "xbi", [held("b", [[0, 0, 1, 1]], f32), held("i", [0])])}
    for op, (given, operands, weights, *attributes) in kept.items():
        of_18 = onnx.ModelProto.FromString(model([helper.make_node(op, list(operands), ["y", "z"] if op == "TopK" else ["y"], name="here", **(attributes or [{}])[0])],
                                                 [given], [("y", given[1], None)], weights))
        of_18.opset_import[0].version = 18
        refused(op, of_18.SerializeToString(), "node 'here'", f"the operator table does not define {op}")
    for kind in (FLOAT, HALF, DOUBLE):
        refused(f"fmod_{kind}", model([node("Mod", ["x", "x"], ["y"], fmod=1)], [same("x", kind)], [same("y", kind)]), "Mod", "'fmod'", "not covered by certificates")
    for name, made in (("no_rows", [node("Slice", ["x", "o", "o", "o"], ["y"])]), ("no_rows_within", [node("Slice", ["x", "o", "o", "o"], ["e"]), node("Concat", ["e", "x"], ["y"], axis=0)])):
        refused(name, model(made, [same("x", FLOAT)], [("y", FLOAT, None)], [held("o", [0])]), "Slice", "an axis of size 0")
    boxes = model([node("NonMaxSuppression", ["x", "s"], ["y"])], [same("x", FLOAT, [1, 4, 4]), same("s", FLOAT, [1, 1, 4])], [("y", INT64, ["u", 3])])
    refused("boxes", boxes, "NonMaxSuppression", "the operator table does not define")
    refused("opaque", model([helper.make_node("Foo", ["x"], ["y"], domain="a.b", name="n*/")], [same("x", FLOAT)], [same("y", FLOAT)], domains=["a.b"]), "n*/", "a.b.Foo")
    convolved = [same("x", FLOAT, [1, 1, 4, 4])], [("y", FLOAT, None)], [held("w", numpy.ones((1, 1, 2, 2), f32))]
    for name, attributes, text in (("far", {"pads": [2 ** 40, 0, 0, 0]}, "beyond 2^31"), ("wide", {"strides": [2 ** 62] * 2}, "beyond 2^31"),
                                   ("still", {"strides": [0, 0]}, "strides must be at least 1"), ("apart", {"dilations": [2 ** 62] * 2}, "must fit"),
                                   ("groupless", {"group": 0}, "group must be at least 1")):
        refused(name, model([node("Conv", ["x", "w"], ["y"], **attributes)], *convolved), "Conv", text)
    refused("cut", model(*relu(3))[:-7], "protobuf")
    refused("bytes", model(*relu(3)).replace(b"\x01x", b"\x01\xff"), "not in UTF-8")


check_types()
check_whole_numbers()
check_numbers()
check_positions()
check_branches()
check_borders()
check_names()
check_quantised()
check_refusals()
shutil.rmtree(place)
checks.end()

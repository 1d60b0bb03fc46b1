"""Small models of many kinds, as python3-onnx writes them: each becomes a library that computes what the interpreter computes, or is
refused by the name of what no kernel covers.

    build_operators_test.py VOUCH PROJECT [all]

Of the libraries of bytes and halves one is verified, with `all` each."""
import array
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

from command import SKIPPED, Checks, Vouch, has_prover
from library import CODES, C_TYPES, Loaded, compile_shared, half_bits, put_input, tensors

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch = Vouch(str(pathlib.Path(sys.argv[1]).resolve()))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
chance = random.Random(21)
FLOAT, HALF, INT32, INT64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.INT64
INT8, UINT8 = TensorProto.INT8, TensorProto.UINT8
BYTES = {"int8": (-128, 128), "uint8": (0, 256)}


def weights(name, dims, low=-1.0, high=1.0):
    count = 1
    for n in dims:
        count *= n
    return helper.make_tensor(name, FLOAT, dims, [chance.uniform(low, high) for _ in range(count)])


def integers(name, values):
    return helper.make_tensor(name, INT64, [len(values)], values)


def model(name, nodes, inputs, outputs, held=(), opset=17):
    infos = [[helper.make_tensor_value_info(n, kind, dims) for n, kind, dims in tensors] for tensors in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, *infos, list(held))
    path = place / f"{name}.onnx"
    onnx.save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), str(path))
    return path


def given(one):
    if one["type"] == "float32":
        return [chance.uniform(-2, 2) for _ in range(one["cells"])]
    if one["type"] == "float16":
        return half_bits([chance.uniform(-2, 2) for _ in range(one["cells"])])
    if one["type"] in BYTES:
        return [chance.randrange(*BYTES[one["type"]]) for _ in range(one["cells"])]
    return [chance.randrange(0, 3) for _ in range(one["cells"])]


def built(name, path, *words, flags=("-O0", "-fopenmp-simd"), allowed=1e-5):
    """Compared with the interpreter on random inputs; `allowed`: of the largest magnitude."""
    code, out, err = vouch("build", path, "-o", place / name, *words, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    if code != 0:
        return
    library = Loaded(place / name, compile_shared(place / name, place / f"{name}.so", flags=flags))
    checks.that(not library.by_file or library.load() == 0, f"{name}: its weights")
    io = place / f"{name}_io"
    io.mkdir()
    arguments = []
    for one in library.manifest["inputs"]:
        values = array.array(CODES[one["type"]], given(one))
        put_input(io, one["name"], one["type"], one["dims"], values)
        arguments.append((C_TYPES[one["type"]] * one["cells"])(*values))
    code, out, err = vouch("run", path, "--io", io, "--out", io, limited=False)
    code_of_run, found = library.run(arguments)
    expected = tensors(io, "out_")
    checks.that(code == 0 and code_of_run == 0 and set(found) == set(expected), f"{name} runs: {code} {code_of_run} {out}{err}")
    for what, values in expected.items():
        scale = max(map(abs, values)) or 1.0
        error = max(abs(a - b) / scale for a, b in zip(found[what], values, strict=True))
        checks.that(error <= allowed, f"{name}, {what}: error {error}")
    return place / name


def refused(name, path, *texts):
    code, out, err = vouch("build", path, "-o", place / name)
    missing = [text for text in texts if text not in err]
    checks.that(code == 3 and not missing and not (place / name).exists(), f"{name}: exit {code}, without {missing}: {out}{err}")


def recurrent(op, gates, outputs):
    hidden, wide = 5, 4
    held = [weights("w", [1, gates * hidden, wide]), weights("r", [1, gates * hidden, hidden]), weights("b", [1, 2 * gates * hidden])]
    names = ["y", "h", "c"][:outputs]
    dims = {"y": [3, 1, 2, hidden], "h": [1, 2, hidden], "c": [1, 2, hidden]}
    return model(op.lower(), [helper.make_node(op, ["x", "w", "r", "b"], names, hidden_size=hidden)], [("x", FLOAT, [3, 2, wide])],
                 [(n, FLOAT, dims[n]) for n in names], held)


def attention():
    """Two heads, softmax over keys, a mask of integers, layer norm, GELU."""
    nodes = [helper.make_node("MatMul", ["x", "wq"], ["q0"]), helper.make_node("MatMul", ["x", "wk"], ["k0"]),
             helper.make_node("MatMul", ["x", "wv"], ["v0"])]
    for one, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [helper.make_node("Reshape", [f"{one}0", "heads"], [f"{one}1"]), helper.make_node("Transpose", [f"{one}1"], [one], perm=order)]
    nodes += [helper.make_node("MatMul", ["q", "k"], ["s0"]), helper.make_node("Mul", ["s0", "half"], ["s1"]),
              helper.make_node("Cast", ["mask"], ["keep"], to=TensorProto.BOOL), helper.make_node("Where", ["keep", "s1", "low"], ["s"]),
              helper.make_node("Softmax", ["s"], ["p"], axis=-1), helper.make_node("MatMul", ["p", "v"], ["o0"]),
              helper.make_node("Transpose", ["o0"], ["o1"], perm=[0, 2, 1, 3]), helper.make_node("Reshape", ["o1", "flat"], ["o"]),
              helper.make_node("Add", ["o", "x"], ["r"]), helper.make_node("LayerNormalization", ["r", "g", "b"], ["n"], axis=-1),
              helper.make_node("Div", ["n", "root"], ["e0"]), helper.make_node("Erf", ["e0"], ["e1"]),
              helper.make_node("Add", ["e1", "one"], ["e2"]), helper.make_node("Mul", ["n", "e2"], ["y"])]
    held = [weights(w, [8, 8]) for w in ("wq", "wk", "wv")] + [weights("g", [8]), weights("b", [8]), integers("heads", [0, 0, 2, 4]),
            integers("flat", [0, 0, 8])]
    held += [helper.make_tensor(n, FLOAT, [], [v]) for n, v in (("half", 0.5), ("low", -1e9), ("root", 1.4142135), ("one", 1.0))]
    return model("attention", nodes, [("x", FLOAT, ["batch", 6, 8]), ("mask", INT64, ["batch", 1, 1, 6])], [("y", FLOAT, ["batch", 6, 8])],
                 held)


def convolution(name, x, w, y, op="Conv", **attributes):
    return model(name, [helper.make_node(op, ["x", "w", "b"], ["y"], **attributes)], [("x", FLOAT, x)], [("y", FLOAT, y)],
                 [weights("w", w), weights("b", [y[1]])])


def resize(name, mode, **attributes):
    held = [helper.make_tensor("roi", FLOAT, [0], []), helper.make_tensor("scales", FLOAT, [4], [1, 1, 2, 1.5])]
    return model(name, [helper.make_node("Resize", ["x", "roi", "scales"], ["y"], mode=mode, **attributes)], [("x", FLOAT, [1, 2, 4, 6])],
                 [("y", FLOAT, [1, 2, 8, 9])], held)


def pad(name, mode):
    return model(name, [helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode)], [("x", FLOAT, [1, 2, 5, 4])],
                 [("y", FLOAT, [1, 2, 8, 9])], [integers("pads", [0, 0, 1, 2, 0, 0, 2, 3])])


def pool(name, op, **attributes):
    return model(name, [helper.make_node(op, ["x"], ["y"], kernel_shape=[3, 3], **attributes)], [("x", FLOAT, [1, 8, 41, 37])],
                 [("y", FLOAT, [1, 8, None, None])])


def embedding():
    nodes = [helper.make_node("Gather", ["table", "i"], ["e"]), helper.make_node("ReduceMean", ["e"], ["m"], axes=[1], keepdims=0),
             helper.make_node("Gemm", ["m", "w", "b"], ["z"], transB=1), helper.make_node("Sigmoid", ["z"], ["y"])]
    return model("embedding", nodes, [("i", INT64, ["batch", 7])], [("y", FLOAT, ["batch", 3])],
                 [weights("table", [50, 6]), weights("w", [3, 6]), weights("b", [3])])


def scalar(name, kind, value):
    return helper.make_tensor(name, kind, [], [value])


def some_bytes(name, kind, dims):
    count = 1
    for n in dims:
        count *= n
    return helper.make_tensor(name, kind, dims, [chance.randrange(*BYTES["int8" if kind == INT8 else "uint8"]) for _ in range(count)])


def quantised():
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]), helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"])]
    return model("quantised", nodes, [("x", FLOAT, [4, 4])], [("y", FLOAT, [4, 4]), ("q", UINT8, [4, 4])],
                 [scalar("s", FLOAT, 0.1), scalar("z", UINT8, 128)])


def per_channel():
    """A scale and a zero point for each column, weights kept as bytes."""
    nodes = [helper.make_node("DequantizeLinear", ["q", "s", "z"], ["w"], axis=1), helper.make_node("MatMul", ["x", "w"], ["m"]),
             helper.make_node("QuantizeLinear", ["m", "t"], ["y"])]
    held = [some_bytes("q", INT8, [20, 7]), weights("s", [7], 0.01, 0.1), some_bytes("z", INT8, [7]), scalar("t", FLOAT, 0.25)]
    return model("per_channel", nodes, [("x", FLOAT, [3, 20])], [("y", UINT8, [3, 7])], held)


def qlinear_conv():
    """Sums of 7 * 5 * 5 products, which no float32 keeps exactly, then the next layer in integers."""
    nodes = [helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], pads=[2, 2, 2, 2]),
             helper.make_node("ConvInteger", ["y", "v", "yz"], ["n"], strides=[2, 2])]
    held = [scalar("xs", FLOAT, 0.02), scalar("xz", UINT8, 120), some_bytes("w", INT8, [4, 7, 5, 5]), weights("ws", [4], 0.01, 0.02),
            helper.make_tensor("wz", INT8, [4], [0, 1, -2, 3]), scalar("ys", FLOAT, 1.7), scalar("yz", UINT8, 117),
            helper.make_tensor("b", INT32, [4], [900, -70000, 3, 0]), some_bytes("v", INT8, [5, 4, 3, 3])]
    return model("qlinear_conv", nodes, [("x", UINT8, [1, 7, 9, 8])], [("y", UINT8, [1, 4, 9, 8]), ("n", INT32, [1, 5, 4, 3])], held)


def integer_product():
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), helper.make_node("MatMulInteger", ["q", "w", "z", "wz"], ["n"]),
             helper.make_node("Cast", ["n"], ["f"], to=FLOAT), helper.make_node("Mul", ["f", "s"], ["y"])]
    return model("integer_product", nodes, [("x", FLOAT, [6, 300])], [("y", FLOAT, [6, 4]), ("n", INT32, [6, 4]), ("q", UINT8, [6, 300])],
                 [some_bytes("w", INT8, [300, 4]), scalar("wz", INT8, 7)])


def qlinear_matmul():
    node = helper.make_node("QLinearMatMul", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"])
    held = [scalar("xs", FLOAT, 0.02), scalar("xz", INT8, 5), some_bytes("w", INT8, [64, 9]), scalar("ws", FLOAT, 0.013), scalar("wz", INT8, -3),
            scalar("ys", FLOAT, 0.9), scalar("yz", INT8, -11)]
    return model("qlinear_matmul", [node], [("x", INT8, [5, 64])], [("y", INT8, [5, 9])], held)


def narrow(name, dims):
    count = 1
    for n in dims:
        count *= n
    return helper.make_tensor(name, HALF, dims, [chance.uniform(-1, 1) for _ in range(count)])


def halves():
    """A small network all of float16, with sums, a maximum, a choice and a softmax."""
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]), helper.make_node("Flatten", ["p"], ["f"]),
             helper.make_node("Gemm", ["f", "v", "d"], ["g"]), helper.make_node("Softmax", ["g"], ["s"], axis=1),
             helper.make_node("Concat", ["s", "g"], ["y"], axis=1), helper.make_node("Cast", ["g"], ["z"], to=FLOAT)]
    held = [narrow("w", [4, 3, 3, 3]), narrow("b", [4]), narrow("v", [64, 5]), narrow("d", [5])]
    return model("halves", nodes, [("x", HALF, [1, 3, 8, 8])], [("y", HALF, [1, 10]), ("z", FLOAT, [1, 5])], held)


def joined():
    """Two results next to each other, one of them read on its own too, which the next operator reads as one; and a model's output."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["a"]), helper.make_node("Conv", ["x", "v"], ["b"]),
             helper.make_node("Concat", ["a", "b"], ["c"], axis=1), helper.make_node("Conv", ["c", "u"], ["d"]),
             helper.make_node("Mul", ["b", "b"], ["e"]), helper.make_node("Concat", ["d", "e"], ["y"], axis=1)]
    return model("joined", nodes, [("x", FLOAT, [1, 3, 6, 6])], [("y", FLOAT, [1, 7, 6, 6])],
                 [weights("w", [4, 3, 1, 1]), weights("v", [5, 3, 1, 1]), weights("u", [2, 9, 1, 1])])


def small_halves():
    """Numbers that float16 hardly has: rewrites near them are tried on numbers, by the search and again from its trace."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Add", ["c", "b"], ["y"])]
    held = [helper.make_tensor("w", HALF, [4, 1, 1, 1], [0.003, 0.7, -0.002, 1.25]), helper.make_tensor("b", HALF, [4, 1, 1], [0.1, -1, 0.4, 2])]
    return model("small_halves", nodes, [("x", HALF, [1, 1, 4, 4])], [("y", HALF, [1, 4, 4, 4])], held)


def mixed_bytes():
    """Movements, comparisons and wrapping sums of bytes."""
    nodes = [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]), helper.make_node("Concat", ["t", "k"], ["c"], axis=0),
             helper.make_node("Add", ["c", "c"], ["y"]), helper.make_node("Greater", ["c", "l"], ["g"]),
             helper.make_node("Where", ["g", "c", "l"], ["m"]), helper.make_node("Cast", ["m"], ["f"], to=HALF),
             helper.make_node("Pad", ["f", "p"], ["h"]), helper.make_node("Reshape", ["x", "s"], ["r"])]
    return model("mixed_bytes", nodes, [("x", UINT8, [4, 3])], [("y", UINT8, [5, 4]), ("g", TensorProto.BOOL, [5, 4]), ("h", HALF, [6, 4]), ("r", UINT8, [2, 6])],
                 [integers("p", [1, 0, 0, 0]), integers("s", [2, 6]), some_bytes("k", UINT8, [2, 4]), scalar("l", UINT8, 90)])


def scattered():
    """A box, the same with a reduction, and positions that are none; all of them constant."""
    held = [helper.make_tensor("box", INT64, [2, 2, 2], [1, 0, 1, 1, 2, 0, 2, 1]), helper.make_tensor("some", INT64, [3, 1], [3, 0, -3])]
    nodes = [helper.make_node("ScatterND", ["x", "box", "u"], ["a"]), helper.make_node("ScatterND", ["a", "box", "u"], ["b"], reduction="add"),
             helper.make_node("ScatterND", ["b", "some", "v"], ["y"])]
    return model("scattered", nodes, [("x", FLOAT, [4, 3]), ("u", FLOAT, [2, 2]), ("v", FLOAT, [3, 3])], [("y", FLOAT, [4, 3])], held)


def odd_names():
    """C's words, its macros, names that are one once they are C's, and one of 200 characters."""
    long = "x" * 200
    nodes = [helper.make_node("Sub", ["for", "größe 重"], ["a.b"], name="*/ #include"), helper.make_node("Mul", ["a.b", long], ["a:b"], name="if"),
             helper.make_node("Sub", ["a:b", "NULL"], ["a_b"]), helper.make_node("Add", ["a_b", "arena"], ["size_t"]),
             helper.make_node("Neg", ["size_t"], ["A_B"])]
    return model("odd_names", nodes, [(n, FLOAT, [2]) for n in ("for", "größe 重", long, "NULL", "arena")],
                 [(n, FLOAT, [2]) for n in ("a.b", "a_b", "a:b", "size_t", "A_B")])


def odd_outputs():
    """An input, a constant, one tensor under two names, one of another shape; an input that nobody reads."""
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Identity", ["y"], ["z"]), helper.make_node("Reshape", ["y", "s"], ["r"]),
             helper.make_node("Reshape", ["x", "s"], ["q"]), helper.make_node("Mul", ["n", "n"], ["m"])]
    return model("odd_outputs", nodes, [("x", FLOAT, [2, 3]), ("u", FLOAT, [4]), ("n", FLOAT, [])],
                 [("y", FLOAT, [2, 3]), ("x", FLOAT, [2, 3]), ("k", FLOAT, [2]), ("z", FLOAT, [2, 3]), ("r", FLOAT, [6]), ("q", FLOAT, [6]),
                  ("m", FLOAT, [])], [integers("s", [6]), weights("k", [2])])


built("odd_names", odd_names(), allowed=0)
built("odd_outputs", odd_outputs(), allowed=0)
built("odd_outputs_embedded", odd_outputs(), "--embed", "--no-rules", allowed=0)
built("gru", recurrent("GRU", 3, 2))
built("lstm", recurrent("LSTM", 4, 3))
built("rnn", recurrent("RNN", 1, 2))
exact_moves = built("scattered", scattered(), allowed=0)
built("attention", attention(), "--size", "batch=2")
built("transposed", convolution("transposed", [1, 4, 5, 6], [4, 3, 3, 3], [1, 3, 10, 12], "ConvTranspose", strides=[2, 2], pads=[1, 1, 1, 1],
                                output_padding=[1, 1]))
built("grouped", convolution("grouped", [1, 6, 9, 9], [9, 2, 3, 3], [1, 9, 9, 9], group=3, pads=[1, 1, 1, 1]))
built("depthwise", convolution("depthwise", [1, 6, 9, 8], [6, 1, 3, 3], [1, 6, 5, 4], group=6, strides=[2, 2], pads=[1, 1, 1, 1]))
built("dilated", convolution("dilated", [2, 3, 20], [4, 3, 3], [2, 4, 16], dilations=[2]))
built("nearest", resize("nearest", "nearest"))
built("linear", resize("linear", "linear", coordinate_transformation_mode="half_pixel"))
for mode in ("constant", "reflect", "edge"):
    built(f"pad_{mode}", pad(f"pad_{mode}", mode))
built("maximum", pool("maximum", "MaxPool", strides=[2, 2], pads=[1, 1, 1, 1]))
built("maximum_ceil", pool("maximum_ceil", "MaxPool", strides=[2, 2], ceil_mode=1))
built("mean", pool("mean", "AveragePool", strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=0))
built("embedding", embedding(), "--size", "batch=3")
# An input that need not be fed is a weight: the library takes what has no value yet.
overridable = model("overridable", [helper.make_node("Mul", ["x", "w"], ["y"])], [("x", FLOAT, [2, 3]), ("w", FLOAT, [3])], [("y", FLOAT, [2, 3])],
                    [weights("w", [3])])
built("overridable", overridable)
taken = [one["name"] for one in json.loads((place / "overridable/manifest.json").read_text())["inputs"]]
checks.that(taken == ["x"], f"what is to be fed: {taken}")
# Integers are computed as exactly as the interpreter does: its bytes are these.
exact = [built("quantised", quantised(), allowed=0), built("per_channel", per_channel(), allowed=0), built("qlinear_conv", qlinear_conv(), allowed=0),
         built("integer_product", integer_product(), allowed=1e-7), built("qlinear_matmul", qlinear_matmul(), "--embed", allowed=0),
         built("mixed_bytes", mixed_bytes(), allowed=0)]
narrowed = built("halves", halves(), allowed=2e-3)
calls = json.loads((built("joined", joined()) / "manifest.json").read_text())["calls"]
checks.that(json.dumps(calls).count("Concat") == 1, f"of two concatenations, the one that is an output is a call: {calls}")
exact.append(place / "joined")
built("small_halves", small_halves(), allowed=2e-3)
built("halves_plain", halves(), "--plain", allowed=2e-3)
built("qlinear_conv_plain", qlinear_conv(), "--plain", allowed=0)
coq = has_prover(vouch.program)
folders = [] if not coq else [*exact, exact_moves, narrowed] if "all" in sys.argv else exact[:1]
code, out, err = vouch("verify", *folders, limited=False, seconds=900) if coq else (0, "", "")
print("" if coq else "coqc or the compiled library is not there: nothing is verified")
checks.that(code == 0, f"{folders} are verified: {code}, {out[-1500:]}{err[-500:]}")
refused("unsized", embedding(), "'batch' has no value", "--size batch=1")
loop = model("nonzero", [helper.make_node("NonZero", ["x"], ["y"])], [("x", FLOAT, [4])], [("y", INT64, [1, None])])
refused("nonzero", loop, "NonZero")
strange = helper.make_graph([helper.make_node("Frobnicate", ["x"], ["a"], domain="com.acme", name="strange"), helper.make_node("Relu", ["a"], ["b"]),
                             helper.make_node("Relu", ["b"], ["y"])], "strange", *([helper.make_tensor_value_info(n, FLOAT, [4])] for n in "xy"))
(place / "strange.onnx").write_bytes(helper.make_model(strange, ir_version=8, opset_imports=[
    helper.make_opsetid("", 14), helper.make_opsetid("com.acme", 1)]).SerializeToString())
refused("strange", place / "strange.onnx", "com.acme.Frobnicate", "the operator table does not define", "of no known type")
# Its size depends on data; the model is read twice, and what the first reading numbers the second may number otherwise.
sized = model("sized", [helper.make_node("Expand", ["x", "s"], ["y"])], [("x", FLOAT, [1]), ("s", INT64, [1])], [("y", FLOAT, [None])])
refused("sized", sized, "Expand", "axis of size", "expected a number")
shutil.rmtree(place)
checks.end()

"""Models with operators that rules leave alone, but that have a value: they run, `optimize --io` compares what it wrote, and the page
that lists these operators names each that is tried here. Values by numpy, from ONNX's Operators.md."""
import pathlib
import re
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
random = np.random.default_rng(7)

KINDS = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "bool": TensorProto.BOOL, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}


def made(nodes, inputs, outputs, opset=18, shaped=True):
    declared = [[helper.make_tensor_value_info(name, KINDS[a.dtype.name], a.shape if shaped or arrays is inputs else None)
                 for name, a in arrays.items()] for arrays in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *declared)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.preview.training", 1)])
    model.ir_version = 8
    return model


def runs(name, nodes, inputs, outputs, opset=18, shaped=True):
    """The model's outputs are these, as it is and as `optimize` writes it."""
    outputs = {value: array.astype(np.float32) if array.dtype == np.float64 and "float64" not in name else array for value, array in outputs.items()}
    with tempfile.TemporaryDirectory() as there:
        folder = pathlib.Path(there)
        (folder / "m.onnx").write_bytes(made(nodes, inputs, outputs, opset, shaped).SerializeToString())
        io = folder / "io"
        io.mkdir()
        for prefix, arrays in (("in_", inputs), ("out_", outputs)):
            for value, array in arrays.items():
                (io / f"{prefix}{value}.pb").write_bytes(numpy_helper.from_array(array, value).SerializeToString())
        code, out, errors = vouch("run", folder / "m.onnx", "--io", io)
        checks.that(code == 0, f"{name}: run: exit {code}: {out}{errors}")
        code, out, errors = vouch("optimize", folder / "m.onnx", "--io", io, "-o", folder / "o.onnx")
        checks.that(code == 0, f"{name}: optimize: exit {code}: {out}{errors}")
        code, out, errors = vouch("run", folder / "o.onnx", "--io", io)
        checks.that(code == 0, f"{name}: run of what was written: exit {code}: {out}{errors}")


def node(op, inputs, outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), **attributes)


x = random.permutation(24).reshape(2, 3, 4).astype(np.float32) - 11
few = np.array([2], np.int64)
order = np.argsort(-x, axis=1, kind="stable")[:, :2]
CASES = {
    "TopK": ([node("Identity", ["x"], ["i"]), node("TopK", ["i", "k"], ["y", "at"], axis=1)], {"x": x, "k": few},
             {"y": np.take_along_axis(x, order, 1), "at": order}),
    "NonZero": ([node("Relu", ["x"], ["r"]), node("NonZero", ["r"])], {"x": x}, {"y": np.array(np.nonzero(np.maximum(x, 0)), np.int64)}),
    "Compress": ([node("Compress", ["x", "c"], axis=2)], {"x": x, "c": np.array([True, False, True])}, {"y": x[:, :, [0, 2]]}),
    "ReverseSequence": ([node("ReverseSequence", ["x", "n"], time_axis=1, batch_axis=0)], {"x": x, "n": np.array([3, 2], np.int64)},
                        {"y": np.stack([x[0, ::-1], np.concatenate([x[1, 1::-1], x[1, 2:]])])}),
    "BitShift": ([node("BitShift", ["a", "b"], direction="RIGHT")], {"a": np.array([200, 7], np.uint8), "b": np.array([3, 1], np.uint8)},
                 {"y": np.array([25, 3], np.uint8)}),
    "BitwiseAnd": ([node("BitwiseAnd", ["a", "b"])], {"a": np.array([-2, 7], np.int32), "b": np.array([5], np.int32)},
                   {"y": np.array([4, 5], np.int32)}),
    "BitwiseOr": ([node("BitwiseOr", ["a", "b"])], {"a": np.array([-2, 6], np.int32), "b": np.array([5], np.int32)},
                  {"y": np.array([-1, 7], np.int32)}),
    "BitwiseXor": ([node("BitwiseXor", ["a", "b"])], {"a": np.array([-2, 6], np.int32), "b": np.array([5], np.int32)},
                   {"y": np.array([-5, 3], np.int32)}),
    "BitwiseNot": ([node("BitwiseNot", ["a"])], {"a": np.array([-2, 6], np.int32)}, {"y": np.array([1, -7], np.int32)}),
    "Unique": ([node("Unique", ["a"], ["y", "first", "which", "counts"])], {"a": np.array([3, 1, 3, 2], np.int64)},
               dict(zip(("y", "first", "which", "counts"), np.unique([3, 1, 3, 2], True, True, True)))),
    "NonMaxSuppression": ([node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"])],
                          {"boxes": np.array([[[0, 0, 2, 2], [0, 0, 2, 1.9], [0, 5, 1, 6]]], np.float32), "most": np.array([3], np.int64),
                           "scores": np.array([[[0.5, 0.9, 0.7]]], np.float32), "overlap": np.array([0.5], np.float32)},
                          {"y": np.array([[0, 0, 1], [0, 0, 2]], np.int64)}),
    # In the middle between four pixels, and on one.
    "GridSample": ([node("GridSample", ["p", "g"], align_corners=1)],
                   {"p": np.array([[[[1, 2], [3, 6]]]], np.float32), "g": np.array([[[[0, 0], [1, -1]]]], np.float32)},
                   {"y": np.array([[[[3, 2]]]], np.float32)}),
}
ten = {"n": np.array(10, np.int32)}
turns = 2 * np.pi * np.arange(10) / 10
CASES |= {
    "HannWindow": ([node("HannWindow", ["n"], periodic=0)], ten, {"y": np.hanning(10).astype(np.float32)}),
    "HammingWindow": ([node("HammingWindow", ["n"])], ten, {"y": 25 / 46 - 21 / 46 * np.cos(turns)}),
    "BlackmanWindow": ([node("BlackmanWindow", ["n"])], ten, {"y": np.blackman(11)[:10].astype(np.float32)}),
}


def mel_weights(bands, length, rate, low, high):
    """As ONNX's Operators.md describes it: triangles between neighbours that are as far apart on the mel scale."""
    mels = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    edges = mels(low) + (mels(high) - mels(low)) / (bands + 2) * np.arange(bands + 2)
    edges = ((length + 1) * 700 * (10 ** (edges / 2595) - 1) // rate).astype(int)
    out = np.zeros((length // 2 + 1, bands), np.float32)
    for band, (left, peak, right) in enumerate(zip(edges, edges[1:], edges[2:])):
        out[left:peak, band] = [(at - left) / (peak - left) for at in range(left, peak)]
        out[peak:right, band] = [(right - at) / (right - peak) for at in range(peak, right)]
        out[peak, band] = 1
    return out


def pairs_of(waves):
    return np.stack([waves.real, waves.imag], -1).astype(np.float32)


scalars = {"b": np.array(8, np.int64), "l": np.array(64, np.int64), "r": np.array(8192, np.int64), "f": np.array(10, np.float32),
           "t": np.array(4000, np.float32)}
signal = random.standard_normal((2, 12, 1)).astype(np.float32)
window = np.hanning(6).astype(np.float32)
frames = np.stack([signal[:, k:k + 6, 0] * window for k in (0, 4)], 1)
slope = (10 * np.arange(4)[:, None] + np.arange(4)).astype(np.float32)[None, None]
region = {"x": slope, "r": np.array([[0, 0, 4, 4]], np.float32), "i": np.zeros(1, np.int64)}
grid = lambda places: (10 * np.array(places)[:, None] + np.array(places)).astype(np.float32)[None, None]
CASES |= {
    "MelWeightMatrix": ([node("MelWeightMatrix", list(scalars))], scalars, {"y": mel_weights(8, 64, 8192, 10, 4000)}),
    "DFT": ([node("DFT", ["x"], axis=1, onesided=1)], {"x": signal}, {"y": pairs_of(np.fft.rfft(signal[..., 0]))}),
    "STFT": ([node("STFT", ["x", "s", "w"])], {"x": signal, "s": np.array(4, np.int64), "w": window}, {"y": pairs_of(np.fft.rfft(frames))}),
    # A slope is in the mean what it is in the middle.
    "RoiAlign": ([node("RoiAlign", ["x", "r", "i"], output_height=2, output_width=2, sampling_ratio=2)], region, {"y": grid([0.5, 2.5])}),
    "Det": ([node("Det", ["m"])], {"m": (m := random.standard_normal((3, 5, 5)).astype(np.float32))}, {"y": np.linalg.det(m)}),
    # Places of a 4 by 4 image, in one of 5 by 5.
    "MaxUnpool": ([node("MaxUnpool", ["p", "i", "s"], kernel_shape=[2, 2], strides=[2, 2])],
                  {"p": np.array([[[[1, 2], [3, 4]]]], np.float32), "i": np.array([[[[5, 7], [13, 15]]]], np.int64), "s": np.array([1, 1, 5, 5])},
                  {"y": np.array([[[[0] * 5, [0, 1, 0, 2, 0], [0] * 5, [0, 3, 0, 4, 0], [0] * 5]]], np.float32)}),
    # Pairs 5 6 at distance 1 and 2, the number 7; of a number its neighbours do not matter.
    "TfIdfVectorizer": ([node("TfIdfVectorizer", ["a"], mode="TFIDF", min_gram_length=1, max_gram_length=2, max_skip_count=1, ngram_counts=[0, 1],
                              ngram_indexes=[2, 0], pool_int64s=[7, 5, 6], weights=[10.0, 0.5])],
                        {"a": np.array([[5, 6, 6, 7], [7, 7, 6, 5]], np.int64)}, {"y": np.array([[1, 0, 10], [0, 0, 20]], np.float32)}),
}
scale, bias, mean, variance = (random.random(3).astype(np.float32) + 0.5 for _ in range(4))
batch, spread = x.mean((0, 2)), x.var((0, 2))
CASES["BatchNormalization"] = (
    [node("BatchNormalization", ["x", "s", "b", "m", "v"], ("y", "mean", "variance"), training_mode=1, momentum=0.75)],
    {"x": x, "s": scale, "b": bias, "m": mean, "v": variance},
    {"y": (x - batch[:, None]) / np.sqrt(spread + 1e-5)[:, None] * scale[:, None] + bias[:, None], "mean": 0.75 * mean + 0.25 * batch,
     "variance": 0.75 * variance + 0.25 * spread})

# One step of training: the third, with a penalty of half of each number.
step = {"r": np.array(0.1, np.float32), "t": np.array(3, np.int64), **{name: random.standard_normal(4).astype(np.float32) for name in "xgvh"}}
step["h"] = np.abs(step["h"])
X, V, H, g = step["x"], step["v"], step["h"], step["g"] + 0.5 * step["x"]
training = dict(domain="ai.onnx.preview.training", norm_coefficient=0.5)
v, h = 0.9 * V + 0.1 * g, 0.999 * H + 0.001 * g * g
CASES |= {
    "Adagrad": ([node("Adagrad", list("rtxgh"), ("y", "z"), decay_factor=0.5, **training)], {name: step[name] for name in "rtxgh"},
                {"y": X - 0.1 / 2.5 * g / (np.sqrt(H + g * g) + 1e-6), "z": H + g * g}),
    "Adam": ([node("Adam", list("rtxgvh"), ("y", "z", "w"), norm_coefficient_post=0.25, **training)], step,
             {"y": 0.75 * (X - 0.1 * np.sqrt(1 - 0.999**3) / (1 - 0.9**3) * v / (np.sqrt(h) + 1e-6)), "z": v, "w": h}),
    "Momentum": ([node("Momentum", list("rtxgv"), ("y", "z"), alpha=0.9, beta=0.5, mode="nesterov", **training)], {name: step[name] for name in "rtxgv"},
                 {"y": X - 0.1 * (g + 0.9 * (0.9 * V + 0.5 * g)), "z": 0.9 * V + 0.5 * g}),
}
for name, case in CASES.items():
    runs(name, *case)
for name in ("NonZero", "Unique", "TopK"):
    runs(f"{name} whose results are declared without a shape", *CASES[name], shaped=False)

# The same of other versions, other forms, and lengths that are no powers of two.
runs("HammingWindow of float64", [node("HammingWindow", ["n"], output_datatype=TensorProto.DOUBLE)], ten, {"y": 25 / 46 - 21 / 46 * np.cos(turns)})
runs("RoiAlign of opset 10", CASES["RoiAlign"][0], region, {"y": grid([1, 2.75])}, 11)
both = random.standard_normal((3, 7, 2, 2)).astype(np.float32)
runs("DFT back", [node("DFT", ["x", "", "a"], inverse=1)], {"x": both, "a": np.array(0, np.int64)},
     {"y": pairs_of(np.fft.ifft(both[..., 0] + 1j * both[..., 1], axis=0))}, 20)
runs("DFT of more than there is", [node("DFT", ["x", "n"])], {"x": both, "n": np.array(9, np.int64)},
     {"y": pairs_of(np.fft.fft(both[..., 0] + 1j * both[..., 1], n=9, axis=1))}, 17)

# Lists that are computed from data: what they are is known when the model runs. The largest of `v` is its second element.
v = np.array([1, 5, 2], np.float32)
one, scalar = node("ArgMax", ["v"], ["a"], axis=0, keepdims=1), node("ArgMax", ["v"], ["a"], axis=0, keepdims=0)
twice = [one, node("Add", ["a", "a"], ["b"])]
sizes = [node("Cast", ["v"], ["i"], to=TensorProto.INT64)]
known = {"x": x, "v": v}
large = random.permutation(8192).reshape(2, 4096).astype(np.float32)
for name, nodes, inputs, y, opset in (
        ("CumSum along", [scalar, node("CumSum", ["x", "a"])], known, x.cumsum(1), 18),
        ("CumSum of many elements along", [scalar, node("CumSum", ["x", "a"])], {"x": large, "v": v}, large.cumsum(1), 18),
        ("ReduceSum along", [one, node("ReduceSum", ["x", "a"], keepdims=0)], known, x.sum(1), 13),
        ("ReduceMax along", [one, node("ReduceMax", ["x", "a"])], known, x.max(1, keepdims=True), 18),
        ("Slice along", [*twice, node("Slice", ["x", "a", "b", "a"])], known, x[:, 1:2], 18),
        ("Unsqueeze at", [*twice, node("Unsqueeze", ["x", "b"])], known, x[:, :, None], 13),
        ("Tile by", [*sizes, node("Tile", ["x", "i"])], known, np.tile(x, (1, 5, 2)), 18),
        ("Reshape to", [*sizes, node("Neg", ["i"], ["n"]), node("Slice", ["n", "at", "to"], ["last"]), node("Div", ["last", "two"], ["all"]),
                        node("Reshape", ["x", "all"])], {**known, "at": few, "to": few + 1, "two": few}, x.reshape(-1), 18),
        ("Resize by", [node("Resize", ["p", "", "s"], coordinate_transformation_mode="asymmetric", nearest_mode="floor"),],
         {"p": slope, "s": np.array([1, 1, 2, 1], np.float32)}, slope.repeat(2, 2), 18)):
    runs(f"{name} what is computed", nodes, inputs, {"y": y}, opset)

page = (root / "docs/models.md").read_text()
listed = re.search(r"evaluated and left alone: ((?:`\w+`[,.]?\s*(?:and\s+)?)+)", page)
named = set(re.findall(r"`(\w+)`", listed.group(1))) if listed else set()
checks.that(named == set(CASES), f"docs/models.md lists {sorted(named)}")

# What has no value says why, with the node; what is unknown stays unknown.
with tempfile.TemporaryDirectory() as there:
    path = pathlib.Path(there) / "m.onnx"
    for nodes, inputs, outputs, said in (
            ([node("TopK", ["x", "k"], ["y", "at"])], {"x": x, "k": np.array([9], np.int64)}, {"y": x, "at": x.astype(np.int64)},
             "TopK: k must be a number of elements that the axis has"),
            ([node("ArgMax", ["v"], ["a"], axis=0, keepdims=0), node("CumSum", ["x", "a"])], {"x": x[0], "v": np.arange(4, dtype=np.float32)}, {"y": x[0]},
             "CumSum: axis 3 is out of range for rank 2"),
            ([node("Multinomial", ["x"])], {"x": x[0]}, {"y": np.zeros((3, 1), np.int32)},
             "this call of Multinomial has no meaning here and cannot be evaluated")):
        path.write_bytes(made(nodes, inputs, outputs).SerializeToString())
        words = [word for value, array in inputs.items() for word in ("--input", f"{value}={path.parent / value}.pb")]
        for value, array in inputs.items():
            (path.parent / f"{value}.pb").write_bytes(numpy_helper.from_array(array, value).SerializeToString())
        code, out, errors = vouch("run", path, *words)
        checks.that(code == 3 and said in errors and "node 'y" in errors, f"{said}: exit {code}: {out}{errors}")

checks.end()

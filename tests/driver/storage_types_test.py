"""4-bit integers and floats of 8 bits: read, run, optimised and written. What they mean is computed here from the formats' definitions,
and judged by ONNX Runtime where it is there; what has no meaning here stays as it is."""
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("not run: python3-onnx is not installed")
    sys.exit(SKIPPED)
from onnx_judge import judge

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
UINT4, INT4 = 21, 22  # newer than the package
# mantissa bits, bias, bits of the greatest number, -0 is a number
FLOATS8 = {17: (3, 7, 0x7E, True), 18: (3, 8, 0x7F, False), 19: (2, 15, 0x7B, True), 20: (2, 16, 0x7F, False)}


def number(kind, bits):
    mantissa, bias, _, _ = FLOATS8[kind]
    sign, exponent, fraction = -1.0 if bits & 128 else 1.0, (bits & 127) >> mantissa, bits & ((1 << mantissa) - 1)
    return sign * (fraction * 2.0 ** (1 - bias - mantissa) if exponent == 0 else (1 + fraction / 2 ** mantissa) * 2.0 ** (exponent - bias))


def float8(kind, x):
    """The nearest number of the type, of two the one with even bits; what lies beyond is the greatest. With its sign, -0 too."""
    table = numpy.array([number(kind, bits) for bits in range(FLOATS8[kind][2] + 1)])
    out = numpy.empty(x.shape)
    for at, value in numpy.ndenumerate(x.astype(float)):
        distance = numpy.abs(table - min(abs(value), table[-1]))
        nearest = [bits for bits in numpy.flatnonzero(distance == distance.min())]
        out[at] = numpy.copysign(table[min(nearest, key=lambda bits: bits % 2)], value)
    return numpy.where((out == 0) & (not FLOATS8[kind][3]), 0.0, out).astype(numpy.float32)


def steps(kind, x):
    low, high = (-8, 7) if kind == INT4 else (0, 15)
    return numpy.clip(numpy.rint(x), low, high)


def stored(name, kind, values, dims, typed=False):
    """A tensor of these bytes, or of 4-bit numbers, two to a byte."""
    values = [int(v) & 255 for v in values]
    if kind in (UINT4, INT4):
        values += [0] * (len(values) % 2)
        values = [(values[k] & 15) | (values[k + 1] & 15) << 4 for k in range(0, len(values), 2)]
    out = TensorProto(name=name, data_type=kind, dims=dims)
    if typed:
        out.int32_data.extend(values)
    else:
        out.raw_data = bytes(values)
    return out


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(op, inputs, output="y", domain="", **attributes):
    return helper.make_node(op, inputs.split(), [output], domain=domain, **attributes)


def floats(name, array):
    return numpy_helper.from_array(numpy.asarray(array, numpy.float32), name)


def model(nodes, inputs, outputs, constants=(), opset=21, declared=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants), value_info=list(declared))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 10
    return made


def written(name, made):
    path = folder / f"{name}.onnx"
    path.write_bytes(made.SerializeToString())
    return path


judged = []


def runs(name, made, feeds, expected):
    """The model gives what is expected; so does what becomes of it, which ONNX Runtime confirms."""
    path, inputs = written(name, made), folder / f"{name}.io"
    inputs.mkdir()
    for feed, array in feeds.items():
        proto = numpy_helper.from_array(array, feed)
        (inputs / f"in_{feed}.pb").write_bytes(proto.SerializeToString())
    (inputs / "out_y.pb").write_bytes(numpy_helper.from_array(expected, "y").SerializeToString())
    code, out, errors = vouch("run", path, "--io", inputs, "--tolerance", "1e-6")
    checks.that(code == 0, f"{name}: {out[-300:]} {errors[-300:]}")
    after = folder / f"{name}.after.onnx"
    code, out, errors = vouch("optimize", path, "-o", after, "--io", inputs)
    checks.that(code == 0, f"{name}: optimize: {out[-300:]} {errors[-300:]}")
    told = model([helper.make_node("Constant", [], ["y"], value=numpy_helper.from_array(expected, "v"))], made.graph.input, made.graph.output)
    types = {"float32": numpy.float32, "int32": numpy.int32}
    listed = [(feed, next(t for t, kind in types.items() if kind == array.dtype), list(array.shape), array.ravel().tolist())
              for feed, array in feeds.items()]
    judged.append((f"{name}: as expected", path, written(f"{name}.told", told), listed))
    if code == 0:
        judged.append((f"{name}: optimised", path, after, listed))
        return onnx.load_from_string(after.read_bytes())
    return made


ties = [0.5, 1.5, 2.5, -0.5, -1.5, 0.0, -0.0, 7.5, 8.0, -8.5, -9, 15.5, 16, 447, 449, 1e6, -1e6, 17.5, 18.5, 0.01, 2.0 ** -9, 2.0 ** -10,
        2.0 ** -11, 3 * 2.0 ** -11, 2.0 ** -17, 57344, 61440, 3e38, 0.3, -0.7, 100.1, 239.9, 248, 1.0625, 1.1875]
random = numpy.random.default_rng(4)
x = numpy.concatenate([numpy.array(ties), random.normal(size=93) * 4, random.normal(size=64) * 2.0 ** random.integers(-18, 17, 64)])
x = x.astype(numpy.float32)
numpy.seterr(over="ignore")
for kind in FLOATS8:
    zero = stored("z", kind, [0], [])
    runs(f"quantise{kind}", model([node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z")], [value("x", x.shape)],
         [value("y", x.shape)], [floats("s", 0.5), zero], 19), {"x": x}, float8(kind, x / numpy.float32(0.5)) * numpy.float32(0.5))
    runs(f"cast{kind}", model([node("Cast", "x", "q", to=kind), node("Cast", "q", to=FLOAT)], [value("x", x.shape)], [value("y", x.shape)],
         (), 19), {"x": x}, float8(kind, x))
for kind in (UINT4, INT4):
    first = 3 if kind == UINT4 else -2
    expected = (steps(kind, numpy.rint(x / numpy.float32(0.25)) + first) - first) * numpy.float32(0.25)
    chain = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z")]
    runs(f"quantise{kind}", model(chain, [value("x", x.shape)], [value("y", x.shape)], [floats("s", 0.25), stored("z", kind, [first], [])]),
         {"x": x}, expected.astype(numpy.float32))
    said = [node("QuantizeLinear", "x s", "q", output_dtype=kind), node("DequantizeLinear", "q s")]
    runs(f"said{kind}", model(said, [value("x", x.shape)], [value("y", x.shape)], [floats("s", 0.25)]), {"x": x},
         (steps(kind, x / numpy.float32(0.25)) * numpy.float32(0.25)).astype(numpy.float32))
    whole = numpy.arange(-40, 41, dtype=numpy.int32)
    wrapped = (whole + 8) % 16 - 8 if kind == INT4 else whole % 16
    runs(f"wrap{kind}", model([node("Cast", "x", "q", to=kind), node("Cast", "q", to=INT32)], [value("x", whole.shape, INT32)],
         [value("y", whole.shape, INT32)]), {"x": whole}, wrapped.astype(numpy.int32))

# Weights of 4 bits, with a scale for all, for each row, for each block of three (of seven: the last one is short).
weights = random.integers(-8, 8, (5, 7))
a = random.normal(size=(5, 7)).astype(numpy.float32)
for typed in (False, True):
    held = stored("w", INT4, weights.ravel(), [5, 7], typed)
    for name, scale, spread, attributes in (
            ("all", numpy.array(0.1), lambda s: s, {}),
            ("rows", random.random(5), lambda s: s[:, None], {"axis": 0}),
            ("blocks", random.random((5, 3)), lambda s: numpy.repeat(s, 3, 1)[:, :7], {"axis": 1, "block_size": 3})):
        scale = scale.astype(numpy.float32)
        made = model([node("DequantizeLinear", "w s", "f", **attributes), node("Add", "x f")], [value("x", a.shape)], [value("y", a.shape)],
                     [held, floats("s", scale)])
        done = runs(f"{name}{typed}", made, {"x": a}, a + weights.astype(numpy.float32) * spread(scale))
        kept = [tensor for tensor in done.graph.initializer if tensor.data_type == INT4]
        checks.that(all(tensor.raw_data == stored("w", INT4, weights.ravel(), [5, 7]).raw_data for tensor in kept),
                    f"{name}: other bytes than were read")

# What is moved is moved as it is, also where scales are one for each position of an axis; weights in a file of their own.
scales = random.random(4).astype(numpy.float32) + numpy.float32(0.1)
shape = [2, 4, 3]
image = random.normal(size=shape).astype(numpy.float32)
around = [node("QuantizeLinear", "x s z", "q", axis=1), node("DequantizeLinear", "q s z", "d", axis=1),
          node("Transpose", "d", "t", perm=[1, 2, 0]), node("QuantizeLinear", "t s z", "r", axis=0), node("DequantizeLinear", "r s z", axis=0)]
per_axis = numpy.clip(numpy.rint(image / scales[None, :, None]), -8, 7) * scales[None, :, None]
done = runs("moved", model(around, [value("x", shape)], [value("y", [4, 3, 2])], [floats("s", scales), stored("z", INT4, [0] * 4, [4])]),
            {"x": image}, per_axis.transpose(1, 2, 0).astype(numpy.float32))
checks.that([each.op_type for each in done.graph.node].count("QuantizeLinear") == 1, f"moved: {[e.op_type for e in done.graph.node]}")

external = model([node("DequantizeLinear", "w s", "f"), node("Add", "x f")], [value("x", a.shape)], [value("y", a.shape)],
                 [stored("w", INT4, weights.ravel(), [5, 7]), floats("s", 0.5)])
weight = external.graph.initializer[0]
(folder / "weights.bin").write_bytes(weight.raw_data)
weight.ClearField("raw_data")
weight.data_location = TensorProto.EXTERNAL
for key, text in (("location", "weights.bin"), ("offset", "0"), ("length", "18")):
    entry = weight.external_data.add()
    entry.key, entry.value = key, text
runs("external", external, {"x": a}, a + weights.astype(numpy.float32) * numpy.float32(0.5))

# No meaning: casts that do not saturate, and operators that do not take these types. They stay, and what is around them is rewritten.
for name, nodes, result in (
        ("unsaturated", [node("Cast", "x", "q", to=17, saturate=0), node("Identity", "q", "i"), node("Cast", "i", to=FLOAT)], FLOAT),
        ("gathered", [node("Cast", "x", "q", to=INT4), node("Identity", "q", "i"), node("Gather", "i n", "g"), node("Cast", "g", to=FLOAT)],
         FLOAT)):
    path, after = written(name, model(nodes, [value("x", [4])], [value("y", None)],
                                      [numpy_helper.from_array(numpy.array([0, 2], numpy.int64), "n")],
                                      declared=[value("q", [4], 17 if name == "unsaturated" else INT4)])), folder / "after.onnx"
    code, out, errors = vouch("optimize", path, "-o", after)
    checks.that(code == 0, f"{name}: {errors[-300:]}")
    left = [each for each in onnx.load_from_string(after.read_bytes()).graph.node] if code == 0 else []
    checks.that([each.op_type for each in left] == [each.op_type for each in nodes if each.op_type != "Identity"], f"{name}: {left}")
    checks.that(name != "unsaturated" or any(a.name == "saturate" and a.i == 0 for a in left[0].attribute), f"{name}: saturates")

# Claims that hold for other types, or nearly.
RULES = """
rule lost_float8 { let x = * {dtype = float32}; source Cast(Cast(x) {to = float8e4m3fn}) {to = float32}; target x; }
rule only_clipped { let x = * {dtype = float32}; source Cast(Cast(x) {to = float8e4m3fn}) {to = float32};
  target Clip(x, const {value = -448.0, rank = 0, dtype = float32}, const {value = 448.0, rank = 0, dtype = float32}); }
rule other_form { let x = * {dtype = float8e5m2}; source Cast(Cast(x) {to = float8e4m3fn}) {to = float8e5m2}; target x; }
rule other_zero { let x = * {dtype = float32}; source Cast(Cast(-x) {to = float8e4m3fnuz}) {to = float32};
  target -Cast(Cast(x) {to = float8e4m3fnuz}) {to = float32}; expect sound exact; }
rule lost_int4 { let x = * {dtype = int32}; source Cast(Cast(x) {to = int4}) {to = int32}; target x; }
rule other_sign { let x = * {dtype = uint4}; source Cast(Cast(x) {to = int4}) {to = int8}; target Cast(x) {to = int8}; }
rule quantised_by_another { let x = *; let s = const {rank = 0}; let t = const {rank = 0}; let z = const {rank = 0, dtype = float8e5m2};
  where s.value > 0, t.value > 0; source QuantizeLinear(DequantizeLinear(x, s, z), t, z); target x; }
rule unquantised { let x = * {dtype = float32}; let s = const {rank = 0}; let z = const {rank = 0, dtype = float8e4m3fn};
  where s.value > 0; source DequantizeLinear(QuantizeLinear(x, s, z), s, z); target x; }
rule unquantised_int4 { let x = * {dtype = float32}; let s = const {rank = 0}; let z = const {rank = 0, dtype = int4};
  where s.value > 0; source DequantizeLinear(QuantizeLinear(x, s, z), s, z); target x; }
rule relu_before { let x = * {dtype = float32}; let s = const {rank = 0}; let z = const {rank = 0, dtype = int4};
  where s.value > 0, z.value == -7; source QuantizeLinear(Relu(x), s, z); target QuantizeLinear(x, s, z); }
rule blocks_of_another_size { let q = * {rank = 2, dtype = int4}; let s = const {rank = 2};
  let d = DequantizeLinear(q, s, _) {axis = 1, block_size = 2};
  source d; target DequantizeLinear(q, s, _) {axis = 1, block_size = 3}; }
rule wide_again { let x = * {dtype = int4}; source Cast(Cast(x) {to = int8}) {to = int4}; target x; }
rule wide_float_again { let x = * {dtype = float8e4m3fn}; source Cast(Cast(x) {to = float32}) {to = float8e4m3fn}; target x; }
rule wide_between { let x = * {dtype = uint4}; source Cast(Cast(x) {to = float8e4m3fn}) {to = float32}; target Cast(x) {to = float32}; }
rule transposed_blocks { let q = * {rank = 2, dtype = int4}; let s = const {rank = 2};
  let d = DequantizeLinear(q, s, _) {axis = 1, block_size = 2};
  source Transpose(d) {perm = (1, 0)};
  target DequantizeLinear(Transpose(q) {perm = (1, 0)}, Transpose(s) {perm = (1, 0)}, _) {axis = 0, block_size = 2}; }
"""
TRUE = {"wide_again", "wide_float_again", "wide_between", "transposed_blocks"}
file = folder / "claims.gsl"
file.write_text(RULES)
code, out, errors = vouch("check", file, "--no-repair", seconds=300)
verdicts = {line.split()[0]: line.split()[1] for line in out.splitlines() if line and line[0].isalpha() and len(line.split()) > 1}
for name in [line.split()[1] for line in RULES.splitlines() if line.startswith("rule ")]:
    verdict = verdicts.get(name)
    holds = verdict == "sound" if name in TRUE else verdict in ("unsound", "unknown")
    checks.that(holds, f"{name}: {verdict}: {errors[-200:]}")

for name, answer in (judge(sys.argv[1], root, folder, judged) or {}).items():
    checks.that(answer["b"] is None and (answer["a"] is not None or answer["difference"] < 1e-6), f"ONNX Runtime: {name}: {answer}")
checks.end()

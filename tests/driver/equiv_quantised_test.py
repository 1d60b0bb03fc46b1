"""Pairs of quantised models: the form with QuantizeLinear and DequantizeLinear around operators of floats, and the form with operators
of integers. Equal ones are proven so; others, with one thing wrong, are never equal. Numpy judges both (numpy_quantised.py): equal pairs
differ by a step where a quotient is nearly a tie and nowhere else, different ones on the very input that is shown."""
import json
import pathlib
import shutil
import sys

from command import Checks, Vouch
from model_pairs import FLOAT, INT8, UINT8, Pairs, model, node, value

import numpy
import numpy_quantised
from onnx import numpy_helper

checks = Checks()
vouch = Vouch(sys.argv[1])
pairs = Pairs(vouch, checks)
random = numpy.random.default_rng(20)
KINDS = {UINT8: numpy.uint8, INT8: numpy.int8}
WITHIN = "equal (real)"  # perhaps with weights that were rounded ahead of time: the verdict says within what


def held(**arrays):
    return {name: numpy.asarray(array) for name, array in arrays.items()}


def scale(low=0.01):
    return numpy.float32(low * (1 + random.random()))


def zero(kind, at=None):
    return KINDS[kind](random.integers(100, 150) - (128 if kind == INT8 else 0) if at is None else at)


def made(nodes, x, arrays, before="sx zx", after="sy zy"):
    """From a float input to a float output, through steps of both."""
    first = [node("QuantizeLinear", f"x {before}", "q")] if before else []
    last = [node("DequantizeLinear", f"r {after}")] if after else []
    nodes = first + nodes + last
    read = {name for each in nodes for name in each.input}
    return model(nodes, [value("x", x)], [value("y", None)],
                 [numpy_helper.from_array(array, name) for name, array in arrays.items() if name in read])


def computed(proto, x):
    values = {array.name: numpy_helper.to_array(array) for array in proto.graph.initializer}
    return numpy_quantised.run(proto, {**values, "x": x})[0]


def same(name, shape, a, b, step):
    """`step`: of the output; 0 where it is not quantised."""
    pairs.is_equal(name, a, b, WITHIN)
    for _ in range(3):
        x = random.normal(size=shape).astype(numpy.float32)
        off = numpy.abs(computed(a, x) - computed(b, x))
        most = step * 1.001 if step else 1e-4
        checks.that(off.max() <= most and (off > 1e-4).mean() < 0.05, f"{name}: numpy sees {off.max()} between what is called equal")


def apart(name, a, b, shown=True):
    pairs.never_equal(name, a, b)
    if not shown:
        return
    place = pathlib.Path(pairs.folder)
    paths = [place / "first.onnx", place / "second.onnx"]
    for path, proto in zip(paths, (a, b)):
        path.write_bytes(proto.SerializeToString())
    shutil.rmtree(place / "input", ignore_errors=True)
    code, _, errors = vouch("equiv", *paths, "--repro", place / "input", seconds=120)
    checks.that(code == 1, f"{name}: exit code {code}, it is different: {errors[-200:]}")
    if code == 1:
        told = json.loads(next((place / "input").glob("in_*.json")).read_text())
        file = next((place / "input").glob("in_*.bin"))
        x = numpy.fromfile(file, told["type"]).reshape(told["dims"])
        checks.that(numpy.abs(computed(a, x) - computed(b, x)).max() > 1e-4, f"{name}: numpy sees no difference on the input that is shown")


def convolution(kind, bias, each_channel, **how):
    channels = 4 // how.get("group", 1)
    sw = random.random(6).astype(numpy.float32) * 0.02 + 0.001 if each_channel else scale()
    arrays = held(sx=scale(), zx=zero(kind), sw=sw, zw=numpy.zeros(6, numpy.int8) if each_channel else numpy.int8(0), sy=scale(0.03), zy=zero(kind),
                  w=random.integers(-127, 128, (6, channels, 3, 3)).astype(numpy.int8), b=random.integers(-900, 900, 6).astype(numpy.int32))
    arrays["sb"] = (arrays["sx"] * arrays["sw"]).astype(numpy.float32)
    arrays["zb"] = numpy.zeros(arrays["sb"].shape, numpy.int32)
    return arrays


def of_floats(bias, **how):
    parts = [node("DequantizeLinear", "q sx zx", "f"), node("DequantizeLinear", "w sw zw", "v", axis=0)]
    parts += [node("DequantizeLinear", "b sb zb", "c", axis=0)] if bias else []
    return parts + [node("Conv", "f v c" if bias else "f v", "d", **how), node("QuantizeLinear", "d sy zy", "r")]


def of_integers(bias, **how):
    return [node("QLinearConv", "q sx zx w sw zw sy zy b" if bias else "q sx zx w sw zw sy zy", "r", **how)]


def convolutions():
    shape = (1, 4, 6, 5)
    for kind in (UINT8, INT8):
        for bias in (False, True):
            for each_channel in (False, True):
                for how in ({}, {"pads": [1, 1, 1, 1], "strides": [2, 2]}, {"group": 2, "pads": [0, 1, 1, 0]}):
                    arrays = convolution(kind, bias, each_channel, **how)
                    same(f"convolution of {kind}, bias {bias}, each channel {each_channel}, {how}", shape, made(of_floats(bias, **how), shape, arrays),
                         made(of_integers(bias, **how), shape, arrays), float(arrays["sy"]))
    arrays = convolution(UINT8, True, True)
    good = made(of_floats(True), shape, arrays)
    wrong = {"the zero point of x": {"zx": zero(UINT8, int(arrays["zx"]) + 3)}, "the scale of x": {"sx": arrays["sx"] * numpy.float32(1.03)},
             "a scale of w": {"sw": arrays["sw"] * numpy.float32(1.05)}, "scales in the other order": {"sw": arrays["sw"][::-1].copy()},
             "the bias": {"b": arrays["b"] + 400}, "the zero point of y": {"zy": zero(UINT8, int(arrays["zy"]) + 1)}}
    for name, change in wrong.items():
        changed = made([node("QLinearConv", "q ax az w aw zw sy ay ab", "r")], shape, arrays | {
            "ax": change.get("sx", arrays["sx"]), "az": change.get("zx", arrays["zx"]), "aw": change.get("sw", arrays["sw"]),
            "ay": change.get("zy", arrays["zy"]), "ab": change.get("b", arrays["b"])})
        apart(f"convolution, {name}", good, changed)
    apart("convolution, no bias", good, made(of_integers(False), shape, arrays))
    padded = made(of_floats(True, pads=[1, 1, 0, 0]), shape, arrays)
    apart("convolution, padded at the other end", padded, made(of_integers(True, pads=[0, 0, 1, 1]), shape, arrays))


def products():
    shape = (3, 7)
    for kind in (UINT8, INT8):
        arrays = held(sx=scale(), zx=zero(kind), sw=scale(), zw=numpy.int8(3), sy=scale(0.03), zy=zero(kind),
                      w=random.integers(-127, 128, (7, 5)).astype(numpy.int8))
        parts = [node("DequantizeLinear", "q sx zx", "f"), node("DequantizeLinear", "w sw zw", "v"), node("MatMul", "f v", "d"),
                 node("QuantizeLinear", "d sy zy", "r")]
        floats = made(parts, shape, arrays)
        integers = [node("QLinearMatMul", "q sx zx w sw zw sy zy", "r")]
        same(f"product of {kind}", shape, floats, made(integers, shape, arrays), float(arrays["sy"]))
        apart(f"product of {kind}, the zero point of w left out", floats, made(integers, shape, arrays | {"zw": numpy.int8(0)}))
        apart(f"product of {kind}, another weight", floats, made(integers, shape, arrays | {"w": arrays["w"] + (numpy.arange(35).reshape(7, 5) == 11)}))
    arrays = held(sw=scale(), zw=numpy.int8(0), w=random.integers(-127, 128, (7, 5)).astype(numpy.int8))
    floats = [node("DynamicQuantizeLinear", "x", "q s z"), node("DequantizeLinear", "q s z", "f"), node("DequantizeLinear", "w sw zw", "v"),
              node("MatMul", "f v")]
    integers = [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z zw", "i"), node("Cast", "i", "f", to=FLOAT),
                node("Mul", "s sw", "t"), node("Mul", "f t")]
    plain = lambda nodes, change={}: made(nodes, shape, arrays | change, "", "")
    same("product of what is quantised as it comes", shape, plain(floats), plain(integers), 0)
    apart("product of what is quantised as it comes, no zero point", plain(floats),
          plain([integers[0], node("MatMulInteger", "q w", "i")] + integers[2:]))


def elements():
    shape = (2, 9)
    for kind in (UINT8, INT8):
        for op in ("Add", "Mul"):
            arrays = held(sx=scale(), zx=zero(kind), sw=scale(), zw=zero(kind), sy=scale(0.03), zy=zero(kind),
                          w=random.integers(0, 100, (9,)).astype(KINDS[kind]))
            floats = made([node("DequantizeLinear", "q sx zx", "f"), node("DequantizeLinear", "w sw zw", "v"), node(op, "f v", "d"),
                           node("QuantizeLinear", "d sy zy", "r")], shape, arrays)
            fused = lambda zeros: made([node(f"QLinear{op}", f"q sx zx w sw {zeros}", "r", domain="com.microsoft")], shape, arrays)
            same(f"{op} of {kind}", shape, floats, fused("zw sy zy"), float(arrays["sy"]))
            apart(f"{op} of {kind}, zero points in the other order", floats, fused("zy sy zw"))


def parts():
    """QuantizeLinear, by the operators that it is made of."""
    shape, arrays = (40, 40), held(s=numpy.float32(0.5), z=numpy.float32(7), low=numpy.float32(0), high=numpy.float32(255), sy=numpy.float32(0.5),
                                   zy=numpy.uint8(7), half=numpy.float32(0.5), zero=numpy.float32(0))
    quantised = made([node("QuantizeLinear", "x sy zy", "r")], shape, arrays, "")
    steps = lambda *rounding: made([node("Div", "x s", "a"), *rounding, node("Add", "b z", "c"), node("Clip", "c low high", "d"),
                                    node("Cast", "d", "r", to=UINT8)], shape, arrays, "")
    pairs.never_exact("by its parts", quantised, steps(node("Round", "a", "b")))
    apart("half up, and to even", quantised, steps(node("Add", "a half", "e"), node("Floor", "e", "b")), shown=False)
    apart("downwards", quantised, steps(node("Floor", "a", "b")))
    relu = made([node("Relu", "x", "p"), node("QuantizeLinear", "p sy zy", "r")], shape, arrays, "")
    apart("a Relu left out, where the zero point is not the least", relu, quantised)


def wraps():
    """Integers that wrap around are not the numbers that they stand for."""
    arrays = held(two=numpy.int8(2), s=numpy.float32(0.1), t=numpy.float32(0.2), u=numpy.float32(0.2) + numpy.float32(2e-8))
    wide = lambda nodes: model(nodes, [value("x", (2, 3), INT8)], [value("y", (2, 3))],
                               [numpy_helper.from_array(array, name) for name, array in arrays.items()], opset=14)
    doubled = wide([node("Mul", "x two", "d"), node("DequantizeLinear", "d s")])
    for other in "tu":
        pairs.never_equal(f"twice a byte, and twice its scale ({other})", doubled, wide([node("DequantizeLinear", f"x {other}")]))
    large = lambda c: model([node("Mul", "x c")], [value("x", (2, 3), 7)], [value("y", (2, 3), 7)], [numpy_helper.from_array(numpy.int64(c), "c")])
    pairs.never_equal("two large factors", large(10 ** 9), large(10 ** 9 + 1))


convolutions()
products()
elements()
parts()
wraps()
checks.that(pairs.equal >= 30 and pairs.kept_apart >= 20, f"{pairs.equal} pairs asked to be equal, {pairs.kept_apart} to be apart")
print(dict(pairs.verdicts))
checks.end()

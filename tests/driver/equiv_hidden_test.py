"""What cannot be seen, and what is hard to see. Outputs that are one whatever a part of the model computes (weights of 0, a softmax of one
element or of equal ones) are equal, though tensors before them differ; neighbours that let a little through are not. Differences
behind large sums, small factors and at odd sizes alone are found, with an input on which `vouch run` shows them. All is worked
out by hand."""
import json
import pathlib
import shutil
import sys
import tempfile

import numpy

from command import Checks, Vouch
from model_pairs import FLOAT, INT64, Pairs, ints, model, node, tensor, value

checks = Checks()
vouch = Vouch(sys.argv[1])
pairs = Pairs(vouch, checks)
TURNS = 15
folder = pathlib.Path(tempfile.mkdtemp())
apart, same = pairs.never_equal, pairs.is_equal
scalar = lambda v, name="c": tensor(name, [v], [])
filled = lambda name, v, *dims: tensor(name, [v] * int(numpy.prod(dims)), list(dims))


def but(made, at, v):
    """A constant with one element that is another."""
    made.float_data[at] = v
    return made


def of(nodes, *constants, x, y, kind=FLOAT, **more):
    return model(nodes, [value("x", x)], [value("y", y, kind)], constants, **more)


def heads(nodes, *constants, x=(1, 4), y=(1, 3), **more):
    """The same behind two functions of x that have nothing in common, and are too long for one region: u is what Sin(x), or Exp(x), leads
    to by factors and sines in turns."""
    turns = [node(op, f"u{k} k" if op == "Mul" else f"u{k}", f"u{k + 1}") for k, op in enumerate(["Mul", "Sin"] * TURNS)]
    turns[-1].output[0] = "u"
    return [of([node(op, "x", "u0"), *turns, *nodes], *constants, scalar(1.5, "k"), x=x, y=y, **more) for op in ("Sin", "Exp")]


def hidden():
    """Each with neighbours that let u through."""
    classifier = [node("Gemm", "u w b", "t", transB=1), node("Softmax", "t")]
    w, b = (lambda: filled("w", 0.02, 3, 4)), (lambda: filled("b", 0.02, 3))
    same("equal rows before a softmax", *heads(classifier, w(), b()))
    apart("of one weight that is another", *heads(classifier, but(w(), 5, 0.021), b()))
    apart("of one weight that is another by little", *heads(classifier, but(w(), 0, 0.0200001), b()))
    apart("equal rows before a sigmoid", *heads([classifier[0], node("Sigmoid", "t")], w(), b()))
    apart("equal rows, softmax over the batch", *heads([classifier[0], node("Softmax", "t", axis=0)], w(), b(), x=(2, 4), y=(2, 3)))
    made = [node("ConstantOfShape", "s", "v", value=tensor("value", [0.02])), node("Reshape", "v f", "w"), *classifier]
    same("rows that are filled and reshaped", *heads(made, ints("s", 1, 1, 3, 4), ints("f", 3, 4), b()))
    conv = [node("Conv", "u w b")]
    image = {"x": (1, 2, 4, 4), "y": (1, 2, 2, 2)}
    zero = lambda: filled("w", 0.0, 2, 2, 3, 3)
    bias = lambda: tensor("b", [1.0, -2.0])
    same("a convolution by 0", *heads(conv, zero(), bias(), **image))
    apart("by 0 but for one corner", *heads(conv, but(zero(), 35, 1e-3), bias(), **image))
    apart("by 0, of another bias", heads(conv, zero(), bias(), **image)[0], heads(conv, zero(), tensor("b", [1.0, -2.001]), **image)[1])
    norm = [node("BatchNormalization", "u s b m v")]
    channels = lambda s: [tensor(n, v) for n, v in (("s", s), ("b", [1.0, 2.0]), ("m", [0.5, 1.0]), ("v", [1.0, 4.0]))]
    planes = {"x": (1, 2, 3, 3), "y": (1, 2, 3, 3)}
    same("a normalisation of scale 0", *heads(norm, *channels([0.0, 0.0]), **planes))
    apart("of scale 0 in one channel", *heads(norm, *channels([0.0, 1e-4]), **planes))


def alone():
    """An axis of one element, and of two."""
    for op, more in (("Softmax", {"axis": 1}), ("Hardmax", {"axis": 1}), ("LogSoftmax", {"axis": 1})):
        one = {"x": (3, 1), "y": (3, 1)}
        if op != "Hardmax":
            same(f"{op} of one element", *heads([node(op, "u", **more)], **one))
        apart(f"{op} of two", *heads([node(op, "u", **more)], x=(3, 2), y=(3, 2)))
    apart("ArgMax of two", *heads([node("ArgMax", "u", axis=1, keepdims=1)], x=(3, 2), y=(3, 1), kind=INT64))
    centred = [node("ReduceMean", "u", "m", axes=[1]), node("Sub", "u m")]
    same("less its mean, of one element", *heads(centred, x=(3, 1), y=(3, 1)))
    apart("less its mean, of two", *heads(centred, x=(3, 2), y=(3, 2)))


def factors():
    row = {"x": (2, 3), "y": (2, 3)}
    weak = [node("Mul", "u c", "t"), node("Add", "t d")]
    for numbers, equal in (((0.0, 0.0, 0.0), True), ((0.0, 0.0, 1e-5), False), ((0.0, -1e-20, 0.0), False)):
        (same if equal else apart)(f"times {numbers}", *heads(weak, tensor("c", numbers), tensor("d", [1.0, 2.0, 3.0]), **row))
    same("what is taken from itself", *heads([node("Sub", "u u", "t"), node("Add", "t c")], scalar(2.0), **row))
    apart("what is taken from nearly itself", *heads([node("Mul", "u f", "v"), node("Sub", "u v", "t"), node("Add", "t c")],
                                                     scalar(2.0), scalar(0.999, "f"), **row))
    apart("a bound that few inputs pass", *heads([node("Min", "u c")], scalar(0.99), **row))
    apart("a bound above most", *heads([node("Max", "u c")], scalar(0.5), **row))


def drowned():
    """Small differences behind what is large; found, since nothing else differs."""
    sum_of = lambda c: of([node("ReduceSum", "x a", "t", keepdims=1), node("Add", "t c")], ints("a", 0, 1), scalar(c), x=(64, 64), y=(1, 1))
    seen("a term in a sum of 4096", sum_of(0.01), sum_of(0.01001))
    weak = lambda c: of([node("Mul", "x c", "t"), node("Mul", "t d", "u"), node("Add", "u x")], tensor("c", c), scalar(1e-2, "d"), x=(2, 3), y=(2, 3))
    seen("a factor by a thousandth, times a hundredth", weak([1.0, 0.3, 0.7]), weak([1.0, 0.3003, 0.7]))
    square = lambda e: of([node("Mul", "x x", "q"), node("ReduceMean", "q", "m", axes=[1]), node("Add", "m e", "v"), node("Sqrt", "v", "r"), node("Div", "x r")],
                          scalar(e, "e"), x=(4, 64), y=(4, 64))
    seen("an epsilon of a root mean square", square(1e-6), square(3e-6))
    norm = lambda e: of([node("InstanceNormalization", "x s b", epsilon=e)], tensor("s", [1.0, 1.0]), tensor("b", [0.0, 0.0]), x=(1, 2, 8, 8), y=(1, 2, 8, 8))
    seen("an epsilon of a normalisation", norm(1e-6), norm(5e-6))
    soft = lambda c: of([node("Mul", "x c", "t"), node("Softmax", "t")], scalar(c), x=(2, 64), y=(2, 64))
    seen("the temperature of a softmax", soft(0.1), soft(0.1001))
    late = lambda c: of([node("Tanh", "x", "t"), node("Min", "t c", "u"), node("Add", "u x")], scalar(c), x=(2, 3), y=(2, 3))
    seen("a bound that only large inputs reach", late(0.9999), late(0.999))
    above = lambda c: of([node("Clip", "x a c")], scalar(-1.0, "a"), scalar(c), x=(2, 3), y=(2, 3))
    seen("a bound far from 1", above(60.0), above(61.0))


def odd():
    """One function at even sizes."""
    pool = lambda op="MaxPool", **how: of([node(op, "x", kernel_shape=[2, 2], strides=[2, 2], **how)], x=("n", 2, "h", "w"), y=("n", 2, "p", "q"))
    seen("a maximum, rounded up", pool(), pool(ceil_mode=1))
    seen("a maximum, padded at the end", pool(), pool(pads=[0, 0, 1, 1]))
    seen("a mean, padded at the end", pool("AveragePool"), pool("AveragePool", pads=[0, 0, 1, 1]))
    given = folder / "given"
    given.mkdir()
    numpy.linspace(-1, 1, 2 * 32 * 64, dtype="float32").tofile(given / "in_x.float32.bin")
    (given / "in_x.json").write_text(json.dumps({"name": "x", "type": "float32", "dims": [1, 2, 32, 64]}))
    deep = lambda **how: of([node("Relu", "x", "a"), node("MaxPool", "a", "b", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
                             node("MaxPool", "b", "c", kernel_shape=[2, 2], strides=[2, 2], **how), node("GlobalAveragePool", "c")],
                            x=("n", 2, "h", "w"), y=("n", 2, 1, 1))
    seen("behind another halving, at sizes that are given", deep(), deep(pads=[0, 0, 1, 1]), "--io", given)


def tolerances():
    row = {"x": (2, 3), "y": (2, 3)}
    twice = lambda p, q: of([node("Mul", "x p", "s"), node("Sin", "x", "u"), node("Mul", "u q", "t"), node("Add", "s t")], scalar(p, "p"), scalar(q, "q"), **row)
    apart("a parameter that stands twice, and once off by 1e-5", twice(0.3, 0.3), twice(0.3, 0.300003))
    apart("two that are exchanged", twice(0.3, 0.300003), twice(0.300003, 0.3))
    apart("one that is the other's", twice(0.3, 0.7), twice(0.3, 0.3))
    same("one that is the other's, of equal functions", twice(0.3, 0.3), twice(0.3, 0.3))
    power = lambda c: of([node("Pow", "x c")], scalar(c), **row)
    apart("a square, and nearly one", power(2.0), power(2.00001))


def seen(name, a, b, *options):
    """`different`, and so by `vouch run` on the input that comes with it."""
    apart(name, a, b, *options)
    paths = [folder / "a.onnx", folder / "b.onnx"]
    for path, made in zip(paths, (a, b)):
        path.write_bytes(made.SerializeToString())
    shown = folder / "shown"
    shutil.rmtree(shown, ignore_errors=True)
    code, _, errors = vouch("equiv", *paths, "--repro", shown, *options)
    checks.that(code == 1, f"{name}: {code} {errors}")
    given = next((path.parent for path in shown.rglob("in_*.json")), None) if shown.exists() else None
    if given is None:
        return checks.that(False, f"{name}: no input")
    outputs = [run(path, given) for path in paths]
    x, y = outputs
    off = numpy.abs(x - y).max() / max(numpy.abs(x).max(), numpy.abs(y).max()) if x.shape == y.shape else 1
    print(f"  by vouch run: {off:.1e}")
    checks.that(off > 1e-6, f"{name}: {off} apart")


def run(path, given):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    inputs = folder / "inputs"
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir()
    for file in given.glob("in_*"):
        shutil.copy(file, inputs)
    code, _, errors = vouch("run", path, "--io", inputs, "--out", out)
    checks.that(code == 0, errors)
    about = json.loads(next(out.glob("*.json")).read_text())
    return numpy.fromfile(next(out.glob("*.bin")), about["type"]).reshape(about["dims"]).astype(float)


for group in (hidden, alone, factors, drowned, odd, tolerances):
    group()
print(f"{pairs.kept_apart} pairs that differ, {pairs.equal} that do not, each in both orders: {dict(pairs.verdicts)}")
checks.that(pairs.kept_apart >= 30 and pairs.equal >= 10, "pairs")
checks.end()

"""Pairs that differ at one seam each: a rounding, a tie, NaN, the sign of zero, an integer that wraps, an assumption, a size, a rank, an
opset, a zero point, an empty tensor, an output given twice. Each is almost the same function; none may be called equal. Why they differ
is worked out from ONNX's definitions and IEEE 754, by hand. Those that are equal where the seam is closed show that it is the seam."""
import math
import sys

from command import Checks, Vouch
from model_pairs import BOOL, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, UINT8, Pairs, helper, ints, model, node, tensor, value

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
apart, inexact, same = pairs.never_equal, pairs.never_exact, pairs.is_equal
scalar = lambda v, name="c", kind=FLOAT: tensor(name, [v], [], kind)
of = lambda nodes, *constants, x=(2, 3), y=None, kind=FLOAT, to=None, **more: model(
    nodes, [value("x", x, kind)], [value("y", y, to or kind)], constants, **more)
identity = of([node("Identity", "x")])


def rounding():
    inexact("(x + 1) - 1 and x", of([node("Add", "x c", "t"), node("Sub", "t c")], scalar(1.0)), identity)
    inexact("x * 3 / 3", of([node("Mul", "x c", "t"), node("Div", "t c")], scalar(3.0)), identity)
    inexact("x / 3 and a third of x", of([node("Div", "x c")], scalar(3.0)), of([node("Mul", "x c")], scalar(1 / 3)))
    inexact("a * (b + x), spread out", of([node("Add", "x b", "t"), node("Mul", "t c")], scalar(2.5), scalar(1.25, "b")),
            of([node("Mul", "x c", "t"), node("Add", "t b")], scalar(2.5), scalar(3.125, "b")))
    down = lambda through: of([node("Cast", "x", "t", to=through), node("Cast", "t", to=FLOAT)])
    apart("rounded to half, and not", down(HALF), down(DOUBLE))
    apart("rounded to half before and after a sum", of([node("Cast", "x", "h", to=HALF), node("Add", "h h", "t"), node("Add", "t h", "u"), node("Cast", "u", to=FLOAT)]),
          of([node("Add", "x x", "t"), node("Add", "t x", "u"), node("Cast", "u", "h", to=HALF), node("Cast", "h", to=FLOAT)]))


def doubles():
    scaled = lambda c, op="Mul": of([node(op, "x c")], scalar(c, kind=DOUBLE), kind=DOUBLE)
    apart("scales of float64", scaled(0.7), scaled(0.701))
    apart("bounds of float64", scaled(0.7, "Max"), scaled(0.75, "Max"))


def ties():
    shifted = lambda op, c: of([node("Add", "x c", "t"), node(op, "t")], scalar(c))
    apart("half to even, and half down", of([node("Round", "x")]), shifted("Ceil", -0.5))
    apart("the first of equal maxima, and the last", *(of([node("ArgMax", "x", axis=1, select_last_index=k)], to=INT64) for k in (0, 1)))
    apart("at least and more than", *(of([node(op, "x c", "t"), node("Where", "t d c")], scalar(1.0), scalar(2.0, "d"))
                                      for op in ("Greater", "GreaterOrEqual")))
    flag = lambda op: of([node(op, "x c", "t"), node("Cast", "t", to=FLOAT)], scalar(0.5))
    apart("less, and at most", flag("Less"), flag("LessOrEqual"))
    apart("truncated, and the floor", of([node("Cast", "x", "t", to=INT32), node("Cast", "t", to=FLOAT)]), of([node("Floor", "x")]))


def not_numbers():
    inexact("x == x, and 0 x + 1", of([node("Equal", "x x", "t"), node("Cast", "t", to=FLOAT)]),
            of([node("Mul", "x z", "t"), node("Add", "t c")], scalar(1.0), scalar(0.0, "z")))
    inexact("x * 0 and x - x", of([node("Mul", "x c")], scalar(0.0)), of([node("Sub", "x x")]))
    inexact("the larger of x and itself, and x + 0, at -0", of([node("Max", "x x")]), of([node("Add", "x z")], scalar(0.0, "z")))
    not_less = of([node("Less", "x c", "t"), node("Not", "t")], scalar(0.5), to=BOOL)
    inexact("not less, and at least", not_less, of([node("GreaterOrEqual", "x c")], scalar(0.5), to=BOOL))


def zeros():
    inexact("-x and 0 - x", of([node("Neg", "x")]), of([node("Sub", "c x")], scalar(0.0)))
    inexact("x + 0 and x + -0", of([node("Add", "x c")], scalar(0.0)), of([node("Add", "x c")], scalar(-0.0)))
    inexact("1 / (x + 0) and 1 / x", of([node("Add", "x c", "t"), node("Reciprocal", "t")], scalar(0.0)), of([node("Reciprocal", "x")]))
    sloped = lambda alpha: of([node("LeakyRelu", "x", alpha=alpha)])
    inexact("slopes of 0 and of -0", sloped(0.0), sloped(-0.0))
    filled = lambda fill: of([node("ConstantOfShape", "s", "c", value=tensor("v", [fill])), node("Mul", "x c")], ints("s", 2, 3))
    inexact("fills of 0 and of -0", filled(0.0), filled(-0.0))
    inexact("x * -1 and 0 - x", of([node("Mul", "x c")], scalar(-1.0)), of([node("Sub", "c x")], scalar(0.0)))


def integers():
    whole = lambda kind, nodes, *constants: of(nodes, *constants, kind=kind, opset=14)
    for kind, half in ((INT32, 1 << 16), (INT64, 1 << 32), (UINT8, 16)):
        apart(f"times a half of all bits, twice, and back ({kind})", whole(kind, [node("Mul", "x c", "t"), node("Div", "t c")], scalar(half, kind=kind)),
              whole(kind, [node("Identity", "x")]))
    apart("a mean of two int32, by the sum", *(model(nodes, [value("x", (4,), INT32), value("z", (4,), INT32)], [value("y", (4,), INT32)], [scalar(2, kind=INT32)])
          for nodes in ([node("Add", "x z", "t"), node("Div", "t c")], [node("Div", "x c", "p"), node("Div", "z c", "q"), node("Add", "p q")])))
    apart("the magnitude of int8, at its least", whole(INT8, [node("Abs", "x")]), whole(INT8, [node("Neg", "x", "t"), node("Max", "x t", "u"), node("Relu", "u")]))
    apart("a sum in int8, and in int32", of([node("Add", "x x", "t"), node("Cast", "t", to=INT32)], kind=INT8, to=INT32, opset=14),
          of([node("Cast", "x", "t", to=INT32), node("Add", "t t")], kind=INT8, to=INT32, opset=14))


def assumptions():
    relu, clip = of([node("Relu", "x")]), of([node("Clip", "x a b")], scalar(0.0, "a"), scalar(6.0, "b"))
    apart("Relu and Clip to 6, of 0..7", relu, clip, "--assume", "x=0..7")
    apart("x and |x|, of -0.01..1", identity, of([node("Abs", "x")]), "--assume", "x=-0.01..1")
    apart("x and its square, of 0..1", identity, of([node("Mul", "x x")]), "--assume", "x=0..1")
    apart("a bound that only its end passes", identity, of([node("Min", "x c")], scalar(1.0)), "--assume", "x=0..1.5")


def sizes():
    rows = lambda nodes, *constants, x=("n", 3): of(nodes, *constants, x=x)
    apart("a mean, and a sum over three", rows([node("ReduceMean", "x", axes=[0])]), rows([node("ReduceSum", "x a", "t"), node("Div", "t c")], ints("a", 0), scalar(3.0)))
    apart("all but the last of a row", rows([node("Slice", "x b e a")], ints("b", 0), ints("e", -1), ints("a", 0)), rows([node("Identity", "x")]), "--size", "n=2")
    apart("n and m that may be one", rows([node("Transpose", "x")], x=("n", "n")), rows([node("Identity", "x")], x=("n", "n")), "--size", "n=2")
    same("of size one they are", rows([node("Transpose", "x", perm=[1, 0])], x=(1, 1)), rows([node("Identity", "x")], x=(1, 1)))


def ranks():
    apart("a row, and a column, added", *(of([node("Add", "x c")], tensor("c", [1.0, 2.0, 3.0], dims), x=(3, 3), y=(3, 3)) for dims in ([1, 3], [3, 1])))
    apart("the last axis, and the first", *(of([node("Softmax", "x", axis=k)], x=(3, 3), y=(3, 3)) for k in (-1, 0)))
    apart("of a cube: the last axis, and both last", *(of([node("ReduceSum", "x a", keepdims=1)], a, x=(2, 3, 1)) for a in (ints("a", 2), ints("a", 1, 2))))
    apart("kept, and dropped, then joined again", *(of([node("ReduceMax", "x", "t", axes=[k], keepdims=1), node("Sub", "x t")], x=(3, 3)) for k in (0, 1)))


def opsets():
    soft = lambda opset, **how: of([node("Softmax", "x", **how)], x=(2, 3, 4), y=(2, 3, 4), opset=opset)
    apart("Softmax of opset 11 by its default, and of 13", soft(11), soft(13))
    apart("Softmax of opset 11 at axis 1, and of 13 at the last", soft(11, axis=1), soft(13, axis=-1))
    same("both at the last", soft(11, axis=2), soft(13, axis=-1))
    bn = [tensor(n, v) for n, v in (("s", [1.0, 2.0, 3.0]), ("b", [0.0, 0.0, 1.0]), ("m", [0.5, 1.0, 2.0]), ("v", [1.0, 4.0, 9.0]))]
    norm = lambda **how: of([node("BatchNormalization", "x s b m v", **how)], *bn)
    apart("variances of a default epsilon, and of none", norm(), norm(epsilon=1e-3))


def quantised():
    def qdq(scale, zero, kind=UINT8, back=None):
        constants = [scalar(scale, "s"), scalar(zero, "z", kind), scalar(zero if back is None else back, "w", kind)]
        return of([node("QuantizeLinear", "x s z", "t"), node("DequantizeLinear", "t s w")], *constants)
    apart("another zero point: bounds move", qdq(0.1, 128), qdq(0.1, 129))
    apart("another zero point on the way back", qdq(0.1, 128), qdq(0.1, 128, back=127))
    apart("int8 around 0, and uint8 around 128, of other bounds", qdq(0.1, 1, INT8), qdq(0.1, 128))
    apart("a scale of one unit in the last place more", qdq(0.1, 0, INT8), qdq(0.10000001, 0, INT8), "--fold-tolerance", "0")
    apart("twice the scale", qdq(0.25, 10), qdq(0.5, 10))
    apart("signed saturation, and unsigned", qdq(1.0, 0, INT8), qdq(1.0, 0, UINT8))
    integer = lambda zero: model([node("MatMulInteger", "x w p")], [value("x", (2, 3), UINT8)], [value("y", (2, 2), INT32)],
                                 [tensor("w", [1, 2, 3, 4, 5, 6], [3, 2], UINT8), tensor("p", [zero], [], UINT8)], opset=13)
    apart("products of integers, zero points 0 and 1", integer(0), integer(1))


def empties():
    nothing = [ints("b", 0), ints("a", 0)]
    over = lambda op: of([node("Slice", "x b b a", "t"), node(op, "t", axes=[0], keepdims=0)], *nothing, y=(3,), opset=11)
    apart("the sum of nothing, and the product", over("ReduceSum"), over("ReduceProd"))
    padded = lambda c: of([node("Slice", "x b b a", "t"), node("Pad", "t p c")], *nothing, ints("p", 2, 0, 0, 0), scalar(c), y=(2, 3))
    apart("nothing padded by 0, and by 1", padded(0.0), padded(1.0))
    joined = lambda extra: of([node("Slice", "x b e a", "t"), node("Concat", "x t", axis=0)], ints("b", 0), ints("e", extra), ints("a", 0))
    apart("joined with nothing, and with a row", joined(0), joined(1))


def sizes_in_types():
    sized = lambda *steps: model([node("Shape", "x", "s"), *steps], [value("x", ("n",))], [value("y", (1,), INT64)])
    itself = sized(node("Identity", "s"))
    through = lambda kind: sized(node("Cast", "s", "t", to=kind), node("Cast", "t", to=INT64))
    apart("a size, and through int8: 128", itself, through(INT8))
    apart("a size, and through half: 2049", itself, through(HALF))
    apart("a size, and through float32: 2^24 + 1", itself, through(FLOAT))
    same("a size, and through float64", itself, through(DOUBLE))


def outputs():
    two = lambda *nodes: model(list(nodes), [value("x")], [value("y"), value("z")])
    relu, leaky = node("Relu", "x"), node("LeakyRelu", "x", "z")
    apart("one output given twice, and another", two(relu, node("Identity", "y", "z")), two(relu, leaky))
    apart("the second output alone is another", two(node("Abs", "x"), node("Neg", "x", "z")), two(node("Abs", "x"), node("Neg", "y", "z")))
    untyped = lambda slope: model([node("LeakyRelu", "x", alpha=slope)], [value("x")], [helper.make_empty_tensor_value_info("y")])
    pairs.judged("outputs of which no type is known", untyped(math.nan), untyped(math.inf), (), lambda found: found == "open")
    apart("outputs whose names are swapped", two(node("Abs", "x"), node("Neg", "x", "z")), two(node("Neg", "x"), node("Abs", "x", "z")))


for group in (rounding, doubles, ties, not_numbers, zeros, integers, assumptions, sizes, ranks, opsets, quantised, empties, sizes_in_types, outputs):
    group()
print(f"{pairs.kept_apart} pairs, each in both orders: {dict(pairs.verdicts)}")
checks.that(pairs.kept_apart >= 40, f"{pairs.kept_apart} pairs")
checks.that(pairs.verdicts["different"] >= 50 and pairs.verdicts["exit 3"] <= 2, f"not for want of reading or deciding: {dict(pairs.verdicts)}")
checks.end()

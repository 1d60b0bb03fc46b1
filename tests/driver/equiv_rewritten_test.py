"""At least 40 pairs as simplifiers, optimisers, converters and people make them: one function, and shown to be."""
import math
import sys

from command import Checks, Vouch
from model_pairs import BOOL, DOUBLE, FLOAT, INT64, Pairs, ints, model, node, tensor, value

import numpy
import onnx
from onnx import helper

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
same = pairs.is_equal
EXACT = "equal (exact)"
scalar = lambda c, name="c", kind=FLOAT: tensor(name, [c], [], kind)
identity = model([node("Identity", "x")])
image = (1, 2, 4, 4)
of = lambda nodes, dims=(2, 3), out=None, constants=(), **more: model(nodes, [value("x", dims)], [value("y", out)], constants, **more)


def nothing_done():
    same("Identity", identity, model([node("Identity", "x", "t"), node("Identity", "t")]), EXACT)
    same("Dropout", identity, model([node("Dropout", "x")]), EXACT)
    same("a conversion to what it is", identity, model([node("Cast", "x", to=FLOAT)]), EXACT)
    same("to double and back", identity, model([node("Cast", "x", "t", to=DOUBLE), node("Cast", "t", to=FLOAT)]))
    same("two transpositions", identity, model([node("Transpose", "x", "t", perm=[1, 0]), node("Transpose", "t", perm=[1, 0])]), EXACT)
    same("Unsqueeze and Squeeze", identity, of([node("Unsqueeze", "x a", "t"), node("Squeeze", "t a")], constants=[ints("a", 0)]), EXACT)
    same("a slice of all", identity, of([node("Slice", "x b e a")], constants=[ints("b", 0), ints("e", 2 ** 62), ints("a", 0)]), EXACT)
    same("parts joined again", of([node("Identity", "x")], (4, 3)), of([node("Split", "x", "s t", axis=0), node("Concat", "s t", axis=0)], (4, 3)), EXACT)
    same("tiles of one", identity, of([node("Tile", "x r")], constants=[ints("r", 1, 1)]), EXACT)
    same("expanded to its shape", identity, of([node("Expand", "x r")], constants=[ints("r", 2, 3)]), EXACT)
    same("times one", identity, of([node("Mul", "x c")], constants=[scalar(1.0)]))
    same("plus zero", identity, of([node("Add", "x c")], constants=[scalar(0.0)]))
    same("padded by nothing", identity, of([node("Pad", "x p")], constants=[ints("p", 0, 0, 0, 0)]), EXACT)
    same("joined with nothing else", identity, of([node("Concat", "x", axis=0)]), EXACT)
    same("two negations", identity, model([node("Neg", "x", "t"), node("Neg", "t")]))
    same("nodes that nothing reads", model([node("Relu", "x")]), model([node("Sin", "x", "t"), node("Relu", "x")]), EXACT)
    same("the same node twice", model([node("Relu", "x", "t"), node("Add", "t t")]),
         model([node("Relu", "x", "t"), node("Relu", "x", "u"), node("Add", "t u")]), EXACT)


def forms():
    same("Flatten and Reshape", of([node("Flatten", "x", axis=1)], image), of([node("Reshape", "x s")], image, constants=[ints("s", 1, -1)]), EXACT)
    same("two Reshapes", of([node("Reshape", "x s")], image, constants=[ints("s", 8, 4)]),
         of([node("Reshape", "x t", "u"), node("Reshape", "u s")], image, constants=[ints("s", 8, 4), ints("t", 32)]), EXACT)
    same("a shape that is computed", of([node("Reshape", "x s")], ("n", 2, 3), constants=[ints("s", -1, 6)]),
         of([node("Shape", "x", "d"), node("Gather", "d i", "e"), node("Concat", "e m", "s", axis=0), node("Reshape", "x s")],
            ("n", 2, 3), constants=[ints("i", 0), ints("m", -1)]), EXACT)
    gather = of([node("Gather", "x i", axis=0)], constants=[scalar(1, "i", INT64)])
    same("one item, and a slice", gather, of([node("Slice", "x b e a", "t"), node("Squeeze", "t a")],
         constants=[ints("b", 1), ints("e", 2), ints("a", 0)]), EXACT)
    constant = helper.make_node("Constant", [], ["c"], value=tensor("v", [2.5], []))
    same("a constant, and an initialiser", model([constant, node("Mul", "x c")]), of([node("Mul", "x c")], constants=[scalar(2.5)]), EXACT)
    same("an initialiser that could be fed", model([node("Mul", "x c")], [value("x"), value("c", ())], constants=[scalar(2.5)]),
         of([node("Mul", "x c")], constants=[scalar(2.5)]), EXACT)
    same("ReduceSum of two opsets", of([node("ReduceSum", "x", axes=[1])], opset=11), of([node("ReduceSum", "x a")], constants=[ints("a", 1)]), EXACT)
    same("Squeeze of two opsets", of([node("Squeeze", "x", axes=[0])], (1, 3), opset=11), of([node("Squeeze", "x a")], (1, 3), constants=[ints("a", 0)]), EXACT)
    same("Clip of two opsets", of([node("Clip", "x", min=0.0, max=6.0)], opset=6), of([node("Clip", "x a b")], constants=[scalar(0.0, "a"), scalar(6.0, "b")]), EXACT)
    same("Softmax of two opsets", of([node("Softmax", "x", axis=1)], opset=11), of([node("Softmax", "x")]))
    same("Upsample and Resize", of([node("Upsample", "x s", mode="nearest")], image, constants=[tensor("s", [1.0, 1.0, 2.0, 2.0])], opset=9),
         of([node("Resize", "x _ s", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")], image,
            constants=[tensor("s", [1.0, 1.0, 2.0, 2.0])]))
    same("a mean that keeps its axis", of([node("ReduceMean", "x", axes=[1])]),
         of([node("ReduceMean", "x", "t", axes=[1], keepdims=0), node("Unsqueeze", "t a")], constants=[ints("a", 1)]), EXACT)
    same("Sum of two, and Add", model([node("Sum", "x x")]), model([node("Add", "x x")]))
    function = helper.make_function("local", "F", ["a"], ["b"], [node("Relu", "a", "t"), node("Neg", "t", "b")], [helper.make_opsetid("", 13)])
    same("a function, and its body", model([node("F", "x", domain="local")], functions=[function], imports=[("local", 1)]),
         model([node("Relu", "x", "t"), node("Neg", "t")]), EXACT)


W = [round(math.sin(k) * 2, 3) for k in range(36)]


def arithmetic():
    same("Relu, and a maximum", model([node("Relu", "x")]), of([node("Max", "x c")], constants=[scalar(0.0)]))
    same("Relu, and Clip", model([node("Relu", "x")]), of([node("Clip", "x c")], constants=[scalar(0.0)]))
    same("a square", of([node("Pow", "x c")], constants=[scalar(2.0)]), model([node("Mul", "x x")]))
    same("halved", of([node("Div", "x c")], constants=[scalar(2.0)]), of([node("Mul", "x c")], constants=[scalar(0.5)]))
    same("less a constant", of([node("Sub", "x c")], constants=[scalar(1.5)]), of([node("Add", "x c")], constants=[scalar(-1.5)]))
    same("two factors", of([node("Mul", "x a", "t"), node("Mul", "t b")], constants=[scalar(2.0, "a"), scalar(4.0, "b")]),
         of([node("Mul", "x c")], constants=[scalar(8.0)]))
    same("a swish", of([node("Sigmoid", "x", "t"), node("Mul", "x t")]), of([node("Sigmoid", "x", "t"), node("Mul", "t x")]), EXACT)
    w, b = tensor("w", W[:12], [3, 4]), tensor("b", W[:4])
    added = of([node("MatMul", "x w", "t"), node("Add", "t b")], constants=[w, b])
    same("Gemm", added, of([node("Gemm", "x w b")], constants=[w, b]))
    turned = tensor("v", [W[4 * (k % 3) + k // 3] for k in range(12)], [4, 3])
    same("Gemm, transposed", added, of([node("Gemm", "x v b", transB=1)], constants=[turned, b]))
    same("a weight transposed ahead of time", of([node("MatMul", "x w")], constants=[w]),
         of([node("Transpose", "v", "w", perm=[1, 0]), node("MatMul", "x w")], constants=[turned]), EXACT)
    layer = [node("ReduceMean", "x", "m", axes=[1]), node("Sub", "x m", "d"), node("Mul", "d d", "q"), node("ReduceMean", "q", "v", axes=[1]),
             node("Add", "v e", "a"), node("Sqrt", "a", "r"), node("Div", "d r", "n"), node("Mul", "n s", "t"), node("Add", "t b")]
    s, shift = tensor("s", W[1:4]), tensor("b", W[5:8])
    same("LayerNormalization, and its parts", of([node("LayerNormalization", "x s b", epsilon=2.0 ** -16)], constants=[s, shift], opset=17),
         of(layer, constants=[s, shift, scalar(2.0 ** -16, "e")], opset=17))


def spellings():
    gate = lambda alpha: of([node("HardSigmoid", "x", "t", alpha=alpha, beta=0.5), node("Mul", "x t")], opset=14)
    same("a hard swish by its gate", of([node("HardSwish", "x")], opset=14), gate(1 / 6), "equal (real), 1 parameters folded within 3.0e-08")
    root = scalar(float(numpy.float32(math.sqrt(2))), "s")
    start = [node("Div", "x s", "d"), node("Erf", "d", "e"), node("Add", "e one", "f")]
    orders = [[node(*step) for step in order] for order in (
        (("Mul", "x f", "g"), ("Mul", "g h")), (("Mul", "x h", "g"), ("Mul", "g f")), (("Mul", "f h", "g"), ("Mul", "x g")),
        (("Mul", "f x", "g"), ("Mul", "h g")))]
    for number, order in enumerate(orders):
        same(f"Gelu, and its parts in order {number + 1}", of([node("Gelu", "x")], opset=20),
             of(start + order, constants=[root, scalar(1.0, "one"), scalar(0.5, "h")], opset=20), "equal (real), 1 parameters folded within 1.7e-08")


def branches():
    branch = lambda op, name: helper.make_graph([node(op, "x", name)], name, [], [value(name)])
    chosen = lambda condition, *before: of([*before, helper.make_node("If", [condition], ["y"], then_branch=branch("Relu", "p"), else_branch=branch("Neg", "q"))],
                                           constants=[tensor("c", [1], [], BOOL), scalar(2, "n", INT64), scalar(3, "m", INT64)])
    same("an If that always holds", chosen("c"), model([node("Relu", "x")]), EXACT)
    same("an If that never does", chosen("d", node("Not", "c", "d")), model([node("Neg", "x")]), EXACT)
    same("an If on numbers", chosen("d", node("Add", "n n", "k"), node("Less", "k m", "d")), model([node("Neg", "x")]), EXACT)
    same("an If on a size", chosen("d", node("Shape", "x", "k"), node("Gather", "k at", "l"), node("Less", "l m", "d"), *([helper.make_node(
        "Constant", [], ["at"], value=tensor("v", [0], [], INT64))])), model([node("Relu", "x")]), EXACT)


def images():
    kernel, bias = tensor("w", W, [2, 2, 3, 3]), tensor("b", [0.5, -0.25])
    conv = lambda inputs, *constants, before=(), after=(), out="y", **how: of(
        [*before, node("Conv", inputs, out, **how), *after], image, constants=[kernel, *constants])
    same("a bias", conv("x w b", bias, pads=[1] * 4), conv("x w", tensor("b", [0.5, -0.25], [1, 2, 1, 1]), out="t", after=[node("Add", "t b")], pads=[1] * 4))
    same("padding", conv("x w", pads=[1] * 4), conv("t w", ints("p", 0, 0, 1, 1, 0, 0, 1, 1), before=[node("Pad", "x p", "t")]))
    same("pads by name", conv("x w", pads=[1] * 4), conv("x w", auto_pad="SAME_UPPER"), EXACT)
    same("a scale", conv("x w", tensor("s", [2.0, 0.5], [2, 1, 1]), out="t", after=[node("Mul", "t s")]),
         of([node("Conv", "x v")], image, constants=[tensor("v", [c * (2.0 if k < 18 else 0.5) for k, c in enumerate(W)], [2, 2, 3, 3])]))
    gamma, beta, mean, variance = [1.5, 0.5], [0.1, -0.2], [0.3, -0.4], [0.9, 1.7]
    statistics = [tensor(n, v) for n, v in zip(("g", "h", "m", "v"), (gamma, beta, mean, variance))]
    k = [g / math.sqrt(v + 1e-5) for g, v in zip(gamma, variance)]
    same("a normalisation folded in", conv("x w", *statistics, out="t", after=[node("BatchNormalization", "t g h m v")]),
         of([node("Conv", "x u c")], image, constants=[tensor("u", [c * k[j // 18] for j, c in enumerate(W)], [2, 2, 3, 3]),
                                                       tensor("c", [b - m * f for b, m, f in zip(beta, mean, k)])]))
    halves = [tensor("u", W[:18], [1, 2, 3, 3]), tensor("v", W[18:], [1, 2, 3, 3]), tensor("a", [0.5]), tensor("c", [-0.25])]
    joined = lambda first, second: of([node("Conv", first, "s"), node("Conv", second, "t"), node("Concat", "s t", axis=1)], image, constants=halves)
    same("convolutions side by side, as one", joined("x u", "x v"), conv("x w"))
    same("with their biases", joined("x u a", "x v c"), conv("x w b", bias))
    same("an average of all", of([node("GlobalAveragePool", "x")], image), of([node("ReduceMean", "x", axes=[2, 3])], image))
    same("an average of one window", of([node("GlobalAveragePool", "x")], image), of([node("AveragePool", "x", kernel_shape=[4, 4])], image))
    same("ONNX Runtime's fused activation", conv("x w b", bias, out="t", after=[node("Relu", "t")]),
         of([node("FusedConv", "x w b", domain="com.microsoft", activation="Relu")], image, constants=[kernel, bias]))


for group in (nothing_done, forms, arithmetic, spellings, branches, images):
    group()
print(f"{pairs.equal} pairs, each in both orders: {dict(pairs.verdicts)}")
checks.that(pairs.equal >= 40, f"{pairs.equal} pairs")
checks.end()

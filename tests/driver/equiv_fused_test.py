"""Operators that ONNX Runtime fuses, against what they are composed of, by the texts of its ContribOperators.md: each equal to its composition of
standard operators, for all values, and to none with one thing wrong."""
import math
import sys

from command import Checks, Vouch
from model_pairs import Pairs, model, node, tensor, value

import numpy
from onnx import numpy_helper

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
MS = {"domain": "com.microsoft"}


def constant(name, *shape):
    count = math.prod(shape)
    return numpy_helper.from_array(numpy.sin(numpy.arange(1, count + 1) * float(sum(map(ord, name)) % 97)).astype("float32").reshape(shape), name)


def number(name, x):
    return tensor(name, [x], [])


def against(name, fused, parts, wrong, constants, inputs=("x",), shape=("n", 4), out=("n", 4)):
    """`wrong`: other parts, or other constants by name."""
    values, result = [value(n, shape) for n in inputs], [value("y", out)]
    of = lambda nodes, known: model(nodes, values, result, known, opset=17)
    pairs.is_equal(name, of(fused, constants), of(parts, constants))
    for what, changed in wrong.items():
        nodes, known = changed if isinstance(changed, tuple) else (changed, constants)
        pairs.never_equal(f"{name}: {what}", of(fused, constants), of(nodes, known))


def without(constants, name, other):
    return [other if c.name == name else c for c in constants]


def erf_gelu(s, root="root"):
    return [node("Div", f"{s} {root}", "g1"), node("Erf", "g1", "g2"), node("Add", "g2 one", "g3"), node("Mul", f"{s} g3", "g4"), node("Mul", "g4 half", "y")]


def tanh_gelu(s):
    return [node("Mul", f"{s} {s}", "g1"), node("Mul", f"g1 {s}", "g2"), node("Mul", "g2 cubic", "g3"), node("Add", f"{s} g3", "g4"),
            node("Mul", "g4 slope", "g5"), node("Tanh", "g5", "g6"), node("Add", "g6 one", "g7"), node("Mul", f"{s} g7", "g8"), node("Mul", "g8 half", "y")]


NUMBERS = [number("half", 0.5), number("one", 1.0), number("two", 2.0), number("root", math.sqrt(2)), number("cubic", 0.044715),
           number("slope", math.sqrt(2 / math.pi)), constant("b", 4), constant("c", 4)]
BIASED = node("Add", "x b", "s")


def gelus():
    against("BiasGelu", [node("BiasGelu", "x b", **MS)], [BIASED, *erf_gelu("s")],
            {"by tanh": [BIASED, *tanh_gelu("s")], "without its bias": erf_gelu("x"), "another root": [BIASED, *erf_gelu("s", "two")],
             "another bias": [node("Add", "x c", "s"), *erf_gelu("s")]}, NUMBERS)
    against("FastGelu", [node("FastGelu", "x", **MS)], tanh_gelu("x"),
            {"by erf": erf_gelu("x"), "another cubic part": (tanh_gelu("x"), without(NUMBERS, "cubic", number("cubic", 0.0447)))}, NUMBERS)
    against("FastGelu with a bias", [node("FastGelu", "x b", **MS)], [BIASED, *tanh_gelu("s")], {"without its bias": tanh_gelu("x")}, NUMBERS)
    quick = lambda at: [node("Mul", f"x {at}", "a"), node("Sigmoid", "a", "g"), node("Mul", "x g")]
    alpha = [number("alpha", 1.702), number("other", 1.7), number("two", 2.0)]
    against("QuickGelu", [node("QuickGelu", "x", **MS)], quick("alpha"), {"another alpha": quick("other")}, alpha)
    against("QuickGelu of alpha 2", [node("QuickGelu", "x", alpha=2.0, **MS)], quick("two"), {"the alpha that is usual": quick("alpha")}, alpha)


def normalisations():
    weights = [constant("gamma", 4), constant("beta", 4), constant("bias", 4), number("eps", 1e-5), tensor("last", [-1], [1], 7)]
    epsilon = {"epsilon": 1e-5}
    summed = [node("Add", "x skip", "s")]
    norm = lambda of, scale="gamma", shift="beta", **more: node("LayerNormalization", f"{of} {scale} {shift}", **(epsilon | more))
    both = {"inputs": ("x", "skip")}
    against("SkipLayerNormalization", [node("SkipLayerNormalization", "x skip gamma beta", **epsilon, **MS)], [*summed, norm("s")],
            {"without what is skipped": [norm("x")], "scale for shift": [*summed, norm("s", "beta", "gamma")], "another epsilon": [*summed, norm("s", epsilon=1e-3)]},
            weights, **both)
    against("with a bias", [node("SkipLayerNormalization", "x skip gamma beta bias", **epsilon, **MS)], [*summed, node("Add", "s bias", "t"), norm("t")],
            {"without it": [*summed, norm("s")]}, weights, **both)
    rms = lambda of: [node("Mul", f"{of} {of}", "q"), node("ReduceMean", "q", "m", axes=[-1]), node("Add", "m eps", "e"), node("Sqrt", "e", "r"),
                      node("Div", f"{of} r", "d"), node("Mul", "d gamma")]
    against("SimplifiedLayerNormalization", [node("SimplifiedLayerNormalization", "x gamma", axis=-1, **epsilon)], rms("x"),
            {"as if it were centred": [node("LayerNormalization", "x gamma", **epsilon)]}, weights)
    against("SkipSimplifiedLayerNormalization", [node("SkipSimplifiedLayerNormalization", "x skip gamma", **epsilon, **MS)], [*summed, *rms("s")],
            {"without what is skipped": rms("x")}, weights, **both)


def products():
    weights = [constant("w", 4, 3), constant("v", 3, 4), constant("c", 3), number("half", 0.5), number("two", 2.0)]
    out = {"out": ("n", 3)}
    against("FusedMatMul", [node("FusedMatMul", "x w", alpha=0.5, **MS)], [node("MatMul", "x w", "m"), node("Mul", "m half")],
            {"another alpha": [node("MatMul", "x w", "m"), node("Mul", "m two")]}, weights, **out)
    against("FusedMatMul, transposed", [node("FusedMatMul", "x v", transB=1, **MS)], [node("Transpose", "v", "t"), node("MatMul", "x t")],
            {"as another matrix": [node("MatMul", "x w")]}, weights, **out)
    gemm = {"alpha": 0.5, "beta": 2.0}
    against("FusedGemm", [node("FusedGemm", "x w c", activation="Relu", **gemm, **MS)],
            [node("MatMul", "x w", "m"), node("Mul", "m half", "h"), node("Mul", "c two", "d"), node("Add", "h d", "e"), node("Relu", "e")],
            {"without its activation": [node("Gemm", "x w c", **gemm)], "beta left out": [node("Gemm", "x w c", "g", alpha=0.5), node("Relu", "g")]}, weights, **out)


def convolutions():
    weights = [constant("w", 3, 2, 3, 3), constant("b", 3)]
    conv = lambda out="s", **more: node("Conv", "x w b", out, pads=[1, 1, 1, 1], **more)
    image = {"shape": (2, 2, 5, 5), "out": (2, 3, 5, 5)}
    fused = lambda activation, *parameters, operands="x w b": [node("FusedConv", operands, pads=[1, 1, 1, 1], activation=activation, **MS,
                                                                    **({"activation_params": list(parameters)} if parameters else {}))]
    against("FusedConv, Relu", fused("Relu"), [conv(), node("Relu", "s")], {"Sigmoid": [conv(), node("Sigmoid", "s")], "none": [conv("y")]}, weights, **image)
    against("FusedConv, Tanh", fused("Tanh"), [conv(), node("Tanh", "s")], {"Relu": [conv(), node("Relu", "s")]}, weights, **image)
    against("FusedConv, LeakyRelu", fused("LeakyRelu", 0.25), [conv(), node("LeakyRelu", "s", alpha=0.25)],
            {"another slope": [conv(), node("LeakyRelu", "s", alpha=0.5)]}, weights, **image)
    bounds = [*weights, number("low", 0.0), number("high", 6.0), number("higher", 7.0)]
    against("FusedConv, Clip", fused("Clip", 0.0, 6.0), [conv(), node("Clip", "s low high")], {"another bound": [conv(), node("Clip", "s low higher")]}, bounds, **image)
    added = [*weights, constant("z", 2, 3, 5, 5)]
    against("FusedConv with a summand", fused("Relu", operands="x w b z"), [conv(), node("Add", "s z", "t"), node("Relu", "t")],
            {"added after its activation": [conv(), node("Relu", "s", "t"), node("Add", "t z")], "left out": [conv(), node("Relu", "s")]}, added, **image)


for group in (gelus, normalisations, products, convolutions):
    group()
checks.that(pairs.equal >= 15 and pairs.kept_apart >= 20, f"{pairs.equal} equal, {pairs.kept_apart} apart")
checks.end()

"""At least 80 pairs of models that look alike and are not one function, as people and converters make them by mistake: none may be
called equal. Why each differs is worked out from ONNX's definitions, by hand; a refusal is as good as `different`."""
import sys

from command import Checks, Vouch
from model_pairs import BFLOAT, BOOL, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, STRING, UINT8, Pairs, ints, model, node, tensor, value

import numpy
import onnx
from onnx import helper, numpy_helper

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
apart, inexact = pairs.never_equal, pairs.never_exact
nan, inf = float("nan"), float("inf")
scalar = lambda c, kind=FLOAT: tensor("c", [c], [], kind)
with_constant = lambda op, c: model([node(op, "x c")], constants=[scalar(c)])
identity = model([node("Identity", "x")])
of = lambda op, dims=(2, 3), out=None, opset=13, **attributes: model([node(op, "x", **attributes)], [value("x", dims)], [value("y", out or dims)],
                                                                    opset=opset)


def numbers():
    apart("NaN and infinity", with_constant("Mul", nan), with_constant("Mul", inf))
    apart("plus infinity and NaN", with_constant("Add", inf), with_constant("Add", nan))
    inexact("0 - x and -x, at 0", model([node("Sub", "c x")], constants=[scalar(0.0)]), of("Neg"))
    inexact("x + 0 and x, at -0", with_constant("Add", 0.0), identity)
    inexact("times 1e30 and back", model([node("Mul", "x c", "t"), node("Div", "t c")], constants=[scalar(1e30)]), identity)
    inexact("a sum of three", model([node("Add", "x a", "t"), node("Add", "t b")], [value(n) for n in "xab"]),
            model([node("Add", "a b", "t"), node("Add", "t x")], [value(n) for n in "xab"]))
    ulp = float(numpy.nextafter(numpy.float32(1), numpy.float32(2)))
    apart("a factor of one unit in the last place", with_constant("Mul", ulp), with_constant("Mul", 1.0), "--fold-tolerance", "0")
    apart("and under --exact", with_constant("Mul", ulp), with_constant("Mul", 1.0), "--exact")
    apart("a summand that vanishes beside most", with_constant("Add", 1e-30), identity)
    apart("a bound that is almost none", model([node("Clip", "x a b")], constants=[tensor("a", [-1e30], []), tensor("b", [1e30], [])]), identity)
    apart("half to even, and up", of("Round"), model([node("Add", "x c", "t"), node("Floor", "t")], constants=[scalar(0.5)]))
    apart("float16 and back", model([node("Cast", "x", "t", to=HALF), node("Cast", "t", to=FLOAT)]), identity)
    apart("bfloat16 and back", model([node("Cast", "x", "t", to=BFLOAT), node("Cast", "t", to=FLOAT)]), identity)
    apart("float16 and bfloat16", *(model([node("Cast", "x", "t", to=k), node("Cast", "t", to=FLOAT)]) for k in (HALF, BFLOAT)))
    apart("the root of a square", model([node("Mul", "x x", "t"), node("Sqrt", "t")]), identity)
    apart("sign, and a choice, at 0", of("Sign"), model([node("Greater", "x c", "t"), node("Where", "t p n")],
          constants=[scalar(0.0), tensor("p", [1.0], []), tensor("n", [-1.0], [])]))
    two = dict(inputs=[value("x"), value("z")], outputs=[value("y", kind=BOOL)])
    for strict, weak in (("Less", "LessOrEqual"), ("Greater", "GreaterOrEqual")):
        apart(f"{strict} and {weak}, at ties", model([node(strict, "x z")], **two), model([node(weak, "x z")], **two))
    apart("Equal, and Less of itself", model([node("Equal", "x z")], **two), model([node("Less", "x x")], **two))


def integers():
    for kind in (INT32, INT64, UINT8, INT8):
        x = dict(inputs=[value("x", (4,), kind)], outputs=[value("y", (4,), BOOL)])
        one = tensor("c", [1], [], kind)
        apart(f"x + 1 > x wraps ({kind})", model([node("Add", "x c", "t"), node("Greater", "t x")], constants=[one], **x),
              model([node("Equal", "x x")], **x))
    for kind, op in ((INT8, "Mul"), (UINT8, "Sub"), (UINT8, "Add")):
        x = dict(inputs=[value("x", (4,), kind), value("z", (4,), kind)], outputs=[value("y", (4,), INT32)])
        apart(f"{op}, then wider", model([node(op, "x z", "t"), node("Cast", "t", to=INT32)], opset=14, **x),
              model([node("Cast", "x", "s", to=INT32), node("Cast", "z", "t", to=INT32), node(op, "s t")], opset=14, **x))
    whole = lambda kind: dict(inputs=[value("x", (4,), kind)], outputs=[value("y", (4,), kind)])
    for kind, through in ((INT64, FLOAT), (INT64, DOUBLE), (INT32, FLOAT), (INT32, INT8), (INT64, INT32)):
        apart(f"type {kind} through {through}", model([node("Cast", "x", "t", to=through), node("Cast", "t", to=kind)], **whole(kind)),
              model([node("Identity", "x")], **whole(kind)))
    apart("remainders of two signs", *(model([node("Mod", "x c", fmod=f)], constants=[tensor("c", [3], [], INT32)], **whole(INT32)) for f in (0, 1)))
    apart("x * c / c", model([node("Mul", "x c", "t"), node("Div", "t c")], constants=[tensor("c", [3], [], INT32)], **whole(INT32)),
          model([node("Identity", "x")], **whole(INT32)))


def opsets():
    cube = (2, 3, 4)
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        apart(f"{op} of two opsets, axis left out", of(op, cube, opset=11), of(op, cube))
    sums = lambda axis: model([node("ReduceSum", "x a")], outputs=[value("y", None)], constants=[ints("a", axis)])
    apart("ReduceSum by attribute and by operand", model([node("ReduceSum", "x", axes=[0])], outputs=[value("y", None)], opset=11), sums(1))
    clip = lambda low, high: model([node("Clip", "x a b")], constants=[tensor("a", [low], []), tensor("b", [high], [])])
    apart("Clip of two opsets", of("Clip", opset=6, min=0.0, max=6.0), clip(0.0, 5.0))
    apart("Clip of one bound", of("Clip", opset=6, min=0.0), clip(0.0, 6.0))
    apart("Dropout that trains", of("Dropout", opset=11), model([node("Dropout", "x r t")], constants=[tensor("r", [0.5], []), tensor("t", [True], [], BOOL)]))
    statistics = [tensor(n, [0.5, 1.0, 2.0]) for n in "sbmv"]
    norm = lambda **how: model([node("BatchNormalization", "x s b m v", "y p q" if how else "y", **how)], constants=statistics, opset=14)
    apart("BatchNormalization that trains", norm(), norm(training_mode=1))
    until = lambda results: model([node("BatchNormalization", "x s b m v", results)], constants=statistics, opset=9)
    apart("BatchNormalization that trains since it has five results", until("y"), until("y p q r t"))
    apart("a default slope", of("HardSigmoid"), of("HardSigmoid", alpha=1 / 6))
    for op, one, other in (("Elu", 1.0, 1.01), ("ThresholdedRelu", 1.0, 0.99), ("LeakyRelu", 0.01, 0.011), ("Celu", 1.0, 2.0)):
        apart(f"{op} of {one} and {other}", of(op, alpha=one), of(op, alpha=other))
    layer = lambda **how: model([node("LayerNormalization", "x s", **how)], [value("x", (2, 4, 4))], [value("y", (2, 4, 4))],
                                [tensor("s", [1.0, 2.0, 3.0, 4.0])], opset=17)
    apart("LayerNormalization of one axis, and of two", layer(axis=-1), layer(axis=1))
    apart("LayerNormalization of another epsilon", layer(), layer(epsilon=1e-3))


def images():
    image, pooled = (1, 1, 4, 4), (1, 1, 2, 2)
    pool = lambda op, out=pooled, **how: of(op, image, out, kernel_shape=[2, 2], **how)
    apart("padding that counts", *(pool("AveragePool", (1, 1, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=k) for k in (0, 1)))
    apart("SAME_UPPER and SAME_LOWER", *(pool("MaxPool", image, auto_pad=k) for k in ("SAME_UPPER", "SAME_LOWER")))
    apart("the maximum and the average", pool("MaxPool", strides=[2, 2]), pool("AveragePool", strides=[2, 2]))
    apart("a window that is dilated", pool("MaxPool", (1, 1, 3, 3)), pool("MaxPool", (1, 1, 3, 3), dilations=[2, 2], pads=[1, 0, 0, 1]))
    conv = lambda **how: model([node("Conv", "x w", **how)], [value("x", image)], [value("y", None)],
                               [tensor("w", [1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2])])
    apart("pads at other sides", conv(pads=[1, 1, 0, 0]), conv(pads=[0, 0, 1, 1]))
    apart("pads of rows and of columns", conv(pads=[1, 0, 0, 1]), conv(pads=[0, 1, 1, 0]))
    transposed = lambda pads: model([node("ConvTranspose", "x w", pads=pads)], [value("x", image)], [value("y", None)],
                                    [tensor("w", [1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2])])
    apart("pads of a transposed convolution", transposed([1, 0, 0, 0]), transposed([0, 0, 1, 0]))
    resize = lambda **how: model([node("Resize", "x _ s", **how)], [value("x", image)], [value("y", (1, 1, 8, 8))], [tensor("s", [1.0, 1.0, 2.0, 2.0])])
    apart("nearest and linear", resize(mode="nearest"), resize(mode="linear"))
    apart("where pixels are", *(resize(mode="linear", coordinate_transformation_mode=k) for k in ("half_pixel", "asymmetric")))
    apart("corners", *(resize(mode="linear", coordinate_transformation_mode=k) for k in ("half_pixel", "align_corners")))
    apart("which of two pixels", *(resize(mode="nearest", nearest_mode=k, coordinate_transformation_mode="asymmetric") for k in ("floor", "ceil")))
    apart("Upsample and Resize", model([node("Upsample", "x s", mode="linear")], [value("x", image)], [value("y", (1, 1, 8, 8))],
                                       [tensor("s", [1.0, 1.0, 2.0, 2.0])], opset=9), resize(mode="linear"))
    for one, other in (("constant", "edge"), ("edge", "reflect")):
        apart(f"padding by {one} and {other}", *(model([node("Pad", "x p", mode=m)], [value("x", image)], [value("y", (1, 1, 6, 6))],
                                                       [ints("p", 0, 0, 1, 1, 0, 0, 1, 1)]) for m in (one, other)))
    apart("blocks of depth", *(of("DepthToSpace", (1, 8, 2, 2), (1, 2, 4, 4), blocksize=2, mode=m) for m in ("DCR", "CRD")))


def moved():
    square = dict(inputs=[value("x", (3, 3))], outputs=[value("y", (3, 3))])
    w = tensor("w", [float(k) for k in range(9)], [3, 3])
    apart("products in two orders", *(model([node("MatMul", o)], constants=[w], **square) for o in ("x w", "w x")))
    apart("Gemm, transposed", *(model([node("Gemm", "x w", transB=k)], constants=[w], **square) for k in (0, 1)))
    apart("Einsum", *(model([node("Einsum", "x w", equation=e)], constants=[w], **square) for e in ("ij,jk->ik", "ij,kj->ik")))
    apart("axes of a cube", *(of("Transpose", (3, 3, 3), perm=p) for p in ([0, 2, 1], [2, 1, 0])))
    apart("a rotation and its inverse", *(of("Transpose", (3, 3, 3), perm=p) for p in ([1, 2, 0], [2, 0, 1])))
    apart("joined in two orders", *(model([node("Concat", o, axis=0)], [value("x"), value("z")], [value("y", (4, 3))]) for o in ("x z", "z x")))
    apart("parts of a split", *(model([node("Split", "x", o, axis=0)], [value("x", (4, 3))]) for o in ("y t", "t y")))
    cut = lambda *steps: model([node("Slice", "x b e a s")], [value("x", (4,))], [value("y", (4,))],
                               [ints(n, v) for n, v in zip("beas", steps)])
    apart("backwards", cut(0, 9, 0, 1), cut(3, -9, 0, -1))
    gather = lambda k: model([node("Gather", "x i")], outputs=[value("y", (1, 3))], constants=[ints("i", k)])
    apart("the first and the last", gather(0), gather(-1))
    apart("sums so far", *(model([node("CumSum", "x a", exclusive=k)], constants=[tensor("a", [1], [], INT64)]) for k in (0, 1)))
    apart("sums so far, backwards", *(model([node("CumSum", "x a", reverse=k)], constants=[tensor("a", [1], [], INT64)]) for k in (0, 1)))
    apart("a triangle", *(of("Trilu", (3, 3), upper=k, opset=14) for k in (0, 1)))
    arg = lambda **how: model([node("ArgMax", "x", **how)], outputs=[value("y", None, INT64)])
    apart("which of equal maxima", arg(axis=1, select_last_index=0), arg(axis=1, select_last_index=1))
    top = lambda largest: model([node("TopK", "x k", "y i", largest=largest)], outputs=[value("y", (2, 2))], constants=[ints("k", 2)])
    apart("the largest and the smallest", top(1), top(0))
    empty = lambda op: model([node("Slice", "x b b a", "t"), node(op, "t", axes=[0], keepdims=0)], outputs=[value("y", (3,))],
                             constants=[ints("b", 0), ints("a", 0)], opset=11)
    apart("a sum and a product of nothing", empty("ReduceSum"), empty("ReduceProd"))


def sizes():
    rows = lambda nodes, *constants: model(nodes, [value("x", ("n", 3))], [value("y", None)], constants)
    same = rows([node("Identity", "x")])
    for most in (2, 5, 1000):
        apart(f"at most {most} rows", rows([node("Slice", "x b e a")], ints("b", 0), ints("e", most), ints("a", 0)), same)
    apart("the second row and the last", *(rows([node("Gather", "x i")], ints("i", k)) for k in (1, -1)))
    apart("a mean, and half of a sum", rows([node("ReduceMean", "x", axes=[0])]),
          rows([node("ReduceSum", "x a", "t"), node("Mul", "t c")], ints("a", 0), scalar(0.5)))
    apart("reshaped for two rows", rows([node("Reshape", "x s")], ints("s", 2, 3)), same)


def parameters():
    big = (numpy.arange(90000).reshape(300, 300) / 90000).astype(numpy.float32)
    product = lambda w: model([node("MatMul", "x w")], [value("x", (1, 300))], [value("y", (1, 300))], [numpy_helper.from_array(w, "w")])
    for at in ((299, 299), (150, 17)):
        other = big.copy()
        other[at] += 0.5
        apart(f"90,000 weights, one of them another, at {at}", product(big), product(other))
    shared = lambda second: model([node("Mul", "x a", "t"), node("Add", f"t {second}")], constants=[tensor("a", [2.0], []), tensor("b", [2.5], [])])
    apart("an initialiser that is another's alias", shared("a"), shared("b"))
    sparse = lambda at: model([node("Add", "x c")], [value("x", (4,))], [value("y", (4,))],
                              sparse_initializer=[helper.make_sparse_tensor(tensor("c", [1.5]), ints("", at), [4])])
    apart("a sparse initialiser of another place", sparse(0), sparse(1))
    swish = model([node("HardSwish", "x")], opset=14)
    for alpha in (0.1666, 0.16667, 0.1):
        gate = model([node("HardSigmoid", "x", "t", alpha=alpha, beta=0.5), node("Mul", "x t")], opset=14)
        apart(f"a hard swish of alpha {alpha}", swish, gate)
    weights = [k / 8 for k in range(36)]
    halves = [tensor("u", weights[:18], [1, 2, 3, 3]), tensor("v", weights[18:], [1, 2, 3, 3]), tensor("w", weights, [2, 2, 3, 3])]
    photo = lambda nodes: model(nodes, [value("x", (1, 2, 4, 4))], [value("y", None)], halves)
    one = photo([node("Conv", "x w")])
    for name, first, second in (("in the other order", "v", "u"), ("twice the first", "u", "u")):
        apart(f"convolutions side by side, {name}", one, photo([node("Conv", f"x {first}", "s"), node("Conv", f"x {second}", "t"), node("Concat", "s t", axis=1)]))
    apart("convolutions side by side, one with a bias", one, photo([node("Conv", "x u", "s"), node("Conv", "x v k", "t"), helper.make_node(
        "Constant", [], ["k"], value=tensor("b", [0.001])), node("Concat", "s t", axis=1)]))
    texts = lambda t: model([node("Identity", "c")], outputs=[value("y", (1,), STRING)], constants=[tensor("c", [t.encode()], kind=STRING)])
    apart("texts", texts("one"), texts("two"))
    quantized = dict(inputs=[value("x", (4, 4))], outputs=[value("y", (4, 4))])
    scale, zero = lambda s: tensor("s", [s], []), lambda z, kind=UINT8: tensor("z", [z], [], kind)
    through = lambda s, z, b=0: [node("QuantizeLinear", "x s z", "t"), node("DequantizeLinear", "t s z")]
    qdq = lambda s, z, kind=UINT8: model(through(s, z), constants=[scale(s), zero(z, kind)], **quantized)
    apart("quantised and back", qdq(0.1, 128), model([node("Identity", "x")], **quantized))
    apart("two zero points", qdq(0.1, 128), qdq(0.1, 127))
    apart("two scales", qdq(0.1, 128), qdq(0.1001, 128))
    apart("signed and not", qdq(0.1, 0), qdq(0.1, 0, INT8))
    per_axis = lambda axis: model([node("Identity", "q", "t"), node("DequantizeLinear", "t s", "u", axis=axis), node("Add", "x u")],
                                  constants=[tensor("q", list(range(16)), [4, 4], UINT8), tensor("s", [1.0, 2.0, 3.0, 4.0])], **quantized)
    apart("scales of rows and of columns", per_axis(0), per_axis(1))
    for name, shift in (("a", 0.0), ("b", 1.0)):
        (pairs.folder / name).mkdir()
        made = model([node("Add", "x c")], [value("x", (400,))], [value("y", (400,))], [numpy_helper.from_array(
            numpy.arange(400, dtype=numpy.float32) + numpy.float32(shift), "c")])
        onnx.save_model(made, str(pairs.folder / name / "m.onnx"), save_as_external_data=True, location="weights.bin", size_threshold=0)
    first, second = (pairs.folder / name / "m.onnx" for name in "ab")
    checks.that(first.read_bytes() == second.read_bytes(), "the models differ in their external data alone")
    apart("external data", first, second)


def calls():
    drawn = lambda op, **how: model([node(op, "x", "t", **how), node("Add", "x t")], value_info=[value("t")], opset=15)
    apart("drawn twice", *(2 * [drawn("RandomNormalLike")]))
    apart("drawn uniformly", *(2 * [drawn("RandomUniformLike")]))
    apart("drawn with one seed", *(2 * [drawn("Bernoulli", seed=1.0)]))
    apart("one draw and two", model([node("RandomNormalLike", "x", "t"), node("Sub", "t t")]),
          model([node("RandomNormalLike", "x", "t"), node("RandomNormalLike", "x", "u"), node("Sub", "t u")]))
    body = lambda op: helper.make_function("local", "F", ["a"], ["b"], [node(op, "a", "b")], [helper.make_opsetid("", 13)])
    called = lambda *functions: model([node("F", "x", domain="local")], functions=functions, imports=[("local", 1)])
    apart("functions of one name", called(body("Relu")), called(body("Abs")))
    apart("a function, and an operator", called(body("Relu")), of("Neg"))
    two = lambda first, second: model([node("Relu", "x", first), node("Neg", "x", second)], outputs=[value("y"), value("z")])
    apart("outputs of each other's names", two("y", "z"), two("z", "y"))
    apart("one output twice", model([node("Relu", "x"), node("Identity", "y", "z")], outputs=[value("y"), value("z")]), two("y", "z"))
    inner_of = lambda op: helper.make_graph([node(op, "x", "p")], "p", [], [value("p")])
    # Branches read names of the graph around them.
    captured = lambda name: helper.make_graph([node("Add", f"x {name}", "p")], "p", [], [value("p")])
    plain = helper.make_graph([node("Neg", "x", "q")], "q", [], [value("q")])
    choice = lambda first: model([node("Relu", "x", "r"), node("Abs", "x", "s"),
                                  helper.make_node("If", ["c"], ["y"], then_branch=first, else_branch=plain)], [value("x"), value("c", (), BOOL)])
    apart("what a branch captures", choice(captured("r")), choice(captured("s")))
    always = lambda *branches: model([helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])],
                                     constants=[tensor("c", [1], [], BOOL)])
    apart("the other branch of an If that always holds", always(inner_of("Relu"), inner_of("Abs")), always(inner_of("Abs"), inner_of("Relu")))
    inner = lambda c: helper.make_graph([node("Mul", "x k", "p")], "p", [], [value("p")], [tensor("k", [c], [])])
    apart("an initialiser of a branch", choice(inner(2.0)), choice(inner(3.0)))
    step = helper.make_graph([node("Identity", "go", "on"), node("Add", "s x", "p")], "body",
                             [value("i", (), INT64), value("go", (), BOOL), value("s")], [value("on", (), BOOL), value("p")])
    loop = lambda trips: model([helper.make_node("Loop", ["n", "", "x"], ["y"], body=step)], constants=[tensor("n", [trips], [], INT64)])
    apart("turns of a loop", loop(3), loop(4))
    scanned = helper.make_graph([node("Add", "s e", "p"), node("Identity", "p", "o")], "body", [value("s", (3,)), value("e", (3,))],
                                [value("p", (3,)), value("o", (3,))])
    scan = lambda way: model([helper.make_node("Scan", ["i", "x"], ["t", "y"], body=scanned, num_scan_inputs=1, scan_input_directions=[way])],
                             constants=[tensor("i", [0.0, 0.0, 0.0])])
    apart("a scan, and one from the end", scan(0), scan(1))


for group in (numbers, integers, opsets, images, moved, sizes, parameters, calls):
    group()
print(f"{pairs.kept_apart} pairs, each in both orders: {dict(pairs.verdicts)}")
checks.that(pairs.kept_apart >= 80, f"{pairs.kept_apart} pairs")
# Not because nothing is read, or decided.
checks.that(pairs.verdicts["different"] >= 120 and pairs.verdicts["exit 3"] <= 10, f"{dict(pairs.verdicts)}")
checks.end()

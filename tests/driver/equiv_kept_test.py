"""`vouch equiv` on nodes that are left alone: what ONNX defines is a function of its operands, and evaluated where differences are
looked for; what draws random numbers, or is known to nobody, equals nothing. And graphs within graphs, of which many are one text."""
import pathlib
import resource
import sys

from command import Checks, Vouch
import model_pairs
from model_pairs import BOOL, FLOAT, INT64, STRING, Pairs, ints, node, tensor, value

import onnx
from onnx import TypeProto, ValueInfoProto, helper

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
never_equal, is_equal = pairs.never_equal, pairs.is_equal


def model(*parts, **more):
    return model_pairs.model(*parts, imports=[("com.acme", 1)], **more)


def is_different(name, a, b):
    pairs.judged(name, a, b, (), lambda found: found.startswith("different"))


def top(k=2, opset=13, between=(), chosen="x", **attributes):
    return model([*between, node("TopK", f"{chosen} k", "t at", **attributes), node("Relu", "t")], constants=[ints("k", k)], opset=opset)


is_equal("a node that is left alone", top(), top(), "equal (exact)")
renamed = top()
renamed.graph.node[0].name = "other"
renamed.graph.node[0].output[0] = renamed.graph.node[1].input[0] = "q"
is_equal("of another name", top(), renamed, "equal (exact)")
shifted = [node("Cast", "x", "u", to=2), node("BitShift", "u one", "s", direction="RIGHT")]
halved = lambda *last: model([*shifted, *last], constants=[tensor("one", [1], [], 2)])
is_equal("of an output by another name", halved(node("Cast", "s", "f", to=FLOAT), node("Identity", "f")), halved(node("Cast", "s", to=FLOAT)), "equal (exact)")
never_equal("of an output by another name, and another value", halved(node("Cast", "s", "f", to=FLOAT), node("Neg", "f")), halved(node("Cast", "s", to=FLOAT)))
is_equal("attributes in another order", top(axis=1, largest=0), top(largest=0, axis=1), "equal (exact)")
is_equal("of what was rewritten", top(), top(between=[node("Neg", "x", "a"), node("Neg", "a", "b")], chosen="b"), "equal")
is_equal("of opsets that define it alike", top(opset=11), top(opset=13), "equal (exact)")
is_different("the smallest", top(), top(largest=0))
is_different("fewer", top(1), model([node("ReduceMin", "x", "t", axes=[1]), node("Relu", "t")]))
never_equal("along another axis", top(axis=0), top(axis=1))
both = lambda first: model([node("TopK", "x k", "v w"), node("Cast", "w", "i", to=FLOAT), node("Identity", "v" if first else "i")],
                           [value("x", (2, 3))], [value("y", (2, 2))], [ints("k", 2)])
is_different("values and places", both(True), both(False))

region = lambda opset, **more: model([node("RoiAlign", "x r i", output_height=2, output_width=2, sampling_ratio=2, **more)],
                                     [value("x", (1, 1, 4, 4)), value("r", (1, 4)), value("i", (1,), INT64)], [value("y", (1, 1, 2, 2))], opset=opset)
never_equal("one text in two opsets", region(11), region(16))
is_equal("its older meaning spelt out", region(16, spatial_scale=0.5), region(16, spatial_scale=0.5), "equal (exact)")
waves = lambda opset, **more: model([node("DFT", "x", **more)], [value("x", (2, 3, 5, 1))], [value("y", (2, 3, 5, 2))], opset=opset)
never_equal("another axis by default", waves(17), waves(20))
never_equal("there and back", waves(17), waves(17, inverse=1))
grid = lambda **more: model([node("GridSample", "x g", **more)], [value("x", (1, 1, 3, 3)), value("g", (1, 2, 2, 2))], [value("y", (1, 1, 2, 2))], opset=16)
is_different("corners", grid(), grid(align_corners=1))
is_different("what is beyond the edge", grid(), grid(padding_mode="border"))
scattered = lambda **more: model([node("ScatterElements", "x i u", **more)], [value("x"), value("u", (1, 3))], constants=[tensor("i", [1, 0, 1], [1, 3], INT64)], opset=16)
never_equal("put and added", scattered(), scattered(reduction="add"))

# Constants through them.
det = lambda m: [node("Det", "m", "d"), node("Mul", "x d")]
is_equal("a determinant", model(det("m"), constants=[tensor("m", [1.0, 2.0, 3.0, 4.0], [2, 2])], value_info=[value("d", ())]),
         model([node("Mul", "x d")], constants=[tensor("d", [-2.0], [])]))
never_equal("another determinant", model(det("m"), constants=[tensor("m", [1.0, 2.0, 3.0, 4.0], [2, 2])], value_info=[value("d", ())]),
            model([node("Mul", "x d")], constants=[tensor("d", [2.0], [])]))

# What nobody knows, and what is drawn.
for op, domain, inputs in (("Frob", "com.acme", "x"), ("RandomNormalLike", "", "x"), ("Bernoulli", "", "x"), ("RandomUniformLike", "", "x")):
    one = model([node(op, inputs, domain=domain)], opset=15)
    never_equal(f"{op} and itself", one, one)
    same = model([node(op, inputs, "a", domain=domain), node(op, inputs, "b", domain=domain), node("Sub", "a b")], opset=15)
    never_equal(f"{op} less itself is not 0", same, model([node("Sub", "x x")], opset=15))
training = model([node("Dropout", "x r t", "y")], constants=[tensor("r", [0.5], []), tensor("t", [1], [], BOOL)])
never_equal("what a training drops", training, training)

# No tensors.
sequence = [ValueInfoProto(name="q", type=TypeProto(sequence_type=TypeProto.Sequence(elem_type=value("x").type)))]
at = lambda place: model([node("SequenceAt", "q i")], sequence, constants=[tensor("i", [place], [], INT64)])
is_equal("one place of a sequence", at(0), at(0), "equal (exact)")
never_equal("two places", at(0), at(1))
words = lambda word: model([node("Equal", "s c", "e"), node("Cast", "e", to=FLOAT)], [value("s", (2,), STRING)], [value("y", (2,))], opset=19, ir=9,
                           constants=[helper.make_tensor("c", STRING, [2], [b"a", word])])
is_equal("words", words(b"b"), words(b"b"), "equal (exact)")
never_equal("other words", words(b"b"), words(b"c"))

# One of the two has no form in double precision: what single precision does to it is no difference.
alpha = lambda op: model([node(op, "x")])
pairs.judged("Elu and Celu of 1", alpha("Elu"), alpha("Celu"), (), lambda found: not found.startswith("different"))

# Conditionals that double: 1024 branches of one text, and one that is another.
def doubled(levels, leaf, odd=None):
    """`odd`: the operator of one leaf, the first."""
    def branch(k, op, of_first):
        if k == 0:
            nodes = [node(op if of_first else leaf, "x", "r")]
        else:
            nodes = [node("If", "c", "r", then_branch=branch(k - 1, op, of_first), else_branch=branch(k - 1, op, False))]
        return helper.make_graph(nodes, f"b{k}", [], [value("r")])

    return model([node("If", "c", then_branch=branch(levels, odd or leaf, True), else_branch=branch(levels, leaf, False))], [value("x"), value("c", (), BOOL)])


is_equal("conditionals that double", doubled(9, "Relu"), doubled(9, "Relu"), "equal (exact)")
is_different("one of 1024 that is taken", doubled(9, "Relu"), doubled(9, "Relu", "Neg"))
numbers = iter(range(10**6))


def unlike(levels):
    """No two branches are one text."""
    if levels == 0:
        k = next(numbers)
        return helper.make_graph([node("Add", f"x c{k}", "r")], "b", [], [value("r")], [tensor(f"c{k}", [float(k)], [])])
    return helper.make_graph([node("If", "c", "r", then_branch=unlike(levels - 1), else_branch=unlike(levels - 1))], "b", [], [value("r")])


many = model([node("If", "c", then_branch=unlike(8), else_branch=unlike(8))], [value("x"), value("c", (), BOOL)])
is_equal("512 branches of as many texts", many, many, "equal (exact)")

most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
checks.that(most < 1 << 20, f"{most} kB")
print(f"{pairs.kept_apart} pairs kept apart, {pairs.equal} equal, {most} kB")
checks.end()

"""Hostile pairs for `vouch equiv`: models that look alike and are not one function, and some that are. Which ones are is worked out
by hand from ONNX's definitions; none that is not may be called equal."""
import sys

from command import Checks, Vouch
import model_pairs
from model_pairs import BOOL, FLOAT, INT32, INT64, UINT8, Pairs, node, tensor, value

from onnx import helper

checks = Checks()
pairs = Pairs(Vouch(sys.argv[1]), checks)
never_equal, never_exact, is_equal = pairs.never_equal, pairs.never_exact, pairs.is_equal


def model(*parts, acme=1, **more):
    return model_pairs.model(*parts, imports=[("com.acme", acme), ("org.other", 1)], **more)


# Numbers that are not numbers, zeros of both signs, what rounds.
nan, inf = float("nan"), float("inf")
one = model([node("Relu", "x")])
with_constant = lambda op, c, **more: model([node(op, "x c", **more)], constants=[tensor("c", [c], [])])
never_equal("times 0 and minus itself are 0, or NaN", with_constant("Mul", nan), with_constant("Mul", 0.0))
never_equal("plus infinity", with_constant("Add", inf), with_constant("Add", -inf))
never_equal("plus NaN", with_constant("Add", nan), with_constant("Add", inf))
never_exact("plus 0 and plus -0", with_constant("Add", 0.0), with_constant("Add", -0.0))
never_exact("x - x and 0", model([node("Sub", "x x")]), with_constant("Mul", 0.0))
never_exact("x + 1e10 - 1e10", model([node("Add", "x c", "t"), node("Sub", "t c")], constants=[tensor("c", [1e10], [])]),
            model([node("Identity", "x")]))
never_exact("sums in another order", model([node("Add", "x a", "t"), node("Add", "t b")], [value("x"), value("a"), value("b")]),
            model([node("Add", "a b", "t"), node("Add", "x t")], [value("x"), value("a"), value("b")]))
never_equal("x / x is undefined at 0", model([node("Div", "x x")]), model([node("Div", "x x", "t"), node("Add", "t z")],
            constants=[tensor("z", [1e-3], [])]))
never_equal("sqrt(x)^2 is x where it is defined", model([node("Sqrt", "x", "t"), node("Mul", "t t")]), model([node("Identity", "x")]))
never_equal("log of a square", model([node("Mul", "x x", "t"), node("Log", "t")]),
            model([node("Log", "x", "t"), node("Mul", "t c")], constants=[tensor("c", [2.0], [])]))
never_equal("a maximum that is almost Relu", model([node("Relu", "x")]), with_constant("Max", 1e-3))

# Integers wrap around, and are divided towards zero.
whole = dict(inputs=[value("x", (2,), INT32)], outputs=[value("y", (2,), INT32)])
c = lambda v, kind=INT32: [tensor("c", [v], [], kind)]
is_equal("2 x / 2 is x, in unbounded integers only", model([node("Identity", "x")], **whole), model([node("Identity", "x", "t"),
         node("Identity", "t")], **whole), "equal (exact)")
never_equal("2 x / 2", model([node("Mul", "x c", "t"), node("Div", "t c")], constants=c(2), **whole), model([node("Identity", "x")], **whole))
never_equal("x / 2 * 2", model([node("Div", "x c", "t"), node("Mul", "t c")], constants=c(2), **whole), model([node("Identity", "x")], **whole))
never_equal("to uint8 and back", model([node("Cast", "x", "t", to=UINT8), node("Cast", "t", to=INT32)], **whole),
            model([node("Identity", "x")], **whole))
never_equal("to float and back", model([node("Cast", "x", "t", to=FLOAT), node("Cast", "t", to=INT32)], **whole),
            model([node("Identity", "x")], **whole))
never_equal("truncated and rounded", model([node("Cast", "x", "t", to=INT32), node("Cast", "t", to=FLOAT)]), model([node("Round", "x")]))

# One text, other meanings: opsets and defaults.
softmax = lambda opset: model([node("Softmax", "x", axis=1)], [value("x", (2, 3, 4))], [value("y", (2, 3, 4))], opset=opset)
never_equal("Softmax flattened, until opset 12", softmax(11), softmax(13))
flat = lambda opset: model([node("Softmax", "x", axis=2)], [value("x", (2, 3, 4))], [value("y", (2, 3, 4))], opset=opset)
is_equal("Softmax of the last axis", flat(11), flat(13))
leaky = lambda **more: model([node("LeakyRelu", "x", **more)])
is_equal("a default spelt out", leaky(), leaky(alpha=0.01))
never_equal("another slope", leaky(), leaky(alpha=0.02))
never_equal("Gelu by tanh", model([node("Gelu", "x")], opset=20), model([node("Gelu", "x", approximate="tanh")], opset=20))
bn_inputs = [tensor(n, [0.5, 1.0, 2.0]) for n in ("s", "b", "m", "v")]
bn = lambda **more: model([node("BatchNormalization", "x s b m v", **more)], constants=bn_inputs)
never_equal("another epsilon", bn(), bn(epsilon=1e-3))

# Foreign, random and stateful calls: another domain, version or draw is another function; two calls of one form are not one value.
shape = dict(value_info=[value("t")])
foreign = lambda domain="com.acme", acme=1, scale=1.0: model(
    [node("Frobnicate", "x", "t", domain=domain, scale=scale), node("Relu", "t")], acme=acme, **shape)
for name, other in (("itself", foreign()), ("another domain", foreign("org.other")), ("another version", foreign(acme=2)),
                    ("another attribute", foreign(scale=2.0))):
    never_equal(f"a foreign operator and {name}", foreign(), other)
draw = lambda seed: model([node("RandomNormal", "", "t", shape=[2, 3], **seed), node("Add", "x t")], **shape)
never_equal("random numbers", draw({}), draw({}))
never_equal("random numbers of two seeds", draw({"seed": 1.0}), draw({"seed": 2.0}))
dropout = lambda training: model([node("Dropout", "x r t")], constants=[tensor("r", [0.5], []), tensor("t", [training], [], BOOL)])
never_equal("dropout that trains", dropout(True), dropout(True))
is_equal("dropout that does not", dropout(False), model([node("Identity", "x")]))

# Names mean nothing: the same for other values, other names for the same; initialisers that are shared, or overridden.
never_equal("weights of one name", with_constant("Mul", 2.0), with_constant("Mul", 3.0))
two = lambda a, b: model([node("Mul", "x a", "t"), node("Mul", "t b")], constants=[tensor("a", [a], []), tensor("b", [b], [])])
shared = model([node("Mul", "x a", "t"), node("Mul", "t a")], constants=[tensor("a", [2.0], [])])
is_equal("one initialiser, or two of its value", shared, two(2.0, 2.0), "equal (exact)")
never_equal("one initialiser, or two values", shared, two(2.0, 2.5))
swapped = lambda first, second: model([node("Relu", "x", first), node("Neg", "x", second)], outputs=[value("y"), value("z")])
never_equal("outputs of each other's names", swapped("y", "z"), swapped("z", "y"))
twice = model([node("Relu", "x"), node("Identity", "y", "z")], outputs=[value("y"), value("z")])
is_equal("one value given twice", twice, model([node("Relu", "x"), node("Relu", "x", "z")], outputs=[value("y"), value("z")]), "equal (exact)")
never_equal("one value given twice, or two", twice, swapped("y", "z"))
inner = lambda inside: model([node("Relu", "x", inside), node("Neg", inside)])
is_equal("names of what is inside", inner("a"), inner("b"), "equal (exact)")
fed = lambda swap: model([node("Sub", "b a" if swap else "a b")], [value("a"), value("b")])
never_equal("inputs in the other order", fed(False), fed(True))

# Sizes that are called like numbers, and like each other.
sized = lambda *dims: model([node("Reshape", "x s")], [value("x", dims)], [value("y", None)], [tensor("s", [1, -1], kind=INT64)])
first_row = lambda *dims: model([node("Slice", "x b e a", "t"), node("Reshape", "t s")], [value("x", dims)], [value("y", None)],
                                [tensor("b", [0], kind=INT64), tensor("e", [1], kind=INT64), tensor("a", [0], kind=INT64),
                                 tensor("s", [1, -1], kind=INT64)])
is_equal("the first of one row", sized(1, 4), first_row(1, 4))
for name in ("1", "n", "n0 >= 1\nx0", "1, 4] = 1"):
    never_equal(f"the first of as many rows as '{name.splitlines()[0]}'", sized(name, 4), first_row(name, 4))
never_equal("sums along one of two axes of a name", *(model([node("ReduceSum", "x a", keepdims=0)], [value("x", ("n", "n"))], [value("y", ("n",))],
            [tensor("a", [k], kind=INT64)]) for k in (0, 1)))
is_equal("a transposed symmetric constant", *(model([node("MatMul", "x w")], [value("x", (2, 2))], [value("y", (2, 2))],
         [tensor("w", [1.0, 2.0, 2.0, 3.0], [2, 2])]) for _ in (0, 1)), "equal (exact)")
turned = lambda w: model([node("Transpose", "w", "t", perm=[1, 0]), node("MatMul", "x t")], [value("x", (2, 2))], [value("y", (2, 2))],
                         [tensor("w", w, [2, 2])])
never_equal("a constant that is almost symmetric", turned([1.0, 2.0, 2.5, 3.0]), model([node("MatMul", "x w")], [value("x", (2, 2))],
            [value("y", (2, 2))], [tensor("w", [1.0, 2.0, 2.5, 3.0], [2, 2])]))

# Bodies of control flow.
branch = lambda op, name: helper.make_graph([node(op, "x", name)], name, [], [value(name)])
choice = lambda yes, no: model([helper.make_node("If", ["c"], ["y"], then_branch=branch(yes, "p"), else_branch=branch(no, "q"))],
                               [value("x"), value("c", (), BOOL)])
never_equal("branches in the other order", choice("Relu", "Neg"), choice("Neg", "Relu"))
never_equal("another branch", choice("Relu", "Neg"), choice("Relu", "Abs"))

is_equal("branches that are", choice("Relu", "Neg"), choice("Relu", "Neg"), "equal (exact)")
twice_relu = helper.make_graph([node("Relu", "x", "r"), node("Relu", "r", "p")], "p", [], [value("p")])
is_equal("a branch that is another way to the same", choice("Relu", "Neg"),
         model([helper.make_node("If", ["c"], ["y"], then_branch=twice_relu, else_branch=branch("Neg", "q"))],
               [value("x"), value("c", (), BOOL)]))


def loop(update, states):
    """Two states that start as x and its negative; each turn makes both anew."""
    body = helper.make_graph([helper.make_node("Identity", ["go"], ["on"])] + update, "body",
                             [value("i", (), INT64), value("go", (), BOOL), value(states[0]), value(states[1])],
                             [value("on", (), BOOL), value("p"), value("q")])
    return model([node("Neg", "x", "n"), helper.make_node("Loop", ["trips", "", "x", "n"], ["y", "z"], body=body)],
                 outputs=[value("y"), value("z")], constants=[tensor("trips", [3], [], INT64)])


turn = [node("Sub", "s t", "p"), node("Relu", "t", "q")]
is_equal("loops", loop(turn, "st"), loop(turn, "st"), "equal (exact)")
never_equal("loops whose states have each other's names", loop(turn, "st"), loop(turn, "ts"))

# Regions that explode end without a claim.
chain = lambda last: model([node("Mul", f"{'x' if k == 0 else f't{k - 1}'} {'x' if k == 0 else f't{k - 1}'}", f"t{k}") for k in range(40)]
                           + [node(last, "t39")], [value("x")])
never_equal("x to the power 2^40", chain("Sin"), chain("Cos"))
nested = lambda last: model(sum(([node("Add", "x x" if k == 0 else f"s{k - 1} x", f"t{k}"), node("Mul", f"t{k} t{k}", f"s{k}")]
                                 for k in range(12)), []) + [node("Sub", last)])
never_equal("a polynomial of degree 4096 and its negative", nested("s11 x"), nested("x s11"))

checks.end()

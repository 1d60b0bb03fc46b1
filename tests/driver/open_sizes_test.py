"""A size that a model leaves open, named or not, is taken to be at least 1, as docs/promises.md says; one that it declares as 0 is 0.
A rule that is true of tensors with elements alone fires at the first and not at the second; one that is proven for a size of 0 fires
where that is known."""
import array
import math
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from library import put_input, tensors
from model_pairs import BOOL, INT64, ints, model, node, tensor, value

import onnx
from onnx import numpy_helper

vouch, checks = Vouch(sys.argv[1]), Checks()
place = pathlib.Path(tempfile.mkdtemp())
rules = place / "rules.gsl"
rules.write_text("""rule has_elements { let x = * {rank = 1}; source Greater(Size(x), const {value = 0, dtype = int64, rank = 0});
  target const {value = 1, dtype = bool, rank = 0}; drop x; }
rule has_elements_also_at_0 { let x = * {rank = 1}; where x.shape[0] >= 0;
  source Greater(Size(x), const {value = 0, dtype = int64, rank = 0}); target const {value = 1, dtype = bool, rank = 0}; drop x; }
rule joined_with_nothing { let x = * {rank = 2}; let y = * {rank = 2}; where x.shape[0] == 0;
  source Concat((x, y)) {axis = 0}; target y; drop x; }
""")


def optimised(name, made, *options):
    path, out, trace = place / f"{name}.onnx", place / f"{name}.out.onnx", place / f"{name}.trace.json"
    path.write_bytes(made.SerializeToString())
    code, text, errors = vouch("optimize", path, "--rules", rules, "-o", out, "--trace", trace, *options, seconds=60)
    checks.that(code == 0, f"{name}: {code} {text}{errors}")
    return trace.read_text(), onnx.load(str(out))


def fires(name, made, rule, wanted, *options):
    steps, _ = optimised(name, made, *options)
    checks.that((f'"{rule}"' in steps) == wanted, f"{name}: {rule} {'does not fire' if wanted else 'fires'}")
    checks.that('"has_elements_also_at_0"' not in steps, f"{name}: what is false at 0 and speaks of it fires")


def counted(size):
    return model([node("Size", "x", "s"), node("Greater", "s z")], [value("x", [size])], [value("y", [], BOOL)], [tensor("z", [0], [], INT64)])


def joined(size):
    return model([node("Concat", "x y", "z", axis=0)], [value("x", [size, 3]), value("y", [2, 3])], [value("z", None)])


fires("counted named", counted("n"), "has_elements", True)
fires("counted open", counted(None), "has_elements", True)
fires("counted none", counted(0), "has_elements", False, "--no-fold")
written = optimised("counted none, folded", counted(0))[1]
given = {one.name: numpy_helper.to_array(one) for one in written.graph.initializer}
checks.that("y" in given and not given["y"], f"Size of no elements is not greater than 0: {given}")
fires("joined named", joined("n"), "joined_with_nothing", False)
fires("joined open", joined(None), "joined_with_nothing", False)
fires("joined none", joined(0), "joined_with_nothing", True)


# Models of nothing compute what is true of nothing, as read and as written. By hand: what has no element has none, sums of nothing are 0
# and products 1.
def of_nothing(name, made, dims, expected):
    io = place / f"{name}_io"
    io.mkdir()
    put_input(io, "x", "float32", dims, array.array("f", [0.5] * math.prod(dims)))
    optimised(name, made)
    for what in (f"{name}.onnx", f"{name}.out.onnx"):
        code, text, errors = vouch("run", place / what, "--io", io, "--out", io, seconds=60)
        found = list(tensors(io, "out_").get("y", ["none"]))
        checks.that(code == 0 and found == expected, f"{what}: {code}, {found}, expected {expected}; {text}{errors}")


def of_x(nodes, dims, result, *constants):
    return model(nodes, [value("x", dims)], [value("y", result)], list(constants))


of_nothing("softmax", of_x([node("Softmax", "x", "z", axis=1), node("Relu", "z")], [2, 0], [2, 0]), [2, 0], [])
of_nothing("log_softmax", of_x([node("LogSoftmax", "x", axis=0)], [0, 3], [0, 3]), [0, 3], [])
of_nothing("hardmax", of_x([node("Hardmax", "x", axis=-1)], [1, 0], [1, 0]), [1, 0], [])
of_nothing("other_axis", of_x([node("Softmax", "x", axis=1)], [0, 4], [0, 4]), [0, 4], [])
of_nothing("sum", of_x([node("ReduceSum", "x", keepdims=0)], [0, 3], []), [0, 3], [0.0])
of_nothing("product", of_x([node("ReduceProd", "x", keepdims=1)], [3, 0], [1, 1]), [3, 0], [1.0])
of_nothing("matrices", of_x([node("MatMul", "x w")], [2, 0], [2, 3], tensor("w", [], [0, 3])), [2, 0], [0.0] * 6)
of_nothing("joined", of_x([node("Concat", "x w", axis=0)], [0, 2], [1, 2], tensor("w", [1.0, 2.0], [1, 2])), [0, 2], [1.0, 2.0])
of_nothing("reshaped", of_x([node("Reshape", "x s")], [0, 6], [0, 3, 2], ints("s", 0, 3, 2)), [0, 6], [])
of_nothing("transposed", of_x([node("Transpose", "x", "z", perm=[1, 0]), node("Transpose", "z", perm=[1, 0])], [0, 2], [0, 2]), [0, 2], [])
of_nothing("beside_one", of_x([node("Add", "x b")], [0], [0], tensor("b", [2.0])), [0], [])
of_nothing("batch", of_x([node("Conv", "x w", kernel_shape=[2])], [0, 1, 4], [0, 1, 3], tensor("w", [1.0, 2.0], [1, 1, 2])), [0, 1, 4], [])
checks.end()

"""A size that a model leaves open, named or not, is taken to be at least 1, as docs/promises.md says; one that it declares as 0 is 0.
A rule that is true of tensors with elements alone fires at the first and not at the second; one that is proven for a size of 0 fires
where that is known."""
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from model_pairs import BOOL, INT64, model, node, tensor, value

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
checks.end()

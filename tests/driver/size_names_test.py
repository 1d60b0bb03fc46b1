"""Two sizes are one only where a model says so, by one name, or where they come from one place: a size that nothing names, in a graph,
in a body, or of a node that is not known, is no size that a model can name. A rule for operands of one shape is proven and would be
wrong of any two others: it must fire where it may, and nowhere else."""
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from model_pairs import BOOL, INT64, ints, model, node, tensor, value

import onnx
from onnx import helper

vouch, checks = Vouch(sys.argv[1]), Checks()
place = pathlib.Path(tempfile.mkdtemp())
rule = place / "rule.gsl"
rule.write_text("""rule first_of_like {
  let x = *;
  let y = *;
  where x.shape == y.shape and x.dtype == "int64" and y.dtype == "int64";
  drop y;
  source Add(x, Sub(y, y));
  target x;
}
""")
LIKE = [node("Sub", "q q", "d"), node("Add", "x d", "y")]  # x where q is shaped like it


def whole(name, shape):
    return value(name, shape, INT64)


def optimised(name, made):
    """Whether the rule fired, and what was written."""
    path, out, trace = place / f"{name}.onnx", place / f"{name}.out.onnx", place / f"{name}.trace.json"
    path.write_bytes(made.SerializeToString())
    code, text, errors = vouch("optimize", path, "--rules", rule, "-o", out, "--trace", trace, seconds=60)
    checks.that(code == 0, f"{name}: {code} {text}{errors}")
    code, text, errors = vouch("optimize", path, "--rules", rule, "--replay", trace, "-o", place / "again.onnx", seconds=60)
    checks.that(code == 0, f"{name}: another process goes through its trace: {code} {text}{errors}")
    written = onnx.load(str(out))
    return trace.read_text().count('"first_of_like"') > 0, written


def fires(name, made, wanted):
    fired, written = optimised(name, made)
    checks.that(fired == wanted, f"{name}: the rule {'fires' if fired else 'does not fire'}")
    return written


def computed(size):
    """q has as many elements as the data say, x has `size`."""
    return model([node("Expand", "one s", "q"), *LIKE], [whole("s", [1]), whole("x", [size])], [whole("y", None)], [ints("one", 1)])


fires("one name", model(LIKE, [whole("q", ["n"]), whole("x", ["n"])], [whole("y", ["n"])]), True)
fires("two names", model(LIKE, [whole("q", ["n"]), whole("x", ["m"])], [whole("y", None)]), False)
fires("nothing named", model(LIKE, [whole("q", [None]), whole("x", [None])], [whole("y", None)]), False)
fires("named as the other's open size", model(LIKE, [whole("q", [None]), whole("x", ["q.0"])], [whole("y", None)]), False)
for number in range(12):
    fires(f"computed, and named unknown_{number}", computed(f"unknown_{number}"), False)
    fires(f"computed, and named ?{number}", computed(f"?{number}"), False)
fires("marked alike", model(LIKE, [whole("q", ["?n"]), whole("x", ["?n"])], [whole("y", None)]), False)

# What is written says no name of ours, so that what is read again is no size of another's.
written = fires("written", model([node("Expand", "one s", "q"), node("Neg", "q", "y")], [whole("s", [1])], [whole("y", None)], [ints("one", 1)]),
                False)
names = [dim.dim_param for declared in [*written.graph.output, *written.graph.value_info] for dim in declared.type.tensor_type.shape.dim]
checks.that(not any("?" in name or "unknown" in name for name in names), f"sizes that were written: {names}")


def loop(h, w, outer=(), more=()):
    """A body that gives w + (h - h), with the carried h and a captured w of these sizes."""
    body = helper.make_graph([node("Sub", "h h", "d"), node("Add", "w d", "s"), node("Identity", "c", "c2"), node("Identity", "h", "h2")], "body",
                             [value("i", [], INT64), value("c", [], BOOL), whole("h", h)],
                             [value("c2", [], BOOL), whole("h2", None), whole("s", None)])
    return model([*more, helper.make_node("Loop", ["m", "", "x"], ["y", "ss"], body=body)], [whole("x", h), whole("w", w), *outer],
                 [whole("y", None), whole("ss", None)], [tensor("m", [2], [], INT64)])


fires("a body, one name", loop(["n"], ["n"]), True)
fires("a body, two names", loop(["n"], ["m"]), False)
fires("a body, named as an open size in it", loop([None], ["h.0"]), False)
fires("a body, named as that input's place", loop([None], ["y/body/h.0"]), False)

# A node that is not known gives what the model declares of it.
foreign = lambda declared, size: model([node("Strange", "z", "q", domain="other"), *LIKE], [whole("z", [3]), whole("x", [size])],
                                       [whole("y", None)], imports=[("other", 1)], value_info=[whole("q", declared)])
fires("a strange node, one name", foreign(["n"], "n"), True)
fires("a strange node, no name", foreign([None], "q.0"), False)
fires("a strange node, a marked name", foreign(["?q.0"], "?q.0"), False)
checks.end()

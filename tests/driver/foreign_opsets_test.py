"""A node that is kept as its file spells it means what it meant: it is written into no model of an opset that defines its operator anew,
not on request and not because a rewrite needs that opset. When operators are defined anew is asked of ONNX's own schemas."""
import collections
import pathlib
import re
import sys
import tempfile

from command import Checks, Vouch
from model_pairs import BOOL, INT64, ints, model, node, tensor, value

import onnx
import onnx.defs
from onnx import helper

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()

history = collections.defaultdict(set)
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        history[schema.name].add(schema.since_version)
rows = dict(re.findall(r'\{"(\w+)", \{([\d, ]+)\}\}', (root / "src/io/onnx_revisions.cpp").read_text()))
newest = onnx.defs.onnx_opset_version()
for op, versions in history.items():
    listed = {int(version) for version in rows.get(op, "0").split(",")}
    checks.that({version for version in listed if version <= newest} == versions, f"{op}: {sorted(listed)}, ONNX has {sorted(versions)}")


def written(made, *arguments):
    with tempfile.TemporaryDirectory() as there:
        path, out = pathlib.Path(there) / "m.onnx", pathlib.Path(there) / "o.onnx"
        path.write_bytes(made.SerializeToString())
        code, _, errors = vouch("optimize", path, "-o", out, *arguments)
        return code, errors, onnx.load(str(out)) if out.exists() else None


def kept(op, opset, inputs="u", outputs="y", **attributes):
    """Of an unknown operator's result, so that the node is left as it is."""
    return model([node("Frob", "x", "u", domain="com.acme"), node(op, inputs, outputs, **attributes)], opset=opset, imports=[("com.acme", 1)],
                 constants=[ints("k", 1)])


def within(opset):
    branch = lambda op: helper.make_graph([node(op, "u", "r")], op, [], [value("r")])
    return model([node("Frob", "x", "u", domain="com.acme"), node("If", "c", then_branch=branch("Softmax"), else_branch=branch("Elu"))],
                 [value("x"), value("c", (), BOOL)], opset=opset, imports=[("com.acme", 1)])


for name, made, op, asked in (("Softmax, of the axes behind 1", kept("Softmax", 11), "Softmax", 13), ("Softmax in a branch", within(11), "Softmax", 13),
                              ("Hardmax, downwards", kept("Hardmax", 13), "Hardmax", 12),
                              ("RoiAlign, another half of a pixel", model([node("RoiAlign", "x r i", output_height=2, output_width=2)],
                               [value("x", (1, 1, 4, 4)), value("r", (1, 4)), value("i", (1,), INT64)], [value("y", (1, 1, 2, 2))], opset=11), "RoiAlign", 16),
                              ("what ONNX does not have", kept("Frobnicate", 11), "Frobnicate", 12)):
    code, errors, out = written(made, "--opset", str(asked))
    told = f"{op} is kept as the file has it, in opset {made.opset_import[0].version}, and may mean something else in opset {asked}" in errors
    checks.that(code == 3 and told and out is None, f"{name}: exit {code}: {errors}")
    code, errors, out = written(made)
    checks.that(code == 0 and out.opset_import[0].version == made.opset_import[0].version, f"{name}, not asked for: exit {code}: {errors}")

code, errors, out = written(kept("TopK", 11, "u k", "y at"), "--opset", "17")
checks.that(code == 0 and out.opset_import[0].version == 17, f"TopK is the same until opset 23: exit {code}: {errors}")

# A rewrite whose target came with opset 14, which defines Relu anew.
hard_swish = [node("Add", "x three", "a"), node("Clip", "a zero six", "c"), node("Mul", "x c", "m"), node("Div", "m six", "b"),
              node("Frob", "b", "u", domain="com.acme")]
numbers = [tensor(name, [number], []) for name, number in (("zero", 0.0), ("three", 3.0), ("six", 6.0))]
for last, wanted in (("Relu", 3), ("Softmax", 0)):
    code, errors, out = written(model([*hard_swish, node(last, "u")], opset=13, constants=numbers, imports=[("com.acme", 1)]))
    told = "Relu is kept as the file has it, in opset 13" in errors and "needs opset 14" in errors if wanted else out and out.opset_import[0].version == 14
    checks.that(code == wanted and told, f"{last} beside a rewrite that needs opset 14: exit {code}: {errors}")
checks.end()

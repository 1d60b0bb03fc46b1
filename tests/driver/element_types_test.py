"""The element types that the operator table lets operators take are those of ONNX's own schemas, as python3-onnx has them; what
newer versions added is listed here."""
import re
import sys

from command import SKIPPED, Checks, Vouch

try:
    from onnx import defs
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)

vouch = Vouch(sys.argv[1])
checks = Checks()
INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
FLOATS = {"float16", "bfloat16", "float32", "float64"}
ALL = INTEGERS | FLOATS | {"bool"}
STORED = {"int4", "uint4", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"}
# What takes those since versions 19 (floats of 8 bits) and 21 (integers of 4), by onnx/docs/Changelog.md; none by then for lists.
STORING = {"Cast": {"input"}, "CastLike": {"input", "target_type"}, "DequantizeLinear": {"x", "x_zero_point"}, "Flatten": {"input"},
           "Identity": {"input"}, "Pad": {"data", "constant_value"}, "QuantizeLinear": {"y_zero_point"}, "Reshape": {"data"},
           "Shape": {"data"}, "Size": {"data"}, "Squeeze": {"data"}, "Transpose": {"data"}, "Unsqueeze": {"data"}}
SETS = {"any type": ALL | STORED, "any but storage types": ALL, "numbers": INTEGERS | FLOATS, "floats": FLOATS, "integers": INTEGERS}
ONNX = {"float": "float32", "double": "float64"}
# Added after the versions that python3-onnx knows (18 to 22): bfloat16 nearly everywhere, and these.
ADDED = {"ReduceMax": {"bool"}, "ReduceMin": {"bool"}, "QuantizeLinear": {"int16", "uint16", "float16"},
         "DequantizeLinear": {"int16", "uint16", "float16"}, "OneHot": {"bfloat16"}, "IsInf": {"float16"}}
# Taken at one type only though ONNX has more: their lists are int64 here when they are known.
OPAQUE = {"RNN", "GRU", "LSTM", "If", "Loop", "Scan"}


def types_of(names):
    found = (re.fullmatch(r"(?:seq\()?tensor\((\w+)\)\)?", name) for name in names)
    return {ONNX.get(match[1], match[1]) for match in found if match} & ALL


code, page, errors = vouch("ops", "--markdown")
table = {}
for section in page.split("\n## ")[1:]:
    name = section.split("\n")[0]
    rows = section.split("| operand | elements |\n|---|---|\n")
    lines = re.findall(r"^\| `(\w+)` \| (.*) \|$", rows[1].split("\n\n")[0], re.M) if len(rows) > 1 else []
    table[name] = [SETS.get(text, set(text.split(", "))) for _, text in lines]
compared = 0
for name, operands in table.items():
    if name in OPAQUE or not defs.has(name):
        continue
    schema = defs.get_schema(name)
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    for given, ours in zip(schema.inputs, operands):
        theirs = types_of(constraints.get(given.typeStr, [given.typeStr]))
        checks.that(theirs <= ours, f"{name}.{given.name}: {sorted(theirs - ours)} is missing")
        stores = given.name in STORING.get(name, set())
        checks.that(ours & STORED == (STORED if stores else set()), f"{name}.{given.name}: takes {sorted(ours & STORED)} of storage types")
        extra = ours - STORED - theirs - ADDED.get(name, set()) - {"bfloat16"}
        checks.that(not extra, f"{name}.{given.name}: ONNX does not take {sorted(extra)}")
        compared += 1
checks.that(compared > 150, f"{compared} operands were compared")
checks.end()

"""Rules whose source means nothing where 0 divides do not fire where a constant 0 divides: each refusal names operand, value and index,
and each neighbour fires."""
import os
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from rule_site import RuleSite

vouch = Vouch(sys.argv[1])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(folder / "cache")
os.environ["XDG_STATE_HOME"] = str(folder / "state")

SAME = "let x = * {dtype = float32}; let s = * {shape = x.shape, dtype = float32}; drop s;"
RULES = {
    "scaled_back": SAME + " source x * s / s; target x;",
    "scaled_back_by_number": "let x = * {dtype = float32}; let s = * {rank = 0, dtype = float32}; drop s; source x * s / s; target x;",
    "normalised": "let x = * {dtype = float32}; let w = *; let g = const; let o = const; let m = const; let v = const;"
                  " let b = BatchNormalization(w, g, o, m, v); where x.shape == w.shape; drop w; source (x + b) - b; target x;",
    "requantised": "let q = * {dtype = int8}; let s = * {rank = 0, dtype = float32}; let z = * {rank = 0, dtype = int8};"
                   " drop s; drop z; source QuantizeLinear(DequantizeLinear(q, s, z), s, z); target q;",
    "whole": "let i = * {dtype = int32}; let k = * {shape = i.shape, dtype = int32}; let d = Div(i, k); drop k;"
             " source (i + d) - d; target i;",
    "rest": "let i = * {dtype = int32}; let k = * {shape = i.shape, dtype = int32}; let d = Mod(i, k); drop k;"
            " source (i + d) - d; target i;",
}
BACK = ["Mul x s p", "Div p s y"]
WHOLE = ["Div i k d", "Add i d p", "Sub p d y"]
REST = ["Mod i k d", "Add i d p", "Sub p d y"]
NORMAL = ["BatchNormalization w g o m v b", "Add u b p", "Sub p b y"]
ONES = {name: [1, 2, 3] for name in "gom"}
STEPS = ["DequantizeLinear q s z p", "QuantizeLinear p s z y"]
SITES = [  # rule, operators, constants, what a refusal names; nothing where it fires
    ("scaled_back", BACK, {"s": [1, 2, 0.5]}, None),
    ("scaled_back", BACK, {"s": [1, 2, 0]}, "'s' is 0 at [2]"),
    ("scaled_back", BACK, {"s": [-0.0, 2, 1]}, "'s' is -0 at [0]"),
    ("scaled_back", BACK, {}, None),  # s is fed
    ("scaled_back", ["Sub a b s", *BACK], {"a": [1, 2, 3], "b": [3, 2, 1]}, "'s' is 0 at [1]"),  # known once it is folded
    ("scaled_back", ["Sub a b s", *BACK], {"a": [1, 2, 3], "b": [3, 3, 1]}, None),
    ("scaled_back_by_number", BACK, {"s": 2}, None),
    ("scaled_back_by_number", BACK, {"s": 0}, "'s' is 0"),
    ("normalised", NORMAL, {**ONES, "v": [1, 0, 3]}, None),  # a small number is added before the root is taken
    ("normalised", NORMAL, {**ONES, "v": [1, 0, -1]}, "'v' is -1 at [2]"),
    ("requantised", STEPS, {"s": 0.5, "z": 3}, None),
    ("requantised", STEPS, {"s": 0.0, "z": 3}, "'s' is 0"),
    ("whole", WHOLE, {"k": [1, -1, 7]}, None),
    ("whole", WHOLE, {"k": [1, 0, 7]}, "'k' is 0 at [1]"),
    ("rest", REST, {"k": [1, -1, 7]}, None),
    ("rest", REST, {"k": [0, 2, 7]}, "'k' is 0 at [0]"),
    # 0 whatever u is; v is another input
    ("scaled_back", ["Mul v n s", *BACK], {"n": [0, 0, 0]}, "'s' has an element that is 0 whatever is fed"),
    ("scaled_back", ["Mul n v s", *BACK], {"n": [1, 0, 2]}, "'s' has an element that is 0 whatever is fed"),
    ("scaled_back", ["Mul v n s", *BACK], {"n": [1, 3, 2]}, None),
    ("scaled_back", ["Sub v v s", *BACK], {}, "'s' has an element that is 0 whatever is fed"),
    ("scaled_back", ["Sub v t s", *BACK], {}, None),
    ("scaled_back", ["Mul v n a", "Sub t t b", "Add a b s", *BACK], {"n": [0, 1, 2]}, "'s' has an element that is 0 whatever is fed"),
    ("scaled_back", ["Mul v n a", "Sub t t b", "Sub a b r", "Abs r s", *BACK], {"n": [0, 1, 2]}, "'s' has an element that is 0 whatever is fed"),
    ("scaled_back", ["Mul v n a", "Exp a s", *BACK], {"n": [0, 0, 0]}, None),
    ("scaled_back", ["Mul v n a", "Add a t s", *BACK], {"n": [0, 0, 0]}, None),
    ("whole", ["Mul j f k", *WHOLE], {"f": [1, 0, 7]}, "'k' has an element that is 0 whatever is fed"),
    ("whole", ["Sub j j k", *WHOLE], {}, "'k' has an element that is 0 whatever is fed"),
    ("whole", ["Sub j h k", *WHOLE], {}, None),
]
TYPES = {"j": "int32", "h": "int32", "f": "int32", "q": "int8", "z": "int8", "i": "int32", "k": "int32"}
DIMS = {"w": [2, 3], "u": [2, 3]}  # of what is fed; all else is [3]


def model(calls, constants):
    taken, made = {}, set()
    nodes = []
    for name, values in constants.items():
        dims = [3] if isinstance(values, list) else []
        data = values if isinstance(values, list) else [values]
        nodes.append({"name": name, "kind": "parameter", "type": TYPES.get(name, "float32"), "dims": dims, "data": data})
        made.add(name)
    for call in calls:
        op, *operands, name = call.split()
        for operand in operands:
            if operand not in made:
                taken[operand] = {"name": operand, "type": TYPES.get(operand, "float32"),
                                  "dims": DIMS.get(operand, [3])}
        nodes.append({"name": name, "op": op, "operands": operands})
        made.add(name)
    return {"vouch": 1, "inputs": list(taken.values()), "nodes": nodes, "outputs": [{"name": "y", "value": "y"}]}


for rule, calls, constants, named in SITES:
    site = RuleSite(vouch, checks, folder, rule, RULES[rule], model(calls, constants))
    if site.reasons is None:
        continue
    checks.that((site.fired > 0) == (named is None), f"{rule} {constants}: fired {site.fired} times: {site.reasons}")
    if named is not None:
        checks.that(any("source has no value here" in reason and named in reason for reason in site.reasons),
                    f"{rule} {constants}: refused without a reason: {site.reasons}")
        said = site.why_not()
        checks.that("source has no value here" in said, f"{rule} {constants}: why-not: {said}")
checks.end()

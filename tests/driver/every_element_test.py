"""Conditions on every element of a constant: where one element does not meet them the rule does not fire, by a verdict just proven or by
one that was kept, and `why-not` says which condition it was."""
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

SCALED = "let x = * {dtype = float32}; let c = const {shape = x.shape, dtype = float32};"
RULES = {
    "not_negative": (["Relu x r", "Mul r c y"],
                     SCALED + " where all[v in c](v >= 0); source Relu(x) * c; target Relu(x * c);"),
    "divided_back": (["Mul x c r", "Div r c y"], SCALED + " where all[v in c](v != 0); source x * c / c; target x;"),
    "within": (["Relu x r", "Mul r c y"],
               SCALED + " where x.rank == 3 and all[v in c](v >= 0 and v <= 6); source Relu(x) * c; target Relu(x * c);"),
}
SITES = [  # rule, the six elements of c, fires
    ("not_negative", [0.5, 1, 2, 3, 4, 0], True),
    ("not_negative", [0.5, 1, 2, 3, 4, -0.25], False),
    ("not_negative", [-0.0, 1, 2, 3, 4, 1], False),
    ("divided_back", [0.5, 1, -2, 3, 4, 5], True),
    ("divided_back", [0.5, 1, 0, 3, 4, 5], False),
    ("within", [0, 1, 2, 3, 4, 6], True),
    ("within", [0, 1, 2, 3, 4, 6.5], False),
    ("within", [0, 1, 2, 3, -1, 6], False),
]


def model(calls, elements):
    nodes = [{"name": "c", "kind": "parameter", "type": "float32", "dims": [1, 2, 3], "data": elements}]
    for call in calls:
        op, *operands, name = call.split()
        nodes.append({"name": name, "op": op, "operands": operands})
    return {"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [1, 2, 3]}], "nodes": nodes,
            "outputs": [{"name": "y", "value": "y"}]}


for kept in (False, True):
    for rule, elements, fires in SITES:
        calls, text = RULES[rule]
        site = RuleSite(vouch, checks, folder, rule, text, model(calls, elements))
        if site.reasons is None:
            continue
        checks.that((site.fired > 0) == fires, f"{rule} {elements} kept={kept}: fired {site.fired} times: {site.reasons}")
        if not fires:
            said = site.why_not()
            checks.that("all[v in c]" in said, f"{rule} {elements}: why-not: {said}")
checks.end()

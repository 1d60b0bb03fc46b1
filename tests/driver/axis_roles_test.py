"""Roles of axes: a rule of groups of axes fires on models of several ranks, with the numbers of axes that were proven, by a verdict just
proven and by one that was kept; a trace holds these numbers, and others are refused; `fmt` and messages know the item."""
import copy
import json
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

SUM = """let x = * {dtype = float32}; axes x = (b, m, k 1..);
  let t = Transpose(x) {perm = x.b ++ x.k ++ x.m}; axes t = (b, k, m);
  source ReduceSum(t, const {value = t.k}) {keepdims = 0, noop_with_empty_axes = 0};
  target ReduceSum(x, const {value = x.k}) {keepdims = 0};"""


def model(dims, perm, axes):
    return {"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": dims}],
            "nodes": [{"name": "a", "kind": "constant", "type": "int64", "dims": [len(axes)], "data": axes},
                      {"name": "t", "op": "Transpose", "operands": ["x"], "attributes": {"perm": perm}},
                      {"name": "y", "op": "ReduceSum", "operands": ["t", "a"], "attributes": {"keepdims": 0}}],
            "outputs": [{"name": "y", "value": "y"}]}


SITES = [  # perm, axes that are summed, numbers of b, m and k; none: it does not fire
    ([1, 0], [0], [0, 1, 1]),
    ([0, 2, 1], [1], [1, 1, 1]),
    ([2, 0, 1], [-3], [0, 2, 1]),
    ([0, 2, 3, 1], [2, 1], [1, 1, 2]),
    ([0, 1, 3, 2], [2], [2, 1, 1]),
    ([0, 2, 3, 1], [1], None),
    ([0, 3, 2, 1], [1, 2], None),
    ([0, 3, 4, 1, 2], [1, 2], None),  # five axes were not proven
]

for kept in (False, True):
    for perm, axes, numbers in SITES:
        rank = len(perm)
        site = RuleSite(vouch, checks, folder, "sum_of_transposed", SUM, model([2, 3, 4, 5, 6][:rank], perm, axes))
        if site.reasons is None:
            continue
        checks.that((site.fired > 0) == (numbers is not None), f"{perm} {axes} kept={kept}: fired {site.fired} times: {site.reasons}")
        if rank == 5:
            checks.that(any("b 1, m 2, k 2" in reason for reason in site.reasons), f"the numbers are named: {site.reasons}")

trace, first, second = folder / "trace.json", folder / "first.json", folder / "second.json"
for perm, axes, numbers in SITES:
    if numbers is None:
        continue
    site = RuleSite(vouch, checks, folder, "sum_of_transposed", SUM, model([2, 3, 4, 5][:len(perm)], perm, axes))
    code, out, errors = vouch("optimize", site.path, "--rules", site.rules, "-o", first, "--trace", trace)
    checks.that(code == 0, errors)
    recorded = json.loads(trace.read_text())
    step = next(step for step in recorded["steps"] if "rule" in step)
    checks.that(step.get("axes") == numbers, f"{perm} {axes}: {step.get('axes')}")
    code, out, errors = vouch("optimize", site.path, "--rules", site.rules, "-o", second, "--replay", trace)
    checks.that(code == 0 and first.read_bytes() == second.read_bytes(), f"the replay gives another model: {errors}")
    for wrong in (None, [], numbers[:2], numbers + [0], [99, 0, 1], [numbers[0] + 1] + numbers[1:]):
        bad = copy.deepcopy(recorded)
        changed = next(step for step in bad["steps"] if "rule" in step)
        changed.pop("axes")
        if wrong is not None:
            changed["axes"] = wrong
        (folder / "bad.json").write_text(json.dumps(bad))
        code, out, errors = vouch("optimize", site.path, "--rules", site.rules, "--replay", folder / "bad.json", "-o", folder / "no.json")
        checks.that(code == 3 and "this is no match" in errors and not (folder / "no.json").exists(), f"{wrong}: exit {code}: {errors}")

rules = folder / "said.gsl"
rules.write_text("rule sum_of_transposed {\n" + SUM + "\n}\n")
code, out, errors = vouch("check", rules, "--json", "-")
rule = json.loads(out)["rules"][0]
checks.that(rule["verdict"] == "sound" and {"b 0..3 axes", "k 1..4 axes", "m 0..3 axes"} <= set(rule["bounds"]), f"{rule}")
code, out, errors = vouch("check", rules, "--max-rank", "2")
checks.that("k 1..2 axes" in out and "m 0..1 axes" in out, out)
rules.write_text("rule wrong { let x = *; axes x = (a, b, a); source Relu(x); target x; }\n")
code, out, errors = vouch("check", rules)
checks.that(code == 3 and "has the role 'a' twice" in errors, f"exit {code}: {errors}")
checks.end()

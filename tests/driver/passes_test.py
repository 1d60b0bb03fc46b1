"""Each pass of other optimisers has its rule, or a reason why not: the rules are there and proven, each example is optimised to
the calls that have to be left, its outputs stay what they were, a second run fires nothing, and docs/passes.md says so."""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import numpy as np
    import onnx
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)
from pass_graphs import GRAPHS, model, number
from pass_list import PASSES, page
from passes_inputs import write_inputs

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
STORE = sys.argv[3]  # of verdicts, which verdicts_test.py proved
checks = Checks()
VOUCH_PASSES = {"[fold-parameters]", "[merge-common-subexpressions]", "[remove-dead-nodes]", "[forward-projections]",
                "[inline-constant-ifs]"}


def check_list():
    code, out, errors = vouch("check", *sorted((root / "rules").glob("*.gsl")), "--no-repair", "--store", STORE, "--json", "-", limited=False, seconds=600)
    verdicts = {rule["name"]: rule["verdict"] for rule in json.loads(out)["rules"]}
    for optimiser, name, rules, example, note in PASSES:
        checks.that(rules or note, f"{optimiser}, {name}: neither a rule nor a reason")
        checks.that(not example or example in GRAPHS, f"{name}: no example '{example}'")
        for rule in rules.split():
            proven = rule in VOUCH_PASSES or verdicts.get(rule, "missing").startswith("sound")
            checks.that(proven, f"{name}: {rule} is {verdicts.get(rule, 'missing')}")
    checks.that((root / "docs" / "passes.md").read_text() == page(), "docs/passes.md is not what pass_list.py writes")


def check_example(name, model, left, folder):
    folder.mkdir()
    onnx.save(model, folder / "model.onnx")
    write_inputs(model, folder)
    code, out, errors = vouch("optimize", folder / "model.onnx", "--rules", root / "rules", "-o", folder / "out.onnx", "--io", folder,
                              "--json", "-")
    checks.that(code == 0, f"{name}: exit {code}: {errors}")
    if code != 0:
        return
    summary = json.loads(out)
    after = {op: counts[1] for op, counts in summary["calls"]["by_operator"].items() if counts[1]}
    checks.that(after == left, f"{name}: {after} is left, expected {left}")
    before = [node.op_type for node in model.graph.node]
    checks.that(sum(after.values()) < len(before) or set(after) != set(before), f"{name}: the example shows nothing")
    checks.that(summary["outputs"] and all(output["ok"] for output in summary["outputs"]), f"{name}: outputs differ")
    code, out, errors = vouch("optimize", folder / "out.onnx", "--rules", root / "rules", "--json", "-")
    checks.that(code == 0 and json.loads(out)["rewrites"] == 0, f"{name}: a second run fires {out[:300]}{errors}")


def check_integers(folder):
    """Relu of integers is in the standard and not in ONNX Runtime: what has none gets none."""
    zero = number(0, np.int64)
    for name, nodes in (("max", [("Max x z -> y", {})]), ("max_first", [("Max z x -> y", {})]), ("clip", [("Clip x z -> y", {})]),
                        ("where", [("Greater x z -> g", {}), ("Where g x z -> y", {})])):
        onnx.save(model(nodes, {"x": ("INT64", (3, 4))}, {"z": zero}, opset=14), folder / f"{name}.onnx")
        code, out, errors = vouch("optimize", folder / f"{name}.onnx", "--rules", root / "rules", "--json", "-")
        checks.that(code == 0 and "Relu" not in json.loads(out)["calls"]["by_operator"], f"{name} of integers: exit {code} {out[:300]}{errors}")


check_list()
with tempfile.TemporaryDirectory() as scratch:
    for name, (graph, left) in GRAPHS.items():
        check_example(name, graph, left, pathlib.Path(scratch) / name)
    check_integers(pathlib.Path(scratch))
    used = {row[3] for row in PASSES}
    checks.that(len(set(GRAPHS) & used) >= 40, "too few examples are listed")
checks.end()

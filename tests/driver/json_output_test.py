"""`--json` of every command: to a file beside the text, or alone on standard output; a file that cannot be written is exit 3."""
import json
import os
import pathlib
import struct
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
mnist = root / "tests" / "models" / "mnist"
model, rules = mnist / "model.onnx", root / "rules"
checks = Checks()

THIRDS = {"vouch": 1, "inputs": [{"name": "x", "type": "int64", "dims": [2]}],
          "nodes": [{"name": "f", "op": "Cast", "operands": ["x"], "attributes": {"to": "float32"}},
                    {"name": "three", "kind": "constant", "type": "float32", "dims": [], "data": [3]},
                    {"name": "y", "op": "Div", "operands": ["f", "three"]}],
          "outputs": [{"name": "y", "value": "y"}]}


def both_ways(folder, name, wanted, *arguments):
    """The text goes with a file and not with standard output; returns what the JSON says."""
    file = folder / f"{name}.json"
    code, text, errors = vouch(*arguments, "--json", file)
    checks.that(code == 0 and text, f"{name} --json FILE: exit {code} {errors}")
    alone_code, alone, _ = vouch(*arguments, "--json", "-")
    checks.that(alone_code == 0, f"{name} --json -: exit {alone_code}")
    found = json.loads(alone)
    checks.that(json.loads(file.read_text()).keys() == found.keys() >= wanted, f"{name}: {sorted(found)}, wanted {sorted(wanted)}")
    code, _, errors = vouch(*arguments, "--json", folder / "missing" / "file.json")
    checks.that(code == 3 and "missing" in errors, f"{name}: unwritable: exit {code} {errors}")
    return found


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    os.environ["VOUCH_CACHE"] = str(folder / "cache")
    found = both_ways(folder, "run", {"model", "nodes", "tolerance", "outputs"}, "run", model, "--io", mnist / "io")
    checks.that([output["ok"] for output in found["outputs"]] == [True] and found["outputs"][0]["largest_error"] <= 1e-4, f"run: {found}")
    code, out, _ = vouch("run", model, "--io", mnist / "io", "--tolerance", "0", "--json", "-")
    checks.that(code == 1 and not json.loads(out)["outputs"][0]["ok"], "run: beyond the tolerance is exit 1")

    found = both_ways(folder, "optimize", {"rewrites", "rules", "refusals", "calls"}, "optimize", model, "--rules", rules,
                      "--allow-unproven")
    checks.that(found["calls"]["after"] < found["calls"]["before"], f"optimize: {found['calls']}")

    found = both_ways(folder, "why-not", {"rule", "matches", "missing"}, "why-not", "conv_batch_norm", model, "--rules", rules)
    checks.that(not found["matches"] and found["missing"] == "BatchNormalization", f"why-not: {found}")
    found = both_ways(folder, "why-not", {"rule", "matches", "patterns", "failure"}, "why-not", "relu_relu", model, "--rules", rules)
    checks.that(not found["matches"] and found["failure"]["line"] > 0 and found["failure"]["expected"], f"why-not: {found}")

    found = both_ways(folder, "draw", {"model", "nodes", "written", "sites"}, "draw", model, "--rules", rules, "--match",
                      "conv_add_bias", "-o", folder / "model.svg")
    checks.that(found["sites"] == 2 and (folder / "model.svg").exists(), f"draw: mnist has two convolutions with a bias: {found}")

    found = both_ways(folder, "rules", {"rules", "undoing", "overlaps"}, "rules", rules / "elementwise.gsl")
    checks.that(found["rules"], "rules: none listed")

    (folder / "thirds.json").write_text(json.dumps(THIRDS))
    (folder / "x.json").write_text(json.dumps({"name": "x", "type": "int64", "dims": [2]}))
    (folder / "x.int64.bin").write_bytes(struct.pack("<2q", 1, -6))
    found = both_ways(folder, "exact", {"model", "outputs"}, "run", folder / "thirds.json", "--exact", "--input", f"x={folder / 'x.json'}")
    checks.that(found["outputs"] == [{"name": "y", "dtype": "float32", "shape": [2], "elements": ["1/3", "-2"], "exact": True}],
                f"run --exact: {found}")
checks.end()

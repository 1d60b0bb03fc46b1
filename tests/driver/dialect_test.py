"""The published library in its own operators meets ONNX models by the rules of the dialect: runs end, a model never comes out
larger, what is kept has the same outputs, and a second run fires nothing."""
import json
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

try:
    import onnx
except ImportError:
    print("not run: python3-onnx is not there")
    sys.exit(SKIPPED)
from pass_graphs import IMAGE, model, weights
from passes_inputs import write_inputs

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
rules = ["--rules", root / "rules" / "gsl", root / "rules" / "dialect"]
checks = Checks()


def run(path, *more):
    code, out, errors = vouch("optimize", path, *rules, "--json", "-", *more)
    checks.that(code == 0, f"{path}: exit {code}: {errors}")
    return json.loads(out) if code == 0 else None


def fired(summary):
    return {rule["name"]: rule["fired"] for rule in summary["rules"] if rule["fired"]}


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    parallel = model([("Conv x u -> a", {}), ("Conv x v -> b", {})], IMAGE, {"u": weights(4, 3, 3, 3), "v": weights(4, 3, 3, 3)}, "a b")
    onnx.save(parallel, folder / "two.onnx")
    write_inputs(parallel, folder)
    summary = run(folder / "two.onnx", "-o", folder / "one.onnx", "--io", folder)
    if summary:
        checks.that("parallel_two_conv" in fired(summary), f"nothing was merged: {fired(summary)}")
        checks.that(all(output["ok"] for output in summary["outputs"]), "outputs differ")
        checks.that({node.op_type for node in onnx.load(folder / "one.onnx").graph.node} - {"Constant"} == {"Conv", "Split"}, "not written in ONNX's operators")
        again = run(folder / "one.onnx")
        checks.that(again and not fired(again), f"a second run fires {again and fired(again)}")
for path in sorted((root / ".." / "shared" / "data" / "models").glob("*/model.onnx")):
    summary = run(path)
    if summary:
        calls = summary["calls"]
        checks.that(calls["after"] <= calls["before"], f"{path.parent.name}: {calls['before']} calls became {calls['after']}")
checks.end()

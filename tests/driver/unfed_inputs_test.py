"""`vouch equiv` on models with inputs that need not be fed: where neither model needs one it is no input of the claim, of the input that
tells them apart, or of what is printed; where one of them does, the claim is for every value of it."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch
from model_pairs import model, node, tensor, value

import numpy
import onnx

vouch, checks = Vouch(sys.argv[1]), Checks()
place = pathlib.Path(tempfile.mkdtemp())
X, W = value("x", (2, 3)), value("w", (3,))
OUT = [value("y", (2, 3))]


def write(name, made):
    made.ir_version = 8
    path = place / f"{name}.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def product(name, values=None, fed=False, called="w", nodes=None):
    """y = x * w; w has `values` if they are given, and is an input as well where it may be fed."""
    weights = [] if values is None else [tensor(called, values, [3])]
    inputs = [X] + ([value(called, (3,))] if fed else [])
    return write(name, model(nodes or [node("Mul", f"x {called}")], inputs, OUT, constants=weights))


def equiv(a, b, *options):
    report = place / "report.json"
    report.unlink(missing_ok=True)
    code, out, errors = vouch("equiv", a, b, "--json", report, *options, seconds=100)
    return code, json.loads(report.read_text())["verdict"] if report.exists() else errors, out


def ran(path, given, name):
    """The one output of the model on a folder of inputs."""
    code, out, errors = vouch("run", path, "--io", given, "--out", place / name)
    checks.that(code == 0, f"{path.name} on the input that tells it apart: {code} {out}{errors}")
    return numpy.fromfile(place / name / "out_y.float32.bin", "float32") if code == 0 else numpy.zeros(6)


may_be_fed = product("may_be_fed", [1, 2, 3], fed=True)
fixed = product("fixed", [1, 2, 3])
other = product("other", [1, 2, 4], fed=True)
needed = product("needed", fed=True)
renamed = product("renamed", fed=True, called="v")

code, verdict, text = equiv(may_be_fed, fixed)
checks.that(code == 0 and verdict == "equal (exact)" and "1 inputs that need not be fed" in text, f"against the weight: {verdict}: {text}")

repro = place / "repro"
repro.mkdir()
code, verdict, text = equiv(may_be_fed, other, "--repro", repro)
checks.that(code == 1 and verdict == "different", f"of two values: {verdict}")
checks.that(sorted(file.name for file in repro.glob("in_*.json")) == ["in_x.json"] and "input w" not in text,
            f"what need not be fed is no part of the input that tells the models apart: {sorted(repro.iterdir())}: {text}")
checks.that(bool((ran(may_be_fed, repro, "first") != ran(other, repro, "second")).any()), "that input does not tell the models apart")

code, verdict, _ = equiv(may_be_fed, needed)
checks.that(code == 0 and verdict == "equal (exact)", f"against a model that needs it: {verdict}")
code, verdict, _ = equiv(needed, may_be_fed)
checks.that(code == 0 and verdict == "equal (exact)", f"the same in the other order: {verdict}")
code, verdict, _ = equiv(needed, renamed, "--map", "w=v")
checks.that(code == 0 and verdict == "equal (exact)", f"needed under two names: {verdict}")
code, verdict, _ = equiv(may_be_fed, renamed, "--map", "w=v")
checks.that(code == 0 and verdict == "equal (exact)", f"needed under another name: {verdict}")
code, verdict, _ = equiv(renamed, may_be_fed, "--map", "v=w")
checks.that(code == 0 and verdict == "equal (exact)", f"needed by the first under another name: {verdict}")

# What the second model computes with 1, 2, 3 is the first's value where w is not fed, and no other: it needs w, so w is fed.
constant = write("constant", model([node("Mul", "x c")], [X, W], OUT, constants=[tensor("c", [1, 2, 3], [3])]))
code, verdict, _ = equiv(may_be_fed, constant, "--repro", repro)
checks.that(code == 1 and verdict == "different" and (repro / "in_w.json").exists(), f"equal for one value of w: {verdict}")

given = place / "given"
given.mkdir()
for name, array in (("x", numpy.ones((2, 3), "float32")), ("w", numpy.zeros(3, "float32"))):
    (given / f"in_{name}.json").write_text(json.dumps({"name": name, "type": "float32", "dims": list(array.shape)}))
    array.tofile(given / f"in_{name}.float32.bin")
code, verdict, _ = equiv(may_be_fed, other, "--io", given)
checks.that(code == 1 and verdict == "different", f"a folder that feeds it: {verdict}")

for name, (a, b) in {"unfed": (may_be_fed, fixed), "needed": (may_be_fed, needed)}.items():
    traces = place / name
    traces.mkdir()
    models = [traces / path.name for path in (a, b)]
    for path, copied in zip((a, b), models):
        copied.write_bytes(path.read_bytes())
    code, out, errors = vouch("equiv", *models, "--trace", traces / "t.equalities.json")
    checks.that(code == 0, f"{name}: a trace: {code} {out}{errors}")
    code, out, errors = vouch("verify", traces)
    checks.that(code == 0 and "t.equalities.json" in out, f"{name}: the trace goes through again: {code} {out}{errors}")
checks.end()

"""`vouch equiv`: the shared pairs are decided as their table says; bad input and different interfaces end with their own codes."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
mnist = root / "tests" / "models" / "mnist" / "model.onnx"
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())


def judged(a, b, *options):
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    code, out, errors = vouch("equiv", a, b, "--json", report, *options, seconds=300)
    return code, json.loads(report.read_text()) if report.exists() else {}, out, errors


def model(name, text):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(text))
    return path


# A model is itself, bit for bit.
code, report, out, errors = judged(mnist, mnist)
checks.that(code == 0 and report.get("verdict") == "equal (exact)", f"mnist against itself: {code} {out}{errors}")

# What cannot be read is bad input; an option that names nothing is, too.
code, _, _, errors = judged(mnist, folder / "missing.onnx")
checks.that(code == 3 and "missing.onnx" in errors, f"a missing model: {code} {errors}")
code, _, _, errors = judged(mnist, mnist, "--size", "batsch=3")
checks.that(code == 3 and "batsch" in errors, f"an unknown size: {code} {errors}")
code, _, _, errors = judged(mnist, mnist, "--assume", "Input3=high")
checks.that(code == 3 and "LOW..HIGH" in errors, f"a range that is none: {code} {errors}")

# Lists, with a verdict for each pair and JUnit's XML.
(folder / "pairs.txt").write_text(f"# models of one repository\n{mnist} {mnist}\n{mnist} missing.onnx\n")
code, out, errors = vouch("equiv", "--list", folder / "pairs.txt", "--junit", folder / "junit.xml")
xml = (folder / "junit.xml").read_text()
checks.that(code == 3 and out.count("equal (exact)") == 1 and out.count("bad input") == 1, f"a list: {code} {out}{errors}")
checks.that('tests="2" failures="1"' in xml, f"JUnit: {xml}")

# A trace has every step; a model and its rewritten form are equal, and differ from what one wrong rule makes of it.
code, out, errors = vouch("equiv", mnist, mnist, "--trace", folder / "trace.json")
trace = json.loads((folder / "trace.json").read_text())
checks.that(code == 0 and trace["steps"] and all(step["by"] in ("value", "contents", "congruence") for step in trace["steps"]),
            f"the trace of a model against itself: {code} {errors}")
code, out, errors = vouch("optimize", mnist, "--rules", root / "rules" / "gsl", "-o", folder / "optimised.onnx", "--prove-result")
checks.that(code == 0 and "equal (" in out, f"--prove-result: {code} {out[-500:]}{errors}")
(folder / "wrong.gsl").write_text("rule wrong { let x = *; source Relu(x); target Abs(x); }")
code, out, errors = vouch("optimize", mnist, "--rules", folder / "wrong.gsl", "--allow-unproven", "-o", folder / "wrong.onnx",
                          "--prove-result")
checks.that(code == 1 and "different" in out, f"--prove-result of a wrong rule: {code} {out[-500:]}{errors}")
repro = folder / "repro"
repro.mkdir()
code, out, errors = vouch("equiv", mnist, folder / "wrong.onnx", "--repro", repro)
given = vouch("run", mnist, "--io", repro)
checks.that(code == 1 and given[0] == 0, f"the input that tells them apart runs: {code} {errors} {given[2]}")

# The shared pairs.
pairs = root.parent / "shared" / "data" / "pairs"
FOLDED = {"yunet_320.vouch": 1e-6, "autoencoder1d.vouch": 1e-6, "ppocr_cls.extended": 1e-6}
OR_OPEN = {"14b_one_weight_1e-4", "16_gelu_tanh"}
CONTROL = "09d_transpose_dropped"


def check_equal(name, original, other, io):
    code, report, out, errors = judged(original, other, "--io", io)
    verdict = report.get("verdict", "")
    checks.that(code == 0 and verdict.startswith("equal"), f"{name}: {code} {out[-1500:]}{errors[-500:]}")
    checks.that(report.get("fold_bound", 1) <= FOLDED.get(name, 0), f"{name}: {verdict}")


def check_different(name, original, other, io):
    code, report, out, errors = judged(original, other, "--io", io)
    verdict = report.get("verdict", "")
    decided = code == 1 and verdict == "different" and "difference" in report
    is_open = name in OR_OPEN and code == 2 and verdict == "open" and report["open"]
    checks.that(decided or is_open, f"{name}: {code} {out[-1500:]}{errors[-500:]}")


# Running them in double precision takes most of a minute on a busy machine: they are asked of in the long run.
SLOW = {"yunet_320.vouch", "12_relu_dropped", "14b_one_weight_1e-4"}


def asked(name):
    if name in SLOW and "all" not in sys.argv[3:]:
        print(f"skipped: {name} is asked of in the long run")
        return False
    return True


if pairs.is_dir():
    for pair in sorted((pairs / "equal").iterdir()):
        if asked(pair.name):
            check_equal(pair.name, pair / "original.onnx", pair / "optimised.onnx", pair / "io")
    for pair in sorted((pairs / "different").iterdir()):
        check = check_equal if pair.name == CONTROL else check_different
        if asked(pair.name):
            check(pair.name, pair / "original.onnx", pair / "changed.onnx", pair / "io")
else:
    print(f"skipped: the shared pairs are not there ({pairs})")

checks.end()

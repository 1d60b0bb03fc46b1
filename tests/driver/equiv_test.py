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

# The shared pairs.
pairs = root.parent / "shared" / "data" / "pairs"
EXACT = {"mnist.basic", "gtcrn.basic"}
FOLDED = {"yunet_320.vouch": 1e-6, "autoencoder1d.vouch": 1e-6, "ppocr_cls.extended": 1e-6}
PLACES = {"03_dropped_bias": "relu_2.tmp_0", "05_sub_swapped": "208", "09f_weight_not_transposed": "88",
          "11_hard_sigmoid_alpha": "hardsigmoid_0.tmp_0", "12_relu_dropped": "220",
          "13b_wrong_skip": "/layers.1/blocks.1/Add_output_0", "14b_one_weight_1e-4": "221",
          "16_gelu_tanh": "/layers.0/downsample/act/Gelu_output_0"}
OR_OPEN = {"14b_one_weight_1e-4", "16_gelu_tanh"}
CONTROL = "09d_transpose_dropped"


def check_equal(name, original, other, io):
    code, report, out, errors = judged(original, other, "--io", io)
    verdict = report.get("verdict", "")
    checks.that(code == 0 and verdict.startswith("equal"), f"{name}: {code} {out[-1500:]}{errors[-500:]}")
    checks.that(name not in EXACT or verdict == "equal (exact)", f"{name}: {verdict}")
    checks.that(report.get("fold_bound", 1) <= FOLDED.get(name, 0 if name in EXACT else 1e-6), f"{name}: {verdict}")


def check_different(name, original, other, io):
    code, report, out, errors = judged(original, other, "--io", io)
    verdict = report.get("verdict", "")
    decided = code == 1 and verdict == "different" and "difference" in report
    is_open = name in OR_OPEN and code == 2 and verdict == "open" and report["open"]
    checks.that(decided or is_open, f"{name}: {code} {out[-1500:]}{errors[-500:]}")


if pairs.is_dir():
    for pair in sorted((pairs / "equal").iterdir()):
        check_equal(pair.name, pair / "original.onnx", pair / "optimised.onnx", pair / "io")
    for pair in sorted((pairs / "different").iterdir()):
        check = check_equal if pair.name == CONTROL else check_different
        check(pair.name, pair / "original.onnx", pair / "changed.onnx", pair / "io")
else:
    print(f"skipped: the shared pairs are not there ({pairs})")

checks.end()

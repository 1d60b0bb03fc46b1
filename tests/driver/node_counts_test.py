"""How many nodes the real models have once the shipped rules are through, beside what ONNX Runtime 1.30 leaves at its basic level
(counted in the files that it writes with `optimizedModelFilePath`, constants left out): no model has more, all together have at
most 0.95 times as many, and a second run fires nothing."""
import json
import math
import pathlib
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root / ".." / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(SKIPPED)
BASIC = {"autoencoder1d": 21, "go1_policy": 14, "gtcrn_simple": 420, "inception_v1_light": 138, "mnist": 8, "ppocr_cls": 179,
         "shufflenet": 154, "squeezenet": 65, "t5_encoder": 77, "tinyvit": 181, "transformer": 115, "yunet_320": 115}
checks = Checks()
logarithms = []


def run(path, *more):
    code, out, errors = vouch("optimize", path, "--rules", root / "rules", "--json", "-", *more, limited=False, seconds=600)
    checks.that(code == 0, f"{path}: exit {code}: {errors}")
    return json.loads(out) if code == 0 else None


with tempfile.TemporaryDirectory() as scratch:
    for name, basic in BASIC.items():
        written = pathlib.Path(scratch) / f"{name}.onnx"
        summary = run(models / name / "model.onnx", "-o", written)
        again = summary and run(written)
        if not again:
            continue
        left = summary["calls"]["after"]
        logarithms.append(math.log(left / basic))
        print(f"{name:20} {summary['calls']['before']:4} {basic:4} {left:4}")
        checks.that(left <= basic, f"{name}: {left} nodes, ONNX Runtime leaves {basic}")
        checks.that(again["rewrites"] == 0, f"{name}: a second run fires {[r for r in again['rules'] if r['fired']]}")
mean = math.exp(sum(logarithms) / max(1, len(logarithms)))
print(f"geometric mean {mean:.3f}")
checks.that(mean <= 0.95, f"geometric mean {mean:.3f}")
checks.end()

"""Which rules fire on the real models: at least 25 different ones, and all nine sites of parallel convolutions in Inception."""
import json
import pathlib
import sys

from command import SKIPPED, Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
models = root / ".." / "shared" / "data" / "models"
if not models.is_dir():
    print(f"not run: the models are not there, expected in {models}")
    sys.exit(SKIPPED)

checks = Checks()
fired = {}
for model in sorted(models.glob("*/model.onnx")):
    code, out, errors = vouch("optimize", model, "--rules", root / "rules", "--json", "-", "--allow-unproven")
    checks.that(code == 0, f"{model}: exit {code}: {errors}")
    if code == 0:
        for rule in json.loads(out)["rules"]:
            if rule["fired"]:
                fired.setdefault(rule["name"], {})[model.parent.name] = rule["fired"]
for name in sorted(fired):
    print(f"{name:36}", ", ".join(f"{model} {count}" for model, count in fired[name].items()))
print(len(fired), "rules fire")
checks.that(len(fired) >= 25, f"{len(fired)} rules fire, expected at least 25")
merged = fired.get("merge_parallel_conv_bias", {}).get("inception_v1_light", 0)
checks.that(merged == 9, f"{merged} of the nine sites in Inception are merged")
checks.end()

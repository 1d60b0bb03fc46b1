"""Every rule set ends: a rule that keeps or writes what it matches is found by `vouch rules`, and stopped by `optimize` with its name."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
model = root / "tests" / "models" / "mnist" / "model.onnx"
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())

ENDLESS = {
    "twice": "let x = *; source Relu(x); target Relu(Relu(x));",
    "four_times": "let x = *; source Relu(x); target Relu(Relu(Relu(Relu(x))));",
    "kept": "let x = *; let r = Relu(x); source r; target r + (x - x);",
    "kept_inside": "let x = *; let y = *; let s = x + y; source s; target Neg(Neg(s));",
    "turned": "let a = *; let b = *; let c = *; source (a + b) + c; target a + (b + c);",  # sums match in either order
    "swapped": "let x = *; let y = *; source x + y; target y + x;",
}
ENDING = {
    "once": "let x = *; source Relu(Relu(x)); target Relu(x);",
    "less": "let x = *; source Relu(x); target Max((x, x - x));",
    "marked": "let x = *; let y = *; source x - y; target x + Neg(y);",
}
for name, body in ENDLESS.items():
    path = folder / f"{name}.gsl"
    path.write_text(f"rule {name} {{ {body} }}\n")
    code, out, errors = vouch("rules", path, "--json", "-")
    checks.that(code == 0 and json.loads(out)["repeating"] == [name], f"{name}: not found: {out}{errors}")
    if name == "turned":
        continue  # the model has no sum of sums
    out_model = folder / f"{name}.onnx"
    code, out, errors = vouch("optimize", model, "--rules", path, "--allow-unproven", "--allow-cost", "-o", out_model)
    changes_nothing = name == "swapped" and code == 0  # merged with what was there
    checks.that(changes_nothing or (code == 3 and "do not end" in errors and name in errors), f"{name}: exit {code}: {errors[:300]}")
    checks.that(changes_nothing or not out_model.exists(), f"{name}: a model was written")
for name, body in ENDING.items():
    path = folder / f"{name}.gsl"
    path.write_text(f"rule {name} {{ {body} }}\n")
    code, out, errors = vouch("rules", path, "--json", "-")
    checks.that(code == 0 and json.loads(out)["repeating"] == [], f"{name}: found, though it ends: {out}{errors}")
    code, _, errors = vouch("optimize", model, "--rules", path, "--allow-unproven")
    checks.that(code == 0, f"{name}: exit {code}: {errors[:300]}")
# Folding gives back what the rule matches, round after round; and what it adds costs nothing, being computed ahead of time.
path, out_model = folder / "given_back.gsl", folder / "given_back.onnx"
path.write_text("rule given_back { let x = * {dtype = float32}; let c = const {dtype = float32}; source x + c; target x + Neg(Neg(c)); }\n")
code, out, errors = vouch("optimize", model, "--rules", path, "-o", out_model)
checks.that(code == 3 and "do not end" in errors and "given_back" in errors and not out_model.exists(), f"given_back: exit {code}: {errors[:300]}")
code, out, _ = vouch("rules", folder / "kept.gsl")
checks.that("1 rule(s) keep or write what they match" in out and "kept (" in out, out)

checks.end()

"""Verdicts under five seeds of the solver, and with two rules at a time, are the same. With `all`: of every rule that ships."""
import json
import pathlib
import sys

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
everything = sys.argv[3:] == ["all"]
rules = sorted((root / "rules").rglob("*.gsl")) if everything else [root / "rules" / "gsl" / "parallel.gsl", root / "rules" / "product.gsl"]


def verdicts(*options):
    code, out, errors = vouch("check", *rules, "--json", "-", "--no-repair", *options, seconds=1800)
    checks.that(code in (0, 1, 2), f"exit {code}: {errors}")
    return {rule["name"]: (rule["verdict"], rule.get("algebra"), rule["instances"]) for rule in json.loads(out)["rules"]}


checks = Checks()
first = verdicts()
checks.that(len(first) > 8, f"{len(first)} rules")
for options in [["--seed", seed] for seed in (1, 2, 3, 20261121)] + [["-j", 2]]:
    for name, verdict in verdicts(*options).items():
        checks.that(first.get(name) == verdict, f"{name}: {verdict} with {options}, {first.get(name)} without")
print(f"figures: {len(first)} rules, the same verdicts under five seeds and two at a time")
checks.end()

"""Every shipped rule has the verdict that it says it has, the wrong neighbours included; never a sound one that is wrong."""
import json
import pathlib
import re
import sys

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])

EXPECTED = re.compile(r"^rule\s+(\w+)(?:(?!^rule\s).)*?^\s*expect\s+([a-z_ ]+);", re.M | re.S)
# Rules that are true and not proven yet, and so never fire.
OPEN = {"reshape_reshape"}


def expectations(folder):
    for file in sorted(folder.rglob("*.gsl")):
        for name, expected in EXPECTED.findall(file.read_text()):
            yield name, expected.split()


def agrees(expected, verdict):
    if expected[0] == "sound":
        return verdict["verdict"] == "sound" and expected[1:] in ([], [verdict["algebra"]])
    return verdict["verdict"] in ("unsound", "ill-typed")


checks = Checks()
code, out, errors = vouch("check", *sorted((root / "rules").rglob("*.gsl")), "--json", "-", "--no-repair", seconds=1800)
checks.that(code in (1, 2), f"wrong rules are among them, yet exit {code}: {errors}")
verdicts = {rule["name"]: rule for rule in json.loads(out)["rules"]}
wanted = dict(expectations(root / "rules"))
checks.that(set(wanted) == set(verdicts), f"rules without verdict: {set(wanted) ^ set(verdicts)}")
unknown = []
for name, expected in wanted.items():
    verdict = verdicts.get(name, {"verdict": "none"})
    if verdict["verdict"] == "unknown" and expected[0] == "sound":
        unknown.append(f"{name}: {verdict['reason']}")
        checks.that(name in OPEN, f"{name} is not decided: {verdict['reason']}")
        continue
    checks.that(agrees(expected, verdict), f"{name}: {verdict['verdict']}, expected {' '.join(expected)}")
    checks.that(verdict["verdict"] not in ("unsound", "ill-typed") or "counterexample" in verdict, f"{name}: no counterexample")
    checks.that(name not in OPEN, f"{name} is decided: take it off the list")
print(f"{len(verdicts)} rules, {sum(v['verdict'] == 'sound' for v in verdicts.values())} sound, {len(unknown)} open")
for line in unknown:
    print(" ", line)
print(f"slowest query {max(v['slowest_query_ms'] for v in verdicts.values()):.0f} ms, "
      f"all rules {sum(v['time_ms'] for v in verdicts.values()):.0f} ms")
checks.end()

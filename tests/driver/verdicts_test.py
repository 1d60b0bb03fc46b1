"""Every shipped rule has the verdict that it says it has, the wrong neighbours included; never a sound one that is wrong."""
import json
import pathlib
import re
import sys

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])

EXPECTED = re.compile(r"^rule\s+(\w+)(?:(?!^rule\s).)*?^\s*expect\s+([a-z_ ]+);", re.M | re.S)


def expectations(folder):
    for file in sorted(folder.rglob("*.gsl")):
        for name, expected in EXPECTED.findall(file.read_text()):
            yield name, expected.split()


def agrees(expected, verdict):
    if expected[0] == "sound":
        return verdict["verdict"] == "sound" and expected[1:] in ([], [verdict["algebra"]])
    return verdict["verdict"] in ("unsound", "ill-typed")


checks = Checks()
code, out, errors = vouch("check", *sorted((root / "rules").rglob("*.gsl")), "--json", "-", "--no-repair", "--store", sys.argv[3], "--again",
                          seconds=1800)
checks.that(code in (1, 2), f"wrong rules are among them, yet exit {code}: {errors}")
verdicts = {rule["name"]: rule for rule in json.loads(out)["rules"]}
wanted = dict(expectations(root / "rules"))
checks.that(set(wanted) == set(verdicts), f"rules without verdict: {set(wanted) ^ set(verdicts)}")
for name, expected in wanted.items():
    verdict = verdicts.get(name, {"verdict": "none"})
    checks.that(agrees(expected, verdict),
                f"{name}: {verdict['verdict']}, expected {' '.join(expected)} {verdict.get('reason', '')}")
    checks.that(verdict["verdict"] not in ("unsound", "ill-typed") or "counterexample" in verdict, f"{name}: no counterexample")
times = sorted(v["time_ms"] for v in verdicts.values() if "counterexample" in v)
late = times[len(times) * 9 // 10]  # under any load; alone it is some 35 ms
checks.that(len(times) > 20 and late <= 2000, f"of {len(times)} counterexamples a tenth comes after {late:.0f} ms")
print(f"{len(times)} counterexamples, nine of ten within {late:.0f} ms")
print(f"{len(verdicts)} rules, {sum(v['verdict'] == 'sound' for v in verdicts.values())} sound")
print(f"slowest query {max(v['slowest_query_ms'] for v in verdicts.values()):.0f} ms, "
      f"all rules {sum(v['time_ms'] for v in verdicts.values()):.0f} ms")
checks.end()

"""Ten thousand rules in `vouch rules`: few pairs are compared, and what is left out is said."""
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch = Vouch(sys.argv[1])
checks = Checks()
folder = pathlib.Path(tempfile.mkdtemp())
OPS = ("Relu", "Neg", "Exp", "Abs", "Sqrt", "Tanh", "Sigmoid", "Erf", "Floor", "Ceil")
COUNT = 10_000


def related(name, rules):
    path = folder / name
    path.write_text("\n".join(rules) + "\n")
    code, out, errors = vouch("rules", path, "--json", "-", seconds=120)
    checks.that(code == 0, f"{name}: exit {code}: {errors[:300]}")
    return json.loads(out) if code == 0 else None


def chain(number):
    """Four of ten operators, by the digits of the number, over one that no chain has."""
    digits = [OPS[number // 10**k % 10] for k in range(4)]
    return "(".join(digits) + "(Log(x" + ")" * (len(digits) + 1)


# Chains of five operators that end in one that is in no other place: none is inside of another, and no target is a source.
apart = [f"rule r{n} {{ let x = *; source {chain(n)}; target Sin(x); }}" for n in range(COUNT)]
found = related("apart.gsl", apart)
if found:
    checks.that(len(found["rules"]) == COUNT, f"{len(found['rules'])} rules")
    checks.that(found["undoing"] == [] and found["repeating"] == [], f"{found['undoing'][:3]} {found['repeating'][:3]}")
    # A chain of five meets another inside nowhere: the deepest operator stands at one depth only.
    checks.that(found["overlaps"] == [], f"{found['overlaps'][:3]}")

# One of them comes back from what another writes.
back = "rule back { let x = *; source Sin(x); target " + chain(7) + "; }"
found = related("back.gsl", apart + [back])
if found:
    checks.that(found["all_undoing"], "few pairs are compared, so all are")
    checks.that(found["undoing"] == [["r7", "back"]], f"{found['undoing'][:3]}")

# Ten thousand times one rule: 10^8 pairs undo each other and meet; what is not listed is said to be missing.
same = [f"rule r{n} {{ let x = *; let y = *; source Relu(x + y); target Relu(y + x); }}" for n in range(COUNT)]
found = related("same.gsl", same)
if found:
    checks.that(not found["all_overlaps"] and not found["all_undoing"], "what was left out is not said")
    checks.that(len(found["repeating"]) == COUNT, f"{len(found['repeating'])} repeat")

checks.end()

"""`vouch rules` names what undoes each other and what overlaps; `vouch draw` writes pictures of rules, models and matches."""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as xml

from command import SKIPPED, Checks, Vouch

if shutil.which("dot") is None:
    print("not run: Graphviz' dot is not there")
    sys.exit(SKIPPED)
vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
model, rules = root / "tests" / "models" / "mnist" / "model.onnx", root / "rules"
checks = Checks()

TWO_WAYS = """
rule factor { let x = *; let a = *; let b = *; source x * a + x * b; target x * (a + b); }
rule expand { let x = *; let a = *; let b = *; source x * (a + b); target x * a + x * b; }
rule swap { let x = *; let y = *; source Min((x, y)); target Min((y, x)); }
"""


def drawn(folder, *arguments):
    picture = folder / "picture.svg"
    code, out, errors = vouch("draw", *arguments, "-o", picture)
    checks.that(code == 0, f"draw {arguments}: exit {code}: {errors}")
    if code != 0:
        return "", out
    text = picture.read_text()
    xml.fromstring(text)
    return text, out


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    two_ways = folder / "two_ways.gsl"
    two_ways.write_text(TWO_WAYS)

    code, out, errors = vouch("rules", two_ways, "--json", "-")
    checks.that(code == 0, errors)
    relations = json.loads(out)
    checks.that(relations["undoing"] == [["factor", "expand"], ["swap", "swap"]], f"undoing: {relations['undoing']}")
    # a*b inside of x*a + x*b may be x*(a' + b'); x*(a + b) holds a sum that may be x'*a' + x'*b'.
    pairs = {(overlap["first"], overlap["second"]) for overlap in relations["overlaps"]}
    checks.that(pairs == {("factor", "expand"), ("expand", "factor")}, f"overlaps: {pairs}")
    code, out, _ = vouch("rules", two_ways)
    checks.that("factor" in out and "undone by expand" in out and "swap" in out and "undoes itself" in out, out)
    code, out, errors = vouch("rules", rules)
    checks.that(code == 0 and "critical overlap" in out, f"the rule library: exit {code}: {errors}")
    code, _, errors = vouch("rules", folder / "nowhere.gsl")
    checks.that(code == 3, f"a missing file: exit {code}")

    text, _ = drawn(folder, "merge_parallel_conv", "--rules", rules)
    for part in ("source", "target", "branch[i], at least 2", "weights: Concat", "branch[i].w", "outputs, one a branch"):
        checks.that(part in text.replace("&gt;", ">").replace("&lt;", "<"), f"the picture of a rule says nothing of '{part}'")
    text, _ = drawn(folder, two_ways, "--rule", "factor")
    # x, a and b have one colour each, on both sides.
    colours = re.findall(r'<ellipse fill="(#[0-9a-f]+)"', text)
    inputs = [colour for colour in colours if colour != "#e4f3df"]
    checks.that(len(inputs) == 6 and all(inputs.count(colour) == 2 for colour in inputs), f"colours of inputs: {inputs}")
    code, _, errors = vouch("draw", two_ways, "-o", folder / "x.svg")
    checks.that(code == 3 and "--rule" in errors and not (folder / "x.svg").exists(), f"three rules, none named: {errors}")
    code, _, errors = vouch("draw", "facto", "--rules", two_ways, "-o", folder / "x.svg")
    checks.that(code == 3 and "factor" in errors, f"a misspelt rule: {errors}")

    plain, _ = drawn(folder, model)
    text, out = drawn(folder, model, "--match", "max_pool_of_relu", "--rules", rules)
    checks.that("matches 2 times" in out, out)
    checks.that(text.count('fill="#ffb07a"') == 2 and text.count('fill="#ffe08a"') == 2, "two pools and two Relus are not coloured")
    checks.that("#ffb07a" not in plain, "a picture without a match is coloured")
    _, out = drawn(folder, model, "--match", "neg_neg", "--rules", rules)
    checks.that("why-not" in out, out)
checks.end()

"""`vouch diff`: what was removed, added, changed, as text, JSON and picture; large pictures by `draw` and in the report: short labels,
boxes for scopes, pages to zoom and search; a picture that is not there says why.

    diff_test.py VOUCH ROOT"""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
checks = Checks()
scratch = tempfile.TemporaryDirectory()
place = pathlib.Path(scratch.name)
os.environ["VOUCH_CACHE"] = str(place / "cache")
REMOVED, ADDED, CHANGED = "#f6b3ad", "#bfe6b8", "#ffe08a"


def model(name, nodes, outputs=(("out", "last"),), inputs=("x",)):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": one, "type": "float32", "dims": [2, 3]} for one in inputs],
                                "nodes": nodes, "outputs": [{"name": name, "value": value} for name, value in outputs]}))
    return path


def call(name, op, *operands, **attributes):
    return {"name": name, "op": op, "operands": list(operands), **({"attributes": attributes} if attributes else {})}


def differ(a, b, code, *words):
    status, out, err = vouch("diff", a, b, *words)
    checks.that(status == code, f"diff {a.name} {b.name}: exit {status}, expected {code}: {out}{err}")
    return out


def structure():
    a = model("a", [call("p", "Relu", "x"), call("q", "Softmax", "p", axis=1), call("r", "Tanh", "q"), call("last", "Neg", "r")])
    same = model("same", [call("p", "Relu", "x"), call("q", "Softmax", "p", axis=1), call("r", "Tanh", "q"), call("last", "Neg", "r")])
    b = model("b", [call("p", "Relu", "x"), call("q", "Softmax", "p", axis=0), call("s", "Sigmoid", "q"), call("last", "Neg", "s")])
    renamed = model("renamed", [call("p2", "Relu", "x"), call("q2", "Softmax", "p2", axis=1), call("r2", "Tanh", "q2"), call("last", "Neg", "r2")])
    checks.that("0 removed, 0 added, 0 changed" in differ(a, same, 0), "a model is itself")
    checks.that("0 removed, 0 added, 0 changed" in differ(a, renamed, 0), "names alone are no difference")
    out = differ(a, b, 1, "-o", place / "d.dot")
    checks.that("- Tanh 'r' float32[2, 3]" in out and "+ Sigmoid 's' float32[2, 3]" in out, out)
    checks.that(re.search(r"~ Softmax 'q'.*\n +attributes: .*1.* -> .*0", out), out)
    checks.that(re.search(r"~ Neg 'last'.*\n +operand 0: 'r' -> 's'", out), out)
    checks.that("1 removed, 1 added, 2 changed, 2 the same" in out, out)
    dot = (place / "d.dot").read_text()
    lines = {mark: [line for line in dot.splitlines() if mark in line] for mark in (REMOVED, ADDED, CHANGED)}
    legend = [[line for line in lines[mark] if "label=<" in line] for mark in lines]
    checks.that(legend[0] and legend == [legend[0]] * 3 and all(word in legend[0][0] for word in ("removed", "added", "changed")), f"{legend}")
    lines = {mark: [line for line in lines[mark] if "label=<" not in line] for mark in lines}
    checks.that(len(lines[REMOVED]) == 1 and "Tanh" in lines[REMOVED][0], f"{lines}")
    checks.that(len(lines[ADDED]) == 1 and "Sigmoid" in lines[ADDED][0] and len(lines[CHANGED]) == 2, f"{lines}")
    found = json.loads(differ(a, b, 1, "--json", "-"))
    checks.that([one["name"] for one in found["removed"]] == ["r"] and [one["name"] for one in found["added"]] == ["s"], f"{found}")
    checks.that({one["name"] for one in found["changed"]} == {"q", "last"} and found["same"] == 2, f"{found}")
    mirrored = json.loads(differ(b, a, 1, "--json", "-"))
    checks.that([one["name"] for one in mirrored["added"]] == ["r"], "the other way round")
    swapped = model("swapped", [call("q", "Relu", "x"), call("p", "Softmax", "q", axis=1), call("r", "Tanh", "p"), call("last", "Neg", "r")])
    same_name = differ(model("deep", [call("p", "Exp", "x"), call("last", "Neg", "p")]), model("other", [call("p", "Log", "x"), call("last", "Neg", "p")]), 1)
    checks.that("operand 0: Exp 'p' -> Log 'p'" in same_name, f"nodes of one name are told apart: {same_name}")
    checks.that("0 removed, 0 added, 0 changed" in differ(a, swapped, 0), "names in another order")
    more = model("more", [call("p", "Relu", "x"), call("last", "Neg", "p")], outputs=(("out", "last"), ("second", "p")))
    less = model("less", [call("p", "Relu", "x"), call("last", "Neg", "p")])
    checks.that("output 'second' removed" in differ(more, less, 1), "outputs are told")
    status, _, err = vouch("diff", a, place / "absent.onnx")
    checks.that(status == 3 and "absent.onnx" in err, err)


def defaults():
    """Attributes that say what their absence would are in the tooltip alone."""
    path = model("defaults", [call("s", "Softmax", "x", axis=-1), call("last", "Softmax", "s", axis=0)])
    vouch("draw", path, "-o", place / "defaults.dot")
    labels = re.findall(r'label="(Softmax[^"]*)", tooltip="([^"]*)"', (place / "defaults.dot").read_text())
    checks.that([label for label, _ in labels] == ["Softmax", "Softmax\\n{axis = 0}"], f"{labels}")
    checks.that("axis = -1" in labels[0][1] and "axis = 0" in labels[1][1], f"{labels}")


def optimized():
    mnist = root / "tests/models/mnist/model.onnx"
    status, out, err = vouch("optimize", mnist, "-o", place / "small.onnx", "--report", place / "report.html")
    checks.that(status == 0, f"{out}{err}")
    out = differ(mnist, place / "small.onnx", 1)
    checks.that(" the same" in out and "- " in out, out)
    report = (place / "report.html").read_text()
    if shutil.which("dot"):
        checks.that(report.count("<svg") == 3 and REMOVED in report and "what changed" in report, "the report shows before, after, and what changed")
    else:
        checks.that(report.count("no picture: ") == 3 and "program dot is not there" in report, "the report says why there is no picture")


def large():
    nodes, last = [], "x"
    for layer in range(25):
        for k in range(20):
            nodes.append(call(f"/encoder/layer{layer}/op{k}", ("Relu", "Tanh", "Neg", "Sigmoid")[k % 4], last))
            last = nodes[-1]["name"]
    path = model("large", nodes, outputs=(("out", last),))
    status, out, err = vouch("draw", path, "-o", place / "large.dot")
    checks.that(status == 0 and out.count("501 nodes drawn") == 1, f"{out}{err}")
    dot = (place / "large.dot").read_text()
    labels = re.findall(r"label=\"((?:[^\"\\]|\\.)*)\", tooltip", dot)
    checks.that(len(labels) == 501 and max(len(line) for label in labels for line in label.split("\\n")) <= 60, "labels are short")
    status, out, err = vouch("draw", path, "-o", place / "none.dot", "--scope", "9")
    checks.that(status == 0 and "no name has more than 9 '/'-separated parts" in out, f"--scope 9: {status} {out}{err}")
    status, out, err = vouch("draw", path, "-o", place / "scopes.dot", "--scope", "2")
    checks.that("no name" not in out, f"--scope 2: {out}")
    boxes = re.findall(r"  g\d+ \[label=\"([^\"]*)\"", (place / "scopes.dot").read_text())
    checks.that(len(boxes) == 25 and all("20 calls" in box for box in boxes) and "/encoder/layer7" in "".join(boxes), f"{boxes[:3]}")
    edges = re.findall(r"  (g\d+) -> (g\d+)", (place / "scopes.dot").read_text())
    checks.that(len(edges) == 24 and all(a != b for a, b in edges), f"{len(edges)} edges between scopes")
    if not shutil.which("dot"):
        print("not run: pages: Graphviz' dot is not there")
        return
    status, out, err = vouch("draw", path, "-o", place / "large.html")
    page = (place / "large.html").read_text()
    checks.that(status == 0 and page.count("<g id=") > 501 and "class=find" in page and "<script>" in page, f"{err}")
    checks.that("src=" not in page and "http" not in re.sub(r"http://www\.w3\.org/[^\" ]*", "", page), "the page needs nothing from elsewhere")
    changed = model("changed", [dict(one, op="Exp") if one["name"].endswith("layer3/op5") else one for one in nodes],
                    outputs=(("out", last),))
    status, out, err = vouch("diff", path, changed, "-o", place / "both.svg")
    svg = (place / "both.svg").read_text()
    checks.that(status == 1 and svg.count(REMOVED) == 2 and svg.count(ADDED) == 2, f"{out[-300:]}{err}")


structure()
defaults()
optimized()
large()
checks.end()

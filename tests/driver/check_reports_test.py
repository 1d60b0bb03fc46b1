"""`check` for machines: JSON, SARIF, JUnit, a badge; `expect`; one bad rule beside good ones; `--watch`; saved counterexamples."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()
top = pathlib.Path(tempfile.mkdtemp())

GOOD = "rule good { let x = *; source Relu(Relu(x)); target Relu(x); expect sound exact; }\n"
WRONG = "rule wrong { let x = *; source Relu(Neg(x)); target Neg(Relu(x)); }\n"
SURPRISE = "rule surprise { let x = *; source Relu(Relu(x)); target Relu(x); expect unsound; }\n"
BROKEN = "rule broken { let x = *; source Relo(x); target x; }\n"


def rules(name, *texts):
    path = top / name
    path.write_text("".join(texts))
    return path


def expectations():
    for texts, wanted in (((GOOD,), 0), ((GOOD, WRONG), 1), ((GOOD, SURPRISE), 1), ((SURPRISE.replace("unsound", "sound real"),), 1),
                          ((SURPRISE.replace("unsound", "sound"),), 0), ((SURPRISE.replace("unsound", "unknown"),), 1)):
        code, out, errors = vouch("check", rules("expect.gsl", *texts))
        checks.that(code == wanted, f"{texts}: exit {code}, wanted {wanted}: {out}{errors}")
    code, out, _ = vouch("check", rules("expect.gsl", SURPRISE))
    checks.that("not as expected" in out and "expect unsound" in out, f"the difference is not told: {out}")


def one_bad_rule():
    path = rules("mixed.gsl", GOOD, BROKEN, WRONG)
    code, out, errors = vouch("check", path)
    checks.that(code == 3 and "Relo" in errors and "sound (exact)" in out and "unsound" in out, f"exit {code}: {out}{errors}")
    code, out, errors = vouch("check", path, "--json", "-")
    found = json.loads(out)
    checks.that(code == 3 and [r["name"] for r in found["rules"]] == ["good", "wrong"], f"rules: {found['rules']}")
    error = found["errors"][0]
    checks.that(error["file"] == str(path) and error["line"] == 2 and error["column"] == 33 and "Relo" in error["message"], f"errors: {error}")
    return found["rules"][1]["counterexample"]


def replays(counterexample):
    """What `--json` holds and what `refute --save` writes is what `replay` reads."""
    checks.that({"inputs", "source", "target", "index", "source_value", "target_value", "text"} <= counterexample.keys(), f"{counterexample}")
    file = top / "counterexample.json"
    file.write_text(json.dumps(counterexample))
    code, out, errors = vouch("replay", file)
    checks.that(code == 1 and counterexample["text"].strip().splitlines()[-1].strip() in out, f"replay: {code} {out}{errors}")
    saved = top / "saved"
    code, _, errors = vouch("refute", root / "rules" / "unsound" / "gsl.gsl", "--save", saved)
    files = sorted(saved.glob("*.json"))
    checks.that(code == 1 and len(files) >= 5, f"refute --save: {code} {files} {errors}")
    for path in files:
        code, out, errors = vouch("replay", path)
        checks.that(code == 1 and path.stem in out, f"replay {path.name}: {code} {out}{errors}")
    repaired = json.loads(file.read_text())
    repaired["target"] = repaired["source"]
    file.write_text(json.dumps(repaired))
    code, out, _ = vouch("replay", file)
    checks.that(code == 0 and "agree" in out, f"replay of equal sides: {code} {out}")


def sarif():
    path = rules("mixed.gsl", GOOD, BROKEN, WRONG, SURPRISE)
    code, _, errors = vouch("check", path, "--sarif", top / "out.sarif", "--junit", top / "out.xml", "--badge", top / "badge.json")
    checks.that(code == 3, f"exit {code} {errors}")
    found = json.loads((top / "out.sarif").read_text())
    run = found["runs"][0]
    kinds = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    results = {result["ruleId"]: result for result in run["results"]}
    checks.that(found["version"] == "2.1.0" and set(results) == {"unsound", "unexpected", "input-error"} <= kinds, f"results: {results}")
    places = {kind: result["locations"][0]["physicalLocation"]["region"]["startLine"] for kind, result in results.items()}
    checks.that(places == {"unsound": 3, "unexpected": 4, "input-error": 2}, f"places: {places}")
    checks.that(all(result["message"]["text"] and result["level"] == "error" for result in run["results"]), "a result says nothing")
    suites = xml.fromstring((top / "out.xml").read_bytes())
    cases = {case.get("name"): [child.tag for child in case] for case in suites.iter("testcase")}
    checks.that(cases == {"good": [], "wrong": ["failure"], "surprise": ["failure"], "(read)": ["error"]}, f"cases: {cases}")
    counted = (int(suites.get("tests")), int(suites.get("failures")), int(suites.get("errors")))
    checks.that(counted == (4, 2, 1), f"counted: {counted}")
    badge = json.loads((top / "badge.json").read_text())
    checks.that(badge["schemaVersion"] == 1 and badge["color"] == "red" and badge["label"] == "vouch", f"badge: {badge}")
    vouch("check", rules("good.gsl", GOOD), "--badge", top / "badge.json")
    badge = json.loads((top / "badge.json").read_text())
    checks.that(badge["color"] == "brightgreen" and "1 of 1" in badge["message"], f"badge: {badge}")


def unsaid_attributes():
    """A refutation that rests on an attribute which neither side mentions says so; no other does."""
    texts = {"let x = *; let s = Softmax(x); source Identity(s); target Softmax(x);": "'axis' of Softmax is not mentioned: .*\n.*{\\* as s}",
             "let x = *; source Identity(Flatten(x)); target Flatten(x);": "'axis' of Flatten is not mentioned: .*\n.*let s = Flatten",
             "let x = *; let s = Softmax(x); source Identity(s); target Softmax(x) {axis = 0};": None,
             "let x = *; source Identity(Softmax(x) {axis = 0}); target Softmax(x);": None,
             "let x = *; source Relu(Neg(Softmax(x) {axis = 0})); target Softmax(x) {axis = 0};": None}
    for text, wanted in texts.items():
        path = rules("unsaid.gsl", f"rule unsaid {{ {text} }}\n")
        for command in (["check", path, "--no-repair"], ["refute", path]):
            code, out, errors = vouch(*command)
            said = re.search(wanted or "is not mentioned", out)
            checks.that(code == 1 and bool(said) == (wanted is not None), f"{command[0]} {text}: {code} {out}{errors}")


def counted():
    for texts, line in (((), "no rules"), ((GOOD,), "1 rule: 1 sound"), ((GOOD, WRONG), "2 rules: ")):
        out = vouch("check", rules("counted.gsl", *texts), "--no-repair")[1]
        checks.that(out.splitlines()[-1].startswith(line), f"{len(texts)} rules: {out}")
        checks.that(not any(row.endswith(" ") for row in out.splitlines()), f"blanks at the ends of lines: {out}")
    out = vouch("check", rules("counted.gsl", "rule r { let x = *; source Relu(x; target x; }\n"))[1]
    checks.that(out == "no rule could be read\n", f"none that could be read: {out}")


def standard_input():
    done = subprocess.run([sys.argv[1], "check", "-"], input=GOOD, capture_output=True, text=True)
    checks.that(done.returncode == 0 and "good" in done.stdout, f"check -: {done}")


def lines_until(process, word, seconds=60):
    found = ""
    while word not in found:
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        piece = os.read(process.stdout.fileno(), 65536).decode() if ready else ""
        if not piece:
            break
        found += piece
    return found


def watch():
    path = rules("watched.gsl", GOOD)
    process = subprocess.Popen([sys.argv[1], "check", "--watch", path], stdout=subprocess.PIPE)
    first = lines_until(process, "watching 1 file")
    path.write_text(GOOD + WRONG)
    second = lines_until(process, "watching 1 file")
    process.send_signal(signal.SIGTERM)
    checks.that("good" in first and "unsound" not in first and "unsound" in second, f"watch: {first} then {second}")
    checks.that(process.wait(timeout=20) == -signal.SIGTERM, "watch: ends by the signal")


expectations()
replays(one_bad_rule())
sarif()
unsaid_attributes()
counted()
standard_input()
watch()
checks.end()

#!/usr/bin/env python3
"""Theorems about rules that were asked for at fewer ranks, or among fewer instances, than `vouch check --coq` asks: `vouch verify` says so of each
rule, in the table, in JSON and with --trust, and calls none of them proven. Lists of proofs and of equalities in which one value is of another
kind, beyond its range or not there are refused, with their file and place.

    less_asked_test.py VOUCH ROOT"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from command import SKIPPED, Checks, has_prover

VOUCH = str(pathlib.Path(sys.argv[1]).resolve())
if not has_prover(VOUCH):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
RULES = """rule sinks {
  let x = *;
  let t = Transpose(x) {perm = any};
  source Neg(t);
  target Transpose(Neg(x)) {perm = t.perm};
}
rule back {
  let x = *;
  source Neg(Neg(x));
  target x;
}
"""
OTHERS = [None, True, -1, 1.5, 2**64, "4", [1], {"x": 1}]


def run(*words):
    done = subprocess.run([VOUCH, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=300,
                          env=os.environ | {"VOUCH_CACHE": str(place / "cache"), "VOUCH_KEY": str(place / "key")})
    return done.returncode, done.stdout, done.stderr


def verified(folder, *more):
    table = place / "table.json"
    table.unlink(missing_ok=True)
    code, out, errors = run("verify", folder, "--json", table, *more)
    return code, out + errors, json.loads(table.read_text()) if table.exists() else {"rules": [{"verdict": "proven"}], "equalities": []}


def theorems(name, *options):
    code, out, errors = run("check", place / "rules.gsl", "--coq", place / name, *options)
    checks.that(code == 0, f"check {options}: exit {code}: {out}{errors}")
    return place / name


def what_is_asked():
    code, said, answer = verified(theorems("all"), "--trust")
    rows = {row["rule"]: row for row in answer["rules"]}
    checks.that(code == 0 and all(row["proven"] and not row["remarks"] for row in rows.values()) and "2 proven" in said, f"all that is asked: {code} {said}")
    checks.that(rows["back"]["asked"] == {"ranks": 4, "instances": 4000, "theorems": 12}, f"what was asked: {rows['back']}")
    checks.that("Theorems about rules, and what was asked:\n" in said and "proven: ranks 0..4" in said, f"--trust: {said}")
    checks.that("less than" not in said, f"nothing is less: {said}")

    code, said, answer = verified(theorems("fewer-ranks", "--max-rank", "2"), "--trust")
    words = "asked of ranks to 2 alone, and 'vouch check --coq' asks of ranks to 4"
    checks.that(code == 2 == answer["exit"], f"fewer ranks: exit {code}")
    for row in answer["rules"]:
        checks.that(row["verdict"] == "in part" and not row["proven"] and row["remarks"] == [words], f"fewer ranks: {row}")
    checks.that("asked of less than 'vouch check --coq' asks of: 2 rules: back, sinks" in said and "2 in part" in said and " proven" not in said.split("Theorems about")[0],
                f"fewer ranks: {said}")
    checks.that("in part: ranks 0..2" in said, f"fewer ranks, --trust: {said}")

    code, said, answer = verified(theorems("fewer-stated", "--coq-instances", "1"))
    stated = {row["rule"]: row for row in answer["rules"]}["sinks"]
    checks.that(code == 0 and stated["stated"] == 1 < stated["distinct"] and "'vouch check --coq' states" in stated["remarks"][0], f"fewer instances stated: {code} {stated}")
    total = sum(row["distinct"] for row in answer["rules"])
    checks.that(f"instances stated: 2 of {total} that differ" in said, f"fewer instances stated: {said}")


def names_that_take_long():
    """A `coqc` that never ends where operators have names: what is said of elements is proven within the time all the same."""
    tools = place / "tools"
    tools.mkdir()
    (tools / "coqc").write_text("#!/bin/sh\nfor word in \"$@\"; do case $word in *.v) grep -qs 'Operators by name' \"$word\" && exec sleep 1000;; esac; done\nexec " + shutil.which("coqc") + " \"$@\"\n")
    (tools / "coqc").chmod(0o755)
    path, os.environ["PATH"] = os.environ["PATH"], f"{tools}:{os.environ['PATH']}"
    begin = time.monotonic()
    code, said, answer = verified(place / "all", "--again", "--timeout", "50")
    os.environ["PATH"] = path
    checks.that(code == 0 and time.monotonic() - begin < 50, f"names that take long: exit {code} after {time.monotonic() - begin:.0f} s: {said}")
    for row in answer["rules"]:
        checks.that(row["proven"] and row["by_name"] == 0 and row["message"].startswith("of elements alone"), f"names that take long: {row}")


def places_of(value, at=()):
    """Of each value within a JSON value the keys that lead there."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from places_of(inner, (*at, key))


def with_value(value, at, other):
    changed = copy.deepcopy(value)
    holder = changed
    for key in at[:-1]:
        holder = holder[key]
    if other is None:
        del holder[at[-1]]
    else:
        holder[at[-1]] = other
    return changed


def refused(what, folder, name, texts):
    """All of them in one folder after the other: no answer holds, and each is told with the file's name."""
    for text in texts:
        (folder / name).write_text(text)
        code, said, answer = verified(folder)
        held = [row for row in answer["rules"] + answer["equalities"] if row["verdict"] in ("proven", "holds")]
        checks.that(code == 1 and not held and name in said, f"{what}: exit {code}: {said[:500]}\n{text[:300]} … {text[-300:]}")


def lies_of(honest, at):
    """Each value once as another kind, and once as nothing; with `OTHERS` those of `at`."""
    for number, path in enumerate(places_of(honest)):
        for other in OTHERS if path[:len(at)] == at and len(path) > len(at) else [None, OTHERS[1 + number % (len(OTHERS) - 1)]]:
            changed = with_value(honest, path, other)
            # That there is no rule is told of the folder; where nothing is folded, any tolerance is as good, and fewer steps may do.
            if changed != honest and changed.get("rules") != [] and path not in (("fold_tolerance",), ("steps", 0)):
                yield json.dumps(changed, indent=2) + "\n"


def lists_of_proofs():
    folder = place / "lists"
    shutil.copytree(place / "fewer-stated", folder)
    honest = json.loads((folder / "proofs.json").read_text())
    # The rule of which nothing is changed would hold.
    honest["rules"] = [rule for rule in honest["rules"] if rule["rule"] == "back"]
    refused("a list of proofs", folder, "proofs.json", lies_of(honest, ("rules", 0, "recipe")))
    text = json.dumps(honest, indent=2) + "\n"
    refused("a list of proofs as text", folder, "proofs.json",
            [text[:-30], text + "{}", "\ufeff" + text, text.replace('"recipe"', '"recipe": {"max_rank": 4}, "recipe"'), text.replace(": 4000", ": 4e3"), text.replace(": 4000", ": 0xfa0"),
             text.replace(": 4000", ": NaN"), json.dumps({**honest, "rules": honest["rules"] * 2}, indent=2) + "\n", "[" * 10_000, ""])


def lists_of_equalities():
    folder = place / "equal"
    folder.mkdir()
    model = lambda nodes: json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 4]}], "nodes": nodes, "outputs": [{"name": "y", "value": "y"}]})
    relu = lambda name, of: {"name": name, "op": "Relu", "operands": [of]}
    (folder / "a.json").write_text(model([relu("y", "x")]))
    (folder / "b.json").write_text(model([relu("r", "x"), relu("y", "r")]))
    name = "a.equalities.json"
    code, out, errors = run("equiv", folder / "a.json", folder / "b.json", "--trace", folder / name)
    checks.that(code == 0 and verified(folder)[0] == 0, f"the models are equal: {out}{errors}")
    honest = json.loads((folder / name).read_text())
    refused("a list of equalities", folder, name, lies_of(honest, ("steps", 0)))
    for at, wrong, words in [(("steps", 0, "node"), "1", "expected a number, found a string (at /steps/0/node)"), (("exact",), 1, "(at /exact)"),
                             (("steps", 0, "node"), -1, "expected the number of a node, found -1 (at /steps/0/node)"), (("fold_tolerance",), [], "(at /fold_tolerance)"),
                             (("models", 0, "hash"), 7, "(at /models/0/hash)")]:
        (folder / name).write_text(json.dumps(with_value(honest, at, wrong), indent=2) + "\n")
        said = verified(folder)[1]
        checks.that(words in said and f"{name}:" in said, f"the place of {at} is told: {said}")


(place / "rules.gsl").write_text(RULES)
what_is_asked()
names_that_take_long()
lists_of_proofs()
lists_of_equalities()
shutil.rmtree(place)
checks.end()

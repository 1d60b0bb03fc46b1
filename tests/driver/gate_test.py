"""Only proven rules fire: a wrong rule that matches does not, a right one does with its verdict, and `--allow-unproven` says so."""
import json
import os
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
model = root / "tests" / "models" / "mnist" / "model.onnx"
checks = Checks()

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    os.environ["VOUCH_CACHE"] = str(folder / "cache")
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    rules, trace = folder / "rules.gsl", folder / "trace.json"
    rules.write_text("""
        rule wrong_sum { let x = *; let y = *; source x + y; target Sub(x, y); }
        rule turned_sum { let x = *; let y = *; let a = MatMul(x, y); let b = *; source a + b; target Add(Identity(a), b); }
        """)

    def run(*more):
        code, out, errors = vouch("optimize", model, "--rules", rules, "--allow-cost", "--json", "-", "--trace", trace, *more)
        checks.that(code == 0, f"exit {code}: {errors}")
        summary = json.loads(out)
        fired = {rule["name"]: (rule["fired"], rule["verdict"]) for rule in summary["rules"]}
        return fired, {refusal["rule"]: refusal["reason"] for refusal in summary["refusals"]}

    fired, refusals = run()
    checks.that(fired["wrong_sum"][0] == 0, "a wrong rule fired")
    checks.that("unsound" in refusals.get("wrong_sum", "") or "ill-typed" in refusals.get("wrong_sum", ""), f"why it did not: {refusals}")
    checks.that(fired["turned_sum"][0] == 1 and fired["turned_sum"][1] == "sound (exact)", f"a right rule did not fire: {fired}")
    checks.that(any((folder / "cache").iterdir()), "no verdict was kept")
    again, _ = run()
    checks.that(again == fired, "kept verdicts give another result")
    for kept in (folder / "cache").iterdir():
        kept.write_text('{"verdict": "sound (exact)"')  # damaged: as good as none
    again, _ = run()
    fired_again = again
    checks.that(again == fired, "damaged kept verdicts give another result")
    # An entry that says something else than what was found out, and one of another rule's under this rule's name.
    run()
    said = lambda verdict: bytes([len(verdict)]) + verdict.encode()  # a text stands behind its length
    sound = said("sound (exact)")
    kept = {path: path.read_bytes() for path in (folder / "cache").iterdir()}
    for path, entry in kept.items():
        path.write_bytes(entry.replace(said("unsound"), sound).replace(said("ill-typed"), sound))
    checks.that(any(path.read_bytes() != entry for path, entry in kept.items()), "no entry has a verdict to edit")
    checks.that(run()[0] == fired_again, "an edited entry is believed")
    run()
    honest = next(entry for entry in (path.read_bytes() for path in (folder / "cache").iterdir()) if sound in entry)
    for path in (folder / "cache").iterdir():
        path.write_bytes(honest)
    checks.that(run()[0] == fired_again, "the entry of another rule is believed")
    key = folder / "state" / "vouch" / "key"
    checks.that(key.stat().st_mode & 0o77 == 0, "others can read the key")
    fired, _ = run("--allow-unproven")
    checks.that(fired["wrong_sum"][0] > 0 and fired["wrong_sum"][1] == "unproven", f"--allow-unproven: {fired}")
    steps = [step for step in json.loads(trace.read_text())["steps"] if "rule" in step]
    checks.that(all(step["verdict"] == "unproven" for step in steps), "the trace does not say `unproven`")
checks.end()

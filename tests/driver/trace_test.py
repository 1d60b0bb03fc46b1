"""A trace is done again without searching and gives the same bytes; a trace that was changed is refused, by the step."""
import copy
import json
import pathlib
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
model, rules = root / "tests" / "models" / "mnist" / "model.onnx", root / "rules"
checks = Checks()

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    trace, first, second = folder / "t.json", folder / "first.onnx", folder / "second.onnx"
    code, out, errors = vouch("optimize", model, "--rules", rules, "--allow-unproven", "-o", first, "--trace", trace)
    checks.that(code == 0, errors)
    code, out, errors = vouch("optimize", model, "--rules", rules, "--allow-unproven", "-o", second, "--replay", trace)
    checks.that(code == 0, errors)
    checks.that(first.read_bytes() == second.read_bytes(), "the replay gives another model")

    good = json.loads(trace.read_text())
    at = next(k for k, step in enumerate(good["steps"]) if "rule" in step)

    def changed(change, expected):
        bad = copy.deepcopy(good)
        change(bad)
        path, written = folder / "bad.json", folder / "bad.onnx"
        path.write_text(json.dumps(bad))
        code, out, errors = vouch("optimize", model, "--rules", rules, "--allow-unproven", "-o", written, "--replay", path)
        checks.that(code == 3 and expected in errors, f"exit {code}, expected '{expected}' in: {errors}")
        checks.that(not written.exists(), f"a model was written although: {expected}")

    def step(bad):
        return bad["steps"][at]

    changed(lambda bad: step(bad).update(hash="0" * 32), "no rule of this name and content")
    changed(lambda bad: step(bad)["match"][0].__setitem__(1, 10 ** 6), "does not fit the rule or the graph")
    changed(lambda bad: step(bad)["match"][1].__setitem__(1, step(bad)["match"][0][1]), "this is no match")
    changed(lambda bad: step(bad).update(outputs=[step(bad)["match"][0][1]]), "this is no match")
    changed(lambda bad: step(bad).update(output_counts=[2]), "this is no match")
    changed(lambda bad: step(bad)["new"].pop(), "other nodes came out")
    changed(lambda bad: step(bad).update(results=[0]), "other nodes came out")
    changed(lambda bad: bad["steps"].insert(at, {"pass": "merge-common-subexpressions", "changes": 5}), "5 changes recorded")
    changed(lambda bad: bad["model"].update(hash="1" * 32), "not the model that the trace began with")
    changed(lambda bad: bad.update(vouch_trace=9), "this version of traces is not known")
    changed(lambda bad: step(bad).pop("results"), "results")
    changed(lambda bad: step(bad).update(surplus=1), "surplus")
    changed(lambda bad: bad["steps"].pop(), "not the one that the trace ended with")
    changed(lambda bad: bad.update(end="2" * 64), "not the one that the trace ended with")
    changed(lambda bad: bad.pop("end"), "end")

    # What a trace says of verdicts is not believed: a wrong rule that was let through does not fire again by its trace.
    wrong = folder / "wrong.gsl"
    wrong.write_text("rule wrong_sum { let x = *; let y = *; source x + y; target Sub(x, y); }")
    code, out, errors = vouch("optimize", model, "--rules", wrong, "--allow-unproven", "--trace", trace)
    checks.that(code == 0, errors)
    trace.write_text(trace.read_text().replace('"unproven"', '"sound (exact)"'))
    written, said = folder / "wrong.onnx", folder / "summary.json"
    code, out, errors = vouch("optimize", model, "--rules", wrong, "-o", written, "--replay", trace)
    checks.that(code == 3 and "may not fire here" in errors and not written.exists(), f"a wrong rule is replayed: exit {code}, {errors}")
    code, out, errors = vouch("optimize", model, "--rules", wrong, "--allow-unproven", "--replay", trace, "--json", said)
    verdicts = {rule["verdict"] for rule in json.loads(said.read_text())["rules"] if rule["fired"] > 0}
    checks.that(code == 0 and verdicts == {"unproven"}, f"the trace's word is repeated: {verdicts}")
checks.end()

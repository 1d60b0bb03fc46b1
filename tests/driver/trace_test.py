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
checks.end()

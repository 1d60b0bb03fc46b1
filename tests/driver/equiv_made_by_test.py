"""`vouch equiv --made-by T`: of two models that differ, the second made of the first as a trace of `vouch optimize` says, the step and
the rule that made them differ are named. The wrong step is known here because it was planted: a wrong rule among good ones, a step
of the trace that was altered, or a node of the model that was."""
import copy
import json
import sys

from command import Checks, Vouch
from model_pairs import Pairs, ints, model, node, tensor, value

import onnx
from onnx import helper

checks = Checks()
vouch = Vouch(sys.argv[1])
folder = Pairs(vouch, checks).folder
GOOD = """rule twice_relu { let x = *; source Relu(Relu(x)); target Relu(x); }
rule twice_neg { let x = *; source Neg(Neg(x)); target x; }
"""
WRONG = "rule abs_is_nothing { let x = *; source Abs(x); target Identity(x); }\n"
(folder / "good.gsl").write_text(GOOD)
(folder / "wrong.gsl").write_text(WRONG)
BOTH = (folder / "good.gsl", folder / "wrong.gsl")


def written(name, made):
    path = folder / f"{name}.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def asked(a, b, *options):
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    code, out, errors = vouch("equiv", a, b, "--json", report, *options)
    return code, json.loads(report.read_text()) if report.exists() else {}, out + errors


def blamed(name, found, steps, rule, tensor):
    """The step is that of the rule's firing that made this tensor."""
    code, report, text = found
    told = report.get("made_by", {})
    wanted = [k + 1 for k, step in enumerate(steps) if step.get("rule") == rule and tensor in step["output_names"]]
    checks.that(len(wanted) == 1, f"{name}: planted in one step: {wanted}")
    checks.that(code == 1 and [told.get("step")] == wanted and told.get("rule") == rule, f"{name}: {code} {told}, expected step {wanted} of {rule}: {text}")
    checks.that(f"step {wanted[0] if wanted else '?'} of the trace, rule '{rule}'" in text and told.get("reason") and told["reason"] in text, f"{name}: {text}")
    return told


def chain():
    """Good rules fire before and after the places where the wrong one does; Softplus is positive, so that Abs after it is nothing there."""
    nodes = [node("Relu", "x", "a"), node("Relu", "a", "b"), node("Softplus", "b", "c"), node("Abs", "c", "harmless"), node("Neg", "harmless", "d"),
             node("Neg", "d", "e"), node("Sub", "e one", "f"), node("Abs", "f", "harmful"), node("Sub", "harmful tenth", "g"), node("Relu", "g", "h"),
             node("Relu", "h", "i"), node("Tanh", "i", "y")]
    return model(nodes, constants=[tensor("one", [1.0], []), tensor("tenth", [0.1], [])])


def optimised(name, a, rules, *options):
    b, trace = folder / f"{name}.onnx", folder / f"{name}.trace.json"
    code, out, errors = vouch("optimize", a, "--rules", *rules, "--allow-unproven", "-o", b, "--trace", trace, *options)
    checks.that(not errors and trace.exists(), f"{name}: {code} {out}{errors}")
    return b, trace, json.loads(trace.read_text())["steps"], out


def wrong_rule():
    a = written("a", chain())
    b, trace, steps, _ = optimised("wrong", a, BOTH)
    fired = [step["rule"] for step in steps if "rule" in step]
    checks.that(len(fired) == 5 and fired.count("abs_is_nothing") == 2, f"two good rules and the wrong one at two places: {fired}")
    blamed("a wrong rule", asked(a, b, "--made-by", trace, "--made-by-rules", *BOTH), steps, "abs_is_nothing", "harmful")
    told = blamed("its rules are not given", asked(a, b, "--made-by", trace, "--made-by-rules", folder / "good.gsl"), steps, "abs_is_nothing", "harmful")
    checks.that("--made-by-rules" in told.get("reason", ""), f"and that is said: {told}")
    # The folder that shows the difference has it, too, and is what `run` takes.
    repro = folder / "repro"
    code, _, errors = vouch("equiv", a, b, "--made-by", trace, "--made-by-rules", *BOTH, "--repro", repro)
    kept = json.loads((repro / "difference.json").read_text())
    checks.that(code == 1 and kept["made_by"]["rule"] == "abs_is_nothing" and kept["first_differing"] and kept["verdict"] == "different", f"{kept} {errors}")
    for side in (a, b):
        code, _, errors = vouch("run", side, "--io", repro)
        checks.that(code == 0, f"the folder runs: {errors}")
    # And without being asked, where the run itself judges what it wrote.
    *_, steps, out = optimised("judged", a, BOTH, "--prove-result")
    step = next(k + 1 for k, s in enumerate(steps) if s.get("output_names") == ["harmful"])
    checks.that("different" in out and f"step {step} of the trace, rule 'abs_is_nothing'" in out, f"--prove-result: {out}")


def altered_step():
    """One step is recorded with another result than its rule gives, and the model is what that result would make it."""
    a = written("a", chain())
    b, trace, steps, _ = optimised("honest", a, BOTH[:1])
    at = next(k for k, step in enumerate(steps) if step.get("output_names") == ["i"])
    whole = json.loads(trace.read_text())
    bad = copy.deepcopy(whole)
    form = bad["steps"][at]["new"][0]
    form[1] = form[1].replace("Relu", "Abs")
    checks.that(bad != whole, f"the step makes a Relu: {whole['steps'][at]['new']}")
    lie = folder / "altered.trace.json"
    lie.write_text(json.dumps(bad))
    changed = onnx.load(str(b))
    last = [n for n in changed.graph.node if n.op_type == "Relu"][-1]
    last.op_type = "Abs"
    fault = written("fault", changed)
    given = ("--made-by-rules", BOTH[0])
    told = blamed("a step of the trace that was altered", asked(a, fault, "--made-by", lie, *given), steps, "twice_relu", "i")
    checks.that("not what is recorded" in told.get("reason", ""), f"the rule does not give that: {told}")
    told = blamed("a node of the model that a step made was altered", asked(a, fault, "--made-by", trace, *given), steps, "twice_relu", "i")
    checks.that("done again" in told.get("reason", ""), f"the trace's steps are fine: {told}")


def no_step():
    a = written("a", chain())
    b, trace, steps, _ = optimised("honest", a, BOTH[:1])
    changed = onnx.load(str(b))
    next(n for n in changed.graph.node if n.op_type == "Tanh").op_type = "Sigmoid"
    code, report, text = asked(a, written("other", changed), "--made-by", trace, "--made-by-rules", BOTH[0])
    checks.that(code == 1 and report["made_by"]["step"] == 0 and "no step of the trace" in text, f"a node that no step made: {code} {text}")
    code, report, text = asked(a, b, "--made-by", trace, "--made-by-rules", BOTH[0])
    checks.that(code == 0 and report["verdict"].startswith("equal") and "made_by" not in report, f"models that are equal: {text}")


def in_a_body():
    body = helper.make_graph([node("Relu", "x", "r"), node("Relu", "r", "s"), node("Sub", "s c", "t"), node("Abs", "t", "u")], "b", [], [value("u")],
                             [tensor("c", [1.0], [])])
    other = helper.make_graph([node("Neg", "x", "v")], "o", [], [value("v")])
    a = written("branches", model([node("ReduceSum", "x", "q", keepdims=0), node("Greater", "q zero", "p"),
                                   helper.make_node("If", ["p"], ["y"], then_branch=body, else_branch=other)], constants=[tensor("zero", [0.0], [])]))
    b, trace, steps, _ = optimised("branched", a, BOTH)
    code, report, text = asked(a, b, "--made-by", trace, "--made-by-rules", *BOTH)
    told = report.get("made_by", {})
    checks.that(code == 1 and told.get("rule") == "abs_is_nothing" and steps[told["step"] - 1].get("body"), f"a rule that fired in a branch: {told} {text}")


def bad_input():
    a = written("a", chain())
    b, trace, steps, _ = optimised("wrong", a, BOTH)
    other = written("b", model([node("Relu", "x")]))
    (folder / "none.json").write_text("{}")
    for name, options, said in (("a trace of another model", (other, b, "--made-by", trace, "--made-by-rules", *BOTH), "not the model that the trace began with"),
                                ("what is no trace", (a, b, "--made-by", folder / "none.json"), "none.json"),
                                ("a trace that is not there", (a, b, "--made-by", folder / "missing.json"), "missing.json"),
                                ("a trace that would be written over", (a, b, "--trace", trace), "--made-by")):
        before = trace.read_bytes()
        code, _, text = asked(*options)
        checks.that(code == 3 and said in text, f"{name}: {code} {text}")
        checks.that(trace.read_bytes() == before, f"{name}: the trace is as it was")


for group in (wrong_rule, altered_step, no_step, in_a_body, bad_input):
    group()
checks.end()

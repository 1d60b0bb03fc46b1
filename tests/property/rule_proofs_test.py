#!/usr/bin/env python3
"""Theorems about sound rules: `vouch check --coq`, then `vouch verify`.

One rule of each class of proof must go through: over any scalars without axioms, over the reals resting on the axioms of the standard
library's real numbers alone; what is tampered with must not, and Coq alone takes none of the lies. With --all, of every shipped rule that is sound: those that have no
theorem, those that are exact and have one over the reals alone, and those whose theorem Coq does not accept, are exactly the
ones that are named here.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# One of each class of proof: a rounded product among sums, an index, reals, the largest, a sign that comes back, truth values, the place of the
# largest, digits of an index, quotients without the factors of both, a condition on every element.
FEW = ["gemm_transposed_weights", "split_concat", "square", "max_pool_of_relu", "neg_neg", "where_not", "argmax_of_growing",
       "reshape_keeps_first_of_six", "reshape_keeps_two", "requantised_by_axis"]
# Of these lies Coq alone is asked; with --all of each.
TOLD_BY_COQ = {"a factor left out", "an index moved", "a rounding left out", "another least number", "the wrong choice", "no laws of the larger",
               "the largest of what falls", "a weaker condition"}
# Those of FEW that are stated by operators' names, too.
BY_NAME = {"split_concat", "square", "neg_neg", "where_not", "requantised_by_axis", "max_pool_of_relu", "reshape_keeps_two",
           "reshape_keeps_first_of_six"}
AXIOMS = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
          "FunctionalExtensionality.functional_extensionality_dep"}

WITHOUT_THEOREM = set()
# Their verdict is `sound (exact)`, and their theorem asks for laws of the reals.
OVER_THE_REALS = set()
# Those whose theorem Coq does not accept: it does not end, or finds no proof.
NOT_ACCEPTED = set()

failures = []


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def verify(vouch, folder, jobs=2):
    table = folder / "table.json"
    table.unlink(missing_ok=True)
    answer = run(vouch, "verify", folder, "-j", jobs, "--json", table)
    return answer, json.loads(table.read_text())["rules"] if table.exists() else []


class Copy:
    """The files of one rule, to tamper with."""

    def __init__(self, source, rule):
        self.rule = rule
        self.folder = pathlib.Path(tempfile.mkdtemp())
        for ending in (".v", ".gsl"):
            shutil.copy(source / (rule + ending), self.folder)
        self.list = json.loads((source / "proofs.json").read_text())
        self.list["rules"] = [entry for entry in self.list["rules"] if entry["rule"] == rule]

    def change(self, ending, change):
        path = self.folder / (self.rule + ending)
        text = change(path.read_text())
        assert text != path.read_text(), path
        path.write_text(text)
        return self

    def entry(self, **members):
        self.list["rules"][0].update(members)
        return self

    def refused(self, vouch, what, expected, *, status=1, by_coq=False):
        for file in self.folder.glob(f"{self.rule}.*"):
            if file.name in self.list["rules"][0]["files"]:
                self.list["rules"][0]["files"][file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
        (self.folder / "proofs.json").write_text(json.dumps(self.list, indent=2) + "\n")
        answer, rows = verify(vouch, self.folder)
        if answer.returncode != status or expected not in answer.stdout + answer.stderr or any(row["proven"] for row in rows):
            failures.append(f"{what}: exit {answer.returncode}, '{expected}' expected\n{answer.stdout}{answer.stderr}")
        if by_coq:
            library = pathlib.Path(vouch).resolve().parent / "coq"
            alone = run("coqc", "-q", "-w", "none", "-Q", library, "Vouch", self.folder / f"{self.rule}.v")
            if alone.returncode == 0:
                failures.append(f"{what}: Coq alone takes it")
        shutil.rmtree(self.folder)


def lies():
    def in_target(pattern, by):
        def change(text):
            at = text.index("Definition target_1_1")
            return text[:at] + re.sub(pattern, by, text[at:], count=1, flags=re.S)
        return change
    def left_out(law):
        return lambda text: re.sub(rf"\n    \({law} : .*\)(?= :$|$)", "", text, flags=re.M)
    return [
        ("square", "another exponent", in_target(r"\^ 2|Definition (target_1_1.*?:=\n).*?%R\.", r"Definition \g<1>  0%R.")),
        ("add_zero", "another target", in_target(r":=\n.*?%R\.", ":=\n  1%R.")),
        ("split_concat", "an index moved", in_target(r"i_0%Z", "(i_0 + 1)%Z")),
        ("conv_mul", "a factor left out", in_target(r":=\n.*?%R\.", ":=\n  0%R.")),
        ("gemm_transposed_weights", "a rounding left out", in_target(r"\(the_stored0 ", "(")),
        ("gemm_transposed_weights", "sums for products", in_target(r"\(times ", "(plus ")),
        ("gemm_transposed_weights", "another order", in_target(r"the_sum \(over (\S+)%Z \(fun (\S+) : Z => (.*?)\)\)\)",
                                                                r"the_sum (rev (over \1%Z (fun \2 : Z => \3))))")),
        ("pad_into_max_pool", "a larger window", in_target(r"the_maximum \(over (\S+)%Z", r"the_maximum (over (\1 + 1)%Z")),
        ("pad_into_max_pool", "another least number", lambda t: t.replace("(the_maximum [])", "(the_maximum [x 0%Z 0%Z 0%Z 0%Z])", 1)),
        ("requantised_max_pool", "a larger window of steps", in_target(r"the_least \(over (\S+)%Z", r"the_least (over (\1 + 1)%Z")),
        ("requantised_max_pool", "a scale of any sign", lambda t: re.sub(r"\(0 < (s\S*)\)%R", r"(0 <> \1)%R", t)),
        ("where_not", "the wrong choice", in_target(r"negb ", "")),
        ("relu_relu", "no laws of the larger", left_out("the_max_laws")),
        ("max_pool_of_relu", "no laws of the largest", left_out("the_max_laws")),
        ("neg_neg", "a sign that does not come back", left_out("the_sign_twice")),
        ("where_not", "truth values that are compared anyhow", left_out("the_truths_compare")),
        ("batched_product_of_transposes", "products in order", left_out("the_times_commutes")),
        ("argmax_of_growing", "the largest of what falls", in_target(r"\(x (i_\S+ )*k\S+\)", r"(- \g<0>)")),
        ("argmin_of_growing", "another element", in_target(r"k(\d)%Z\)\]", r"(k\1 + 1)%Z)]")),
        ("reshape_keeps_first_of_six", "an index moved", in_target(r"i_0%Z", "(i_0 + 1)%Z")),
        ("reshape_keeps_first_of_six", "a condition left out", lambda t: re.sub(r"\n    \(legal_\d+ : \(x_0 = y_0\)\)  \(\* a condition of the rule \*\)", "", t)),
        ("requantised_by_axis", "a condition left out", lambda t: re.sub(r"\n    \(s_every : .*?condition of the rule \*\)", "", t)),
        ("requantised_by_axis", "a weaker condition", lambda t: t.replace("(0 < (s s_at_0", "(0 <= (s s_at_0")),
        ("requantised_by_axis", "a condition on fewer elements", lambda t: t.replace("0 <= s_at_0 <", "1 <= s_at_0 <"))]


def lies_by_name():
    """About the kernel of an operator; Coq alone is asked of all."""
    def of(operator, pattern, by):
        def change(text):
            at = text.index(f"Definition {operator}")
            return text[:at] + re.sub(pattern, by, text[at:], count=1, flags=re.S)
        return change
    return [
        ("neg_neg", "another function", of("Neg_1_1", r"Syntax\.Neg", "Syntax.Abs")),
        ("split_concat", "a read moved", of("split_1_1", r"\(Kernel\.IVar 0\), ", "(Kernel.IAdd (Kernel.IVar 0) (Kernel.ICon 1)), ")),
        ("batched_product_of_transposes", "axes in another order", of("Transpose_1_1", r"IVar 0\)(.*?)IVar 1\)", r"IVar 1)\1IVar 0)")),
        ("batched_product_of_transposes", "a sum of another number", of("MatMul_1_", r"(summed \[.*?\] )\[(\w+)\]", r"\1[(\2 + 1)]")),
        ("batched_product_of_transposes", "other operands",
         lambda t: re.sub(r"\[\(result K \((Transpose_1_1\b.*?)\) \[x_tensor\]\)", "[x_tensor", t, count=1)),
        ("square", "another function of real numbers", of("Pow_1_1", r"Syntax\.Pow", "Syntax.Mul")),
        ("square", "another real number", lambda t: t.replace("filled (K := K) 2%R", "filled (K := K) 3%R", 1)),
        ("square", "powers that are none", lambda t: t.replace(" (the_powers : powers the_unknowns)", "")),
        ("batched_product_of_transposes", "an axis along which no element stands for all", lambda t: re.sub(r"IScale \(stretched \w+\)", "IScale 1", t, count=1)),
        ("max_pool_of_relu", "the smallest for the largest", of("MaxPool_1_2", "reduces Largest", "reduces Smallest")),
        ("max_pool_of_relu", "a product for the largest", of("MaxPool_1_2", "reduces Largest", "reduces Product")),
        ("max_pool_of_relu", "a larger window", of("MaxPool_1_2", r"\] \[p_kernel_shape_0_\]", "] [(p_kernel_shape_0_ + 1)]")),
        ("max_pool_of_relu", "what pads is the largest", of("MaxPool_1_2", r"\(Kernel\.CAnd .*?\(reading 0", "Kernel.CTrue (reading 0")),
        ("reshape_keeps_two", "a place that is divided by another size", of("Reshape_1_1", r"\(Z\.to_pos \(x_1 \* x_2\)\)", "(Z.to_pos x_2)")),
        ("reshape_keeps_two", "a digit of another place", of("Reshape_1_1", r"Kernel\.IScale y_1", "Kernel.IScale y_0")),
        ("divided_transpose", "a product for a quotient", of("Div_1_2", r"Syntax\.Div", "Syntax.Mul"))]


LIES = lies()
LIES_BY_NAME = lies_by_name()


def wrong_statements(vouch, out, all_by_coq):
    for rule, what, change in LIES:
        Copy(out, rule).change(".v", change).refused(vouch, what, f"{rule}.v: it is not what the rule's text gives",
                                                     by_coq=all_by_coq or what in TOLD_BY_COQ)


def wrong_operators(vouch, out):
    for rule, what, change in LIES_BY_NAME:
        Copy(out, rule).change(".v", change).refused(vouch, what, f"{rule}.v: it is not what the rule's text gives", by_coq=True)


def as_expected(what, found, expected):
    failures.extend(f"{rule}: {what} by now; it is not in the list of this test" for rule in sorted(found - expected))
    failures.extend(f"{rule}: it is in the list '{what}' of this test, and it is not so any more" for rule in sorted(expected - found))


def all_shipped(vouch, shipped, out, instances):
    table = out / "verdicts.json"
    run(vouch, "check", *shipped, "--no-repair", "--no-refute", "--coq", out, "--coq-instances", instances, "--json", table)
    verdicts = {rule["name"]: rule["algebra"] for rule in json.loads(table.read_text())["rules"] if rule["verdict"] == "sound"}
    sound = set(verdicts)
    table.unlink()
    scalars = {entry["rule"]: entry["scalars"] for entry in json.loads((out / "proofs.json").read_text())["rules"] if entry["theorems"]}
    stated = set(scalars)
    if not stated <= sound:
        failures.append(f"theorems about rules that are not sound: {sorted(stated - sound)}")
    as_expected("no theorem", sound - stated, WITHOUT_THEOREM)
    as_expected("exact, and over the reals", {rule for rule in stated if verdicts[rule] == "exact" and scalars[rule] == "reals"},
                OVER_THE_REALS)
    failures.extend(f"{rule}: over any scalars, and its verdict is sound (real)"
                    for rule in sorted(stated) if verdicts.get(rule) == "real" and scalars[rule] == "any")


def tampered(vouch, out, all_by_coq):
    wrong_statements(vouch, out, all_by_coq)
    wrong_operators(vouch, out)
    theorem = r"(Theorem outputs_agree_1_1)(.*?)Proof\..*?Qed\."
    says = "add_zero.v: it is not what the rule's text gives"
    for what, change in [
        ("an admitted proof", lambda t: re.sub(theorem, r"\1\2Proof. Admitted.", t, count=1, flags=re.S)),
        ("an axiom of its own", lambda t: re.sub(theorem, r"Axiom magic : False.\n\1\2Proof. now destruct magic. Qed.", t, count=1, flags=re.S)),
        ("a theorem left out", lambda t: re.sub(theorem, "", t, count=1, flags=re.S)),
        ("a theorem that says nothing", lambda t: re.sub(theorem, "Theorem outputs_agree_1_1 : True. Proof. exact I. Qed.", t, count=1, flags=re.S)),
        ("a changed comment", lambda t: t.replace("Rule add_zero", "Rule add_one")),
        ("a broken proof", lambda t: t.replace("Qed.", "Qed", 1))]:
        Copy(out, "add_zero").change(".v", change).refused(vouch, what, says)
    Copy(out, "add_zero").entry(stated=999, distinct=999).refused(vouch, "999 instances", "its 'stated' is not what the rule's text gives")
    Copy(out, "add_zero").entry(theorems=[]).refused(vouch, "no theorems", "its 'theorems' is not what")
    Copy(out, "add_zero").entry(theorems=["I"]).refused(vouch, "another theorem", "its 'theorems' is not what")
    Copy(out, "add_zero").entry(recipe={"theorems": 0, "instances": 4000, "max_rank": 4}).refused(vouch, "no instances asked for", "its 'stated' is not")
    Copy(out, "add_zero").entry(recipe={"theorems": 10**9, "instances": 4000, "max_rank": 4}).refused(vouch, "instances without end", "this is no list of proofs")
    Copy(out, "add_zero").entry(recipe={"theorems": 3, "instances": 1_000_000, "max_rank": 8}).refused(vouch, "more instances than 'check' looks at", "this is no list of proofs")
    Copy(out, "add_zero").entry(rule="../add_zero").refused(vouch, "a rule that is a path", "this is no list of proofs")
    Copy(out, "add_zero").entry(proven=True).refused(vouch, "a member too many", "nothing accounts for its 'proven'")
    Copy(out, "add_zero").change(".gsl", lambda t: t.replace("add_zero", "add_one")).refused(vouch, "another rule's text", "expected the rule 'add_zero' alone")
    Copy(out, "add_zero").change(".gsl", lambda t: t.replace("target x", "target x + x")).refused(vouch, "a wrong rule", "no proof: output 1")
    Copy(out, "add_zero").change(".gsl", lambda t: "rule").refused(vouch, "a text that is no rule", "the rule's text cannot be had")
    more = Copy(out, "add_zero")
    (more.folder / "other.v").write_text("")
    (more.folder / "proofs.json").write_text(json.dumps(more.list, indent=2) + "\n")
    answer, _ = verify(vouch, more.folder)
    if answer.returncode != 1 or "no certificate covers this" not in answer.stderr:
        failures.append(f"a file more: {answer.returncode} {answer.stderr}")


def rule_by_rule(vouch, shipped):
    """A folder keeps what an earlier run wrote of other rules."""
    with tempfile.TemporaryDirectory() as folder:
        for rule in ("add_zero", "square", "add_zero"):
            run(vouch, "check", *shipped, "--rule", rule, "--no-refute", "--coq", folder, "--coq-instances", "1")
        kept = sorted(entry["rule"] for entry in json.loads((pathlib.Path(folder) / "proofs.json").read_text())["rules"])
        if kept != ["add_zero", "square"]:
            failures.append(f"rule by rule: {kept}")


def few(vouch, shipped, out):
    """Theorems: of one instance of FEW, in a folder of their own; in the other one of what is lied about."""
    for folder, rules, instances in ((out / "few", FEW, "1"), (out, {rule for rule, _, _ in LIES + LIES_BY_NAME}, "3")):
        for rule in sorted(rules):
            answer = run(vouch, "check", *shipped, "--rule", rule, "--no-refute", "--coq", folder, "--coq-instances", instances)
            if answer.returncode != 0:
                failures.append(f"{rule}: {answer.stdout}{answer.stderr}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("vouch", type=pathlib.Path)
    options.add_argument("root", type=pathlib.Path)
    options.add_argument("--all", action="store_true")
    options.add_argument("--instances", default="3")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        shipped = [chosen.root / part for part in ("rules", "rules/gsl", "rules/dialect")]
        if chosen.all:
            all_shipped(chosen.vouch, shipped, out, chosen.instances)
        else:
            few(chosen.vouch, shipped, out)
            rule_by_rule(chosen.vouch, shipped)
        answer, rows = verify(chosen.vouch, out if chosen.all else out / "few")
        print(answer.stdout, answer.stderr)
        proven = [row for row in rows if row["proven"]]
        for row in proven:
            if not set(row["axioms"]) <= (AXIOMS if row["scalars"] == "reals" else set()):
                failures.append(f"{row['rule']}, over {row['scalars']}, rests on {row['axioms']}")
        refused = {row["rule"] for row in rows if not row["proven"]} - WITHOUT_THEOREM
        failures.extend(f"{row['rule']}: {row['message']}" for row in rows if row["rule"] in refused - NOT_ACCEPTED)
        by_name = {row["rule"] for row in proven if row["by_name"] and row["by_name"] == row["outputs"]}
        if chosen.all:
            as_expected("not accepted by Coq", refused, NOT_ACCEPTED)
        else:
            as_expected("stated by operators' names", by_name, BY_NAME)
        for reason, count in collections.Counter(row["message"].split("\n")[0][:160] for row in rows if not row["proven"]).items():
            print(f"{count} without: {reason}")
        tampered(chosen.vouch, out, chosen.all)
        print(f"figures: {len(proven)} of {len(rows)} sound rules are proven by Coq, {chosen.instances if chosen.all else 1} instances each; "
              f"{len(by_name)} of them by operators' names")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Theorems about sound rules: `vouch check --coq`, then `vouch verify`.

A handful of rules (with --all: every shipped rule and rules/gsl) must go through, resting on the axioms of the standard
library's real numbers alone; what is tampered with must not. With --all the rules without a proof are listed with the reason,
and at least the share named by LEAST must have one.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from content_hash import content_hash

FEW = ["identity_away", "add_zero", "square", "gemm_transposed_weights", "concat_split", "split_concat", "conv_mul", "gelu_erf"]
AXIOMS = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
          "FunctionalExtensionality.functional_extensionality_dep"}
LEAST = 0.9

failures = []


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def verify(vouch, folder, jobs=2):
    table = folder / "table.json"
    answer = run(vouch, "verify", folder, "-j", jobs, "--json", table)
    return answer, json.loads(table.read_text())["rules"] if table.exists() else []


def tamper(vouch, source, rule, what, change, expected, keep_hash=False):
    """A copy of one proof, changed; unless `keep_hash`, the list is made to agree, so that only Coq can find it."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        proofs = json.loads((source / "proofs.json").read_text())
        entry = next(e for e in proofs["rules"] if e["rule"] == rule)
        old = (source / entry["file"]).read_text()
        text = change(old)
        assert text != old, what
        (folder / entry["file"]).write_text(text)
        if not keep_hash:
            entry["hash"] = content_hash(text)
        (folder / "proofs.json").write_text(json.dumps({"rules": [entry]}))
        answer, _ = verify(vouch, folder)
        if answer.returncode != 1 or expected not in answer.stdout:
            failures.append(f"{what}: exit {answer.returncode}, '{expected}' expected\n{answer.stdout}{answer.stderr}")


def wrong_statements(vouch, out):
    def in_target(pattern, by):
        def change(text):
            at = text.index("Definition target_1_1")
            return text[:at] + re.sub(pattern, by, text[at:], count=1, flags=re.S)
        return change
    rejects = "Coq rejects the proof"
    tamper(vouch, out, "square", "another exponent", in_target(r"\^ 2|Definition (target_1_1.*?:=\n).*?%R\.", r"Definition \g<1>  0%R."), rejects)
    tamper(vouch, out, "add_zero", "another target", in_target(r":=\n.*?%R\.", ":=\n  1%R."), rejects)
    tamper(vouch, out, "split_concat", "an index moved", in_target(r"i_0%Z", "(i_0 + 1)%Z"), rejects)
    tamper(vouch, out, "conv_mul", "a factor left out", in_target(r":=\n.*?%R\.", ":=\n  0%R."), rejects)


def tampered(vouch, out):
    rejects = "Coq rejects the proof"
    wrong_statements(vouch, out)
    theorem = r"(Theorem outputs_agree_1_1)(.*?)Proof\..*?Qed\."
    tamper(vouch, out, "add_zero", "an admitted proof",
           lambda t: re.sub(theorem, r"\1\2Proof. Admitted.", t, count=1, flags=re.S), "which is no axiom of the reals")
    tamper(vouch, out, "add_zero", "an axiom of its own",
           lambda t: re.sub(theorem, r"Axiom magic : False.\n\1\2Proof. now destruct magic. Qed.", t, count=1, flags=re.S),
           "which is no axiom of the reals")
    tamper(vouch, out, "add_zero", "a theorem left out",
           lambda t: re.sub(theorem, "", t, count=1, flags=re.S), "a theorem is missing")
    tamper(vouch, out, "add_zero", "a changed comment", lambda t: t.replace("Rule add_zero", "Rule add_one"),
           "add_zero.v is not as it was written", keep_hash=True)
    tamper(vouch, out, "add_zero", "a broken proof", lambda t: t.replace("Qed.", "Qed", 1), rejects)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("vouch", type=pathlib.Path)
    options.add_argument("root", type=pathlib.Path)
    options.add_argument("--all", action="store_true")
    options.add_argument("--instances", default="3")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        shipped = [chosen.root / "rules", chosen.root / "rules/gsl"]
        proofs = []
        if chosen.all:
            run(chosen.vouch, "check", *shipped, "--no-repair", "--coq", out, "--coq-instances", chosen.instances)
            proofs = json.loads((out / "proofs.json").read_text())["rules"]
        else:
            for rule in FEW:
                one = out / rule
                answer = run(chosen.vouch, "check", *shipped, "--rule", rule, "--no-refute", "--coq", one, "--coq-instances", chosen.instances)
                if answer.returncode != 0:
                    failures.append(f"{rule}: {answer.stdout}{answer.stderr}")
                proofs += json.loads((one / "proofs.json").read_text())["rules"]
                for file in one.glob("*.v"):
                    file.rename(out / file.name)
            (out / "proofs.json").write_text(json.dumps({"rules": proofs}))
        answer, rows = verify(chosen.vouch, out)
        print(answer.stdout, answer.stderr)
        proven = [row for row in rows if row["proven"]]
        for row in proven:
            if not set(row["axioms"]) <= AXIOMS:
                failures.append(f"{row['rule']} rests on {row['axioms']}")
        if not chosen.all:
            failures.extend(f"{row['rule']}: {row['message']}" for row in rows if not row["proven"])
        elif len(proven) < LEAST * len(rows):
            failures.append(f"only {len(proven)} of {len(rows)} sound rules have a proof")
        for reason, count in collections.Counter(row["message"].split("\n")[0][:160] for row in rows if not row["proven"]).items():
            print(f"{count} without: {reason}")
        tampered(chosen.vouch, out)
        print(f"figures: {len(proven)} of {len(rows)} sound rules are proven by Coq, {chosen.instances} instances each")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

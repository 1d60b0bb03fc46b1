#!/usr/bin/env python3
"""Mutants of every shipped rule: each is refuted, or proven sound and then by Coq too, or listed with the reason.

mutation_test.py VOUCH REFUTATION: the suite LongMutation of `refutation` judges them (none may be both refuted and proven) and
leaves the text of the proven ones in a folder; `vouch check --coq` and `vouch verify` go over these.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from rule_proofs_test import run, verify

LEAST = 0.9  # of the mutants that are proven sound, proven by Coq too

vouch, refutation = (pathlib.Path(word).resolve() for word in sys.argv[1:3])


def judged(folder):
    said = subprocess.run([refutation, "--gtest_filter=*LongMutation*"], capture_output=True, text=True,
                          env=os.environ | {"VOUCH_PROVEN_MUTANTS": str(folder)})
    print(said.stdout[-20000:] if said.returncode else "\n".join(re.findall(r"^  \S.*", said.stdout, re.M)))
    figures = re.findall(r"^figures: (.*)", said.stdout, re.M)
    return said.returncode, figures[-1] if figures else "none judged"


def proven_by_coq(mutants, folder):
    run(vouch, "check", mutants, "--no-repair", "--no-refute", "--coq", folder, "--coq-instances", "1")
    return verify(vouch, folder)[1]


def main():
    with tempfile.TemporaryDirectory() as mutants, tempfile.TemporaryDirectory() as proofs:
        code, figures = judged(mutants)
        count = len(list(pathlib.Path(mutants).glob("*.gsl")))
        rows = proven_by_coq(mutants, pathlib.Path(proofs))
    proven = [row for row in rows if row["proven"]]
    for row in rows:
        if not row["proven"]:
            print(f"without Coq's proof: {row['rule']}: {row['message'].splitlines()[0][:160]}")
    print(f"figures: {figures}; {len(proven)} of {count} proven ones by Coq too")
    return code or (0 if count and len(rows) == count and len(proven) >= LEAST * count else 1)


if __name__ == "__main__":
    sys.exit(main())

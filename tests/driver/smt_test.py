"""Two solvers answer each script of smt/ as its :status says; no lemma holds without its assumptions, which can be met; fresh
queries of proofs agree too."""
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

SOLVERS = {"z3": ["z3", "-T:20"], "cvc5": ["cvc5", "--tlimit=20000"]}

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
missing = [name for name in SOLVERS if not shutil.which(name)]
if missing:
    print(f"not run: {', '.join(missing)} is not there")
    sys.exit(SKIPPED)


def answer(solver, text):
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([*SOLVERS[solver], file.name], capture_output=True, text=True)
    return done.stdout.split("\n")[0]


def status(text):
    found = re.findall(r"\(set-info :status (\w+)\)", text)
    checks.that(len(found) == 1, f"one :status is expected, found {found}")
    return found[0] if found else "none"


def agree(name, text):
    wanted = status(text)
    for solver in SOLVERS:
        found = answer(solver, text)
        checks.that(found == wanted, f"{name}: {solver} says {found}, {wanted} is expected")


def assumptions_matter(path):
    text = path.read_text()
    assumed, concluded = text.split("; and not what it concludes")
    bare = re.sub(r"^\(assert .*\)\n", "", assumed, flags=re.M)
    checks.that(bare == assumed or answer("z3", bare + concluded) == "sat", f"{path.stem} holds without any assumption")
    checks.that(answer("z3", assumed + "(check-sat)") == "sat", f"what {path.stem} assumes cannot be met")


checks = Checks()
lemmas = sorted((root / "smt" / "lemmas").glob("*.smt2"))
obligations = sorted((root / "smt" / "obligations").glob("*.smt2"))
checks.that(len(lemmas) >= 20 and len(obligations) >= 10, f"{len(lemmas)} lemmas, {len(obligations)} obligations")
for path in itertools.chain(lemmas, obligations):
    agree(path.stem, path.read_text())
for path in lemmas:
    assumptions_matter(path)
with tempfile.TemporaryDirectory() as folder:
    for rule in ["slice_slice", "reshape_to_same_shape", "concat_split"]:
        code, out, errors = vouch("check", root / "rules", "--rule", rule, "--no-refute", "--no-repair", "--smt", folder, "--recheck", "cvc5",
                                  seconds=300)
        checks.that(code == 0 and " 0 open" in out, f"{rule}: exit {code}: {out}{errors}")
    scripts = sorted(pathlib.Path(folder).glob("*.smt2"))
    checks.that(len(scripts) > 20, f"{len(scripts)} queries")
    for path in scripts[:: max(1, len(scripts) // 40)]:
        agree(path.stem, path.read_text())
print(f"{len(lemmas)} lemmas, {len(obligations)} obligations, {len(scripts)} fresh queries of three rules")
checks.end()

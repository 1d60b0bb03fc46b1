"""tools/ci-check as GitHub's runner and as pre-commit call it; the files that people copy are what they should be."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from command import Checks

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
checks = Checks()
GOOD = "rule good { let x = *; source Relu(Relu(x)); target Relu(x); }\n"
WRONG = "rule wrong { let x = *; source Relu(Neg(x)); target Neg(Relu(x)); }\n"
BROKEN = "rule broken { let x = *; source Relo(x); target x; }\n"


def run(folder, *rules, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")} | {"VOUCH": str(program)} | variables
    return subprocess.run([root / "tools" / "ci-check", *rules], cwd=folder, env=environment, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "good.gsl").write_text(GOOD)
    (folder / "bad, 50%.gsl").write_text(GOOD + WRONG + BROKEN)
    done = run(folder, "good.gsl")
    checks.that(done.returncode == 0 and "::" not in done.stdout, f"plain: {done}")
    checks.that({p.name for p in folder.glob("vouch*")} == {"vouch.sarif", "vouch.xml", "vouch-badge.json", "vouch.json"}, "four reports")
    done = run(folder, "good.gsl", "bad, 50%.gsl", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(folder / "summary.md"), VOUCH_REPORTS="out")
    notes = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    checks.that(done.returncode == 3 and len(notes) == 2, f"annotations: {done.returncode} {notes} {done.stderr}")
    checks.that(all(re.match(r"::error file=bad%2C 50%25\.gsl,line=[23],title=[^:]*::.", note) for note in notes), f"annotations: {notes}")
    summary = (folder / "summary.md").read_text()
    checks.that("✗ unsound" in summary and "✓ sound (exact)" in summary and "Relo" in summary, summary)
    checks.that(json.loads((folder / "out" / "vouch.sarif").read_text())["version"] == "2.1.0", "sarif")
    done = run(folder, "--not-an-option.gsl")
    checks.that(done.returncode == 3 and "not-an-option" in done.stderr, f"a name like an option: {done}")

hook = (root / ".pre-commit-hooks.yaml").read_text()
entry = re.search(r"entry: (\S+)", hook).group(1)
pattern = re.search(r"files: (\S+)", hook).group(1)
checks.that(os.access(root / entry, os.X_OK), f"the hook's entry {entry} is no program")
checks.that(re.search(pattern, "rules/a.gsl") and not re.search(pattern, "rules/a.py"), "the hook's files")
workflow = (root / "docs" / "ci" / "github-workflow.yml").read_text()
checks.that("ci-check rules" in workflow and "reports/vouch.sarif" in workflow and "\t" not in workflow, "the workflow")
checks.end()

"""tools/ci-check as GitHub's runner and as pre-commit call it; the files that people copy are what they should be."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
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

# What passes by its reports ends with 0, and only that; what an earlier run left is no report of this one.
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name, text in (("good", GOOD), ("wrong", WRONG), ("broken", BROKEN), ("expected", WRONG.replace("{", "{ expect unsound;", 1)),
                       ("unmet", GOOD.replace("{", "{ expect unsound;", 1))):
        (folder / f"{name}.gsl").write_text(text)
    for names, code in ((["expected"], 0), (["good", "expected"], 0), (["wrong"], 1), (["expected", "wrong"], 1), (["unmet"], 1), (["good", "broken"], 3),
                        (["expected", "broken"], 3)):
        done = run(folder, *(f"{name}.gsl" for name in names))
        badge = json.loads((folder / "vouch-badge.json").read_text())
        checks.that(done.returncode == code and (badge["color"] == "brightgreen") == (code == 0), f"{names}: {done.returncode}, {badge}")
    done = run(folder, "wrong.gsl", VOUCH="nowhere/vouch", GITHUB_ACTIONS="true")
    checks.that(done.returncode == 127 and "nowhere/vouch" in done.stderr and "hint:" in done.stderr and "Traceback" not in done.stderr, f"{done}")
    checks.that(not done.stdout and not list(folder.glob("vouch*")), f"no command, reports of an earlier run: {done.stdout}")
    killed = folder / "killed"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    checks.that(run(folder, "good.gsl", VOUCH=str(killed)).returncode == 128 + 9, "the command is killed")
    done = run(folder, "--no-reports", "wrong.gsl", GITHUB_ACTIONS="true")
    checks.that(done.returncode == 1 and "::error file=wrong.gsl" in done.stdout and not list(folder.glob("vouch*")), f"--no-reports: {done}")


def git(*words, **variables):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT")} | {"VOUCH": str(program), "VOUCH_CI_CHECK": str(root / "tools/ci-check")}
    return subprocess.run(["git", *who, *words], cwd=tree, env=environment, capture_output=True, text=True)


# The hook for Git alone: what is committed decides, not what lies in the working tree.
with tempfile.TemporaryDirectory() as tree:
    tree = pathlib.Path(tree)
    git("init", "-q")
    copy = tree / ".git/hooks/pre-commit"
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(root / "docs/ci/pre-commit", copy)

    def committed(what, expected):
        git("add", "-A")
        done = git("commit", "-q", "-m", what)
        checks.that((done.returncode == 0) == expected, f"{what}: exit {done.returncode}: {done.stdout}{done.stderr}")
        checks.that(not git("status", "--porcelain").stdout or not expected, f"{what} leaves {git('status', '--porcelain').stdout}")

    (tree / "notes.txt").write_text("no rules\n")
    committed("no rules", True)
    odd = tree / "a folder" / "ä 'q' \n.gsl"
    odd.parent.mkdir()
    odd.write_text(GOOD)
    (tree / "old.gsl").write_text(GOOD.replace("good", "old"))
    committed("added", True)
    odd.write_text(WRONG)
    committed("changed to what is wrong", False)
    git("add", "-A")
    odd.write_text(GOOD)  # mended, but not added
    checks.that(git("commit", "-q", "-m", "x").returncode == 1, "what is wrong in the index is committed, since it is mended in the tree")
    git("add", "-A")
    odd.write_text(WRONG)  # not part of the commit
    (tree / "new.gsl").write_text(GOOD.replace("good", "new"))
    git("add", "new.gsl")
    checks.that(git("commit", "-q", "-m", "x").returncode == 0, "what is not committed stops a commit")
    odd.write_text(GOOD)
    (tree / "old.gsl").rename(tree / "renamed.gsl")
    committed("renamed", True)
    (tree / "renamed.gsl").rename(tree / "wrong.gsl")
    (tree / "wrong.gsl").write_text(WRONG)
    committed("renamed and wrong", False)
    (tree / "wrong.gsl").unlink()
    odd.unlink()
    committed("deleted", True)

hook = (root / ".pre-commit-hooks.yaml").read_text()
entry = re.search(r"entry: (\S+) --no-reports\n", hook).group(1)
pattern = re.search(r"files: (\S+)", hook).group(1)
checks.that(os.access(root / entry, os.X_OK), f"the hook's entry {entry} is no program")
checks.that(re.search(pattern, "rules/a.gsl") and not re.search(pattern, "rules/a.py"), "the hook's files")
workflow = (root / "docs" / "ci" / "github-workflow.yml").read_text()
checks.that("ci-check rules" in workflow and "reports/vouch.sarif" in workflow and "\t" not in workflow, "the workflow")
checks.end()

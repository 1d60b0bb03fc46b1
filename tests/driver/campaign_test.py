"""Long suites as jobs: `tools/campaign` on three small tests, one of which fails and one of which says that it is not run.

    campaign_test.py VOUCH ROOT"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from command import SKIPPED, Checks

campaign = pathlib.Path(sys.argv[2]).resolve() / "tools/campaign"
checks = Checks()
if not (shutil.which("ctest") and shutil.which("ninja")):
    print("not run: CTest or Ninja is not there")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    build, logs, file = place / "build", place / "the logs", place / "jobs.ninja"
    (place / "works").write_text("#!/bin/sh\necho \"figures: $WORD\"\n")
    (place / "works").chmod(0o755)
    (place / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nenable_testing()\n"
        f"add_test(NAME a/good COMMAND {place}/works)\nadd_test(NAME a/absent COMMAND sh -c \"echo not run: no; exit 77\")\n"
        "add_test(NAME b/bad COMMAND sh -c \"echo why; exit 3\")\nadd_test(NAME b/short COMMAND true)\n"
        "set_tests_properties(a/good a/absent b/bad PROPERTIES LABELS long)\nset_tests_properties(a/good PROPERTIES ENVIRONMENT WORD=seven)\n")
    subprocess.run(["cmake", "-G", "Ninja", "-S", place, "-B", build], check=True, capture_output=True)
    environment = os.environ | {"VOUCH_BUILD": str(build)}

    def run(*words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment, cwd=place)

    made = run(campaign, file, logs)
    checks.that(made.returncode == 0 and "3 suites" in made.stdout, f"three are long: {made.stdout}{made.stderr}")
    done = run("ninja", "-k", "0", "-f", file)
    good = [log.read_text() for log in logs.glob("a_good-*.log")]
    checks.that(done.returncode == 1 and good == ["a/good: passed\nfigures: seven\n"], f"{done.stdout}{good}")
    checks.that([log.read_text() for log in logs.glob("a_absent-*.log")] == ["a/absent: not run\nnot run: no\n"], "a test that is not run says so")
    failed = list(logs.glob("b_bad-*"))
    checks.that([log.suffix for log in failed] == [".failed"] and "why" in failed[0].read_text(), f"a failed one leaves no log that counts: {failed}")
    run(campaign, file, logs, "a/")
    done = run("ninja", "-f", file)
    checks.that(done.returncode == 0 and (logs / "table.txt").read_text() == "a/good: passed\na/absent: not run\n", f"{done.stdout}")
    checks.that("no work to do" in run("ninja", "-f", file).stdout, "what passed is not run again")
    (place / "works").write_text("#!/bin/sh\necho other\n")
    run(campaign, file, logs, "a/good")
    checks.that("[1/2]" in run("ninja", "-f", file).stdout, "after its program changed it is")
    checks.that(run(campaign, file, logs, "nothing").returncode == 1, "no suite of that name")
checks.end()

"""Two hundred rules as jobs of a Slurm cluster: `vouch check --emit ninja`, `srun` before each command, two nodes that share a store.
In the middle one node is killed. The verdicts in the end are those of one process on one machine.

    slurm_test.py VOUCH ROOT

Slurm is started here, on this machine (local_slurm.py); without it nothing is tried, and that is said."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "driver"))
from command import SKIPPED, Checks  # noqa: E402
from local_slurm import Cluster, missing  # noqa: E402

vouch, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
checks = Checks()
COUNT = 200
UNARY = ("Relu", "Neg", "Exp", "Tanh", "Abs", "Sigmoid", "Sin", "Cos", "Floor")


def own_rules(count):
    """Small rules, sound and wrong: operands exchanged below a unary operator."""
    pairs = [(binary, unary) for unary in UNARY for binary in ("Add", "Mul", "Sub", "Div")]
    return "".join(f"rule exchange_{binary.lower()}_{unary.lower()} {{\n  let x = *;\n  let y = *;\n  source {unary}({binary}(x, y));\n"
                   f"  target {unary}({binary}(y, x));\n}}\n" for binary, unary in pairs[:count])


def run(*words, seconds=900, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", timeout=seconds, **options)


def verdicts(file):
    """What must not depend on where it was found. Times do."""
    rules = json.loads(file.read_text())["rules"]
    return {rule["name"]: {key: value for key, value in rule.items() if key not in ("time_ms", "slowest_query_ms", "kept")} for rule in rules}


def main(folder):
    rules = [*sorted((root / "rules").glob("*.gsl")), *(root / "rules" / name for name in ("gsl", "unsound"))]
    files = [file for path in rules for file in (sorted(path.glob("*.gsl")) if path.is_dir() else [path])]
    have = sum(len(re.findall(r"^rule ", file.read_text(), re.M)) for file in files)
    checks.that(COUNT - 4 * len(UNARY) <= have, f"{have} shipped rules")
    (folder / "own.gsl").write_text(own_rules(max(0, COUNT - have)))
    rules += [folder / "own.gsl"] if have < COUNT else []
    alone, store, jobs = folder / "alone.json", folder / "store", folder / "jobs.ninja"
    started = time.monotonic()
    code = run(vouch, "check", "--json", alone, *rules).returncode
    seconds_alone = time.monotonic() - started
    expected = verdicts(alone)
    checks.that(code == 1 and len(expected) >= COUNT, f"alone: exit {code}, {len(expected)} rules")
    checks.that({"sound", "unsound"} <= {rule["verdict"] for rule in expected.values()}, "some are sound and some are not")

    cluster = Cluster(folder / "slurm")
    try:
        checks.that(len(cluster.states()) == 2, f"two nodes: {cluster.states()}")
        emitted = run(vouch, "check", "--store", store, "--emit", "ninja", jobs, "--launcher", "srun -n1 -c1 --quiet", *rules)
        checks.that(emitted.returncode == 0, f"--emit: {emitted.stderr}")
        started = time.monotonic()
        first = subprocess.Popen(["ninja", "-k", "0", "-j", "4", "-f", jobs], env=cluster.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace")
        made = lambda: len(list(store.glob("*.verdict")))  # noqa: E731
        cluster.wait(lambda: made() >= len(expected) // 3 or first.poll() is not None, "a third of the verdicts", 600)
        before = made()
        checks.that(len(expected) // 3 <= before < len(expected), f"{before} verdicts when the node is killed")
        cluster.kill_node("n2")
        said, _ = first.communicate(timeout=900)
        lost = len(expected) - made()
        for again in range(4):
            if made() >= len(expected):
                break
            done = run("ninja", "-k", "0", "-j", "2", "-f", jobs, env=cluster.environment)
            said += done.stdout
        seconds = time.monotonic() - started
        checks.that(cluster.states().get("n2", "").rstrip("*") in ("down", "drained", "unknown"), f"n2 is gone: {cluster.states()}")
        checks.that(made() == len(expected), f"{made()} of {len(expected)} verdicts\n{said[-3000:]}")
    finally:
        cluster.close()
    together = pathlib.Path(f"{jobs}.verdicts.json")
    last = run("ninja", "-f", jobs)
    checks.that(last.returncode == 1, f"the last job ends as check does, for wrong rules: exit {last.returncode}\n{last.stdout[-500:]}")
    found = verdicts(together)
    different = [name for name in expected if found.get(name) != expected[name]]
    checks.that(not different and len(found) == len(expected), f"other verdicts than alone: {different[:5]}")
    checks.that(all(rule["kept"] for rule in json.loads(together.read_text())["rules"]), "all of them come from the store")
    print(f"figures: {len(expected)} rules, one process {seconds_alone:.0f} s; two nodes of Slurm, one killed after {before}: {seconds:.0f} s, "
          f"{lost} jobs lost and done again")


why = missing() or ("" if shutil.which("ninja") else "ninja not there")
if why:
    print(f"not run: no Slurm cluster can be started here: {why} (Debian: slurmctld slurmd slurm-client munge)")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as scratch:
    os.environ["VOUCH_KEY"] = str(pathlib.Path(scratch) / "key")
    main(pathlib.Path(scratch))
checks.end()

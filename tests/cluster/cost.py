"""cost.py VOUCH ROOT: the figures of docs/scale.md: processor time of jobs that prove and of jobs whose answers are known, sizes of entries."""
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

vouch, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])


def milliseconds(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([vouch, "check", *map(str, words)], stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def told(values):
    return f"{statistics.mean(values):.1f} on average, {statistics.median(values):.1f} in the middle, {max(values):.1f} at most"


with tempfile.TemporaryDirectory() as folder:
    store, file = pathlib.Path(folder) / "store", pathlib.Path(folder) / "jobs.ninja"
    rules = [root / "rules", root / "rules/gsl"]
    milliseconds("--store", store, "--emit", "ninja", file, *rules)
    jobs = sorted((store / "jobs").glob("*.gsl"))
    count = len(re.findall(r"^build .*\.verdict", file.read_text(), re.M))
    print(f"{count} rules, one a job")
    print("ms to prove:", told([milliseconds("--fill", "--store", store, job) for job in jobs]))
    print("ms if known:", told([milliseconds("--fill", "--store", store, job) for job in jobs]))
    print("bytes of an entry:", told([entry.stat().st_size for entry in store.glob("*.verdict")]))
    print(f"bytes of the list, a job: {file.stat().st_size / count:.0f}")
    print(f"ms to gather, a rule: {milliseconds('--store', store, *rules) / count:.2f}")

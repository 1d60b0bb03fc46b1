"""cost.py VOUCH ROOT: what a job costs, as the table between the markers of ROOT/docs/scale.md: processor time of jobs that prove and of
jobs whose answers are known, sizes of entries; and by calculation what a million rules like these take."""
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

START, END = "<!-- cost: tests/cluster/cost.py -->", "<!-- end of cost -->"
MILLION = 1_000_000
TOGETHER = 100  # rules of a job, where the start is shared
vouch, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])


def milliseconds(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([vouch, "check", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def told(values, unit):
    return f"{statistics.mean(values):.0f} {unit} on average, {statistics.median(values):.0f} in the middle, {max(values):.0f} at most"


def hours(milliseconds_each):
    return f"{milliseconds_each * MILLION / 3.6e6:.0f} hours"


def model():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found.group(1) if found else "a processor without a name"


def measured(folder):
    store, file = folder / "store", folder / "jobs.ninja"
    rules = [root / "rules", root / "rules/gsl"]
    milliseconds("--store", store, "--emit", "ninja", file, *rules)
    jobs = sorted((store / "jobs").glob("*.gsl"))
    count = len(re.findall(r"^build .*\.verdict", file.read_text(), re.M))
    prove = [milliseconds("--fill", "--store", store, job) for job in jobs]
    known = [milliseconds("--fill", "--store", store, job) for job in jobs]
    entries = [entry.stat().st_size for entry in store.glob("*.verdict")]
    listed, gather = file.stat().st_size / count, milliseconds("--store", store, *rules) / count
    shared = statistics.mean(prove) - statistics.mean(known) * (1 - 1 / TOGETHER)
    return [
        f"The {count} rules of `rules` and `rules/gsl`, one a job; {model()}, {time.strftime('%Y-%m-%d')}:", "",
        "| | |", "|---|---|",
        f"| a job: start, prove, keep | {told(prove, 'ms')} |",
        f"| of it all but proving (a rule that the store knows) | {told(known, 'ms')} |",
        f"| an entry | {told(entries, 'bytes')} |",
        f"| its job's file | {told([job.stat().st_size for job in jobs], 'bytes')} |",
        f"| the list, a job | {listed:.0f} bytes |",
        f"| gathering, a rule | {gather:.2f} ms |",
        f"| 10⁶ rules like these, one core, one a job | {hours(statistics.mean(prove))} |",
        f"| the same with `--per-job {TOGETHER}`, which shares the start | {hours(shared)} |",
        f"| the same with one a job on 100 cores, without the cluster's own time | {statistics.mean(prove) * MILLION / 6e6:.0f} minutes |",
        f"| the store of 10⁶ rules; the list with one rule a job | {statistics.mean(entries) / 1000:.1f} GB; {listed:.0f} MB |",
        f"| gathering 10⁶ rules | {gather * MILLION / 6e4:.0f} minutes |",
    ]


with tempfile.TemporaryDirectory() as folder:
    table = measured(pathlib.Path(folder))
page = root / "docs" / "scale.md"
before, rest = page.read_text().split(START, 1)
page.write_text(before + START + "\n" + "\n".join(table) + "\n" + END + rest.split(END, 1)[1])
print("\n".join(table))

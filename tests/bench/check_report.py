"""check_report.py VOUCH ROOT RESULTS: how long rules take to check, without Coq, against what is wanted.

Of the shipped library (all folders of rules), of wrong rules and of TASO's (where they lie beside the project): in one run on as many
threads as it takes by itself, and each rule in a process of its own ("cold"). Proofs alone (`--no-refute`), since that is what peers
do, and with the numbers that doubt them. Elapsed times and processor times are medians of five runs; the time of a rule is the median
of its elapsed times in these. A rule is refuted when its smallest counterexample is there. The first run of `optimize` proves what
matches, on all processors and doubted: each shared model is optimised with nothing kept, and the whole library is proven likewise.
"""
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

# Milliseconds, but for those of whole runs.
MEDIAN_COLD, MEDIAN_BATCH, QUERY, REFUTED, REFUTED_90TH = 25, 5, 500, 20, 2000
LIBRARY_SECONDS, TASO_SECONDS, FIRST_RUN_SECONDS = 5, 4, 10
ROUNDS = 5

program, root, results = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
shared = root.parent / "shared" / "data"
rows = []


def used():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def measured(command, **given):
    """What it wrote, the seconds that passed, and those of processors."""
    begin, before = time.monotonic(), used()
    out = subprocess.run(command, capture_output=True, text=True, **given).stdout
    return out, time.monotonic() - begin, used() - before


class Run:
    """Some rules, checked in one run, several times."""

    def __init__(self, *arguments):
        command = [program, "check", *map(str, arguments), "--json", "-", "--no-repair"]
        rounds = [measured(command) for _ in range(ROUNDS)]
        self.elapsed = statistics.median(elapsed for _, elapsed, _ in rounds)
        self.processor = statistics.median(processor for _, _, processor in rounds)
        self.rules, *others = (json.loads(out)["rules"] for out, _, _ in rounds)
        for rule, *same in zip(self.rules, *others):
            rule["time_ms"] = statistics.median(one["time_ms"] for one in (rule, *same))

    def times(self, verdicts=None):
        return sorted(rule["time_ms"] for rule in self.rules if verdicts is None or rule["verdict"] in verdicts)


def add(what, found, wanted=None, unit="ms"):
    """Without a bound, it is only stated."""
    bound = ("", "") if wanted is None else (f"{wanted:,} {unit}", "yes" if found <= wanted else "NO")
    rows.append(f"| {what} | {found:,.1f} {unit} | {bound[0]} | {bound[1]} |")


def whole_run(name, run, seconds):
    slowest = max(run.rules, key=lambda rule: rule["time_ms"])
    add(f"{name}, {len(run.rules)} rules in one run: elapsed", run.elapsed, seconds, "s")
    add(f"{name}: processor time", run.processor, unit="s")
    add(f"{name}: median", statistics.median(run.times()), MEDIAN_BATCH)
    add(f"{name}: slowest, {slowest['name']}", slowest["time_ms"])
    add(f"{name}: slowest of {sum(rule['queries'] for rule in run.rules):,} queries", max(rule["slowest_query_ms"] for rule in run.rules), QUERY)


def cold(rules):
    def spent(rule):
        command = [program, "check", root / rule["file"], "--rule", rule["name"], "--no-refute"]
        return 1000 * statistics.median(measured(command)[2] for _ in range(ROUNDS))

    return statistics.median(spent(rule) for rule in rules)


def refuted(wrong):
    run = Run(*wrong)
    times = run.times(("unsound", "ill-typed"))
    add(f"refuted rules, {len(times)} of {', '.join(file.name for file in wrong)}: median until the counterexample", statistics.median(times))
    add("refuted rules: 90th percentile", statistics.quantiles(times, n=10)[-1], REFUTED_90TH)


def first_run(model):
    """The seconds of `optimize` where no verdict is kept."""
    def once():
        with tempfile.TemporaryDirectory() as folder:
            return measured([program, "optimize", model], env={**os.environ, "VOUCH_CACHE": folder})[1]

    return statistics.median(once() for _ in range(ROUNDS))


def first_runs(sound):
    doubted = Run(*sound)
    add("all that `optimize` may have to prove: the library, on all processors, doubted", doubted.elapsed, FIRST_RUN_SECONDS, "s")
    models = sorted((shared / "models").glob("*/*.onnx"))
    if models:
        longest, model = max((first_run(model), model.parent.name) for model in models)
        add(f"`optimize` with nothing kept, {len(models)} models: longest, {model}", longest, FIRST_RUN_SECONDS, "s")


def main():
    os.chdir(root)
    sound = [file.relative_to(root) for file in sorted((root / "rules").rglob("*.gsl")) if "unsound" not in file.parts]
    proofs = Run(*sound, "--no-refute")
    whole_run("shipped library, proofs", proofs, LIBRARY_SECONDS)
    add("shipped library, proofs: elapsed on one thread", Run(*sound, "--no-refute", "-j", "1").elapsed, unit="s")
    add("shipped library, proofs: median cold, processor time", cold(proofs.rules), MEDIAN_COLD)
    own = Run("rules/unsound").times(("unsound", "ill-typed"))
    add(f"own wrong rules, {len(own)}: median until the counterexample", statistics.median(own), REFUTED)
    first_runs(sound)
    wrong = [root / "rules" / "unsound", shared / "attacks"]
    with tempfile.TemporaryDirectory() as folder:
        data = shared / "taso" / "taso_rules.json"
        if data.is_file():
            subprocess.run([program, "import-rules", "taso", data, "-o", folder], check=True, stdout=subprocess.DEVNULL)
            whole_run("TASO, both sides legal, proofs", Run(pathlib.Path(folder) / "taso.gsl", "--no-refute"), TASO_SECONDS)
            wrong += sorted(pathlib.Path(folder).glob("*.gsl"))
        refuted([there for there in wrong if there.exists()])
    missing = [f"shared/data/{there.name}" for there in (data, shared / "attacks", shared / "models") if not there.exists()]
    text = (f"# Checking\n\n{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.\n\n"
            "| what | measured | wanted | reached |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
            + (f"\nNot there, and not measured: {', '.join(missing)}.\n" if missing else ""))
    results.write_text(text)
    print(text)
    return 1 if any(row.endswith("| NO |") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

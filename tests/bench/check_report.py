"""check_report.py VOUCH ROOT RESULTS: how long rules take to check, on one core and without Coq, against what is wanted.

Of the shipped library, of the wrong rules and of TASO's (where they lie beside the project): in one run, and each rule in a process
of its own ("cold"). Proofs alone (`--no-refute`), since that is what peers do, and with the numbers that doubt them. Times are
milliseconds, of each rule the median of five rounds; cold ones are processor time.
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

MEDIAN_COLD, MEDIAN_BATCH, ALL, QUERY, REFUTED = 25, 5, 5000, 500, 20
ROUNDS = 5

program, root, results = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
rows = []


def checked_once(*arguments):
    command = [program, "check", *map(str, arguments), "--json", "-", "--no-repair"]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["rules"]


def checked(*arguments):
    rounds = [checked_once(*arguments) for _ in range(ROUNDS)]
    for rule, *others in zip(*rounds):
        rule["time_ms"] = statistics.median(r["time_ms"] for r in (rule, *others))
    return rounds[0]


def add(what, measured, wanted, unit="ms"):
    rows.append(f"| {what} | {measured:,.1f} {unit} | {wanted:,} {unit} | {'yes' if measured <= wanted else 'NO'} |")


def times(rules):
    return [rule["time_ms"] for rule in rules]


def batch(name, rules):
    slowest = max(rules, key=lambda rule: rule["time_ms"])
    add(f"{name}, {len(rules)} rules: median in one run", statistics.median(times(rules)), MEDIAN_BATCH)
    add(f"{name}: all (slowest: {slowest['name']}, {slowest['time_ms']:,.0f} ms)", sum(times(rules)), ALL)
    add(f"{name}: slowest of {sum(rule['queries'] for rule in rules):,} queries", max(rule["slowest_query_ms"] for rule in rules), QUERY)


def cold(rules):
    def spent(rule):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        checked_once(root / rule["file"], "--rule", rule["name"], "--no-refute")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    return statistics.median(statistics.median(spent(rule) for _ in range(ROUNDS)) for rule in rules)


def elapsed(files, jobs):
    def once():
        begin = time.monotonic()
        checked_once(*files, "--no-refute", "-j", jobs)
        return time.monotonic() - begin

    return statistics.median(once() for _ in range(ROUNDS))


def main():
    os.chdir(root)
    sound = [file.relative_to(root) for file in sorted((root / "rules").rglob("*.gsl")) if "unsound" not in file.parts]
    proven = checked(*sound, "--no-refute")
    batch("shipped library, proofs", proven)
    add("shipped library, proofs: median cold", cold(proven), MEDIAN_COLD)
    batch("shipped library, doubted by numbers too", checked(*sound))
    wrong = checked("rules/unsound")
    found = [rule["time_ms"] for rule in wrong if rule["verdict"] in ("unsound", "ill-typed")]
    add(f"wrong rules, {len(wrong)}: median until the smallest counterexample is shown", statistics.median(found), REFUTED)
    data = root / ".." / "shared" / "data" / "taso" / "taso_rules.json"
    if data.is_file():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, "import-rules", "taso", data, "-o", folder], check=True, stdout=subprocess.DEVNULL)
            batch("TASO, both sides legal, proofs", checked(pathlib.Path(folder) / "taso.gsl", "--no-refute"))
    one, two = elapsed(sound, 1), elapsed(sound, 2)
    rows.append(f"| library on two threads against one, elapsed | {two:.1f} s : {one:.1f} s = {two / one:.2f} | | |")
    missing = "" if data.is_file() else f"\nTASO's rules were not measured: {data} is not there.\n"
    text = (f"# Checking\n\n{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.\n\n"
            "| what | measured | wanted | reached |\n|---|---|---|---|\n" + "\n".join(rows) + "\n" + missing)
    results.write_text(text)
    print(text)
    return 1 if any(row.endswith("| NO |") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

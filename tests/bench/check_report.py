"""Proving speed, one core: time per rule of the shipped library and of TASO's rules (where they lie beside the project), the
slowest solver query, and the time to the first counterexample of the wrong rules. Aims: median rule 25 ms, library and TASO
5 s each, no query above 500 ms, a typical counterexample 20 ms. Usage: check_report.py VOUCH ROOT"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def verdicts(*arguments):
    done = subprocess.run([program, "check", *map(str, arguments), "--json", "-", "--no-repair"], capture_output=True, text=True)
    return json.loads(done.stdout)["rules"]


def row(name, rules):
    times = sorted(rule["time_ms"] for rule in rules)
    slowest = max(rules, key=lambda rule: rule["time_ms"])
    print(f"| {name} | {len(rules)} | {statistics.median(times):.1f} | {sum(times) / 1000:.2f} | "
          f"{slowest['name']} {slowest['time_ms']:.0f} | {max(rule['slowest_query_ms'] for rule in rules):.0f} | "
          f"{sum(rule['queries'] for rule in rules)} |")


print("| rules | count | median ms | sum s | slowest rule, ms | slowest query, ms | queries |")
print("|---|---|---|---|---|---|---|")
sound = [file for file in sorted((root / "rules").rglob("*.gsl")) if "unsound" not in file.parts]
row("shipped library", verdicts(*sound))
row("wrong rules", verdicts(root / "rules" / "unsound"))
data = root / ".." / "shared" / "data" / "taso" / "taso_rules.json"
if data.is_file():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "import-rules", "taso", data, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        row("TASO, both legal", verdicts(pathlib.Path(folder) / "taso.gsl"))
else:
    print(f"TASO's rules were not measured: {data} is not there")

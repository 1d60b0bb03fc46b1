"""long_report.py LOG… README: the long suites' figures, from CTest's logs, as the table between the README's markers.

Of each test: how long it took, whether it passed, and what it counted (the last line of its output that begins with `figures:`;
of a fuzz target the number of inputs that it ran).
"""
import pathlib
import platform
import re
import sys
import time

START, END = "<!-- long suites: tests/long_report.py -->", "<!-- end of long suites -->"


def tests(log):
    for block in re.split(r"\n\d+/\d+ Testing: ", "\n" + log)[1:]:
        name = block.split("\n", 1)[0].strip()
        seconds = re.search(r"Test time =\s*([\d.]+) sec", block)
        passed = "\nTest Passed." in block
        skipped = "\nTest Skipped" in block or "Skipped" in block.rsplit("Test time", 1)[-1]
        yield name, float(seconds.group(1)) if seconds else 0.0, "passed" if passed else "skipped" if skipped else "FAILED", block


def counted(block):
    lines = [line[len("figures:"):].strip() for line in block.splitlines() if line.startswith("figures:")]
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", block)
    return lines[-1] if lines else f"{int(runs.group(1)):,} inputs" if runs else ""


def main():
    *logs, readme = map(pathlib.Path, sys.argv[1:])
    found = [test for log in logs if log.is_file() for test in tests(log.read_text(errors="replace"))]
    if not found:
        sys.exit(f"no test in {', '.join(map(str, logs))}")
    whole = {}
    for name, seconds, result, block in found:  # one row for the instances of a suite
        suite = re.sub(r"(/Library|\.).*$", "", name)
        row = whole.setdefault(suite, [0, 0.0, set(), ""])
        row[0] += 1
        row[1] += seconds
        row[2].add(result)
        row[3] = counted(block) or row[3]
    lines = [f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {platform.system()}, run by `tools/test --long`:", "",
             "| suite | tests | seconds | result | counted |", "|---|---|---|---|---|"]
    for suite, (count, seconds, results, figures) in whole.items():
        lines.append(f"| {suite} | {count} | {seconds:.0f} | {', '.join(sorted(results))} | {figures} |")
    text = readme.read_text()
    before, rest = text.split(START, 1)
    readme.write_text(before + START + "\n" + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()

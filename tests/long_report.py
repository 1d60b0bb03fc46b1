"""long_report.py LOG… PAGE: the long suites' figures, from CTest's logs, as the table between the page's markers.

Of each suite: how many tests, how long they took, whether they passed, what was counted (the last line of output that begins with
`figures:`; of a fuzz target the number of inputs that it ran), and when. Suites that the logs do not name keep their rows, so that
the suites can be run one by one.
"""
import pathlib
import platform
import re
import sys
import time

START, END = "<!-- long suites: tests/long_report.py -->", "<!-- end of long suites -->"
HEAD = ["| suite | tests | seconds | result | counted | run |", "|---|---|---|---|---|---|"]


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


def rows_of(logs):
    whole = {}
    for log in logs:
        for name, seconds, result, block in tests(log.read_text(errors="replace")) if log.is_file() else []:
            if name == "coq/library":
                continue  # compiled for the others
            suite = re.sub(r"(/Library|\.).*$|-\d+$", "", name)  # one row for the instances of a suite
            row = whole.setdefault(suite, [0, 0.0, set(), []])
            row[0] += 1
            row[1] += seconds
            row[2].add(result)
            row[3] += [counted(block)] if counted(block) else []
    today = time.strftime("%Y-%m-%d")
    return {suite: f"| {suite} | {count} | {seconds:.0f} | {', '.join(sorted(results))} | {'; '.join(figures)} | {today} |"
            for suite, (count, seconds, results, figures) in whole.items()}


def main():
    *logs, page = map(pathlib.Path, sys.argv[1:])
    found = rows_of(logs)
    if not found:
        sys.exit(f"no test in {', '.join(map(str, logs))}")
    text = page.read_text()
    before, rest = text.split(START, 1)
    old, after = rest.split(END, 1)
    rows = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ") and line not in HEAD}
    rows |= found
    lines = [f"Run by `tools/test --long` on {platform.system()}, {platform.machine()}:", "", *HEAD, *(rows[suite] for suite in sorted(rows))]
    page.write_text(before + START + "\n" + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    main()

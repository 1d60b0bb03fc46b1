"""The tables of docs/promises.md are true: each test that they name is there, and each file.

usage: promises_test.py NAMES [--plant]

NAMES holds the tests that CMake knows, one a line; those of GoogleTest are found in the sources. With --plant: the same on a table that
names a test, a case and a file that are not there; each must be found.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r"`([a-z0-9]+/[\w.-]+)`")
FILE = re.compile(r"`((?:tests|docs|src|rules)/[\w./-]+\.\w+)`")
CASE = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)


def cases():
    """`room/Suite` and `room/Suite.Case` of every unit test."""
    for source in (ROOT / "tests" / "unit").glob("*/*_test.cpp"):
        for suite, case in CASE.findall(source.read_text()):
            yield f"{source.parent.name}/{suite}"
            yield f"{source.parent.name}/{suite}.{case}"


def rows(text):
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("|---")]


def faults(text, known):
    found = []
    for row in rows(text):
        found += [f"no test {name}: {row[:60]}" for name in NAME.findall(row) if name not in known and not (ROOT / name).exists()]
        found += [f"no file {name}: {row[:60]}" for name in FILE.findall(row) if not (ROOT / name).is_file()]
    return found


known = set(pathlib.Path(sys.argv[1]).read_text().split()) | set(cases())
text = (ROOT / "docs" / "promises.md").read_text()
if "--plant" in sys.argv:
    lies = ("driver/no_such_test", "check/Twins.NoSuchCase", "tests/bench/no_such_results.md")
    ok = all(len(faults(f"| a promise | `{lie}` |", known)) == 1 for lie in lies) and len(rows(text)) > 50
    print("the planted faults are found" if ok else "a planted fault is NOT found")
    sys.exit(0 if ok else 1)
wrong = faults(text, known)
print("\n".join(wrong) or f"{len(rows(text))} rows, each with what there is")
sys.exit(1 if wrong else 0)

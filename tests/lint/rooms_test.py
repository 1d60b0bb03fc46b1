#!/usr/bin/env python3
"""Each room of src/ has a README of some ten lines, is a row of the table of rooms in docs/development.md, and nothing else is.

`--plant` checks a copy with a room that has neither, and succeeds if that is found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES = 14


def findings(root):
    rooms = set(re.findall(r"^vouch_room\((\w+)", (root / "src/CMakeLists.txt").read_text(), re.M))
    page = (root / "docs/development.md").read_text()
    rows = {room for row in re.findall(r"^\| \d+ \|([^|]*)\|", page, re.M) for room in re.findall(r"`(\w+)`", row)}
    assert len(rooms) > 20, "the table of src/CMakeLists.txt was not read"
    yield from (f"docs/development.md: no row for {room}" for room in sorted(rooms - rows))
    yield from (f"docs/development.md: {room} is no room" for room in sorted(rows - rooms))
    for room in sorted(rooms):
        readme = root / "src" / room / "README.md"
        if not readme.is_file():
            yield f"src/{room}: no README.md"
            continue
        lines = readme.read_text().splitlines()
        if lines[0] != f"# {room}" or not 5 <= len(lines) <= MOST_LINES:
            yield f"{readme.relative_to(root)}: `# {room}` and 5 to {MOST_LINES} lines are expected"
        for name in re.findall(r"`(\w+)\.h`", readme.read_text()):
            if not list((root / "src" / room).rglob(f"{name}.h")):
                yield f"{readme.relative_to(root)}: there is no {name}.h"


def planted_is_found():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(ROOT / "src", copy / "src")
        shutil.copytree(ROOT / "docs", copy / "docs")
        with (copy / "src/CMakeLists.txt").open("a") as table:
            table.write("vouch_room(planted USES support)\n")
        return len([line for line in findings(copy) if "planted" in line]) == 2


if __name__ == "__main__":
    if "--plant" in sys.argv:
        sys.exit(0 if planted_is_found() else "the planted room was not found")
    found = list(findings(ROOT))
    print("\n".join(found) or "every room says what it is")
    sys.exit(1 if found else 0)

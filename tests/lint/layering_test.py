#!/usr/bin/env python3
"""Checks that every #include of src/ and tools/ keeps to the layer table, that headers begin with #pragma once, and that what only one
room may use (Z3, the reader of nlohmann_json) is used there alone.

The table is read from src/CMakeLists.txt, where each room names the rooms that it is linked with.
`--plant` checks a copy with one of each fault planted, and succeeds if all are found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANTED = ['#include "graph/graph.h"', "#include <z3++.h>", "auto json = nlohmann::ordered_json::parse(text, nullptr, false);"]


def layer_table(root):
    text = (root / "src/CMakeLists.txt").read_text()
    table = {}
    for name, uses in re.findall(r"^vouch_room\((\w+)(?:\s+USES ([\w ]+?))?(?:\s+LIBS [\w ]+)?\)", text, re.M):
        table[name] = set(uses.split()) | {name, "support"}
    table["python"] = set(table) | {"python"}  # the Python package's extension, above the driver: no room, and nobody's
    return table


def violations(root):
    table = layer_table(root)
    found = []
    if len(table) < 16:
        found.append(f"src/CMakeLists.txt: only {len(table)} rooms found in the layer table")
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        relative = path.relative_to(root)
        room = path.relative_to(root / "src").parts[0]
        text = path.read_text()
        if path.suffix == ".h" and "#pragma once" not in text:
            found.append(f"{relative}: no #pragma once")
        for number, line in enumerate(text.splitlines(), 1):
            if room != "solver" and re.match(r"#include <z3", line):
                found.append(f"{relative}:{number}: Z3 is for the room solver alone")
            if path.name != "whole_json.cpp" and re.search(r"\b(?:Json|json|ordered_json)::(?:parse|accept)\(", line):
                found.append(f"{relative}:{number}: JSON is read by JsonText or whole_json, which deep and wide texts do not end")
            included = re.match(r'#include "([^"]+)"', line)
            if not included:
                continue
            target = included.group(1).split("/")[0]
            if target not in table:
                found.append(f"{relative}:{number}: {included.group(1)} is not named from src/")
            elif target not in table.get(room, set()):
                found.append(f"{relative}:{number}: room {room} may not include room {target}")
    return found


def planted_is_found():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(ROOT / "src", copy / "src")
        (copy / "src/term/planted.cpp").write_text("\n".join(PLANTED))
        found = "\n".join(violations(copy))
        return all(f"planted.cpp:{number}:" in found for number in range(1, len(PLANTED) + 1))


if __name__ == "__main__":
    if "--plant" in sys.argv:
        sys.exit(0 if planted_is_found() else 1)
    problems = violations(ROOT)
    print("\n".join(problems) or "every include keeps to the layer table")
    sys.exit(1 if problems else 0)

#!/usr/bin/env python3
"""No operator and no attribute is named in the checker: what it asks of them, it asks of the operator table.

operator_names_test.py VOUCH [--plant]: the names are those that `vouch ops --markdown` lists. `--plant` checks texts with a name planted.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["facts", "algebra", "instance", "refute", "check"]
# Words of the rule language, which patterns have whatever they match, and scalar functions and sums, which are no operators.
WORDS = {"shape", "rank", "dtype", "value", "length", "index", "values"}
SCALAR = {"exp", "log", "sqrt", "neg", "abs", "add", "sub", "mul", "div", "sum", "max", "min", "product", "power", "tanh", "mean"}
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def names(vouch):
    text = subprocess.run([vouch, "ops", "--markdown"], capture_output=True, text=True, check=True).stdout
    operators = set(re.findall(r"^## (\S+)$", text, re.M))
    attributes = set(re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\|$", text, re.M))
    assert len(operators) > 100 and {"axis", "strides", "group"} <= attributes, "the operator table was not read"
    return {name for name in (operators | attributes) - WORDS - SCALAR if len(name) > 1}


def findings(file, text, forbidden):
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        if code.lstrip().startswith("#include"):
            continue
        for found in TEXT.findall(code):
            if found in forbidden:
                yield f"{file}:{number}: {found} is named"


if __name__ == "__main__":
    forbidden = names(sys.argv[1])
    if "--plant" in sys.argv:
        planted = ['if (attr.name == "axis") {', 'find_op("Relu")', 'attributes.find("count_include_pad")']
        missed = [line for line in planted if not list(findings("planted.cpp", line, forbidden))]
        print("\n".join(missed) or "every planted name is found")
        sys.exit(1 if missed else 0)
    files = [path for room in ROOMS for path in sorted((ROOT / "src" / room).rglob("*")) if path.suffix in (".h", ".cpp")]
    problems = [line for path in files for line in findings(path.relative_to(ROOT), path.read_text(), forbidden)]
    print("\n".join(problems) or f"{len(files)} files of the checker name none of {len(forbidden)} operators and attributes")
    sys.exit(1 if problems or not files else 0)

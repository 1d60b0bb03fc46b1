"""The table in docs/thesis-map.md is whole and true: every form and rule of the thesis has a row, every function and test exists.

With --plant: the same on a table from which a row is taken, and on one that names a test that is not there; both must be found.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMS = ["`*`", "`Const a`", "`Variable {shape = a, dtype = a}`", "`Call op (p, …) {l = a, …}`", "`Tuple (p, …)`",
         "`Proj p {index = a}`", "`Variadic p {p, …} f s a`", "`Inst pV p a`", "`v`", "`any`", "`p.l`", "`a bop a`",
         "`(a, …, a)`", "`a.a`", "`s`", "`var a s a`", "`Σ a s a`"]
RULES = [f"{figure}-{name}" for figure, names in {
    "DS": "Call Tuple Proj", "SE": "Reflex Trans", "AE": "Value Symbol Access Binary Tuple Proj Var Sum", "AM": "Any Eval Tuple Var",
    "PM": "Wildcard Const Variable Call Tuple Proj Variadic Inst", "PE": "Match Const Call Tuple Proj Variadic Inst",
}.items() for name in names.split()]
ALGORITHMS = ["alg:inst_tmpl", "alg:rev_post", "alg:succ_seq", "alg:single_match", "alg:multi_match", "thm:path_fwd",
              "thm:succ_corres", "eq:src_connect", "def:subst_rule"]
ROW = re.compile(r"^\| (?P<name>.+?) \| `(?P<code>[^`:]+): (?P<function>\w+)` \| `(?P<test>[^`:]+): (?P<suite>\w+)\.(?P<case>\w+)` \|$")


def exists(path, pattern):
    return path.is_file() and re.search(pattern, path.read_text()) is not None


def faults(table):
    found, names = [], set()
    for line in table.splitlines():
        if not line.startswith("| ") or line.startswith("|---") or re.match(r"^\| (form|rule|name) \| code", line):
            continue
        row = ROW.match(line)
        if row is None:
            found.append(f"no row of this table: {line}")
            continue
        names.add(row["name"])
        # A definition: the function's name and its arguments at the beginning of a line, after its type.
        if not exists(ROOT / "src" / row["code"], rf"(?m)^[A-Za-z(].*\b{row['function']}\("):
            found.append(f"{row['name']}: src/{row['code']} has no function {row['function']}")
        if not exists(ROOT / "tests" / row["test"], rf"TEST(_F|_P)?\({row['suite']}, {row['case']}\)"):
            found.append(f"{row['name']}: tests/{row['test']} has no test {row['suite']}.{row['case']}")
    return found + [f"{name} has no row" for name in FORMS + RULES + ALGORITHMS if name not in names]


text = (ROOT / "docs" / "thesis-map.md").read_text()
if "--plant" in sys.argv:
    taken = "\n".join(line for line in text.splitlines() if not line.startswith("| AM-Var"))
    renamed = text.replace("Semantics.PMProj", "Semantics.PMProjection")
    ok = faults(taken) == ["AM-Var has no row"] and len(faults(renamed)) == 1 and len(faults(text.replace("step_field", "stop_field"))) == 1
    print("the planted faults are found" if ok else "a planted fault is NOT found")
    sys.exit(0 if ok else 1)
for fault in faults(text):
    print(fault)
sys.exit(1 if faults(text) else 0)

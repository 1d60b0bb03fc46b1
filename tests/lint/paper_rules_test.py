"""Every rule of the paper is a lemma under its number, and every rule that is corrected has its counterexample; both files are among
those whose assumptions are looked at. Where the paper lies beside the project, the numbers are compared with its text.

With --plant: the same with a lemma taken away; it must be missed.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERED = {"a": 15, "c": 13, "cgc": 6, "cga": 8, "cge": 13}
# The paper's extensions (its section 2.3), and what stands for one rule of the paper in two.
EXTENSIONS = ["a_sqrt", "a_abs", "a_reverse", "a_copy", "a_transpose", "c_sqrt", "c_abs", "c_reverse", "c_copy", "c_transpose",
              "cge_sqrt", "cge_abs", "cge_idxpred", "cge_addidx", "cge_subidx", "cge_mulidx", "cge_dividx", "cgc_array"]
IN_TWO = {"a_2": ["a_2", "a_2_parallel", "a_2_same", "a_2_safe"], "c_7": ["c_7_in_place", "c_7_buffered"], "a_9": ["a_9", "a_9_into"]}
COUNTEREXAMPLES = ["in_place_reversal", "reversal_refused", "pointwise_accepted", "split_acceptor_escapes", "join_acceptor_escapes",
                   "zip_not_stripped", "index_sum_escapes"]


def wanted():
    names = [f"{family}_{number}" for family, count in NUMBERED.items() for number in range(1, count + 1)]
    return [part for name in names for part in IN_TWO.get(name, [name])] + EXTENSIONS + COUNTEREXAMPLES


def lemmas():
    text = "".join((ROOT / "coq" / file).read_text() for file in ("lower/Rules.v", "certify/CodeRules.v", "lower/Counterexamples.v"))
    return re.findall(r"^\s*Lemma (\w+)", text, re.M)


def missing(stated):
    return [name for name in wanted() if name not in stated]


def numbers_of_paper():
    """The highest number of each family in the paper's text; nothing where the paper is not there."""
    papers = list((ROOT.parent / "shared" / "seeds").glob("003_*"))
    if not papers:
        print("not compared with the paper: ../shared/seeds is not there")
        return NUMBERED
    text = papers[0].read_text()
    return {family: max(int(number) for number in re.findall(rf"\({family}\.(\d+)\)", text)) for family in NUMBERED}


if "--plant" in sys.argv:
    sys.exit(0 if missing([name for name in lemmas() if name != "cga_4"]) == ["cga_4"] else 1)
found = [f"no lemma {name}" for name in missing(lemmas())]
if numbers_of_paper() != NUMBERED:
    found.append(f"the paper has {numbers_of_paper()}")
for file in ("lower.Rules", "lower.Counterexamples", "certify.CodeRules"):
    if file not in (ROOT / "coq" / "Assumptions.v").read_text():
        found.append(f"Assumptions.v does not load {file}")
print("\n".join(found) or f"{len(wanted())} rules and counterexamples are lemmas")
sys.exit(1 if found else 0)

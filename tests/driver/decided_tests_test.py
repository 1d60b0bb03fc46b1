#!/usr/bin/env python3
"""A condition that the bounds of loops or a condition around it decide is not in the C text: the tests that are left are counted, and
worked out by hand. Coq certifies each text; those without a test that is needed, or with another, or with it elsewhere, are refused, by
`verify` and by Coq itself."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch, users_cache

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
ALL = "all" in sys.argv[3:]  # else every third lie
check = Checks()
place = pathlib.Path(tempfile.mkdtemp())

# Name, statement over x of n elements (and m), and how many comparisons the function needs.
KERNELS = [
    ("bounded", "y<n>[i] = select(i < n && i >= 0, x<n>[i], 0);", 0),
    ("beyond", "y<n>[i] = select(i < n + 3, x<n>[i], 0);", 0),
    ("never", "y<n>[i] = select(i >= n, 1, x<n>[i]);", 0),
    ("shifted", "y<n>[i] = select(i >= 1, x<n>[i - 1], 0);", 1),
    ("asked_twice", "y<n>[i] = select(i >= 1, select(i >= 1, x<n>[i - 1], 1) * 2, 0);", 1),
    ("asked_less", "y<n>[i] = select(i >= 2, select(i >= 1, x<n>[i - 1], 1) + x<n>[i - 2], 0);", 1),
    ("asked_more", "y<n>[i] = select(i >= 1, select(i >= 2, x<n>[i - 2], 1) + x<n>[i - 1], 0);", 2),
    ("contradicted", "y<n>[i] = select(i >= 2, x<n>[i - 2], select(i >= 2, 1, x<n>[i]));", 1),
    ("window", "y<n>[i] = select(i + k >= 1 && i + k < n + 1, x<n>[i + k - 1], 0) where 0 <= k < 3;", 2),
    ("inner", "y<n, 4>[i, j] = select(j < 4 && j < 5, x<n>[i], 0);", 0),
    ("rest", "y<n>[i] = select(i % 3 < 3, x<n>[i], 0);", 0),
    ("read_never", "t<5>[j] = 2 * j; y<n>[i] = select(i + 5 < 5, t[i + 5], x<n>[i]);", 0),
]


def comparisons(text, name):
    """In the body of the function, but for the heads of loops."""
    body = text[text.index(f"void {name}("):]
    body = body[:body.index("\n}\n")]
    return len(re.findall(r"[<>]=?(?!=)|==|!=", re.sub(r"for \([^)]*\)", "", re.sub(r"^#.*$", "", body, flags=re.M))))


for name, statement, needed in KERNELS:
    (place / f"{name}.tk").write_text(f"kernel {name};\nsize n;\nin x;\nout y;\n{statement}\n")
    code, _, errors = vouch("compile", place / f"{name}.tk", "-o", place / "certified")
    check.that(code == 0, f"{name}: {errors}")
    if code == 0:
        text = (place / "certified" / f"{name}.c").read_text()
        check.that(comparisons(text, name) == needed, f"{name}: {comparisons(text, name)} comparisons, {needed} are needed:\n{text}")
for shipped in ("refold", "ttm"):
    code, _, errors = vouch("compile", root / "kernels" / "index" / f"{shipped}.tk", "-o", place / "certified")
    text = (place / "certified" / f"{shipped}.c").read_text()
    check.that(code == 0 and comparisons(text, shipped) == 0, f"{shipped}: no test is needed:\n{text}{errors}")
for compiler in filter(shutil.which, ("gcc", "clang")):
    done = subprocess.run([compiler, "-std=c99", "-fopenmp", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *(place / "certified").glob("*.c")],
                          capture_output=True, text=True)
    check.that(done.returncode == 0, f"what a decided test leaves unread is a reason for {compiler} to warn: {done.stderr[:600]}")
with users_cache():
    code, out, errors = vouch("verify", place / "certified", seconds=300)
check.that(code == 0 and f"{len(KERNELS) + 2} kernels: {len(KERNELS) + 2} certified" in out, f"verify: {out}{errors}")

# Lies about the tests that are left, each a text that a C compiler takes.
EDGE = "((2 < (i + 1)) ? (a[(i - 1)] * a[(i - 2)]) : a[i])"
BOTH = "((1 < ((i + k) + 1)) && ((i + k) < (n + 1)))"
EITHER = "((i < 3) || (6 < (i + 1)))"
LIES = [
    ("edges", "r<n>[i] = select(i >= 2, select(i >= 1, a<n>[i - 1], 1) * a<n>[i - 2], a[i]);", [
        ("a test left out", EDGE, "(a[(i - 1)] * a[(i - 2)])"), ("never", EDGE, "a[i]"), ("weaker", "2 <", "1 <"), ("stronger", "2 <", "3 <"),
        ("the other way round", "(2 < (i + 1))", "(!(2 < (i + 1)))"), ("its sides exchanged", "2 < (i + 1)", "(i + 1) < 2"), ("with its end", "2 <", "2 <="),
        ("choices exchanged", EDGE, "((2 < (i + 1)) ? a[i] : (a[(i - 1)] * a[(i - 2)]))"),
        ("asked of data", "(2 < (i + 1))", "(2 < (a[i] + 1))"), ("made twice", "(2 < (i + 1))", "((2 < (i + 1)) && (2 < (i + 1)))"),
        ("one that was decided", "(2 < (i + 1))", "((0 < (i + 1)) && (2 < (i + 1)))"), ("moved to the one factor", EDGE, "(((2 < (i + 1)) ? a[(i - 1)] : a[i]) * a[(i - 2)])"),
        ("moved to the loop", "int64_t i = 0", "int64_t i = 2"), ("moved to the loop's end", "i < n;", "i < n && 2 < (i + 1);"),
        ("moved around the assignment", f"r[i] = {EDGE};", "if (2 < (i + 1)) { r[i] = (a[(i - 1)] * a[(i - 2)]); }"),
        ("by another name", "(2 < (i + 1))", "(2 < (n + 1))"), ("another form of the same", "(2 < (i + 1))", "(1 < i)"), ("as a product", EDGE, "((2 < (i + 1)) * a[i])")]),
    ("window", "r<n>[i] = select(i + k >= 1 && i + k < n + 1, a<n>[i + k - 1], 0) where 0 <= k < 3;", [
        ("the first alone", BOTH, "(1 < ((i + k) + 1))"), ("the second alone", BOTH, "((i + k) < (n + 1))"), ("either", ") && ((i", ") || ((i"), ("by bits", ") && ((i", ") & ((i"),
        ("exchanged", BOTH, "(((i + k) < (n + 1)) && (1 < ((i + k) + 1)))"), ("the first weaker", "(1 < ((i + k) + 1))", "(0 < ((i + k) + 1))"), ("the second weaker", "(n + 1)", "(n + 2)"),
        ("the second with its end", "(i + k) < (n + 1)", "(i + k) <= (n + 1)"), ("one index for two", "(1 < ((i + k) + 1))", "(1 < ((i + i) + 1))"), ("one index of two", "(1 < ((i + k) + 1))", "(1 < (k + 1))"),
        ("moved out of the sum", "k < 3;", "k < 3 && (i + k) < (n + 1);"), ("the first twice", BOTH, "((1 < ((i + k) + 1)) && (1 < ((i + k) + 1)))")]),
    ("ways", "r<n>[i] = select(i < 3 || 5 < i, a<n>[i], a[i] * 2);", [
        ("both", "||", "&&"), ("the first alone", EITHER, "(i < 3)"), ("the second alone", EITHER, "(6 < (i + 1))"), ("exchanged", EITHER, "((6 < (i + 1)) || (i < 3))"),
        ("the first weaker", "(i < 3)", "(i < 4)"), ("the second stronger", "6 <", "7 <"), ("neither", EITHER, "(!((i < 3) || (6 < (i + 1))))"), ("always", EITHER, "(i < n)")]),
]


def lying_texts(name, lies):
    honest = (place / "lies" / f"{name}.c").read_text()
    for what, before, after in lies:
        check.that(honest.count(before) == 1, f"{name}, {what}: one place for it\n{honest}")
        lie = honest.replace(before, after, 1)
        done = subprocess.run(["gcc", "-std=c99", "-fopenmp", "-fsyntax-only", "-xc", "-"], input=lie, capture_output=True, text=True)
        check.that("loop's end" in what or "out of the sum" in what or done.returncode == 0, f"{name}, {what}: no C: {done.stderr[:200]}")  # OpenMP asks for plain loops
        yield what, lie


def refused_by_coq(name, texts):
    certificate = (place / "lies" / f"{name}.v").read_text()
    quoted = ";\n".join('"' + text.replace('"', '""') + '"' for text in texts)
    (place / "Lies.v").write_text(certificate[:certificate.index("Theorem certified ")] + f"Definition lies : list string := [\n{quoted}].\n"
                                  "Theorem refuted : forallb (fun text => negb (certifies kernel text)) lies = true /\\ certifies kernel kernel_text = true.\n"
                                  "Proof. split; vm_compute; reflexivity. Qed.\n")
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", pathlib.Path(sys.argv[1]).resolve().parent / "coq", "Vouch", "Lies.v"], cwd=place, capture_output=True, text=True)
    check.that(done.returncode == 0, f"{name}: Coq takes one of {len(texts)} lies: {done.stderr[:400]}")


for name, statement, lies in LIES:
    (place / f"{name}.tk").write_text(f"kernel {name};\nsize n;\nin a;\nout r;\n{statement}\n")
    code, _, errors = vouch("compile", place / f"{name}.tk", "-o", place / "lies")
    check.that(code == 0, f"{name}: {errors}")
    texts = dict(lying_texts(name, lies if ALL else lies[::3]))
    source = place / "lies" / f"{name}.c"
    honest = source.read_text()
    for what, lie in texts.items():
        source.write_text(lie)
        code, out, errors = vouch("verify", place / "lies", seconds=300)
        check.that(code == 1 and f"{name}.c: the C text is not the certified one" in out + errors, f"{name}, {what}: exit {code}\n{out}{errors}")
    source.write_text(honest)
    refused_by_coq(name, list(texts.values()))
with users_cache():
    code, out, errors = vouch("verify", place / "lies", seconds=300)
check.that(code == 0, f"the honest texts hold: exit {code}: {out}{errors}")
check.end()

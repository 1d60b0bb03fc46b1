#!/usr/bin/env python3
"""A condition that the bounds of loops or a condition around it decide is not in the C text: the tests that are left are counted, and
worked out by hand. Coq certifies each text; one without a test that is needed is refused."""
import pathlib
import re
import sys
import tempfile

from command import Checks, Vouch, users_cache

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
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
with users_cache():
    code, out, errors = vouch("verify", place / "certified", seconds=300)
check.that(code == 0 and f"{len(KERNELS) + 2} kernels: {len(KERNELS) + 2} certified" in out, f"verify: {out}{errors}")

source = place / "certified" / "shifted.c"
text = source.read_text()
kept = re.search(r"\(([^?;=]*<[^?;]*)\) \? ([^:;]*) : ([^;]*);", text)
check.that(kept is not None, f"the test of 'shifted' is found:\n{text}")
if kept:
    source.write_text(text[:kept.start()] + kept[2] + ";" + text[kept.end():])
    code, out, _ = vouch("verify", place / "certified", seconds=300)
    check.that(code == 1, f"without the test that it needs, 'shifted' is refused: exit {code}\n{out}")
check.end()

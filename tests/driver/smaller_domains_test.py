"""A kernel whose reads would leave an axis is defined on less than its axes: the reader is told, by whatever way the kernel is read.

Where it is defined is found by trying every value of the index; what the message says of the other elements, by running the C."""
import ctypes
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, checks = Vouch(sys.argv[1]), Checks()
folder = tempfile.TemporaryDirectory()
place = pathlib.Path(folder.name)


def shown(text, *options):
    (place / "k.tk").write_text(text)
    code, out, _ = vouch("show", place / "k.tk", "--json", "-", *options, limited=False)
    return code, json.loads(out)


def run(text, name, outputs, *inputs):
    """The elements of the one output of the compiled kernel without sizes."""
    (place / f"{name}.tk").write_text(f"kernel {name};\n{text}")
    code, _, errors = vouch("compile", place / f"{name}.tk", "-o", place / "out")
    checks.that(code == 0, f"{text}: {errors}")
    library = place / f"{name}.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, place / "out" / f"{name}.c", "-lm"], check=True)
    result = (ctypes.c_float * outputs)(*[9] * outputs)
    getattr(ctypes.CDLL(str(library)), name)(*[(ctypes.c_float * len(x))(*x) for x in inputs], result)
    return list(result)


# --- by hand: what is said, where, and how to mend it
CASES = [
    ("Y<n>[i] = X<n>[i + 1];", (1, 16, 21), "'i' runs over 0 <= i < n - 1 alone, not over all of axis 0 of 'Y' (extent n): 'i + 1' would leave axis 0 of 'X'",
     "elements of 'Y' are 0", "where 0 <= i < n - 1", "select(i + 1 < n, …, 0)"),
    ("Z<n>[i] = X<n>[i];\nZ[i] = Z[i] + X[i - 2];", (2, 17, 22), "'i' runs over 2 <= i < n alone", "elements of 'Z' stay as they were", "where 2 <= i < n", "select(i - 2 >= 0, …, 0)"),
    ("Y<8>[i] = X<4>[i - 2];", (1, 16, 21), "runs over 2 <= i < 6 alone", "are 0", "where 2 <= i < 6", "select(i - 2 >= 0 && i - 2 < 4, …, 0)"),
    ("Y<10>[i] = X<3>[(i + 1) % 4];", (1, 17, 28), "runs over 3 <= i < 6 alone", "are 0", "where 3 <= i < 6", "select((i + 1) % 4 < 3, …, 0)"),
    ("Y<1> = W<9>[k] * V<5>[k - 2];", (1, 23, 28), "'k' runs over 2 <= k < 7 alone, not over all of axis 0 of 'W' (extent 9)", "left out of the sum", "where 2 <= k < 7", "select(k - 2 >= 0 && k - 2 < 5, …, 0)"),
]
for text, at, message, rest, where, select in CASES:
    code, found = shown(text)
    said = found["messages"][0] if found["messages"] else {}
    checks.that(code == 0 and len(found["messages"]) == 1 and said["severity"] == "warning" and message in said["message"], f"{text}: {found}")
    checks.that((said["line"], said["column"], said["end_column"]) == at, f"{text}: {said}")
    checks.that(all(part in said["hint"] for part in (rest, f"`{where}`", f"`{select}`")), f"{text}: {said['hint']}")
    # Both ways to mend it are kernels without a warning; the domain that is said is the one that was inferred.
    code, mended = shown(f"{text[:-1]} {where};")
    domains = [[(i["begin"], i["end"]) for i in s["indices"]] for s in found["statements"]]
    checks.that(code == 0 and not mended["messages"], f"{text} {where}: {mended}")
    checks.that([[(i["begin"], i["end"]) for i in s["indices"]] for s in mended["statements"]] == domains, f"{text}: {mended}")
    read = re.findall(r"\w+(?:<\w+>)?\[[^]]*\]", text)[-1]
    code, mended = shown(text.replace(read, select.replace("…", read)))
    checks.that(code == 0 and not mended["messages"], f"{text} {select}: {mended}")
for text in ("Y<n>[i] = X<n + 1>[i + 1];", "Y<n>[i] = X<n>[i + 1] where 0 <= i < n - 1;", "Y<4>[i] = X<9>[2 * i];", "Y<1> = X<n>[k] * X<n>[k + 1];",
             "O<H - R + 1>[i] = A<H>[i + r] * W<R>[r];", "Y<n>[i] = select(i > 0, X<n>[i - 1], 0);", "type int64 I; Y<n>[i] = X<4>[I<n>[i]];"):
    code, found = shown(text)
    checks.that(code == 0 and not found["messages"], f"{text}: {found}")
_, found = shown("Y<4, n>[i, j] = X<3, n>[i - 1, j - 1];")
checks.that([m["column"] for m in found["messages"]] == [25, 32], f"each index has a message: {found}")

# --- what is said of the other elements is so
checks.that(run("Y<4>[i] = X<4>[i + 1];", "shift", 4, [1, 2, 3, 4]) == [2, 3, 4, 0], "0 elsewhere")
checks.that(run("Y<4>[i] = X<4>[i]; Y[i] = Y[i] + X[i - 2];", "late", 4, [1, 2, 3, 4]) == [1, 2, 4, 6], "as before elsewhere")
checks.that(run("Y<4>[i] = select(i + 1 < 4, X<4>[i + 1], 7);", "said", 4, [1, 2, 3, 4]) == [2, 3, 4, 7], "what the condition says elsewhere")

# --- any one-axis reads: a warning if and only if some value of the index leaves an axis
draw = random.Random(5)
warned = 0
for _ in range(60):
    n = draw.randint(1, 9)
    reads = [(f"X{k}", draw.randint(2, 12), draw.choice([-2, -1, 1, 1, 1, 2]), draw.randint(-3, 9)) for k in range(draw.randint(1, 2))]
    inside = [i for i in range(n) if all(0 <= a * i + b < extent for _, extent, a, b in reads)]
    text = f"Y<{n}>[i] = {' + '.join(f'{name}<{extent}>[{a}*i + {b}]' for name, extent, a, b in reads)};"
    code, found = shown(text)
    plain = any(a == 1 and b == 0 and extent != n for _, extent, a, b in reads)  # extents that do not agree are an error
    if not inside or plain or code != 0:
        checks.that(code == 3, f"{text}: {found}")
        continue
    index, = found["statements"][0]["indices"]
    checks.that((int(index["begin"]), int(index["end"])) == (inside[0], inside[-1] + 1), f"{text}: {index}")
    checks.that(bool(found["messages"]) == (len(inside) < n), f"{text}: {inside} of {n}, {found['messages']}")
    warned += bool(found["messages"])
checks.that(10 <= warned <= 50, f"{warned} of 60 texts are warned of")

# --- every reader of a kernel says it, an editor too
(place / "shift.tk").write_text("kernel shift;\ngrad X;\nY<n>[i] = X<n>[i + 1];\n")
for words in (("show",), ("compile", "-o", place / "c"), ("grad", "-o", place / "g"), ("schedule",)):
    code, _, errors = vouch(words[0], place / "shift.tk", *words[1:], limited=False)
    checks.that(code == 0 and "shift.tk:3:16: warning: index 'i'" in errors and "\n                 ^^^^^\n" in errors and "hint: " in errors, f"{words}: {code} {errors}")
code, _, errors = vouch("compile", place / "g" / "shift.tk", "-o", place / "h", limited=False)
checks.that("warning" not in errors, f"a gradient says its domains: {code} {errors}")
opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///k.tk", "text": "Y<n>[i] = X<n>[i + 1];\n"}}}
content = json.dumps(opened).encode()
done = subprocess.run([sys.argv[1], "lsp"], input=b"Content-Length: %d\r\n\r\n%b" % (len(content), content), capture_output=True, timeout=20)
said, = json.loads(done.stdout.split(b"\r\n\r\n", 1)[1])["params"]["diagnostics"]
checks.that(said["severity"] == 2 and said["range"] == {"start": {"line": 0, "character": 15}, "end": {"line": 0, "character": 20}} and "select(" in said["message"], f"{said}")
checks.end()

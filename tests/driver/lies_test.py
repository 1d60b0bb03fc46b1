#!/usr/bin/env python3
"""What `vouch verify` says of folders that lie, by classes: each class of change, made in every text of several kinds where it applies (typed
and wrapped integers, reads by data, indices as values, maxima, tests of which bounds decide some, panels of a product, a gradient, a library with
its arena and weights), with a manifest that agrees with the lie, is refused and the file is named; so are strange manifests, strange files, and kept verdicts that
somebody edited. Honest folders hold before and after. `all` makes each lie in every text, not only in the first that it fits."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from command import SKIPPED, Checks, has_prover

VOUCH = str(pathlib.Path(sys.argv[1]).resolve())
if not has_prover(VOUCH):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
ALL = "all" in sys.argv[3:]
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
CACHE = place / "cache"

KERNELS = {
    "wraps": "type int64;\ntype bool r;\nin a, b;\nout r;\nr<7, 9>[i, j] = select(a<7>[i] * b<9>[j] - 3 < abs(a[i]), 1, 0);",
    "halves": "type double;\ntype float r;\nin a;\nout r;\nr<9>[i] = a<9>[i] * 0.1 + a[k] * a[k];",
    "rows": "size m, n, v;\nin I, T;\nout C;\ntype int64 I;\nC<m, n>[i, j] = T<v, n>[I<m>[i], j];",
    "ramp": "size n;\nin a;\nout r;\nr<n>[i] = a<n>[i] * (2 * i) + max(a[i], 0.75);",
    "window": "size n;\nin a;\nout r;\nr<n>[i] = select(i + k >= 1 && i + k < n + 1, a<n>[i + k - 1], 0) where 0 <= k < 3;",
    "panels": "in A, B;\nout C;\nC<320, 384>[i, j] = A<320, 256>[i, k] * B<256, 384>[k, j];",
}

# A class of lies about a C text: what it is, a pattern, what it becomes. Each is made wherever the pattern is found first.
IN_C = [
    ("a parameter of another type", r"const double \*", "const float *"), ("integers of half the length", r"const int64_t \*", "const int32_t *"),
    ("the output of another type", r"bool \*restrict r", "char *restrict r"), ("an input that may be written", r"const (float|double|int64_t) \*restrict", r"\1 *restrict"),
    ("arrays that may overlap", r" \*restrict ", " *"), ("a constant, one unit in the last place", r"0x([0-9a-f]+)p-", lambda m: f"0x{int(m[1], 16) + 1:x}p-"),
    ("a whole number, by one", r"INT64_C\((\d+)\)|\b3\b", "4"), ("a loop that goes one further", r"; (\w+) < (\w+); ", r"; \1 <= \2; "),
    ("a loop that leaves out its first", r"\(int64_t (\w+) = 0;", r"(int64_t \1 = 1;"), ("a loop of every other one", r"(\w+) \+= 1\)", r"\1 += 2)"),
    ("a loop on one thread", r" *#pragma omp parallel for\n", ""), ("a clause of threads", r"parallel for\n", "parallel for num_threads(2)\n"),
    ("two loops as one", r"parallel for\n", "parallel for collapse(2)\n"), ("lanes as threads", r"#pragma omp simd\n", "#pragma omp parallel for\n"),
    ("threads as lanes", r"#pragma omp parallel for\n", "#pragma omp simd\n"), ("arrays that are aligned less", r"aligned\(64\)", "aligned(16)"),
    ("a smaller panel", r"\[(\d+)\] __attribute__", lambda m: f"[{int(m[1]) - 1}] __attribute__"), ("a bound left out", r"if \(0 <= \w+ && \w+ < v\) ", ""),
    ("a bound of another axis", r"(\w+) < v\)", r"\1 < n)"), ("an index in 32 bits", r"    int64_t (\w+) = ", r"    int32_t \1 = "),
    ("an element besides", r"\[(\w+)\]", r"[(\1 + 1)]"), ("a conversion left out", r"(float_of_double|bool_of_int64|float_of_index)\(", "("),
    ("a conversion that means another", r"return a != 0;", "return a == 0;"), ("sums that may overflow", r"\(int64_t\)\(\(uint64_t\)a ([*+-]) \(uint64_t\)b\)", r"a \1 b"),
    ("a maximum that loses numbers", r"a != a \? b : a < b \? b : a", "a < b ? b : a"), ("a minimum for a maximum", r"greater\(a\[", "lesser(a["),
    ("a choice the other way round", r"\? 1 : 0", "? 0 : 1"), ("a test that is not made", r"  if \(missing\([^\n]*\n", ""), ("another code", r"return 4;", "return 0;"),
    ("a smaller overlap", r"if \(overlap\((\w+), size_product\(\d+", r"if (overlap(\1, size_product(1"), ("a name of a system's", r"\bvoid (\w+)\(", r"void _\1("),
    ("another header", r"#include <math.h>", "#include <tgmath.h>"), ("a macro in front", r"\A", "#define restrict\n"), ("a text behind", r"\Z", "int stranger;\n"),
    ("what runs before main", r"\Z", "__attribute__((constructor)) static void first(void) {}\n"), ("a comment", r"\Z", "/* certified */\n"),
    ("a loop from its beginning on", r"= at_least\([^;]*;", "= 0;"), ("a bounded loop that goes one further", r"< at_most\(", "<= at_most("),
    ("a bound that means another", r"return c < a - b \? a - b : c;", "return a - b;"),
    ("a line's end", r"\n\Z", "\r\n"), ("a byte that is nothing", r"\Z", "\0"), ("a letter that looks alike", r"\bfloat\b", "flo\u0430t"), ("a trigraph", r"\A", "??/\n"),
]
IN_HEADER = [("a type", r"(float|double|int64_t|bool) \*", "char *"), ("const left out", r"const (\w+) \*", r"\1 *"), ("a macro", r"\A", "#define float double\n"),
             ("a promise", r"\*/", "and never fails */"), ("the checked form's result", r"int (\w+_checked)", r"void \1")]


def run(*words, environment=None, seconds=300):
    done = subprocess.run([VOUCH, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=seconds,
                          env=os.environ | {"VOUCH_CACHE": str(CACHE)} | (environment or {}))
    return done.returncode, done.stdout + done.stderr


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def renewed(folder):
    """The manifest's hashes are those of the files."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for kernel in manifest.get("kernels", {}).values() if isinstance(manifest.get("kernels"), dict) else []:
        for name in kernel.get("files", {}):
            if (folder / name).is_file():
                kernel["files"][name] = digest(folder / name)
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def copied(folder):
    copy = place / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)
    return copy


def refused(what, folder, *texts):
    code, said = run("verify", folder)
    missing = [text for text in texts if text not in said]
    checks.that(code in (1, 3) and not missing, f"{what}: exit {code}, expected a refusal and {missing}: {said[:600]}")


def texts_that_lie(folder, suffix, classes, used):
    """`used` holds the classes that were tried."""
    for path in sorted(folder.glob(f"*{suffix}")):
        text = path.read_text()
        for what, before, after in classes:
            changed = re.sub(before, after, text, count=1)
            if changed == text or (what in used and not ALL):
                continue
            used.add(what)
            copy = copied(folder)
            (copy / path.name).write_bytes(changed.encode())
            renewed(copy)
            refused(f"{path.name}, {what}", copy, path.name)


def manifests_that_lie(folder, name):
    honest = (folder / "manifest.json").read_text()
    manifest = json.loads(honest)
    kernel = manifest["kernels"][name]

    def with_kernel(**members):
        return json.dumps({**manifest, "kernels": {name: {**kernel, **members}}})

    lies = {f"no {member}": json.dumps({**manifest, "kernels": {name: {k: v for k, v in kernel.items() if k != member}}}) for member in kernel}
    lies |= {f"{member} is a number": with_kernel(**{member: 7}) for member in kernel}
    lies |= {
        "two kernels of one name": honest.replace(f'"{name}": {{', f'"{name}": {{}}, "{name}": {{', 1),
        "a name with quotes": json.dumps({**manifest, "kernels": {'a"b': kernel}}), "a name with a line": json.dumps({**manifest, "kernels": {"a\nb. Axiom x : False": kernel}}),
        "a name that is a path": json.dumps({**manifest, "kernels": {f"../{name}": kernel}}), "no kernels": json.dumps({**manifest, "kernels": {}}),
        "a kernel besides": json.dumps({**manifest, "kernels": {name: kernel, "other": kernel}}), "no JSON": honest[:-3], "nothing": "", "a list": "[]",
        "deep": "[" * 100000, "deep in a value": honest.replace('"sizes": []', f'"sizes": {"[" * 200_000 + "]" * 200_000}', 1),
        "deep in objects": honest.replace("{", '{"deep": ' + '{"a": ' * 100_000 + "1" + "}" * 100_000 + ", ", 1),
        "wide": honest.replace("{", "{" + "".join(f'"m{k}": 1, ' for k in range(300_000)), 1), "another version": json.dumps({**manifest, "version": 99}),
        "a hash of capitals": with_kernel(files={f: h.upper() for f, h in kernel["files"].items()}), "a hash left out": with_kernel(files={}),
    }
    for what, text in lies.items():
        if text == honest:
            continue
        copy = copied(folder)
        (copy / "manifest.json").write_text(text)
        code, said = run("verify", copy)
        checks.that(code in (1, 3), f"manifest, {what}: exit {code}: {said[:400]}")


def files_that_are_strange(folder, name):
    def replaced_by(make):
        def change(copy):
            (copy / f"{name}.c").unlink()
            make(copy / f"{name}.c")
        return change

    changes = {"a link": replaced_by(lambda p: p.symlink_to(folder / f"{name}.c")), "a link to itself": replaced_by(lambda p: p.symlink_to(p)),
               "a folder": replaced_by(lambda p: p.mkdir()), "a pipe": replaced_by(os.mkfifo), "nothing": replaced_by(lambda p: None),
               "an empty file": replaced_by(lambda p: p.touch()), "two gigabytes": replaced_by(lambda p: p.open("wb").truncate(1 << 31)),
               "a stranger": lambda copy: (copy / "more.c").write_text("int x;\n"), "a compiled theory": lambda copy: (copy / f"{name}.vo").write_bytes(b"x"),
               "a hidden file": lambda copy: (copy / ".coqrc").write_text("Axiom x : False.\n"), "a link to a folder": lambda copy: (copy / "deep").symlink_to("/tmp")}
    for what, change in changes.items():
        copy = copied(folder)
        change(copy)
        code, said = run("verify", copy, seconds=120)
        checks.that(code in (1, 3), f"{name}.c, {what}: exit {code}: {said[:400]}")


def swapped_while_it_runs(folder, name):
    """Whatever is read: it is certified if all that was read is honest; otherwise the file is refused, or said to have changed."""
    copy = copied(folder)
    path = copy / f"{name}.c"
    honest, lie = path.read_text(), path.read_text().replace("<", "<=", 1)
    ended = threading.Event()

    def swap():
        turn = 0
        while not ended.is_set():
            other = copy.parent / "other.c"
            other.write_text((honest, lie)[turn % 2])
            os.replace(other, path)
            turn += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    for turn in range(8 if ALL else 4):
        code, said = run("verify", copy)
        checks.that(code == 0 or (code in (1, 2) and f"{name}.c" in said), f"swapped while it runs: exit {code}: {said[:400]}")
    ended.set()
    swapper.join()
    path.write_text(lie)
    refused("after the swaps", copy, f"{name}.c")


def kept_verdicts(folder, name):
    """A kept verdict is read where nobody else writes, and says only what it was kept for."""
    copy = copied(folder)
    code, said = run("verify", copy)
    checks.that(code == 0 and "certified" in said, f"honest: exit {code}: {said[:300]}")
    entries = [p for p in CACHE.rglob("*") if p.is_file()]
    checks.that(bool(entries), "verdicts are kept")
    kept = place / "kept"
    shutil.copytree(CACHE, kept)
    shutil.rmtree(CACHE)
    shutil.copytree(kept, CACHE)
    code, said = run("verify", copy)
    checks.that(code == 0 and "kept" in said, f"a copy of what is kept is as good: exit {code}: {said[:300]}")
    kinds = {"empty": lambda p: p.write_bytes(b""), "another word": lambda p: p.write_bytes(p.read_bytes()[::-1]),
                         "longer": lambda p: p.write_bytes(p.read_bytes() * 2), "a folder": lambda p: (p.unlink(), p.mkdir())}
    for what in kinds if ALL else ("another word",):
        shutil.rmtree(CACHE)
        shutil.copytree(kept, CACHE)
        for entry in [p for p in CACHE.rglob("*") if p.is_file()]:
            kinds[what](entry)
        code, said = run("verify", copy)
        checks.that(code == 0 and "certified" in said and "kept" not in said, f"a kept verdict that is {what}: exit {code}: {said[:300]}")
    shutil.rmtree(CACHE)
    shutil.copytree(kept, CACHE)
    (copy / f"{name}.c").write_text((copy / f"{name}.c").read_text() + "\n")
    renewed(copy)
    refused("another text under a kept verdict", copy, f"{name}.c")
    for entry in [CACHE, *CACHE.rglob("*")]:
        entry.chmod(0o777)
    code, said = run("verify", copied(folder))
    checks.that(code == 0 and "kept" not in said, f"a cache that others may write: exit {code}: {said[:300]}")
    shutil.rmtree(CACHE)


def library_lies():
    model = place / "small.json"
    weights = [((7 * k) % 11) / 8 - 0.5 for k in range(12)]
    model.write_text(json.dumps({
        "vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [2, 4]}],
        "nodes": [{"name": "w", "kind": "parameter", "type": "float32", "dims": [4, 3], "data": weights},
                  {"name": "m", "op": "MatMul", "operands": ["x", "w"]}, {"name": "e", "op": "Exp", "operands": ["m"]},
                  {"name": "y", "op": "Relu", "operands": ["e"]}], "outputs": [{"name": "y", "value": "y"}]}))
    library = place / "library"
    code, said = run("build", model, "-o", library)
    checks.that(code == 0, f"the library is built: {said[:400]}")
    if code:
        return
    classes = [("a size of the arena", r"(ARENA_BYTES|arena_bytes)(\W+)(\d+)", lambda m: f"{m[1]}{m[2]}{int(m[3]) // 2}"), ("an offset", r"\+ (\d+)\)", r"+ 0)"),
               ("const left out", r"const float \*", "float *"), ("a call left out", r"\n  \w+_\d+_\w+\([^\n]*\);", ""), ("arguments in another order", r"\((\w+), (\w+)\)", r"(\2, \1)"),
               ("a text behind", r"\Z", "int stranger;\n"), ("a weight, one unit in the last place", r"0x1\.([0-9a-f]+)p", lambda m: f"0x1.{int(m[1], 16) ^ 2:0{len(m[1])}x}p"),
               ("alignment", r"\b64\b", "16"), ("figures", r'"(bytes|cells|arena\w*|calls)": (\d+)', lambda m: f'"{m[1]}": {int(m[2]) + 1}')]
    made, classes_made = 0, set()
    for path in sorted(p for p in library.rglob("*") if p.is_file() and "source" not in p.parts):
        relative = path.relative_to(library)
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
        lies = [] if text is None else [(what, re.sub(before, after, text, count=1).encode()) for what, before, after in classes]
        lies += [("its last byte", data[:-1] + bytes([data[-1] ^ 1])), ("its end", data[: len(data) // 2])] if data else []
        for what, changed in lies:
            kind = (what, path.suffix)
            if changed == data or (kind in classes_made and not ALL):
                continue
            made += 1
            classes_made.add(kind)
            copy = copied(library)
            (copy / relative).write_bytes(changed)
            refused(f"library, {relative}, {what}", copy)
    checks.that(made >= 20, f"lies about a library: {made}")


folders = {}
for name, text in KERNELS.items():
    source = place / f"{name}.tk"
    source.write_text(f"kernel {name};\n{text}\n")
    code, said = run("compile", source, "-o", place / name)
    checks.that(code == 0, f"compile {name}: {said[:400]}")
    folders[name] = place / name
source = place / "slope.tk"
source.write_text("kernel slope;\nsize n;\nin a;\nout r;\ngrad a;\nr<n>[i] = exp(a<n>[i]) * i;\n")
code, said = run("grad", source, "-o", place / "slope")
checks.that(code == 0, f"grad: {said[:400]}")
folders["slope"] = place / "slope"
used = set()
for name, folder in folders.items():
    texts_that_lie(folder, ".c", IN_C, used)
    texts_that_lie(folder, ".h", IN_HEADER, used)
checks.that(len(used) >= 40, f"classes that found a place: {len(used)}; not {sorted({c[0] for c in IN_C + IN_HEADER} - used)}")
manifests_that_lie(folders["rows"], "rows")
files_that_are_strange(folders["wraps"], "wraps")
swapped_while_it_runs(folders["ramp"], "ramp")
kept_verdicts(folders["ramp"], "ramp")
library_lies()
code, said = run("verify", *folders.values())
checks.that(code == 0, f"all are honest: exit {code}: {said[:500]}")
shutil.rmtree(place)
checks.end()

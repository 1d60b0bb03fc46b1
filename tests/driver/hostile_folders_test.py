"""Folders of strangers, at each seam of `vouch verify`: several kernels and their gradients, rules with theorems, equalities of models, kept
answers. Files that changed places, claims in lists, names that move a terminal's cursor, sources that read otherwise than they look, folders and
devices and sockets for files: each is refused, named, and never certified, in the table and in JSON, which is always JSON.

    hostile_folders_test.py VOUCH ROOT"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import numpy
import onnx.numpy_helper

from command import SKIPPED, Checks, has_prover

VOUCH = str(pathlib.Path(sys.argv[1]).resolve())
if not has_prover(VOUCH):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
CACHE = place / "cache"
HELD = {"certified", "proven", "holds"}
SUM = "kernel added;\nsize n;\nin a, b;\nout r;\nr<n>[i] = a<n>[i] + b<n>[i];\n"
DIFFERENCE = "kernel taken;\nsize n;\nin a, b;\nout r;\nr<n>[i] = a<n>[i] - b<n>[i];\n"
SQUARE = "kernel square;\nin a;\nout r;\ngrad a;\nr<6>[i] = a<6>[i] * a[i];\n"
CUBE = "kernel cube;\nin a;\nout r;\ngrad a;\nr<6>[i] = a<6>[i] * a[i] * a[i];\n"
RULES = """rule twice "twice is once" {
  let x = *;
  source Relu(Relu(x));
  target Relu(x);
}
rule back {
  let x = *;
  source Neg(Neg(x));
  target x;
}
"""


def run(*words, environment=None, seconds=120, **more):
    done = subprocess.run([VOUCH, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=seconds,
                          env=os.environ | {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")} | (environment or {}), **more)
    return done.returncode, done.stdout, done.stderr


def rows_of(answer):
    return [row for seam in ("kernels", "library_calls", "rules", "equalities") for row in answer[seam]]


def looks_plain(text):
    return not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028]", text)


def verified(what, folder, code, *texts, held=(), **more):
    """The exit code, what is said, whether the JSON is JSON and agrees; of all rows only those of `held` hold."""
    file = place / "answer.json"
    file.unlink(missing_ok=True)
    # Table and JSON in one run; where no word of the table is asked for, the JSON alone.
    alone = not texts
    status, out, errors = run("verify", folder, "--json", "-" if alone else file, **more)
    said = errors if alone else out + errors
    missing = [text for text in texts if text not in said]
    checks.that(status == code and not missing, f"{what}: exit {status}, expected {code} and {missing}: {said[:900]}")
    checks.that(looks_plain(said), f"{what}: what is said moves the cursor: {said[:900]!r}")
    try:
        answer = json.loads(out if alone else file.read_text())
    except (OSError, json.JSONDecodeError) as failed:
        checks.that(False, f"{what}: no JSON: {failed}: {out[:300]}{errors[:300]}")
        return {}
    good = {row.get("kernel") or row.get("rule") or row.get("file") or row.get("library") for row in rows_of(answer) if row["verdict"] in HELD}
    checks.that(status == code == answer["exit"] and good <= set(held), f"{what}: JSON, exit {status}, {answer['exit']}; {good} hold: {out[:600]}")
    checks.that(code == 0 or bool(answer["errors"]) or any(row["message"] for row in rows_of(answer)), f"{what}: JSON that says no reason: {out[:600]}")
    return answer


def source(name, text):
    path = place / "sources" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def made(name, *words):
    code, out, errors = run(*words, "-o" if words[0] != "check" else "--coq", place / name)
    checks.that(code == 0, f"{name} is made: {out}{errors}")
    return place / name


class Copy:
    count = 0

    def __init__(self, folder):
        Copy.count += 1
        self.path = place / "copies" / str(Copy.count)
        shutil.copytree(folder, self.path, symlinks=True)

    def text(self, file, change):
        path = self.path / file
        before = path.read_bytes()
        after = change(before.decode()).encode() if not callable(getattr(change, "raw", None)) else change.raw(before)
        assert before != after, (file, before[:300])
        path.write_bytes(after)
        return self

    def swap(self, a, b):
        one, other = (self.path / a).read_bytes(), (self.path / b).read_bytes()
        (self.path / a).write_bytes(other)
        (self.path / b).write_bytes(one)
        return self

    def renew(self):
        """The lists agree with the files, as far as hashes go."""
        path = self.path / "manifest.json"
        if path.is_file():
            manifest = json.loads(path.read_text())
            for entry in manifest["kernels"].values():
                entry["files"] = {f: self.hash(f) or h for f, h in entry["files"].items()}
            path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
        path = self.path / "proofs.json"
        if path.is_file():
            proofs = json.loads(path.read_text())
            for entry in proofs["rules"]:
                entry["files"] = {f: self.hash(f) or h for f, h in entry["files"].items()}
            path.write_text(json.dumps(proofs, indent=2, ensure_ascii=False) + "\n")
        return self

    def hash(self, file):
        path = self.path / file
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None

    def json(self, file, change):
        path = self.path / file
        value = json.loads(path.read_text())
        value = change(value) or value
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
        return self


def changed_places(two, gradients):
    """Files, entries and sources of one kernel under the other's name, with lists that agree."""
    for ending in (".c", ".h", ".v", ".fun", ".source.tk"):
        copy = Copy(two).swap(f"added{ending}", f"taken{ending}").renew()
        verified(f"{ending} changed places", copy.path, 1, f"added{ending}" if ending != ".source.tk" else "added")
    copy = Copy(two)
    for ending in (".c", ".h", ".v", ".fun", ".source.tk"):
        copy.swap(f"added{ending}", f"taken{ending}")
    verified("all files changed places", copy.renew().path, 1, "the source gives")
    copy = Copy(two).json("manifest.json", lambda m: m["kernels"].update(added=m["kernels"]["taken"], taken=m["kernels"]["added"]))
    verified("entries changed places", copy.path, 1, "it does not list")
    text = lambda path: path.read_text().replace("taken", "added")
    copy = Copy(two)
    for ending in (".c", ".h", ".v", ".fun"):
        (copy.path / f"added{ending}").write_text(text(copy.path / f"taken{ending}"))
    verified("another kernel's files with the names exchanged", copy.renew().path, 1, "added.c: the C text is not the certified one", held={"taken"})
    names = sorted(json.loads((gradients / "manifest.json").read_text())["kernels"])
    for ending in (".c", "_adjoint.v", ".source.tk"):
        copy = Copy(gradients).swap(f"{names[0]}{ending}", f"{names[1]}{ending}").renew()
        verified(f"gradients, {ending} changed places", copy.path, 1, "FAILED")
    copy = Copy(gradients).json("manifest.json", lambda m: m["kernels"][names[0]]["recipe"]["derivative"].update(targets=["r"]))
    verified("a gradient by an output", copy.path, 1, "is no input of the kernel", held={names[1]})
    copy = Copy(gradients).json("manifest.json", lambda m: m["kernels"][names[0]]["recipe"]["derivative"].update(operator="Gemm", operands=["x:float32[4,4]"]))
    verified("a gradient of an operator besides", copy.path, 1, held={names[1]})


def consistent_edits(two):
    """The same lie in C, header, certificate and list: only the source does not say it."""
    def everywhere(before, after):
        copy = Copy(two)
        for file in ("added.c", "added.h", "added.v", "added.fun"):
            text = (copy.path / file).read_text()
            (copy.path / file).write_text(re.sub(before, after, text))
        return copy.renew()

    for what, before, after in [("another operation", r"\+", "-"), ("another type", r"\bfloat\b", "double"), ("a function of another name", r"\badded\b", "adding")]:
        verified(f"everywhere, {what}", everywhere(before, after).path, 1, "added.c", held={"taken"})
    copy = Copy(two).json("manifest.json", lambda m: m["kernels"]["added"]["sizes"].update(below_2_to_63=[]))
    copy.text("added.h", lambda t: re.sub(r"\n[^\n]*2\^63[^\n]*", "", t) if "2^63" in t else t + "\n")
    verified("limits in list and header", copy.renew().path, 1, "added.h", held={"taken"})
    copy = Copy(two).json("manifest.json", lambda m: m["kernels"]["added"]["sizes"].update(facts=["n <= 3"]))
    verified("facts that nobody assumes", copy.path, 1, "the facts that it lists", held={"taken"})
    for what, recipe in [("a schedule of another kernel", {"schedule": "lanes i 8\n"}), ("a schedule that is C", {"schedule": "*/ int x; /*\n"}),
                         ("a schedule of a megabyte", {"schedule": "#\n" * 500_000}), ("a plan without a program", {"planned": True}),
                         ("sizes that are none", {"sizes": ["n=-1"]}), ("sizes besides", {"sizes": ["q=4"]}), ("a size beyond 64 bits", {"sizes": ["n=" + "9" * 40]}),
                         ("sizes that are code", {"sizes": ["n=4; Axiom x : False"]}), ("a derivation", {"derivation": True}), ("a number for a word", {"derivation": 1}),
                         ("an origin of another language", {"origin": "added.fun"}), ("an origin that is a path", {"origin": "../added.tk"})]:
        copy = Copy(two).json("manifest.json", lambda m, r=recipe: m["kernels"]["added"]["recipe"].update(r))
        verified(f"recipe, {what}", copy.path, 1, held={"taken"})


def strange_names(two):
    """What stands in a list is shown so that it cannot draw rows of the table, nor hide any."""
    row = "x\nadded   certified  0.10 s  none"
    copy = Copy(two).json("manifest.json", lambda m: m["kernels"].update({row: m["kernels"]["added"]}))
    answer = verified("a kernel whose name is a row", copy.path, 1, "this is no name of a kernel", held={"added", "taken"})
    table = run("verify", copy.path)[1]
    checks.that("\nadded   certified  0.10" not in table, f"a name that draws a row: {table}")
    for what, name in [("that moves the cursor", "\x1b[2J\x1b[H"), ("from right to left", "\u202edetfiitrec"), ("of no length", ""), ("with quotes", "\"}],\"exit\":0,[{\""),
                       ("like an option", "--again"), ("of 100 kB", "k" * 100_000), ("not of this folder", "/etc/passwd"), ("that ends a string of C's", "a\0b")]:
        copy = Copy(two).json("manifest.json", lambda m, n=name: m["kernels"].update({n: m["kernels"]["added"]}))
        verified(f"a kernel's name {what}", copy.path, 1, held={"added", "taken"})
    for what, tools in [("versions that draw rows", {"vouch": "1\nadded  certified\x1b[2J"}), ("tools that draw rows", {"x\n\x1b[1mcertified": "1"})]:
        copy = Copy(two).json("manifest.json", lambda m, t=tools: m["kernels"]["added"].update(tools=t))
        code, table, errors = run("verify", copy.path)
        checks.that(looks_plain(table + errors) and "\nadded  certified\\" not in table, f"{what}: {table!r}")
        json.loads(run("verify", copy.path, "--json", "-")[1])
    copy = Copy(two).json("manifest.json", lambda m: m["kernels"]["added"]["files"].update({"\x1b[2J\nx.c": "0" * 64}))
    verified("a file's name in a list", copy.path, 1, "which the source does not give", held={"taken"})
    for name in ("--json", "-o", "a b", "quo\"te'", "new\nline", "\u202enib"):
        folder = place / "named" / name
        shutil.copytree(two, folder)
        code, out, errors = run("verify", "--json", "-", "--", folder)
        checks.that(code == 0 and json.loads(out)["exit"] == 0, f"a folder called {name!r}: exit {code}: {errors[:300]}")
        code, out, errors = run("verify", "--json", "-", "--", name, cwd=place / "named")
        checks.that(code == 0 and json.loads(out)["exit"] == 0, f"a folder called {name!r}, from beside it: exit {code}: {errors[:300]}")


def strange_files(two):
    """Whatever lies there besides, or instead."""
    def device(path):
        try:
            os.mknod(path, 0o644 | 0o020000, os.makedev(1, 5))
        except OSError:
            os.mkfifo(path)

    def listening(path):
        folder = pathlib.Path(tempfile.mkdtemp())  # the path of a socket is short
        socket.socket(socket.AF_UNIX).bind(str(folder / "s"))
        shutil.move(folder / "s", path)

    def deep(path):
        at = os.open(path.parent, os.O_RDONLY)
        for _ in range(600):
            os.mkdir("d" * 20, dir_fd=at)
            below = os.open("d" * 20, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)

    kinds = {"an endless device": device, "a socket": listening, "a loop": lambda p: p.symlink_to(p), "a link to a folder": lambda p: p.symlink_to("/usr"),
             "a link to nothing": lambda p: p.symlink_to("nowhere"), "nothing in it": lambda p: p.write_bytes(b"")}
    for what, make in kinds.items():
        for file in ("added.c", "added.source.tk", "manifest.json", "proofs.json"):
            copy = Copy(two)
            (copy.path / file).unlink(missing_ok=True)
            make(copy.path / file)
            verified(f"{what} for {file}", copy.path, 1, file, held={"taken", "added"} - ({"added"} if file.startswith("added") else set()))
    besides = {"Makefile": b"all:\n", "omp.h": b"#define simd\n", "stdint.h": b"", "libadded.so": b"\x7fELF", "added.vo": b"", "_CoqProject": b"-R . Vouch",
               "Kernel.v": b"Axiom a : False.", ".git/hooks/pre-commit": b"", "nested/more/added.c": b"", "-o": b"", "added.c ": b"", "added.c\n": b"", "ADDED.C": b"",
               "added.c~": b"", ".added.c.swp": b"", "CMakeLists.txt": b"", "compile_commands.json": b"[]", "x.equalities.json": b"{}"}
    for name, data in besides.items():
        copy = Copy(two)
        (copy.path / name).parent.mkdir(parents=True, exist_ok=True)
        (copy.path / name).write_bytes(data)
        verified(f"{name!r} besides", copy.path, 1, name.split("/")[-1].strip(), held={"added", "taken"})
    for what, make in {**kinds, "a folder without end": deep}.items():
        copy = Copy(two)
        make(copy.path / "besides")
        verified(f"{what} besides", copy.path, 1, held={"added", "taken"})
        subprocess.run(["rm", "-rf", copy.path], check=True)
    copy = Copy(two)
    with open(os.fsencode(copy.path) + b"/\xff\xfe\x80.c", "w"):
        pass
    verified("a name that is no text", copy.path, 1, "no certificate covers this", held={"added", "taken"})


def sources_that_look_otherwise():
    """A source reads as it looks: what an editor or a terminal hides, turns round or takes for a line's end is refused."""
    plain = "kernel looks;\nsize n;\nin a, b;\nout r;\n"
    for what, text in [("a return that ends no line", "# plain\rr<n>[i] = a<n>[i] + b<n>[i];\n"), ("from right to left", "r<n>[i] = a<n>[i] + b<n>[i]; # \u202e;]i[b - \u2066\n"),
                       ("a line's end of Unicode's", "# plain\u2028r<n>[i] = a<n>[i] + b<n>[i];\n"), ("what moves the cursor", "r<n>[i] = a<n>[i] + b<n>[i]; # \x1b[2K\n"),
                       ("a vertical tab", "r<n>[i] =\x0b a<n>[i] + b<n>[i];\n"), ("a NUL", "r<n>[i] = a<n>[i] + b<n>[i]; # \0\n"),
                       ("letters of other alphabets", "r<n>[i] = \u0430<n>[i] + b<n>[i];\n"), ("a space of no width", "r<n>[i] = a<n>[i] +\u200b b<n>[i];\n"),
                       ("a mark of the bytes' order", "\ufeffr<n>[i] = a<n>[i] + b<n>[i];\n"), ("bytes that are no text", b"r<n>[i] = a<n>[i] + b<n>[i]; # \xff\xfe\n")]:
        path = source("looks.tk", plain.encode() + (text if isinstance(text, bytes) else text.encode()))
        out = place / "looks"
        code, said, errors = run("compile", path, "-o", out)
        checks.that(code == 3 and "looks.tk:" in errors and not list(out.glob("*.c")), f"a source with {what}: exit {code}: {said}{errors}")
        checks.that(looks_plain(said + errors), f"a source with {what}: what is said moves the cursor: {errors!r}")
        shutil.rmtree(out, ignore_errors=True)
        for name, whole in [("looks.fun", "kernel looks(sizes n; a: num[n]) -> r: num[n] =\n  map par x in a { x + x }\n"), ("looks.gsl", RULES)]:
            mark = text if isinstance(text, bytes) else text.encode()
            strange = re.search(rb"[^ -~\n].*", mark, re.S)[0][:3].split(b"r<")[0].rstrip(b"[")
            comment = b"# " if name.endswith(".fun") else b"// "
            path = source(name, comment + b"x " + strange + b" y\n" + whole.encode())
            words = ("compile", path, "-o", out) if name.endswith(".fun") else ("check", path)
            code, said, errors = run(*words)
            checks.that(code == 3 or "alphabets" in what or b"\n" == strange, f"a comment in {name} with {what} ({strange!r}): exit {code}: {said[:200]}{errors[:200]}")
            shutil.rmtree(out, ignore_errors=True)


def rules(folder):
    lists = {"a rule twice": lambda p: p["rules"].append(p["rules"][0]), "a rule that is a number": lambda p: p["rules"][0].update(rule=7),
             "a rule that is nothing": lambda p: p["rules"].append(None), "another format": lambda p: p.update(format=2.5), "a verdict": lambda p: p["rules"][0].update(verdict="sound"),
             "a claim for all": lambda p: p.update(proven=2), "a count beyond all": lambda p: p["rules"][0].update(stated=10**30), "a count that is text": lambda p: p["rules"][0].update(distinct="9"),
             "theorems that are words of Coq": lambda p: p["rules"][0].update(theorems=["I", "x. Axiom y : False. Print"]),
             "no instances": lambda p: p["rules"][0]["recipe"].update(instances=0, theorems=0), "a negative rank": lambda p: p["rules"][0]["recipe"].update(max_rank=-1),
             "half a rank": lambda p: p["rules"][0]["recipe"].update(max_rank=1.5), "a recipe's member besides": lambda p: p["rules"][0]["recipe"].update(trust=True),
             "a reason": lambda p: p["rules"][0].update(reason="proven on paper"), "a name that draws rows": lambda p: p["rules"][0].update(rule="x\nback  proven"),
             "no rules": lambda p: p.update(rules=[]), "rules by name": lambda p: p.update(rules={"twice": p["rules"][0]})}
    for what, change in lists.items():
        verified(f"proofs.json, {what}", Copy(folder).json("proofs.json", change).path, 1, held={"twice"})
    honest = (folder / "proofs.json").read_text()
    texts = {"a member twice": honest.replace('"rules"', '"rules": [], "rules"', 1), "no number": honest.replace('"format": 4', '"format": NaN'),
             "a number beyond all": honest.replace('"format": 4', '"format": 2e999'), "a comment": "// sound\n" + honest, "a mark of the bytes' order": "\ufeff" + honest,
             "two texts": honest + honest, "a comma more": honest.replace("]", ",]", 1), "other spaces": honest.replace("  ", "\t"), "CR LF": honest.replace("\n", "\r\n"),
             "a NUL": honest + "\0", "half": honest[: len(honest) // 2], "deep": "[" * 200_000}
    for what, text in texts.items():
        checks.that(text != honest, f"proofs.json, {what}: another text")
        copy = Copy(folder)
        (copy.path / "proofs.json").write_bytes(text.encode())
        verified(f"proofs.json, {what}", copy.path, 1, "proofs.json")
    for ending in (".gsl", ".v"):
        copy = Copy(folder).swap(f"twice{ending}", f"back{ending}").renew()
        verified(f"rules, {ending} changed places", copy.path, 1, "twice.gsl" if ending == ".gsl" else "twice.v")
    for what, change in [("a rule besides", lambda t: t + "rule more {\n  let x = *;\n  source Neg(Neg(x));\n  target x;\n}\n"), ("another target", lambda t: t.replace("target Relu(x)", "target x")),
                         ("a comment that looks like the rule", lambda t: t.replace("target Relu(x);", "// target Relu(x);\n  target x;")),
                         ("an include", lambda t: 'include "/etc/passwd";\n' + t)]:
        copy = Copy(folder).text("twice.gsl", change).renew()
        verified(f"twice.gsl, {what}", copy.path, 1, "twice", held={"back"})
    copy = Copy(folder).json("proofs.json", lambda p: [e["recipe"].update(instances=1_000_000, max_rank=8, theorems=10_000) for e in p["rules"]] and None)
    verified("as much as may be asked for", copy.path, 1, seconds=300)


def equalities():
    """The file that says why two models are equal, with other words in it; and models that changed places."""
    folder = place / "equal"
    folder.mkdir()
    model = lambda nodes: json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 4]}, {"name": "z", "type": "float32", "dims": ["n", 4]}],
                                      "nodes": nodes, "outputs": [{"name": "y", "value": "y"}]})
    (folder / "a.json").write_text(model([{"name": "r", "op": "Relu", "operands": ["x"]}, {"name": "s", "op": "Add", "operands": ["r", "z"]}, {"name": "y", "op": "Relu", "operands": ["s"]}]))
    (folder / "b.json").write_text(model([{"name": "r", "op": "Relu", "operands": ["x"]}, {"name": "q", "op": "Relu", "operands": ["r"]},
                                          {"name": "s", "op": "Add", "operands": ["z", "q"]}, {"name": "y", "op": "Relu", "operands": ["s"]}]))
    (folder / "c.json").write_text(model([{"name": "s", "op": "Sub", "operands": ["x", "z"]}, {"name": "y", "op": "Relu", "operands": ["s"]}]))
    name = "a.equalities.json"
    code, out, errors = run("equiv", folder / "a.json", folder / "b.json", "--trace", folder / name)
    checks.that(code == 0, f"the models are equal: {out}{errors}")
    (folder / "c.json").rename(place / "c.json")
    answer = verified("honest equalities", folder, 0, "equal (exact)", held={name})
    checks.that(answer["equalities"][0]["conditions"] == [], f"no conditions: {answer}")
    region = lambda t: next(step for step in t["steps"] if "region" in step)
    for what, change in {"another": lambda one: one.replace("Relu", "Neg", 1), "one that is less": lambda one: one[:one.index("target")], "a word more": lambda one: one + "x",
                         "an end of a line more": lambda one: one + "\n", "none": lambda one: ""}.items():
        copy = Copy(folder).json(name, lambda t: region(t).update(region=change(region(t)["region"])))
        verified(f"equalities, a region's text: {what}", copy.path, 1, "it says more than its steps account for")
    def less_than_asked(trace):
        region(trace).update(algebra="real")
        trace.update(verdict="equal (real)", exact=True)
    verified("equalities, over the reals where bits were asked for", Copy(folder).json(name, less_than_asked).path, 1, "bit equality was asked for")
    changes = {"another verdict": lambda t: t.update(verdict="equal (real)"), "more than it was": lambda t: t.update(verdict="equal (exact), and fast"), "a bound": lambda t: t.update(fold_bound=1e-9),
               "a claim besides": lambda t: t.update(proven=True), "no steps": lambda t: t.update(steps=[]), "a step left out": lambda t: t["steps"].pop(0),
               "a tensor by another name": lambda t: t["steps"][0]["tensor"].update(name="y"),
               "a node beyond all": lambda t: t["steps"][0].update(node=4_000_000_000), "a node below all": lambda t: t["steps"][0].update(node=-1), "a node beyond 64 bits": lambda t: t["steps"][0].update(node=1e300),
               "half a node": lambda t: t["steps"][0].update(node=0.5), "a ground that is none": lambda t: t["steps"][0].update(by="faith"), "a step that is a number": lambda t: t.update(steps=[1]),
               "a bound of a step": lambda t: t["steps"][0].update(bound=1.0), "one model": lambda t: t.update(models=t["models"][:1]), "models by number": lambda t: t.update(models=2),
               "a model of no name": lambda t: t["models"][0].update(path=""), "a model that is a folder": lambda t: t["models"][0].update(path="."), "a model that never ends": lambda t: t["models"][0].update(path="/dev/zero"),
               "a model's hash": lambda t: t["models"][0].update(hash="0" * 64), "the same model twice": lambda t: t["models"].__setitem__(1, t["models"][0]), "models that changed places": lambda t: t["models"].reverse(),
               "inputs that changed places": lambda t: t.update(map={"x": "z", "z": "x"}), "a tolerance that is none": lambda t: t.update(fold_tolerance="wide"),
               "sizes that are none": lambda t: t.update(sizes={"n": -4}), "a size that is text": lambda t: t.update(sizes={"n": "4"}), "another version": lambda t: t.update(vouch_equalities=2),
               "a name that draws rows": lambda t: t.update(verdict="equal (exact)\nb.equalities.json  holds")}
    for what, change in changes.items():
        copy = Copy(folder).json(name, change)
        verified(f"equalities, {what}", copy.path, 1, name)
    honest = (folder / name).read_text()
    for what, text in {"a member twice": honest.replace('"verdict"', '"verdict": "equal (real)", "verdict"', 1), "no number": honest.replace('"fold_bound": 0.0', '"fold_bound": NaN'), "deep": "[" * 300_000,
                       "half": honest[: len(honest) // 2], "two texts": honest + honest, "other spaces": honest.replace("  ", " "), "nothing": "", "a mark of the bytes' order": "\ufeff" + honest}.items():
        copy = Copy(folder)
        (copy.path / name).write_text(text)
        verified(f"equalities, {what}", copy.path, 1, name)
    copy = Copy(folder)
    shutil.copy(place / "c.json", copy.path / "b.json")
    verified("a model that is another", copy.path, 1, "not the model that was compared")
    copy = Copy(folder).json(name, lambda t: t["models"][1].update(hash=hashlib.sha256((place / "c.json").read_bytes()).hexdigest()))
    shutil.copy(place / "c.json", copy.path / "b.json")
    verified("a model that is another, by its own hash", copy.path, 1, name)
    code, out, errors = run("equiv", folder / "a.json", folder / "b.json", "--size", "n=3", "--trace", folder / name)
    checks.that(code == 0, f"equal at a size: {out}{errors}")
    answer = verified("equalities at a size", folder, 0, "where n is 3", held={name})
    checks.that(answer["equalities"][0]["conditions"] == ["where n is 3"], f"its conditions: {answer}")


def weights_beside():
    """Models whose weights lie in files of their own: these are listed, covered, and compared as the models are."""
    folder = place / "weighty"
    folder.mkdir()
    name = "a.equalities.json"
    for model, ops in (("a", ["Add"]), ("b", ["Add", "Identity"])):
        nodes = [onnx.helper.make_node(op, ["x", "w"] if op == "Add" else ["Add"], [op]) for op in ops]
        graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, [4])], [onnx.helper.make_tensor_value_info(ops[-1], 1, [4])],
                                       [onnx.numpy_helper.from_array(numpy.arange(4, dtype=numpy.float32), "w")])
        onnx.save_model(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), str(folder / f"{model}.onnx"),
                        save_as_external_data=True, location=f"{model}.bin", size_threshold=0)
    code, out, errors = run("equiv", folder / "a.onnx", folder / "b.onnx", "--map", "Add=Identity", "--trace", folder / name)
    checks.that(code == 0, f"models with weights beside them are equal: {out}{errors}")
    verified("weights beside the models", folder, 0, "equal (exact)", held={name})
    both = lambda data: lambda copy: [(copy.path / f"{m}.bin").write_bytes(data) for m in "ab"]
    changes = {"other weights, the same in both": both(bytes(16)), "one more byte": both((folder / "a.bin").read_bytes() + b"x"),
               "no weights": lambda c: (c.path / "a.bin").unlink(), "weights that are another's link": lambda c: (c.path / "a.bin").unlink() or (c.path / "a.bin").symlink_to("b.bin"),
               "weights that are not listed": lambda c: c.json(name, lambda t: t["models"][0].pop("weights") and None), "no files of weights": lambda c: c.json(name, lambda t: t["models"][0].update(weights=[])),
               "weights of another hash": lambda c: c.json(name, lambda t: t["models"][0]["weights"][0].update(hash="0" * 64)),
               "weights by another name": lambda c: c.json(name, lambda t: t["models"][0]["weights"][0].update(path="b.bin")),
               "a file of weights besides": lambda c: c.json(name, lambda t: t["models"][0]["weights"].append(t["models"][1]["weights"][0])),
               "weights that are a number": lambda c: c.json(name, lambda t: t["models"][0].update(weights=7)), "a claim about a model": lambda c: c.json(name, lambda t: t["models"][0].update(proven=True)),
               "a claim about weights": lambda c: c.json(name, lambda t: t["models"][0]["weights"][0].update(proven=True))}
    for what, change in changes.items():
        copy = Copy(folder)
        change(copy)
        verified(f"weights beside, {what}", copy.path, 1, name)
    copy = Copy(folder)
    (copy.path / "c.bin").write_bytes(b"x")
    verified("weights of no model", copy.path, 1, "c.bin", held={name})


def kept_answers(two):
    """An answer that is kept counts for this user, this text and this library alone, and nobody can write one."""
    shutil.rmtree(CACHE, ignore_errors=True)
    folder = Copy(two).path
    for name, by in (("multiplied", "*"), ("divided", "/")):
        made(folder, "compile", source(f"{name}.tk", SUM.replace("added", name).replace("+", by)))

    def kept():
        status, said, _ = run("verify", "--json", "-", folder)
        rows = json.loads(said)["kernels"]
        checks.that(status == 0 and len(rows) == 4 and all(row["verdict"] == "certified" for row in rows), f"it is certified anew, or kept: {said}")
        return sum(row["kept"] for row in rows)

    checks.that(kept() == 0, "each is asked for the first time")
    entries = sorted((CACHE / "certificates").iterdir())
    honest = [entry.read_bytes() for entry in entries]
    checks.that(len(entries) == kept() == 4, f"four answers are kept: {entries}")
    # Each but one is none for a reason of its own: another's under this name; edited; written by somebody, since its name is no secret.
    entries[0].write_bytes(honest[1])
    entries[2].write_bytes(honest[2].replace(b'"axioms":""', b'"axioms":" "') if b'"axioms":""' in honest[2] else honest[2][:-2] + b" }\n")
    entries[3].write_text(json.dumps({"holds": entries[3].stem, "axioms": ""}) + "\n")
    checks.that(kept() == 1, "an answer under another's name, one that somebody edited, one that somebody wrote are none")
    checks.that([entry.read_bytes() for entry in entries] == honest, "they are asked for anew, and kept")
    code, said, _ = run("verify", "--json", "-", two, "--only", "added", environment={"VOUCH_KEY": str(place / "other-key")})
    checks.that(code == 0 and not any(row["kept"] for row in json.loads(said)["kernels"]), f"another user's answers are none: {said}")
    # Where nothing can be kept, or no key be had, it is asked anew.
    for what, environment in [("a cache that is a file", {"VOUCH_CACHE": str(source("file", "x"))}), ("no key", {"VOUCH_KEY": "/proc/nowhere/key"}),
                              ("a cache in a folder that cannot be written", {"VOUCH_CACHE": "/proc/nowhere"})]:
        code, said, errors = run("verify", "--json", "-", two, "--only", "added", environment=environment)
        checks.that(code == 0 and not any(row["kept"] for row in json.loads(said)["kernels"]), f"{what}: exit {code}: {said}{errors}")


def programs_and_libraries(two):
    """What is believed is none of the folder's, nor of the one that the command is run in: no program there runs, no library or setting there counts."""
    strange = place / "strange"
    ran = place / "ran"
    (strange / "bin").mkdir(parents=True)
    for program in (strange / "coqc", strange / "bin" / "coqc"):
        program.write_text(f"#!/bin/sh\ntouch {ran}\necho 8.16.1\n")
        program.chmod(0o755)
    for what, first in [("an empty word of the path", ""), ("the working folder", "."), ("a folder there", "bin"), ("one by way of its parent", "../strange/bin")]:
        verified(f"a program of strangers, by {what}", two, 0, "2 certified", held={"added", "taken"}, cwd=strange,
                 environment={"PATH": f"{first}:{os.environ['PATH']}", "VOUCH_CACHE": str(place / "fresh")})
        checks.that(not ran.exists(), f"a program of strangers, by {what}: it ran")
        shutil.rmtree(place / "fresh", ignore_errors=True)
    copy = Copy(two)
    shutil.copy(strange / "coqc", copy.path)
    verified("coqc beside the kernels", copy.path, 1, "coqc lies in the folder that is verified", environment={"PATH": f"{copy.path}:{os.environ['PATH']}"})
    checks.that(not ran.exists(), "coqc beside the kernels: it ran")
    library = pathlib.Path(VOUCH).parent / "coq"
    if (library / "Main.vo").exists():
        copy = Copy(two)
        shutil.copytree(library, copy.path / "coq", ignore=shutil.ignore_patterns("*.glob", "*.aux", "*.vok", "*.vos", "Makefile*", ".*"))
        verified("a library beside the kernels", copy.path, 1, "the Coq library lies in the folder that is verified",
                 environment={"VOUCH_COQ_LIBRARY": str(copy.path / "coq")})
    false = "Theorem magic : False. Admitted.\n"
    for name in ("Main.v", "Kernel.v", "Reals.v", "Certificate.v", "Vouch/Main.v", "coqrc", ".coqrc", "coq/coqrc"):
        (strange / name).parent.mkdir(exist_ok=True)
        (strange / name).write_text(false)
    (strange / "_CoqProject").write_text("-R . Vouch\n-R . Coq\n")
    settings = {name: str(strange) for name in ("COQPATH", "COQLIB", "COQBIN", "OCAMLPATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS")}
    verified("settings of strangers", two, 0, "2 certified", held={"added", "taken"}, cwd=strange, environment=settings | {"VOUCH_CACHE": str(place / "fresh")})
    copy = Copy(two)
    for name in ("Main.v", "Kernel.v", "Reals.v", "_CoqProject", "coqrc"):
        shutil.copy(strange / name, copy.path)
    verified("modules beside the kernels", copy.path, 1, "Reals.v", held={"added", "taken"}, cwd=copy.path)


def streams(two):
    """Closed and full streams: no word is made up, and none is lost in silence."""
    code, _, _ = run("verify", "--json", "-", two, preexec_fn=lambda: os.close(0))
    checks.that(code == 0, f"no standard input: exit {code}")
    for closed, expected in ((1, 3), (2, 0)):
        done = subprocess.run([VOUCH, "verify", two], env=os.environ | {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")}, preexec_fn=lambda c=closed: os.close(c), timeout=120)
        checks.that(done.returncode == expected, f"stream {closed} is closed: exit {done.returncode}")
    with open("/dev/full", "w") as full:
        for words in (("--json", "-"), ()):
            done = subprocess.run([VOUCH, "verify", *words, two], stdout=full, stderr=subprocess.PIPE, env=os.environ | {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")}, timeout=120)
            checks.that(done.returncode == 3, f"a full disk for {words}: exit {done.returncode}")
    code, out, errors = run("verify", two, "--json", "/dev/full")
    checks.that(code == 3, f"a full disk for a file of JSON: exit {code}: {errors}")
    for file in ("added.c", "manifest.json"):
        copy = Copy(two)
        before = (copy.path / file).read_bytes()
        code, out, errors = run("verify", copy.path, "--json", copy.path / file)
        checks.that(code == 3 and "cannot be written over what is verified" in errors and (copy.path / file).read_bytes() == before, f"JSON over {file}: exit {code}: {out}{errors}")
    code, out, errors = run("verify", two, "--json", two / "added.c" / "x.json")
    checks.that(code == 3, f"a file of JSON below a file: exit {code}: {errors}")
    locked = Copy(two)
    for path in (locked.path, *locked.path.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    verified("a folder that may only be read", locked.path, 0, "certified", held={"added", "taken"})


two = made("two", "compile", source("added.tk", SUM))
made("two", "compile", source("taken.tk", DIFFERENCE))
gradients = made("gradients", "grad", source("square.tk", SQUARE))
made("gradients", "grad", source("cube.tk", CUBE))
proofs = made("proofs", "check", source("rules.gsl", RULES))
names = json.loads((gradients / "manifest.json").read_text())["kernels"].keys()
verified("honest kernels", two, 0, "2 certified", held={"added", "taken"})
verified("honest gradients", gradients, 0, "proven", held=names)
verified("honest rules", proofs, 0, "2 proven", held={"twice", "back"})
for part in (changed_places, (consistent_edits), strange_names, strange_files, programs_and_libraries, kept_answers, streams):
    part(*((two, gradients) if part is changed_places else (two,)))
sources_that_look_otherwise()
rules(proofs)
equalities()
weights_beside()
verified("honest kernels, in the end", two, 0, "2 certified", held={"added", "taken"})
subprocess.run(["rm", "-rf", place], check=True)
checks.end()

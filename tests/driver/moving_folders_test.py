"""Folders that change while `vouch verify` reads them or waits for Coq: a file swapped after it was compared, a model swapped between its
hash and its reading, a pipe put in a file's place. No answer is given of what was not read, and nothing is waited for.

    moving_folders_test.py VOUCH ROOT [all]"""
import hashlib
import json
import os
import pathlib
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
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
SUM = "kernel added;\nsize n;\nin a, b;\nout r;\nr<n>[i] = a<n>[i] + b<n>[i];\n"
ALL = "all" in sys.argv[3:]
ROUNDS = 25 if ALL else 6


def run(*words, environment=None, seconds=120):
    done = subprocess.run([VOUCH, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=seconds,
                          env=os.environ | {"VOUCH_CACHE": str(place / "cache"), "VOUCH_KEY": str(place / "key")} | (environment or {}))
    return done.returncode, done.stdout + done.stderr


MOVES = [("a text that is changed", "echo >> {0}/added.c", "added.c"), ("a text that is another file of the same bytes", "cp {0}/added.h {0}/x && mv {0}/x {0}/added.h", "added.h"),
         ("a text that is changed and back", "cp {0}/added.c {1}/kept && echo >> {0}/added.c && cat {1}/kept > {0}/added.c", "added.c"),
         ("a text that goes", "rm -f {0}/added.v", "added.v"), ("a header that comes", "mkdir -p {0}/sub && touch {0}/sub/math.h", "sub/math.h"),
         ("a link that comes", "ln -sf /etc/passwd {0}/added.c", "added.c")]


def moves():
    """Each alone with `all`; else two at once, in files of their own: both have to be named."""
    return MOVES if ALL else [tuple(f"{one}; {other}" for one, other in zip(a[:2], b[:2])) + (a[2], b[2]) for a, b in zip(MOVES[::2], MOVES[1::2])]


def while_coq_works(kernels):
    """A `coqc` that does something to the folder first, and is Coq then."""
    tools = place / "tools"
    tools.mkdir()
    for what, command, *named in moves():
        folder = place / "copy"
        shutil.copytree(kernels, folder)
        (tools / "coqc").write_text(f"#!/bin/sh\n[ \"$1\" = --print-version ] || {{ {command.format(folder, place)}; }}\nexec {shutil.which('coqc')} \"$@\"\n")
        (tools / "coqc").chmod(0o755)
        report = place / "answer.json"
        code, said = run("verify", "--again", folder, "--json", report, environment={"PATH": f"{tools}:{os.environ['PATH']}"})
        answer = json.loads(report.read_text())
        checks.that(code == 2 == answer["exit"], f"{what}: exit {code}: {said[:600]}")
        for name in named:
            expected = f"{name}: error: it changed while its folder was verified"
            checks.that(expected in said and any(name in error for error in answer["errors"]), f"{what}: {name} is not named: {said[:600]}")
        shutil.rmtree(folder)
    (kernels / "report.json").write_text("{}")
    code, said = run("verify", "--again", kernels, "--json", kernels / "report.json")
    checks.that(code == 0, f"what verify itself writes there is no change: exit {code}: {said[:400]}")
    (kernels / "report.json").unlink()


class Swapping(threading.Thread):
    """Puts one of two things at a path, and the other, again and again."""

    def __init__(self, path, one, other):
        super().__init__()
        self.path, self.things, self.over = path, (one, other), threading.Event()

    def run(self):
        at = 0
        while not self.over.is_set():
            os.link(self.things[at], place / "next")
            os.replace(place / "next", self.path)
            at = 1 - at

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.over.set()
        self.join()


def models_that_change():
    """The listed hash is that of a model that is not equal; the one that is equal lies there in turn."""
    folder = place / "equal"
    folder.mkdir()
    model = lambda nodes: json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": ["n", 4]}], "nodes": nodes, "outputs": [{"name": "y", "value": "y"}]})
    relu = lambda name, of: {"name": name, "op": "Relu", "operands": [of]}
    texts = {"honest.json": model([relu("y", "x")]), "b.json": model([relu("r", "x"), relu("y", "r")]), "lie.json": model([{"name": "y", "op": "Neg", "operands": ["x"]}])}
    for name, text in texts.items():
        (place / name).write_text(text)
    shutil.copy(place / "honest.json", folder / "a.json")
    shutil.copy(place / "b.json", folder / "b.json")
    trace = folder / "a.equalities.json"
    code, said = run("equiv", folder / "a.json", folder / "b.json", "--trace", trace)
    checks.that(code == 0 and run("verify", folder)[0] == 0, f"they are equal: {said}")
    listed = json.loads(trace.read_text())
    listed["models"][0]["hash"] = hashlib.sha256(texts["lie.json"].encode()).hexdigest()
    trace.write_text(json.dumps(listed, indent=2, ensure_ascii=False) + "\n")
    with Swapping(folder / "a.json", place / "honest.json", place / "lie.json"):
        answers = [run("verify", folder, "--json", "-") for _ in range(ROUNDS)]
    held = [said for code, said in answers if code == 0 or '"verdict": "holds"' in said]
    checks.that(not held, f"a model that is not equal was said to be, {len(held)} times of {ROUNDS}: {held[:1]}")


def pipes_in_their_place(kernels):
    """A pipe that nobody writes to, in turn with the file."""
    for name in ("added.source.tk", "manifest.json"):
        folder = place / "piped"
        shutil.copytree(kernels, folder)
        shutil.copy(folder / name, place / "file")
        os.mkfifo(place / "pipe")
        with Swapping(folder / name, place / "file", place / "pipe"):
            try:
                codes = {run("verify", folder, seconds=30)[0] for _ in range(ROUNDS)}
            except subprocess.TimeoutExpired:
                codes = {"waits for ever"}
        checks.that(codes <= {1, 2}, f"a pipe in turn with {name}: {codes}")
        for path in (folder, place / "pipe", place / "file"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


(place / "added.tk").write_text(SUM)
code, said = run("compile", place / "added.tk", "-o", place / "kernels")
checks.that(code == 0 and run("verify", place / "kernels")[0] == 0, f"an honest folder: {said}")
while_coq_works(place / "kernels")
models_that_change()
pipes_in_their_place(place / "kernels")
shutil.rmtree(place)
checks.end()

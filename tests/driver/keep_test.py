"""Files and streams that a model is written into, and what a model brings that is too much or no text: kept, or said, never lost."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
given = root / "tests" / "models" / "mnist" / "model.onnx"
rules = root / "rules" / "elementwise.gsl"
checks = Checks()


def optimize(model, *arguments, **options):
    return vouch("optimize", model, "--rules", rules, "--allow-unproven", *arguments, **options)


def ends_with(arguments, code, text, **environment):
    with open(os.devnull, "wb") as nothing:
        stdout = environment.pop("stdout", nothing)
        done = subprocess.run([sys.argv[1], *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **environment}, timeout=60)
    checks.that(done.returncode == code and text in done.stderr, f"{arguments}: exit {done.returncode}: {done.stderr}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    model, trace, again = folder / "model.onnx", folder / "t.json", folder / "again.onnx"
    shutil.copy(given, model)
    code, _, errors = optimize(model, "-o", model, "--trace", trace)
    checks.that(code == 0 and model.read_bytes() != given.read_bytes(), f"in place: {errors}")
    written = model.read_bytes()
    shutil.copy(given, model)
    code, _, errors = optimize(model, "-o", again, "--replay", trace)
    checks.that(code == 0 and again.read_bytes() == written, f"the trace of a run in place is not done again: {errors}")

    pipe = folder / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    code, _, errors = optimize(model, "-o", pipe)
    reader.join(timeout=10)
    checks.that(code == 0 and received == [written], f"a pipe: {errors}")
    checks.that(optimize(model, "-o", os.devnull)[0] == 0, "/dev/null")
    if pathlib.Path("/dev/shm").is_dir():
        with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
            code, out, errors = optimize(model, "-o", f"{memory}/new.onnx")
            checks.that(code == 0 and pathlib.Path(memory, "new.onnx").exists(), f"a new file in memory: exit {code}: {out}{errors}")
    code, _, errors = optimize(model, "-o", "/dev/full")
    checks.that(code == 3 and "cannot be written" in errors, f"/dev/full: exit {code}: {errors}")
    with open("/dev/full", "wb") as full:
        ends_with(["ops"], 3, "standard output", stdout=full)
    ends_with(["check", rules, "--rule", "relu_relu", "--recheck", "cvc5"], 3, "", TMPDIR="/nowhere")

    code, _, errors = optimize(model, "-o", folder / "apart.onnx", "--external-data")
    checks.that(code == 0 and (folder / "apart.onnx.data").stat().st_size > 10000, f"external data: {errors}")
    code, out, errors = vouch("run", folder / "apart.onnx", "--io", given.parent / "io")
    checks.that(code == 0, f"external data: {errors}{out}")

    wrong = folder / "wrong.onnx"
    wrong.write_bytes(given.read_bytes().replace(b"Parameter5", b"Paramet\xff\xfe5"))
    code, _, errors = optimize(wrong, "-o", again)
    checks.that(code == 3 and "not in UTF-8" in errors and r"\xff\xfe" in errors, f"a name: exit {code}: {errors}")
    strange = os.fsencode(folder) + b"/na\xffme.onnx"
    shutil.copy(given, strange)
    checks.that(optimize(os.fsdecode(strange), "--json", "-")[0] == 0, "a file's name that is not in UTF-8")
checks.end()

"""`pip install .` without a network, into an environment of its own, and the package as it is there; skipped without venv or pip.

    wheel_test.py ROOT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(sys.argv[1])
environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    made = subprocess.run([sys.executable, "-m", "venv", folder / "venv"], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"not run: no virtual environment can be made here (Debian: python3-venv): {made.stdout[-300:]}")
        sys.exit(77)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", root], check=True, env=environment)
    program = ("from vouch import Subst, op, pat; x = pat.Wildcard(); rule = Subst(op.Neg(op.Neg(x)), x); "
               "print(__import__('vouch').__file__); print(rule.check())")
    said = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout
    file, verdict = said.splitlines()
    assert file.startswith(str(folder)), file
    assert verdict == "sound (exact)", verdict
    model = root / "tests/models/mnist/model.onnx"
    done = subprocess.run([folder / "venv/bin/vouch", "optimize", model, "-o", folder / "small.onnx"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and (folder / "small.onnx").exists(), done.stderr  # by the rules in the wheel

    # From an installed tree nothing is built: it is there in seconds.
    subprocess.run(["cmake", "--install", root / "build/release", "--prefix", folder / "tree"], check=True, capture_output=True)
    began = time.monotonic()
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--force-reinstall", root], check=True,
                   env=environment | {"VOUCH_PREFIX": str(folder / "tree"), "PATH": f"{folder}/venv/bin:/usr/bin:/bin"})
    seconds = time.monotonic() - began
    assert subprocess.run([python, "-c", program], check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout == said
    assert seconds < 300, seconds
    print(f"figures: a wheel from an installed tree in {seconds:.0f} s")
    (folder / "tree/bin/vouch").write_text("#!/bin/sh\necho vouch 9.9.9\n")
    other = subprocess.run([python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--force-reinstall", root],
                           env=environment | {"VOUCH_PREFIX": str(folder / "tree")}, capture_output=True, text=True)
    assert other.returncode != 0 and "holds 'vouch 9.9.9'" in other.stdout + other.stderr, other.stdout + other.stderr

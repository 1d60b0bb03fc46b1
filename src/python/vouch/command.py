"""Kernels and libraries, by the command `vouch`: $VOUCH, or beside this package, or beside Python, or in $PATH."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from vouch._vouch import Error


def command():
    """The path of the command."""
    here = pathlib.Path(__file__).resolve()
    for path in (os.environ.get("VOUCH"), here.parents[2] / "vouch", pathlib.Path(sys.executable).parent / "vouch", shutil.which("vouch")):
        if path and pathlib.Path(path).is_file() and os.access(path, os.X_OK):
            return str(path)
    raise Error("the command 'vouch' is not there: set $VOUCH to its path")


def _run(*words, may=(0,)):
    done = subprocess.run([command(), *map(str, words)], capture_output=True, text=True)
    if done.returncode not in may:
        raise Error(done.stderr or done.stdout)
    return done


def _sizes(sizes):
    def text(value):
        return ",".join(map(str, value)) if hasattr(value, "__iter__") else value
    return [word for name, value in (sizes or {}).items() for word in ("--size", f"{name}={text(value)}")]


def compile(kernel, out, sizes=None):
    """C, header, certificate and manifest of a kernel (`.fun`, `.tk`, `.json`) in the folder `out`: its path."""
    _run("compile", "-o", out, *_sizes(sizes), "--", kernel)
    return pathlib.Path(out)


def grad(kernel, out, to=(), forward=False, sizes=None):
    """The gradient kernels (`forward`: tangents) of a kernel in index notation, in the folder `out`: their text."""
    targets = ["--to", ",".join(to)] if to else []
    return _run("grad", "-o", out, *targets, *(["--forward"] if forward else []), *_sizes(sizes), "--", kernel).stdout


def build(model, out, rules=(), sizes=None):
    """A C library of a model (a path or a `Workload`) in the folder `out`: its path. A size that may be one of several when the
    library is called has them all: `{"batch": [1, 2, 4]}`, `range(1, 9)`."""
    if hasattr(model, "save"):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            model.save(path)
            return build(path, out, rules, sizes)
    chosen = ["--rules", *rules] if rules else []
    _run("build", model, "-o", out, *chosen, *_sizes(sizes))
    return pathlib.Path(out)


def verify(*folders, again=False):
    """What Coq says of the certificates in folders, as `vouch verify --json` writes it. Raises `Error` for what cannot be read only."""
    return json.loads(_run("verify", "--json", "-", *(["--again"] if again else []), "--", *folders, may=(0, 1, 2)).stdout)

"""A library that `vouch build` wrote: compiled, loaded with ctypes, run on tensors of a folder, compared with its reference."""
import array
import ctypes
import json
import pathlib
import subprocess

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ROUNDING = ["-ffp-contract=off"]


def sources(folder):
    return [path for path in sorted([*folder.glob("*.c"), *folder.glob("kernels/*.c")]) if path.name != "example.c"]


def compile_shared(folder, out, compiler="gcc", flags=("-O2", "-fopenmp-simd")):
    """The shared object; raises with the compiler's words."""
    words = [compiler, *WARNINGS, *ROUNDING, *flags, "-shared", "-fPIC", "-o", out, *sources(folder), "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{compiler}: {done.stderr[:2000]}")
    return out


def tensors(io, prefix):
    """Floats of a folder's tensors by the name in the model."""
    found = {}
    for path in pathlib.Path(io).glob(f"{prefix}*.json"):
        about = json.loads(path.read_text())
        raw = path.with_name(f"{path.stem}.{about['type']}.bin").read_bytes()
        found[about["name"]] = array.array("f", raw)
    return found


def floats(count):
    return (ctypes.c_float * max(count, 1))()


class Loaded:
    def __init__(self, folder, shared):
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.name = self.manifest["recipe"]["name"]
        self.embedded = self.manifest["recipe"]["embed"]
        self.c = ctypes.CDLL(str(shared))
        self.weights = floats(self.manifest["memory"]["weight_bytes"] // 4)
        self.arena = floats(self.manifest["memory"]["arena_bytes"] // 4)
        self.by_file = not self.embedded and len(self.weights) > 1
        self.weights_path = folder / f"{self.name}.weights"

    def function(self, what):
        return getattr(self.c, f"{self.name}_{what}")

    def load(self, path=None, count=None):
        size = self.manifest["memory"]["weight_bytes"] // 4 if count is None else count
        return self.function("load_weights")(str(path or self.weights_path).encode(), self.weights, ctypes.c_size_t(size))

    def run(self, given, arena=None, arena_floats=None, weights=None, outputs=None):
        """The code, and the outputs by name."""
        outs = outputs or [floats(one["cells"]) for one in self.manifest["outputs"]]
        size = self.manifest["memory"]["arena_bytes"] // 4 if arena_floats is None else arena_floats
        words = [*given, *outs]
        words += [self.weights if weights is None else weights] if self.by_file else []
        code = self.function("run")(*words, self.arena if arena is None else arena, ctypes.c_size_t(size))
        return code, {one["name"]: out for one, out in zip(self.manifest["outputs"], outs)}

    def inputs(self, io):
        named = tensors(io, "in_")
        return [(ctypes.c_float * one["cells"])(*named[one["name"]]) for one in self.manifest["inputs"]]


def largest_error(found, expected):
    """Relative to the largest magnitude, per output; infinite where something is no number."""
    worst = 0.0
    for name, values in expected.items():
        scale = max(map(abs, values)) or 1.0
        for a, b in zip(found[name], values, strict=True):
            worst = max(worst, abs(a - b) / scale if a == a else float("inf"))
    return worst

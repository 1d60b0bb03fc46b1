"""A library's processor time without Python's: a loop in C calls it. `Clocked` is one that was built, compiled and loaded for that."""
import ctypes
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "driver"))
from library import ROUNDING, Loaded, sources  # noqa: E402

FLAGS = ["-std=c99", "-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", *ROUNDING]
LOOP = """#define _POSIX_C_SOURCE 200112L
#include <time.h>
#include "%(header)s"
double least(int runs, int times, void **at) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int k = 0; k < times; ++k) {
      if (%(name)s_run(%(words)s) != 0) return -1;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    double taken = ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / times;
    best = taken < best ? taken : best;
  }
  return best;
}
"""
SAMPLE = 0.1  # milliseconds at least between two looks at the clock, which takes some 0.0003


def loop(folder):
    """The C text that calls the library in that folder; its pointers are those of `Loaded.words`, in that order."""
    manifest = json.loads((folder / "manifest.json").read_text())
    name, floats = manifest["recipe"]["name"], manifest["memory"]["arena_cells"]["float32"]
    more = Loaded.more_arenas(manifest["memory"]["arena_cells"]) is not None
    by_file = not manifest["recipe"]["embed"] and manifest["memory"]["weight_cells"]["float32"] > 0
    words = [f"at[{k}]" for k in range(len(manifest["inputs"]) + len(manifest["outputs"]) + by_file + 1)]
    words += [f"{0 if more else floats}"] + ([f"at[{len(words)}]"] if more else [])
    return LOOP % {"header": folder / f"{name}.h", "name": name, "words": ", ".join(words)}


class Clocked:
    """`more`: other files and words for the compiler."""

    def __init__(self, folder, io, *more):
        made = folder.name + "".join(pathlib.Path(one).stem for one in more[:1])  # what is loaded under a name stays
        text, shared = folder.with_name(made + "_clock.c"), folder.with_name(made + ".so")
        text.write_text(loop(folder))
        subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", "-o", shared, text, *sources(folder), *more, "-lm"], check=True)
        self.library = Loaded(folder, shared)
        if self.library.by_file and self.library.load() != 0:
            sys.exit(f"{folder}: its weights cannot be read")
        self.given = self.library.inputs(io)
        self.times = 1

    def run(self):
        return self.library.run(self.given)

    def least(self, runs):
        """Microseconds of one inference, the least of so many."""
        words = [one for one in self.library.words(self.given, self.library.outputs()) if not isinstance(one, ctypes.c_size_t)]
        at = (ctypes.c_void_p * len(words))(*(ctypes.cast(one, ctypes.c_void_p) for one in words))
        least = self.library.c.least
        least.restype = ctypes.c_double
        taken = least(max(1, runs // self.times), self.times, at) * 1e6
        self.times = max(1, round(1e3 * SAMPLE / taken))
        return taken

"""What a library says of itself is so: shapes, sizes, codes and messages of its header, the node of each call, several threads at once, memory
that cannot be had; and what `vouch build` does meanwhile: a bar on a terminal, files that have their bytes left alone.

    build_documented_test.py VOUCH ROOT"""
import array
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch, bars, on_terminal
from library import ROUNDING, WARNINGS, Loaded, compile_shared, node, put_npy, sources, tensors

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2]).resolve()
MNIST = ROOT / "tests/models/mnist"
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
CODES = ["OK", "NULL", "ARENA", "ALIGNMENT", "OVERLAP", "WEIGHTS", "FILE", "MEMORY"]


def build(name, model, *words):
    code, out, err = vouch("build", model, "-o", place / name, "--name", "digits", *words, limited=False, seconds=300)
    checks.that(code == 0, f"{name} is built: exit {code}: {out}{err}")
    return place / name


def model_of(name, dims, *nodes):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": dims}], "nodes": list(nodes),
                                "outputs": [{"name": "y", "value": nodes[-1]["name"]}]}))
    return path


def check_header(folder):
    about, header = json.loads((folder / "manifest.json").read_text()), (folder / "digits.h").read_text()
    for kind, verb in (("inputs", "reads"), ("outputs", "writes")):
        for k, one in enumerate(about[kind]):
            shape = ", ".join(map(str, one["dims"]))
            checks.that(re.search(rf"{verb} +{one['parameter']}: float\[{shape}\], '{one['name']}' of the model", header), f"{one} is documented")
            checks.that(f"#define DIGITS_{kind[:-1].upper()}_{k}_FLOATS {one['cells']}\n" in header, f"{one}: its number of elements")
    memory = about["memory"]
    for text in (f"#define DIGITS_ARENA_FLOATS {memory['arena_cells']['float32']}\n", f"#define DIGITS_WEIGHT_FLOATS {memory['weight_cells']['float32']}\n",
                 f"live intermediate tensors: {memory['least_bytes']} bytes; the arena: {memory['arena_bytes']} bytes", "row-major", "several threads"):
        checks.that(text in header, f"the header says '{text.strip()}'")
    checks.that([name for name, _ in re.findall(r"DIGITS_([A-Z]+) = (\d+)", header)] == CODES, "the codes")
    library = ctypes.CDLL(str(compile_shared(folder, place / f"{folder.name}.so")))
    library.digits_message.restype = ctypes.c_char_p
    said = {library.digits_message(code) for code in range(len(CODES))}
    checks.that(len(said) == len(CODES) and all(said) and library.digits_message(99), f"a message for each: {said}")


def check_calls(folder):
    """Each line of the plan names operator and node of the model, as the manifest does."""
    calls = json.loads((folder / "manifest.json").read_text())["calls"]
    lines = re.findall(r"^  (digits_\w+)\(.*\); /\* (.*) \*/$", (folder / "digits_plan.c").read_text(), re.MULTILINE)
    wanted = [(call["kernel"], ", ".join(f"{one['op']}: {one['name']}" for one in call["nodes"])) for call in calls]
    checks.that(len(lines) > 5 and lines == wanted, f"{lines}, expected {wanted}")


def check_progress():
    words = [vouch.program, "build", MNIST / "model.onnx", "-o", place / "drawn"]
    code, said = on_terminal(words, "xterm")
    checks.that(code == 0 and bars(said, "build")[-1:] == [(9, 9)], f"bars, and no trace of them is left: {said!r}")
    checks.that(on_terminal(words, "dumb") == (0, ""), "a terminal that cannot go back gets none")
    checks.that(vouch("build", MNIST / "model.onnx", "-o", place / "drawn", limited=False)[2] == "", "and no file either")


def times(folder):
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def check_left_alone(folder):
    """Written again is what makes the folder a library; with other weights, those and what says their bytes."""
    before = times(folder)
    build(folder.name, MNIST / "model.onnx")
    again = {name for name, when in times(folder).items() if before.get(name) != when}
    checks.that(again <= {"manifest.json", "CMakeLists.txt"}, f"files that have their bytes are left alone: {again}")
    parameter = lambda data: {"name": "w", "kind": "parameter", "type": "float32", "dims": [4], "data": data}
    first = build("other", model_of("first", [4], parameter([1, 2, 3, 4]), node("y", "Mul", "x", "w")))
    before = times(first)
    build("other", model_of("second", [4], parameter([1, 2, 3, 5]), node("y", "Mul", "x", "w")))
    again = {name for name, when in times(first).items() if before.get(name) != when}
    checks.that("digits.weights" in again and not any(name.startswith("kernels/") for name in again), f"other weights, the same kernels: {again}")


CALLERS = """#include "digits.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { kCallers = 4, kRuns = 8 };
static float x[DIGITS_INPUT_0_FLOATS], weights[DIGITS_WEIGHT_FLOATS];
static float y[kCallers][DIGITS_OUTPUT_0_FLOATS], arena[kCallers][DIGITS_ARENA_FLOATS];
static void *called(void *which) {
  size_t k = (size_t)((float (*)[DIGITS_OUTPUT_0_FLOATS])which - y);
  for (int run = 0; run < kRuns; ++run) {
    if (digits_run(x, y[k], weights, arena[k], DIGITS_ARENA_FLOATS) != DIGITS_OK) return which;
  }
  return NULL;
}
int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[2], "rb") : NULL;
  pthread_t threads[kCallers];
  if (file == NULL || fread(x, 4, DIGITS_INPUT_0_FLOATS, file) != DIGITS_INPUT_0_FLOATS || fclose(file) != 0) return 1;
  if (digits_load_weights(argv[1], weights, DIGITS_WEIGHT_FLOATS) != DIGITS_OK) return 2;
  for (int k = 0; k < kCallers; ++k) {
    if (pthread_create(&threads[k], NULL, called, y[k]) != 0) return 3;
  }
  for (int k = 0; k < kCallers; ++k) {
    void *wrong;
    if (pthread_join(threads[k], &wrong) != 0 || wrong != NULL || memcmp(y[k], y[0], sizeof y[0]) != 0) return 4;
  }
  file = fopen(argv[3], "wb");
  return file == NULL || fwrite(y[0], 4, DIGITS_OUTPUT_0_FLOATS, file) != DIGITS_OUTPUT_0_FLOATS || fclose(file) != 0 ? 5 : 0;
}
"""


def check_callers(folder):
    """Threads of the caller, each with an arena of its own and the same weights: no race, the same bits."""
    library = Loaded(folder, place / f"{folder.name}.so")
    checks.that(library.load() == 0, "its weights")
    expected = array.array("f", next(iter(library.run(library.inputs(MNIST / "io"))[1].values())))
    (place / "callers.c").write_text(CALLERS)
    (place / "x").write_bytes(bytes(next(iter(tensors(MNIST / "io", "in_").values()))))
    words = ["gcc", *WARNINGS, *ROUNDING, "-O1", "-g", "-fopenmp-simd", "-pthread", "-fsanitize=thread", "-I", folder, "-o", place / "callers",
             place / "callers.c", *sources(folder), "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"callers are compiled: {done.stderr[:1000]}")
    done = subprocess.run([str(word) for word in (place / "callers", folder / "digits.weights", place / "x", place / "y")], capture_output=True, text=True,
                          env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})
    checks.that(done.returncode == 0 and (place / "y").read_bytes() == bytes(expected), f"threads of the caller: exit {done.returncode} {done.stderr[:1000]}")
    shared = place / "race.c"  # what the sanitizer is to find: one arena for all
    shared.write_text(CALLERS.replace("arena[k], DIGITS", "arena[0], DIGITS"))
    done = subprocess.run([str(shared if word == place / "callers.c" else word) for word in words], capture_output=True, text=True)
    done = subprocess.run([str(word) for word in (place / "callers", folder / "digits.weights", place / "x", place / "y")], capture_output=True, text=True,
                          env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})
    checks.that(done.returncode != 0 and "data race" in done.stderr, f"one arena for all is a race: {done.stderr[:300]}")


MEMORY = """#include "digits.h"
#include <sys/resource.h>
int main(void) {
  struct rlimit limit = {1u << 28, 1u << 28};
  digits *model = NULL;
  return setrlimit(RLIMIT_AS, &limit) != 0 ? 1 : digits_open(&model) != DIGITS_MEMORY || model != NULL ? 2 : 0;
}
"""


def check_memory():
    folder = build("large", model_of("large", [1 << 28], node("a", "Exp", "x"), {"name": "p", "kind": "tuple", "operands": ["a", "a"]},
                                     node("b", "Concat", "p", axis=0), node("y", "Neg", "b")), "--no-rules", "--plain")
    (place / "memory.c").write_text(MEMORY)
    words = ["gcc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", *ROUNDING, "-O1", "-fopenmp-simd", "-I", folder, "-o", place / "memory", place / "memory.c", *sources(folder), "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"it compiles: {done.stderr[:800]}")
    done = subprocess.run([str(place / "memory")], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"memory that cannot be had is a code: exit {done.returncode} {done.stderr[:300]}")


def check_next():
    """The lines that `build` ends with do what they say, typed as they are, also of folders and tensors with odd names."""
    pixels, reference = (next(iter(tensors(MNIST / "io", kind).values())) for kind in ("in_", "out_"))
    there = place / "next steps"
    there.mkdir()
    put_npy(there / "Input3.npy", "float32", [1, 1, 28, 28], pixels)
    for folder, words in (("it's", []), ("plain", ["--embed"]), ("slashed/", ["--no-alloc"])):
        code, out, err = vouch("build", MNIST / "model.onnx", "-o", there / folder, *words, limited=False)
        lines = [line.removeprefix("  next   ").strip() for line in out.partition("  next ")[2].splitlines()]
        checks.that(code == 0 and len(lines) == 3 and lines[2].startswith("vouch verify "), f"{folder}: exit {code}: {out}{err}")
        for line in lines[:2]:
            done = subprocess.run(["sh", "-c", line], cwd=there, capture_output=True, text=True)
            checks.that(done.returncode == 0, f"{line}: exit {done.returncode}: {done.stdout[-400:]}{done.stderr[-400:]}")
        found = array.array("f", (there / "Plus214_Output_0.npy").read_bytes()[128:])
        (there / "Plus214_Output_0.npy").unlink()
        checks.that(len(found) == 10 and max(abs(a - b) for a, b in zip(found, reference)) < 1e-2, f"{folder}: {list(found)}")


digits = build("digits", MNIST / "model.onnx")
check_header(digits)
check_calls(digits)
check_progress()
check_left_alone(digits)
check_callers(digits)
check_memory()
check_next()
shutil.rmtree(place)
checks.end()

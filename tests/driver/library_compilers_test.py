"""What compilers and tools say of a library's C: sanitizers, stack; with `all` also coding rules and another machine. Tools that are not
there are named.

    library_compilers_test.py VOUCH ROOT [all]"""
import array
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch, users_cache
from library import ROUNDING, WARNINGS, sources, tensors

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2]).resolve()
MNIST = ROOT / "tests/models/mnist"
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")


def build(what, *words):
    code, out, err = vouch("build", MNIST / "model.onnx", "-o", place / what, "--name", "digits", *words, limited=False, seconds=600)
    checks.that(code == 0, f"{what}: {out}{err}")
    return place / what


def run(*words, **how):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, **how)


def there(*tools):
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        print(f"not run: {', '.join(missing)} not there")
    return not missing


MAIN = """#include "digits.h"
#include <stdio.h>
static float x[DIGITS_INPUT_0_FLOATS], y[DIGITS_OUTPUT_0_FLOATS], arena[DIGITS_ARENA_FLOATS + 1];
int main(int argc, char **argv) {
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(x, 4, DIGITS_INPUT_0_FLOATS, file) != DIGITS_INPUT_0_FLOATS || fclose(file) != 0) return 2;
  if (digits_run(x, y, arena, DIGITS_ARENA_FLOATS) != DIGITS_OK) return 3;
  file = fopen(argv[2], "wb");
  return file == NULL || fwrite(y, 4, DIGITS_OUTPUT_0_FLOATS, file) != DIGITS_OUTPUT_0_FLOATS || fclose(file) != 0 ? 4 : 0;
}
"""


def program(what, folder, compiler, *flags):
    (place / "main.c").write_text(MAIN)
    words = [compiler, *WARNINGS, *ROUNDING, *flags, "-I", folder, "-o", place / what, place / "main.c", *sources(folder), "-lm"]
    done = run(*words)
    checks.that(done.returncode == 0, f"{what} is compiled: {done.stderr[:1500]}")
    return place / what


def ran(what, *words, **how):
    """The bytes of the output."""
    (place / "y").unlink(missing_ok=True)
    done = run(*words, place / "x", place / "y", **how)
    checks.that(done.returncode == 0 and not done.stderr.strip(), f"{what} runs: exit {done.returncode} {done.stderr[:1500]}")
    return (place / "y").read_bytes() if (place / "y").exists() else b""


def archer():
    """LLVM's OpenMP library tells ThreadSanitizer of its barriers by this tool. gcc's does not."""
    found = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libarcher.so"))
    return found[-1] if found else None


def check_threads(folder, expected):
    tool = archer()
    if not there("clang") or tool is None:
        print("not run: the thread sanitizer needs clang and LLVM's libarcher (libomp-dev)")
        return
    flags = ["-O1", "-g", "-fopenmp", "-fsanitize=thread"]
    environment = {**os.environ, "OMP_NUM_THREADS": "4", "OMP_TOOL_LIBRARIES": str(tool),
                   "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 halt_on_error=1"}
    found = ran("under the thread sanitizer", program("threads", folder, "clang", *flags), env=environment)
    checks.that(found == expected, "four threads change no bit")
    race = place / "race"
    shutil.copytree(folder, race)
    kernel = next(path for path in sorted((race / "kernels").iterdir()) if "#pragma omp parallel for" in path.read_text())
    text = kernel.read_text()
    first = re.search(r"#pragma omp parallel for\n *for \([^{]*\{\n", text)
    name = re.search(r"float \*restrict (\w+)\) \{", text)[1]
    kernel.write_text(text[:first.end()] + f"      {name}[0] += 1.0f;\n" + text[first.end():])
    done = run(program("race_found", race, "clang", *flags), place / "x", place / "y", env=environment)
    checks.that(done.returncode != 0 and "data race" in done.stderr, f"and a race that is put there is found: {done.stderr[:500]}")


def check_sanitized(folder, expected):
    for compiler in ("gcc", "clang"):
        if there(compiler):
            flags = ["-O0", "-g", "-fopenmp-simd", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
            found = ran(f"{compiler}, sanitized", program(f"{compiler}_sanitized", folder, compiler, *flags))
            checks.that(found == expected, f"sanitized by {compiler}, no bit differs")


def frames(folder, compiler, *flags):
    """The sum of all frames, as `-fstack-usage` has them: no chain of calls without recursion is deeper."""
    scratch = place / "frames"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    done = run(compiler, "-c", "-fstack-usage", "-std=c99", *ROUNDING, *flags, "-I", folder, *sources(folder), cwd=scratch)
    checks.that(done.returncode == 0, done.stderr[:500])
    lines = [line.split("\t") for path in scratch.glob("*.su") for line in path.read_text().splitlines()]
    checks.that(lines and all("dynamic" not in kind or "bounded" in kind for _, _, kind in lines), f"every frame is bounded: {lines}")
    return {name.split(":")[-1]: int(size) for name, size, _ in lines}


def check_stack(folder):
    """The bound that --trust prints is between the largest frame and the sum of all; a run with that much stack and no more ends well."""
    with users_cache():
        code, out, err = vouch("verify", folder, "--trust", limited=False, seconds=600)
    found = re.search(r"stack +(\d+) bytes for digits_run, (\d+) for any function", out)
    if not there("gcc"):
        return
    checks.that(found is not None, f"--trust bounds the stack: {out[-1500:]}{err}")
    if found is None:
        return
    of_run, of_any = map(int, found.groups())
    of = frames(folder, "gcc", "-O3", "-fno-math-errno", "-fopenmp-simd")
    most = max(size for name, size in of.items() if not name.endswith("_checked"))
    deepest = of["digits_run"] + of["digits_plan"] + max(size for name, size in of.items() if re.match(r"digits_\d", name)) if "digits_plan" in of else 0
    checks.that(most < of_run <= of_any <= sum(of.values()) + 8 * len(of), f"stack {of_run}, {of_any}; frames {of}")
    checks.that(deepest <= of_run <= deepest + 64, f"stack {of_run}; the chain of run, plan and the largest kernel {deepest}")
    print(f"stack: {of_run} bytes to run, {of_any} at most")
    environment = {**os.environ, "PATH": "/nowhere"}
    done = run(vouch.program, "verify", folder, "--trust", env=environment)
    checks.that("not bounded here: gcc was not found" in done.stdout, f"without gcc: {done.stdout[-800:]}")


# MISRA C:2012 by cppcheck: rules that the text departs from, all advisory or stylistic here; docs/build.md says why. No other rule is.
DEPARTED = {"2.2", "2.3", "2.4", "2.5", "5.9", "8.2", "8.4", "8.7", "10.4", "11.4", "11.5", "11.6", "12.1", "12.3", "14.4", "15.5", "15.6",
            "17.7", "19.2", "21.1", "21.3", "21.6"}
NO_ALLOC = {"11.5", "21.3"}  # are not departed from with --no-alloc
TIDY = "-*,misc-no-recursion,clang-analyzer-*,bugprone-*,cert-flp30-c,cert-err34-c,-bugprone-easily-swappable-parameters," \
       "-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result"


PLANTED = "int again(int n);\nint again(int n) { if (n > 9) goto out; return again(n + 1); out: return n; }\n"


def tidied(*words):
    return run("clang-tidy", "--quiet", f"--checks={TIDY}", "--warnings-as-errors=*", *words)


def departures(folder, files=None):
    done = run("cppcheck", "--addon=misra", "--enable=style", "--suppress=missingIncludeSystem", "-q", *(files or sources(folder)), cwd=folder)
    return set(re.findall(r"\[misra-c2012-([\d.]+)\]", done.stderr)), done


def check_habits(folder, own):
    if there("cppcheck"):
        found, done = departures(own)
        checks.that(found and found <= DEPARTED, f"departures from MISRA: {found - DEPARTED}; {done.stderr[:500]}")
        kernels = {path.name: path.read_bytes() for path in (own / "kernels").iterdir()}
        checks.that(all(kernels.get(path.name) == path.read_bytes() for path in (folder / "kernels").iterdir()), "its kernels are those of the other library")
        found, _ = departures(folder, [path for path in sources(folder) if path.parent == folder])
        checks.that(found <= DEPARTED - NO_ALLOC, f"with --embed --no-alloc: {found - (DEPARTED - NO_ALLOC)}")
        planted = place / "planted"
        shutil.copytree(folder, planted)
        with (planted / "digits.c").open("a") as file:
            file.write(PLANTED)
        found, _ = departures(planted, [planted / "digits.c"])
        checks.that("15.1" in found, f"a jump that is put there is found: {found}")
    if there("clang-tidy"):
        done = tidied(*sources(own), own / "example.c", "--", "-std=c99", "-I", own)
        checks.that(done.returncode == 0, f"clang-tidy: {done.stdout[:2000]}")
        (place / "planted.c").write_text(PLANTED)
        done = tidied(place / "planted.c", "--", "-std=c99")
        checks.that(done.returncode != 0 and "misc-no-recursion" in done.stdout, f"a recursion that is put there is found: {done.stdout}")


def check_pointers(folder):
    """The only thing that is called is a name."""
    text = "".join(path.read_text() for path in sources(folder))
    checks.that(re.search(r"\(\s*\*\s*\w+\s*\)\s*\(", text) is None, "no call through a pointer, no type of one")


ARM = "arm-linux-gnueabihf-gcc"


def check_arm(folder, expected):
    """A machine of 32 bits. Its C library's functions are others; those of this model are none."""
    if there(ARM, "qemu-arm"):
        there_run = ran("on ARM", "qemu-arm", program("arm", folder, ARM, "-O2", "-static", "-fopenmp-simd"))
        checks.that(there_run == expected, "a machine of 32 bits gives the same bits")


own = build("own")
folder = build("embedded", "--embed", "--no-alloc")
(place / "x").write_bytes(bytes(next(iter(tensors(MNIST / "io", "in_").values()))))
expected = ran("the library", program("native", folder, "gcc", "-O2", "-fopenmp-simd"))
reference = next(iter(tensors(MNIST / "io", "out_").values()))
values = array.array("f", expected)
checks.that(len(values) == len(reference) and max(abs(a - b) for a, b in zip(values, reference)) <= 1e-4 * max(map(abs, reference)),
            "it computes the model")
check_sanitized(folder, expected)
check_threads(folder, expected)
check_stack(own)
check_pointers(own)
if "all" in sys.argv[3:]:
    check_habits(folder, own)
    check_arm(folder, expected)
shutil.rmtree(place)
checks.end()

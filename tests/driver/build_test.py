"""`vouch build`: the library of a model compiles without a warning, computes what the model computes, says by a code what is wrong with
what it is given, and comes out the same every time. With `all`: every shared model that certificates cover."""
import array
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import SKIPPED, Checks, Vouch
from library import ROUNDING, SIZES, WARNINGS, Loaded, compile_shared, floats, largest_error, put_npy, sources, tensors

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
SHARED = pathlib.Path(os.environ.get("VOUCH_SHARED", ROOT / "../shared"))
MNIST = ROOT / "tests/models/mnist"
TOLERANCE = 1e-4
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")

OK, NULL, ARENA, ALIGNMENT, OVERLAP, WEIGHTS, FILE = range(7)


def build(what, model, *words, status=0, texts=()):
    folder = place / what
    words = words if {"--rules", "--shipped"} & set(words) else (*words, "--no-rules")
    words = [word for word in words if word != "--shipped"]
    code, out, err = vouch("build", model, "-o", folder, *words, limited=False, seconds=600)
    missing = [text for text in texts if text not in out + err]
    checks.that(code == status and not missing, f"{what}: exit {code}, expected {status} and {missing}: {(out + err)[:1500]}")
    return folder


def loaded(folder, compiler="gcc", **how):
    library = Loaded(folder, compile_shared(folder, place / f"{folder.name}_{compiler}.so", compiler, **how))
    checks.that(not library.by_file or library.load() == OK, f"{folder.name}: its weights are its weights")
    return library


def agrees(what, library, io):
    code, found = library.run(library.inputs(io))
    error = largest_error(found, tensors(io, "out_"))
    checks.that(code == OK and error <= TOLERANCE, f"{what}: code {code}, error {error}")
    return {name: bytes(out) for name, out in found.items()}


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def graph(name, inputs, nodes, outputs):
    path = place / f"{name}.json"
    path.write_text(json.dumps({
        "vouch": 1, "inputs": [{"name": n, "type": t, "dims": d} for n, t, d in inputs], "nodes": nodes,
        "outputs": [{"name": n, "value": v} for n, v in outputs]}))
    return path


def compilers():
    return [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]


def check_forms():
    plain = build("plain", MNIST / "model.onnx", "--name", "digits", texts=["12 operators", "live at once"])
    again = build("again", MNIST / "model.onnx", "--name", "digits")
    checks.that(files(plain) == files(again), "the same model gives the same bytes")
    shipped = build("shipped", MNIST / "model.onnx", "--shipped", "--name", "digits")
    named = build("named", MNIST / "model.onnx", "--rules", pathlib.Path(sys.argv[2]) / "rules", "--name", "digits")
    checks.that(files(shipped) == files(named) != files(plain), "without --rules the shipped rules are taken")
    libraries = {compiler: loaded(plain, compiler) for compiler in compilers()}
    bits = {compiler: agrees(f"digits by {compiler}", library, MNIST / "io") for compiler, library in libraries.items()}
    checks.that(len({tuple(one.items()) for one in bits.values()}) == 1, "compilers agree bit for bit")
    threads = loaded(build("threads", MNIST / "model.onnx", "--threads", "--name", "digits"), flags=("-O3", "-fopenmp"))
    checks.that(agrees("on threads", threads, MNIST / "io") == bits["gcc"], "threads change no bit")
    embedded = build("embedded", MNIST / "model.onnx", "--embed", "--no-alloc", "--name", "digits")
    checks.that(agrees("embedded", loaded(embedded), MNIST / "io") == bits["gcc"], "embedded weights change no bit")
    text = "".join(path.read_text() for path in sources(embedded))
    checks.that(not any(word in text for word in ("malloc", "calloc", "memalign")), "--no-alloc takes no memory")
    return libraries["gcc"]


def check_codes(library):
    given = library.inputs(MNIST / "io")
    nothing = ctypes.POINTER(ctypes.c_float)()
    cells = len(library.arena)
    name = library.manifest["outputs"][0]["cells"]
    checks.that(library.run([nothing])[0] == NULL, "a null input is told")
    checks.that(library.run(given, outputs=[nothing])[0] == NULL, "a null output is told")
    checks.that(library.run(given, weights=nothing)[0] == NULL, "null weights are told")
    checks.that(library.run(given, arena=nothing)[0] == NULL, "a null arena is told")
    checks.that(library.run(given, arena_floats=cells - 1)[0] == ARENA, "a small arena is told")
    checks.that(library.run(given, outputs=[given[0]])[0] == OVERLAP, "an output over an input is told")
    checks.that(library.run(given, arena=library.weights, arena_floats=cells)[0] == OVERLAP, "an arena over weights is told")
    odd = ctypes.cast(ctypes.addressof(floats(name + 1)) + 2, ctypes.POINTER(ctypes.c_float))
    checks.that(library.run(given, outputs=[odd])[0] == ALIGNMENT, "a misaligned output is told")
    checks.that(library.run(given, arena_floats=cells)[0] == OK, "and what is right runs")


def check_weights(library):
    good = library.weights_path.read_bytes()
    wrong = place / "wrong.weights"
    for what, bytes_given in (("a flipped bit", bytes([good[0] ^ 1]) + good[1:]), ("a missing cell", good[:-4]), ("no cell", b""),
                              ("one byte more", good + b"x")):
        wrong.write_bytes(bytes_given)
        checks.that(library.load(wrong) == WEIGHTS, f"weights with {what} are told")
    checks.that(library.load(place / "nowhere") == FILE, "a missing file is told")
    checks.that(library.load(count=1) == WEIGHTS, "another number of floats is told")
    checks.that(library.load() == OK, "the right ones are taken")
    library.weights[3] += 1
    count = ctypes.c_size_t(len(library.weights))
    checks.that(library.function("check_weights")(library.weights, count) == WEIGHTS, "changed weights are told")
    checks.that(library.load() == OK, "and the right ones again")


def check_example():
    folder = place / "plain"
    about = json.loads((folder / "manifest.json").read_text())
    if shutil.which("cmake"):
        tree = place / "tree"
        words = [["cmake", "-S", folder, "-B", tree], ["cmake", "--build", tree]]
        done = [subprocess.run([str(w) for w in one], capture_output=True, text=True) for one in words]
        checks.that(all(one.returncode == 0 and "warning" not in one.stderr for one in done), f"CMake builds it: {done[-1].stderr[:800]}")
        program = tree / "digits_example"
    else:
        program = place / "digits_example"
        subprocess.run(["gcc", *WARNINGS, *ROUNDING, "-fopenmp-simd", "-O2", "-o", program, *sources(folder), folder / "example.c", "-lm"],
                       check=True)
    put_npy(place / "x.npy", "float32", about["inputs"][0]["dims"], next(iter(tensors(MNIST / "io", "in_").values())))
    words = [program, folder / "digits.weights", place / "x.npy", place / "y.npy"]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    found = array.array("f", (place / "y.npy").read_bytes()[128:]) if done.returncode == 0 else []
    error = largest_error({"y": found}, {"y": next(iter(tensors(MNIST / "io", "out_").values()))}) if found else float("inf")
    checks.that(done.returncode == 0 and error <= TOLERANCE, f"the example runs: {done.stderr}, error {error}")
    put_npy(place / "x.npy", "float32", [28, 28], array.array("f", [0] * 784))
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    checks.that(done.returncode == 1 and "shape (1, 1, 28, 28)" in done.stderr, f"the example says which shape it wants: {done.stderr}")


def check_sanitized():
    """The example, under the sanitizers of addresses and of undefined behaviour."""
    folder, program = place / "plain", place / "sanitized"
    flags = ["-fopenmp-simd", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    words = ["gcc", *WARNINGS, *ROUNDING, *flags, "-o", program, *sources(folder), folder / "example.c", "-lm"]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"it compiles with sanitizers: {done.stderr[:800]}")
    put_npy(place / "x.npy", "float32", [1, 1, 28, 28], next(iter(tensors(MNIST / "io", "in_").values())))
    done = subprocess.run([str(w) for w in (program, folder / "digits.weights", place / "x.npy", place / "z.npy")], capture_output=True,
                          text=True)
    checks.that(done.returncode == 0 and (place / "z.npy").read_bytes() == (place / "y.npy").read_bytes(),
                f"sanitizers find nothing, and no bit differs: {done.stderr[:800]}")


CXX = """#include <digits.h>
int main(int argc, char **argv) {
  digits *model = nullptr;
  if (digits_open("nowhere", &model) != DIGITS_FILE || model != nullptr || argc != 2) return 1;
  if (digits_open(argv[1], &model) != DIGITS_OK) return 2;
  static float x[DIGITS_INPUT_0_FLOATS], y[DIGITS_OUTPUT_0_FLOATS];
  int code = digits_call(model, x, y);
  digits_close(model);
  return code == DIGITS_OK && digits_call(nullptr, x, y) == DIGITS_NULL ? 0 : 3;
}
"""


def check_cxx():
    (place / "main.cpp").write_text(CXX)
    folder, program = place / "plain", place / "main"
    words = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", folder, "-o", program, place / "main.cpp",
             place / "plain_gcc.so"]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"a C++ program takes the header: {done.stderr[:800]}")
    done = subprocess.run([str(program), str(folder / "digits.weights")], check=False)
    checks.that(done.returncode == 0, f"a C++ program opens, calls and closes: {done.returncode}")


def check_exact():
    """Elements that are only moved: bit-equal to the interpreter, signed zeros included."""
    model = graph("moves", [("x", "float32", [2, "n", 4])], [
        {"name": "t", "op": "Transpose", "operands": ["x"], "attributes": {"perm": [1, 0, 2]}},
        {"name": "r", "op": "Relu", "operands": ["t"]},
        {"name": "pair", "kind": "tuple", "operands": ["t", "r"]},
        {"name": "y", "op": "Concat", "operands": ["pair"], "attributes": {"axis": 2}}], [("y", "y"), ("same", "x"), ("twice", "y")])
    io = place / "moves_io"
    io.mkdir()
    values = array.array("f", [(-1) ** k * k / 7 for k in range(24)])
    (io / "in_x.float32.bin").write_bytes(bytes(values))
    (io / "in_x.json").write_text(json.dumps({"name": "x", "type": "float32", "dims": [2, 3, 4]}))
    code, _, err = vouch("run", model, "--io", io, "--out", io)
    checks.that(code == 0, f"the interpreter runs: {err}")
    build("no_size", model, status=3, texts=["the model's size 'n' has no value", "--size n=1"])
    build("other_size", model, "--size", "n=3", "--size", "m=3", status=3, texts=["no size 'm'"])
    library = loaded(build("moves", model, "--size", "n=3"))
    code, found = library.run(library.inputs(io))
    expected = tensors(io, "out_")
    checks.that(code == OK and all(bytes(found[n]) == bytes(expected[n]) for n in expected) and len(expected) == 3,
                "moved elements are the interpreter's, bit for bit")


def check_refusals():
    model = graph("uncovered", [("x", "float32", [4]), ("k", "uint16", [0]), ("r", "float32", []), ("t", "bool", [])], [
        {"name": "d", "op": "Dropout", "operands": ["x", "r", "t"]},
        {"name": "e", "op": "Exp", "operands": ["d"]},
        {"name": "p", "op": "Add", "operands": ["k", "k"]}], [("y", "e"), ("z", "p")])
    folder = build("uncovered", model, status=3, texts=["input 'k'", "no elements", "node 'd' (Dropout)", "output 'z'"])
    checks.that(not folder.exists(), "nothing is written before all is known")
    mine = {place / "mine" / name: b"mine" for name in ("CMakeLists.txt", "example.c", "notes")}
    (place / "mine").mkdir()
    for path, text in mine.items():
        path.write_bytes(text)
    build("mine", MNIST / "model.onnx", status=3, texts=["CMakeLists.txt: error: this was there before", "example.c: error", "another folder"])
    checks.that({path: path.read_bytes() for path in (place / "mine").iterdir()} == mine, "files that no library wrote are left alone")
    (place / "mine" / "CMakeLists.txt").unlink()
    (place / "mine" / "example.c").unlink()
    build("mine", MNIST / "model.onnx")
    (place / "mine" / "kernels").rename(place / "elsewhere")
    (place / "mine" / "kernels").symlink_to(place / "elsewhere")
    before = files(place / "elsewhere")
    build("mine", MNIST / "model.onnx", "--plain", status=3, texts=["kernels: error: a link to another folder is not written into"])
    checks.that(files(place / "elsewhere") == before, "nothing is removed where a link leads")
    build("misnamed", MNIST / "model.onnx", "--name", "while", status=3, texts=["expected a name that C has free"])
    build("nowhere", place / "nowhere.onnx", status=3)


def check_killed():
    """Whenever it is killed: no manifest, or a whole library."""
    whole = files(place / "plain")
    folder = place / "killed"
    seen = set()
    for delay in (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2):
        process = subprocess.Popen([vouch.program, "build", MNIST / "model.onnx", "-o", folder, "--name", "digits", "--no-rules"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        there = {name: text for name, text in files(folder).items() if not name.endswith(".tmp")} if folder.exists() else {}
        seen.add("manifest.json" in there)
        checks.that("manifest.json" not in there or all(there.get(name) == text for name, text in whole.items()),
                    f"killed after {delay} s, what has a manifest is whole")
    build("killed", MNIST / "model.onnx", "--name", "digits")
    checks.that(all(files(folder).get(name) == text for name, text in whole.items()), "a rerun completes")
    build("killed", MNIST / "model.onnx", "--name", "digits", "--embed")
    checks.that(not (folder / "digits.weights").exists(), "what an earlier library had, and this one has not, is removed")


def check_shared(model, library):
    """By the reference; where the interpreter differs from that too (a fast sigmoid of ONNX Runtime's, say), by the interpreter."""
    code, found = library.run(library.inputs(model / "io"))
    error = largest_error(found, tensors(model / "io", "out_"))
    if error > TOLERANCE:
        out = place / f"{model.name}_interpreted"
        out.mkdir()
        vouch("run", model / "model.onnx", "--io", model / "io", "--out", out, limited=False, seconds=600)
        print(f"{model.name}: {error} from the reference, compared with the interpreter")
        error = largest_error(found, tensors(out, "out_"))
    checks.that(code == OK and error <= TOLERANCE, f"{model.name}: code {code}, error {error}")


def check_all():
    models = SHARED / "data/models"
    if not models.exists():
        print("not run: the shared models are not there")
        sys.exit(SKIPPED)
    for model in sorted(path.parent for path in models.glob("*/model.onnx")):
        sizes = [word for size in SIZES.get(model.name, []) for word in ("--size", size)]
        library = loaded(build(model.name, model / "model.onnx", *sizes), flags=("-O3", "-fopenmp-simd"))
        check_shared(model, library)
        memory = library.manifest["memory"]
        checks.that(memory["arena_bytes"] <= 1.1 * memory["least_bytes"], f"{model.name}: {memory}")
        print(f"{model.name}: runs, arena {memory['arena_bytes']} of at least {memory['least_bytes']} bytes")


if "all" in sys.argv[3:]:
    check_all()
else:
    digits = check_forms()
    check_codes(digits)
    check_weights(digits)
    check_example()
    check_sanitized()
    check_cxx()
    check_exact()
    check_refusals()
    check_killed()
shutil.rmtree(place)
checks.end()

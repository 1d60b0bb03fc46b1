"""`vouch build --size n=1,2,5`: one library with a plan for each choice of sizes, told when it is called. At each it gives the bits of the
library that is built for that one alone; other sizes are a code; weights and kernels that plans share are there once; what is tested of
pointers is that choice's; Coq proves the calls of every plan, and whatever is changed in the folder is named. With `all`: the shared
transformer, too."""
import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import Checks, Vouch, has_prover, users_cache
from library import C_TYPES, ROUNDING, WARNINGS, Loaded, compile_shared, floats, node, put_npy, sources, weights

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
SHARED = pathlib.Path(os.environ.get("VOUCH_SHARED", ROOT / "../shared"))
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
chance = random.Random(21)
PROVER = has_prover(vouch.program)
OK, NULL, ARENA, ALIGNMENT, OVERLAP, SIZE = 0, 1, 2, 3, 4, 8


def model(name, inputs, nodes, *outputs):
    path = place / f"{name}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": n, "type": t, "dims": d} for n, t, d in inputs], "nodes": nodes,
                                "outputs": [{"name": one, "value": one} for one in outputs]}))
    return path


def build(what, path, *words, status=0, texts=()):
    folder = place / what
    code, out, err = vouch("build", path, "-o", folder, *words, limited=False, seconds=600)
    missing = [text for text in texts if text not in out + err]
    checks.that(code == status and not missing, f"{what}: exit {code}, expected {status} and {missing}: {(out + err)[:1500]}")
    return folder


def size_words(at):
    return [word for name, value in at.items() for word in ("--size", f"{name}={value}")]


def drawn(about):
    """An input's elements."""
    limit = {"float32": 8, "int64": 7}[about["type"]]
    values = [chance.randrange(-limit * 8, limit * 8) / 8 if about["type"] == "float32" else chance.randrange(limit) for _ in range(about["cells"])]
    return (C_TYPES[about["type"]] * about["cells"])(*values)


def same_bits(what, path, told, choices, *words, flags=("-O2", "-fopenmp-simd")):
    """The library that is told its sizes, and one for each choice alone, on the same inputs; its folder."""
    folder = build(what, path, *told, *words)
    shared = compile_shared(folder, place / f"{what}.so", flags=flags)
    for at in choices:
        alone = build(f"{what}_alone", path, *size_words(at), *words)
        one = Loaded(alone, compile_shared(alone, place / f"{what}_{'_'.join(map(str, at.values()))}.so", flags=flags))
        library = Loaded(folder, shared, at)
        checks.that(not one.by_file or one.load() == library.load() == OK, f"{what}: weights are weights")
        given = [drawn(about) for about in one.manifest["inputs"]]
        checks.that([about["dims"] for about in library.plan["inputs"]] == [about["dims"] for about in one.manifest["inputs"]], f"{what}: shapes at {at}")
        code, found = library.run(given)
        expected = one.run(given)[1]
        checks.that(code == OK and all(bytes(found[name]) == bytes(out) for name, out in expected.items()),
                    f"{what} at {at}: code {code}, the bits of the library for these sizes alone")
    return folder, shared


DENSE = [weights(chance, "w", 24, 40), weights(chance, "b", 40), weights(chance, "v", 40, 6), node("m", "MatMul", "x", "w"), node("s", "Add", "m", "b"),
         node("t", "Tanh", "s"), node("p", "MatMul", "t", "v"), node("y", "Softmax", "p", axis=1)]
dense = model("dense", [("x", "float32", ["n", 24])], DENSE, "y")
# Indices are data, and so live in an arena of several types; one sum is over an axis that the caller chooses.
WORDS = [weights(chance, "table", 7, 16), weights(chance, "k", 16, 16), node("e", "Gather", "table", "ids", axis=0), node("q", "MatMul", "e", "k"),
         node("t", "Transpose", "e", perm=[0, 2, 1]), node("a", "MatMul", "q", "t"), node("s", "Softmax", "a", axis=2), node("y", "MatMul", "s", "e"),
         node("d", "Add", "ids", "ids")]
words_model = model("words", [("ids", "int64", ["batch", "tokens"])], WORDS, "y", "d")
N = {"n": (1, 2, 5)}


def check_bits():
    told, alone = ["--size", "n=1,2,5"], [{"n": n} for n in N["n"]]
    folder, shared = same_bits("dense", dense, told, alone)
    same_bits("threads", dense, told, alone, "--threads", flags=("-O3", "-fopenmp"))
    same_bits("fused", dense, told, alone, "--fma", flags=("-O2", "-fopenmp-simd"))
    same_bits("plain", dense, told, alone, "--plain")
    same_bits("chosen", dense, told, alone, "--lanes", "--reorder", "--targets", "generic,avx2")
    embedded, _ = same_bits("embedded", dense, told, alone, "--embed", "--no-alloc")
    checks.that(not any(word in path.read_text() for path in sources(embedded) for word in ("malloc", "calloc")), "--no-alloc takes no memory")
    two = [{"batch": b, "tokens": t} for b in (1, 3) for t in (2, 3, 4)]
    same_bits("words", words_model, ["--size", "batch=1,3", "--size", "tokens=2..4"], two)
    same_bits("fixed", words_model, ["--size", "batch=2", "--size", "tokens=5,9"], [{"batch": 2, "tokens": t} for t in (5, 9)][1:], "--embed")
    return folder, shared


def check_shared_parts(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    alone = [json.loads((build(f"one_{n}", dense, "--size", f"n={n}") / "manifest.json").read_text()) for n in N["n"]]
    most = max(one["memory"]["arena_bytes"] for one in alone)
    checks.that(manifest["memory"]["arena_bytes"] == most, "the arena is the largest plan's")
    all_weights = [one["memory"]["weight_bytes"] for one in alone]
    checks.that(max(all_weights) <= manifest["memory"]["weight_bytes"] < sum(all_weights), f"weights are shared: {manifest['memory']}, {all_weights}")
    checks.that((folder / "dense.weights").stat().st_size == manifest["memory"]["weight_bytes"], "and are one file")
    checks.that([plan["sizes"] for plan in manifest["plans"]] == [{"n": n} for n in N["n"]] and manifest["told"][0]["values"] == [1, 2, 5], "the choices")
    calls = [[call["kernel"] for call in plan["calls"]] for plan in manifest["plans"]]
    kernels = {path.stem for path in (folder / "kernels").iterdir()}
    checks.that(kernels == {name for one in calls for name in one}, "each kernel is there once, and is called")
    twice = build("twice", dense, "--size", "n=1,2,5")
    rename = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    checks.that(rename == {path.name: path.read_bytes() for path in sorted(twice.rglob("*")) if path.is_file()}, "the same bytes again")
    before = {path: path.stat().st_mtime_ns for path in (twice / "kernels").iterdir()}
    build("twice", dense, "--size", "n=1,2,5")
    checks.that(before == {path: path.stat().st_mtime_ns for path in (twice / "kernels").iterdir()}, "what has its bytes is left alone")
    text = (folder / "report.txt").read_text()
    checks.that(all(f"with n={n}:" in text for n in N["n"]), "the report has each choice")
    header = (folder / "dense.h").read_text()
    checks.that("#define DENSE_N_2_INPUT_0_FLOATS 48" in header and "#define DENSE_INPUT_0_FLOATS 120" in header and "with n=5" in header
                and "int dense_run(size_t n, const float *x" in header, "the header has each choice, and the largest")
    trust = vouch("verify", folder, "--trust", limited=False, seconds=600)[1] if PROVER else ""
    checks.that(not PROVER or all(f"n={n}:" in trust for n in N["n"]) and "which of the plans" in trust, f"--trust has each choice: {trust[:3000]}")


def check_same_weights():
    """Where no kernel wants another order, they are those of one size; equal weights of one plan stay two, as each may be any."""
    plain = build("plain_weights", dense, "--size", "n=1..4", "--plain")
    one = build("plain_alone", dense, "--size", "n=3", "--plain")
    checks.that((plain / "dense.weights").read_bytes() == (one / "dense.weights").read_bytes(), "weights without copies are those of one size")
    same = [DENSE[0], {**DENSE[0], "name": "u", "dims": [40, 24]}, node("a", "MatMul", "x", "w"), node("y", "MatMul", "a", "u")]
    path = model("same", [("x", "float32", ["n", 24])], same, "y")
    folder = build("same", path, "--size", "n=1,2", "--plain", "--no-rules")
    checks.that(json.loads((folder / "manifest.json").read_text())["memory"]["weight_bytes"] == 2 * 4 * 24 * 40, "two weights, of both plans")
    for n in (1, 2):
        read = set(re.findall(r"weights \+ \d+", (folder / f"same_n_{n}_plan.c").read_text()))
        checks.that(read == {"weights + 0", "weights + 960"}, f"each where it lies, with n={n}: {read}")


def check_codes(folder, shared):
    for n in (0, 3, 4, 6, 2 ** 32 + 1, 2 ** 64 - 1):
        library = Loaded(folder, shared, {"n": n})
        checks.that(library.load() == OK and library.run([floats(24 * 5)], outputs=[floats(6 * 5)])[0] == SIZE, f"{n} is no size of this library")
        checks.that(library.run([ctypes.POINTER(ctypes.c_float)()], outputs=[floats(1)])[0] == SIZE, "and nothing else is looked at")
    checks.that(b"not made for these sizes" in ctypes.c_char_p(library_message(shared, SIZE)).value, "the code has a message")
    nothing = ctypes.POINTER(ctypes.c_float)()
    for n in N["n"]:
        library = Loaded(folder, shared, {"n": n})
        library.load()
        given = [floats(24 * n)]
        checks.that(library.run([nothing])[0] == NULL and library.run(given, outputs=[nothing])[0] == NULL, "null pointers are told")
        checks.that(library.run(given, arena_floats=library.arena_floats - 1)[0] == ARENA, "a small arena is told")
        both = floats(24 * n + 6 * n)
        after = ctypes.cast(ctypes.addressof(both) + 4 * 24 * n, ctypes.POINTER(ctypes.c_float))
        checks.that(library.run([both], outputs=[after])[0] == OK, f"an output right behind the input is none over it, with n={n}")
        over = ctypes.cast(ctypes.addressof(both) + 4 * (24 * n - 1), ctypes.POINTER(ctypes.c_float))
        checks.that(library.run([both], outputs=[over])[0] == OVERLAP, f"one over its last cell is, with n={n}")


def library_message(shared, code):
    message = ctypes.CDLL(str(shared)).dense_message
    message.restype = ctypes.c_void_p
    return message(code)


def check_example(folder):
    """By gcc with sanitizers, and on 32 bits where that compiler is there: the same bits."""
    programs = []
    for compiler, run, flags in (("gcc", [], ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]), ("arm-linux-gnueabihf-gcc", ["qemu-arm"], ["-static"])):
        if not shutil.which(compiler) or run and not shutil.which(run[0]):
            print(f"not run: {compiler} {run}")
            continue
        program = place / f"example_{compiler}"
        words = [compiler, *WARNINGS, *ROUNDING, "-fopenmp-simd", "-O1", *flags, "-o", program, *sources(folder), folder / "example.c", "-lm"]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{compiler}: {done.stderr[:800]}")
        programs.append([*run, program])
    for n in N["n"]:
        put_npy(place / "x.npy", "float32", [n, 24], [chance.randrange(-64, 65) / 32 for _ in range(24 * n)])
        outputs = []
        for program in programs:
            done = subprocess.run([str(word) for word in (*program, folder / "dense.weights", n, place / "x.npy", place / "y.npy")], capture_output=True, text=True)
            outputs.append((place / "y.npy").read_bytes() if done.returncode == 0 else done.stderr)
        checks.that(all(out == outputs[0] and f"({n}, 6)".encode() in out for out in outputs), f"the example runs with n={n}: {outputs}")
    for word, said in (("3", "not made for these sizes"), ("x", "not made"), ("1", "shape (1, 24)")):
        done = subprocess.run([str(w) for w in (*programs[0], folder / "dense.weights", word, place / "x.npy", place / "y.npy")], capture_output=True, text=True)
        checks.that(done.returncode == 1 and said in done.stderr, f"the example, told {word}: {done.stderr}")


def check_open(folder):
    """Memory of its own, by a program in C that asks for every size."""
    text = """#include "dense.h"
int main(int argc, char **argv) {
  static float x[DENSE_INPUT_0_FLOATS], y[DENSE_OUTPUT_0_FLOATS];
  size_t n[] = {5, 1, 2};
  dense *model;
  int k;
  if (argc != 2 || dense_open(argv[1], &model) != DENSE_OK) return 1;
  for (k = 0; k < 3; k += 1) {
    if (dense_call(model, n[k], x, y) != DENSE_OK) return 2;
  }
  k = dense_call(model, 3, x, y) == DENSE_SIZE && dense_call(model, 2, x, x) == DENSE_OVERLAP ? 0 : 3;
  dense_close(model);
  return k;
}
"""
    (place / "main.c").write_text(text)
    words = ["gcc", *WARNINGS, *ROUNDING, "-fopenmp-simd", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I", folder, "-o", place / "main",
             place / "main.c", *sources(folder), "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"a program of its own: {done.stderr[:800]}")
    done = subprocess.run([str(place / "main"), str(folder / "dense.weights")], capture_output=True, text=True)
    checks.that(done.returncode == 0, f"opens, calls at every size, closes: {done.returncode} {done.stderr[:500]}")
    if shutil.which("cmake"):
        done = [subprocess.run([str(word) for word in one], capture_output=True, text=True)
                for one in (["cmake", "-S", folder, "-B", place / "tree"], ["cmake", "--build", place / "tree"])]
        checks.that(all(one.returncode == 0 and "warning" not in one.stderr for one in done), f"CMake builds it: {done[-1].stderr[:800]}")


def check_refusals():
    for given in ("n=2,1", "n=1,1", "n=1,", "n=,1", "n=3..1", "n=1..", "n=1..x", "n=1,2..4", "n="):
        build("refused", dense, "--size", given, status=3, texts=[f"found '{given}'", "batch=1..8"])
    build("refused", dense, "--size", "n=0,1", status=3, texts=["at least 1, found n=0"])
    build("refused", dense, "--size", "n=1..65", status=3, texts=["at most 64 choices"])
    build("refused", words_model, "--size", "batch=1..8", "--size", "tokens=1..9", status=3, texts=["at most 64 choices"])
    build("refused", words_model, "--size", "batch=1..8", status=3, texts=["'tokens' has no value"])
    build("refused", dense, "--size", "n=1,2", "--size", "m=1,2", status=3, texts=["no size 'm'"])
    fixed = model("fixed", [("x", "float32", ["n", 4])], [weights(chance, "w", 2, 4), node("y", "Add", "x", "w")], "y")
    build("refused", fixed, "--size", "n=1..3", status=3, texts=["'y'", ", with n=3"])
    checks.that(not (place / "refused").exists(), "nothing is written before all is known")
    one = build("one_value", dense, "--size", "n=4..4")
    checks.that("told" not in json.loads((one / "manifest.json").read_text()), "of one value nothing is told")
    # Names that C or the library's texts have.
    odd = model("odd", [("k", "float32", ["wide", "for", 2]), ("plan_for", "float32", ["p", 2])],
                [node("r", "Relu", "k"), node("n", "Neg", "plan_for")], "r", "n")
    folder = build("odd", odd, "--size", "wide=1,2", "--size", "for=1,3", "--size", "p=2,3", "--no-rules")
    compile_shared(folder, place / "odd.so")
    compile_shared(build("odd_alone", odd, "--size", "wide=1", "--size", "for=1", "--size", "p=2"), place / "odd_alone.so")
    wide = model("wide", [("wide", "float32", [2]), ("n", "float32", [2])], [node("size", "Add", "wide", "n")], "size")
    compile_shared(build("wide", wide), place / "wide.so")


def verified(folder, status, *texts):
    code, out, err = vouch("verify", folder, limited=False, seconds=600)
    missing = [text for text in texts if text not in out + err]
    checks.that(code == status and not missing, f"{folder.name}: exit {code}, expected {status} and {missing}: {(out + err)[:1500]}")


def check_verified(folder):
    with users_cache():
        verified(folder, 0, *(f"dense_n_{n}" for n in N["n"]), "proven", "certified")
        code, out, _ = vouch("verify", folder, "--json", "-", limited=False, seconds=600)
    calls = json.loads(out)["library_calls"]
    chains = json.loads(out)["chains"]
    checks.that(code == 0 and [one["library"] for one in calls] == [one["library"] for one in chains] == [f"dense_n_{n}" for n in N["n"]]
                and all(one["verdict"] == "proven" and one["axioms"] == "none" for one in calls + chains), f"calls and chain of every plan: {calls}, {chains}")
    for number, path in enumerate(sorted(p for p in folder.rglob("*") if p.is_file())):
        name = str(path.relative_to(folder))
        copy = place / "copy"
        shutil.copytree(folder, copy)
        text = bytearray(path.read_bytes())
        text[(0, len(text) // 3, len(text) // 2, len(text) - 1)[number % 4]] ^= 1
        (copy / name).write_bytes(bytes(text))
        code, out, err = vouch("verify", copy, limited=False, seconds=600)
        checks.that(code in (1, 3), f"a changed byte of {name}: exit {code}: {(out + err)[:500]}")
        shutil.rmtree(copy)
    for what, change in (("two plans change places", lambda text: text.replace("case 0: dense_n_1_plan", "case 0: dense_n_2_plan")),
                         ("a size for another", lambda text: text.replace("{{1}, {2}, {5}}", "{{1}, {3}, {5}}")),
                         ("no test of sizes", lambda text: text.replace("  if (plan == 3) return DENSE_SIZE;\n", ""))):
        copy = place / "copy"
        shutil.copytree(folder, copy)
        source = copy / "dense.c"
        text = source.read_text()
        source.write_text(change(text))
        checks.that(change(text) != text, f"{what}: the text has it")
        verified(copy, 1, "dense.c", "not what the model gives")
        shutil.rmtree(copy)
    for sizes in ({"n": [1, 2]}, {"n": [1, 2, 4]}, {"n": 1}, {"n": [2, 1, 5]}, {"n": [1]}, {"n": [1, 1, 2]}, {"n": []}, {"n": [1, "2"]}):
        copy = place / "copy"
        shutil.copytree(folder, copy)
        manifest = json.loads((copy / "manifest.json").read_text())
        manifest["recipe"]["sizes"] = sizes
        (copy / "manifest.json").write_text(json.dumps(manifest))
        code, out, err = vouch("verify", copy, limited=False, seconds=600)
        checks.that(code in (1, 3), f"a recipe with {sizes}: exit {code}: {(out + err)[:500]}")
        shutil.rmtree(copy)


def check_killed(whole):
    """Whenever it is killed: no manifest, or a whole library; also where a library of one size lay there."""
    folder = build("killed", dense, "--size", "n=1", "--name", "dense")
    for delay in (0.02, 0.05, 0.1, 0.2, 0.4):
        process = subprocess.Popen([vouch.program, "build", dense, "-o", folder, "--size", "n=1,2,5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / "manifest.json").exists():
            files = json.loads((folder / "manifest.json").read_text())["files"]
            checks.that(all((folder / name).exists() for name in files), f"killed after {delay} s, what has a manifest is whole")
    build("killed", dense, "--size", "n=1,2,5")
    there = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    checks.that(there == {str(path.relative_to(whole)): path.read_bytes() for path in whole.rglob("*") if path.is_file()}, "a rerun completes")


def check_all():
    models = SHARED / "data/models"
    if models.exists():
        same_bits("transformer", models / "transformer/model.onnx", ["--size", "batch=1,2", "--size", "tokens=3,8"],
                  [{"batch": b, "tokens": t} for b in (1, 2) for t in (3, 8)])


dense_folder, dense_shared = check_bits()
check_shared_parts(dense_folder)
check_same_weights()
check_codes(dense_folder, dense_shared)
check_example(dense_folder)
check_open(dense_folder)
check_refusals()
check_killed(dense_folder)
if PROVER:
    check_verified(dense_folder)
if "all" in sys.argv[3:]:
    check_all()
shutil.rmtree(place)
checks.end()

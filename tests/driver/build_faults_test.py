"""`vouch build` and `vouch verify` of a library, under what machines do: killed at any moment, no room left, files that cannot be read,
bytes that changed, no prover. Nothing half-written is taken for whole, what is wrong is named, and a rerun completes.

    build_faults_test.py VOUCH ROOT [SEED]
    build_faults_test.py VOUCH ROOT all    four times as many moments, and more bytes"""
import array
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import Checks, Vouch, has_prover, heed_signals

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2]).resolve()
MODEL = ROOT / "tests/models/mnist/model.onnx"
ALL = "all" in sys.argv[3:]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 and not ALL else random.SystemRandom().randrange(1 << 32)
print(f"seed {SEED}")
chance = random.Random(SEED)
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(place / "cache")
PROVER = has_prover(vouch.program)

BUILDS = 60 if ALL else 16


def expect(what, done, statuses, *texts):
    code, out, err = done
    missing = [text for text in texts if text not in out + err]
    checks.that(code in statuses and not missing, f"{what}: exit {code}, expected {statuses} and {missing}: {(out + err)[-1500:]}")


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def unfinished(name):
    """What only writers have, and may leave where they are killed: a rerun takes it away."""
    return name == "manifest.json.tmp" or pathlib.Path(name).name.startswith(".vouch-")


def killed(words, seconds, begun=lambda: True):
    """Starts the command, and once it has begun (to write, say) kills it after that time; its exit code if it was faster."""
    process = subprocess.Popen([vouch.program, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_signals)
    while not begun() and process.poll() is None:
        pass
    time.sleep(seconds)
    ended = process.poll()
    if ended is None:
        process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    process.wait()
    return ended


def killed_within(longest, kind, words, *begun):
    """Whether the command was killed; where it was faster, the next of its kind is given less time: machines differ, and are busy."""
    alive = killed(words, chance.uniform(0, longest[kind]), *begun) is None
    longest[kind] *= 1 if alive else 0.7
    return alive


def check_killed_builds():
    """One folder, in turn the library with rules and the one without: at any moment one of them, whole, or none."""
    kinds = {"rules": [], "none": ["--no-rules", "--embed"]}
    wholes = {}
    for kind, words in kinds.items():
        begun = time.monotonic()
        expect(kind, vouch("build", MODEL, "-o", place / kind, "--name", "digits", *words, limited=False), [0])
        seconds = time.monotonic() - begun
        wholes[kind] = files(place / kind)
    folder = place / "killed"
    cut = writing = turn = 0
    longest = {"any": 1.5 * seconds, "writing": 0.008}
    while turn < BUILDS or (turn < 20 * BUILDS and min(cut, writing) < 3):
        command = ["build", MODEL, "-o", folder, "--name", "digits", *kinds[chance.choice(list(kinds))]]
        if turn % 3 == 0:
            cut += killed_within(longest, "any", command)
        else:
            shutil.rmtree(folder, ignore_errors=True) if turn % 3 == 1 else None
            old = (folder / "CMakeLists.txt").exists()
            writing += killed_within(longest, "writing", command, lambda: (folder / "CMakeLists.txt").exists() != old or (
                not old and folder.exists()))
        there = {name: text for name, text in files(folder).items() if not unfinished(name)} if folder.exists() else {}
        checks.that("manifest.json" not in there or there in wholes.values(), f"turn {turn}: what has a manifest is whole: {sorted(there)}")
        turn += 1
    print(f"of {turn} builds {cut} were killed at any moment, {writing} while they wrote")
    checks.that(cut >= 3 and writing >= 3, "some were killed")
    expect("rerun", vouch("build", MODEL, "-o", folder, "--name", "digits", limited=False), [0])
    checks.that(files(folder) == wholes["rules"], "a rerun completes, and leaves nothing of those before")


def small_library():
    """What a prover is asked of: two kernels; with `all` the model's. And what verify says of it."""
    if ALL:
        return place / "rules", "9 certified"
    small = place / "small.json"
    small.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [2, 3]}], "outputs": [{"name": "y", "value": "y"}],
                                 "nodes": [{"name": "e", "op": "Exp", "operands": ["x"]}, {"name": "y", "op": "ReduceSum", "operands": ["e"]}]}))
    expect("a small library", vouch("build", small, "-o", place / "small", "--no-rules", limited=False), [0])
    return place / "small", "2 certified"


def check_killed_verify():
    """A verdict that was cut short is not kept as one."""
    library, certified = small_library()
    before = files(library)
    for turn in range(6 if ALL else 2):
        killed(["verify", library], chance.uniform(0, 3))
        checks.that(files(library) == before, f"turn {turn}: verify changes nothing in the library")
    expect("verify after that", vouch("verify", library, limited=False, seconds=600), [0], certified, "proven")


def on_small_disk(size, command):
    """In a mount namespace of its own, with a file system of that size at `place/full`."""
    (place / "full").mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={size} none "$0" && exec "$@"'
    words = ["unshare", "-rm", "sh", "-c", script, place / "full", *command]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def check_full_disk():
    if shutil.which("unshare") is None or on_small_disk("64k", ["true"])[0] != 0:
        print("not run: no file system of a few bytes can be had here (unshare -rm, tmpfs)")
        return
    look = 'rc=0; "$1" build "$2" -o "$3/lib" || rc=$?; test ! -e "$3/lib/manifest.json" || echo MANIFEST; exit $rc'
    refused = 0
    for size in ("4k", "16k", "32k", "64k", "96k", "128k", "160k") if ALL else ("4k", "32k", "64k", "128k"):
        code, out, err = on_small_disk(size, ["sh", "-c", look, "sh", vouch.program, MODEL, place / "full"])
        refused += code == 3
        checks.that(code == 0 or (code == 3 and "No space left" in err and "MANIFEST" not in out), f"{size}: exit {code}: {out}{err}")
    checks.that(refused >= (4 if ALL else 3), f"{refused} of the small disks were too small")
    again = look.replace("; test", '; mount -o remount,size=8m "$3"; "$1" build "$2" -o "$3/lib" && rc=$((rc + 40)); test')
    expect("room again", on_small_disk("64k", ["sh", "-c", again, "sh", vouch.program, MODEL, place / "full"]), [43], "MANIFEST")
    if PROVER:
        words = ["env", f"TMPDIR={place}/full", f"VOUCH_CACHE={place}/full/cache", vouch.program, "verify", small_library()[0]]
        expect("verify without room", on_small_disk("64k", words), [2], "undecided", "No space left")


def check_unreadable():
    """A model whose weights lie in a file beside it: not there, too short, a folder, a pipe."""
    words = ["build", place / "outside/model.onnx", "-o", place / "from_outside"]
    (place / "outside").mkdir()
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError:
        print("not run: weights outside of the model need python3-onnx")
        return
    weights = helper.make_tensor("w", TensorProto.FLOAT, [4, 4], array.array("f", range(16)).tobytes(), raw=True)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "outside",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    one = place / "inside/model.onnx"
    one.parent.mkdir()
    onnx.save_model(model, str(one))
    onnx.save_model(model, str(place / "outside/model.onnx"), save_as_external_data=True, location="w.bin", size_threshold=0)
    data = place / "outside/w.bin"
    good = data.read_bytes()

    expect("weights beside the model", vouch(*words), [0], "written")
    expect("weights in the model", vouch("build", one, "-o", place / "from_inside", "--name", "outside"), [0], "written")
    beside, inside = (files(place / name) for name in ("from_outside", "from_inside"))
    held = {name for name in beside if beside[name] != inside.get(name)}
    checks.that(beside.keys() == inside.keys() and held <= {"source/model.onnx", "source/trace.json", "manifest.json"}
                and array.array("f", beside["outside.weights"][:64]).tolist() == list(range(16)), f"weights of a file: {held} differ")
    if PROVER:
        expect("a library of such a model", vouch("verify", place / "from_outside", limited=False, seconds=600), [0], "certified")
    shutil.rmtree(place / "from_outside")

    def refused(what):
        expect(what, vouch(*words), [3], "w")
        checks.that(not (place / "from_outside").exists(), f"{what}: nothing is written")
        data.rmdir() if data.is_dir() else data.unlink(missing_ok=True)

    data.unlink()
    refused("no file of weights")
    data.write_bytes(good[:-1])
    refused("a file of weights that is too short")
    data.mkdir()
    refused("a folder for weights")
    os.mkfifo(data)
    refused("a pipe for weights")


def check_tampered():
    """A byte anywhere: the library is not what its source gives, or the source is no source of it; which nobody needs Coq for."""
    verify = (lambda folder: vouch("verify", folder, limited=False, seconds=600)) if ALL else without_prover
    library = place / "rules"
    for name, text in files(library).items():
        for _ in range(8 if ALL else 1):
            at, bit = chance.randrange(len(text)), chance.randrange(8)
            changed = text[:at] + bytes([text[at] ^ 1 << bit]) + text[at + 1:]
            (library / name).write_bytes(changed)
            expect(f"bit {bit} of byte {at} of {name}", verify(library), [1, 3])
        (library / name).write_bytes(text)
    expect("as it was: nothing differs", verify(library), *([[0]] if ALL else [[2], "coqc was not found"]))


def without_prover(library):
    """coqc is looked for in $PATH."""
    environment = {**os.environ, "PATH": "/nowhere"}
    done = subprocess.run([vouch.program, "verify", str(library)], capture_output=True, text=True, env=environment, timeout=600)
    return done.returncode, done.stdout, done.stderr


def check_no_prover():
    expect("no prover", without_prover(place / "none"), [2], "coqc was not found")


check_killed_builds()
check_full_disk()
check_unreadable()
check_no_prover()
if PROVER:
    check_killed_verify()
    check_tampered()
else:
    print("not run: coqc or the compiled library is not there, so no library is verified")
shutil.rmtree(place)
checks.end()

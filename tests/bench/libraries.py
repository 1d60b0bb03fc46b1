"""libraries.py VOUCH RESULTS PACKAGES [MODEL...]: what the libraries of the shared models take: memory, against the least that any plan can have and
against ONNX Runtime (PACKAGES has it in node_modules; without it that column is empty); time of `build` with nothing kept and with everything
kept, and of `verify` with no answer of Coq's kept; C text. Times are of the clock, and say what the machine was doing meanwhile."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "driver"))
from inference import MODELS, NAMES, processor  # noqa: E402
from library import SIZES, put_npy, tensors  # noqa: E402

# Of live tensors; seconds of squeezenet; its bytes of C.
MEMORY, COLD, WARM, VERIFY, TEXT = 1.1, 60, 5, 60, 300_000


def timed(words, cache):
    """Seconds; the command ends the program where it fails."""
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in words], env={**os.environ, "VOUCH_CACHE": str(cache)}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return time.perf_counter() - start


def example_bytes(folder, about, io, place):
    """The largest resident set of the library's example: the whole program, with its code, weights and tensors."""
    tree = place / "tree"
    timed(["gcc", "-O2", "-D_DEFAULT_SOURCE", "-std=c99", "-o", place / "resident_set", ROOT / "tests/bench/peers/resident_set.c"], place)
    timed(["cmake", "-S", folder, "-B", tree], place)
    timed(["cmake", "--build", tree, "-j2"], place)
    given, words = tensors(io, "in_"), []
    if about["memory"]["weight_cells"]["float32"] > 0:
        words.append(folder / f"{about['recipe']['name']}.weights")
    for k, one in enumerate(about["inputs"]):
        words.append(place / f"in_{k}.npy")
        put_npy(words[-1], one["type"], one["dims"], given[one["name"]])
    words += [place / f"out_{k}.npy" for k in range(len(about["outputs"]))]
    program = tree / f"{about['recipe']['name']}_example"
    done = subprocess.run([str(word) for word in (place / "resident_set", program, *words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{folder.name}: the example fails: {done.stderr}")
    return float(done.stdout)


def peer_bytes(packages, name):
    words = ["node", ROOT / "tests/bench/peers/onnxruntime_memory.mjs", packages, MODELS / name / "model.onnx", MODELS / name / "io"]
    return float(subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout)


def measure(vouch, packages, name, place):
    folder, cache = place / name, place / "cache"
    sizes = [word for size in SIZES.get(name, []) for word in ("--size", size)]
    build = [vouch, "build", MODELS / name / "model.onnx", "-o", folder, *sizes]
    cold = timed(build, cache)
    warm = timed(build, cache)
    verify = timed([vouch, "verify", folder], cache)
    about = json.loads((folder / "manifest.json").read_text())
    arena, least = about["memory"]["arena_bytes"], about["memory"]["least_bytes"]
    text = sum(path.stat().st_size for path in [*folder.glob("*.c"), *folder.glob("kernels/*.c")] if path.name != "example.c")
    ours = example_bytes(folder, about, MODELS / name / "io", place)
    theirs = peer_bytes(packages, name) if packages else float("nan")
    return {"arena": arena, "least": least, "ours": ours, "theirs": theirs, "cold": cold, "warm": warm, "verify": verify, "text": text}


def row(name, found):
    ratio = found["arena"] / found["least"] if found["least"] else 1.0
    mega = lambda bytes_: "–" if bytes_ != bytes_ else f"{bytes_ / 1e6:.2f}"
    return (f"| {name} | {mega(found['arena'])} | {mega(found['least'])} | {ratio:.2f} | {mega(found['ours'])} | {mega(found['theirs'])} | "
            f"{found['cold']:.1f} | {found['warm']:.1f} | {found['verify']:.1f} | {found['text'] / 1e3:.0f} |")


def missed(name, found):
    """Which aims are not reached."""
    out = [] if found["arena"] <= MEMORY * found["least"] else [f"arena above {MEMORY} of the least"]
    out += ["more memory than ONNX Runtime"] if found["ours"] > found["theirs"] else []
    if name == "squeezenet":
        out += [f"{what} above {most}" for what, most in (("cold", COLD), ("warm", WARM), ("verify", VERIFY), ("text", TEXT)) if found[what] > most]
    return [f"{name}: {what}" for what in out]


def main():
    vouch, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    packages = sys.argv[3] if (pathlib.Path(sys.argv[3]) / "node_modules" / "onnxruntime-node").is_dir() else None
    rows, not_reached = [], []
    for name in sys.argv[4:] or NAMES:
        try:
            with tempfile.TemporaryDirectory() as place:
                found = measure(vouch, packages, name, pathlib.Path(place))
        except SystemExit as fault:  # the other models are measured all the same
            print(f"{name}: {fault}", file=sys.stderr)
            not_reached.append(f"{name}: no figures, a command of it fails")
            continue
        rows.append(row(name, found))
        not_reached += missed(name, found)
        print(rows[-1], flush=True)
    lines = ["# Libraries: memory, time to make and to verify them, size of their text", "",
             f"Written by `tests/bench/libraries.py`, {datetime.date.today()}, {processor()}, {os.cpu_count()} processors, load of the machine meanwhile "
             f"{os.getloadavg()[0]:.1f}. Megabytes (10⁶ bytes) and seconds. *Arena* against the largest sum of tensors that live at once (≤ {MEMORY}). "
             "*Program*: the largest resident set of the library's example, all of it; *ONNX Runtime*: what a session and its runs take beyond a process that "
             "has loaded it (program below it). *Cold*: `build` with no verdict kept, so with the proofs of all shipped rules; *warm*: again. *Verify*: with no "
             f"answer of Coq's kept. Of squeezenet wanted: cold ≤ {COLD}, warm ≤ {WARM}, verify ≤ {VERIFY}, text ≤ {TEXT // 1000} KB.", "",
             "| model | arena | least | ratio | program | ONNX Runtime | cold | warm | verify | C text, KB |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|", *rows, "",
             "Not reached: " + ("; ".join(not_reached) if not_reached else "nothing") + "."]
    results.write_text("\n".join(lines) + "\n")
    return 1 if not_reached else 0


if __name__ == "__main__":
    sys.exit(main())

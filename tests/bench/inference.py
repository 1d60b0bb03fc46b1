"""inference.py VOUCH RESULTS NODE [MODEL...]: the libraries that `vouch build` writes against onnxruntime-node 1.30 with all
optimisations, also with products that are fused (`--fma`), and against the same model lowered element by element (`--plain`): one
thread each, in turns, the least time of all rounds. NODE is a folder where `npm install onnxruntime-node@1.30` was done; without it
that column is empty, and the table says so. RESULTS is the table that is written."""
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "driver"))
from library import ROUNDING, SIZES, Loaded, largest_error, sources, tensors  # noqa: E402

MODELS = ROOT / ".." / "shared" / "data" / "models"
PEER = ROOT / "tests" / "bench" / "peers" / "onnxruntime_inference.js"
FLAGS = ["-std=c99", "-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", *ROUNDING]
NAMES = ["mnist", "go1_policy", "autoencoder1d", "squeezenet", "shufflenet", "inception_v1_light", "yunet_320", "ppocr_cls", "tinyvit", "transformer",
         "t5_encoder", "gtcrn_simple"]
ROUNDS = 7
WRONG = 1e-3
TINY = 1e-2  # outputs that are all smaller are not compared
WANTED, WANTED_OF_PLAIN = 1.5, 5


class Ours:
    def __init__(self, vouch, place, name, *words):
        folder = place / (name + "".join(words))
        sizes = [word for size in SIZES.get(name, []) for word in ("--size", size)]
        subprocess.run([vouch, "build", MODELS / name / "model.onnx", "-o", folder, *sizes, *words], check=True, capture_output=True)
        shared = folder.with_suffix(".so")
        subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", "-o", shared, *sources(folder), "-lm"], check=True)
        self.library = Loaded(folder, shared)
        if self.library.by_file and self.library.load() != 0:
            sys.exit(f"{name}: its weights cannot be read")
        self.given = self.library.inputs(MODELS / name / "io")
        code, found = self.library.run(self.given)
        expected = {n: v for n, v in tensors(MODELS / name / "io", "out_").items() if max(map(abs, v)) > TINY}
        error = largest_error(found, expected)
        if error > WRONG:  # the reference of a fast sigmoid, say: then it is the interpreter that has to agree
            error = largest_error(found, self.interpreted(vouch, folder.with_suffix(".out"), name))
        if code != 0 or error > WRONG:
            sys.exit(f"{name}: code {code}, error {error}")

    @staticmethod
    def interpreted(vouch, out, name):
        out.mkdir()
        subprocess.run([vouch, "run", MODELS / name / "model.onnx", "--io", MODELS / name / "io", "--out", out], capture_output=True)
        return {n: v for n, v in tensors(out, "out_").items() if max(map(abs, v)) > TINY}

    def least(self, runs):
        best = float("inf")
        for _ in range(runs):
            start = time.perf_counter()
            self.library.run(self.given)
            best = min(best, time.perf_counter() - start)
        return best * 1e3


class Peer:
    def __init__(self, node, name):
        self.process = subprocess.Popen(["node", PEER, MODELS / name / "model.onnx", MODELS / name / "io"], cwd=node, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def least(self, runs):
        self.process.stdin.write(f"{runs}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(vouch, place, node, name):
    ours, fused, plain = (Ours(vouch, place, name, *words) for words in ([], ["--fma"], ["--plain"]))
    peer = Peer(node, name) if node else None
    once = max(ours.least(2), 0.01)
    runs, few = max(3, min(300, int(60 / once))), max(2, min(100, int(100 / max(plain.least(1), 0.01))))
    rows = [(ours.least(runs), fused.least(runs), plain.least(few), peer.least(runs) if peer else float("nan")) for _ in range(ROUNDS)]
    if peer:
        peer.end()
    return [min(column) for column in zip(*rows)]


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = next(line for line in text.splitlines() if line.startswith("flags")).split()
    name = next(line for line in text.splitlines() if line.startswith("model name")).split(": ")[1]
    return f"{name}, {'AVX-512' if 'avx512f' in flags else 'AVX2' if 'avx2' in flags else platform.machine()}"


def cell(value, form):
    return "–" if value != value else form.format(value)


def main():
    vouch, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    node = pathlib.Path(sys.argv[3])
    node = node if (node / "node_modules" / "onnxruntime-node").is_dir() else None
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    peer = "onnxruntime-node" if node is None else "onnxruntime-node " + json.loads(
        (node / "node_modules" / "onnxruntime-node" / "package.json").read_text())["version"]
    lines = ["# Inference: the library that `vouch build` writes, against ONNX Runtime and against plain loops", "",
             f"One thread, milliseconds, the least of {ROUNDS} rounds in turns. {processor()}; gcc {gcc} `{' '.join(FLAGS[1:])}`; "
             f"{peer}{' (not there: no figures)' if node is None else ', all optimisations'}; {datetime.date.today()}. "
             "Written by `tests/bench/inference.py`.", "",
             f"| model | vouch | ONNX Runtime | ratio (≤ {WANTED}) | `--fma` | ratio | plain loops | times faster (≥ {WANTED_OF_PLAIN}) |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as place:
        for name in sys.argv[4:] or NAMES:
            ours, fused, plain, other = measure(vouch, pathlib.Path(place), node, name)
            lines.append(f"| {name} | {ours:.3f} | {cell(other, '{:.3f}')} | {cell(ours / other, '{:.2f}')} | {fused:.3f} | {cell(fused / other, '{:.2f}')} | {plain:.3f} | "
                         f"{plain / ours:.1f} |")
            print(lines[-1], flush=True)
    results.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

"""inference_bounds.py VOUCH RESULTS [MODEL...]: how much faster than naive loops a library can be at all: what no program takes less time
than that computes a model as it is defined, each sum in its order, each function the C library's. Four bounds, each measured on this
machine by `peers/library_bounds.c`; a program takes at least the largest of them. Beside them the library, the model's own operators
lowered element by element (`--no-rules --plain`), and the rewritten ones (`--plain`): processor time, in turns, the least of all rounds,
called from C. RESULTS is the table that is written."""
import ctypes
import datetime
import pathlib
import re
import subprocess
import sys
import tempfile

from library_clock import FLAGS, ROOT, Clocked
from library import SIZES  # after library_clock, which says where it is
from inference import processor

BOUNDS = pathlib.Path(__file__).resolve().parent / "peers" / "library_bounds.c"
FUNCTIONS = ["expf", "expm1f", "tanhf", "erff", "logf", "sinf", "cosf"]
LOOKED_UP = r"<[\d, ]*>\[[^\];]*<[\d, ]*>\["  # a read whose subscript reads a tensor
MODELS = ROOT / ".." / "shared" / "data" / "models"
NAMES = ["t5_encoder", "transformer", "tinyvit", "go1_policy", "gtcrn_simple", "ppocr_cls", "yunet_320"]  # not 5 times faster than plain loops
FORMS = [[], ["--fma", "--lanes", "--reorder"], ["--no-rules", "--plain"], ["--plain"]]
ROUNDS = 7
KINDS = {"functions": "the C library's functions", "reading": "reading the weights once", "arithmetic": "products and sums in full vectors",
         "waiting": "sums that wait for each other"}


def steps(folder):
    """Of each call, what its kernel adds or computes."""
    return [int(count) for count in re.findall(r"(?m)^ *\d+  .*; (\d+)$", (folder / "report.txt").read_text())]


def longest_chain(folder, manifest):
    """Sums one after the other on the longest way through the calls: an element's terms are added in their order."""
    calls = manifest["calls"]
    taken = re.findall(r"(?m)^  \w+\((.*)\); /\*", (folder / f"{manifest['recipe']['name']}_plan.c").read_text())
    counts = steps(folder)
    if not len(calls) == len(taken) == len(counts):
        raise AssertionError(f"{folder}: {len(calls)} calls, {len(taken)} in the text, {len(counts)} in the report")
    written, longest = [], 0
    for call, words, count in zip(calls, taken, counts):
        before = 0
        for word in words.split(", ")[:-1]:
            base, at = word.split(" + ")
            before = max([before, *(depth for other, low, high, depth in written if other == base and low <= int(at) < high)])
        base, at = words.split(", ")[-1].split(" + ")
        low, high = int(at), int(at) + call["cells"]
        written = [one for one in written if one[0] != base or one[2] <= low or high <= one[1]]
        written.append((base, low, high, before + count / call["cells"]))
        longest = max(longest, written[-1][3])
    return longest


def bounds(folder, io, rounds):
    """Microseconds by name, of a library that was built."""
    wrapped = [f"-Wl,--wrap={name}" for name in FUNCTIONS]
    clocked = Clocked(folder, io, BOUNDS, *wrapped)
    c, library = clocked.library.c, clocked.library
    for name in ("calls", "functions", "reading", "arithmetic", "waiting"):
        getattr(c, name).restype = ctypes.c_double
    c.record(1)
    clocked.run()
    c.record(0)
    looked_up = re.search(LOOKED_UP, (folder / "report.txt").read_text().split("kernel: what it computes")[1])
    read = 0 if looked_up else c.reading(library.weights, ctypes.c_size_t(library.weight_floats), rounds)
    return {"functions": 1e6 * c.functions(rounds) if c.calls() > 0 else 0.0, "reading": 1e6 * read,
            "arithmetic": 1e6 * c.arithmetic(rounds) * sum(steps(folder)),
            "waiting": 1e6 * c.waiting(rounds) * longest_chain(folder, library.manifest)}


def measure(vouch, place, name):
    """Microseconds of each form, and the bounds by name."""
    ours = []
    for words in FORMS:
        folder = place / (name + "".join(words))
        sizes = [word for size in SIZES.get(name, []) for word in ("--size", size)]
        subprocess.run([vouch, "build", MODELS / name / "model.onnx", "-o", folder, *sizes, *words], check=True, capture_output=True)
        ours.append(Clocked(folder, MODELS / name / "io"))
    runs = [max(2, min(2000, int(30e3 / max(one.least(2), 0.1)))) for one in ours]
    rows = [[one.least(count) for one, count in zip(ours, runs)] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*rows)], bounds(place / name, MODELS / name / "io", max(2, min(runs[0], 100)))


def cell(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def row(name, times, least):
    largest = max(least, key=least.get)
    ours, chosen, naive, plain = times
    cells = [ours, naive, naive / ours, plain, plain / ours, *(least[kind] for kind in KINDS), naive / least[largest], plain / least[largest], chosen, naive / chosen]
    return f"| {name} | " + " | ".join(map(cell, cells)) + " |"


def main():
    vouch, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    lines = ["# How much faster than naive loops a library can be", "",
             f"One thread, microseconds of the processor, the least of {ROUNDS} rounds in turns, called from C. {processor()}; gcc {gcc} "
             f"`{' '.join(FLAGS[1:])}`; {datetime.date.today()}. Written by `tests/bench/inference_bounds.py`. *Naive loops*: the model's own "
             "operators, element by element (`--no-rules --plain`); *plain loops*: the rewritten ones (`--plain`); both compiled alike. A program "
             "that adds in the order of the model and calls the C library's functions takes at least the largest of the four bounds; *at most*: how "
             "many times faster than the loops that is. *By choice*: `--fma --lanes --reorder`, for which functions are no bound.", "",
             "| model | vouch | naive loops | times faster (≥ 5) | plain loops | times faster | " + " | ".join(KINDS.values()) +
             " | than naive, at most | than plain, at most | by choice | times faster than naive |", "|---|" + "---:|" * 13]
    with tempfile.TemporaryDirectory() as place:
        for name in sys.argv[3:] or NAMES:
            lines.append(row(name, *measure(vouch, pathlib.Path(place), name)))
            print(lines[-1], flush=True)
            results.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

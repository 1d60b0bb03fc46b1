"""equiv_report.py VOUCH RESULTS: how long `vouch equiv` takes on the shared pairs and on chains of nodes, against what is wanted.

*Beyond running*: elapsed seconds of the whole command without what it takes to run the models (`simulation_seconds`). Of regions a
pair's median, then the median over the pairs that have any. Of three runs the least; what takes long is run once. The chains are equal by
congruence (sums in the other order) or region by region (twice a tensor, and a tensor plus itself); of them processor time counts, which is
what elapses where nothing else runs: `vouch equiv` of one pair is one thread."""
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import onnx
from onnx import TensorProto, helper

PAIR, CHAIN, REGION = 1, 10, 25  # seconds, seconds, milliseconds
LINEAR = 10  # a chain a tenth as long takes a tenth of that
ROUNDS = 3
LONG = 2  # seconds: what takes longer is run once
ROOT = pathlib.Path(__file__).resolve().parents[2]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def asked(vouch, folder, a, b, *options):
    """(elapsed seconds, report) of the fastest run."""
    report, best = folder / "report.json", None
    for _ in range(ROUNDS):
        begin, busy = time.monotonic(), processor_seconds()
        subprocess.run([vouch, "equiv", a, b, "--json", report, *options], stdout=subprocess.DEVNULL, check=False)
        elapsed = time.monotonic() - begin
        found = json.loads(report.read_text()) | {"processor_seconds": processor_seconds() - busy}
        if best is None or elapsed - found["simulation_seconds"] < best[0] - best[1]["simulation_seconds"]:
            best = elapsed, found
        if elapsed > LONG:
            break
    return best


def swapped(last, out, second):
    return helper.make_node("Add", ["x", last] if second else [last, "x"], [out])


def doubled(last, out, second):
    return helper.make_node("Mul", [last, "two"], [out]) if second else helper.make_node("Add", [last, last], [out])


def chain(path, length, step, second):
    """Steps of the first or the second model, and Tanh in turn."""
    nodes, last = [], "x"
    for k in range(length):
        out = "y" if k == length - 1 else f"t{k}"
        nodes.append(helper.make_node("Tanh", [last], [out]) if k % 2 else step(last, out, second))
        last = out
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
    made = helper.make_model(helper.make_graph(nodes, "chain", [value("x")], [value("y")], [helper.make_tensor("two", TensorProto.FLOAT, [], [2.0])]),
                             opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8
    path.write_bytes(made.SerializeToString())
    return path


def row(what, measured, wanted, unit):
    return f"| {what} | {measured:,.2f} {unit} | {wanted} {unit} | {'yes' if measured <= wanted else 'NO'} |"


def main():
    vouch, results = sys.argv[1:3]
    rows, details = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pairs = ROOT.parent / "shared" / "data" / "pairs"
        for pair in sorted(pairs.glob("*/*/")):
            second = next(path for path in (pair / "optimised.onnx", pair / "changed.onnx") if path.exists())
            elapsed, found = asked(vouch, folder, pair / "original.onnx", second, "--io", pair / "io")
            details.append((pair.name, found["verdict"], elapsed, elapsed - found["simulation_seconds"], 1e3 * found["median_proof_seconds"]))
            print(*details[-1], flush=True)
        if details:
            rows.append(row(f"{len(details)} shared pairs: median beyond running", statistics.median(d[3] for d in details), PAIR, "s"))
            rows.append(row("a region of theirs, median over the pairs", statistics.median(d[4] for d in details if d[4] > 0), REGION, "ms"))
        for what, step, length, wanted in (("sums in the other order", swapped, 1000, CHAIN), ("each second node a region", doubled, 1000, CHAIN),
                                           ("sums in the other order", swapped, 10_000, CHAIN / LINEAR), ("sums in the other order", swapped, 100_000, CHAIN)):
            first, second = (chain(folder / f"{side}.onnx", length, step, side == "b") for side in "ab")
            elapsed, found = asked(vouch, folder, first, second)
            busy = found["processor_seconds"]
            print(what, length, found["verdict"], elapsed, busy, flush=True)
            rows.append(row(f"chain of {length:,} nodes, {what}: all, {found['verdict']} ({elapsed:.2f} s elapsed)", busy, wanted, "s"))
    missing = "" if details else f"The shared pairs were not measured: {pairs.name} is not there.\n\n"
    pathlib.Path(results).write_text(
        f"# Equality of models\n\nWritten by `tests/bench/equiv_report.py`: {time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}.\n\n{missing}| what | measured | wanted | reached |\n|---|---|---|---|\n" + "\n".join(rows) +
        "\n\n| pair | verdict | s in all | s beyond running | ms a region |\n|---|---|---:|---:|---:|\n" +
        "\n".join(f"| {n} | {v} | {e:.2f} | {b:.2f} | {r:.2f} |" for n, v, e, b, r in details) + "\n")
    return 1 if any(line.endswith("| NO |") for line in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

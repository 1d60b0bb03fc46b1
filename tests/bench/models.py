"""models.py VOUCH RESULTS PACKAGES [MODELS]: what the shared models take to be optimised and to be run, in processor seconds, beside
ONNX Runtime 1.30 (PACKAGES has it in node_modules). In turns; times and ratios are medians of several rounds. Fails where an aim is
not reached."""
import datetime
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

from inference import processor

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 7
MOST_OPTIMISING = 1.0
MOST_RUNNING = 30


def told(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **options).stdout


def of_command(*words):
    """Processor seconds of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told(words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def round_of(name, vouch, packages, models, folder):
    """Processor seconds of one round, ours and theirs."""
    model, io = models / name / "model.onnx", models / name / "io"
    rules, programs = ROOT / "rules", pathlib.Path(vouch).parent
    tolerance = ["--tolerance", "2e-2"] if name == "yunet_320" else []  # its reference is coarser (tests/CMakeLists.txt)
    theirs = json.loads(told(["node", ROOT / "tests/bench/peers/onnxruntime_models.mjs", packages, models, f"{folder}/peer", name]))[name]
    if "error" in theirs:
        raise SystemExit(f"{name}: ONNX Runtime: {theirs['error']}")
    return {
        "optimise": of_command(vouch, "optimize", model, "--rules", rules, "-o", f"{folder}/{name}.onnx"),
        "optimise there": float(told([programs / "optimize_models", rules, f"{folder}/again.onnx", model]).split()[-1]),
        "optimise peer": theirs["optimise"],
        "run": of_command(vouch, "run", model, "--io", io, *tolerance),
        "run there": float(told([programs / "run_models", model, io]).split()[-1]),
        "run peer": theirs["run"],
    }


def row(name, rounds):
    """A line of the table, and what is not reached."""
    def ms(what):
        seconds = statistics.median(one[what] for one in rounds)
        return f"{seconds * 1e3:.1f}" if seconds >= 1e-3 else f"{seconds * 1e3:.2f}"

    def ratio(what):
        return statistics.median(one[f"{what} there"] / one[f"{what} peer"] for one in rounds)

    missed = [f"{name}: {what} takes {ratio(what):.2f} of ONNX Runtime's time, wanted {most}"
              for what, most in (("optimise", MOST_OPTIMISING), ("run", MOST_RUNNING)) if ratio(what) > most]
    cells = [name, ms("optimise"), ms("optimise there"), ms("optimise peer"), f"{ratio('optimise'):.2f}",
             ms("run"), ms("run there"), ms("run peer"), f"{ratio('run'):.1f}"]
    return f"| {' | '.join(cells)} |", missed


def main():
    vouch, results, packages = sys.argv[1:4]
    models = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else ROOT / ".." / "shared" / "data" / "models"
    rows, missed = [], []
    for name in sorted(folder.name for folder in models.iterdir() if (folder / "model.onnx").exists()):
        with tempfile.TemporaryDirectory() as folder:
            rounds = [round_of(name, vouch, packages, models, folder) for _ in range(ROUNDS)]
        line, late = row(name, rounds)
        print(line, flush=True)
        rows.append(line)
        missed += late
    lines = ["# Models: optimised and run, against ONNX Runtime 1.30", "",
             f"Written by `tests/bench/models.py`, {datetime.date.today()}, {processor()}. Milliseconds of processor time, one thread: medians of "
             f"{ROUNDS} rounds in turns, as the ratios are. *Optimise*: `vouch optimize --rules rules -o FILE` with verdicts kept from a run "
             "before. *In a process*: a program that has read the rules and their verdicts reads, optimises and writes the model "
             "(`optimize_models`, with the command's allocator), against a session at the basic level that writes its model, in a process "
             "that has loaded ONNX Runtime: neither counts its start. *Run*: `vouch run --io`, the whole command with reading the model; "
             "*in a process* one run by the interpreter of a model that was read and run before (`run_models`), against one run of a "
             "session with all optimisations. "
             f"Load of the machine meanwhile: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.", "",
             f"| model | optimise | in a process | ONNX Runtime | ratio (≤ {MOST_OPTIMISING}) | run | in a process | ONNX Runtime | "
             f"ratio (≤ {MOST_RUNNING}) |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|", *rows, "",
             f"Not reached: {'; '.join(missed) or 'nothing'}.", ""]
    pathlib.Path(results).write_text("\n".join(lines))
    sys.exit(1 if missed else 0)


main()

"""models.py VOUCH RESULTS PACKAGES [MODELS]: what the shared models take to be optimised and to be run, in processor seconds, beside
ONNX Runtime 1.30 (PACKAGES has it in node_modules). Ours is the whole command, reading and writing included, with verdicts kept from a
run before; and one process that has rules and verdicts, which is what a session of theirs is asked for. Of several runs the least."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 3


def seconds(command):
    """Processor seconds of the command, the least of several; None where it fails."""
    best = None
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            print(f"{command[1]} {command[2]}: exit {done.returncode}: {done.stderr[:200]}", file=sys.stderr)
            return None
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None else min(best, spent)
    return best


def in_process(vouch, path, folder):
    """Of a process that has optimised the model before."""
    done = subprocess.run([pathlib.Path(vouch).parent / "optimize_models", ROOT / "rules", f"{folder}/again.onnx", path],
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"optimize_models {path}: exit {done.returncode}: {done.stderr[:200]}", file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def cell(value, peer):
    return f"{value * 1e3:.1f} | {peer * 1e3:.1f} | {value / peer:.1f}"


def main():
    vouch, results, packages = sys.argv[1:4]
    models = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else ROOT / ".." / "shared" / "data" / "models"
    with tempfile.TemporaryDirectory() as folder:
        peer = json.loads(subprocess.run(["node", ROOT / "tests/bench/peers/onnxruntime_models.mjs", packages, models, f"{folder}/peer"],
                                         capture_output=True, text=True, check=True).stdout)
        rows = []
        for name, theirs in peer.items():
            if "error" in theirs:
                rows.append(f"| {name} | ONNX Runtime: {theirs['error']} ||||||||")
                continue
            path = models / name / "model.onnx"
            optimise = seconds([vouch, "optimize", path, "--rules", ROOT / "rules", "-o", f"{folder}/{name}.onnx"])
            again = in_process(vouch, path, folder)
            tolerance = ["--tolerance", "2e-2"] if name == "yunet_320" else []  # its reference is coarser (tests/CMakeLists.txt)
            run = seconds([vouch, "run", path, "--io", models / name / "io", *tolerance])
            if None not in (optimise, again, run):
                rows.append(f"| {name} | {optimise * 1e3:.1f} | {cell(again, theirs['optimise'])} | {cell(run, theirs['run'])} |")
    lines = ["# Models: optimised and run, against ONNX Runtime 1.30", "",
             "Written by `tests/bench/models.py`. Milliseconds of processor time. *Optimise*: `vouch optimize --rules rules -o FILE` with",
             "verdicts kept from a run before. *In a process*: a program that has read the rules and their verdicts reads, optimises and",
             "writes the model (`optimize_models`, with the command's allocator), against a session at the basic level that writes its",
             "model, in a process that has loaded ONNX Runtime: neither counts its start. *Run*: `vouch run --io`, the whole command with",
             "reading the model, against one run of a session with one thread and all optimisations.",
             f"Load of the machine meanwhile: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.", "",
             "| model | optimise | in a process | ONNX Runtime | ratio | run | ONNX Runtime | ratio |",
             "|---|---:|---:|---:|---:|---:|---:|---:|", *rows, ""]
    pathlib.Path(results).write_text("\n".join(lines))


main()

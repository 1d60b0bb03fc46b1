"""report.py BUILD RESULTS [--short | --rewriting]: measures us and the peers in turn and writes the table of ratios.

`--rewriting` measures what a rewrite and a scanned node cost, and nothing else.

Every figure is the least of several samples of CPU time of one thread, each a quarter of a second or one run, whatever is
longer; rounds of us and of a peer alternate, so that what disturbs the machine disturbs both.
"""

import json
import math
import os
import pathlib
import platform
import resource
import signal
import subprocess
import sys
import time

import plot

ROUNDS = 5
OUTPUT_ROUNDS = 7  # more, of what has no peer: its exponents depend on what else uses the machine's memory
SIZES = [1_000, 10_000, 100_000, 1_000_000]
PAIRS = 100_000
MOST_PEER_SECONDS = 120
ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUTS = [1, 2, 4, 8, 16, 32, 64]
MODELS = ROOT.parent / "shared" / "data" / "models"


class Table:
    def __init__(self):
        self.rows = []
        self.missing = []

    def add(self, what, ours, peer, ratio, wanted, holds, aim=""):
        self.rows.append((what, ours, peer, ratio, wanted, aim, "yes" if holds else "NO"))

    def text(self):
        lines = ["| what | vouch | peer | ratio | wanted | aim | reached |", "|---|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        lines += [""] + [f"Not measured: {what}." for what in self.missing]
        return "\n".join(lines).rstrip() + "\n"


class Bench:
    """The counters of Google Benchmark programs, by program and benchmark; times are the least over all rounds."""

    def __init__(self, build):
        self.build = build
        self.found = {}

    def run(self, program, names, arguments=(), min_time=0.2):
        pattern = "^(" + "|".join(names) + ")"
        command = [str(self.build / program), f"--benchmark_filter={pattern}", f"--benchmark_min_time={min_time}",
                   "--benchmark_format=json", *arguments]
        print(f"{program} {' '.join(names)}", file=sys.stderr)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program}: {done.stderr}")
        shown = json.loads(done.stdout)
        for row in shown["benchmarks"]:
            if row.get("error_occurred"):
                sys.exit(f"{program} {row['name']}: {row['error_message']}")
            key = (program, row["name"].replace("/manual_time", "").replace("/iterations:1", ""))
            counters = self.found.setdefault(key, {})
            for name, value in row.items():
                if isinstance(value, (int, float)):
                    counters[name] = min(value, counters.get(name, value))

    def ns(self, name, program="bench_rewrite"):
        return self.found[(program, name)]["ns_per_item"]

    def has(self, program):
        return (self.build / program).exists()


def exponent(times):
    """The slope of log total time over log size, by least squares; `times` are per item."""
    points = [(math.log(n), math.log(n * t)) for n, t in times]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def ns_text(value):
    return f"{value:.1f} ns" if value < 100 else f"{value:,.0f} ns"


def add_scaling(table, bench):
    series = [("scan, 10³ to 10⁶ nodes, exponent", "scan/{}/0", SIZES), ("rewrite, 10³ to 10⁶ nodes, exponent", "rewrite_chain/{}/0", SIZES),
              ("two outputs, 10⁴ to 10⁶ nodes, exponent", "outputs/{}/2", SIZES[1:]),
              ("variadic outputs, 10³ to 10⁶ nodes, exponent", "variadic/{}/64", SIZES),
              ("one producer, 10³ to 10⁵ users, two outputs, exponent", "sharers_match/{}", SIZES[:3]),
              ("the same where nothing matches, exponent", "sharers_no_match/{}/1", SIZES[:3])]
    for what, name, sizes in series:
        times = [(n, bench.ns(name.format(n))) for n in sizes]
        slope = exponent(times)
        per_item = " · ".join(ns_text(t) for _, t in times)
        peer = ""
        if ("bench_mlir", name.format(sizes[0])) in bench.found:
            theirs = [(n, bench.ns(name.format(n), "bench_mlir")) for n in sizes]
            peer = " · ".join(ns_text(t) for _, t in theirs) + f": {exponent(theirs):.3f}"
        table.add(what, per_item, peer, f"{slope:.3f}", "≤ 1.05", slope <= 1.05)


def add_rewriting(table, bench):
    for what, name in [("scan", "scan"), ("rewrite", "rewrite_chain")]:
        one, many = bench.ns(f"{name}/100000/0"), bench.ns(f"{name}/100000/1000")
        table.add(f"{what}, 1000 rules against 1", ns_text(many), ns_text(one), f"{many / one:.2f}", "≤ 1.5", many <= 1.5 * one, "1.2")
    for size in (10_000, 100_000):
        asked, unasked = bench.ns(f"rewrite_admitted/{size}/1"), bench.ns(f"rewrite_admitted/{size}/0")
        table.add(f"a rewrite of {size:,} that scopes admit, against one that is not asked", ns_text(asked), ns_text(unasked),
                  f"{asked / unasked:.2f}", "≤ 1.05", asked <= 1.05 * unasked)


def add_own(table, bench):
    ready = bench.ns("rule_set_ready/1000") * 1000 / 1e6
    table.add("1000 rules ready", f"{ready:.2f} ms", "", "", "", True, "4 ms")
    two, one = bench.ns("outputs/100000/2"), bench.ns("outputs/100000/1")
    table.add("two outputs against one, per node", ns_text(two), ns_text(one), f"{two / one:.2f}", "≤ 3", two <= 3 * one)
    size = max(bench.found[("bench_rewrite", f"memory/{n}")]["bytes_per_node"] for n in (100_000, 1_000_000))
    table.add("memory of a node", f"{size:.0f} bytes", "", "", "≤ 200 bytes", size <= 200)


def add_outputs(table, bench):
    """The experiment that the thesis leaves open: exponents in the nodes for each number of outputs, and the cost of a branch."""
    for outputs in OUTPUTS:
        slope = exponent([(n, bench.ns(f"outputs/{n}/{outputs}")) for n in SIZES])
        table.add(f"{outputs} outputs, 10³ to 10⁶ nodes, exponent", " · ".join(ns_text(bench.ns(f"outputs/{n}/{outputs}")) for n in SIZES),
                  "", f"{slope:.3f}", "≤ 1.05", slope <= 1.05)
    slope = exponent([(n, bench.ns(f"branches/{n}") / n) for n in OUTPUTS[2:]])
    table.add("a match of n branches, 4 to 64, exponent", " · ".join(ns_text(bench.ns(f"branches/{n}")) for n in OUTPUTS[2:]), "",
              f"{slope:.3f}", "≤ 1.05", slope <= 1.05)
    without, remembered = bench.ns("memoisation/0"), bench.ns("memoisation/1")
    table.add("attribute expressions remembered or not, per branch of 256", ns_text(remembered), ns_text(without),
              f"1/{without / remembered:.0f}", "", True)


def draw_outputs(table, bench, path):
    if not plot.is_there():
        table.missing.append("the plot of several outputs: matplotlib is not there (Debian: python3-matplotlib)")
        return
    points = {k: [(n, n * bench.ns(f"outputs/{n}/{k}") / 1e9) for n in SIZES] for k in OUTPUTS}
    plot.write(path, points, [(n, bench.ns(f"branches/{n}")) for n in OUTPUTS[1:]])


def add_mlir(table, bench):
    if not bench.has("bench_mlir"):
        table.missing.append("MLIR 19's greedy driver: its headers or library are not there (Debian: libmlir-19-dev, llvm-19-dev)")
        return
    for what, name, limit in [("rewrite", "rewrite_chain", 2), ("scanned node", "scan", 3)]:
        for size in SIZES[1:]:
            ours, peer = bench.ns(f"{name}/{size}/0"), bench.ns(f"{name}/{size}/0", "bench_mlir")
            table.add(f"a {what} of {size:,}, against MLIR 19 greedy", ns_text(ours), ns_text(peer), f"1/{peer / ours:.1f}",
                      f"≤ 1/{limit}", ours * limit <= peer, "1/8")


def runtime_seconds(command, folder):
    """Seconds without and with optimisation; the latter at least that and marked so where the peer had to be stopped."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_PEER_SECONDS, MOST_PEER_SECONDS + 10))
        most = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (most, most))  # it walks the chain by recursion

    done = subprocess.run(command, cwd=folder, preexec_fn=limits, capture_output=True, text=True)
    shown = [float(line) for line in done.stdout.split()]
    if done.returncode == -signal.SIGXCPU and len(shown) == 1:
        return shown[0], MOST_PEER_SECONDS - shown[0] - 1, "> "
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return shown[0], shown[1], ""


def add_runtime(table, bench, pairs):
    model = bench.build / "peers" / f"chain_{pairs}.onnx"
    subprocess.run([str(bench.build / "make_chain"), str(pairs), str(model)], check=True)
    bench.run("bench_models", ["optimize", "import"], [str(model)])
    ours = bench.ns(f"optimize/{model}", "bench_models") / 1e9
    before = os.times()
    subprocess.run([str(bench.build / "vouch"), "optimize", str(model), "--rules", str(ROOT / "rules"), "-o", str(model.with_suffix(".out.onnx"))],
                   check=True, capture_output=True)
    whole = child_seconds(before)
    what = f"{pairs:,} MatMul+Add pairs, against ONNX Runtime"
    script = ROOT / "tests" / "bench" / "peers" / "onnxruntime_session.js"
    if not (bench.build / "peers" / "node_modules" / "onnxruntime-node").exists():
        table.missing.append(what + ": onnxruntime-node is not there (npm)")
        return
    plain, full, more = runtime_seconds(["node", str(script), str(model)], bench.build / "peers")
    spent = full - plain
    table.add(f"{what}: rewriting", f"{ours:.3f} s", f"{more}{spent:.1f} s", f"{'< ' if more else ''}1/{spent / ours:.0f}", "≤ 1/200",
              ours * 200 <= spent)
    table.add(f"{what}: read, all shipped rules, write", f"{whole:.2f} s", f"{more}{full:.1f} s", f"1/{full / whole:.0f}", "", True)


def child_seconds(before):
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def add_models(table, bench):
    if not MODELS.is_dir():
        table.missing.append(f"the real models: {MODELS} is not there")
        return
    models = sorted(MODELS.glob("*/model.onnx"), key=lambda path: path.stat().st_size)
    bench.run("bench_models", ["import"], [str(path) for path in models])
    slowest = max(models, key=lambda path: bench.ns(f"import/{path}", "bench_models"))
    for word, path in [("largest", models[-1]), ("slowest", slowest)]:
        seconds = bench.ns(f"import/{path}", "bench_models") / 1e9
        table.add(f"import of the {word} model ({path.parent.name})", f"{seconds:.3f} s", "", "", "≤ 1 s", seconds <= 1)
    folder = MODELS / "squeezenet"
    before = os.times()
    subprocess.run(["taskset", "-c", "0", str(bench.build / "vouch"), "run", str(folder / "model.onnx"), "--io", str(folder / "io")],
                   check=True, capture_output=True)
    seconds = child_seconds(before)
    table.add("run squeezenet on one core", f"{seconds:.2f} s", "", "", "≤ 15 s", seconds <= 15)


def machine():
    name = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return f"{name}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def measure_rewriting(bench):
    bench.run("bench_rewrite", ["scan", "rewrite_chain", "rewrite_admitted"], min_time=0.3)
    if bench.has("bench_mlir"):
        bench.run("bench_mlir", ["scan", "rewrite_chain"], min_time=0.3)


def head(command):
    return (f"# Measured by `{command}`\n\n{time.strftime('%Y-%m-%d')}, {machine()}; load of the machine meanwhile "
            f"{os.getloadavg()[1]:.1f}. Times are CPU time of one thread, the least of several samples\nin which peers alternate")


def write(table, text, results):
    results.write_text(text + table.text())
    print(text + table.text())
    return 0 if all(row[-1] == "yes" for row in table.rows) else 1


def report_rewriting(bench, results):
    for _ in range(ROUNDS):
        measure_rewriting(bench)
    table = Table()
    add_rewriting(table, bench)
    add_mlir(table, bench)
    return write(table, head("tests/bench/report.py --rewriting") + ".\n\n", results)


def main():
    build, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    short = "--short" in sys.argv[3:]  # one round; a tenth of the pairs
    bench = Bench(build)
    if "--rewriting" in sys.argv[3:]:
        return report_rewriting(bench, results)
    for _ in range(1 if short else ROUNDS):
        measure_rewriting(bench)
        bench.run("bench_rewrite", ["rule_set_ready", "memory", "branches/", "memoisation/"], min_time=0.05)
    for _ in range(1 if short else OUTPUT_ROUNDS):
        bench.run("bench_rewrite", ["outputs/", "variadic/.*/64", "sharers"], min_time=0.3)
    table = Table()
    add_scaling(table, bench)
    add_rewriting(table, bench)
    add_own(table, bench)
    add_outputs(table, bench)
    add_mlir(table, bench)
    add_models(table, bench)
    add_runtime(table, bench, PAIRS // 10 if short else PAIRS)
    draw_outputs(table, bench, results.with_name("outputs.svg"))
    text = head("tools/bench") + ("; ONNX Runtime's are those of creating a session with all optimisations,\nless that with none. "
                                  "`outputs.svg` plots the experiment on several outputs.\n\n")
    return write(table, text, results)


if __name__ == "__main__":
    sys.exit(main())

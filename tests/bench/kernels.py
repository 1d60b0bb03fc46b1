"""kernels.py BUILD RESULTS [--short]: the paper's tables 2 and 3 and its inner product (section 2.4), same sizes: its code, ours,
OpenBLAS; and how long `vouch compile` takes for each shipped kernel. `--short` leaves out the product of matrices, which takes
minutes with the paper's code, and the scaling of 20000 x 20000, which takes 5 GB.
"""
import datetime
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "bench" / "peers"
KERNELS = ["axpy_mat", "axpy_mat_simd", "block_mul", "dot", "dot_lanes", "matmul", "matmul_rows", "matmul_tiled",
           "product_split", "scale_block", "scale_mat", "scale_mat_simd", "sum_mat", "sum_mat_lanes"]
FLAGS = ["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]
TABLES = {"scale": ("Scale k·A, 20000 x 20000", 5), "axpy": ("Axpy k·A + B, 2000 x 3000", 25), "sum": ("Elements sum, 2000 x 3000", 25),
          "mul": ("Mul A x B, 2000 x 3000 x 4000", 1), "dot": ("Inner product, 100000", 51)}
MOST_COMPILE_MS = 20


def machine():
    """Where and when a table was measured, and what else ran there."""
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor() or "unknown processor")
    return f"{model}, {os.cpu_count()} processors, {datetime.date.today():%-d %B %Y}, load {os.getloadavg()[0]:.0f}"


def core_type():
    """Debian's OpenBLAS mistakes newer processors and runs several times too slow: it is told what they can do."""
    said = pathlib.Path("/proc/cpuinfo")
    words = set(said.read_text().split()) if said.exists() else set()
    return "SkylakeX" if {"avx512f", "avx512vl", "avx512dq"} <= words else "Haswell" if "avx2" in words else ""


CORETYPE = core_type()


def compile_milliseconds(vouch, folder):
    """For each shipped kernel, the processor time of one run of the command: the median of five, since one run is 10 ms and
    what else the machine does shows in it."""
    times = {}
    for kernel in sorted((ROOT / "kernels").rglob("*.fun")):
        runs = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([vouch, "compile", kernel, "-o", folder], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            runs.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        times[kernel.stem] = statistics.median(runs)
    return times


def build_program(folder):
    """With OpenBLAS where it is there."""
    c = [str(folder / f"{name}.c") for name in KERNELS]
    command = ["gcc", "-std=gnu99", *FLAGS, "-w", f"-I{folder}", f"-I{PEERS}", str(PEERS / "kernel_times.c"), *c,
               "-o", str(folder / "kernel_times")]
    if subprocess.run([*command, "-DWITH_BLAS", "-lopenblas", "-lm"], capture_output=True).returncode == 0:
        return True
    subprocess.run([*command, "-lm"], check=True)
    return False


def measure(folder, table, rounds, threads):
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    if CORETYPE:
        environment["OPENBLAS_CORETYPE"] = CORETYPE
    print(f"{table}, {threads} threads", file=sys.stderr)
    said = subprocess.run([folder / "kernel_times", table, str(rounds)], check=True, capture_output=True, text=True,
                          env=environment).stdout
    return {subject: float(seconds) for _, subject, seconds in (line.split("\t") for line in said.splitlines())}


def main():
    build, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    short = "--short" in sys.argv[3:]
    processors = os.cpu_count() or 1
    lines = ["# Kernels: the paper's tables 2 and 3", "",
             f"Seconds, medians of rounds in which all take turns; gcc {' '.join(FLAGS)}; OPENBLAS_CORETYPE={CORETYPE or 'not set'}.", ""]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        times = compile_milliseconds(build / "vouch", folder)
        blas = build_program(folder)
        for table, (title, rounds) in TABLES.items():
            if short and table in ("mul", "scale"):
                lines += [f"Not measured: {title} (`--short`).", ""]
                continue
            columns = [measure(folder, table, rounds, threads) for threads in (1, processors)]
            lines += [f"| {title} | 1 thread | {processors} threads |", "|---|---|---|"]
            lines += [f"| {subject} | {columns[0][subject]:.6f} | {columns[1][subject]:.6f} |" for subject in columns[0]] + [""]
    if not blas:
        lines += ["Not measured: OpenBLAS, which was not found (Debian: libopenblas-dev).", ""]
    worst = max(times, key=times.get)
    reached = "yes" if times[worst] <= MOST_COMPILE_MS else "NO"
    lines += [f"`vouch compile`: {len(times)} kernels, at most {times[worst]:.1f} ms of processor time ({worst}); wanted at most "
              f"{MOST_COMPILE_MS} ms: {reached}."]
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    sys.exit(0 if reached == "yes" else 1)


if __name__ == "__main__":
    main()

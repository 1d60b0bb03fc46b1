"""certificates.py BUILD RESULTS: how long the Coq library takes to compile and each certificate to check, against what is
promised: 60 s and 2 GB for the library; 0.6 s for a certificate and 1 s for every 30 KB of its C text, whatever the numbers in it;
60 s for all shipped kernels together, and 1 s once nothing has changed. Certificates are checked one after the other, by
`vouch verify --again -j 1`; the best of five rounds counts. All times are processor time but where it says so.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MEGABYTES = 60, 2048  # for the library
FIXED, SECONDS_PER_BYTE = 0.6, 1 / 30_000
ROUNDS = 5
ALL_KERNELS, UNCHANGED = 60, 1  # seconds
LARGE_NUMBERS = {
    "long_axis": "in a, b;\nout r;\nr<4000000>[i] = a<4000000>[i] * b<4000000>[i];",
    "far_apart": "in a;\nout r;\nr<3>[i] = a<4000000001>[2000000000 * i];",
    "large_constant": "in a;\nout r;\nr<n>[i] = a<n>[i] * 123456789012345678901234567890;",
}


def compile_again(library):
    """Seconds and seconds of processor time on all cores, megabytes of the largest process."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["cp", "-r", f"{library}/.", scratch], check=True)
        subprocess.run(["find", scratch, "-name", "*.vo", "-delete"], check=True)
        subprocess.run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq"], cwd=scratch, check=True, capture_output=True)
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(["make", "-f", "Makefile.coq", "-j", str(os.cpu_count())], cwd=scratch, check=True, capture_output=True)
        used, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    return seconds, used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, used.ru_maxrss / 1024


def processor_seconds(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def all_kernels(vouch, folder):
    """Of one run that asks Coq, and of one that finds every answer where the first has kept it."""
    with tempfile.TemporaryDirectory() as kept:
        command, options = [vouch, "verify", folder, "-j", "1"], {"env": {**os.environ, "XDG_CACHE_HOME": kept}}
        return processor_seconds(command, **options), processor_seconds(command, **options)


def write_large(folder):
    for name, text in LARGE_NUMBERS.items():
        (folder / f"{name}.tk").write_text(f"kernel {name};\n{text}\n")


def certificate_seconds(vouch, folder):
    best = {}
    for _ in range(ROUNDS):
        said = subprocess.run([vouch, "verify", "--again", folder, "-j", "1", "--json", "-"], check=True, capture_output=True, text=True).stdout
        for row in json.loads(said)["kernels"]:
            best[row["kernel"]] = min(best.get(row["kernel"], 1e9), row["time_ms"] / 1000)
    return best


def yes(reached):
    return "yes" if reached else "NO"


def main():
    build, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    seconds, processor, megabytes = compile_again(build / "coq")
    scratch = tempfile.TemporaryDirectory()
    texts, folder = pathlib.Path(scratch.name) / "texts", pathlib.Path(scratch.name) / "kernels"
    texts.mkdir()
    write_large(texts)
    subprocess.run([build / "vouch", "compile", ROOT / "kernels", "-o", folder], check=True, capture_output=True)
    asked, unchanged = all_kernels(build / "vouch", folder)
    kernels = len(json.loads((folder / "manifest.json").read_text())["kernels"])
    lines = ["# Certificates", "", "| what | measured | wanted | reached |", "|---|---|---|---|",
             f"| Coq library, elapsed on {os.cpu_count()} cores | {seconds:.1f} s | {SECONDS} s | {yes(seconds <= SECONDS)} |",
             f"| Coq library, processor time | {processor:.1f} s | {SECONDS} s | {yes(processor <= SECONDS)} |",
             f"| Coq library, largest process | {megabytes:.0f} MB | {MEGABYTES} MB | {yes(megabytes <= MEGABYTES)} |",
             f"| verify, {kernels} kernels | {asked:.1f} s | {ALL_KERNELS} s | {yes(asked <= ALL_KERNELS)} |",
             f"| the same again, nothing changed | {unchanged:.2f} s | {UNCHANGED} s | {yes(unchanged <= UNCHANGED)} |", "",
             "| certificate | C text, bytes | seconds | wanted | reached |", "|---|---|---|---|---|"]
    subprocess.run([build / "vouch", "compile", texts, "-o", folder], check=True, capture_output=True)
    for kernel, taken in sorted(certificate_seconds(build / "vouch", folder).items(), key=lambda item: -item[1]):
        size = (folder / f"{kernel}.c").stat().st_size
        wanted = FIXED + size * SECONDS_PER_BYTE
        lines += [f"| {kernel} | {size} | {taken:.2f} | {wanted:.2f} | {yes(taken <= wanted)} |"]
    scratch.cleanup()
    results.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return 1 if any(line.endswith("| NO |") for line in lines) else 0


sys.exit(main())

#!/usr/bin/env python3
"""What `cmake --install` installs stands alone: the installed command finds the installed Coq library, and verifies a shipped
kernel with it; without it nothing is certified.

installed_test.py CMAKE BUILD"""
import os
import pathlib
import subprocess
import sys
import tempfile

cmake, build = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ.pop("VOUCH_COQ_LIBRARY", None)
failures = []


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def expect(what, answer, status, text):
    if answer.returncode != status or text not in answer.stdout + answer.stderr:
        failures.append(f"{what}: exit {answer.returncode}, expected {status} and '{text}'\n{answer.stdout}{answer.stderr}")


with tempfile.TemporaryDirectory() as folder:
    prefix, out = pathlib.Path(folder) / "prefix", pathlib.Path(folder) / "out"
    expect("cmake --install", run(cmake, "--install", build, "--prefix", prefix), 0, "")
    vouch, library = prefix / "bin" / "vouch", prefix / "lib" / "vouch" / "coq"
    kernels = prefix / "share" / "vouch" / "kernels"
    expect("compile", run(vouch, "compile", kernels / "vector" / "dot.fun", "-o", out), 0, "dot.c")
    expect("verify", run(vouch, "verify", out), 0, "certified")
    os.environ["VOUCH_CACHE"] = str(pathlib.Path(folder) / "cache")
    expect("verify, with nothing kept", run(vouch, "verify", out), 0, " s  none")
    trusted = run(vouch, "verify", "--trust")
    expect("--trust", trusted, 0, "none, in check_sound, ")
    expect("--trust, of derivatives", trusted, 0, "in gradient_derivative_means\n")
    # Not some other library, and no answer that was kept of another: with a damaged file, and without it, nothing is decided.
    main = library / "certify" / "Certificate.vo"
    compiled = main.read_bytes()
    main.write_bytes(compiled[:1000])
    expect("a damaged library", run(vouch, "verify", out), 2, "the certificate is not accepted")
    main.unlink()
    expect("no library", run(vouch, "verify", out), 2, "the Coq library is not compiled")

print("\n".join(failures) or "the installed command verifies with the installed library")
sys.exit(1 if failures else 0)

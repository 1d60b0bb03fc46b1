#!/usr/bin/env python3
"""What `cmake --install` installs stands alone: the installed command finds the installed rules and the installed Coq library, and
verifies a shipped kernel with it; without it nothing is certified. A project elsewhere finds the C++ library by find_package,
is built with it, and works; the library shows nothing but what its header declares.

installed_test.py CMAKE BUILD"""
import json
import os
import pathlib
import re
import shutil
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


def example(prefix, folder):
    """docs/example as somebody's own project: built against the installed tree alone, on a model that lies there."""
    source, tree, out = prefix / "share/doc/vouch/example", folder / "tree", folder / "small.onnx"
    expect("configure", run(cmake, "-S", source, "-B", tree, f"-DCMAKE_PREFIX_PATH={prefix}"), 0, "")
    expect("build", run(cmake, "--build", tree), 0, "")
    model = prefix / "share/vouch/models/mnist/model.onnx"
    pruned = run(tree / "prune", model, out)
    expect("prune", pruned, 0, "\nequal (")
    calls = re.search(r"^(\d+) calls, then (\d+)$", pruned.stdout, re.M)
    if not pruned.stdout.startswith("relu_relu: sound (exact)\n") or not calls or int(calls[2]) >= int(calls[1]):
        failures.append(f"prune printed\n{pruned.stdout}")
    expect("what it wrote", run(prefix / "bin/vouch", "run", out, "--io", model.parent / "io"), 0, "")
    expect("prune, no model", run(tree / "prune", "absent.onnx", out), 3, "absent.onnx: error: the file cannot be read")
    expect("another version", run(cmake, "-S", elsewhere(folder), "-B", folder / "t2", f"-DCMAKE_PREFIX_PATH={prefix}"), 1, "compatible")
    shown = run("nm", "-DC", "--defined-only", prefix / "lib/libvouch.so").stdout.splitlines()
    other = [line for line in shown if "vouch::api::" not in line]
    if not shown or other:
        failures.append(f"libvouch.so shows {len(shown)} names, and more than its header declares: {other[:5]}")


def elsewhere(folder):
    source = folder / "other"
    source.mkdir()
    (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(Vouch 7.0 REQUIRED)\n")
    return source


with tempfile.TemporaryDirectory() as folder:
    prefix, out = pathlib.Path(folder) / "prefix", pathlib.Path(folder) / "out"
    expect("cmake --install", run(cmake, "--install", build, "--prefix", prefix), 0, "")
    vouch, library = prefix / "bin" / "vouch", prefix / "lib" / "vouch" / "coq"
    kernels = prefix / "share" / "vouch" / "kernels"
    model = prefix / "share/vouch/models/mnist/model.onnx"
    optimized = run(vouch, "optimize", model, "--json", "-")
    expect("optimize, by the installed rules", optimized, 0, '"rules"')
    if not any(rule["fired"] for rule in json.loads(optimized.stdout or '{"rules": []}')["rules"]):
        failures.append(f"no installed rule fired\n{optimized.stdout}")
    expect("why-not, by the installed rules", run(vouch, "why-not", "conv_batch_norm", model), 0, "conv_batch_norm")
    facts = run(vouch, "--version")
    expect("--version", facts, 0, "\nsolver        Z3 4.")
    expect("--version, the same again", run(vouch, "--version"), 0, facts.stdout)
    expect("the man page", run("man", "--warnings", "-l", prefix / "share/man/man1/vouch.1"), 0, "vouch") if shutil.which("man") else None
    example(prefix, pathlib.Path(folder))
    (prefix / "share/vouch/rules").rename(prefix / "share/vouch/moved")
    expect("no rules", run(vouch, "optimize", model), 3, "the shipped rules are not there: looked for ")
    expect("compile", run(vouch, "compile", kernels / "vector" / "dot.fun", "-o", out), 0, "dot.c")
    expect("verify", run(vouch, "verify", out), 0, "certified")
    trusted = run(vouch, "verify", "--trust")
    os.environ["VOUCH_CACHE"] = str(pathlib.Path(folder) / "cache")
    expect("verify, with nothing kept", run(vouch, "verify", out), 0, " s  none")
    expect("--trust", trusted, 0, "none, in check_sound, ")
    expect("--trust, of the reals", trusted, 0, "functional_extensionality_dep, in fused_is_real, lanes_are_real, reals_are_exact, gradient_derivative_means, reals_regroup\n")
    # Not some other library, and no answer that was kept of another: with a damaged file, and without it, nothing is decided.
    main = library / "certify" / "Certificate.vo"
    compiled = main.read_bytes()
    main.write_bytes(compiled[:1000])
    expect("a damaged library", run(vouch, "verify", out), 2, "the certificate is not accepted")
    main.unlink()
    expect("no library", run(vouch, "verify", out), 2, "the Coq library is not compiled")

print("\n".join(failures) or "the installed command verifies with the installed library")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
"""Checks that every file of src/ compiles by itself: where many are compiled as one text, as `tools/test` does, what one of them
forgot to include may stand in another. What src/precompiled.h includes is there for all, as in every build.

usage: files_alone_test.py COMPILER [--plant]
`--plant` checks a file that uses what it does not include, and succeeds if that is found.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-DFMT_SHARED", f"-I{ROOT / 'src'}"]
PLANTED = '#include "rewrite/looks.h"\nvouch::RulePlan planted() { return {}; }\n'  # only declared there


def refusal(compiler, common, path):
    """What the compiler says of the file, if it is not accepted."""
    done = subprocess.run([compiler, *FLAGS, "-Winvalid-pch", "-include", common, "-fsyntax-only", path], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    compiler, plant = sys.argv[1], sys.argv[2:] == ["--plant"]
    with tempfile.TemporaryDirectory() as folder:
        common = pathlib.Path(folder) / "precompiled.h"
        common.write_text((ROOT / "src" / "precompiled.h").read_text().replace("#pragma once\n", ""))
        subprocess.run([compiler, *FLAGS, "-x", "c++-header", common, "-o", f"{common}.gch"], check=True)
        if plant:
            files = [pathlib.Path(folder) / "planted.cpp"]
            files[0].write_text(PLANTED)
        else:  # the Python package's extension has headers of its own
            files = [path for path in sorted((ROOT / "src").rglob("*.cpp")) if path.relative_to(ROOT / "src").parts[0] != "python"]
            assert len(files) > 400, f"only {len(files)} files found"
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda path: refusal(compiler, common, path), files))
    refused = [(path, text) for path, text in zip(files, said) if text]
    if plant:
        sys.exit(0 if refused else "the planted file was accepted")
    for path, text in refused:
        print(f"{path.relative_to(ROOT)} does not compile by itself:\n{text}")
    print(f"{len(files) - len(refused)} of {len(files)} files compile by themselves")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()

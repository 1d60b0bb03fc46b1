#!/usr/bin/env python3
"""Corollaries.v speaks of the shipped kernels: each term in it is the one in the certificate that `vouch compile` makes.

shipped_test.py VOUCH ROOT"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = re.compile(r"Definition (\w+) : source := (\{\|.*?\|\})\.", re.S)


def words(text):
    return re.sub(r"\s+", " ", text)


def problems(vouch, root, scratch):
    subprocess.run([vouch, "compile", str(root / "kernels"), "-o", scratch], check=True, capture_output=True)
    stated = SOURCE.findall((root / "coq/certify/Corollaries.v").read_text())
    if not stated:
        yield "Corollaries.v has no kernels"
    for name, source in stated:
        certificate = pathlib.Path(scratch) / f"{name}.v"
        if not certificate.exists():
            yield f"{name} is not a shipped kernel"
        elif words(source) != words(dict(SOURCE.findall(certificate.read_text())).get("kernel", "")):
            yield f"{name} is another term in its certificate"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        found = list(problems(sys.argv[1], pathlib.Path(sys.argv[2]), scratch))
    print("\n".join(found) or "the corollaries speak of the shipped kernels")
    sys.exit(1 if found else 0)

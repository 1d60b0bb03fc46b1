#!/usr/bin/env python3
"""`verify` asks Coq of the library that the command was built with, and of no other: a text that differs, is missing, is newer than what
was compiled of it, or is not compiled leaves everything `undecided`, exit 2, and says how to mend it. Files that are not the library's
do not count; and the build folder's copy loses what the source tree lost. An axiom in what was compiled, whose texts are the command's, is
named by `verify` and by `--trust`, also where the answers about another library are kept."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import SKIPPED, Checks, Vouch

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
BUILT = pathlib.Path(vouch.program).parent / "coq"
if shutil.which("coqc") is None or not (BUILT / "certify/Certificate.vo").exists():
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)
check = Checks()
TEXT, HOUR = "array/Semantics.v", 3600


def as_it_was(path, change):
    """A change that the file's times do not tell."""
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def changed(library):
    path = library / TEXT
    as_it_was(path, lambda: path.write_bytes(path.read_bytes() + b" "))


def newer(library):
    when = (library / TEXT).with_suffix(".vo").stat().st_mtime + HOUR
    os.utime(library / TEXT, (when, when))


def foreign(library):
    (library / "array/Old.v").write_text("Theorem old : False.\nProof. Admitted.\n")
    (library / "array/Old.vo").write_bytes(b"\0" * 99)
    (library / "notes.txt").write_text("of nobody\n")


OLD = [("a text that differs", changed, f"{TEXT} differs"), ("a text that is newer", newer, f"{TEXT} is newer than what was compiled of it"),
       ("a text that is not there", lambda library: (library / TEXT).unlink(), f"{TEXT} is not there"),
       ("a text that is not compiled", lambda library: (library / TEXT).with_suffix(".vo").unlink(), f"{TEXT} is not compiled")]


def trial(place, kernels, what, change, status, *texts):
    library = place / "library"
    shutil.rmtree(library, ignore_errors=True)
    shutil.copytree(BUILT, library)  # times too
    change(library)
    os.environ["VOUCH_COQ_LIBRARY"] = str(library)
    code, out, err = vouch("verify", kernels, limited=False)
    missing = [text for text in texts if text not in out + err]
    check.that(code == status and not missing and "FAILED" not in out, f"{what}: exit {code}, expected {status} and {missing}: {(out + err)[:600]}")


def undecided(place, kernels):
    trial(place, kernels, "a copy", lambda library: None, 0, "certified")
    trial(place, kernels, "files of others", foreign, 0, "certified")
    for what, change, says in OLD:
        trial(place, kernels, what, change, 2, "undecided", says, "run 'make verify-library'")
    trial(place, kernels, "a text that differs", changed, 2)
    code, out, _ = vouch("verify", kernels, "--json", "-", limited=False)
    rows = json.loads(out)["kernels"]
    check.that(code == 2 and [row["verdict"] for row in rows] == ["undecided"] and TEXT in out, f"--json: exit {code}, {out[:600]}")
    code, out, err = vouch("verify", "--trust", limited=False)
    check.that(code == 2 and TEXT in err, f"--trust: exit {code}, {err[:300]}")
    source = kernels / "plain.c"
    source.write_text(source.read_text().replace("+", "-", 1))
    code, out, err = vouch("verify", kernels, limited=False)
    check.that(code == 1 and "the C text is not the certified one" in out + err, f"what differs is named all the same: exit {code}, {out + err}")


def planted(library, file, lie):
    """What is compiled is `lie(text)`; the text says the honest proofs."""
    path = library / file
    honest = path.read_text()
    as_it_was(path, lambda: path.write_text(lie(honest)))
    done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", library, "Vouch", path], capture_output=True, text=True)
    check.that(done.returncode == 0, f"the axiom is compiled: {done.stderr[:600]}")
    as_it_was(path, lambda: path.write_text(honest))


def of_an_axiom(text, theorem="limits_among_sound"):
    begin = text.index(f"Theorem {theorem} ")
    proof, end = text.index("\nProof.", begin), text.index("Qed.", begin)
    return text[:begin] + "Axiom planted : False.\n" + text[begin:proof] + "\nProof. destruct planted. " + text[end:]


def headlines_of_an_axiom(text):
    """One of the headlines; the others are cheap to look at, and that `certificate_means` is about texts is what it is looked at for."""
    names = [name for name in re.findall(r"^Theorem (\w+)", text, re.MULTILINE) if name != "certificate_means"]
    return ("From Coq Require String.\nFrom Vouch Require certify.Certificate.\nAxiom planted : False.\n"
            "Definition certificate_means (k : certify.Certificate.source) (text : String.string) : True -> True := fun same => same.\n"
            + "".join(f"Definition {name} := {'planted' if name == 'no_overflow' else 'I'}.\n" for name in names))


def axioms(place, kernels):
    code, out, err = vouch("verify", kernels, "--trust", limited=False, seconds=300)  # so that it is kept
    check.that(code == 0 and "further axioms" not in out, f"the honest library: exit {code}: {(out + err)[:600]}")
    for file, lie, words, says in (("Main.v", headlines_of_an_axiom, ["--trust"], "planted, in no_overflow\n"),
                                   ("certify/Witness.v", of_an_axiom, [kernels], "it rests on axioms")):
        library = place / "library"
        shutil.rmtree(library, ignore_errors=True)
        shutil.copytree(BUILT, library)
        planted(library, file, lie)
        os.environ["VOUCH_COQ_LIBRARY"] = str(library)
        code, out, err = vouch("verify", "--again", *words, limited=False, seconds=300)
        check.that(code == 1 and says in out + err, f"an axiom in {file}: exit {code}: {(out + err)[:2500]}")
    code, out, _ = vouch("verify", "--again", kernels, "--json", "-", limited=False, seconds=300)
    check.that(code == 1 and "planted" in json.loads(out)["kernels"][0]["axioms"], f"which axiom it is: exit {code}: {out[:600]}")


def mirrored(place):
    """What `make verify-library` does before it compiles: it goes by texts, not by times."""
    source, build = place / "source", place / "build"
    for folder in (source, build):
        (folder / "lib").mkdir(parents=True)
        for name in ("_CoqProject", "Makefile.coq.local", "lib/Kept.v", "lib/Changed.v"):
            (folder / name).write_text("the same")
    as_it_was(source / "lib/Changed.v", lambda: (source / "lib/Changed.v").write_text("another"))
    os.utime(build / "lib/Kept.v", (HOUR, HOUR))
    for name in ("Gone.v", "Gone.vo", "Kept.vo"):
        (build / "lib" / name).write_text("")
    script = ROOT / "tools/cmake/mirror_coq.cmake"
    done = subprocess.run(["cmake", f"-DSOURCE={source}", f"-DBUILD={build}", "-P", script], capture_output=True, text=True)
    there = sorted(path.name for path in (build / "lib").iterdir())
    check.that(done.returncode == 0 and there == ["Changed.v", "Kept.v", "Kept.vo"], f"the copy holds {there}: {done.stderr}")
    check.that((build / "lib/Changed.v").read_text() == "another", "a text that differs is copied, whatever its times say")
    check.that((build / "lib/Kept.v").stat().st_mtime == HOUR, "a text that is the same is left alone: nothing is compiled again")


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    (place / "plain.tk").write_text("kernel plain;\nsize n;\nin a;\nout r;\nr<n>[i] = a<n>[i] + 1;\n")
    code, _, err = vouch("compile", place / "plain.tk", "-o", place / "kernels")
    check.that(code == 0, f"compile: {err}")
    os.environ.pop("VOUCH_COQ_LIBRARY", None)
    axioms(place, place / "kernels")  # of the kernel as it is
    undecided(place, place / "kernels")
    mirrored(place)
check.end()

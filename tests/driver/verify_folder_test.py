"""`vouch verify` in hostile hands: folders that lie, in every file and about every file, are refused and the lie is named; nothing in
them reaches Coq; honest folders hold, wherever the command is run and whatever the environment says."""
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from command import SKIPPED, Checks, bars, has_prover, heed_signals, living, on_terminal

VOUCH, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
if not has_prover(VOUCH):
    print("not run: coqc or the compiled library is not there")
    sys.exit(SKIPPED)

checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
CACHE = place / "cache"

SAXPY = "kernel saxpy(sizes n; a: num, xs: num[n], ys: num[n]) -> out: num[n] =\n  map par xy in zip(xs, ys) { a * xy.fst + xy.snd }\n"
BOUNDED = "kernel head(sizes n, m; xs: num[m]) -> y: num[n] where n <= m =\n  generate par i < n { xs[i] }\n"
WINDOW = (ROOT / "kernels/index/conv_sizes.tk").read_text()


def run(*words, cwd=None, environment=None, seconds=300, before=None):
    done = subprocess.run([VOUCH, *map(str, words)], capture_output=True, text=True, errors="replace", cwd=cwd, timeout=seconds,
                          env=os.environ | {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")} | (environment or {}), preexec_fn=before)
    return done.returncode, done.stdout + done.stderr


def expect(what, answer, status, *texts):
    code, said = answer
    missing = [text for text in texts if text not in said]
    checks.that(code == status and not missing, f"{what}: exit {code}, expected {status} and {missing or 'nothing more'}: {said[:700]}")


def made(name, *words):
    folder = place / "honest" / name
    expect(f"{name} is made", run(*words, "-o", folder), 0)
    return folder


def source(name, text):
    path = place / "sources" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


class Copy:
    """A copy of a folder, to tamper with; its manifest agrees with whatever its files are made to be."""
    made = 0

    def __init__(self, folder):
        Copy.made += 1
        self.path = place / "copies" / str(Copy.made)
        shutil.copytree(folder, self.path, symlinks=True)

    def change(self, file, change):
        path = self.path / file
        text = path.read_text()
        changed = change(text)
        assert changed != text, (file, text[:300])
        path.write_text(changed)
        return self

    def renew(self):
        path = self.path / "manifest.json"
        manifest = json.loads(path.read_text())
        for entry in manifest["kernels"].values():
            for file in entry["files"]:
                if (self.path / file).is_file():
                    entry["files"][file] = hashlib.sha256((self.path / file).read_bytes()).hexdigest()
        path.write_text(json.dumps(manifest, indent=2) + "\n")
        return self

    def manifest(self, change):
        path = self.path / "manifest.json"
        manifest = json.loads(path.read_text())
        change(manifest["kernels"])
        path.write_text(json.dumps(manifest, indent=2) + "\n")
        return self


def lies(what, copy, *texts):
    expect(what, run("verify", copy.path), 1, *texts)


def lying_texts(saxpy, window, grad):
    plus = lambda text: text.replace("+ xy.snd", "- xy.snd")
    other = place / "sources" / "minus"
    other.mkdir()
    (other / "saxpy.fun").write_text(plus(SAXPY))
    minus = made("minus", "compile", other / "saxpy.fun")

    copy = Copy(saxpy)
    for ending in (".c", ".v"):
        shutil.copy(minus / f"saxpy{ending}", copy.path)
    lies("certificate and C of - beside a source of +", copy.renew(), "saxpy.c: the C text is not the certified one", "saxpy.v: ")
    copy = Copy(saxpy)
    shutil.copy(minus / "saxpy.fun", copy.path)
    lies("a source of - beside certificate and C of +", copy.renew(), "saxpy.c: the C text is not the certified one")
    lies("one character of the C text", Copy(saxpy).change("saxpy.c", lambda t: t.replace("< n", "<= n", 1)).renew(),
         "saxpy.c: the C text is not the certified one; line", "<= n")
    header = "saxpy.h: the header is not the certified function's"
    lies("a header with its arguments exchanged", Copy(saxpy).change(
        "saxpy.h", lambda t: re.sub(r"\b([xy])s,", lambda m: "yx"["xy".index(m[1])] + "s,", t)).renew(), header)
    lies("a header that says what a float is", Copy(saxpy).change(
        "saxpy.h", lambda t: t.replace("#include <stdint.h>", "#include <stdint.h>\n#define float double")).renew(), header, "#define float double")
    lies("an empty header", Copy(saxpy).change("saxpy.h", lambda t: "").renew(), header)
    lies("lines that end in CR LF", Copy(saxpy).change("saxpy.c", lambda t: t.replace("\n", "\r\n")).renew(), "\\x0d")
    lies("a NUL at the end", Copy(saxpy).change("saxpy.c", lambda t: t + "\0").renew(), "saxpy.c: ")
    lies("a derivation of another kernel", Copy(saxpy).change(
        "saxpy_derivation.v", lambda t: t.replace("Op2 Add", "Op2 Sub", 1)).renew(), "saxpy_derivation.v: the derivation is not this kernel's")
    lies("a kernel in index notation that is another one", Copy(window).change(
        "conv_sizes.source.tk", lambda t: t.replace("* W", "+ W")).renew(), "conv_sizes.c: the C text is not the certified one")
    lies("its functional program, for people, is another one", Copy(window).change("conv_sizes.fun", lambda t: t.replace("+", "-", 1)).renew(), "conv_sizes.fun: ")
    lies("a source that does not read", Copy(saxpy).change("saxpy.fun", lambda t: "kernel").renew(), "the source gives no certificate", "saxpy.fun:1:")
    copy = Copy(saxpy)
    (copy.path / "saxpy.fun").write_bytes(b"\xff\xfe\x00")
    lies("a source that is no text", copy.renew(), "the source gives no certificate")
    lies("a text without certificate that is not as it was written", Copy(grad).change(
        "conv_sizes.cpp", lambda t: t.replace("&W", "&dY", 1)).renew(), "conv_sizes.cpp: it is not what the source gives")
    adjoint = next(grad.glob("*_adjoint.v")).name
    says = f"{adjoint}: the adjoint certificate is not this gradient's"
    lies("a witness that is another one", Copy(grad).change(adjoint, lambda t: t.replace("ch_to := [(IVar 0)", "ch_to := [(IVar 1)", 1)).renew(), says)
    lies("a gradient of another kernel", Copy(grad).change(adjoint, lambda t: t.replace("BOp2 Mul", "BOp2 Add", 1)).renew(), says)
    lies("no proof that it is the gradient", Copy(grad).change(adjoint, lambda t: t[:t.index("Theorem gradient ")] + "Axiom gradient : False.\n").renew(), says)
    copy = Copy(grad)
    (copy.path / adjoint).unlink()
    lies("no certificate that it is the gradient", copy, says, "the file is missing")
    derivative = next(path.name for path in grad.glob("*.tk") if ".source." not in path.name)
    lies("a derivative that is another one", Copy(grad).change(derivative, lambda t: t.replace("*", "+", 1)).renew(), derivative)


def lying_certificates(saxpy):
    """What Coq 8.16 would do with these texts is no matter: it is not given them."""
    hole = place / "overwritten"
    hole.write_text("as it was")
    says = "saxpy.v: the certificate is not this kernel's"
    for what, text in [
        ("a theorem that says nothing", "\nTheorem computes : True. Proof. exact I. Qed.\n"),
        ("an axiom", "\nAxiom certified_too : False.\n"),
        ("native code", '\nDeclare ML Module "ltac_plugin".\n'),
        ("a file overwritten", f'\nPrint Universes "{hole}".\n'),
        ("an extraction", f'\nRedirect "{hole}" Print nat.\n'),
        ("the guard checker's hole", "\nFixpoint hole (n : nat) : nat := hole (match n with 0 => n | S m => m end).\n"),
        ("a load path", '\nAdd LoadPath "." as Vouch.\n'),
        ("a switch", "\nUnset Guard Checking.\n"),
    ]:
        lies(what, Copy(saxpy).change("saxpy.v", lambda t, text=text: t + text).renew(), says)
    checks.that(hole.read_text() == "as it was" and not list(place.glob("overwritten.*")), "a certificate wrote a file")
    lies("a certificate of nothing", Copy(saxpy).change("saxpy.v", lambda t: "").renew(), says)


def lying_manifests(saxpy, bounded, window, grad):
    entry = "saxpy"
    lies("a wrong hash", Copy(saxpy).manifest(lambda k: k[entry]["files"].update({"saxpy.h": "0" * 64})), "manifest.json: its hash of saxpy.h")
    lies("a file left out", Copy(saxpy).manifest(lambda k: k[entry]["files"].pop("saxpy.h")), "manifest.json: it does not list saxpy.h")
    lies("a file too many", Copy(saxpy).manifest(lambda k: k[entry]["files"].update({"../x": "0" * 64})), "manifest.json: it lists ../x")
    lies("a kernel left out", Copy(saxpy).manifest(lambda k: k.clear()), "saxpy.c: error: no certificate covers this", "there are no certificates here")
    lies("a kernel by another name", Copy(saxpy).manifest(lambda k: k.update(other=k.pop(entry))), "other.fun: the source cannot be had")
    lies("a kernel that is a path", Copy(saxpy).manifest(lambda k: k.update({"../saxpy": k[entry]})), "this is no name of a kernel")
    lies("a member too many", Copy(saxpy).manifest(lambda k: k[entry].update(proven=True)), "says more than its kernels account for")
    lies("a member twice", Copy(saxpy).change("manifest.json", lambda t: t.replace('"format": 2,', '"format": 2, "format": 2,')), "manifest.json:")
    lies("another format", Copy(saxpy).change("manifest.json", lambda t: t.replace('"format": 2', '"format": 1')), "expected a manifest of format 2")
    lies("nested without end", Copy(saxpy).change("manifest.json", lambda t: "[" * 1_000_000), "manifest.json")
    lies("no manifest at all", Copy(saxpy).change("manifest.json", lambda t: "{"), "this is no manifest of kernels")
    lies("facts left out", Copy(bounded).manifest(lambda k: k["head"]["sizes"].update(facts=[])), "the facts that it lists are not those of the source")
    lies("limits left out", Copy(bounded).manifest(lambda k: k["head"]["sizes"].update(below_2_to_63=[])), "the limits that it lists")
    lies("sizes that satisfy nothing", Copy(bounded).manifest(lambda k: k["head"]["sizes"].update(for_example=["n = 2", "m = 1"])), "the sizes that it gives")
    lies("facts left out of the source", Copy(bounded).change("head.fun", lambda t: t.replace("where n <= m ", "")).renew(), "the source gives no certificate")
    lies("facts that no size satisfies", Copy(bounded).change("head.fun", lambda t: t.replace("n <= m", "n <= m, m + 1 <= n")).renew(),
         "no sizes satisfy what the kernel 'head' assumes")
    lies("numbers for sizes", Copy(window).manifest(lambda k: k["conv_sizes"]["recipe"].update(sizes=["H=16", "R=3"])), "conv_sizes.c: the C text is not the certified one")
    name = json.loads((grad / "manifest.json").read_text())["kernels"].popitem()[0]
    lies("the other derivative", Copy(grad).manifest(lambda k: k[name]["recipe"]["derivative"].update(forward=True)), "FAILED")
    lies("no derivative", Copy(grad).manifest(lambda k: k[name]["recipe"].pop("derivative")), "FAILED")
    lies("a name that ends a comment", Copy(saxpy).manifest(lambda k: k[entry]["recipe"].update(origin="*/ int x; /*.fun")), "this is no manifest of kernels")
    code, said = run("verify", Copy(saxpy).manifest(lambda k: k[entry]["tools"].update(coq="8.15.0")).path)
    checks.that("compiled by coq 8.15.0, checked by" in said, f"another Coq is named: {code} {said[:300]}")


def lying_folders(saxpy):
    names = "no certificate covers this"
    for what, file in [("a header that shadows", "math.h"), ("a C text more", "other.c"), ("a file below a new folder", "a/b/omp.h"),
                       ("a hidden file", ".hidden"), ("a compiled certificate", "saxpy.vo"), ("a name that moves the cursor", "\x1b[2Jx")]:
        copy = Copy(saxpy)
        (copy.path / file).parent.mkdir(parents=True, exist_ok=True)
        (copy.path / file).write_bytes(b"x")
        lies(what, copy, names, file.replace("\x1b", "\\x1b"))
    copy = Copy(saxpy)
    (copy.path / "link").symlink_to("/etc/passwd")
    lies("a link more", copy, names, "link")
    for file in ("saxpy.c", "saxpy.h", "saxpy.v", "saxpy.fun", "manifest.json"):
        copy = Copy(saxpy)
        (copy.path / file).rename(place / "away")
        (copy.path / file).symlink_to(place / "away")
        lies(f"a link for {file}", copy, "expected a file, found a link")
        copy = Copy(saxpy)
        (copy.path / file).unlink()
        lies(f"{file} is missing", copy, file if file != "manifest.json" else "there are no certificates here")
        copy = Copy(saxpy)
        (copy.path / file).unlink()
        (copy.path / file).mkdir()
        lies(f"a folder for {file}", copy, file, "expected a file, found")
        copy = Copy(saxpy)
        (copy.path / file).unlink()
        os.mkfifo(copy.path / file)
        lies(f"a pipe for {file}", copy, "expected a file, found something else")
        copy = Copy(saxpy)
        os.truncate(copy.path / file, 1 << 42)
        lies(f"4 TB of {file}", copy, file, "bytes at most")


def honest(folders):
    """Wherever it is run, whatever lies there, whatever the environment says."""
    table = place / "table.json"
    expect("honest folders", run("verify", *folders, "--json", table), 0, "certified")
    rows = json.loads(table.read_text())
    checks.that(rows["exit"] == 0 and rows["errors"] == [] and all(r["verdict"] == "certified" and r["axioms"] == "none" for r in rows["kernels"]),
                f"honest folders: {rows}")
    said = run("verify", *folders)[1]
    checks.that("assumes n <= m (true for n = 1, m = 1)" in said and "kernels: " in said and "kept" in said, f"facts and summary: {said}")
    hostile = place / "hostile"
    for file in ("Vouch/certify/Certificate.vo", "certify/Certificate.vo", "Coq/Init/Prelude.vo", "Subject/s0/Kernel.vo", "ZArith.vo"):
        for at in (hostile, hostile / "coq", hostile / ".local/share/coq", hostile / "coq/user-contrib"):
            (at / file).parent.mkdir(parents=True, exist_ok=True)
            (at / file).write_bytes(b"no compiled file")
    (hostile / ".config/coq").mkdir(parents=True)
    for rc in (".coqrc", ".config/coq/coqrc", "coqrc"):
        (hostile / rc).write_text("Fail Fail.\n")
    settings = {"HOME": str(hostile), "XDG_CONFIG_HOME": str(hostile / ".config"), "XDG_DATA_HOME": str(hostile), "XDG_DATA_DIRS": str(hostile),
                "COQPATH": f"{hostile}:{hostile}/coq", "COQLIB": str(hostile), "COQCORELIB": str(hostile), "OCAMLPATH": str(hostile),
                "OCAMLRUNPARAM": "l=1", "COQEXTRAFLAGS": "-bad", "ROCQPATH": str(hostile)}
    expect("a hostile working folder and environment", run("verify", "--again", folders[1], cwd=hostile, environment=settings), 0, "certified")
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # of processor time: others may be at work
    begin = used()
    expect("again", run("verify", *folders), 0, "kept")
    checks.that(used() - begin < 3, f"what was kept is not asked again, but takes {used() - begin:.1f} s")
    damaged = next((CACHE / "certificates").iterdir())
    for kept in (CACHE / "certificates").iterdir():
        kept.write_text(damaged.read_text().replace("holds", "held"))
    code, said = run("verify", folders[1])
    checks.that(code == 0 and "kept" not in said, f"damaged answers are none: {said}")
    CACHE.joinpath("certificates").chmod(0o777)
    code, said = run("verify", folders[1])
    CACHE.joinpath("certificates").chmod(0o700)
    checks.that(code == 0 and "kept" not in said, f"answers that anybody may write are none: {said}")


def gradients(grad):
    """Whether a kernel is proven to be the gradient is said of each; where it is not, why."""
    code, said = run("verify", "--again", grad, "--json", "-")
    row = json.loads(said[:said.rindex("}") + 1])["kernels"][0]
    checks.that(code == 0 and row["gradient"] == "proven" and row["gradient_reason"] == "" and row["axioms"] == "none", f"a gradient: {row}")
    expect("a gradient, in the table", run("verify", grad), 0, "gradient", "proven")
    folder = place / "extremum"
    path = source("extremum.tk", "grad X;\nY<5>[i] = max(X<5>[i], 0);\n")
    why = "the gradient has no adjoint certificate: 'X[i]' is within a max or min"
    expect("a gradient by other ties", run("grad", path, "--ties", "second", "-o", folder), 0, why)
    expect("a gradient by other ties is certified C", run("verify", folder), 0, "certified", "no proof", why)
    expect("a gradient by the first ties", run("grad", path, "-o", folder), 0, "extremum_adjoint.v: that this kernel is the gradient")
    expect("it is proven", run("verify", folder), 0, "proven")
    path = source("quarters.tk", "grad X;\nY<5>[i] = 1 / (1 + exp(-X<5>[i]) / 4);\n")
    expect("a gradient by quotients of numbers", run("grad", path, "-o", place / "quarters"), 0,
           "the gradient has no adjoint certificate: numbers are divided by numbers in the derivative by 'X[i]'")
    path = source("extremum.tk", "grad X;\nY<5>[i] = max(X<5>[i], 0);\n")
    expect("a tangent over a gradient", run("grad", path, "--forward", "-o", folder), 0)
    checks.that(not list(folder.glob("*_adjoint.v")), "the old gradient's certificate is left beside a tangent")
    expect("a tangent is no gradient", run("verify", folder), 0, "certified")


def names():
    """Words of Coq and C as names; files whose names would end a comment or a string."""
    folder = place / "names"
    folder.mkdir()
    (folder / "words.fun").write_text("kernel Theorem(sizes fun_, forall, Prop; match: num[forall], end: num[forall], Qed: num[Prop]) -> before: num[forall] =\n"
                                      "  map par x in zip(match, end) { x.fst * x.snd }\n")
    for name in ["quo\"te", "new\nline", "star*)", "star*/ int x; /*", "back\\slash", "$(touch y)", "(* open", "%s%n"]:
        (folder / f"{name.replace('/', '|')}.fun").write_text(f"kernel k{abs(hash(name))}(x: num) -> y: num = x\n")
    with open(os.fsencode(folder) + b"/\xff\xfe.fun", "w") as file:
        file.write("kernel bytes(x: num) -> y: num = x\n")
    out = made("names", "compile", folder)
    expect("names of all kinds", run("verify", out), 0, "Theorem")
    for path in out.glob("*.h"):
        checks.that("int x;" not in path.read_text(), f"{path.name}: a file's name is C")


def not_had(kernel):
    """Coq's word could not be had: undecided, never failed."""
    def undecided(what, *words, environment=None, before=None):
        report = place / "undecided.json"
        code, said = run("verify", "--again", kernel, "--json", report, *words, environment=environment, before=before)
        checks.that(code == 2 and "FAILED" not in said and "undecided" in said, f"{what}: exit {code}: {said[:500]}")
        out = json.loads(report.read_text())
        checks.that(out["exit"] == 2 and all(row["verdict"] == "undecided" for row in out["kernels"]), f"{what}: {out}")

    undecided("no coqc", environment={"PATH": "/nonexistent"})
    undecided("no folder for scratch files", environment={"TMPDIR": "/nonexistent"})
    undecided("files that may not grow", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
    undecided("no library", environment={"VOUCH_COQ_LIBRARY": str(place)})
    bad = place / "bad-coqc"
    bad.mkdir()
    for what, script in [("a coqc that is killed", "kill -9 $$"), ("a coqc that says more", "echo Axioms are none; exec {} \"$@\""), ("a coqc that runs out of memory", "ulimit -v 150000; exec {} \"$@\""),
                         ("a coqc that does not end", "sleep 100")]:
        (bad / "coqc").write_text("#!/bin/sh\n[ \"$1\" = --print-version ] && exec {0} \"$@\"\n".format(shutil.which("coqc")) + script.format(shutil.which("coqc")) + "\n")
        (bad / "coqc").chmod(0o755)
        undecided(what, "--timeout", "4", environment={"PATH": f"{bad}:{os.environ['PATH']}"})
    (bad / "coqc").write_text("#!/bin/sh\nsleep 100\n")
    undecided("a coqc that does not tell its version", "--timeout", "4", environment={"PATH": f"{bad}:{os.environ['PATH']}"})
    undecided("no memory for threads", before=lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20)))
    (bad / "coqc").write_text("#!/bin/sh\necho 'a warning of a wrapper' >&2\nexec {} \"$@\"\n".format(shutil.which("coqc")))
    expect("a coqc that warns", run("verify", "--again", kernel, environment={"PATH": f"{bad}:{os.environ['PATH']}"}), 0, "certified", "none")
    with open("/dev/full", "w") as full:
        code = subprocess.run([VOUCH, "verify", kernel], stdout=full, stderr=subprocess.PIPE, env=os.environ | {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")}).returncode
    checks.that(code == 3, f"a full disk for the table: exit {code}")
    (place / "a-file").write_text("")
    for name, why in (("nowhere", "No such file"), ("a-file", "Not a directory")):
        expect(f"a folder that is not there: {name}", run("verify", place / name), 3, f"{name}: error: the folder cannot be read: {why}")
        expect(f"another beside {name}", run("verify", kernel, place / name), 3, "certified", "the folder cannot be read")
    expect("a kernel that is not there", run("verify", kernel, "--only", "nowhere"), 3, "no kernel and no rule is called 'nowhere' here")
    trusted = [("no coqc", {"PATH": "/nonexistent"}, "coqc was not found"), ("no scratch folder", {"TMPDIR": "/nonexistent"}, "in /nonexistent, which $TMPDIR names"),
               ("a scratch folder that moves the cursor", {"TMPDIR": "/nonexistent\x1b[2J"}, "in /nonexistent\ufffd[2J, which $TMPDIR names"),
               ("no library", {"VOUCH_COQ_LIBRARY": str(place)}, "holds no compiled Coq library"),
               ("a coqc that fails", {"PATH": f"{bad}:{os.environ['PATH']}"}, "it said: broken by a test")]
    (bad / "coqc").write_text("#!/bin/sh\necho broken by a test\nexit 1\n")
    for what, environment, why in trusted:
        expect(f"what is trusted: {what}", run("verify", "--trust", environment=environment), 2, why)
        expect(f"verify: {what}", run("verify", kernel, "--again", environment=environment), 2, why)
    code, said = run("verify", place / "nowhere", "--json", "-")
    checks.that(json.loads(said[:said.rindex("}") + 1])["errors"], f"errors are in the JSON: {said}")


def orphans(saxpy):
    """Signals end what was started too, and nothing is left in the folder of temporary files."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        scratch = pathlib.Path(tempfile.mkdtemp(dir=place))
        slow = scratch / "bin"
        slow.mkdir()
        (slow / "coqc").write_text(f"#!/bin/sh\n[ \"$1\" = --print-version ] && exec {shutil.which('coqc')} \"$@\"\necho $$ > {scratch}/pid\nexec sleep 1000\n")
        (slow / "coqc").chmod(0o755)
        temporary = scratch / "tmp"
        temporary.mkdir()
        process = subprocess.Popen([VOUCH, "verify", "--again", saxpy], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=heed_signals,
                                   env=os.environ | {"PATH": f"{slow}:{os.environ['PATH']}", "TMPDIR": str(temporary), "VOUCH_CACHE": str(CACHE)})
        for _ in range(600):
            if (scratch / "pid").exists() and (scratch / "pid").read_text().strip():
                break
            time.sleep(0.05)
        child = int((scratch / "pid").read_text())
        process.send_signal(number)
        code = process.wait(60)
        checks.that(code == -number, f"{number.name}: ended by {code}")
        checks.that(not living([child]), f"{number.name}: coqc lives on")
        checks.that(number == signal.SIGKILL or not list(temporary.iterdir()), f"{number.name}: {list(temporary.iterdir())} is left")


def progress(*folders):
    """A bar on a terminal, one step for each kernel that Coq is asked for, of which nothing is left in the end."""
    kept = {"VOUCH_CACHE": str(CACHE), "VOUCH_KEY": str(place / "key")}
    words = [VOUCH, "verify", "--again", *folders]
    code, said = on_terminal(words, "xterm", kept)
    checks.that(code == 0 and bars(said, "verify")[-1:] == [(len(folders), len(folders))], f"verify on a terminal: exit {code}, {said!r}")
    checks.that(on_terminal(words, "dumb", kept) == (0, ""), "a terminal that cannot go back gets none")
    quiet = subprocess.run(words, capture_output=True, env=os.environ | kept)
    checks.that(quiet.returncode == 0 and quiet.stderr == b"", f"and a pipe neither: {quiet.stderr!r}")


def vacuous():
    out = place / "vacuous"
    for text in ("n + 1 <= n", "n <= 3, 4 <= n", "m * n + 1 <= n * m"):
        path = source("vacuous.fun", f"kernel vacuous(sizes n, m; xs: num[n, m]) -> ys: num[n, m] where {text} = xs\n")
        expect(f"facts that no size satisfies: {text}", run("compile", path, "-o", out), 3, "no sizes satisfy what the kernel 'vacuous' assumes")
        checks.that(not list(out.glob("vacuous.*")), "nothing is written")
    path = source("large.fun", "kernel large(sizes n, m; xs: num[n, m]) -> ys: num[n, m] where 70000 <= n, n <= 70001, 3 * n <= m * 2 = xs\n")
    expect("facts that large sizes satisfy", run("compile", path, "-o", out), 0)
    expect("facts that large sizes satisfy", run("verify", out), 0, "certified", "true for n = 70")


saxpy = made("saxpy", "compile", "--derivation", source("saxpy.fun", SAXPY))
bounded = made("bounded", "compile", source("head.fun", BOUNDED))
window = made("window", "compile", source("conv_sizes.tk", WINDOW))
grad = made("gradient", "grad", source("conv_sizes.tk", WINDOW), "--size", "H=16", "--size", "R=3", "--cpp")
honest([saxpy, bounded, window, grad])
progress(saxpy, bounded)
gradients(grad)
names()
vacuous()
lying_texts(saxpy, window, grad)
lying_certificates(saxpy)
lying_manifests(saxpy, bounded, window, grad)
lying_folders(saxpy)
not_had(bounded)
orphans(saxpy)
shutil.rmtree(place)
checks.end()

#!/usr/bin/env python3
"""`vouch compile` and `vouch verify` from end to end: certificates hold; changed files, planted axioms and programs that
were tampered with do not. `--all` does every shipped kernel, with derivations, and many more changes; `--characters` asks `vouch
verify` of every single-character change of one C file.
"""
import argparse
import hashlib
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

FEW = ["dot", "product_split", "matmul_tiled"]

# Changes that a compiler's bugs would look like: swapped index, wrong bound, missing loop privacy, aliased temporary ...
MUTATIONS = [
    ("swapped index", r"i(\d+)", lambda m: "i" + str(int(m[1]) + 1)),
    ("wrong bound", r" < (\w+);", lambda m: " <= " + m[1] + ";"),
    ("wrong start", r"= 0;", lambda m: "= 1;"),
    ("other operation", r" \* ", lambda m: " + "),
    ("racy accumulator", r"\n( *for \()(?![\s\S]*\n *for \()", lambda m: "\n#pragma omp parallel for\n" + m[1]),
    ("missing temporary", r"\n *float v\d+;\n", lambda m: "\n"),
    ("temporary that is the output", r"float (v\d+);", lambda m: "float " + m[1] + " = out[0];"),
    ("racy pragma", r"  for \(", lambda m: "  #pragma omp parallel for\n  for ("),
    ("missing pragma", r" *#pragma omp parallel for\n", lambda m: ""),
    ("aliased variable", r"\bv(\d+)\[", lambda m: "v" + str(int(m[1]) + 1) + "["),
    ("other constant", r"0\.0f", lambda m: "1.0f"),
    ("missing statement", r"\n[^\n]* = [^\n]*;\n", lambda m: "\n"),
    ("without restrict", r"\*restrict ", lambda m: "*"),
]


AT_ONCE = 800  # texts that Coq is given in one file
MOST_MEMORY, MOST_SECONDS = 4 << 30, 300  # of Coq, on a text that somebody changed


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def run_coq(library, file):
    """Its answer; none where it takes more memory or time than it is given."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        answer = subprocess.run(["coqc", "-q", "-w", "none", "-Q", str(library), "Vouch", str(file)], capture_output=True, text=True, preexec_fn=limit,
                                timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    said = answer.stdout + answer.stderr
    return None if answer.returncode < 0 or "out of memory" in said.lower() or "Stack overflow" in said else answer


class Folder:
    """A copy of one kernel's files, to tamper with; kept in step with its own manifest where that is asked for."""

    def __init__(self, source, name, root):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=root))
        self.name = name
        for file in list(source.glob(name + ".*")) + list(source.glob(name + "_derivation.v")):
            shutil.copy(file, self.path)
        manifest = json.loads((source / "manifest.json").read_text())
        manifest["kernels"] = {name: manifest["kernels"][name]}
        (self.path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")

    def file(self, ending):
        return self.path / (self.name + ending)

    def forget_hash(self, ending):
        """So that the manifest does not tell the change."""
        manifest = json.loads((self.path / "manifest.json").read_text())
        manifest["kernels"][self.name]["files"][self.name + ending] = hashlib.sha256(self.file(ending).read_bytes()).hexdigest()
        (self.path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


class Test:
    def __init__(self, vouch, kernels, root):
        self.vouch = vouch
        self.kernels = kernels
        self.root = root
        self.failures = []
        self.asked, self.undecided = 0, []

    def expect(self, what, answer, status, text=""):
        if answer.returncode != status or text not in answer.stdout + answer.stderr:
            self.failures.append(f"{what}: exit {answer.returncode}, expected {status} and '{text}'\n{answer.stdout}{answer.stderr}")

    def coq_rejects(self, what, file):
        """What `vouch verify` never asks, since it gives Coq no text of a folder: Coq alone would not take it either."""
        self.asked += 1
        answer = run_coq(self.vouch.parent / "coq", file)
        if answer is None:
            self.undecided.append(what)
        else:
            self.expect(f"{what}, by Coq alone", answer, 1, "Error")

    def end(self, figures):
        """What Coq did not decide was not taken by it, but says nothing either: of few texts it may be so."""
        for what in self.undecided:
            print(f"undecided within {MOST_MEMORY >> 30} GB and {MOST_SECONDS} s, by Coq alone: {what}")
        if 20 * len(self.undecided) > self.asked:
            self.failures.append(f"Coq decided too few: {len(self.undecided)} of {self.asked} not")
        print("\n".join(self.failures) or figures)
        return 1 if self.failures else 0

    def verify(self, what, folder, status, text=""):
        self.expect(what, run(self.vouch, "verify", folder.path, "-j", "2"), status, text)


def changed_characters(test, source, names, count):
    chance = random.Random(11)
    for name in names:
        for _ in range(count):
            folder = Folder(source, name, test.root)
            text = folder.file(".c").read_text()
            at = chance.randrange(len(text))
            other = chance.choice([c for c in "0123456789abijnv+-*/%=<>;(){}[] \n" if c != text[at]])
            folder.file(".c").write_text(text[:at] + other + text[at + 1:])
            folder.forget_hash(".c")
            test.verify(f"{name}.c with {other!r} at {at}", folder, 1, "the C text is not the certified one")


def single_changes(text, at):
    """The character at this place replaced, removed, and written twice."""
    other = "0" if text[at] != "0" else "1"
    return [text[:at] + other + text[at + 1:], text[:at] + text[at + 1:], text[:at] + text[at] + text[at:]]


def every_position(test, source, name):
    """Every single-character change of a C file, beside the true certificate."""
    folder = Folder(source, name, test.root)
    text = folder.file(".c").read_text()
    changed = sorted({change for at in range(len(text)) for change in single_changes(text, at)} - {text})
    for change in changed:
        folder.file(".c").write_text(change)
        folder.forget_hash(".c")
        test.verify(f"{name}.c with one character changed: {change}", folder, 1, "the C text is not the certified one")
    print(f"figures: {name}.c: {len(changed)} changes of one character, none certified")


def every_position_at_once(test, source, name, step):
    """The same, one change of `step`, asked of Coq many in one run: the kernel has no certificate of any of these texts, and one of the true text."""
    text = (source / f"{name}.c").read_text()
    changed = sorted({change for at in range(len(text)) for change in single_changes(text, at)} - {text})[::step]
    for first in range(0, len(changed), AT_ONCE):
        none_certified(test, source, name, changed[first:first + AT_ONCE])


def none_certified(test, source, name, changed):
    certificate = (source / f"{name}.v").read_text()
    quoted = ";\n".join('"' + change.replace('"', '""') + '"' for change in changed)
    with tempfile.TemporaryDirectory(dir=test.root) as scratch:
        file = pathlib.Path(scratch) / "Changed.v"
        file.write_text(certificate + f"\nLocal Open Scope string_scope.\nDefinition changed : list string := [\n{quoted}].\n"
                        f"Theorem none_certified : List.length changed = {len(changed)} /\\\n"
                        "  forallb (fun text => negb (certifies kernel text)) changed = true /\\ certifies kernel kernel_text = true.\n"
                        "Proof. split; [|split]; vm_compute; reflexivity. Qed.\n")
        answer = run_coq(test.vouch.parent / "coq", file)
    if answer is None:
        test.failures.append(f"{len(changed)} changes of {name}.c at once: undecided")
    else:
        test.expect(f"{len(changed)} changes of {name}.c at once", answer, 0)


def mutated_programs(test, source, names, most):
    done = 0
    for name in names:
        for what, pattern, change in MUTATIONS:
            folder = Folder(source, name, test.root)
            text = folder.file(".c").read_text()
            body = text.index("void " + name)
            mutated = text[:body] + re.sub(pattern, change, text[body:], count=1)
            if mutated == text or done >= most:
                continue
            done += 1
            # The certificate is made to speak of the wrong program too.
            certificate = folder.file(".v").read_text().replace('"%text ++ the_text\n"', "")  # long texts are in parts
            quoted = lambda c: c.replace('"', '""')
            assert quoted(text) in certificate
            folder.file(".c").write_text(mutated)
            folder.file(".v").write_text(certificate.replace(quoted(text), quoted(mutated)))
            folder.forget_hash(".c")
            folder.forget_hash(".v")
            test.verify(f"{name}: {what}", folder, 1, "the C text is not the certified one")
            test.coq_rejects(f"{name}: {what}", folder.file(".v"))
    if done < min(most, len(MUTATIONS) // 2):
        test.failures.append(f"only {done} mutations apply")


def tampered_files(test, source):
    folder = Folder(source, "dot", test.root)
    certificate = folder.file(".v").read_text()
    folder.file(".v").write_text(re.sub(r"Theorem certified.*?Qed\.", "Axiom certified : Certified kernel kernel_text.",
                                        certificate, flags=re.S))
    folder.forget_hash(".v")
    test.verify("a planted axiom", folder, 1, "the certificate is not this kernel's")

    folder = Folder(source, "dot", test.root)
    folder.file(".v").write_text(re.sub(r"Proof\.\s+cbv zeta.*?Qed\.", "Admitted.", certificate, flags=re.S))
    folder.forget_hash(".v")
    test.verify("a statement that is admitted", folder, 1, "the certificate is not this kernel's")

    folder = Folder(source, "dot", test.root)
    folder.file(".v").write_text(certificate.replace("gives s +. xs i *. ys i", "gives s +. xs i *. xs i"))
    folder.forget_hash(".v")
    test.verify("a wrong statement", folder, 1, "the certificate is not this kernel's")
    test.coq_rejects("a wrong statement", folder.file(".v"))

    folder = Folder(source, "dot", test.root)
    folder.file(".h").write_text(folder.file(".h").read_text().replace("int64_t n", "int32_t n"))
    test.verify("a changed header", folder, 1, "dot.h: the header is not the certified function's")

    folder = Folder(source, "dot", test.root)
    folder.file(".v").unlink()
    test.verify("a missing certificate", folder, 1)

    folder = Folder(source, "dot", test.root)
    (folder.path / "other.c").write_text("int x;\n")
    test.verify("a C file without certificate", folder, 1, "no certificate covers this")


def as_shown(test, source):
    """The page about certificates shows the one that is written."""
    page = (test.kernels.parent / "coq/certify/README.md").read_text()
    shown = [line.strip() for line in page[page.index("    From Coq"):page.index("`the_text`")].splitlines() if line.strip() and "…" not in line]
    certificate = (source / "dot.v").read_text()
    test.failures += [f"coq/certify/README.md shows what dot.v does not have: {line}" for line in shown if line not in certificate]
    if len(shown) < 15:
        test.failures.append(f"coq/certify/README.md shows {len(shown)} lines of a certificate")


def derivations(test, kernels):
    """Each rule application is checked, and leads to the C text on disk."""
    source = pathlib.Path(test.root) / "derived"
    test.expect("compile --derivation", run(test.vouch, "compile", "--derivation", next(kernels.rglob("product.fun")), "-o", source), 0)
    steps = re.findall(r"\(\*\* ((?:a|c|cgc|cga|cge)[.,] ?\w+|mapI, reduceI) \*\)", (source / "product_derivation.v").read_text())
    # The paper's walk-through of the inner product: section 1, its macros, and section 2.3. Where the paper takes several
    # steps at once (c.1 of both arrays, cga.6 with cga.1 ...) they are single here.
    paper = ["a.9", "c.5", "a.8", "c.8", "c.1", "c.1", "a.6", "c.12", "c.1", "c.13", "c.1", "a.5", "c.1", "c.1", "a.1",
             "mapI, reduceI",
             "cgc.4", "cgc.2", "cgc.6", "cgc.3", "cga.6", "cga.1",
             "cge.4", "cge.12", "cge.7", "cge.5", "cge.1", "cge.13", "cge.7", "cge.6", "cge.1",
             "cgc.4", "cgc.2", "cgc.2", "cgc.3", "cga.1", "cge, constant",
             "cgc.5", "cgc.3", "cga.1", "cge.3", "cge.1", "cge.7", "cge.1", "cgc.3", "cga.1", "cge.1"]
    if steps != paper:
        test.failures.append(f"the derivation goes by {steps}")
    folder = Folder(source, "product", test.root)
    test.verify("a derivation", folder, 0)
    derivation = folder.path / "product_derivation.v"
    good = derivation.read_text()
    changes = [("the derivation of another kernel", "Op2 Mul", "Op2 Add"),
               ("a wrong step of code generation", 'say "v3[i4] = ("', 'say "v3[i5] = ("'),
               ("a wrong step of translation", "mapParI 4 (SVar 0)", "mapSeqI 4 (SVar 0)")]
    for what, old, new in changes:
        assert old in good
        derivation.write_text(good.replace(old, new, 1))
        folder.forget_hash("_derivation.v")
        test.verify(what, folder, 1, "the derivation is not this kernel's")
        test.coq_rejects(what, derivation)


def bad_input(test, kernels):
    out = pathlib.Path(tempfile.mkdtemp(dir=test.root))
    bad = out / "bad.fun"
    bad.write_text("kernel bad(sizes n, m; xs: num[n], ys: num[m]) -> out: num =\n"
                   "  reduce xy in zip(xs, ys) with s = 0 { s + xy.fst * xy.snd }\n")
    test.expect("an ill-typed kernel", run(test.vouch, "compile", bad, "-o", out), 3,
                "bad.fun:2:16: error: zip needs two arrays of the same length, not num[n] and num[m]")
    if (out / "bad.c").exists():
        test.failures.append("a C file without certificate was left")
    test.expect("no kernel", run(test.vouch, "compile", out / "nothing.fun", "-o", out), 3)
    test.expect("no certificates", run(test.vouch, "verify", tempfile.mkdtemp(dir=test.root)), 1, "there are no certificates here")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("vouch", type=pathlib.Path)
    options.add_argument("kernels", type=pathlib.Path)
    options.add_argument("--all", action="store_true")
    options.add_argument("--characters", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as root:
        test = Test(chosen.vouch, chosen.kernels, root)
        source = pathlib.Path(root) / "kernels"
        if chosen.characters:
            test.expect("compile", run(chosen.vouch, "compile", next(chosen.kernels.rglob("copy_vec.fun")), "-o", source), 0)
            every_position(test, source, "copy_vec")
            return test.end("")
        derivation = ["--derivation"] if chosen.all else []
        named = [chosen.kernels] if chosen.all else [next(chosen.kernels.rglob(name + ".fun")) for name in FEW]
        test.expect("compile", run(chosen.vouch, "compile", *derivation, *named, "-o", source), 0)
        names = sorted(json.loads((source / "manifest.json").read_text())["kernels"])
        table = pathlib.Path(root) / "table.json"
        test.expect("verify", run(chosen.vouch, "verify", source, "-j", "2", "--json", table), 0)
        for row in json.loads(table.read_text())["kernels"]:
            if not row["certified"] or row["axioms"] != "none":
                test.failures.append(str(row))
        changed_characters(test, source, names[:5] if chosen.all else ["dot"], 20 if chosen.all else 2)
        every_position_at_once(test, source, "dot", 1 if chosen.all else 64)
        mutated_programs(test, source, names if chosen.all else ["product_split"], 200 if chosen.all else 3)
        tampered_files(test, source)
        as_shown(test, source)
        derivations(test, chosen.kernels)
        bad_input(test, chosen.kernels)
    return test.end(f"figures: {len(names)} kernels: certified, and nothing else is")


if __name__ == "__main__":
    sys.exit(main())

"""Kernels that `vouch compile` wrote, in tests: compiled, run under a sanitizer, verified; and texts that lie, which `verify` and Coq
by itself have to refuse."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

FLAGS = ["-std=c99", "-O2", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC"]
WHAT = {".c": "the C text is not the certified one", ".h": "the header is not the certified function's"}


class Certified:
    def __init__(self, vouch, check):
        self.vouch = vouch
        self.check = check
        self.library = pathlib.Path(vouch.program).resolve().parent / "coq"
        self.coq = shutil.which("coqc") is not None and (self.library / "certify/Certificate.vo").exists()
        self.lies = []  # texts for Coq by itself, each with what it claims: of each kernel the first, with `all` each
        self.lied_about = set()
        self.compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
        self.by_each = "all" in sys.argv[3:]  # else by one of them, in turn
        print("compilers:", *self.compilers, "" if len(self.compilers) == 2 else "(the other is not there: not tried)")
        print("" if self.coq else "coqc or the compiled library is not there: certificates are not tried")

    def built(self, compiler, source, folder, flags=()):
        return self.built_together(compiler, [source], folder, flags)

    def built_together(self, compiler, sources, folder, flags=()):
        """One library of them all, named after the first."""
        library = folder / f"{sources[0].stem}-{compiler}{len(flags)}.so"
        done = subprocess.run([compiler, *FLAGS, *flags, "-shared", *sources, "-o", library, "-lm"], capture_output=True, text=True)
        self.check.that(done.returncode == 0, f"{compiler} {[source.name for source in sources]}: {done.stderr[:400]}")
        return library if done.returncode == 0 else None

    def sanitized(self, name, programs, folder):
        """Each Python text prints what NAME_checked returns: in a process of its own, which the sanitizer would end."""
        path = folder / f"{name}.py"
        path.write_text("\n".join(programs))
        preload = subprocess.run(["gcc", "-print-file-name=libubsan.so"], capture_output=True, text=True).stdout.strip()
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": preload})
        self.check.that(done.returncode == 0 and done.stdout.split() == ["0"] * len(programs), f"{name}, sanitized: {done.returncode} {done.stdout} {done.stderr[:300]}")

    def verified(self, *folders):
        """Each holds the one kernel of its name."""
        code, out, err = self.vouch("verify", *folders, limited=False, seconds=600)
        certified = re.findall(r"^(\w+)(?: in \S+)? +certified", out, re.MULTILINE)
        names = [folder.name for folder in folders]
        self.check.that(code == 0 and sorted(certified) == sorted(names), f"verify {names}: exit {code}, {(out + err)[:500]}")

    def try_all(self, kernels, place, computes, program, sanitizer, also=lambda kernel, source: None):
        """Each by a compiler (by both with `all`; of many each third is verified else) against `computes(kernel, library, compiler)`, under the sanitizer, and verified."""
        compiled = []
        for kernel in kernels:
            path = place / f"{kernel.name}.tk"
            path.write_text(kernel.text)
            code, out, err = self.vouch("compile", path, "-o", place / kernel.name)
            self.check.that(code == 0, f"compile {kernel.name}: {err[:400]}")
            if code != 0:
                continue
            compiled.append(kernel)
            also(kernel, self.source(place, kernel))
        for k, compiler in enumerate(self.compilers):
            mine = compiled if self.by_each else compiled[k::len(self.compilers)]
            library = self.built_together(compiler, [self.source(place, kernel) for kernel in mine], place) if mine else None
            for kernel in mine if library else []:
                computes(kernel, library, compiler)
        library = self.built_together("gcc", [self.source(place, kernel) for kernel in compiled], place, sanitizer) if compiled else None
        if library:
            self.sanitized(compiled[0].name, [program(kernel, library) for kernel in compiled], place)
        if self.coq:
            self.verified(*[place / kernel.name for kernel in (compiled if self.by_each or len(compiled) <= 12 else compiled[::3])])

    @staticmethod
    def source(place, kernel):
        return place / kernel.name / f"{kernel.name}.c"

    def lie(self, folder, name, suffix, change, what):
        """The kernel's folder with that file changed, and a manifest that fits, is refused; and the C text by Coq alone."""
        copy = folder / "lie"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder / name, copy)
        path = copy / f"{name}{suffix}"
        honest = path.read_text()
        lying = change(honest)
        self.check.that(lying != honest, f"{path.name} has no place for '{what}': {honest}")
        path.write_text(lying)
        manifest = json.loads((copy / "manifest.json").read_text())
        manifest["kernels"][name]["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        (copy / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        code, out, err = self.vouch("verify", copy, limited=False)
        self.check.that(code == 1 and f"{path.name}: {WHAT[suffix]}" in out + err, f"{path.name}, '{what}': exit {code}, {(out + err)[:400]}")
        if suffix == ".c" and (self.by_each or name not in self.lied_about):
            self.lied_about.add(name)
            certificate = (folder / name / f"{name}.v").read_text()
            head = certificate[:certificate.index("Definition kernel_text : string :=")]
            text = lying.replace('"', '""')
            self.lies.append((f"{path.name}, '{what}'", head + f'Definition lie : string := "{text}".\n'
                              "Theorem refuted : certifies kernel lie = false.\nProof. vm_cast_no_check (eq_refl false). Qed.\n"))

    def other_recipe(self, folder, name, change, what):
        """The kernel's folder with `change` made to its recipe is refused."""
        copy = folder.parent / "lie"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        manifest = json.loads((copy / "manifest.json").read_text())
        honest = json.dumps(manifest)
        change(manifest["kernels"][name]["recipe"])
        self.check.that(json.dumps(manifest) != honest, f"{name}: a recipe of {what} is the honest one")
        (copy / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        code, out, err = self.vouch("verify", copy, limited=False)
        self.check.that(code in (1, 3), f"{name}, a recipe of {what}: exit {code}, {(out + err)[:300]}")

    def refused_by_coq(self, scratch):
        """Coq by itself, asked of the honest kernels and the lying texts, all in one file."""
        if not self.coq:
            return
        self.check.that(bool(self.lies), "lies were told")
        (scratch / "Lies.v").write_text("".join(f"Module Lie{at}.\n{text}End Lie{at}.\n" for at, (_, text) in enumerate(self.lies)))
        done = subprocess.run(["coqc", "-q", "-w", "none", "-Q", self.library, "Vouch", "Lies.v"], cwd=scratch, capture_output=True, text=True)
        self.check.that(done.returncode == 0, f"Coq does not refuse one of {[what for what, _ in self.lies]}: {done.stderr[:300]}")

    def refusals(self, folder, cases):
        """(command, name, text, words of the message): exit 3, and no files left."""
        for command, name, text, words in cases:
            path = folder / f"{name}.tk"
            path.write_text(text + "\n")
            code, out, err = self.vouch(command, path, "-o", folder / "refused")
            self.check.that(code == 3 and words in err, f"{name}: exit {code}, {err[:300]}")
            self.check.that(not (folder / "refused").exists(), f"{name} left files")

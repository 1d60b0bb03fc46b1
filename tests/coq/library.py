#!/usr/bin/env python3
"""What the compiled Coq library rests on.

    library.py assumptions LIBRARY    compiles Assumptions.v and compares what it prints with Assumptions.expected
    library.py coqchk LIBRARY         checks every compiled file again with coqchk, which must find no axiom
    library.py planted LIBRARY        both must notice an axiom, an admitted proof and a theorem that needs one
LIBRARY is the folder of the compiled library. The real numbers as scalars need the axioms of the standard library's real
numbers, and so does what theorems about rules stand on (coq/tensor): there coqchk may find those, and no others."""
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = pathlib.Path(__file__).with_name("Assumptions.expected")
WITH_AXIOMS = {"array/RealNumbers.v", "schedule/RealVariants.v", "Assumptions.v"}
# The standard library defines these in a module that it then seals; coqchk lists what is sealed as if it were assumed.
SEALED = "Coq.ssr.ssrunder.Under_rel."


def output_of(*words, folder=None):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def files(library):
    flags = ("-Q", "-arg")
    lines = (library / "_CoqProject").read_text().splitlines()
    return [line for line in lines if line and not line.startswith(flags)]


def module(file):
    return "Vouch." + file.removesuffix(".v").replace("/", ".")


def assumptions(library):
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "Assumptions.v"
        source.write_text((library / "Assumptions.v").read_text())
        code, said = output_of("coqc", "-q", "-Q", str(library), "Vouch", str(source))
    if code:
        return [said]
    wanted = EXPECTED.read_text()
    return [] if said == wanted else [f"expected\n{wanted}", f"found\n{said}"]


def axioms_found(said):
    """The lines under `* Axioms:` in a summary of coqchk, or nothing if it says <none>."""
    lines = [line.strip() for line in said.splitlines()]
    starts = [at for at, line in enumerate(lines) if line.startswith("* Axioms:")]
    if len(starts) != 1:
        return ["no summary: " + said[-400:]]
    first = lines[starts[0]].removeprefix("* Axioms:").strip()
    listed = []
    for line in lines[starts[0] + 1:]:
        if line.startswith("*"):
            break
        if not line.startswith(SEALED):
            listed.append(line)
    return [] if first == "<none>" else [line for line in [first, *listed] if line]


def coqchk(library, modules, *paths):
    """Our own files are checked again; the standard library is taken as its makers compiled it."""
    code, said = output_of("coqchk", "-silent", "-o", "-Q", str(library), "Vouch", *paths,
                           *[word for name in modules for word in ("-norec", name)])
    return ([said[-2000:]] if code else []) + axioms_found(said)


# Of the standard library's real numbers: three laws of classical reasoning, and names that it seals in a module.
OF_REALS = {"Coq.Logic.FunctionalExtensionality.functional_extensionality_dep", "Coq.Logic.Classical_Prop.classic",
            "Coq.Reals.ClassicalDedekindReals.sig_not_dec", "Coq.Reals.ClassicalDedekindReals.sig_forall_dec"}
SEALED_REALS = ("Coq.Reals.Rdefinitions.RbaseSymbolsImpl.", "Coq.Reals.Rdefinitions.RinvImpl.")


# What speaks of derivatives, and so of the reals, besides the theorems on rules.
DERIVATIVES = {"adjoint/Derivative.v", "adjoint/DerivativeProof.v", "adjoint/Reals.v", "adjoint/SlopesProof.v", "Main.v"}


def whole_library(library):
    over_reals = [file for file in files(library) if file.startswith("tensor/") or file in DERIVATIVES]
    without = [module(file) for file in files(library) if file not in WITH_AXIOMS and file not in over_reals]
    reals = coqchk(library, [module(file) for file in over_reals])
    return coqchk(library, without) + [f"over the reals: {line}" for line in reals if line not in OF_REALS and not line.startswith(SEALED_REALS)]


def planted(library):
    """For each planted text: does `Print Assumptions` say something else than that it is closed, and does coqchk list it?"""
    texts = {"axiom": "Axiom magic : False.\nTheorem wrong : 0 = 1.\nProof. destruct magic. Qed.\n",
             "admitted": "Theorem wrong : 0 = 1.\nProof. Admitted.\n",
             "unsafe": "#[bypass_check(guard)] Fixpoint loop (n : nat) : False := loop n.\n"
                       "Theorem wrong : 0 = 1.\nProof. destruct (loop 0). Qed.\n"}
    missed = []
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as scratch:
            source = pathlib.Path(scratch) / "Planted.v"
            source.write_text(text + "Print Assumptions wrong.\n")
            code, said = output_of("coqc", "-q", "-Q", scratch, "Planted", str(source))
            if code or "Closed under the global context" in said:
                missed.append(f"{name}: Print Assumptions does not see it: {said}")
            _, said = output_of("coqchk", "-silent", "-o", "-Q", scratch, "Planted", "-norec", "Planted.Planted")
            if "wrong" not in said and "magic" not in said and "loop" not in said:
                missed.append(f"{name}: coqchk does not see it: {said}")
            if name != "unsafe" and not axioms_found(said):
                missed.append(f"{name}: not among the axioms found")
    return missed


if __name__ == "__main__":
    checks = {"assumptions": assumptions, "coqchk": whole_library, "planted": planted}
    problems = checks[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
    print("\n".join(problems) or f"{sys.argv[1]}: as it should be")
    sys.exit(1 if problems else 0)

"""named_rules.py BUILD RESULTS: for how many shipped rules Coq accepts what is said of operators by name, and in how long. `vouch check --coq` states one
instance of each sound rule; of those by name whose operators reduce, convert or divide indices by sizes (all others are quick) each file's part about
names goes to `coqc`, what it says of elements admitted (`vouch verify` asks for both), with 40 seconds of processor time and 4 GB. `--only RULE` takes
one rule alone, and prints what Coq says.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, BYTES = 40, 4 << 30
BY_NAME = "(** ** Operators by name"
RULES = [ROOT / "rules", ROOT / "rules" / "gsl", ROOT / "rules" / "dialect"]


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def elements_admitted(text):
    """The proofs about elements left out: what is said by name rests on their statements."""
    at = text.index(BY_NAME)
    return re.sub(r"Proof\..*?Qed\.", "Proof. Admitted.", text[:at], flags=re.S) + text[at:]


def is_costly(folder, rule):
    text = (folder / f"{rule}.v").read_text()
    return re.search(r"Kernel\.I(Div|Mod)|reducing|Cast", text[text.index(BY_NAME):]) is not None


def answer(build, folder, rule):
    file = folder / f"named_{re.sub('[^A-Za-z0-9]', '_', rule)}.v"
    file.write_text(elements_admitted((folder / f"{rule}.v").read_text()))
    process = subprocess.Popen(["coqc", "-q", "-w", "none", "-Q", build / "coq", "Vouch", file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limits)
    said = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    verdict = "accepted" if process.returncode == 0 else "time" if seconds > SECONDS - 1 else "refused"
    return rule, verdict, seconds, said


def report(answers, stated):
    counts = {verdict: sum(one[1] == verdict for one in answers) for verdict in ("accepted", "time", "refused")}
    lines = ["# Rules whose theorems are stated by operators' names", "",
             "Written by `python3 tests/bench/named_rules.py build/release tests/bench/named_rules_results.md`. One instance of each shipped rule; what is said of",
             f"elements admitted; {SECONDS} seconds of processor time each.", "",
             f"{stated} rules have theorems by name. Of the {len(answers)} of them whose operators reduce, convert or divide indices by sizes Coq accepts {counts['accepted']}, ends without proof for {counts['refused']}, and takes longer for {counts['time']}.", "",
             "| rule | Coq's answer | seconds |", "|---|---|---|"]
    slow = sorted((one for one in answers if one[1] != "accepted" or one[2] >= 5), key=lambda one: (one[1], one[0]))
    lines += [f"| {rule} | {dict(accepted='accepted', time=f'none within {SECONDS} s', refused='no proof')[verdict]} | {seconds:.0f} |" for rule, verdict, seconds, _ in slow]
    lines += ["", f"All others are accepted within 5 seconds; the middle of all is {sorted(one[2] for one in answers)[len(answers) // 2]:.1f} s."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        only = ["--rule", arguments.only] if arguments.only else []
        subprocess.run([build / "vouch", "check", *RULES, *only, "--no-refute", "--no-repair", "--coq", folder, "--coq-instances", "1"], check=True, stdout=subprocess.DEVNULL)
        entries = json.loads((folder / "proofs.json").read_text())["rules"]
        named = [entry["rule"] for entry in entries if entry["by_name"]]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            answers = list(pool.map(lambda rule: answer(build, folder, rule), [rule for rule in named if arguments.only or is_costly(folder, rule)]))
    if arguments.only:
        print("\n".join(f"{rule}: {verdict}, {seconds:.1f} s\n{said}" for rule, verdict, seconds, said in answers))
    else:
        arguments.results.write_text(report(answers, len(named)))


if __name__ == "__main__":
    main()

"""A store of verdicts that processes share, and lists of jobs for Ninja: `check --store`, `--again`, `--fill`, `--emit ninja`.

    store_test.py VOUCH ROOT"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
checks = Checks()
scratch = tempfile.TemporaryDirectory()
place = pathlib.Path(scratch.name)
os.environ["VOUCH_KEY"] = str(place / "key")
SOUND = "rule twice {\n  let x = *;\n  source Relu(Relu(x));\n  target Relu(x);\n}\n"
WRONG = "rule wrong {\n  let x = *;\n  let y = *;\n  source Sub(x, y);\n  target Sub(y, x);\n}\n"
(place / "two.gsl").write_text(SOUND + WRONG)


def check(*words, code=1):
    status, out, err = vouch("check", *words)
    checks.that(status == code, f"check {words}: exit {status}, expected {code}: {out}{err}")
    return out, err


def entries(store):
    return sorted(store.glob("*.verdict"))


def steady(text):
    return re.sub(r" +\d+ ms *| +$", "", re.sub(r" \(kept\)|, \d+ kept|\(\d+ ms\)", "", text), flags=re.MULTILINE)


def kept_and_believed():
    store = place / "store"
    plain, _ = check(place / "two.gsl")
    first, _ = check("--store", store, place / "two.gsl")
    second, _ = check("--store", store, place / "two.gsl")
    checks.that(len(entries(store)) == 2, "a file for each rule")
    checks.that(steady(first) == steady(second) == steady(plain), f"the same is printed:\n{plain}{second}")
    checks.that("2 kept" in second and "kept" not in first, f"what was known is said to be: {second}")
    plain_json, _ = check("--json", "-", place / "two.gsl")
    kept_json, _ = check("--store", store, "--json", "-", place / "two.gsl")
    for a, b in zip(json.loads(plain_json)["rules"], json.loads(kept_json)["rules"]):
        for name in ("time_ms", "slowest_query_ms"):
            a.pop(name), b.pop(name)
        checks.that(b.pop("kept") and not a.pop("kept") and a == b, f"the same JSON: {a} {b}")
    check("--store", store, "--max-rank", "2", place / "two.gsl")
    checks.that(len(entries(store)) == 4, "other options, other entries")


def not_believed():
    """What was edited, moved to another rule's name, or sealed by another user counts as nothing, and the rule is proven again."""
    store = place / "forged"
    check("--store", store, place / "two.gsl")
    for entry in entries(store):
        text = entry.read_text()
        entry.write_text(text.replace('"unsound"', '"sound (exact)"'))
    out, _ = check("--store", store, place / "two.gsl")
    checks.that("unsound" in out and "1 kept" in out, f"an edited verdict: {out}")
    one, other = entries(store)
    bytes_of = one.read_bytes(), other.read_bytes()
    one.write_bytes(bytes_of[1])
    other.write_bytes(bytes_of[0])
    out, _ = check("--store", store, place / "two.gsl")
    checks.that("unsound" in out and "kept" not in out, f"verdicts that changed places: {out}")
    os.environ["VOUCH_KEY"] = str(place / "another")
    out, _ = check("--store", store, place / "two.gsl")
    checks.that("kept" not in out and len(entries(store)) == 4, f"another key finds nothing, and is in nobody's way: {out}")
    os.environ["VOUCH_KEY"] = str(place / "key")
    (place / "open-key").write_bytes(b"k" * 32)
    (place / "open-key").chmod(0o644)
    os.environ["VOUCH_KEY"] = str(place / "open-key")
    _, err = check("--store", store, place / "two.gsl", code=3)
    checks.that("nothing can be sealed" in err, f"a key that others can read: {err}")
    os.environ["VOUCH_KEY"] = str(place / "key")


def replaced():
    """What others put in the place of an entry is neither waited for nor written into: links, pipes, devices that never end."""
    mine = place / "mine"
    for kept, options in ((place / "planted", ("check", "--store", place / "planted", place / "two.gsl")),
                          (place / "cache", ("optimize", root / "tests/models/mnist/model.onnx", "--rules", place / "two.gsl"))):
        os.environ["VOUCH_CACHE"] = str(place / "cache")
        (place / "two.gsl").write_text(SOUND + WRONG + "rule sums { let x = *; let y = *; source x + y; target Identity(x) + y; }\n")
        vouch(*options)
        checks.that(entries(kept), f"{options[0]}: entries are kept")
        for plant in (lambda path: os.mkfifo(path), lambda path: path.symlink_to(mine), lambda path: path.symlink_to("/dev/zero")):
            mine.write_text("mine")
            for entry in entries(kept):
                entry.unlink()
                plant(entry)
            vouch(*options)
            checks.that(mine.read_text() == "mine", f"{options[0]}: a link was written through")
            checks.that(all(entry.is_file() and not entry.is_symlink() for entry in entries(kept)), f"{options[0]}: entries are files again")
    os.environ.pop("VOUCH_CACHE")
    (place / "two.gsl").write_text(SOUND + WRONG)
    os.mkfifo(place / "pipe", 0o600)
    os.environ["VOUCH_KEY"] = str(place / "pipe")
    check("--store", place / "planted", place / "two.gsl", code=3)
    os.environ["VOUCH_KEY"] = str(place / "key")


def again():
    store = place / "again"
    check("--store", store, place / "two.gsl")
    out, _ = check("--store", store, "--again", place / "two.gsl")
    checks.that("kept" not in out, f"--again proves: {out}")
    _, err = check("--again", place / "two.gsl", code=64)
    out, _ = check("--store", store, "--recheck", "cvc5", "--rule", "twice", place / "two.gsl", code=0) if shutil.which("cvc5") else ("agreed", "")
    checks.that("agreed" in out and "kept" not in out, f"--recheck asks of queries, which are not kept: {out}")


def many_at_once():
    store = place / "many"
    processes = [subprocess.Popen([vouch.program, "check", "--store", store, root / "rules/noop.gsl"], stdout=subprocess.PIPE, text=True)
                 for _ in range(4)]
    said = {steady(process.communicate(timeout=300)[0]) for process in processes}
    checks.that(len(said) == 1 and all(process.returncode == 0 for process in processes), f"four at once: {said}")
    out, _ = check("--store", store, root / "rules/noop.gsl", code=0)
    count = int(re.search(r"(\d+) rules:", out)[1])
    checks.that(f"{count} kept" in out and len(entries(store)) == count, f"{out}")
    checks.that(not [path for path in store.iterdir() if path.suffix != ".verdict"], "no half file is left")


def jobs():
    store, file = place / "a store's $folder", place / "jobs.ninja"
    out, _ = check("--store", store, "--emit", "ninja", file, place / "two.gsl", code=0)
    checks.that("2 rules in 2 jobs" in out, out)
    listed = sorted((store / "jobs").glob("*.gsl"))
    checks.that(len(listed) == 2 and not entries(store), "jobs are written, nothing is proven")
    check("--fill", "--store", store, listed[0], code=0)
    checks.that(len(entries(store)) == 1, "a job does its part, and ends with 0 whatever its verdict")
    listed[1].rename(store / "jobs" / "other.gsl")
    _, err = check("--fill", "--store", store, store / "jobs" / "other.gsl", code=3)
    checks.that("not written by this program" in err, err)
    (store / "jobs" / "other.gsl").rename(listed[1])
    check("--store", store, "--emit", "make", file, place / "two.gsl", code=64)
    (place / "bad.gsl").write_text("rule bad {\n")
    check("--store", store, "--emit", "ninja", place / "none.ninja", place / "bad.gsl", code=3)
    checks.that(not (place / "none.ninja").exists(), "a file with errors gives no jobs")
    if not shutil.which("ninja"):
        print("not run: the list of jobs: Ninja is not there")
        return
    ninja = lambda *words: subprocess.run(["ninja", "-f", file, *words], capture_output=True, text=True, cwd=place)  # noqa: E731
    done = ninja("jobs")
    checks.that(done.returncode == 0 and len(entries(store)) == 2, f"ninja jobs: {done.stdout}{done.stderr}")
    checks.that("no work to do" in ninja("jobs").stdout, "what is there is not made again")
    last = ninja()
    verdicts = json.loads(pathlib.Path(f"{file}.verdicts.json").read_text())
    checks.that(last.returncode == 1 and [rule["verdict"] for rule in verdicts["rules"]] == ["sound", "unsound"], f"{last.stdout}{verdicts}")
    (place / "two.gsl").write_text(SOUND + WRONG.replace("Sub", "Div"))
    check("--store", store, "--emit", "ninja", file, place / "two.gsl", code=0)
    done = ninja("jobs")
    checks.that("[1/1]" in done.stdout, f"after one rule changed, one job: {done.stdout}")
    out, _ = check("--store", place / "s3", "--emit", "ninja", file, root / "rules/noop.gsl", root / "rules/elementwise.gsl", root / "rules/gsl", code=0)
    checks.that("rules in" in out, f"rule files may follow: {out}")
    log = place / "launched"
    launcher = place / "launch"
    launcher.write_text(f"#!/bin/sh\necho one >> {log}\nexec \"$@\"\n")
    launcher.chmod(0o755)
    check("--store", place / "s2", "--emit", "ninja", file, "--launcher", f"{launcher}", "--per-job", "2", place / "two.gsl", code=0)
    done = ninja("jobs")
    checks.that(done.returncode == 0 and log.read_text() == "one\n" and len(entries(place / "s2")) == 2, f"--launcher, --per-job: {done.stdout}")


def certificates():
    out, store, file = place / "kernels", place / "answers", place / "verify.ninja"
    status, said, err = vouch("compile", root / "kernels/vector/dot.fun", root / "kernels/vector/abs_vec.fun", "-o", out)
    checks.that(status == 0, f"compile: {said}{err}")
    status, said, err = vouch("verify", out, "--store", store, "--emit", "ninja", file, limited=False, seconds=600)
    if "these are not there" in err:
        print("not run: jobs of certificates: Coq or its library is not there")
        return
    checks.that(status == 0 and "2 certificates in 2 jobs" in said, f"verify --emit: {said}{err}")
    text = (out / "dot.c").read_text()
    for inside in (out / "jobs.ninja", out / "dot.c", place / "link-to" / "jobs.ninja"):
        if not (place / "link-to").exists():
            (place / "link-to").symlink_to(out)
        status, said, err = vouch("verify", out, "--store", store, "--emit", "ninja", inside, limited=False, seconds=600)
        checks.that(status == 3 and "jobs are not written into a folder that is verified" in err, f"jobs among certificates: {status} {said}{err}")
    checks.that(not (out / "jobs.ninja").exists() and (out / "dot.c").read_text() == text, "nothing is written among certificates")
    shutil.copytree(out, place / "twin")
    status, said, err = vouch("verify", out, place / "twin", "--store", store, limited=False, seconds=600)
    checks.that(status == 0 and f"dot in {out}" in said and f"dot in {place / 'twin'}" in said, f"kernels of one name in two folders: {said}{err}")
    shutil.rmtree(place / "twin")
    odd = place / "b'c $(touch pwned) #é"
    for name in ("k:1", "k|1"):  # Ninja quotes a colon, and has nothing that quotes a bar
        shutil.copytree(out, odd / name)
    status, said, err = vouch("verify", odd / "k|1", "--store", store, "--emit", "ninja", place / "bar.ninja", limited=False, seconds=600)
    checks.that(status == 3 and "no name with a '|' in it" in err and not (place / "bar.ninja").exists(), f"a bar: {status} {said}{err}")
    status, said, err = vouch("verify", odd / "k:1", "--store", store, "--emit", "ninja", place / "odd.ninja", limited=False, seconds=600)
    checks.that(status == 0, f"an odd folder: {status} {said}{err}")
    for target, why in (("/dev/full", "No space left"), ("", "No such file")):
        status, said, err = vouch("verify", out, "--store", store, "--emit", "ninja", target, limited=False, seconds=600)
        checks.that(status == 3 and why in err, f"jobs into '{target}': {status} {said}{err}")
    shutil.rmtree(store)
    status, said, err = vouch("verify", out, "--store", store, "--only", "nowhere", limited=False, seconds=600)
    checks.that(status == 3 and "no kernel and no rule is called 'nowhere'" in err, f"--only: {said}{err}")
    if not shutil.which("ninja"):
        return
    ninja = lambda *words: subprocess.run(["ninja", "-f", file, *words], capture_output=True, text=True, cwd=place)  # noqa: E731
    done = ninja("jobs")
    checks.that(done.returncode == 0 and "[2/2]" in done.stdout, f"each certificate by itself: {done.stdout}")
    checks.that("no work to do" in ninja("jobs").stdout, "what is answered is not asked again")
    done = subprocess.run(["ninja", "-f", place / "odd.ninja", "jobs"], capture_output=True, text=True, cwd=place)
    checks.that(done.returncode == 0 and not (place / "pwned").exists(), f"jobs of an odd folder: {done.stdout}{done.stderr}")
    done = ninja()
    found = json.loads(pathlib.Path(f"{file}.verdicts.json").read_text())
    checks.that(done.returncode == 0 and found["exit"] == 0 and done.stdout.count("kept") >= 2, f"{done.stdout}")
    (out / "dot.c").write_text((out / "dot.c").read_text().replace("+", "-"))
    done = ninja()
    checks.that(done.returncode == 1 and "the C text is not the certified one" in done.stdout, f"kept answers hide no change: {done.stdout}")
    status, said, err = vouch("build", root / "tests/models/mnist/model.onnx", "-o", place / "library", "--store", store, "--emit", "ninja", file,
                              limited=False, seconds=600)
    checks.that(status == 0 and re.search(r"\d certificates in \d+ jobs", said), f"build --emit: {said}{err}")


kept_and_believed()
not_believed()
replaced()
again()
many_at_once()
jobs()
certificates()
checks.end()

"""Small faults as classes: names and folders that shells read, outputs that cannot be written, signals, hostile sizes, wrong bytes."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

from command import Checks, Vouch, heed_signals, living

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
program = str(pathlib.Path(sys.argv[1]).resolve())
mnist = root / "tests" / "models" / "mnist"
checks = Checks()
top = pathlib.Path(tempfile.mkdtemp())
os.environ["VOUCH_CACHE"] = str(top / "cache")


def rule_file(name, text):
    path = top / name
    path.write_text(text)
    return path


TWO_RELUS = "rule two_relus { let x = *; source Relu(Relu(x)); target Relu(x); }\n"


def no_shell():
    """A folder whose name is shell text is a folder, for the second solver and for Graphviz."""
    rules = rule_file("two.gsl", TWO_RELUS)
    evil = top / "q'; touch PWNED; '$(touch PWNED2)"
    evil.mkdir()
    if shutil.which("cvc5"):
        code, out, errors = vouch("check", rules, "--recheck", "cvc5", "--smt", evil)
        checks.that(code == 0 and "agreed" in out, f"--recheck in a quoted folder: {code} {out} {errors}")
    else:
        print("not run: cvc5 is not there")
    if shutil.which("dot"):
        code, _, errors = vouch("draw", rules, "-o", evil / "a b'.svg")
        checks.that(code == 0 and (evil / "a b'.svg").exists(), f"draw into it: {code} {errors}")
    left = [path for path in [*top.rglob("PWNED*"), *pathlib.Path.cwd().glob("PWNED*")]]
    checks.that(not left, f"a shell ran: {left}")


def user_folders():
    """Empty and relative XDG variables are as good as none (XDG Base Directory Specification)."""
    home, here = top / "home", top / "here"
    home.mkdir(), here.mkdir()
    for value in ("", "relative"):
        environment = {k: v for k, v in os.environ.items() if k != "VOUCH_CACHE"}
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": value, "XDG_STATE_HOME": value}
        done = subprocess.run([program, "optimize", mnist / "model.onnx", "--rules", rule_file("two.gsl", TWO_RELUS)], cwd=here,
                              env=environment, capture_output=True)
        checks.that(done.returncode == 0 and not list(here.iterdir()), f"XDG '{value}': wrote {list(here.iterdir())}")
        checks.that((home / ".local" / "state" / "vouch" / "key").is_file() and not pathlib.Path("/vouch").exists(), f"XDG '{value}': {list(home.rglob('*'))}")


def long_names():
    for length in (200, 248, 249, 255):
        path = top / ("n" * (length - 5) + ".onnx")
        code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rule_file("two.gsl", TWO_RELUS), "-o", path)
        checks.that(code == 0 and path.exists(), f"a name of {length} bytes: {code} {errors}")
    code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rule_file("two.gsl", TWO_RELUS), "-o", top / ("n" * 251 + ".onnx"))
    checks.that(code == 3 and "cannot be written" in errors, f"a name of 256 bytes: {code} {errors}")


def children_of(process):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in listed]


def signals():
    """A signal leaves neither scratch folders nor processes."""
    slow = top / "slow"
    slow.mkdir()
    (slow / "dot").write_text("#!/bin/sh\nexec sleep 300\n")
    (slow / "dot").chmod(0o755)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        scratch = top / f"scratch{number}"
        scratch.mkdir()
        environment = os.environ | {"PATH": f"{slow}:{os.environ['PATH']}", "TMPDIR": str(scratch)}
        process = subprocess.Popen([program, "draw", rule_file("two.gsl", TWO_RELUS), "-o", top / "never.svg"], env=environment, preexec_fn=heed_signals)
        children = []
        for _ in range(200):
            children = children_of(process.pid)
            if children:
                break
            time.sleep(0.05)
        process.send_signal(number)
        code = process.wait(timeout=20)
        alive = living(children)
        checks.that(children and not alive, f"signal {number}: started {children}, alive {alive}")
        checks.that(code == -number, f"signal {number}: ended with {code}")
        checks.that(not list(scratch.iterdir()) and not (top / "never.svg").exists(), f"signal {number}: left {list(scratch.iterdir())}")


def signals_while_writing():
    """Files that get their names later are gone, whichever of them is being made when the signal comes."""
    kernels, out = root / "kernels", top / "written"
    began = time.monotonic()
    vouch("compile", kernels, "-o", out)
    lasts = time.monotonic() - began
    for k in range(20):
        shutil.rmtree(out)
        process = subprocess.Popen([program, "compile", kernels, "-o", out], stdout=subprocess.DEVNULL, preexec_fn=heed_signals)
        time.sleep(lasts * (k + 1) / 21)
        process.send_signal((signal.SIGTERM, signal.SIGQUIT)[k % 2])
        process.wait(timeout=20)
        left = list(out.glob(".vouch-*"))
        checks.that(not left, f"signal {k} while files are written: left {left}")
        out.mkdir(exist_ok=True)


def lost_output():
    """What cannot be written is no success; a reader that goes away ends the process as it ends others."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "ops"], stdout=full, stderr=subprocess.PIPE, text=True)
    checks.that(done.returncode == 3 and "standard output" in done.stderr, f"/dev/full: {done.returncode} {done.stderr}")
    for words in (["--help"], ["--version"], ["check", "--help"], ["man"], ["completions", "bash"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program, *words], stdout=full, stderr=subprocess.PIPE, text=True)
        checks.that(done.returncode == 3 and "No space left" in done.stderr, f"{words} to /dev/full: {done.returncode} {done.stderr}")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([program, "ops"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    checks.that(done.returncode == -signal.SIGPIPE and not done.stderr, f"a closed pipe: {done.returncode} {done.stderr}")
    rules, model = rule_file("two.gsl", TWO_RELUS), mnist / "model.onnx"
    for words in (["ops"], ["--help"], ["check", rules], ["check", rules, "--json", "-"], ["optimize", model, "--rules", rules, "-o", top / "lost.onnx"],
                  ["run", model, "--io", mnist / "io"], ["compile", root / "kernels" / "vector" / "dot.fun", "-o", top / "lost"]):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', program, *words], stderr=subprocess.PIPE, text=True)
        checks.that(done.returncode == 3 and "standard output: error" in done.stderr, f"{words[0]}, its output closed: {done.returncode} {done.stderr}")
    checks.that(not [path for path in top.glob("lost*")], f"nothing is written then: {list(top.glob('lost*'))}")
    done = subprocess.run(["sh", "-c", 'exec "$0" check - <&-', program], capture_output=True, text=True)
    checks.that(done.returncode == 3 and "-: error: the file cannot be read" in done.stderr, f"its input closed: {done.returncode} {done.stderr}")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "optimize", model, "--rules", rules, "-o", top / "lost.onnx"], stdout=full, stderr=subprocess.PIPE, text=True)
    checks.that(done.returncode == 3 and not (top / "lost.onnx").exists(), f"a summary that cannot be shown: {done.returncode} {done.stderr}")


def all_or_nothing():
    """Exit 3 leaves none of the outputs behind, and what was there as it was."""
    rules = rule_file("two.gsl", TWO_RELUS)
    for option in ("--trace", "--report", "--json"):
        out = top / "kept.onnx"
        out.write_text("what was there")
        code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rules, "-o", out, option, top / "no" / "such" / "folder")
        checks.that(code == 3 and out.read_text() == "what was there", f"{option}: exit {code}, {out.stat().st_size} bytes: {errors}")
        checks.that(not list(top.glob(".vouch-*")), f"{option}: left {list(top.glob('.vouch-*'))}")
    code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rules, "-o", top / "same", "--trace", top / "same")
    checks.that(code == 3 and not (top / "same").exists(), f"one file twice: {code} {errors}")
    code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rules, "-o", top / "a.json", "--trace", top / "." / "a.json")
    checks.that(code == 3 and "two outputs" in errors, f"one file under two names: {code} {errors}")
    link, real = top / "link.onnx", top / "real.onnx"
    link.symlink_to(real)
    real.write_text("")
    vouch("optimize", mnist / "model.onnx", "--rules", rules, "-o", link)
    checks.that(link.is_symlink() and real.stat().st_size > 1000, "a link was replaced by a file")
    code, _, errors = vouch("optimize", mnist / "model.onnx", "--rules", rules, "--trace", "/dev/null")
    checks.that(code == 0 and not pathlib.Path("/dev/null").is_file(), f"/dev/null was replaced: {code} {errors}")


def seconds():
    """What a run says that it took includes what the proofs took, and these are taken once."""
    os.environ["VOUCH_CACHE"] = str(top / "cold")
    for kept in (False, True):
        begin = time.monotonic()
        code, out, _ = vouch("optimize", mnist / "model.onnx", "--json", "-")
        spent = time.monotonic() - begin
        found = json.loads(out)
        proving = found["proving_seconds"]
        sensible = proving == 0 if kept else 0 < proving
        checks.that(code == 0 and sensible and proving <= found["seconds"] <= spent, f"{proving}, {found['seconds']} of {spent}, kept: {kept}")


def wrong_bytes():
    """Control characters and bytes that are no UTF-8 reach neither pictures nor terminals."""
    if not shutil.which("dot"):
        print("not run: Graphviz' dot is not there")
        return
    graph = {"vouch": 1, "inputs": [{"name": "x\u0001\u001b[31m\u0085\ufffe", "type": "float32", "dims": [2]}],
             "nodes": [{"name": "y", "op": "Relu", "operands": ["x\u0001\u001b[31m\u0085\ufffe"]}], "outputs": [{"name": "y\u0007", "value": "y"}]}
    (top / "control.json").write_text(json.dumps(graph))
    code, _, errors = vouch("draw", top / "control.json", "-o", top / "control.svg")
    checks.that(code == 0, f"control characters: {code} {errors}")
    texts = "".join(xml.fromstring((top / "control.svg").read_bytes()).itertext()) if code == 0 else ""
    checks.that("\ufffd" in texts and not [c for c in texts if ord(c) < 32 and c not in "\n\t"], f"the picture: {texts!r}")
    bad = rule_file("bad.gsl", "")
    bad.write_bytes(b'rule r "\xff\xfe\x1b[31m" { let x = *; source Relu(Relu(x)); target Relu(x); }\n')
    code, _, errors = vouch("draw", bad, "-o", top / "bad.svg")
    checks.that(code == 3 and "bad.gsl:1:9" in errors and "0xff" in errors and not (top / "bad.svg").exists(), f"a bad title: {code} {errors}")
    (top / "esc.gsl").write_bytes(b"rule \x1b[31m {\n")
    done = subprocess.run([program, "check", top / "esc.gsl"], capture_output=True)
    checks.that(done.returncode == 3 and b"\x1b" not in done.stderr, f"a message holds control characters: {done.stderr!r}")


def broken_json():
    """A message about JSON is ours."""
    for text in ("{", "", "[1,]", '{"a": \'b\'}', '{"a" 1}', '"\x01"', '{"vouch": 1} trailing', "nul", "// no", b"\xff\xfe".decode("latin1")):
        path = top / "broken.json"
        path.write_text(text)
        for command in (("run", path), ("replay", path), ("show", path)):
            code, _, errors = vouch(*command)
            leaked = [word for word in ("nlohmann", "json.exception", "syntax error", "parse_error", "type_error", "last read", "what()") if word in errors]
            checks.that(code == 3 and not leaked and "broken.json" in errors, f"{command[0]} {text!r}: {code} {leaked} {errors}")


def wrong_types():
    """proofs.json and manifest.json with every member of another type: refused, never a fault."""
    folder = top / "proofs"
    code, _, errors = vouch("check", rule_file("two.gsl", TWO_RELUS), "--coq", folder)
    checks.that(code == 0, f"--coq: {code} {errors}")
    good = json.loads((folder / "proofs.json").read_text())

    def mutants(value, put):
        for other in (None, True, -1, 1.5, 2 ** 63, "text", [], {}, [None], {"a": 1}):
            if type(other) is not type(value):
                put(other)
                yield
        put(value)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in list(items):
            yield from mutants(inner, lambda new, key=key: value.__setitem__(key, new))

    tried = 0
    whole = {"root": good}
    for _ in mutants(good, lambda new: whole.__setitem__("root", new)):
        (folder / "proofs.json").write_text(json.dumps(whole["root"], indent=2) + "\n")
        code, _, errors = vouch("check", rule_file("two.gsl", TWO_RELUS), "--coq", folder)
        checks.that(code in (0, 3), f"proofs.json {json.dumps(whole['root'])[:200]}: exit {code} {errors}")
        tried += 1
    checks.that(tried > 50, f"{tried} lists tried")


def hostile_kernels():
    """Sizes that are lies, and gradients that grow: refused by name within seconds and little memory."""
    ones = ",".join(["1"] * 5000)
    many = ",".join(f"i{k}" for k in range(5000))
    forty = ",".join(f"i{k}" for k in range(30))
    factors = " * ".join(f"A{k}<4>[i]" for k in range(300))
    cases = {"least": ("Y<2>[i] = A<-9223372036854775808>[i];", "size"),
             "minus": ("Y<2>[i] = A<0-9223372036854775808>[i];", "size"),
             "axes": (f"Y<{ones}>[{many}] = A<{ones}>[{many}];", "axes"),
             "reduced": (f"Y<2>[j] = A<2,{','.join(['1'] * 30)}>[j,{forty}];\ngrad A;", "indices"),
             "factors": (f"Y<4>[i] = {factors};\ngrad {', '.join(f'A{k}' for k in range(300))};", "operators")}
    for name, (text, word) in cases.items():
        path = top / f"{name}.tk"
        path.write_text(text + "\n")
        code, _, errors = vouch("grad", path, "-o", top / "grad", seconds=60)
        checks.that(code == 3 and word in errors and path.name in errors, f"grad {name}: {code} {errors[:200]}")
    for name in ("axes", "reduced"):
        code, _, errors = vouch("compile", top / f"{name}.tk", "-o", top / "compiled", seconds=60)
        checks.that(code == 3 and f"{name}.tk" in errors, f"compile {name}: {code} {errors[:200]}")
    rules = rule_file("two.gsl", TWO_RELUS)
    for rank in ("4294967295", "9", "-1"):
        code, _, errors = vouch("check", rules, "--max-rank", rank)
        checks.that(code == 64 and "max-rank" in errors, f"--max-rank {rank}: {code} {errors}")
    many_rules = rule_file("many.gsl", "".join(TWO_RELUS.replace("two_relus", f"r{k}") for k in range(10000)))
    code, out, errors = vouch("rules", many_rules, seconds=60)
    checks.that(code == 0 and out.startswith("10000 rules\n") and "critical overlap(s), or more that are not listed" in out,
                f"10,000 rules: {code} {out[:500]}{errors}")


def derivations():
    """What is asked for is written, or it is said why not."""
    out = top / "derived"
    shapes = {"own.fun": "kernel own(sizes n; x: num[n]) -> y: num[n] = map a in x { -a }\n", "made.tk": "kernel made;\nin x;\nout y;\ny<4>[i] = -x<4>[i];\n"}
    for name, text in shapes.items():
        (top / name).write_text(text)
    code, text, errors = vouch("compile", "--derivation", *(top / name for name in shapes), "-o", out)
    checks.that(code == 0 and "own_derivation.v" in text and "no derivation: its loops are made by a plan" in text, f"{code} {text}{errors}")
    checks.that((out / "own_derivation.v").exists() and not (out / "made_derivation.v").exists(), "of its own loops alone")


for check in (no_shell, user_folders, long_names, signals, signals_while_writing, lost_output, all_or_nothing, seconds, wrong_bytes, broken_json, wrong_types,
              hostile_kernels, derivations):
    check()
shutil.rmtree(top)
checks.end()

"""The one table of options: help, manual page, Markdown, completions that shells run, suggestions; NO_COLOR; `-`; kinds of pictures."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
program = str(pathlib.Path(sys.argv[1]).resolve())
checks = Checks()
top = pathlib.Path(tempfile.mkdtemp())
RULE = "rule two { let x = *; source Relu(Relu(x)); target Relu(x); }\n"
(top / "two.gsl").write_text(RULE)

_, help_text, _ = vouch("--help")
commands = re.findall(r"^  ([a-z][a-z-]*)  ", help_text, re.M)
checks.that(len(commands) >= 15 and "check" in commands, f"subcommands: {commands}")
code, page, _ = vouch("man")
code2, markdown, _ = vouch("man", "--markdown")
checks.that(code == code2 == 0, "man")
for command in commands:
    code, text, _ = vouch(command, "--help")
    options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M))
    checks.that(code == 0 and f".SS vouch {command}".replace("-", "\\-") in page.replace("\\\\-", "\\-"), f"{command} is not on the page")
    section = markdown.split(f"\n## vouch {command}\n")[-1].split("\n## ")[0]
    missing = [option for option in options if f"`{option}`" not in section]
    checks.that(options and not missing, f"{command}: {missing} are not in the Markdown")
read = set()
for path in (root / "src").rglob("*.cpp"):
    read |= set(re.findall(r'(?:getenv|user_folder|cache_folder)\("([A-Z_]+)"', path.read_text()))
told = set(re.findall(r"^\.B ([A-Z_]+)$", page, re.M))
internal = {"HOME", "TERM"}  # as for every command
checks.that({"VOUCH_CACHE", "VOUCH_KEY", "VOUCH_COQ_LIBRARY", "NO_COLOR"} <= read & told and all(name in page for name in read - internal),
            f"variables: read {read}, told {told}")
checks.that(all(f"| `{name}` |" in markdown for name in told), "variables in the Markdown")
if shutil.which("man"):
    done = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True, env=os.environ | {"MANWIDTH": "100"})
    checks.that(done.returncode == 0 and not done.stderr and "SUBCOMMANDS" in done.stdout, f"man: {done.stderr[:300]}")


def completed(line):
    """What bash offers for the last word."""
    script = f'source <({program} completions bash); COMP_WORDS=({line} ); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _vouch; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.split()


checks.that(completed("vouch che") == ["check"], f"bash: {completed('vouch che')}")
checks.that(completed("vouch check --js") == ["--json"], f"bash: {completed('vouch check --js')}")
for shell in ("zsh", "fish"):
    code, script, _ = vouch("completions", shell)
    checks.that(code == 0 and all(command in script for command in commands), f"{shell}: a subcommand is missing")
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
        checks.that(done.returncode == 0, f"{shell}: {done.stderr}")
code, _, errors = vouch("completions", "csh")
checks.that(code == 64, f"csh: {code}")

for words, wanted in ((["chek"], "check"), (["optimise"], "optimize"), (["verfy", "x"], "verify"), (["check", "x.gsl", "--jsn", "-"], "--json"),
                      (["run", "m.onnx", "--tolerence=1"], "--tolerance")):
    code, _, errors = vouch(*words)
    checks.that(code == 64 and f"did you mean '{wanted}'?" in errors, f"{words}: {code} {errors}")
for words, told in (([], "vouch: error: expected a subcommand"), (["chek"], "vouch: error: there is no subcommand 'chek'"),
                    (["check"], "vouch check: error: expected 'rules': rule files or folders"), (["help", "chek"], "did you mean 'check'?"),
                    (["draw", "x.gsl"], "vouch draw: error: expected --output: the picture"), (["ops", "Cnov"], "did you mean 'Conv'?")):
    code, _, errors = vouch(*words)
    checks.that(code == (3 if words[:1] == ["ops"] else 64) and told in errors and "hint: " in errors, f"{words}: {code} {errors}")
checks.that(vouch("help")[:2] == (0, help_text) and vouch("help", "check")[1] == vouch("check", "--help")[1], "help is not --help")
checks.that(len(set(commands)) == len(commands) and "Exit codes:" in help_text and "{false}" not in vouch("check", "--help")[1], "the help")
code, _, errors = vouch("xyzzy")
checks.that(code == 64 and "did you mean" not in errors, f"xyzzy: {code} {errors}")

for words in (["check", top / "two.gsl", "--json", "--no-repair"], ["run", "m.onnx", "--out", "--exact"], ["optimize", "m.onnx", "-o", "--trace", "t"]):
    done = subprocess.run([program, *words], capture_output=True, text=True, cwd=top)
    checks.that(done.returncode == 64 and "is an option, and a value is expected" in done.stderr,
                f"{words}: {done.returncode} {done.stderr}")
checks.that(sorted(path.name for path in top.iterdir()) == ["two.gsl"], f"an option was taken for a file: {list(top.iterdir())}")

rule = (top / "two.gsl").read_bytes()
for option in ("--json", "--sarif", "--junit", "--badge"):  # as `--json *.gsl` puts it
    code, _, errors = vouch("check", option, top / "two.gsl", top / "two.gsl")
    checks.that(code == 64 and "is the name of a source" in errors and (top / "two.gsl").read_bytes() == rule, f"{option}: {code} {errors}")
for words in (["equiv", "a.onnx", "b.onnx", "--report", "c.onnx"], ["optimize", "a.onnx", "-o", "b.onnx", "--trace", "a.onnx"],
              ["show", "a.tk", "--json", "b.tk"]):
    code, _, errors = vouch(*words)
    checks.that(code == 64 and "is the name of a source" in errors, f"{words}: {code} {errors}")


def on_terminal(**variables):
    """What a terminal gets."""
    leader, follower = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"} | variables
    process = subprocess.Popen([program, "check", top / "two.gsl"], stdout=follower, stderr=subprocess.DEVNULL, env=environment)
    os.close(follower)
    text = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        text += piece
    process.wait()
    os.close(leader)
    return text


checks.that(b"\x1b[32m" in on_terminal(), "no colour on a terminal")
checks.that(b"\x1b" not in on_terminal(NO_COLOR="1"), "colour in spite of NO_COLOR")
checks.that(b"\x1b" not in on_terminal(TERM="dumb"), "colour on a dumb terminal")
checks.that("\x1b" not in vouch("check", top / "two.gsl")[1], "colour in a file")

if shutil.which("dot"):
    magic = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "gv": b"digraph"}
    for ending, begin in magic.items():
        code, _, errors = vouch("draw", top / "two.gsl", "-o", top / f"p.{ending}")
        checks.that(code == 0 and (top / f"p.{ending}").read_bytes().startswith(begin), f"draw {ending}: {code} {errors}")
    done = subprocess.run([program, "draw", top / "two.gsl", "-o", "-"], capture_output=True)
    checks.that(done.returncode == 0 and done.stdout.startswith(b"<?xml"), f"draw -o -: {done}")
code, _, errors = vouch("draw", top / "two.gsl", "-o", top / "p.jpeg2000")
checks.that(code == 3 and ".png" in errors and not (top / "p.jpeg2000").exists(), f"draw .jpeg2000: {code} {errors}")

GRAPH = """{"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [1]}],
 "nodes": [{"name": "a/b", "op": "Relu", "operands": ["x"]}, {"name": "a:b", "op": "Neg", "operands": ["x"]}],
 "outputs": [{"name": "a/b", "value": "a/b"}, {"name": "a:b", "value": "a:b"}]}"""
(top / "two_outputs.json").write_text(GRAPH)
(top / "x.json").write_text('{"name": "x", "type": "float32", "dims": [1]}')
(top / "x.float32.bin").write_bytes(b"\x00\x00\x80\x3f")
code, _, errors = vouch("run", top / "two_outputs.json", "--input", f"x={top / 'x.json'}", "--out", top / "new" / "folder")
written = {p.name: p.read_bytes() for p in (top / "new" / "folder").glob("*.bin")} if code == 0 else {}
checks.that(code == 0 and sorted(written.values()) == sorted([b"\x00\x00\x80\x3f", b"\x00\x00\x80\xbf"]), f"run --out: {code} {written} {errors}")
checks.that(len(list((top / "new" / "folder").glob("*.json"))) == 2 if code == 0 else True, "two outputs share a description")

# A file of another kind is named for what it is, with the subcommand that takes it.
(top / "k.tk").write_text("kernel k;\nin x;\nout y;\ny<4>[i] = x<4>[i];\n")
(top / "k.fun").write_text("kernel k(x: num[4]) -> y: num[4] = x\n")
(top / "m.onnx").write_bytes((root / "tests" / "models" / "mnist" / "model.onnx").read_bytes())
takers = {"two.gsl": ("check", ["check"], ["refute"], ["rules"]), "k.tk": ("compile", ["show"], ["compile", "-o", top / "out"]),
          "k.fun": ("compile", ["compile", "-o", top / "out"]), "m.onnx": ("optimize", ["draw", "-o", top / "m.dot"], ["optimize"])}
for file in takers:
    for other, (taker, *commands) in takers.items():
        for command in commands:
            code, out, errors = vouch(command[0], top / file, *command[1:])
            wrong = other.split(".")[1] != file.split(".")[1] and not {file, other} <= {"k.tk", "k.fun"} and command[0] != "draw"
            checks.that(not wrong or (code == 3 and f"for 'vouch {takers[file][0]}'" in errors), f"{command[0]} {file}: {code} {errors}")
            checks.that(wrong or command[0] == "draw" or code == 0, f"{command[0]} {file}: {code} {errors}")

# What is no text of ours is never formatted: it is what it was.
model = root / "tests" / "models" / "mnist" / "model.onnx"
for name, text in (("m.onnx", model.read_bytes()), ("notes.txt", b"  a\t\n\n\n"), ("list.json", b'{ "a": 1 }  \n'), ("none", b" x \n")):
    (top / "formatted").mkdir(exist_ok=True)
    (top / "formatted" / name).write_bytes(text)
    for words in ([], ["--check"]):
        code, out, errors = vouch("fmt", *words, top / "formatted" / name)
        checks.that(code == 3 and "expected rules or a kernel" in errors, f"fmt {words} {name}: {code} {out} {errors}")
    checks.that((top / "formatted" / name).read_bytes() == text, f"fmt changed {name}")
# A folder is not called like a file of another kind, and a word too many is no output.
for command, words in (("compile", [top / "k.tk"]), ("grad", [top / "k.tk"]), ("build", [top / "m.onnx"])):
    for name in ("made.c", "made.onnx", "made.so"):
        code, out, errors = vouch(command, *words, "-o", top / name)
        checks.that(code == 64 and "a folder is expected here" in errors and not (top / name).exists(), f"{command} -o {name}: {code} {errors}")
for words, expected in ((["optimize", "m.onnx", "out.onnx"], "-o out.onnx"), (["draw", "two.gsl", "two.svg"], "-o two.svg"),
                        (["m.onnx"], "for 'vouch optimize'"), (["two.gsl"], "for 'vouch check'"), (["version"], "'vouch --version'"), (["-v"], "'vouch --version'")):
    code, out, errors = vouch(*words)
    checks.that(code == 64 and expected in errors, f"{words}: {code} {errors}")
for name, expected in (("net.pt", "export it as ONNX"), ("net.tflite", "export it as ONNX"), ("net.txt", "models end in .onnx")):
    code, out, errors = vouch("run", top / name)
    checks.that(code == 3 and expected in errors, f"run {name}: {code} {errors}")
code, out, errors = vouch("replay", top / "two.gsl")
checks.that(code == 3 and "'vouch refute --save'" in errors and "for 'vouch check'" in errors, f"replay of rules: {code} {errors}")
code, out, errors = vouch("why-not", "no_rule_is_called_so", top / "m.onnx")
checks.that(code == 3 and "or else the shipped ones" in errors, f"why-not of no rule: {code} {errors}")

# `-` in place of any file: models by what they begin with, rules, kernels; what is written there is ONNX, or what the option says.

def piped(given, *words):
    done = subprocess.run([program, *map(str, words)], input=given, capture_output=True, cwd=top)
    return done.returncode, done.stdout, done.stderr.decode()


graph, onnx = (top / "two_outputs.json").read_bytes(), model.read_bytes()
code, out, errors = piped(onnx, "run", "-", "--io", model.parent / "io")
checks.that(code == 0 and b"Plus214" in out, f"run - with ONNX: {code} {out} {errors}")
code, out, errors = piped(graph, "run", "-", "--input", f"x={top / 'x.json'}")
checks.that(code == 0 and b": 3 nodes" in out and out.count(b"float32[1]") == 2, f"run - with JSON: {code} {out} {errors}")
code, out, errors = piped(b"nonsense", "run", "-", "--io", model.parent / "io")
checks.that(code == 3 and errors.startswith("-"), f"run - with neither: {code} {errors}")
code, out, errors = piped(onnx, "optimize", "-", "--rules", top / "two.gsl", "-o", "-")
checks.that(code == 0 and piped(out, "equiv", model, "-")[0] == 0, f"optimize - -o -: {code} {errors}")
code, out, errors = piped(RULE.encode(), "optimize", model, "--rules", "-", "-o", "by_piped_rules.onnx")
checks.that(code == 0 and (top / "by_piped_rules.onnx").exists(), f"optimize --rules -: {code} {errors}")
code, out, errors = piped(onnx, "build", "-", "-o", top / "library", "--size", "nothing=1")
checks.that(code == 3 and "kind of model" not in errors, f"build -: {code} {errors}")
code, out, errors = piped(b"kernel twice;\nin x;\nout y;\ny<4>[i] = x<4>[i] + x<4>[i];\n", "show", "-")
checks.that(code == 0 and b"domain: [0, 4)" in out, f"show -: {code} {out} {errors}")
if shutil.which("dot"):
    code, out, errors = piped(onnx, "draw", "-", "-o", "-")
    checks.that(code == 0 and out.startswith(b"<?xml"), f"draw - of a model: {code} {errors}")
    code, out, errors = piped(RULE.encode(), "draw", "-", "--rule", "two", "-o", "-")
    checks.that(code == 0 and out.startswith(b"<?xml"), f"draw - of a rule: {code} {errors}")
shutil.rmtree(top)
checks.end()

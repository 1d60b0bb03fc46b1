"""The language server at the level of its protocol, as an editor speaks to it; the formatter on every shipped file."""
import json
import pathlib
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, root = Vouch(sys.argv[1]), pathlib.Path(sys.argv[2])
checks = Checks()


class Editor:
    def __init__(self):
        self.process = subprocess.Popen([sys.argv[1], "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def write(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def read(self):
        length = 0
        for line in iter(self.process.stdout.readline, b"\r\n"):
            if not line:
                return None
            name, value = line.decode().split(":")
            length = int(value) if name == "Content-Length" else length
        return json.loads(self.process.stdout.read(length))

    def note(self, method, **params):
        self.write({"method": method, "params": params})

    def ask(self, method, **params):
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        answer = self.read()
        checks.that(answer["id"] == self.number and answer["jsonrpc"] == "2.0", f"{method}: {answer}")
        return answer.get("result", answer.get("error"))

    def open(self, uri, text):
        self.note("textDocument/didOpen", textDocument={"uri": uri, "languageId": "gsl", "version": 1, "text": text})
        published = self.read()
        checks.that(published["method"] == "textDocument/publishDiagnostics" and published["params"]["uri"] == uri, f"{published}")
        return published["params"]["diagnostics"]

    def change(self, uri, text):
        self.note("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=[{"text": text}])
        return self.read()["params"]["diagnostics"]


RULE = 'rule r "𝄞ä" {\n  let x = *;\n  let y = Relu(x);\n  source Relu(y);\n  target y;\n}\n'
GSL = "file:///rules/a.gsl"
editor = Editor()
said = editor.ask("initialize", capabilities={})
checks.that(all(said["capabilities"][name] for name in ("hoverProvider", "completionProvider", "definitionProvider", "codeLensProvider")), f"{said}")
editor.note("initialized")
checks.that(editor.open(GSL, RULE) == [], "a good rule has diagnostics")

wrong = editor.change(GSL, RULE.replace("source Relu(y)", "source Relo(y)"))
place = {"start": {"line": 3, "character": 9}, "end": {"line": 3, "character": 16}}
checks.that(len(wrong) == 1 and "did you mean 'Relu'?" in wrong[0]["message"] and wrong[0]["range"]["start"] == place["start"], f"{wrong}")
wrong = editor.change(GSL, 'rule r "𝄞ä" @ {\n')
checks.that(wrong and wrong[0]["range"]["start"] == {"line": 0, "character": 13}, f"UTF-16: {wrong[0]['range']}")
checks.that(editor.change(GSL, RULE) == [], "mended")

at = {"textDocument": {"uri": GSL}, "position": {"line": 2, "character": 11}}
hover = editor.ask("textDocument/hover", **at)
checks.that("Relu" in hover["contents"]["value"] and hover["range"]["start"] == {"line": 2, "character": 10}, f"{hover}")
checks.that(editor.ask("textDocument/hover", textDocument={"uri": GSL}, position={"line": 99, "character": 99}) is None, "beyond the end")
found = editor.ask("textDocument/definition", textDocument={"uri": GSL}, position={"line": 4, "character": 9})
checks.that(found["range"]["start"] == {"line": 2, "character": 6}, f"definition: {found}")
labels = {item["label"] for item in editor.ask("textDocument/completion", **at)}
checks.that({"Conv", "Softmax", "axis", "y"} <= labels, "completion")
lens, = editor.ask("textDocument/codeLens", textDocument={"uri": GSL})
resolved = editor.ask("codeLens/resolve", **lens)
checks.that(resolved["command"]["title"] == "sound (exact)" and resolved["range"]["start"]["line"] == 0, f"lens: {resolved}")
editor.change(GSL, RULE.replace("Relu", "Neg").replace("target y", "target x + x"))
lens, = editor.ask("textDocument/codeLens", textDocument={"uri": GSL})
checks.that(editor.ask("codeLens/resolve", **lens)["command"]["title"] == "unsound", "the lens of a wrong rule")
editor.change(GSL, RULE.replace("  let", "let"))
edit, = editor.ask("textDocument/formatting", textDocument={"uri": GSL}, options={})
checks.that(edit["newText"] == RULE, f"formatting: {edit}")

for ending, good, bad in ((".tk", "Y<n>[i] = A<n>[i];\n", "Y<n>[i] = A<n>[i;\n"),
                          (".fun", "kernel k(sizes n; xs: num[n]) -> ys: num[n] = xs\n", "kernel k(sizes n; xs: num[n]) -> ys: num[m] = zs\n")):
    uri = f"file:///k{ending}"
    checks.that(editor.open(uri, good) == [], f"{ending}: a good text has diagnostics")
    checks.that(editor.change(uri, bad), f"{ending}: a bad text has none")

checks.that(editor.ask("textDocument/hover", textDocument={"uri": "file:///nowhere"}, position={"line": 0, "character": 0})["code"] == -32602, "not open")
checks.that(editor.ask("no/such")["code"] == -32601, "an unknown method")
for params in ({}, {"textDocument": 7}, {"textDocument": {"uri": GSL}}, {"textDocument": {"uri": GSL}, "position": {"line": -1, "character": "x"}}):
    checks.that("code" in editor.ask("textDocument/hover", **params), f"bad parameters: {params}")
editor.write({"method": "textDocument/didChange", "params": {"textDocument": 3, "contentChanges": "x"}})
checks.that(editor.ask("shutdown") is None, "shutdown")
editor.note("exit")
checks.that(editor.process.wait(timeout=20) == 0, "exit after shutdown is 0")
for garbage in (b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: -1\r\n\r\n", b"nonsense", b"Content-Length: 2\r\n\r\n[]", b""):
    done = subprocess.run([sys.argv[1], "lsp"], input=garbage, capture_output=True, timeout=20)
    checks.that(done.returncode == 1, f"{garbage}: {done.returncode} {done.stderr}")

with tempfile.TemporaryDirectory() as folder:
    files = [*(root / "rules").rglob("*.gsl"), *(root / "kernels").rglob("*.fun"), *(root / "kernels").rglob("*.tk")]
    checks.that(len(files) > 80, f"{len(files)} files")
    code, out, errors = vouch("fmt", "--check", *(path for path in files if path.suffix == ".gsl"))
    checks.that(code == 0, f"shipped rules are formatted: {out}{errors}")
    for path in files:
        copy = pathlib.Path(folder) / path.name
        copy.write_text(path.read_text())
        code, _, errors = vouch("fmt", copy)
        once = copy.read_text()
        checks.that(code == 0 and once.split() == path.read_text().split(), f"fmt {path.name} changes words: {errors}")
        vouch("fmt", copy)
        checks.that(copy.read_text() == once and vouch("fmt", "--check", copy)[0] == 0, f"fmt {path.name} twice")
    messy = pathlib.Path(folder) / "messy.gsl"
    messy.write_text("\n\nrule r {\nlet x = *;\t\n\n\n\n  source Relu(Relu(x));\n      target Relu(x);\n}\n\n")
    checks.that(vouch("fmt", "--check", messy)[0] == 1, "fmt --check of a messy file")
    vouch("fmt", messy)
    checks.that(messy.read_text() == "rule r {\n  let x = *;\n\n  source Relu(Relu(x));\n  target Relu(x);\n}\n", f"{messy.read_text()!r}")
    # Comments are alike in the three languages: a bracket in one opens nothing.
    for name, text in (("c.gsl", "# {\nrule r {  # {\n  let x = *;\n  source Relu(Relu(x));\n  target Relu(x);\n}\n"), ("c.tk", "# {\nY<2>[i] = A<2>[i];  # {\n"),
                       ("c.fun", "# {\nkernel c(x: num[4]) -> y: num[4] = map a in x { -a }  # {\n")):
        path = pathlib.Path(folder) / name
        path.write_text(text)
        code, _, errors = vouch("fmt", "--check", path)
        checks.that(code == 0, f"{name}: comments move nothing: {code} {errors}")
        code, out, errors = vouch("check", path) if name.endswith("gsl") else vouch("compile", path, "-o", pathlib.Path(folder) / "c")
        checks.that(code == 0, f"{name}: {code} {out} {errors}")
checks.end()

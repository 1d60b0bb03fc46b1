"""The language server at the level of its protocol, as an editor speaks to it."""
import json
import pathlib
import resource
import subprocess
import sys

from command import Checks

checks = Checks()
root = pathlib.Path(sys.argv[2])


class Editor:
    def __init__(self):
        self.process = subprocess.Popen([sys.argv[1], "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.written = 0

    def write(self, message):
        self.written += 1
        name = (b"Content-Length", b"content-length", b"CONTENT-LENGTH")[self.written % 3]
        content = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.process.stdin.write(name + b": %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(content) + content)
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

    def begin(self, method, **params):
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        return self.number

    def until(self, number):
        """What is answered, up to the request of this number."""
        while (answer := self.read()).get("id") != number:
            yield answer
        yield answer

    def ask(self, method, **params):
        self.begin(method, **params)
        answer = self.read()
        checks.that(answer["id"] == self.number and answer["jsonrpc"] == "2.0", f"{method}: {answer}")
        return answer.get("result", answer.get("error"))

    def open(self, uri, text, language="plaintext"):
        self.note("textDocument/didOpen", textDocument={"uri": uri, "languageId": language, "version": 1, "text": text})
        published = self.read()
        checks.that(published["method"] == "textDocument/publishDiagnostics" and published["params"]["uri"] == uri, f"{published}")
        return published["params"]["diagnostics"]

    def change(self, uri, text):
        self.note("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=[{"text": text}])
        return self.read()["params"]["diagnostics"]


RULE = 'rule r "𝄞ä" {\n  let x = *;\n  let y = Relu(x);\n  source Relu(y);\n  target y;\n}\n'
GSL = "file:///rules/a.gsl"
editor = Editor()
checks.that(editor.ask("textDocument/hover", textDocument={"uri": GSL})["code"] == -32002, "a request before initialize")
said = editor.ask("initialize", capabilities={})
checks.that(editor.ask("initialize", capabilities={})["code"] == -32600, "initialized twice")
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
symbol, = editor.ask("textDocument/documentSymbol", textDocument={"uri": GSL})
checks.that(symbol["name"] == "r" and symbol["range"]["start"] == {"line": 0, "character": 5}, f"outline: {symbol}")
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
    # What was never saved has no ending: the editor says which language it is. A name is read as the editor calls the language.
    for number, language in enumerate((ending[1:], f"vouch-{ending[1:]}")):
        for uri in (f"untitled:Untitled-{number}", f"file:///k{number}.gsl"):
            checks.that(editor.open(uri, good, language) == [], f"{language} in {uri}: a good text has diagnostics")
            checks.that(editor.change(uri, bad) and editor.change(uri, RULE), f"{language} in {uri}: a bad text has none")
            editor.note("textDocument/didClose", textDocument={"uri": uri})
            editor.read()
checks.that(editor.open("untitled:Untitled-9", RULE, "vouch-gsl") == [], "an unsaved rule has diagnostics")

checks.that(editor.ask("textDocument/hover", textDocument={"uri": "file:///nowhere"}, position={"line": 0, "character": 0})["code"] == -32602, "not open")
checks.that(editor.ask("no/such")["code"] == -32601, "an unknown method")
for params in ({}, {"textDocument": 7}, {"textDocument": {"uri": GSL}}, {"textDocument": {"uri": GSL}, "position": {"line": -1, "character": "x"}}):
    checks.that("code" in editor.ask("textDocument/hover", **params), f"bad parameters: {params}")
editor.write({"method": "textDocument/didChange", "params": {"textDocument": 3, "contentChanges": "x"}})
editor.write({"id": 7, "result": None})  # an answer to nothing is not answered
# What is no request is named, and the next message is read: no object, no UTF-8, half a surrogate pair.
for content in (b"[]", b"7", b"{", b'{"id":1,"method":"\xff"}', b'{"id":1,"method":"\\ud834"}', b"\x00"):
    editor.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
    editor.process.stdin.flush()
    checks.that(editor.read()["error"]["code"] == -32700, f"{content}")
for position in ({"line": 4294967295, "character": 4294967295}, {"line": 0, "character": 4294967295}, {"line": 4294967295, "character": 0}):
    checks.that(editor.ask("textDocument/hover", textDocument={"uri": GSL}, position=position) is None, f"beyond the end: {position}")
    checks.that(editor.ask("textDocument/definition", textDocument={"uri": GSL}, position=position) is None, f"beyond the end: {position}")
editor.note("textDocument/didClose", textDocument={"uri": "file:///never-opened.gsl"})
checks.that(editor.read()["params"]["diagnostics"] == [], "closed, never opened")

# Places are UTF-16 code units, wherever they lie; Python's own encoder counts. Many rules on one line, and each on its own, are
# answered within processor time that grows with the text: places that are counted from its beginning took 68 s for the second.
def units(text):
    return len(text.encode("utf-16-le")) // 2


EACH = 'rule r%d "𝄞ä%s" { let x = *; source Relu(Relu(x)); target Relu(x); }'
for count, between in ((300, " "), (300, "\n"), (20000, "\n")):
    text = between.join(EACH % (k, "é" * (k % 7)) for k in range(count))
    checks.that(editor.open(GSL, text) == [], f"{count} rules have diagnostics")
    lenses = editor.ask("textDocument/codeLens", textDocument={"uri": GSL})
    checks.that(len(lenses) == count, f"{len(lenses)} lenses of {count}")
    names, at_line, character = [], 0, 0  # where each rule's name begins
    for k in range(count):
        names.append((at_line, character + len("rule ")))
        at_line, character = (k + 1, 0) if between == "\n" else (0, character + units(EACH % (k, "é" * (k % 7))) + 1)
    found = [(lens["range"]["start"]["line"], lens["range"]["start"]["character"]) for lens in lenses]
    checks.that(found == names, f"{count} rules: {next((one for one in zip(found, names) if one[0] != one[1]), None)}")
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
checks.that(editor.ask("shutdown") is None, "shutdown")
checks.that(editor.ask("textDocument/hover", **at)["code"] == -32600, "a request after shutdown")
editor.note("exit")
checks.that(editor.process.wait(timeout=20) == 0, "exit after shutdown is 0")
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
checks.that(used < 40, f"the server took {used:.0f} s of a processor")

# Verdicts keep nobody from what is typed: what is asked meanwhile is answered first, what is cancelled is not proven, and `exit` does
# not wait for the proof that is under way.
editor = Editor()
editor.ask("initialize", capabilities={})
checks.that(editor.open(GSL, (root / "rules/shape.gsl").read_text()) == [], "shipped rules have diagnostics")
lenses = editor.ask("textDocument/codeLens", textDocument={"uri": GSL})
asked = [editor.begin("codeLens/resolve", **lens) for lens in lenses]
editor.note("$/cancelRequest", id=asked[-1])
before = [*editor.until(editor.begin("textDocument/documentSymbol", textDocument={"uri": GSL}))]
checks.that(len(before[-1]["result"]) == len(lenses) > 20, f"outline: {len(before[-1]['result'])} of {len(lenses)} rules")
checks.that(len(before) < len(lenses) / 2, f"{len(before)} of {len(lenses)} answers were given first")
checks.that([one["error"]["code"] for one in before if one["id"] == asked[-1]] == [-32800], f"cancelled: {before}")
checks.that([*editor.until(editor.begin("shutdown"))][-1]["result"] is None, "shutdown while verdicts are asked for")
editor.note("exit")
checks.that(editor.process.wait(timeout=20) == 0, "exit while a rule is being proven")

for garbage in (b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: -1\r\n\r\n", b"nonsense", b"Content-Length: 2\r\n\r\n[]", b""):
    done = subprocess.run([sys.argv[1], "lsp"], input=garbage, capture_output=True, timeout=20)
    checks.that(done.returncode == 1, f"{garbage}: {done.returncode} {done.stderr}")

checks.end()

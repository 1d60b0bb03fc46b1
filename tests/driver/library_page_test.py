"""`report.html` of a library, at 12 nodes and at 500: one file that asks for nothing from elsewhere, whose data are the graphs, the steps and
the calls; in headless Chromium, where it is there, everything is drawn, names are texts, and a search finds what it should."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import Checks, Vouch

vouch, ROOT = Vouch(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
checks = Checks()
place = pathlib.Path(tempfile.mkdtemp())
HOSTILE = "</script><b id='planted'>&amp;"


def chain(nodes, rows=2):
    """A model of that many operators: Relu, Neg and Add in turns; one of them has a name that is HTML."""
    out, last = [], "x"
    for k in range(nodes):
        name = HOSTILE if k == 3 else f"node_{k}"
        op, operands = [("Neg", [last]), ("Tanh", [last]), ("Add", [last, "x"])][k % 3]
        out.append({"name": name, "op": op, "operands": operands})
        last = name
    path = place / f"chain_{nodes}.json"
    path.write_text(json.dumps({"vouch": 1, "inputs": [{"name": "x", "type": "float32", "dims": [rows, 3]}], "nodes": out,
                                "outputs": [{"name": "y", "value": last}]}))
    return path


def page_of(what, model, *words):
    folder = place / what
    code, _, err = vouch("build", model, "-o", folder, *words, limited=False, seconds=600)
    text = (folder / "report.html").read_text() if code == 0 else ""
    checks.that(code == 0 and text.endswith("</html>\n"), f"{what}: exit {code}: {err[:500]}")
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    data = json.loads(found.group(1))
    data |= data["plans"][0]
    addresses = set(re.findall(r"https?://[^\s'\"]+", text.replace(found.group(1), ""))) - {"http://www.w3.org/2000/svg"}
    checks.that(not addresses and "src=" not in text and "@import" not in text, f"{what}: asks for {addresses}")
    checks.that("<b id=" not in text, f"{what}: a name is no markup")
    manifest = json.loads((folder / "manifest.json").read_text())
    checks.that([call["kernel"] for call in data["calls"]] == [call["kernel"] for call in manifest["calls"]], f"{what}: the calls")
    checks.that({step["rule"] for step in data["steps"] if "rule" in step} == set(manifest["rules"]), f"{what}: the rules")
    return folder / "report.html", data


def browsed(page, fragment=""):
    """The page's document once its program has run."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place / 'profile'}", "--virtual-time-budget=8000",
             "--dump-dom", f"file://{page}{fragment}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=os.environ | {"HOME": str(place)})
    return done.stdout


def check_drawn(what, page, data, word, hits):
    drawn = len(data["before"]["nodes"]) + len(data["after"]["nodes"])
    document = browsed(page)
    checks.that(f'data-drawn="{drawn}"' in document, f"{what}: {drawn} nodes are drawn")
    checks.that(document.count('class="node"') == drawn, f"{what}: each as a box")
    edges = len(data["before"]["edges"]) + len(data["after"]["edges"])
    checks.that(document.count("<path") == edges, f"{what}: {edges} edges")
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", document)
    checks.that(len(labels) == drawn and all(0 < len(html.unescape(label)) <= 17 for label in labels), f"{what}: labels are short")
    checks.that('id="planted"' not in document, f"{what}: a name is text in the document")
    found = browsed(page, "#" + word)
    checks.that(f'<span id="found">{hits} found</span>' in found, f"{what}: {hits} times {word}")


def check_sizes():
    """Of a library with several plans one is shown, with links to the others."""
    code, _, err = vouch("build", chain(6, "rows"), "-o", place / "sized", "--no-rules", "--size", "rows=2,7", limited=False, seconds=600)
    checks.that(code == 0, f"built for two sizes: {err[:500]}")
    page = place / "sized/report.html"
    for query, shown, other in (("", "rows=2", "rows=7"), ("?sizes=rows%3D7", "rows=7", "rows=2"), ("?sizes=rows%3D3", "rows=2", "rows=7")):
        document = browsed(page, query)
        checks.that(f"<b>{shown}</b>" in document and f'<a href="?sizes={other.replace("=", "%3D")}">{other}</a>' in document
                    and 'data-drawn="14"' in document, f"with {query}: {shown} is shown: {document[-3000:]}")
        checks.that(f"[{shown[-1]}, 3]" in document or f"[{shown[-1]},3]" in document, f"with {query}: its types")


digits, digit_data = page_of("digits", ROOT / "tests/models/mnist/model.onnx", "--rules", ROOT / "rules")
checks.that(sum(node["op"] != "input" for node in digit_data["before"]["nodes"]) == 12, "the model's operators are there")
made = [node["step"] for node in digit_data["after"]["nodes"] if "step" in node]
checks.that(made and all("rule" in digit_data["steps"][step] for step in made), "what a rule made is said to be made by it")
large, large_data = page_of("large", chain(500), "--no-rules")
checks.that(len(large_data["before"]["nodes"]) == 501 and any(n["name"] == HOSTILE for n in large_data["before"]["nodes"]), "500 operators")
places = [(node["layer"], node["column"]) for node in large_data["before"]["nodes"]]
checks.that(len(set(places)) == len(places), "no two nodes lie in one place")
if shutil.which("chromium") or shutil.which("chromium-browser"):
    convolutions = sum(node["op"] == "Conv" for graph in ("before", "after") for node in digit_data[graph]["nodes"])
    by_name = sum("conv" in f"{node['op']} {node['name']}".lower() or
                  ("step" in node and "conv" in json.dumps(digit_data["steps"][node["step"]].get("rule", "")).lower())
                  for graph in ("before", "after") for node in digit_data[graph]["nodes"])
    checks.that(by_name >= convolutions > 0, "there are convolutions")
    check_drawn("digits", digits, digit_data, "conv", by_name)
    check_drawn("large", large, large_data, "node_499", 2)
    check_sizes()
else:
    print("not run in a browser: chromium is not there (Debian: chromium)")
shutil.rmtree(place)
checks.end()

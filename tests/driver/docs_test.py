"""What the pages show after `$` is run as written, in order, and prints what they show; links lead somewhere; references that are printed are
whole; the site is made. `…` stands for anything: within a line, or alone for any lines."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from command import Checks

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
checks = Checks()
PAGES = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
NOT_RUN = re.compile(r"tools/(demo|test|setup|bench)\b")  # they set up the machine; continuous integration runs them


def shown(page):
    """Commands with what is shown below them, from blocks of `console` and from indented lines that begin with `$`."""
    text = page.read_text()
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
    blocks += ["\n".join(line[4:] for line in block.splitlines()) for block in re.findall(r"(?:^    .*\n)+", text, re.M) if block.startswith("    $ ")]
    for block in blocks:
        lines = block.splitlines()
        while lines:
            command = lines.pop(0)
            checks.that(command.startswith("$ "), f"{page.name}: not a command: {command}")
            here = re.search(r"<<'(\w+)'$", command)
            while here and lines:
                command += "\n" + lines[0]
                if lines.pop(0) == here.group(1):
                    break
            output = []
            while lines and not lines[0].startswith("$ "):
                output.append(lines.pop(0))
            yield command[2:], output


def pattern(line):
    return r"\s+".join(re.escape(word).replace("…", ".*") for word in line.split())


def prints(output, printed):
    """Each line that is shown is printed, in order; lines may lie between two only where `…` stands alone."""
    lines = [line for line in printed.splitlines() if line.strip()]
    anything = False
    for line in (line for line in output if line.strip()):
        if line.strip() == "…":
            anything = True
            continue
        while anything and lines and not re.fullmatch(pattern(line), lines[0].strip()):
            lines.pop(0)
        if not lines or not re.fullmatch(pattern(line), lines[0].strip()):
            return line
        lines.pop(0)
        anything = False
    return ""


def timeless(text):
    return re.sub(r" +\d+ ms *$", "", text, flags=re.M)


def run_page(page):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("rules", "kernels", "tests", "tools", "docs"):
            (folder / name).symlink_to(root / name)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(program.parent)
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "VOUCH": str(program), "VOUCH_CACHE": str(folder / "cache")}
        for command, output in shown(page):
            if NOT_RUN.match(command):
                continue
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
            checks.that(done.returncode in (0, 1, 2), f"{page.name}: {command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1000:]}")
            missing = prints(output, timeless(done.stdout)) if output else ""
            checks.that(not missing, f"{page.name}: {command}: not printed: {missing}\n{done.stdout[:1500]}{done.stderr[-500:]}")


def run_table():
    """Each row of the README's command table, in order, in one folder."""
    rows = re.findall(r"^\| `(vouch [^`]*)`", (root / "README.md").read_text(), re.M)
    checks.that(len(rows) >= 15, f"{len(rows)} rows")
    helped = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    known = set(re.findall(r"^  ([a-z][a-z-]*)  ", helped, re.M)) - {"completions"}
    named = {row.split()[1] for row in rows}
    checks.that(named >= known, f"not in the table: {known - named}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("rules", "kernels", "tests"):
            (folder / name).symlink_to(root / name)
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "VOUCH_CACHE": str(folder / "cache")}
        for row in rows:
            if ".svg" in row and not shutil.which("dot"):
                print("not run: Graphviz' dot is not there")
                continue
            done = subprocess.run(["bash", "-c", row], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
            if "the Coq library is not compiled" in done.stderr:
                print(f"not run: {row}: the Coq library is not compiled")
                continue
            checks.that(done.returncode in (0, 1), f"the table: {row}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1000:]}")


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def links():
    for page in PAGES:
        text = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?://", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            checks.that(file.exists(), f"{page.name}: nothing is at {target}")
            checks.that(not anchor or anchor in anchors(file), f"{page.name}: no heading is at {target}")
    index = (root / "docs" / "index.md").read_text()
    for page in PAGES[1:]:
        checks.that(page.name == "index.md" or f"({page.name})" in index, f"docs/index.md does not name {page.name}")


def generated():
    """The references that the command prints: every operator has a section, and most a formula."""
    names = [line.split("(")[0] for line in subprocess.run([program, "ops"], capture_output=True, text=True).stdout.splitlines()]
    printed = subprocess.run([program, "ops", "--markdown"], capture_output=True, text=True).stdout
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", printed, re.M | re.S))
    checks.that(list(sections) == names and len(names) > 100, f"{len(sections)} sections for {len(names)} operators")
    formulas = [name for name, text in sections.items() if "```" in text]
    checks.that({"Conv", "MatMul", "Softmax", "Relu", "Gemm"} <= set(formulas) and len(formulas) > 60, f"{len(formulas)} formulas")


class Page(html.parser.HTMLParser):
    """Where a page of the site leads within it, what it shows, and the names of its places."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.names, self.titles = [], set(), 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.titles += tag == "h1"
        self.names.add(attrs.get("id"))
        target = attrs.get("href" if tag == "a" else "src" if tag == "img" else "", "")
        if target and not re.match(r"[a-z]+:", target):
            self.targets.append(urllib.parse.unquote(target))


def site():
    if not shutil.which("pandoc"):
        print("not run: pandoc is not there")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([root / "docs" / "site", folder], capture_output=True, text=True, env=os.environ | {"VOUCH": str(program)})
        made = {path.stem for path in pathlib.Path(folder).glob("*.html")}
        expected = {page.stem for page in PAGES[1:]} | {"readme", "operators", "command-line"}
        checks.that(done.returncode == 0 and made == expected, f"the site: {made} {done.stderr}")
        pages = {name: Page(pathlib.Path(folder) / f"{name}.html") for name in made}
        checks.that(sum(map(len, (page.targets for page in pages.values()))) > 100, "the site has links")
        checks.that(sum(target.endswith((".svg", ".png")) for page in pages.values() for target in page.targets) >= 5, "the site has pictures")
        for name, page in pages.items():
            checks.that(page.titles == 1, f"{name}.html has {page.titles} titles")
            for target in page.targets:
                path, _, anchor = target.partition("#")
                there = (pathlib.Path(folder) / path).exists() if path else True
                of = pages.get(path.removesuffix(".html")) if path else page
                checks.that(there and (not anchor or anchor in of.names), f"{name}.html leads to {target}, which is not in the site")


for page in PAGES:
    run_page(page)
run_table()
links()
generated()
site()
checks.end()

#!/usr/bin/env python3
"""No two files of a room give one name to two things of their own.

usage: one_name_test.py ROOT | --plant

What a file keeps to itself (in an unnamed namespace, or static) may still meet that of another: two classes of one name in
one namespace get one destructor, and files that are compiled as one (VOUCH_UNITY) share all their names. Types and constants
have one owner in a room; functions may share a name where their parameters differ, as overloads do. Nor is a type of a file's own
named like one in a header that its room reads: the file may be compiled as one with another that includes it.
"""
import collections
import pathlib
import re
import sys
import tempfile

TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b(?:[^;]*$|[^;(]*\{)")
DEFINED = re.compile(r"^(?:struct|class) (\w+)(?: final)?(?: :[^;]*)? ?\{")
ALIAS = re.compile(r"^using (\w+) = (.*)$")
CONSTANT = re.compile(r"^(?:static )?(?:inline )?(?:constexpr|const) [\w:<>, *&]*?\b(\w+)(?:\[\w*\])*(?: =|\(|\{|$)")
FUNCTION = re.compile(r"^(?!namespace|using|struct|class|enum|return|template|#|//|constexpr std|const )[\w:<>,*& ]+?[ &*](\w+)\((.*)$")


def parameters(text: str) -> str:
    """The types of a parameter list, up to its closing parenthesis."""
    depth, end = 1, len(text)
    for at, c in enumerate(text):
        depth += c in "("
        depth -= c in ")"
        if depth == 0:
            end = at
            break
    pieces, depth, piece = [], 0, ""
    for c in text[:end]:
        depth += c in "<({"
        depth -= c in ">)}"
        if c == "," and depth == 0:
            pieces.append(piece)
            piece = ""
        else:
            piece += c
    pieces.append(piece)
    types = []
    for piece in pieces:
        piece = piece.split("=")[0].strip()
        types.append(re.sub(r"\s*\b\w+$", "", piece) if re.search(r"[\w>&*] *[&*]?\w+$", piece) and " " in piece else piece)
    return ", ".join(re.sub(r"^const ([\w:]+)$", r"\1", t.strip()) for t in types)


def file_level(path: pathlib.Path):
    """(namespace, whether only this file sees it, text, line) of what begins at file level."""
    namespaces: list[str] = []
    lines = path.read_text().splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if found := re.match(r"^namespace ?([\w:]*) ?\{", line):
            namespaces.append(found[1])
            continue
        if line.startswith("}  // namespace") and namespaces:
            namespaces.pop()
            continue
        inside = "" in namespaces
        if not line or not (line[0].isalpha()):
            continue
        named = "::".join(n for n in namespaces if n)
        start = number
        text = line
        while text.count("(") > text.count(")") and number < len(lines):
            text += " " + lines[number].strip()
            number += 1
        if text.startswith("static "):
            own, text = True, text[len("static "):]
        else:
            own = inside
        yield named, own, text, start


def own_names(path: pathlib.Path):
    """(namespace, name, what it stands for if it is an alias, line) of what only this file sees."""
    for named, own, text, line in file_level(path):
        if not own:
            continue
        if found := ALIAS.match(text):
            yield named, found[1], found[2], line
        elif found := TYPE.match(text) or CONSTANT.match(text):
            yield named, found[1], "", line
        elif found := FUNCTION.match(text):
            yield named, f"{found[1]}({parameters(found[2])})", "", line


def two_types(root: pathlib.Path):
    """Types that a program may see both of, by one name: what templates make of them is made once (basic.def.odr)."""
    seen = collections.defaultdict(list)
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".h", ".cpp")):
        for named, own, text, line in file_level(path):
            if not own and (found := DEFINED.match(text)):
                seen[named, found[1]].append(f"{path.relative_to(root)}:{line}")
    for (named, name), places in sorted(seen.items()):
        if len(places) > 1:
            yield f"{places[0]}: `{name}` of {named} is also in {', '.join(places[1:])}: they are one type to the linker"


def faults(rooms: list[pathlib.Path], root: pathlib.Path):
    for room in rooms:
        seen = collections.defaultdict(list)
        for path in sorted(room.rglob("*.cpp")):
            for named, name, alias, line in own_names(path):
                seen[named, name].append((str(path.relative_to(root)), line, alias))
        for (_, name), places in sorted(seen.items()):
            aliases = {alias for _, _, alias in places}
            alike = len(aliases) == 1 and "" not in aliases
            if not alike and len({path for path, _, _ in places}) > 1:
                path, line, _ = places[0]
                others = ", ".join(f"{p}:{n}" for p, n, _ in places[1:])
                yield f"{path}:{line}: `{name}` is also in {others}: give it one place, or the two other names"


def headers_of(path: pathlib.Path, root: pathlib.Path, seen: set[pathlib.Path]):
    """What the file includes, and what that includes, is added to `seen`."""
    for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
        header = root / name
        if header not in seen and header.exists():
            seen.add(header)
            headers_of(header, root, seen)


def hidden_types(rooms: list[pathlib.Path], root: pathlib.Path):
    given = collections.defaultdict(list)
    for path in sorted(root.rglob("*.h")):
        for named, own, text, line in file_level(path):
            if not own and (found := ALIAS.match(text) or TYPE.match(text)):
                given[named, found[1]].append((path, line))
    for room in rooms:
        reached: set[pathlib.Path] = set()
        files = sorted(room.rglob("*.cpp"))
        for path in files:
            headers_of(path, root, reached)
        for path in files:
            for named, own, text, line in file_level(path):
                found = (ALIAS.match(text) or TYPE.match(text)) if own else None
                for header, at in given[named, found[1]] if found else ():
                    if header in reached:
                        yield f"{path.relative_to(root)}:{line}: `{found[1]}` is also in {header.relative_to(root)}:{at}, which this room reads"


def planted() -> int:
    """0 if what is planted is found, and what is allowed is not."""
    texts = {
        "a.cpp": "namespace vouch {\nnamespace {\nstruct Twin {\n};\nint same(int a) { return a; }\nint other(int a);\n"
                 "using Names = int;\nconstexpr int kMost = 1;\n}  // namespace\n}  // namespace vouch\n",
        "b.cpp": "namespace vouch {\nnamespace {\nstruct Twin {\n};\nint other(long a);\nusing Names = int;\n"
                 "constexpr int kMost = 2;\n}  // namespace\nstatic int same(int b) { return b; }\n}  // namespace vouch\n",
        "c.h": "namespace vouch {\nstruct Shared {\n};\n}  // namespace vouch\n",
        "d.h": "namespace vouch {\nclass Shared : public Base {\n};\nclass Base;\n}  // namespace vouch\n",
        "e.h": "namespace vouch::inner {\nclass Shared {\n};\n}  // namespace vouch::inner\n",
        "f.h": "#include \"g.h\"\n",
        "g.h": "namespace vouch {\nenum class Read : int { A };\nusing Lengths = int;\n}  // namespace vouch\n",
        "h.h": "namespace vouch {\nstruct NotRead {\n};\n}  // namespace vouch\n",
        "i.cpp": "#include \"f.h\"\n",
        "j.cpp": "namespace vouch {\nnamespace {\nstruct Read {\n};\nusing Lengths = long;\nenum NotRead { B };\n}  // namespace\n}  // namespace vouch\n"}
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder)
        for name, text in texts.items():
            (room / name).write_text(text)
        found = sorted(re.search(r"`(\w+)", fault)[1] for fault in [*faults([room], room), *two_types(room), *hidden_types([room], room)])
    print(found)
    return 0 if found == ["Lengths", "Read", "Shared", "Twin", "kMost", "same"] else 1


def main(root: pathlib.Path) -> int:
    rooms = sorted(p for p in (root / "src").iterdir() if p.is_dir())
    found = [*faults(rooms, root), *two_types(root / "src"), *hidden_types(rooms, root / "src")]
    print("\n".join(found) if found else "every name has one place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(planted() if sys.argv[1:] == ["--plant"] else main(pathlib.Path(sys.argv[1])))

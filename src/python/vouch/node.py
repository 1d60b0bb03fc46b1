"""What patterns and attribute expressions have in common: where they were written, and how they become part of a rule."""
import itertools
import linecache
import pathlib
import sys

_PACKAGE = str(pathlib.Path(__file__).parent)


class Place:
    """A range in a Python source file: lines from 1, columns in bytes from 0."""

    def __init__(self, frame):
        self.file = frame.f_code.co_filename
        line, end_line, column, end_column = next(
            itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
        self.line, self.column = line or frame.f_lineno, column or 0
        self.end_line, self.end_column = end_line or self.line, end_column

    def offsets(self, starts):
        """Byte offsets in a text whose lines begin at `starts`; an empty range if it has no such line."""
        if not 0 < self.line <= self.end_line < len(starts):
            return 0, 0
        end = starts[self.end_line] - 1 if self.end_column is None else starts[self.end_line - 1] + self.end_column
        return starts[self.line - 1] + self.column, end


def user_frame():
    """The innermost frame outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def text_of(file):
    """The file's text and the byte offsets at which its lines begin; empty if there is no such file (a prompt, say)."""
    lines = [line.encode() for line in linecache.getlines(file)]
    return b"".join(lines).decode(), [0, *itertools.accumulate(map(len, lines))]


class Node:
    """Immutable; equal only to itself. Names that do not begin with an underscore belong to patterns' attributes."""

    __iter__ = None

    def __init__(self, *parts):
        self._parts = parts
        self._place = Place(user_frame())

    def _lower(self, lowering):
        """Adds this node, whose parts are there already, to the draft of a rule; returns its id."""
        raise NotImplementedError


class Lowering:
    """The nodes of one rule and their ids in its draft."""

    def __init__(self, draft, file, starts, names):
        self.draft, self.file, self.starts = draft, file, starts
        self.names = {id(node): name for name, node in reversed(names.items())}
        self.ids = {}
        self.symbols = {}

    def id_of(self, node):
        return self.ids[id(node)]

    def add(self, root):
        """The id of a node; its parts are added before it, without recursion: rules may be deep."""
        stack = [root]
        while stack:
            node = stack[-1]
            if id(node) in self.ids:
                stack.pop()
                continue
            missing = [part for part in node._parts if id(part) not in self.ids]
            if missing:
                stack.extend(reversed(missing))
                continue
            self.ids[id(node)] = node._lower(self)
            self.mark(node)
            stack.pop()
        return self.ids[id(root)]

    def offsets(self, node):
        """Where the node was written in the rule's file; an empty range if that is another one."""
        return node._place.offsets(self.starts) if node._place.file == self.file and self.starts else (0, 0)

    def mark(self, node):
        """Tells the draft where the node was written and what the program calls it."""
        pattern = node._is_pattern
        place = self.draft.place if pattern else self.draft.place_attr
        place(self.ids[id(node)], *self.offsets(node))
        if pattern and id(node) in self.names:
            self.draft.name(self.ids[id(node)], self.names[id(node)])

    def symbol(self, symbol):
        """A name of its own for each symbol."""
        letters = "ijklmn"
        count = len(self.symbols)
        fresh = letters[count % len(letters)] + (str(count // len(letters)) if count >= len(letters) else "")
        return self.symbols.setdefault(id(symbol), fresh)

"""What Python expressions stand for: names, paths and texts, as far as they are known without running anything."""

import ast
import base64
import binascii
import codecs
import re

import msgspec

from synaptic.shell.languages.acts import concat_words, join_paths
from synaptic.shell.read.script import Word

MAX_EXPRESSIONS = 20_000
"""Expressions looked at in one piece of code: names may stand for one another in ever more ways."""
MAX_LENGTH = 20_000
"""Characters of a value."""
MAX_EXPRESSION_DEPTH = 12
MAX_SHOWN_SOURCE = 200
HOME = Word("~")
PATH_MAKERS = frozenset(
    {"Path", "PosixPath", "PurePath", "str", "abspath", "realpath", "fspath", "expanduser", "normpath"}
)
"""Calls that make a path of their arguments."""
IDENTITY_METHODS = frozenset(
    {"decode", "encode", "resolve", "strip", "rstrip", "expanduser", "absolute", "as_posix", "__str__"}
)
"""Methods that leave a text or a path what it is, as far as it matters here."""
TEMPORARY_MAKERS = frozenset({"mkdtemp", "mktemp", "TemporaryDirectory", "NamedTemporaryFile"})
PATH_CONSTANTS = {"os.curdir": ".", "os.pardir": "..", "os.sep": "/", "os.path.sep": "/"}
ENVIRONMENT = frozenset({"os.environ", "os.environb"})
FORMATTED = re.compile(r"%[sdr]|\{\w*\}")


class PythonValues:
    """Knows what names stand for while code is read."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        self.lines = code.encode("utf-8", "replace").splitlines()
        self.argv = argv
        self.names: dict[str, str] = {}
        self.values: dict[str, ast.expr] = {}
        self.words: dict[str, Word] = {}
        """Names whose text was worked out when they were bound."""
        self.left = MAX_EXPRESSIONS
        self._followed: set[str] = set()
        """Names that are being followed: one that is made of itself is left at that."""

    def resolve_name(self, node: ast.expr) -> str:
        """The dotted name of what is called, imports resolved."""
        parts: list[str] = []
        for _ in range(MAX_EXPRESSION_DEPTH):
            if not isinstance(node, ast.Attribute):
                break
            parts.append(node.attr)
            node = node.value
        parts.append(self._resolve_root(node))
        return ".".join(reversed(parts))

    def _resolve_root(self, node: ast.expr) -> str:
        self.left -= 1
        if self.left <= 0:
            return ""
        if isinstance(node, ast.Name):
            held = self.values.get(node.id)
            if not isinstance(held, ast.Attribute | ast.Call) or node.id in self._followed:
                return self.names.get(node.id, node.id)
            self._followed.add(node.id)
            found = self.resolve_name(held) if isinstance(held, ast.Attribute) else self.resolve_call_name(held)
            self._followed.discard(node.id)
            return found
        return self.resolve_call_name(node) if isinstance(node, ast.Call) else ""

    def resolve_call_name(self, node: ast.Call) -> str:
        """The name of what a call returns, as far as it says more than the function's own."""
        name = self.resolve_name(node.func)
        if name in ("__import__", "importlib.import_module") and node.args:
            return self.to_word(node.args[0]).text
        if name == "getattr" and len(node.args) > 1:
            return f"{self.resolve_name(node.args[0])}.{self.to_word(node.args[1]).text}"
        return name

    def resolve_value(self, node: ast.expr) -> ast.expr:
        """What a name was assigned."""
        for _ in range(4):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def to_word(self, node: ast.expr, depth: int = 0) -> Word:
        """The text an expression stands for; its source when that is not known."""
        node = self.resolve_value(node)
        self.left -= 1
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int | float):
            return Word(node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else str(node.value))
        if isinstance(node, ast.Name):
            return self.words.get(node.id) or Word(node.id, known=False)
        # Beyond the limits the source stands for the value: unknown is safe, a wrong guess is not.
        made = self._make_word(node, depth + 1) if depth < MAX_EXPRESSION_DEPTH and self.left > 0 else None
        return made if made is not None and len(made.text) <= MAX_LENGTH else Word(self.read_source(node), known=False)

    def read_source(self, node: ast.expr) -> str:
        """The beginning of what is written."""
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else b""
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        return line[node.col_offset : end][:MAX_SHOWN_SOURCE].decode("utf-8", "replace")

    def _make_word(self, node: ast.expr, depth: int) -> Word | None:
        if isinstance(node, ast.BinOp):
            return self._combine_operands(node, depth)
        if isinstance(node, ast.JoinedStr):
            return concat_words([self.to_word(item, depth) for item in node.values])
        if isinstance(node, ast.FormattedValue):
            # Braces mark the unknown part, as they stand in the f-string; a path from the root or home is kept
            # readable.
            inner = self.to_word(node.value, depth)
            return inner if inner.known or inner.text[:1] in ("~", "/") else Word(f"{{{inner.text}}}", known=False)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_number(node.operand):
            return concat_words([Word("-"), self.to_word(node.operand, depth)])
        if isinstance(node, ast.Call):
            return self._evaluate_call(node, depth)
        if isinstance(node, ast.Subscript):
            return self._read_element(node)
        return self._read_attribute(node, depth) if isinstance(node, ast.Attribute) else None

    def _combine_operands(self, node: ast.BinOp, depth: int) -> Word | None:
        if isinstance(node.op, ast.Mod):
            items = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return _fill_template(self.to_word(node.left, depth), [self.to_word(item, depth) for item in items])
        if not isinstance(node.op, ast.Add | ast.Div) or _is_number(node.left) or _is_number(node.right):
            return None
        sides = [self.to_word(node.left, depth), self.to_word(node.right, depth)]
        return join_paths(sides) if isinstance(node.op, ast.Div) else concat_words(sides)

    def _read_element(self, node: ast.Subscript) -> Word | None:
        """`os.environ["HOME"]`, `sys.argv[1]`."""
        name, key = self.resolve_name(node.value), node.slice
        if not isinstance(key, ast.Constant):
            return None
        if name in ENVIRONMENT and key.value in ("HOME", b"HOME"):
            return HOME
        if name == "sys.argv" and isinstance(key.value, int) and 0 < key.value <= len(self.argv):
            return self.argv[key.value - 1]
        return None

    def _read_attribute(self, node: ast.Attribute, depth: int) -> Word | None:
        """`entry.path` and `entry.name` of a folder's listing, `path.parent`, `os.sep`."""
        known = PATH_CONSTANTS.get(self.resolve_name(node))
        if known is not None:
            return Word(known)
        if node.attr == "parent":
            return join_paths([self.to_word(node.value, depth), Word("..")])
        if isinstance(node.value, ast.Name) and (held := self.words.get(node.value.id)) is not None:
            if node.attr == "path":
                return held
            if node.attr == "name":
                return Word(held.text.rpartition("/")[2], held.known, held.glob)
        return None

    def _evaluate_call(self, node: ast.Call, depth: int) -> Word | None:
        """The value of a call that only makes a path or decodes text."""
        name = self.resolve_name(node.func)
        last = name.rpartition(".")[2]
        if (place := self._find_system_folder(node, name, last)) is not None:
            return place
        if isinstance(node.func, ast.Attribute):
            if last in IDENTITY_METHODS and not (last == "expanduser" and node.args):
                return self.to_word(node.func.value, depth)
            if last == "join" and node.args and name != "os.path.join":
                return self._join_list(node, depth)
            if last in ("joinpath", "format"):
                words = [self.to_word(item, depth) for item in (node.func.value, *node.args)]
                return join_paths(words) if last == "joinpath" else _fill_template(words[0], words[1:])
        words = [self.to_word(item, depth) for item in node.args[:16]]
        if name == "os.path.join" or last in PATH_MAKERS:
            return join_paths(words) if words else Word(".")
        return _decode_text(last, words)

    def _find_system_folder(self, node: ast.Call, name: str, last: str) -> Word | None:
        """The folders that a program asks the system for."""
        if name in ("os.environ.get", "os.getenv") and node.args:
            return HOME if self.to_word(node.args[0], MAX_EXPRESSION_DEPTH).text == "HOME" else None
        if last == "home" and not node.args:
            return HOME
        if last in ("cwd", "getcwd") and not node.args:
            return Word(".")
        if last == "gettempdir":
            return Word("/tmp")
        return Word("/tmp/{}", known=False) if last in TEMPORARY_MAKERS else None

    def list_elements(self, node: ast.expr, depth: int = 0) -> list[ast.expr] | None:
        """What a list holds, as far as it is known."""
        return None

    def _join_list(self, node: ast.Call, depth: int) -> Word | None:
        held = self.resolve_value(node.args[0])
        if isinstance(held, ast.Subscript) and (items := self.list_elements(held)) is not None:
            held = ast.copy_location(ast.List(items, ast.Load()), held)
        glue = self.to_word(node.func.value, depth) if isinstance(node.func, ast.Attribute) else Word("")
        if isinstance(held, ast.List | ast.Tuple) and glue.known:
            return concat_words([self.to_word(item, depth) for item in held.elts[:1000]], glue.text)
        return None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _fill_template(form: Word, words: list[Word]) -> Word:
    """`"rm %s" % x` and `"rm {}".format(x)`."""
    if not form.known or len(form.text) > MAX_LENGTH:
        return msgspec.structs.replace(form, known=False)
    left = iter(words)
    text = FORMATTED.sub(lambda found: next(left, Word(found[0])).text, form.text)
    return Word(text, all(word.known for word in words), any(word.glob for word in words))


def _decode_text(name: str, words: list[Word]) -> Word | None:
    if not words or not words[0].known:
        return None
    text = words[0].text
    try:
        if name in ("b64decode", "decodebytes", "standard_b64decode", "urlsafe_b64decode"):
            return Word(base64.b64decode(text).decode("utf-8", "replace"))
        if name in ("fromhex", "unhexlify"):
            return Word(bytes.fromhex(text).decode("utf-8", "replace"))
        if name == "decode" and len(words) > 1 and words[1].text in ("rot13", "rot_13"):
            return Word(codecs.decode(text, "rot13"))
        if name == "chr" and text.isdigit():
            return Word(chr(int(text)))
    except (ValueError, binascii.Error, OverflowError):
        return None
    return None

"""Python code: what it runs, deletes and writes, from its syntax tree."""

import ast
import base64
import binascii
import codecs
import re
import warnings

from synaptic.parse.shell.acts import Act, deletion
from synaptic.parse.shell.script import Word

MAX_CODE = 50_000
"""Characters of Python that are taken apart; longer code is searched with less care."""
SHELL = frozenset(
    {
        "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput",
        "asyncio.create_subprocess_shell", "pexpect.run", "pexpect.spawn", "pty.spawn",
    }
)  # fmt: skip
PROCESS = frozenset(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen"))
TREE = frozenset({"shutil.rmtree", "os.removedirs"})
FILE = frozenset({"os.remove", "os.unlink"})
TWO = {"shutil.move": "mv", "os.rename": "mv", "os.replace": "mv", "shutil.copy": "cp", "shutil.copyfile": "cp",
       "shutil.copytree": "cp", "shutil.copy2": "cp", "os.chmod": "chmod", "os.truncate": "truncate"}  # fmt: skip
METHODS = {"unlink": False, "rmtree": True}
WRITES = frozenset({"write_text", "write_bytes", "touch"})
RUN_CODE = frozenset({"exec", "eval", "compile"})
EXECUTE = re.compile(r"os\.(?:exec|spawn|posix_spawn)([lv]?)\w*")


def python_acts(code: str) -> list[Act]:
    """What the code does, in the order it is written. Broken code is searched for calls with a literal argument."""
    if len(code) > MAX_CODE:
        return _searched(code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code.lstrip("\ufeff"))
        reader = _Reader()
        reader.collect(tree)
        return reader.acts
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _searched(code)


def _searched(code: str) -> list[Act]:
    found = re.finditer(r"\b(system|popen|rmtree|remove|unlink)\(\s*([rf]?)(['\"])(.{0,500}?)\3", code[:200_000])
    acts = []
    for call in found:
        word = Word(call[4], known=call[2] != "f")
        if call[1] in ("system", "popen"):
            acts.append(Act("shell", [word]))
        else:
            acts.append(deletion([word], tree=call[1] == "rmtree"))
    return acts


class _Reader:
    """Knows what names stand for while the calls are read."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, ast.expr] = {}
        self.acts: list[Act] = []
        self.depth = 0

    def collect(self, tree: ast.Module) -> None:
        calls: list[ast.Call] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.names.update({alias.asname: alias.name for alias in node.names if alias.asname})
            elif isinstance(node, ast.ImportFrom):
                self.names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.values[node.targets[0].id] = node.value
            elif isinstance(node, ast.Call):
                calls.append(node)
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            self.call(call)

    def call(self, node: ast.Call) -> None:
        name = self.name(node.func)
        arguments = node.args or [item.value for item in node.keywords if item.arg in ("args", "path", "file", "cmd")]
        if name in SHELL:
            self.shell(arguments)
        elif name in PROCESS:
            self.process(node, arguments)
        elif name in TREE or name in FILE:
            self.acts.append(deletion([self.word(item) for item in arguments[:1]], name in TREE))
        elif name == "os.rmdir":
            self.acts.append(Act("argv", [Word("rmdir"), *(self.word(item) for item in arguments[:1])]))
        elif name in TWO:
            self.acts.append(Act("argv", [Word(TWO[name]), *(self.word(item) for item in arguments[:2])]))
        elif name in RUN_CODE and arguments:
            self.nested(arguments[0])
        elif EXECUTE.fullmatch(name) or name == "asyncio.create_subprocess_exec":
            self.execute(name, arguments)
        else:
            self.file(node, name, arguments)

    def shell(self, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        if isinstance(arguments[0], ast.List | ast.Tuple):
            self.acts.append(Act("argv", [self.word(item) for item in arguments[0].elts]))
            return
        self.spoken(self.word(arguments[0]))

    def spoken(self, word: Word) -> None:
        if not word.known and not re.match(r"[\w./'\"-]+\s", word.text):
            self.acts.append(Act("unknown", [word]))
        else:
            self.acts.append(Act("shell", [word]))

    def process(self, node: ast.Call, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        first = self.value(arguments[0])
        through_shell = any(item.arg == "shell" and _true(item.value) for item in node.keywords)
        if isinstance(first, ast.List | ast.Tuple):
            self.acts.append(Act("argv", [self.word(item) for item in first.elts]))
        elif isinstance(first, ast.Call) and self.name(first.func) == "shlex.split" and first.args:
            self.spoken(self.word(first.args[0]))
        elif through_shell or " " not in self.word(first).text:
            self.spoken(self.word(first))

    def execute(self, name: str, arguments: list[ast.expr]) -> None:
        words: list[ast.expr] = []
        for item in arguments:
            held = self.value(item)
            words.extend(held.elts if isinstance(held, ast.List | ast.Tuple) else [item])
        if ".spawn" in name:
            words = words[1:]
        # The first word is the file, the second the name it is given: the rest are its arguments.
        chosen = words if name.startswith("asyncio") else [*words[:1], *words[2:]]
        if chosen:
            self.acts.append(Act("argv", [self.word(item) for item in chosen]))

    def nested(self, argument: ast.expr) -> None:
        word = self.word(argument)
        if not word.known:
            self.acts.append(Act("unknown", [word]))
        elif self.depth < 4:
            self.acts.extend(python_acts(word.text))

    def file(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> None:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in ("open", "io.open", "codecs.open", "builtins.open") and arguments:
            if _writes(self.mode(node, 1)):
                self.acts.append(Act("write", [self.word(arguments[0])]))
        elif isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if method in METHODS and self.path(owner):
                self.acts.append(deletion([self.word(owner)], METHODS[method]))
            elif method == "rmdir" and self.path(owner):
                self.acts.append(Act("argv", [Word("rmdir"), self.word(owner)]))
            elif self.path(owner) and (method in WRITES or (method == "open" and _writes(self.mode(node, 0)))):
                self.acts.append(Act("write", [self.word(owner)]))

    def mode(self, node: ast.Call, place: int) -> str:
        given = node.args[place] if len(node.args) > place else None
        named = next((item.value for item in node.keywords if item.arg == "mode"), given)
        return self.word(named).text if named is not None else "r"

    def path(self, node: ast.expr) -> bool:
        """Whether an expression is a path object: `Path(...)`, `Path(...) / x`, or one of unknown kind."""
        if isinstance(node, ast.Call):
            return self.name(node.func).rpartition(".")[2] in (
                "Path",
                "PosixPath",
                "home",
                "cwd",
                "resolve",
                "joinpath",
            )
        return isinstance(node, ast.BinOp | ast.Name)

    def name(self, node: ast.expr) -> str:
        """The dotted name of what is called, imports resolved."""
        if isinstance(node, ast.Name):
            held = self.values.get(node.id)
            if isinstance(held, ast.Attribute):
                return self.name(held)
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.name(node.value)}.{node.attr}"
        if isinstance(node, ast.Call):
            return self.called(node)
        return ""

    def called(self, node: ast.Call) -> str:
        name = self.name(node.func)
        if name in ("__import__", "importlib.import_module") and node.args:
            return self.word(node.args[0]).text
        if name == "getattr" and len(node.args) > 1:
            return f"{self.name(node.args[0])}.{self.word(node.args[1]).text}"
        return name

    def value(self, node: ast.expr) -> ast.expr:
        """What a name was assigned."""
        for _ in range(4):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def word(self, node: ast.expr, depth: int = 0) -> Word:
        """The text an expression stands for; its source when that is not known."""
        node = self.value(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int):
            return Word(node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else str(node.value))
        if depth < 12:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
                middle = "/" if isinstance(node.op, ast.Div) else ""
                return _glued([self.word(node.left, depth + 1), self.word(node.right, depth + 1)], middle)
            if isinstance(node, ast.JoinedStr):
                return _glued([self.word(item, depth + 1) for item in node.values], "")
            if isinstance(node, ast.FormattedValue):
                inner = self.word(node.value, depth + 1)
                return inner if inner.known else Word("{" + inner.text + "}", known=False)
            if isinstance(node, ast.Call):
                return self.result(node, depth + 1)
        return Word(ast.unparse(node)[:200] if depth < 3 else "...", known=False)

    def result(self, node: ast.Call, depth: int) -> Word:
        """The value of a call that only makes a path or decodes text."""
        name = self.name(node.func)
        last = name.rpartition(".")[2]
        words = [self.word(item, depth) for item in node.args]
        if last == "expanduser" and words and words[0].text[:1] == "~":
            return Word(words[0].text, known=False)
        if name == "os.path.join" or last in (
            "Path",
            "PosixPath",
            "str",
            "abspath",
            "realpath",
            "fspath",
            "expanduser",
        ):
            return _glued(words, "/") if words else Word(".")
        if last == "home" and not words:
            return Word("~", known=False)
        if isinstance(node.func, ast.Attribute) and last in ("decode", "resolve", "strip", "expanduser", "absolute"):
            return self.word(node.func.value, depth)
        if isinstance(node.func, ast.Attribute) and last == "join" and node.args:
            return self.listed(node, depth)
        decoded = _decoded(last, words)
        return decoded or Word(ast.unparse(node)[:200], known=False)

    def listed(self, node: ast.Call, depth: int) -> Word:
        held = self.value(node.args[0])
        glue = self.word(node.func.value, depth) if isinstance(node.func, ast.Attribute) else Word("")
        if isinstance(held, ast.List | ast.Tuple) and glue.known:
            return _glued([self.word(item, depth) for item in held.elts], glue.text)
        return Word(ast.unparse(node)[:200], known=False)


def _decoded(name: str, words: list[Word]) -> Word | None:
    if not words or not words[0].known:
        return None
    text = words[0].text
    try:
        if name in ("b64decode", "decodebytes", "standard_b64decode"):
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


def _glued(words: list[Word], middle: str) -> Word:
    texts = [word.text for word in words]
    if middle == "/":
        texts = [text.rstrip("/") or "/" if place == 0 else text for place, text in enumerate(texts)]
        joined = "/".join(texts).replace("//", "/") if len(texts) > 1 else "".join(word.text for word in words)
        return Word(joined, all(word.known for word in words))
    return Word(middle.join(texts), all(word.known for word in words))


def _true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)


def _writes(mode: str) -> bool:
    return any(letter in mode for letter in "wax+")

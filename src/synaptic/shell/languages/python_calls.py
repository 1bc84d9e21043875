"""What the calls in Python code do."""

import ast
import re

from synaptic.shell.book.entries import SHELL_PROGRAMS
from synaptic.shell.languages.acts import Act, deletion, glued
from synaptic.shell.languages.python_database import STATEMENTS, Databases
from synaptic.shell.languages.python_sending import ALWAYS, OPENS, READS, SENDS
from synaptic.shell.read.script import Word

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
       "shutil.copytree": "cp", "shutil.copy2": "cp", "os.truncate": "truncate"}  # fmt: skip
METHODS = {"unlink": False, "rmtree": True}
WRITES = frozenset({"write_text", "write_bytes", "touch"})
RUN_CODE = frozenset({"exec", "eval", "compile", "builtins.exec", "builtins.eval"})
KILLS = frozenset({"os.kill", "os.killpg"})
EXECUTE = re.compile(r"os\.(?:exec|spawn|posix_spawn)([lv]?)\w*")
MATTERS = (
    frozenset(name.rpartition(".")[2] for group in (SHELL, PROCESS, TREE, FILE, TWO, OPENS, KILLS) for name in group)
    | RUN_CODE | METHODS.keys() | WRITES | STATEMENTS | READS | SENDS | ALWAYS
    | {"rmdir", "chmod", "chown", "urlretrieve", "write", "read", "create_subprocess_exec"}
)  # fmt: skip
"""The last names of all calls that do something."""


class Calls(Databases):
    """Notes what each call does."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        super().__init__(code, argv)
        self.acts: list[Act] = []
        self._written: dict[int, list[Word]] = {}
        """What is written to the files that these calls open."""

    def inside(self, text: str) -> list[Act]:
        """What code does that is run inside this code."""
        raise TypeError(f"{type(self).__name__} reads calls only")

    def matters(self, func: ast.expr) -> bool:
        """Whether a call may do something: most calls can be told by their last name."""
        if type(func) is ast.Attribute:
            return func.attr in MATTERS or func.attr.startswith(("exec", "spawn", "posix_spawn"))
        if type(func) is ast.Name:
            return func.id in MATTERS or func.id in self.names or func.id in self.values
        return True

    def call(self, node: ast.Call) -> None:
        held = self.value(node.func)
        if isinstance(held, ast.Call) and held.args and self.name(held.func) == "functools.partial":
            given, more = [*held.args[1:], *node.args], [*held.keywords, *node.keywords]
            node = ast.copy_location(ast.Call(held.args[0], given, more), node)
        name = self.name(node.func)
        arguments = node.args or [item.value for item in node.keywords if item.arg in ("args", "path", "file", "cmd")]
        if name in SHELL:
            self.shell(arguments)
        elif name in PROCESS:
            self.process(node, arguments)
        elif name in RUN_CODE and arguments:
            self.nested(arguments[0])
        elif EXECUTE.fullmatch(name) or name == "asyncio.create_subprocess_exec":
            self.execute(name, arguments)
        elif arguments and name in KILLS:
            self.killed(name, arguments)
        elif (sent := self.sent(node, name)) is not None:
            self.acts.append(sent)
        elif not self.moved(name, arguments):
            self.file(node, arguments)

    def moved(self, name: str, arguments: list[ast.expr]) -> bool:
        """Read a call that does what one shell command does; whether it is such a call."""
        words = [self.word(item) for item in arguments[:2]] if name.startswith(("os.", "shutil.", "urllib.")) else []
        if name in TREE or name in FILE:
            self.acts.append(deletion(words[:1], name in TREE))
        elif name == "os.rmdir":
            self.acts.append(Act("argv", [Word("rmdir"), *words[:1]]))
        elif name in TWO:
            self.acts.append(Act("argv", [Word(TWO[name]), *words]))
        elif name in ("os.chmod", "os.chown") and len(words) > 1:
            self.acts.append(Act("argv", [Word(name[3:]), _mode(arguments[1], words[1]), words[0]]))
        elif name == "urllib.request.urlretrieve" and len(words) > 1:
            self.acts.append(Act("argv", [Word("curl"), Word("-o"), words[1], words[0]]))
        else:
            return False
        return True

    def killed(self, name: str, arguments: list[ast.expr]) -> None:
        words = [self.word(item) for item in arguments[:2]]
        signal = words[1].text.rpartition("SIG")[2] if len(words) > 1 else "TERM"
        target = Word(f"-{words[0].text}", words[0].known) if name == "os.killpg" else words[0]
        self.acts.append(Act("argv", [Word("kill"), Word(f"-{signal}"), target]))

    def shell(self, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        if (elements := self.elements(arguments[0])) is not None:
            self.acts.append(Act("argv", [self.word(item) for item in elements]))
            return
        self.spoken(arguments[0])

    def spoken(self, node: ast.expr) -> None:
        word = self.word(node)
        # With a known beginning (`rm -rf {x}`) the text can be judged; only one that is unknown from its first word
        # on is opaque.
        if not word.known and not re.match(r"[\w./'\"-]+\s", word.text):
            self.acts.append(Act("unknown", [word], origin=self.origin(node)))
        else:
            self.acts.append(Act("shell", [word]))

    def process(self, node: ast.Call, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        first = self.value(arguments[0])
        through_shell = any(item.arg == "shell" and _true(item.value) for item in node.keywords)
        if isinstance(first, ast.Call) and self.name(first.func) == "shlex.split" and first.args:
            self.spoken(first.args[0])
        elif (elements := self.elements(first)) is not None:
            self.program(elements, next((item.value for item in node.keywords if item.arg == "input"), None))
        elif isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "split":
            self.spoken(first.func.value)
        # Text with blanks and without `shell=True` names no program, so it would only fail.
        elif through_shell or " " not in self.word(first).text:
            self.spoken(first)

    def program(self, items: list[ast.expr], fed: ast.expr | None) -> None:
        """A program with its arguments, and what it is given to read."""
        words = [self.word(item) for item in items]
        given = self.word(fed) if fed is not None else None
        self.acts.append(Act("argv", words, stdin=given.text if given and given.known else None))
        if words and words[0].text.rpartition("/")[2] in SHELL_PROGRAMS:
            # A shell that is given unknown text: where the text comes from decides how it is judged.
            codes = [item for item in (*items[1:], *([fed] if fed else [])) if not self.word(item).known]
            self.acts.extend(
                Act("unknown", [self.word(item)], origin=note) for item in codes if (note := self.origin(item))
            )

    def execute(self, name: str, arguments: list[ast.expr]) -> None:
        words: list[ast.expr] = []
        for item in arguments:
            held = self.elements(item.value if isinstance(item, ast.Starred) else item)
            words.extend([item] if held is None else held)
        if ".spawn" in name:
            words = words[1:]
        # The first word is the file, the second the name it is given: the rest are its arguments.
        chosen = words if name.startswith("asyncio") else [*words[:1], *words[2:]]
        if chosen:
            self.program(chosen, None)

    def nested(self, argument: ast.expr) -> None:
        word = self.word(argument)
        if not word.known:
            self.acts.append(Act("unknown", [word], origin=self.origin(argument)))
        else:
            self.acts.extend(self.inside(word.text))

    def file(self, node: ast.Call, arguments: list[ast.expr]) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in STATEMENTS and arguments:
            drop = self.statement(node, arguments[0])
            self.acts.extend([drop] if drop else [])
        elif self.name(node.func) in OPENS and arguments and id(node) not in self._written:
            wrote = _writes(self.mode(node, 1))
            self.acts.append(Act("write" if wrote else "read", [self.word(arguments[0])]))
        elif isinstance(node.func, ast.Attribute):
            self.method(node, node.func)

    def method(self, node: ast.Call, func: ast.Attribute) -> None:
        """What is done to a path object."""
        owner = self.value(func.value) if func.attr == "write" else None
        if isinstance(owner, ast.Call) and owner.args and self.name(owner.func) in OPENS:
            held = self._written.setdefault(id(owner), [])
            held += [self.word(item) for item in node.args[:1]]
            self.acts.append(Act("write", [self.word(owner.args[0]), glued(held)]))
        elif (path := self.opened(node)) is not None and not (func.attr == "open" and _writes(self.mode(node, 0))):
            self.acts.append(Act("read", [path]))
        elif not self.is_path(func.value):
            return
        elif func.attr in METHODS:
            self.acts.append(deletion([self.word(func.value)], METHODS[func.attr]))
        elif func.attr == "rmdir":
            self.acts.append(Act("argv", [Word("rmdir"), self.word(func.value)]))
        elif func.attr in WRITES or func.attr == "open":
            content = [self.word(item) for item in node.args[:1]] if func.attr == "write_text" else []
            self.acts.append(Act("write", [self.word(func.value), *content]))

    def mode(self, node: ast.Call, place: int) -> str:
        given = node.args[place] if len(node.args) > place else None
        named = next((item.value for item in node.keywords if item.arg == "mode"), given)
        return self.word(named).text if named is not None else "r"


def _mode(node: ast.expr, word: Word) -> Word:
    """`0o777` as chmod is given it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Word(format(node.value, "o"))
    return word


def _true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)


def _writes(mode: str) -> bool:
    return any(letter in mode for letter in "wax+")

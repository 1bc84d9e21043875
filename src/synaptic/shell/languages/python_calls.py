"""What the calls in Python code do."""

import ast
import re

from synaptic.shell.book.entries import SHELL_PROGRAMS
from synaptic.shell.languages.acts import CodeAct, concat_words, make_deletion
from synaptic.shell.languages.clouds import VERBS
from synaptic.shell.languages.data_libraries import PYTHON_CALLS
from synaptic.shell.languages.python_database import SQL_METHODS, PythonDatabases
from synaptic.shell.languages.python_sending import ALWAYS_SENDING, OPEN_CALLS, READ_METHODS, SEND_CALLS
from synaptic.shell.read.script import Word

SHELL_CALLS = frozenset(
    {
        "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput",
        "asyncio.create_subprocess_shell", "pexpect.run", "pexpect.spawn", "pty.spawn",
        "posix.system", "distutils.spawn.spawn",
    }
)  # fmt: skip
PROCESS_CALLS = frozenset(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen"))
TREE_REMOVERS = frozenset({"shutil.rmtree", "os.removedirs"})
FILE_REMOVERS = frozenset({"os.remove", "os.unlink"})
TWO_PATH_CALLS = {
    "shutil.move": "mv", "os.rename": "mv", "os.replace": "mv", "shutil.copy": "cp", "shutil.copyfile": "cp",
    "shutil.copytree": "cp", "shutil.copy2": "cp", "os.truncate": "truncate",
}  # fmt: skip
REMOVING_METHODS = {"unlink": False, "rmtree": True}
WRITING_METHODS = frozenset({"write_text", "write_bytes", "touch"})
RUN_CODE = frozenset(
    {
        "exec", "eval", "compile", "builtins.exec", "builtins.eval", "timeit.timeit", "timeit.repeat", "cProfile.run",
        "profile.run", "pdb.run", "pdb.runeval", "trace.run", "bdb.run",
    }
)  # fmt: skip
CODE_METHODS = frozenset({"push", "runsource", "runcode", "runcall"})
"""Methods of consoles and debuggers that run code."""
PAGER_CALLS = frozenset({"pydoc.pipepager", "pydoc.tempfilepager"})
"""Calls whose second argument is a command."""
KILL_CALLS = frozenset({"os.kill", "os.killpg"})
EXECUTE = re.compile(r"os\.(?:exec|spawn|posix_spawn)([lv]?)\w*")
DOTTED_CALLS = (
    *SHELL_CALLS, *PROCESS_CALLS, *TREE_REMOVERS, *FILE_REMOVERS, *TWO_PATH_CALLS, *OPEN_CALLS, *KILL_CALLS,
)  # fmt: skip
RELEVANT_CALLS = (
    frozenset(name.rpartition(".")[2] for name in DOTTED_CALLS)
    | RUN_CODE | REMOVING_METHODS.keys() | WRITING_METHODS | SQL_METHODS | READ_METHODS | SEND_CALLS | ALWAYS_SENDING
    | {name.rpartition(".")[2] for name in (*RUN_CODE, *PAGER_CALLS)} | CODE_METHODS
    | PYTHON_CALLS | {"rmdir", "chmod", "chown", "urlretrieve", "write", "read", "create_subprocess_exec", "chdir"}
)  # fmt: skip
"""The last names of all calls that do something."""


class PythonCalls(PythonDatabases):
    """Notes what each call does."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        super().__init__(code, argv)
        self.acts: list[CodeAct] = []
        self._written: dict[int, list[Word]] = {}
        """What is written to the files that these calls open."""
        self.understood: set[int] = set()
        """Names of functions that are called with arguments which are known."""

    def note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """`from os import *` brings every call of the module that matters."""
        super().note_import(node)
        if isinstance(node, ast.ImportFrom) and any(item.name == "*" for item in node.names):
            names = (name for name in DOTTED_CALLS if name.rpartition(".")[0] == node.module)
            self.names.update({name.rpartition(".")[2]: name for name in names})

    def read_inner_code(self, text: str) -> list[CodeAct]:
        """What code does that is run inside this code."""
        raise TypeError(f"{type(self).__name__} reads calls only")

    def is_relevant(self, func: ast.expr) -> bool:
        """Whether a call may do something: most calls can be told by their last name."""
        if type(func) is ast.Attribute:
            if self.uses_cloud and func.attr.startswith(VERBS):
                return True
            return func.attr in RELEVANT_CALLS or func.attr.startswith(("exec", "spawn", "posix_spawn"))
        if type(func) is ast.Name:
            return func.id in RELEVANT_CALLS or func.id in self.names or func.id in self.values
        return True

    def read_call(self, node: ast.Call) -> None:
        held = self.resolve_value(node.func)
        if isinstance(held, ast.Call) and held.args and self.resolve_name(held.func) == "functools.partial":
            given, more = [*held.args[1:], *node.args], [*held.keywords, *node.keywords]
            node = ast.copy_location(ast.Call(held.args[0], given, more), node)
        name = self.resolve_name(node.func)
        before = len(self.acts)
        self._read_named_call(node, name)
        if len(self.acts) > before and all(_is_known(act) for act in self.acts[before:]):
            self.understood.add(id(node.func))

    def _read_named_call(self, node: ast.Call, name: str) -> None:
        arguments = node.args or [item.value for item in node.keywords if item.arg in ("args", "path", "file", "cmd")]
        if name in SHELL_CALLS:
            self.read_shell_call(arguments)
        elif name in PROCESS_CALLS:
            self.read_process(node, arguments)
        elif (name in RUN_CODE or name.rpartition(".")[2] in CODE_METHODS) and arguments:
            self.read_evaluated(arguments[0])
        elif name in PAGER_CALLS and len(arguments) > 1:
            self.read_shell_call(arguments[1:])
        elif name == "os.chdir" and arguments:
            self.acts.append(CodeAct("argv", [Word("cd"), self.to_word(arguments[0])]))
        elif EXECUTE.fullmatch(name) or name == "asyncio.create_subprocess_exec":
            self.read_exec_call(name, arguments)
        elif arguments and name in KILL_CALLS:
            self.read_kill(name, arguments)
        elif (lost := self.read_cloud_call(node, name)) is not None:
            self.acts.append(lost)
        elif (emptied := self.read_library_call(node, name)) is not None:
            self.acts.append(emptied)
        elif (sent := self.find_sent(node, name)) is not None:
            self.acts.append(sent)
        elif not self.read_file_command(name, arguments):
            self.read_file_call(node, arguments)

    def read_file_command(self, name: str, arguments: list[ast.expr]) -> bool:
        """Read a call that does what one shell command does; whether it is such a call."""
        words = [self.to_word(item) for item in arguments[:2]] if name.startswith(("os.", "shutil.", "urllib.")) else []
        if name in TREE_REMOVERS or name in FILE_REMOVERS:
            self.acts.append(make_deletion(words[:1], name in TREE_REMOVERS))
        elif name == "os.rmdir":
            self.acts.append(CodeAct("argv", [Word("rmdir"), *words[:1]]))
        elif name in TWO_PATH_CALLS:
            self.acts.append(CodeAct("argv", [Word(TWO_PATH_CALLS[name]), *words]))
        elif name in ("os.chmod", "os.chown") and len(words) > 1:
            self.acts.append(CodeAct("argv", [Word(name[3:]), _format_mode(arguments[1], words[1]), words[0]]))
        elif name == "urllib.request.urlretrieve" and len(words) > 1:
            self.acts.append(CodeAct("argv", [Word("curl"), Word("-o"), words[1], words[0]]))
        else:
            return False
        return True

    def read_kill(self, name: str, arguments: list[ast.expr]) -> None:
        words = [self.to_word(item) for item in arguments[:2]]
        signal = words[1].text.rpartition("SIG")[2] if len(words) > 1 else "TERM"
        target = Word(f"-{words[0].text}", words[0].known) if name == "os.killpg" else words[0]
        self.acts.append(CodeAct("argv", [Word("kill"), Word(f"-{signal}"), target]))

    def read_shell_call(self, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        if (elements := self.list_elements(arguments[0])) is not None:
            self.acts.append(CodeAct("argv", [self.to_word(item) for item in elements]))
            return
        self.add_shell_text(arguments[0])

    def add_shell_text(self, node: ast.expr) -> None:
        word = self.to_word(node)
        # With a known beginning (`rm -rf {x}`) the text can be judged; only one that is unknown from its first word
        # on is opaque.
        if not word.known and not re.match(r"[\w./'\"-]+\s", word.text):
            self.acts.append(CodeAct("unknown", [word], origin=self.find_origin(node)))
        else:
            self.acts.append(CodeAct("shell", [word]))

    def read_process(self, node: ast.Call, arguments: list[ast.expr]) -> None:
        if not arguments:
            return
        first = self.resolve_value(arguments[0])
        through_shell = any(item.arg == "shell" and _is_true(item.value) for item in node.keywords)
        if isinstance(first, ast.Call) and self.resolve_name(first.func) == "shlex.split" and first.args:
            self.add_shell_text(first.args[0])
        elif (elements := self.list_elements(first)) is not None:
            replaced = [item.value for item in node.keywords if item.arg == "executable"]
            elements = [*replaced[:1], *elements[1:]] if replaced else elements
            self.add_program(elements, next((item.value for item in node.keywords if item.arg == "input"), None))
        elif isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "split":
            self.add_shell_text(first.func.value)
        # Text with blanks and without `shell=True` names no program, so it would only fail.
        elif through_shell or " " not in self.to_word(first).text:
            self.add_shell_text(first)

    def add_program(self, items: list[ast.expr], fed: ast.expr | None) -> None:
        """A program with its arguments, and what it is given to read."""
        words = [self.to_word(item) for item in items]
        given = self.to_word(fed) if fed is not None else None
        self.acts.append(CodeAct("argv", words, stdin=given.text if given and given.known else None))
        if words and words[0].text.rpartition("/")[2] in SHELL_PROGRAMS:
            # A shell that is given unknown text: where the text comes from decides how it is judged.
            codes = [item for item in (*items[1:], *([fed] if fed else [])) if not self.to_word(item).known]
            self.acts.extend(
                CodeAct("unknown", [self.to_word(item)], origin=note)
                for item in codes
                if (note := self.find_origin(item))
            )

    def read_exec_call(self, name: str, arguments: list[ast.expr]) -> None:
        words: list[ast.expr] = []
        for item in arguments:
            held = self.list_elements(item.value if isinstance(item, ast.Starred) else item)
            words.extend([item] if held is None else held)
        if ".spawn" in name:
            words = words[1:]
        # The first word is the file, the second the name it is given: the rest are its arguments.
        chosen = words if name.startswith("asyncio") else [*words[:1], *words[2:]]
        if chosen:
            self.add_program(chosen, None)

    def read_evaluated(self, argument: ast.expr) -> None:
        word = self.to_word(argument)
        if not word.known:
            self.acts.append(CodeAct("unknown", [word], origin=self.find_origin(argument)))
        else:
            self.acts.extend(self.read_inner_code(word.text))

    def read_file_call(self, node: ast.Call, arguments: list[ast.expr]) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in SQL_METHODS and arguments:
            drop = self.read_statement(node, arguments[0])
            self.acts.extend([drop] if drop else [])
        elif self.resolve_name(node.func) in OPEN_CALLS and arguments and id(node) not in self._written:
            wrote = _is_write_mode(self.read_open_mode(node, 1))
            self.acts.append(CodeAct("write" if wrote else "read", [self.to_word(arguments[0])]))
        elif isinstance(node.func, ast.Attribute):
            self.read_path_method(node, node.func)

    def read_path_method(self, node: ast.Call, func: ast.Attribute) -> None:
        """What is done to a path object."""
        owner = self.resolve_value(func.value) if func.attr == "write" else None
        if isinstance(owner, ast.Call) and owner.args and self.resolve_name(owner.func) in OPEN_CALLS:
            held = self._written.setdefault(id(owner), [])
            held += [self.to_word(item) for item in node.args[:1]]
            self.acts.append(CodeAct("write", [self.to_word(owner.args[0]), concat_words(held)]))
        elif (path := self.find_opened_file(node)) is not None and not (
            func.attr == "open" and _is_write_mode(self.read_open_mode(node, 0))
        ):
            self.acts.append(CodeAct("read", [path]))
        elif not self.is_path(func.value):
            return
        elif func.attr in REMOVING_METHODS:
            self.acts.append(make_deletion([self.to_word(func.value)], REMOVING_METHODS[func.attr]))
        elif func.attr == "rmdir":
            self.acts.append(CodeAct("argv", [Word("rmdir"), self.to_word(func.value)]))
        elif func.attr in WRITING_METHODS or func.attr == "open":
            content = [self.to_word(item) for item in node.args[:1]] if func.attr == "write_text" else []
            self.acts.append(CodeAct("write", [self.to_word(func.value), *content]))

    def read_open_mode(self, node: ast.Call, place: int) -> str:
        given = node.args[place] if len(node.args) > place else None
        named = next((item.value for item in node.keywords if item.arg == "mode"), given)
        return self.to_word(named).text if named is not None else "r"


def _is_known(act: CodeAct) -> bool:
    """Whether it is known which program runs, and, for one that runs others, with which words."""
    words = act.words if act.words and act.words[0].text.rpartition("/")[2] in SHELL_PROGRAMS else act.words[:1]
    return bool(words) and all(word.known for word in words)


def _format_mode(node: ast.expr, word: Word) -> Word:
    """`0o777` as chmod is given it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Word(format(node.value, "o"))
    return word


def _is_true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)


def _is_write_mode(mode: str) -> bool:
    return any(letter in mode for letter in "wax+")

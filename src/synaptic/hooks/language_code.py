"""Follow files of Python, JavaScript and other languages by what they load."""

import os
from collections.abc import Iterator

from synaptic.hooks.code_programs import OTHER_LANGUAGE_OPTIONS, SAFE_LANGUAGE_OPTIONS
from synaptic.hooks.program_gaps import CoverageSearch
from synaptic.hooks.python_code import PythonCode, is_of_python, iter_module_files, read_python_code
from synaptic.hooks.script_code import find_javascript_files, find_javascript_gaps, find_other_gaps
from synaptic.hooks.traced_files import MAX_CODE_FILES
from synaptic.shell.book.entries import find_program, normalize_name
from synaptic.shell.read.script import Command, Word

IMPORT_ENDINGS = (".py", ".pyc", ".so", ".pyd")
HARMLESS_MODULES = frozenset(
    {
        "json.tool",
        "json",
        "zipfile",
        "tarfile",
        "gzip",
        "base64",
        "calendar",
        "http.server",
        "py_compile",
        "tokenize",
        "ast",
    }
)
"""Modules of Python that `-m` starts and that run nothing of the project."""
SOURCE_ENDINGS = {"python": (".py",), "javascript": (".js", ".cjs", ".mjs")}


class LanguageCode:
    """The files of other languages that one hook reaches."""

    def __init__(self, search: CoverageSearch) -> None:
        self._search = search
        self._seen: set[str] = set()

    def take_command(self, command: Command, cwd: str) -> None:
        """Follow the script, the module or the code that an interpreter is given."""
        program = find_program(normalize_name(command.name))
        if not program.language or program.shell:
            return
        given = program.read(command.argv[1:])
        safe = SAFE_LANGUAGE_OPTIONS.get(program.language, OTHER_LANGUAGE_OPTIONS)
        scripts = (given.get_by_role("script") or given.operands)[:1]
        before = command.argv[1 : command.argv.index(scripts[0])] if scripts else command.argv[1:]
        for word in before:
            if word.text.startswith("-") and not safe.fullmatch(word.text):
                self._search.add_gap(f"what `{command.name} {word.text}` loads")
        if "/" in command.argv[0].text and self._search.is_of_project(locate_file(command.argv[0].text, cwd)):
            self._search.add_gap(f"what {command.argv[0].text} loads by itself")
        if program.verbs:
            self._search.add_gap(f"what `{command.name}` loads")
        if command.stdin is not None and (not scripts or scripts[0].text in ("-", "/dev/stdin")):
            self._take_inline(program.language, Word(command.stdin), cwd)
        for code in given.get_by_role("code", "print"):
            self._take_inline(program.language, code, cwd)
        for module in given.get_by_role("module"):
            self._take_module(module, cwd)
        if given.get_by_role("code", "print", "module"):
            return
        for word in scripts:
            if word.known and word.text not in ("-", "/dev/stdin"):
                self.follow(program.language, locate_file(word.text, cwd), ())

    def follow(self, language: str, path: str, searched: tuple[str, ...]) -> None:
        """Follow a file. `searched` are the folders that modules are looked for in; the file's own without any."""
        if path in self._seen or not self._search.is_of_project(path):
            return
        if len(self._seen) > MAX_CODE_FILES:
            self._search.add_gap("it loads more files than can be followed")
            return
        self._seen.add(path)
        if os.path.isdir(path):  # noqa: PTH112 - text paths throughout
            self._follow_tree(language, path)
            return
        self._search.add_file(path, "")
        text = self._search.read_file(path)
        if text is None:
            return
        if language == "python":
            self._follow_python(path, read_python_code(text), searched or (os.path.dirname(path),))  # noqa: PTH120
        elif language == "javascript":
            self._follow_javascript(path, text)
        elif language != "compiled":
            self._tell_gaps(path, find_other_gaps(text.partition("\n")[2] if text.startswith("#!") else text))

    def _follow_tree(self, language: str, folder: str) -> None:
        """A folder that is run as a program: all of it, and what its files load from elsewhere."""
        self._search.add_tree(folder)
        for name in self._search.list_folder(folder):
            if name.endswith(SOURCE_ENDINGS.get(language, ())):
                self.follow(language, f"{folder}/{name}", ())

    def _take_inline(self, language: str, code: Word, cwd: str) -> None:
        if not code.known:
            self._search.add_gap(f"what code {code.text[:80]} is")
        elif language == "python":
            self._follow_python(f"{cwd}/-c", read_python_code(code.text), (cwd,))
        elif language == "javascript":
            self._follow_javascript(f"{cwd}/-e", code.text)
        else:
            self._tell_gaps("its code", find_other_gaps(code.text))

    def _take_module(self, module: Word, cwd: str) -> None:
        """`python -m hooks.check`: looked for in the folder that it starts in."""
        if not module.known or not cwd:
            self._search.add_gap(f"which module `{module.text}` is")
            return
        names = (module.text, f"{module.text}.__main__")
        # Not the first that is found: a package is loaded before its `__main__`.
        found = [self._load_module(name, (cwd,), cwd) for name in names]
        if not any(found) and module.text not in HARMLESS_MODULES:
            self._search.add_gap(f"which files of the project `python -m {module.text}` runs")
        self._cover_shadows(cwd, ())

    def _follow_python(self, path: str, code: PythonCode, searched: tuple[str, ...]) -> None:
        self._tell_gaps(path, code.gaps)
        here = os.path.dirname(path)  # noqa: PTH120 - text paths throughout
        strange = [
            name for name in code.modules if not self._load_module(name, searched, here) and not is_of_python(name)
        ]
        for folder in searched:
            self._cover_shadows(folder, strange)
        for command in code.commands:
            self._search.read_text(command, self._search.start)

    def _load_module(self, name: str, searched: tuple[str, ...], here: str) -> bool:
        found = False
        for path in iter_module_files(name, searched, here):
            folder = os.path.dirname(path)  # noqa: PTH120
            if not self._search.is_of_project(path):
                continue
            if os.path.isdir(folder):  # noqa: PTH112
                self._search.list_folder(folder)
            if os.path.isfile(path):  # noqa: PTH113
                found = True
                self.follow("python" if path.endswith(".py") else "compiled", path, searched)
        return found

    def _cover_shadows(self, folder: str, strange: list[str] | tuple[()]) -> None:
        """Files that stand in the way of Python's own modules, or of what packages from elsewhere may import."""
        if not self._search.is_of_project(folder):
            return
        for name in self._search.list_folder(folder):
            stem = name.partition(".")[0]
            path = f"{folder}/{name}"
            if not (strange or is_of_python(stem)):
                continue
            if name.endswith(IMPORT_ENDINGS):
                self.follow("python" if name.endswith(".py") else "compiled", path, (folder,))
            elif os.path.isfile(f"{path}/__init__.py"):  # noqa: PTH113
                self._search.add_tree(path)

    def _follow_javascript(self, path: str, text: str) -> None:
        self._tell_gaps(path, find_javascript_gaps(text))
        folder = os.path.dirname(path)  # noqa: PTH120
        for found in find_javascript_files(text, folder):
            plain = os.path.normpath(found)
            self._search.list_folder(os.path.dirname(plain))  # noqa: PTH120
            if os.path.exists(plain):  # noqa: PTH110
                self.follow("javascript", plain, ())

    def _tell_gaps(self, path: str, gaps: tuple[str, ...] | Iterator[str]) -> None:
        for gap in gaps:
            self._search.add_gap(f"{path.removeprefix(self._search.root).lstrip('/')} {gap}")


def locate_file(text: str, cwd: str) -> str:
    """The path that a word means in a folder."""
    return os.path.normpath(text if text.startswith("/") else f"{cwd}/{text}")

"""Python code: what it runs, deletes, reads, writes, sends and prints, from its syntax tree."""

import ast
import re
import warnings
from collections.abc import Iterator

from synaptic.shell.book.entries import SHELL_PROGRAMS
from synaptic.shell.destroying import may_destroy
from synaptic.shell.languages.acts import MAX_ACTS, CodeAct, CodeEffects, make_deletion
from synaptic.shell.languages.python_calls import EXECUTE, PROCESS_CALLS, SHELL_CALLS, TREE_REMOVERS, PythonCalls
from synaptic.shell.languages.python_names import MAX_VALUES
from synaptic.shell.languages.python_tree import walk_tree
from synaptic.shell.read.script import Word

MAX_CODE_DEPTH = 4
"""Code inside code."""
BEGINNING = frozenset({ast.Call, ast.For, ast.AsyncFor, ast.With, ast.ListComp, ast.SetComp, ast.GeneratorExp})
ENDING = frozenset({ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr})
"""What matters from where it begins, and what takes effect when it has been worked out."""
SEARCHED_CALLS = ("system", "popen", "rmtree", "remove", "unlink")
CALL = re.compile(rf"\b({'|'.join(SEARCHED_CALLS)})\(\s*([rf]?)(['\"])(.{{0,500}}?)\3")
MAX_SEARCHED = 200_000
"""Characters of code that are searched for such calls with a literal argument."""
DOTTED_STARTERS = SHELL_CALLS | PROCESS_CALLS | TREE_REMOVERS
ALWAYS_STARTING = frozenset({"system", "popen", "rmtree", "CDLL", "PyDLL", "LoadLibrary", "communicate", "getoutput"})
"""Names that start a program or remove a folder, whatever they belong to."""
STARTING_NAMES = ALWAYS_STARTING | {name.rpartition(".")[2] for name in DOTTED_STARTERS}
OPAQUE_TEXTS = frozenset({"system", "popen", "Popen", "rmtree", "getoutput"})
"""Texts by which such a name may be looked up."""
OPAQUE_HINT = re.compile(
    r"system|popen|Popen|subprocess|rmtree|metsys|DLL|LoadLibrary|communicate|getoutput|exec|eval|getattr|spawn"
)
"""What code holds at least that starts programs in ways that are hard to follow."""
SILENT_STATEMENTS = (ast.Import, ast.ImportFrom, ast.Pass)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
PRINTING_SIGNS = ("print", "write", "getattr", "import_")
"""What code holds at least that prints, if all of it is plain letters: Python reads others as if they were these."""


def read_python(code: str, argv: tuple[Word, ...] = (), depth: int = 0) -> CodeEffects:
    """What the code does, in the order it is written. Broken code is searched for calls with a literal argument."""
    code = code.lstrip("\ufeff")
    try:
        with warnings.catch_warnings():
            # Invalid escapes in the agent's code would be printed as warnings of this process.
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        reader = _PythonReader(code, argv, depth)
        reader.collect_acts(tree)
        printed = reader.find_printed(tree) if _may_print(code) else None
        return CodeEffects(reader.acts, printed, bool(OPAQUE_HINT.search(code)) and reader.is_opaque(tree))
    # The parser gives up on deep nesting and NULs in several ways; unparsable code may still be Python 2 or a
    # template.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CodeEffects(find_literal_calls(code), opaque=may_destroy(code))


def _may_print(code: str) -> bool:
    return not code.isascii() or any(sign in code for sign in PRINTING_SIGNS)


def find_literal_calls(code: str) -> list[CodeAct]:
    """Calls with a literal argument, which look alike in most languages."""
    if not any(name in code for name in SEARCHED_CALLS):
        return []
    found = CALL.finditer(code, 0, MAX_SEARCHED)
    acts = []
    for call in found:
        word = Word(call[4], known=call[2] != "f")
        if call[1] in ("system", "popen"):
            acts.append(CodeAct("shell", [word]))
        else:
            acts.append(make_deletion([word], tree=call[1] == "rmtree"))
        if len(acts) >= MAX_ACTS:
            break
    return acts


class _PythonReader(PythonCalls):
    """Reads the calls while it knows what names stand for."""

    def __init__(self, code: str, argv: tuple[Word, ...], depth: int) -> None:
        super().__init__(code, argv)
        self.depth = depth

    def read_inner_code(self, text: str) -> list[CodeAct]:
        return read_python(text, self.argv, self.depth + 1).acts if self.depth < MAX_CODE_DEPTH else []

    def collect_acts(self, tree: ast.Module) -> None:
        """Read all calls in order. With functions, names are bound beforehand: a body may use later ones."""
        steps = sorted(self._iter_steps(tree), key=lambda step: step[0])
        if self.functions:
            for _, node in steps:
                self._bind_node(node)
            for _, node in steps:
                if type(node) is ast.Call:
                    self.note_arguments(node)
        for _, node in steps:
            self._bind_node(node)
            if type(node) is ast.Call and self.is_relevant(node.func):
                self.read_each_value(node, 2)

    def _iter_steps(self, tree: ast.Module) -> Iterator[tuple[tuple[int, int], ast.AST]]:
        """What binds names and what is called, with where it takes effect: an assignment when it has been made."""
        for node in walk_tree(tree):
            kind = type(node)
            if kind in BEGINNING:
                yield (node.lineno, node.col_offset), node  # type: ignore[attr-defined]
            elif kind in ENDING:
                self._note_lambda(node)
                yield (node.end_lineno, node.end_col_offset), node  # type: ignore[attr-defined]
            elif kind is ast.Import or kind is ast.ImportFrom:
                self.note_import(node)  # type: ignore[arg-type]
            elif kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                self.note_function(node)  # type: ignore[arg-type]

    def _note_lambda(self, node: ast.AST) -> None:
        """`run = lambda c: os.system(c)` defines a function."""
        if type(node.value) is ast.Lambda:  # type: ignore[attr-defined]  # all that end with a value have it
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target  # type: ignore[attr-defined]
            if isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign):
                self.functions[target.id] = node.value.args  # type: ignore[attr-defined]

    def _bind_node(self, node: ast.AST) -> None:
        # One kind after the other and no unions of them: this runs for every step of the code.
        if isinstance(node, ast.Assign):
            if len(node.targets) == 1:
                self.assign(node.targets[0], node.value)
        elif isinstance(node, ast.Call):
            if self.database is None and self.opens_database(node):
                self.database = node
        elif isinstance(node, ast.AugAssign):
            self.assign(node.target, ast.copy_location(ast.BinOp(_to_load(node.target), node.op, node.value), node))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            if node.value is not None:
                self.assign(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.bind_loop(node, node.body)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, item.context_expr)
        elif isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                self.bind_loop(generator, [])

    def read_each_value(self, node: ast.Call, deep: int) -> None:
        """A call once for each value that a name in it may have."""
        name = self.find_many_valued(node) if deep else None
        if name is None:
            if len(self.acts) < MAX_ACTS:
                self.read_call(node)
            return
        # Taken out while it is tried, so that the recursion finds the next such name.
        values = self.many.pop(name)
        for value in values[:MAX_VALUES]:
            if (held := self.list_elements(value)) is not None:
                self.values[name] = ast.copy_location(ast.List(held, ast.Load()), value)
            else:
                self.words[name] = self.to_word(value)
            self.read_each_value(node, deep - 1)
            self.values.pop(name, None)
        self.words.pop(name, None)
        self.many[name] = values

    def is_opaque(self, tree: ast.Module) -> bool:
        """Whether something that starts a program or removes a folder is used in another way than by a plain call."""
        if any(act.kind == "unknown" or _feeds_shell(act) for act in self.acts):
            return True
        for node in walk_tree(tree):
            if isinstance(node, ast.Constant):
                opaque = isinstance(node.value, str) and node.value in OPAQUE_TEXTS
            elif isinstance(node, ast.Call):
                opaque = isinstance(node.func, ast.Subscript | ast.Call | ast.Lambda)
            else:
                named = isinstance(node, ast.Attribute | ast.Name) and id(node) not in self.understood
                opaque = named and self._starts(node)  # type: ignore[arg-type]  # named only then
            if opaque:
                return True
        return False

    def _starts(self, node: ast.Attribute | ast.Name) -> bool:
        last = node.attr if isinstance(node, ast.Attribute) else node.id
        if last not in STARTING_NAMES:
            return False
        name = self.resolve_name(node)
        return name in DOTTED_STARTERS or last in ALWAYS_STARTING or EXECUTE.fullmatch(name) is not None

    def find_printed(self, tree: ast.Module) -> str | None:
        """What the code prints, when it does nothing but print what is known."""
        lines: list[str] = []
        for item in tree.body:
            if isinstance(item, SILENT_STATEMENTS) or (isinstance(item, ast.Assign) and self.to_word(item.value).known):
                continue
            line = self.read_print_call(item.value) if isinstance(item, ast.Expr) else None
            if line is None:
                return None
            lines.append(line)
        return "".join(lines) if lines else None

    def read_print_call(self, node: ast.expr) -> str | None:
        """What `print(...)` or `sys.stdout.write(...)` prints."""
        if not isinstance(node, ast.Call):
            return None
        name = self.resolve_name(node.func)
        words = [self.to_word(item) for item in node.args]
        if name not in ("print", "sys.stdout.write") or not all(word.known and not word.glob for word in words):
            return None
        ends = {item.arg or "": self.to_word(item.value) for item in node.keywords}
        if not ends.keys() <= {"end", "sep", "flush"} or not all(word.known for word in ends.values()):
            return None
        text = (ends["sep"].text if "sep" in ends else " ").join(word.text for word in words)
        end = "" if name != "print" else ends["end"].text if "end" in ends else "\n"
        return text + end


def _to_load(target: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target


def _feeds_shell(act: CodeAct) -> bool:
    """Whether a shell is started that is given its code in another way."""
    words = [word.text for word in act.words] if act.kind == "argv" else act.words[0].text.split()
    return len(words) == 1 and act.kind in ("argv", "shell") and words[0].rpartition("/")[2] in SHELL_PROGRAMS

"""What Python code binds its names to: assignments, loops, folders that are walked, arguments of its own functions."""

import ast
from collections.abc import Iterator
from itertools import islice

from synaptic.shell.languages.python_tree import add_children
from synaptic.shell.languages.python_value import MAX_EXPRESSION_DEPTH, PythonValues
from synaptic.shell.read.script import Word

MAX_VALUES = 16
"""Values of a name that are tried one after the other."""
WRAPS = frozenset({"sorted", "list", "tuple", "set", "reversed", "iter"})
KIND_QUESTIONS = frozenset(
    {"is_dir", "is_file", "is_symlink", "exists", "isdir", "isfile", "islink", "lexists", "is_junction", "is_mount"}
)
"""Questions that pick no file out: they ask what kind it is, so that it can be removed."""
MAX_SPLIT = 200
"""Words that a text is split into, or that lists make together."""
MAX_PASSED = 200
"""Values of a parameter."""
MAX_BODY_NODES = 500
"""Pieces of a loop's body in which such a question is looked for."""
PythonLoop = ast.For | ast.AsyncFor | ast.comprehension


class PythonNames(PythonValues):
    """Binds names in the order in which the code is written."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        super().__init__(code, argv)
        self.many: dict[str, list[ast.expr]] = {}
        """Names that have one of several values."""
        self.drawn: dict[str, ast.expr] = {}
        """What a loop draws a name from."""
        self.functions: dict[str, ast.arguments] = {}

    def note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom):
            self.names.update({item.asname or item.name: f"{node.module}.{item.name}" for item in node.names})
        else:
            self.names.update({item.asname: item.name for item in node.names if item.asname})

    def note_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions[node.name] = node.args

    def note_arguments(self, node: ast.Call) -> None:
        """Remember the arguments with which a function of the code is called."""
        func = node.func
        name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
        taken = self.functions.get(name)
        if taken is None:
            return
        parameters = [item.arg for item in (*taken.posonlyargs, *taken.args)]
        if isinstance(func, ast.Attribute):
            if parameters[:1] not in (["self"], ["cls"]):
                return
            del parameters[0]
        given = list(zip(parameters, node.args, strict=False))
        given += [(item.arg, item.value) for item in node.keywords if item.arg]
        rest = node.args[len(parameters) :]
        if taken.vararg is not None and rest:
            given.append((taken.vararg.arg, ast.copy_location(ast.Tuple(rest, ast.Load()), node)))
        for parameter, value in given:
            # A recursive call that hands its parameter on says nothing new, and would make the name stand for itself.
            if not isinstance(value, ast.Name) or value.id != parameter:
                values = self.many.get(value.id) if isinstance(value, ast.Name) else None
                self.many[parameter] = [*self.many.get(parameter, ()), *(values or [value])][:MAX_PASSED]

    def list_elements(self, node: ast.expr, depth: int = 0) -> list[ast.expr] | None:
        """What a list holds that is written out: `[a, *b]`, `[a] + b`, `"a b".split()`; None when it is none."""
        node = self.resolve_value(node)
        self.left -= 1
        if self.left <= 0 or depth > MAX_EXPRESSION_DEPTH:
            return None
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            starred = any(isinstance(item, ast.Starred) for item in node.elts)
            return [one for item in node.elts for one in self._spread_starred(item, depth)] if starred else node.elts
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left = self.list_elements(node.left, depth + 1)
            right = self.list_elements(node.right, depth + 1) if left is not None else None
            return [*left, *right][:MAX_SPLIT] if left is not None and right is not None else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._list_arguments(node, node.slice)
        return self._split_text(node)

    def _list_arguments(self, node: ast.Subscript, part: ast.Slice) -> list[ast.expr] | None:
        """`sys.argv[1:]`: the arguments that the code is given."""
        start = part.lower.value if isinstance(part.lower, ast.Constant) else 0
        if self.resolve_name(node.value) != "sys.argv" or part.upper or part.step or not isinstance(start, int):
            return None
        return [ast.copy_location(ast.Constant(word.text), node) for word in self.argv[max(start - 1, 0) :]]

    def _spread_starred(self, node: ast.expr, depth: int) -> list[ast.expr]:
        held = self.list_elements(node.value, depth + 1) if isinstance(node, ast.Starred) else None
        return [node] if held is None else held[:MAX_SPLIT]

    def _split_text(self, node: ast.expr) -> list[ast.expr] | None:
        """`"a b".split()`, `"a,b".split(",")`."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "split":
            return None
        words = [self.to_word(item) for item in (node.func.value, *node.args)]
        if len(words) > 2 or not all(word.known and word.text for word in words):
            return None
        parts = words[0].text.split(words[1].text if len(words) > 1 else None)[:MAX_SPLIT]
        return [ast.copy_location(ast.Constant(text), node) for text in parts]

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, held in zip(target.elts, value.elts, strict=True):
                self.assign(one, held)
        elif isinstance(target, ast.Name):
            self._bind_name(target.id, value)

    def _bind_name(self, name: str, value: ast.expr) -> None:
        # `x = x + "/a"`: worked out now, because the name is about to mean something else.
        if _refers_to(value, name):
            word = self.to_word(value)
            self.forget(name)
            self.words[name] = word
            return
        self.forget(name)
        self.values[name] = value

    def forget(self, name: str) -> None:
        for known in (self.values, self.words, self.many, self.drawn):
            known.pop(name, None)

    def bind_loop(self, node: PythonLoop, body: list[ast.stmt]) -> None:
        """What a loop's names stand for: each of several values, or what a folder holds."""
        for name in _list_target_names(node.target):
            self.forget(name)
            self.drawn[name] = node.iter
        held, picked = self._find_loop_source(node.iter)
        # Questions about the kind of a file (`is_dir`) exclude nothing that matters: the loop still removes
        # everything.
        picked = picked or not all(map(_asks_kind, getattr(node, "ifs", ()))) or any(map(_picks_files, body))
        if isinstance(node.target, ast.Name) and (elements := self.list_elements(held)) is not None:
            self.many[node.target.id] = elements
            return
        for name, word in zip(_list_target_names(node.target), self._list_folder(held), strict=False):
            self.words[name] = _pick_one(word) if picked else word

    def _find_loop_source(self, node: ast.expr) -> tuple[ast.expr, bool]:
        """The folder or list behind `sorted(...)` and behind a comprehension, and whether that picks."""
        picked = False
        for _ in range(6):
            node = self.resolve_value(node)
            if isinstance(node, ast.Call) and self.resolve_name(node.func) in WRAPS and node.args:
                node = node.args[0]
            elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp) and isinstance(node.elt, ast.Name):
                picked = picked or not all(map(_asks_kind, node.generators[0].ifs))
                node = node.generators[0].iter
            else:
                break
        return node, picked

    def _list_folder(self, node: ast.expr) -> list[Word]:
        """What is drawn from a folder, as patterns: `/etc/*`; for `os.walk` the folders, and the names in them."""
        if isinstance(node, ast.Name) and node.id in self.words:
            return [self.words[node.id]]
        if not isinstance(node, ast.Call):
            return []
        name = self.resolve_name(node.func)
        first = self.to_word(node.args[0]) if node.args else Word(".")
        if name in ("os.walk", "os.fwalk"):
            return [_join_pattern(first, "**"), Word("*", glob=True), Word("*", glob=True)]
        if name == "os.listdir":
            return [Word("*", glob=True)]
        if name == "os.scandir":
            return [_join_pattern(first, "*")]
        if name in ("glob.glob", "glob.iglob"):
            return [Word(first.text, first.known, glob=True)]
        return self._list_path_object(node, name.rpartition(".")[2], first)

    def _list_path_object(self, node: ast.Call, method: str, first: Word) -> list[Word]:
        """`path.iterdir()`, `path.glob(...)`, `path.rglob(...)`."""
        if not isinstance(node.func, ast.Attribute) or method not in ("iterdir", "glob", "rglob", "walk"):
            return []
        owner = self.to_word(node.func.value)
        if method == "walk":
            return [_join_pattern(owner, "**"), Word("*", glob=True), Word("*", glob=True)]
        pattern = "*" if method == "iterdir" else first.text if method == "glob" else f"**/{first.text}"
        return [_join_pattern(owner, pattern)]

    def find_many_valued(self, node: ast.AST) -> str | None:
        """A name in an expression that has one of several values."""
        if not self.many:
            return None
        for one in ast.walk(node):
            self.left -= 1
            if self.left <= 0:
                break
            if isinstance(one, ast.Name) and one.id in self.many:
                return one.id
        return None


def _refers_to(value: ast.expr, name: str) -> bool:
    """Whether a value is made of the name it is given to."""
    if isinstance(value, ast.Constant):
        return False
    waiting: list[ast.AST] = [value]
    for _ in range(50):
        if not waiting:
            break
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == name:
            return True
        add_children(node, waiting)
    return False


def _list_target_names(target: ast.expr) -> Iterator[str]:
    for one in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
        if isinstance(one, ast.Name):
            yield one.id


def _join_pattern(folder: Word, pattern: str) -> Word:
    return Word(f"{folder.text.rstrip('/')}/{pattern}", folder.known, glob=True)


def _pick_one(word: Word) -> Word:
    """The same folder, but only something in it."""
    text = "/".join("{}" if "*" in part else part for part in word.text.split("/"))
    return Word(text if "/" in text else f"./{text}", known=False)


def _picks_files(node: ast.stmt) -> bool:
    """Whether something in a loop's body depends on a question that not every file is asked."""
    for one in islice(ast.walk(node), MAX_BODY_NODES):
        if isinstance(one, ast.If) and not _asks_kind(one.test):
            return True
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Subscript):
            return True  # `dirs[:] = ...` leaves folders out
    return False


def _asks_kind(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp):
        return _asks_kind(test.operand)
    if isinstance(test, ast.BoolOp):
        return all(map(_asks_kind, test.values))
    func = test.func if isinstance(test, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in KIND_QUESTIONS

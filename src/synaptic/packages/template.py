"""Templates of package files: linted at publish, rendered at install in a sandbox without access to anything."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from jinja2 import ChainableUndefined, TemplateError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from synaptic.model.refusal import Refusal
from synaptic.packages.answers import Answers
from synaptic.packages.hashes import digest
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Bundle, PackageFile, Question

SUFFIX = ".j2"
REPO = frozenset(RepoProfile.__struct_fields__)
ENV = frozenset(
    {
        "synaptic_root",
        "sc_dolt_branch",
        "synaptic_agents",
        "synaptic_shared",
        "synaptic_skills",
        "synaptic_project_root",
    }
)
FORBIDDEN = {
    nodes.Include: "include",
    nodes.Import: "import",
    nodes.FromImport: "import",
    nodes.Extends: "extends",
    nodes.Call: "a call",
    nodes.CallBlock: "a call",
    nodes.Macro: "a macro",
    nodes.Mul: "`*`",
    nodes.Pow: "`**`",
    nodes.Mod: "`%`",
}
"""What could reach a file, run forever or fill the memory; templates fill in text, they compute nothing."""
FILTERS = frozenset(
    {"capitalize", "default", "first", "join", "last", "length", "list", "lower"}
    | {"replace", "reverse", "sort", "title", "tojson", "trim", "unique", "upper"}
)
RENDERED_LIMIT = 4 << 20
LEFTOVER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


class Standing(ChainableUndefined):
    """An undefined value that renders as its own placeholder."""

    __slots__ = ()

    def __getattr__(self, name: str) -> "Standing":
        # Jinja and copy probe dunder attributes; an answer for them would look like a real object.
        if name.startswith("__"):
            raise AttributeError(name)
        return Standing(name=f"{self._undefined_name}.{name}")

    def __str__(self) -> str:
        return f"{{{{ {self._undefined_name} }}}}"


class Values(msgspec.Struct, frozen=True):
    """The values that a template may use."""

    repo: RepoProfile
    answers: Answers
    env: Mapping[str, str]
    """Keys of ENV, see environment_values."""


class Rendered(msgspec.Struct, frozen=True):
    """A rendered file: path without `.j2`, text, its hash, and warnings."""

    path: str
    content: str
    sha256: str
    warnings: tuple[str, ...] = ()


class Finding(msgspec.Struct, frozen=True):
    """Something wrong with a package's templates or questions; a warning at import, errors block a publish."""

    where: str
    message: str
    is_error: bool = True


def environment_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Make a template's `env` from the six project variables."""
    renamed = {"synaptic_channel": "sc_dolt_branch"}
    lowered = {name.lower(): value for name, value in variables.items()}
    return {renamed.get(name, name): value for name, value in lowered.items()}


def render(file: PackageFile, values: Values) -> Rendered:
    """Render a file as it is installed. Raises Refusal for a forbidden or broken template.

    An unknown value keeps its placeholder, with a warning: the install goes on.
    """
    if not file.is_template:
        return Rendered(file.dest_path, file.content, digest(file.content))
    tree = _parsed(file.dest_path, file.content)
    unknown = tuple(finding.message for finding in _names(tree, file.dest_path, values.answers))
    text = _filled(file, values)
    left = sorted({match.group() for match in LEFTOVER.finditer(text)})
    warnings = (*unknown, *(f"`{piece[:80]}` is left in the text" for piece in left))
    return Rendered(file.dest_path.removesuffix(SUFFIX), text, digest(text), warnings)


def lint(bundle: Bundle) -> tuple[Finding, ...]:
    """Find unknown variables, forbidden or broken templates, and questions whose answer nothing uses."""
    known = {question.question_id: "" for question in bundle.questions}
    used: set[str] = set()
    found: list[Finding] = []
    for file in bundle.files:
        if file.is_template:
            found += _linted(file, known, used)
    return (*found, *_unused(bundle.questions, used))


def _linted(file: PackageFile, known: Answers, used: set[str]) -> Iterator[Finding]:
    try:
        tree = _parsed(file.dest_path, file.content)
    except Refusal as refusal:
        yield Finding(file.dest_path, refusal.message)
        return
    used |= {field for space, field in _references(tree) if space == "answers"}
    yield from _names(tree, file.dest_path, known)


def _unused(questions: Iterable[Question], used: set[str]) -> Iterator[Finding]:
    for question in questions:
        if question.question_id not in used:
            yield Finding(f"question {question.question_id}", "no template uses its answer", is_error=False)


def _names(tree: nodes.Template, where: str, answers: Answers) -> Iterator[Finding]:
    known = {"repo": REPO, "env": ENV, "answers": frozenset(answers)}
    for space, field in sorted(set(_references(tree))):
        name = f"{space}.{field}" if field else space
        if field not in known.get(space, ()) and (field or space not in known):
            yield Finding(where, f"unknown variable `{name}`")


def _references(tree: nodes.Template) -> Iterator[tuple[str, str]]:
    """(namespace, field) of every variable that comes from outside; ("x", "") for a bare `x`."""
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx in ("store", "param")} | {"loop"}
    reached = set()
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        base, field = _reach(node)
        if isinstance(base, nodes.Name) and base.name not in own:
            reached.add(id(base))
            yield base.name, field
    for name in tree.find_all(nodes.Name):
        if name.ctx == "load" and id(name) not in reached and name.name not in own:
            yield name.name, ""


def _reach(node: nodes.Expr) -> tuple[nodes.Node | None, str]:
    """What `a.b` or `a["b"]` reaches into, and for which field; "" when the field is computed."""
    match node:
        case nodes.Getattr(node=base, attr=field):
            return base, field
        case nodes.Getitem(node=base, arg=nodes.Const(value=field)):
            return base, str(field)
        case nodes.Getitem(node=base):
            return base, ""
    return None, ""


def _parsed(where: str, content: str) -> nodes.Template:
    """Parse a template. Forbidden nodes are refused before compiling, which would evaluate constant expressions."""
    try:
        tree: nodes.Template = _environment().parse(content)
        _refuse_forbidden(tree, where)
        _environment().compile(content, raw=True)  # names a filter that does not exist
    except (TemplateError, RecursionError) as error:
        raise Refusal("validation_failed", f"is no valid template: {error}", where=where) from None
    return tree


def _refuse_forbidden(tree: nodes.Template, where: str) -> None:
    if bad := next(tree.find_all(tuple(FORBIDDEN)), None):
        problem = f"line {bad.lineno}: {FORBIDDEN[type(bad)]} is not allowed in a template"
        raise Refusal("validation_failed", problem, where=where)


def _filled(file: PackageFile, values: Values) -> str:
    given: dict[str, Any] = {
        "repo": msgspec.structs.asdict(values.repo),
        "answers": dict(values.answers),
        "env": dict(values.env),
    }
    try:
        pieces, size = [], 0
        for piece in _environment().from_string(file.content).generate(given):
            size += len(piece)
            # Counted piece by piece: a loop over a long answer could otherwise fill the memory before the check.
            if size > RENDERED_LIMIT:
                raise Refusal("validation_failed", f"grows over {RENDERED_LIMIT} characters", where=file.dest_path)
            pieces.append(piece)
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
        raise Refusal("validation_failed", f"cannot be filled in: {error}", where=file.dest_path) from None
    return "".join(pieces)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(undefined=Standing, keep_trailing_newline=True, optimized=False)
    # Without `range`, `lipsum` and the like a template can neither call anything nor loop without data.
    made.globals.clear()
    made.filters = {name: made.filters[name] for name in FILTERS}
    return made

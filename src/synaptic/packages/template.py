"""Templates of package files: linted at publish, rendered at install in a sandbox without access to anything."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from jinja2 import ChainableUndefined, TemplateError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from synaptic.model.refusal import Refusal
from synaptic.packages.answers import QuestionAnswers
from synaptic.packages.hashes import hash_text
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Bundle, PackageFile, Question

TEMPLATE_SUFFIX = ".j2"
REPO_FIELDS = frozenset(RepoProfile.__struct_fields__)
ENV_FIELDS = frozenset(
    {
        "synaptic_root",
        "sc_dolt_branch",
        "synaptic_agents",
        "synaptic_shared",
        "synaptic_skills",
        "synaptic_project_root",
    }
)
FORBIDDEN_NODES = {
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
ALLOWED_FILTERS = frozenset(
    {"capitalize", "default", "first", "join", "last", "length", "list", "lower"}
    | {"replace", "reverse", "sort", "title", "tojson", "trim", "unique", "upper"}
)
TEMPLATE_LIMIT = 512 << 10
RENDERED_LIMIT = 4 << 20
LEFTOVER_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


class UnknownValue(ChainableUndefined):
    """An undefined value that renders as its own placeholder."""

    __slots__ = ()

    def __getattr__(self, name: str) -> "UnknownValue":
        # Jinja and copy probe dunder attributes; an answer for them would look like a real object.
        if name.startswith("__"):
            raise AttributeError(name)
        return UnknownValue(name=f"{self._undefined_name}.{name}")

    def __str__(self) -> str:
        return f"{{{{ {self._undefined_name} }}}}"


class TemplateValues(msgspec.Struct, frozen=True):
    """The values that a template may use."""

    repo: RepoProfile
    answers: QuestionAnswers
    env: Mapping[str, str]
    """Keys of ENV, see environment_values."""


class RenderedFile(msgspec.Struct, frozen=True):
    """A rendered file: path without `.j2`, text, its hash, and warnings."""

    path: str
    content: str
    sha256: str
    warnings: tuple[str, ...] = ()


class TemplateFinding(msgspec.Struct, frozen=True):
    """Something wrong with a package's templates or questions; a warning at import, errors block a publish."""

    where: str
    message: str
    is_error: bool = True


def make_env_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Make a template's `env` from the six project variables."""
    renamed = {"synaptic_channel": "sc_dolt_branch"}
    lowered = {name.lower(): value for name, value in variables.items()}
    return {renamed.get(name, name): value for name, value in lowered.items()}


def render_file(file: PackageFile, values: TemplateValues) -> RenderedFile:
    """Render a file as it is installed. Raises Refusal for a forbidden or broken template.

    An unknown value keeps its placeholder, with a warning: the install goes on.
    """
    if not file.is_template:
        return RenderedFile(file.dest_path, file.content, hash_text(file.content))
    tree = _parse_template(file.dest_path, file.content)
    unknown = tuple(finding.message for finding in _find_unknown(tree, file.dest_path, values.answers))
    text = _fill_template(file, values)
    left = sorted({match.group() for match in LEFTOVER_PLACEHOLDER.finditer(text)})
    warnings = (*unknown, *(f"`{' '.join(piece.split())[:80]}` is left in the text" for piece in left))
    return RenderedFile(file.dest_path.removesuffix(TEMPLATE_SUFFIX), text, hash_text(text), warnings)


def lint_templates(bundle: Bundle) -> tuple[TemplateFinding, ...]:
    """Find unknown variables, forbidden or broken templates, and questions whose answer nothing uses."""
    known = {question.question_id: "" for question in bundle.questions}
    used: set[str] = set()
    found: list[TemplateFinding] = []
    for file in bundle.files:
        if file.is_template:
            found += _lint_file(file, known, used)
    return (*found, *_find_unused(bundle.questions, used))


def _lint_file(file: PackageFile, known: QuestionAnswers, used: set[str]) -> Iterator[TemplateFinding]:
    try:
        tree = _parse_template(file.dest_path, file.content)
    except Refusal as refusal:
        yield TemplateFinding(file.dest_path, refusal.message)
        return
    used |= {field for space, field in _iter_references(tree) if space == "answers"}
    yield from _find_unknown(tree, file.dest_path, known)


def _find_unused(questions: Iterable[Question], used: set[str]) -> Iterator[TemplateFinding]:
    for question in questions:
        if question.question_id not in used:
            yield TemplateFinding(f"question {question.question_id}", "no template uses its answer", is_error=False)


def _find_unknown(tree: nodes.Template, where: str, answers: QuestionAnswers) -> Iterator[TemplateFinding]:
    known = {"repo": REPO_FIELDS, "env": ENV_FIELDS, "answers": frozenset(answers)}
    for space, field in sorted(set(_iter_references(tree))):
        name = f"{space}.{field}" if field else space
        if field not in known.get(space, ()) and (field or space not in known):
            yield TemplateFinding(where, f"unknown variable `{name}`")


def _iter_references(tree: nodes.Template) -> Iterator[tuple[str, str]]:
    """(namespace, field) of every variable that comes from outside; ("x", "") for a bare `x`."""
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx in ("store", "param")} | {"loop"}
    reached = set()
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        base, field = _split_reference(node)
        if isinstance(base, nodes.Name) and base.name not in own:
            reached.add(id(base))
            yield base.name, field
    for name in tree.find_all(nodes.Name):
        if name.ctx == "load" and id(name) not in reached and name.name not in own:
            yield name.name, ""


def _split_reference(node: nodes.Expr) -> tuple[nodes.Node | None, str]:
    """What `a.b` or `a["b"]` reaches into, and for which field; "" when the field is computed."""
    match node:
        case nodes.Getattr(node=base, attr=field):
            return base, field
        case nodes.Getitem(node=base, arg=nodes.Const(value=field)):
            return base, str(field)
        case nodes.Getitem(node=base):
            return base, ""
    return None, ""


def _parse_template(where: str, content: str) -> nodes.Template:
    """Parse a template. Forbidden nodes are refused before compiling, which would evaluate constant expressions."""
    if len(content) > TEMPLATE_LIMIT:
        problem = f"is larger than {TEMPLATE_LIMIT >> 10} KiB, which is much for a template"
        raise Refusal("validation_failed", problem, where=where)
    try:
        tree: nodes.Template = _make_environment().parse(content)
        _refuse_forbidden(tree, where)
        _make_environment().compile(content, raw=True)  # names a filter that does not exist
    except (TemplateError, RecursionError, SyntaxError, ValueError, ArithmeticError) as error:
        raise Refusal("validation_failed", f"is no valid template: {error}", where=where) from None
    return tree


def _refuse_forbidden(tree: nodes.Template, where: str) -> None:
    if bad := next(tree.find_all(tuple(FORBIDDEN_NODES)), None):
        problem = f"line {bad.lineno}: {FORBIDDEN_NODES[type(bad)]} is not allowed in a template"
        raise Refusal("validation_failed", problem, where=where)


def _fill_template(file: PackageFile, values: TemplateValues) -> str:
    given: dict[str, Any] = {
        "repo": msgspec.structs.asdict(values.repo),
        "answers": dict(values.answers),
        "env": dict(values.env),
    }
    try:
        pieces, size = [], 0
        for piece in _make_environment().from_string(file.content).generate(given):
            size += len(piece)
            # Counted piece by piece: a loop over a long answer could otherwise fill the memory before the check.
            if size > RENDERED_LIMIT:
                raise Refusal("validation_failed", f"grows over {RENDERED_LIMIT} characters", where=file.dest_path)
            pieces.append(piece)
    except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, RecursionError, SyntaxError) as error:
        raise Refusal("validation_failed", f"cannot be filled in: {error}", where=file.dest_path) from None
    return "".join(pieces)


@cache
def _make_environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(undefined=UnknownValue, keep_trailing_newline=True, optimized=False)
    # Without `range`, `lipsum` and the like a template can neither call anything nor loop without data.
    made.globals.clear()
    made.filters = {name: made.filters[name] for name in ALLOWED_FILTERS}
    return made

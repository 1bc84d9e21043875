"""Read `package.toml`: the package, its hooks, dependencies, questions and variants."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

import msgspec

from synaptic.files.toml import parse_toml
from synaptic.hooks.declaration import check_events, check_matcher
from synaptic.hooks.shape import convert_table, refuse_typos
from synaptic.model.errors import DeclarationError
from synaptic.model.refusal import Refusal
from synaptic.packages.answers import sort_questions
from synaptic.packages.hashes import hash_text
from synaptic.packages.paths import check_package_name, check_package_path, check_version
from synaptic.packages.rows import Dep, DepType, HookRow, InstallScope, Package, Question, QuestionType, Variant

T = TypeVar("T", bound=msgspec.Struct)
ID_PATTERN = r"^[a-z0-9][a-z0-9._-]*$"
Identifier = Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=128)]
VersionText = Annotated[str, msgspec.Meta(pattern=r"^[0-9][0-9A-Za-z.+-]*$", max_length=64)]
ShortText = Annotated[str, msgspec.Meta(max_length=128)]
LineText = Annotated[str, msgspec.Meta(max_length=256)]
LongText = Annotated[str, msgspec.Meta(max_length=4000)]
CHOICE_TYPES = ("choice", "multi")


class PackageTable(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `[package]`."""

    name: Identifier
    """Lower case letters, digits, `.`, `_` and `-`; also the name of the folder it is installed to."""
    version: VersionText
    """A published version never changes again."""
    description: LongText = ""
    """What it is for; `synaptic skill search` reads it."""
    tags: tuple[ShortText, ...] = ()
    """Words that it is found by."""
    author: LineText = ""
    """Name, and an address in angle brackets."""
    license: Annotated[str, msgspec.Meta(max_length=64)] = "MIT"
    """Name of the licence."""
    install_scope: InstallScope = "any"
    """`local-only` for a package that makes no sense for all projects of a user."""
    agent_variant: Annotated[str, msgspec.Meta(max_length=64)] = "claude"
    """The agent it is written for."""
    variant_of: str = ""
    """The package that this one stands in for under its agent."""
    min_claude_version: Annotated[str, msgspec.Meta(max_length=32)] = ""
    """The oldest Claude Code that it works with."""
    requires: tuple[str, ...] = ()
    """Programs that must be there, such as `python3 >= 3.11`; the short form of `[[deps]]`."""
    variables: dict[str, Any] | None = None
    """Free for the author's own tools."""
    options: dict[str, Any] | None = None
    """Free for the author's own tools."""


class HookTable(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one `[[hooks]]`."""

    event: Annotated[str, msgspec.Meta(max_length=64)]
    """The event it runs for."""
    script: str
    """Path of the script in the package, below hooks/."""
    matcher: LineText = ".*"
    """Full match against the event's subject, such as the tool's name."""
    priority: int = 50
    """Lower runs first."""
    blocking: bool = False
    """It is waited for and may decide; else it is started and left alone."""


class DepTable(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one `[[deps]]`."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    """The program, or the package."""
    type: DepType = "tool"
    """`tool` must be there, `cli` can be installed by its command, `skill` is another package."""
    spec: ShortText = ""
    """The versions that will do, such as `>= 3.11`."""
    install: Annotated[str, msgspec.Meta(max_length=1024)] = ""
    """The command that installs a `cli`; shown, and run only when the user agrees."""


class QuestionTable(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one `[[questions]]`."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]
    """Templates read the answer as `answers.ID`."""
    prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
    """What the user is asked."""
    type: QuestionType = "choice"
    """`choice`, `multi`, `text`, `confirm`, or `auto`, which asks the repository instead of the user."""
    default: Annotated[str, msgspec.Meta(max_length=512)] | bool = ""
    """The answer when nobody gives one."""
    choices: tuple[str, ...] = ()
    """What can be chosen."""
    order: int = 0
    """Lower is asked first."""


class DeclaredPackage(msgspec.Struct, frozen=True):
    """The rows that a manifest makes, and warnings."""

    package: Package
    hooks: tuple[HookRow, ...]
    deps: tuple[Dep, ...]
    questions: tuple[Question, ...]
    variants: tuple[Variant, ...]
    warnings: tuple[str, ...] = ()


MANIFEST_KEYS = ("package", "hooks", "deps", "questions")


def read_manifest(text: bytes, where: str) -> DeclaredPackage:
    """Read a manifest. Raises Refusal for what cannot be published."""
    try:
        return _read_tables(parse_toml(text), where)
    except ValueError as error:
        raise Refusal("validation_failed", f"is no valid TOML: {error}", where=where) from None
    except DeclarationError as error:
        raise Refusal("validation_failed", error.message, where=error.where, hint=error.hint) from None


class ManifestReader:
    """Converts the tables of one manifest to values and collects warnings."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.warnings: list[str] = []

    def read_table(self, table: object, kind: type[T], place: str) -> T:
        """Read one table; a key that resembles a known one is refused as a typo, others give a warning."""
        value = convert_table(table, kind, place)
        self.warnings += refuse_typos(table, kind, place) if isinstance(table, dict) else []
        return value

    def iter_tables(self, entries: object, key: str, kind: type[T]) -> Iterator[tuple[T, str]]:
        """Iterate over the tables of one list, each with its place for messages."""
        if not isinstance(entries, list):
            raise DeclarationError(f"`{key}` must be written `[[{key}]]`", where=self.where)
        for number, entry in enumerate(entries, 1):
            place = f"{self.where}: {key} {number}"
            yield self.read_table(entry, kind, place), place


def _read_tables(table: dict[str, Any], where: str) -> DeclaredPackage:
    reader = ManifestReader(where)
    reader.warnings += [f"{where}: unknown table `{key}` is ignored" for key in table if key not in MANIFEST_KEYS]
    head = reader.read_table(table.get("package"), PackageTable, f"{where}: [package]")
    check_package_name(head.name)
    check_version(head.version)
    hooks = [_make_hook(head.name, *one) for one in reader.iter_tables(table.get("hooks", []), "hooks", HookTable)]
    deps = [_make_dep(head.name, *one) for one in reader.iter_tables(table.get("deps", []), "deps", DepTable)]
    deps += [parse_requirement(head.name, text) for text in head.requires]
    asked = reader.iter_tables(table.get("questions", []), "questions", QuestionTable)
    questions = [_make_question(head.name, *one) for one in asked]
    _refuse_duplicates(((hook.event, hook.script_path) for hook in hooks), "hook", where)
    # Before the database does: its primary key would refuse them with a message about SQL.
    _refuse_duplicates(((dep.dep_name,) for dep in deps), "dependency", where)
    _refuse_duplicates(((question.question_id,) for question in questions), "question", where)
    return DeclaredPackage(
        _make_package(head),
        tuple(sorted(hooks, key=lambda hook: (hook.event, hook.priority, hook.script_path))),
        tuple(sorted(deps, key=lambda dep: dep.dep_name)),
        sort_questions(questions),
        _make_variants(head),
        tuple(reader.warnings),
    )


def parse_requirement(package_id: str, text: str) -> Dep:
    """Parse a requirement such as `python3 >= 3.11`: program name, blank, version specifier."""
    name, _, spec = " ".join(text.split()).partition(" ")
    if not name:
        raise Refusal("validation_failed", "`requires` has an empty entry")
    return Dep(package_id=package_id, dep_name=name, dep_type="tool", dep_spec=spec)


def _make_package(head: PackageTable) -> Package:
    same = {name: getattr(head, name) for name in PackageTable.__struct_fields__ if name in Package.__struct_fields__}
    return Package(**{**same, "id": head.name, "tags": ", ".join(head.tags)})


def _make_variants(head: PackageTable) -> tuple[Variant, ...]:
    if not head.variant_of:
        return ()
    return (Variant(logical_id=head.variant_of, agent_profile=head.agent_variant, variant_package_id=head.name),)


def _make_hook(package_id: str, one: HookTable, where: str) -> HookRow:
    check_events((one.event,), where, "event")
    # Every project's rules hold for it: nobody has looked at the package when its matcher is first tried.
    matcher = check_matcher(one.matcher, where, "project")
    script = check_package_path(one.script)
    return HookRow(
        package_id=package_id,
        event=one.event,
        script_path=script,
        matcher=matcher,
        priority=one.priority,
        blocking=one.blocking,
    )


def _make_dep(package_id: str, one: DepTable, where: str) -> Dep:
    if one.install and one.type != "cli":
        raise DeclarationError("`install`: only a `cli` has a command", where=where, hint='write type = "cli"')
    # The command is shown to the user before it runs; a second line could hide below what is shown.
    if "\n" in one.install:
        raise DeclarationError("`install`: a command has one line", where=where)
    return Dep(
        package_id=package_id,
        dep_name=one.name,
        dep_type=one.type,
        dep_spec=one.spec,
        install_cmd=one.install,
        cmd_sha256=hash_text(one.install) if one.install else "",
    )


def _make_question(package_id: str, one: QuestionTable, where: str) -> Question:
    default = str(one.default).lower() if isinstance(one.default, bool) else one.default
    if one.type in CHOICE_TYPES and any("," in choice for choice in one.choices):
        raise DeclarationError("`choices`: a choice holds no comma", where=where)
    if one.type == "choice" and default not in one.choices:
        raise DeclarationError(f"`default`: `{default}` is none of the choices", where=where)
    return Question(
        package_id=package_id,
        question_id=one.id,
        prompt=one.prompt,
        type=one.type,
        default_val=default,
        choices=", ".join(one.choices),
        sort_order=one.order,
    )


def _refuse_duplicates(keys: Iterable[tuple[str, ...]], what: str, where: str) -> None:
    seen: set[tuple[str, ...]] = set()
    for key in keys:
        if key in seen:
            raise Refusal("validation_failed", f"the {what} {' '.join(key)} is there twice", where=where)
        seen.add(key)

"""The rows of a registry: what a package is, with its files, hooks, dependencies, questions and variants."""

from typing import Any, Literal

import msgspec

FileType = Literal["skill", "agent", "command", "script", "hook", "config"]
ContentType = Literal["markdown", "python", "json", "yaml", "text"]
DepType = Literal["tool", "cli", "skill"]
QuestionType = Literal["choice", "multi", "text", "confirm", "auto"]
InstallScope = Literal["any", "local-only"]


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `packages`. Its id is its name; a channel holds one version of it, history the others."""

    id: str
    name: str
    version: str
    description: str = ""
    sha256: str = ""
    """Of all files together, see hashes.aggregate."""
    agent_variant: str = "claude"
    author: str = ""
    license: str = "MIT"
    tags: str = ""
    """Words, comma-separated."""
    min_claude_version: str = ""
    install_scope: InstallScope = "any"
    variables: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    created_at: str = ""
    updated_at: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags, one by one."""
        return split_list(self.tags)


class PackageFile(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `package_files`. The path is relative to the package's folder, the text as the author had it."""

    package_id: str
    dest_path: str
    content: str
    sha256: str
    file_type: FileType = "skill"
    content_type: ContentType = "markdown"
    is_template: bool = False
    fm_name: str | None = None
    fm_description: str | None = None
    fm_version: str | None = None
    fm_model: str | None = None
    frontmatter: dict[str, Any] | None = None


class HookRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `package_hooks`. The script is the dest_path of a file of type hook."""

    package_id: str
    event: str
    script_path: str
    matcher: str = ".*"
    priority: int = 50
    blocking: bool = False


class Dep(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `package_deps`."""

    package_id: str
    dep_name: str
    dep_type: DepType = "tool"
    dep_spec: str = ""
    """A version requirement such as `>= 3.11`."""
    install_cmd: str = ""
    cmd_sha256: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `package_questions`."""

    package_id: str
    question_id: str
    prompt: str
    type: QuestionType = "choice"
    default_val: str = ""
    choices: str = ""
    """Comma-separated."""
    sort_order: int = 0

    @property
    def options(self) -> tuple[str, ...]:
        """The choices, one by one."""
        return split_list(self.choices)


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `package_variants`: the package that stands in for a logical one under some agent."""

    logical_id: str
    agent_profile: str
    variant_package_id: str


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A package with all that belongs to it, as one commit of one channel holds it."""

    package: Package
    files: tuple[PackageFile, ...] = ()
    """By path."""
    hooks: tuple[HookRow, ...] = ()
    """By event, priority, script."""
    deps: tuple[Dep, ...] = ()
    """By name."""
    questions: tuple[Question, ...] = ()
    """By sort_order, then id: the order in which they are asked."""
    variants: tuple[Variant, ...] = ()
    """The logical packages that this one stands in for."""
    channel: str = ""
    commit: str = ""
    """The commit it was read from; "" where the registry has no history."""


class Commit(msgspec.Struct, frozen=True):
    """One entry of a registry's history."""

    hash: str
    author: str
    date: str
    message: str


def split_list(text: str) -> tuple[str, ...]:
    """The words of a comma-separated list, without blanks and empty ones."""
    return tuple(word.strip() for word in text.split(",") if word.strip())

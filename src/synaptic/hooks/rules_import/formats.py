"""The formats that rules are taken from: where their files are, and how they are read together."""

import posixpath
from collections.abc import Callable, Mapping, Sequence

import msgspec

from synaptic.hooks.rules_import.dcg import list_dcg_packs, read_dcg_config, read_dcg_modes, read_dcg_pack
from synaptic.hooks.rules_import.draft import ForeignRules, Leftover, join_foreign_rules
from synaptic.hooks.rules_import.hookify import read_hookify_file
from synaptic.hooks.rules_import.permissions import USER_SETTINGS, read_permissions_file
from synaptic.hooks.rules_import.safety_net import list_rulebooks, read_safety_net_file


class ForeignFile(msgspec.Struct, frozen=True):
    """A file of another tool: what a reader calls it, and what is in it."""

    where: str
    text: str


class ForeignFormat(msgspec.Struct, frozen=True):
    """One format. Patterns of files begin in the project's root, or in the user's home."""

    tool: str
    in_project: tuple[str, ...]
    in_home: tuple[str, ...]
    read: Callable[[Sequence[ForeignFile], bool], ForeignRules]
    """The rules of all files together; whether they are the user's own."""
    list_more: Callable[[ForeignFile], Sequence[str]] = lambda file: ()
    """Patterns of further files that a file names."""


def _read_hookify(files: Sequence[ForeignFile], is_user: bool) -> ForeignRules:
    return join_foreign_rules(read_hookify_file(file.text, file.where) for file in files)


def _read_permissions(files: Sequence[ForeignFile], is_user: bool) -> ForeignRules:
    root = USER_SETTINGS if is_user else ""
    return join_foreign_rules(read_permissions_file(file.text, file.where, root) for file in files)


def _read_safety_net(files: Sequence[ForeignFile], is_user: bool) -> ForeignRules:
    overrides: dict[str, object] = {}
    parts: list[ForeignRules] = []
    books: list[ForeignFile] = []
    for file in files:
        listed = list_rulebooks(file.text, file.where)
        if listed is None:
            books.append(file)
        else:
            overrides |= listed[1]
            parts.append(ForeignRules(leftovers=listed[2]))
    parts += (read_safety_net_file(file.text, file.where, overrides) for file in books)
    return join_foreign_rules(parts)


def _list_rulebook_files(file: ForeignFile) -> list[str]:
    listed = list_rulebooks(file.text, file.where)
    return [f"{name}/rulebook.json" for name in listed[0]] if listed and posixpath.basename(file.where) else []


def _read_dcg(files: Sequence[ForeignFile], is_user: bool) -> ForeignRules:
    configs = [file for file in files if file.where.endswith(".toml")]
    modes: Mapping[str, str] = {name: mode for one in configs for name, mode in read_dcg_modes(one.text).items()}
    packs = (read_dcg_pack(file.text, file.where, modes) for file in files if file not in configs)
    return join_foreign_rules([*(read_dcg_config(file.text, file.where) for file in configs), *packs])


def _list_pack_files(file: ForeignFile) -> list[str]:
    return list_dcg_packs(file.text) if file.where.endswith(".toml") else []


def make_unread_leftover(where: str, why: str) -> ForeignRules:
    """A file that is there and cannot be read."""
    return ForeignRules(leftovers=(Leftover(where, why),))


HOOKIFY_FILES = (".claude/hookify.*.local.md",)
FORMATS = {
    "hookify": ForeignFormat("hookify", HOOKIFY_FILES, HOOKIFY_FILES, _read_hookify),
    "permissions": ForeignFormat(
        "Claude Code's permissions", (".claude/settings.json",), (".claude/settings.json",), _read_permissions
    ),
    "cc-safety-net": ForeignFormat(
        "cc-safety-net",
        (".safety-net.json", ".cc-safety-net/rules/rule.json"),
        (".cc-safety-net/config.json", ".cc-safety-net/rules/rule.json"),
        _read_safety_net,
        _list_rulebook_files,
    ),
    "dcg": ForeignFormat(
        "dcg",
        (".dcg.toml", ".dcg/packs/*.yaml", ".dcg/packs/*.yml"),
        (".config/dcg/config.toml", ".config/dcg/packs/*.yaml", ".config/dcg/packs/*.yml"),
        _read_dcg,
        _list_pack_files,
    ),
}
"""Each format under the word that follows `synaptic import`."""

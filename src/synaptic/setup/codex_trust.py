"""Codex runs an entry only if its config.toml holds an agreement to exactly that entry: found, written, taken out."""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from synaptic.agents.claude_entries import is_ours
from synaptic.agents.wiring import Entries
from synaptic.files.replace import delete, make_folders, read, replace
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import record
from synaptic.setup.record import ProfileMark

AGREE = "type `codex`, then `/hooks`, and agree to the entries of synaptic"
HEAD = "# synaptic: agreed to with `synaptic bootstrap --trust`\n"
Agreements = Mapping[str, str]
"""Key of an entry to the hash of what is agreed to."""


class Standing(msgspec.Struct, frozen=True):
    """Which of our entries Codex runs."""

    agreed: int
    entries: int

    @property
    def trusted(self) -> bool:
        return self.entries > 0 and self.agreed == self.entries


def config_file(hooks: Entries) -> Path:
    return hooks.path.parent / "config.toml"


def standing(hooks: Entries) -> Standing:
    """How many of our entries are agreed to."""
    wanted, known = agreements(hooks), _known(config_file(hooks))
    return Standing(sum(known.get(key) == value for key, value in wanted.items()), len(wanted))


def agreements(hooks: Entries) -> Agreements:
    """Key and hash of every entry of ours, by where it stands in the file."""
    groups = json.loads(read(hooks.path) or b"{}").get("hooks", {})
    return {
        f"{hooks.path}:{_snake(event)}:{number}:{index}": _hash(event, group, hook)
        for event in hooks.wanted.groups
        for number, group in enumerate(groups.get(event, ()))
        for index, hook in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ())
        if is_ours(hook, hooks.wanted.dispatch)
    }


def agree(home: Home, hooks: Entries) -> bool:
    """Write what is missing; whether anything had to change. Raises SettingsError for a file that cannot take it."""
    path = config_file(hooks)
    if standing(hooks).trusted:
        return False
    withdraw(home, path)
    before = read(path)
    text = (before or b"").decode()
    known = _known(path)
    missing = {key: value for key, value in agreements(hooks).items() if known.get(key) != value}
    added = _added(text, missing)
    _prove(path, text, text + added, missing)
    made = make_folders(path.parent)
    record.mark_agreement(home, path, ProfileMark(added, before is None, made))
    replace(path, (text + added).encode())
    return True


def withdraw(home: Home, path: Path) -> bool:
    """Take out what was written here and nothing else; whether anything changed."""
    mark = record.load(home).agreements.get(str(path))
    before = read(path)
    record.mark_agreement(home, path, None)
    if mark is None or before is None:
        return False
    after = _without(before.decode(), mark.text)
    if not after and mark.absent:
        delete(path)
        record.release(home, mark.folders)
    elif after != before.decode():
        replace(path, after.encode())
    return after != before.decode()


def _hash(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """As Codex does it: over the entry with its defaults filled in."""
    handler = {"type": "command", "command": hook["command"], "timeout": hook["timeout"], "async": False}
    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
    identity = {"event_name": _snake(event), "hooks": [handler], **matcher}
    data = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(data.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _known(path: Path) -> dict[str, str]:
    """Key to hash of everything that Codex has an agreement to."""
    state = _config(path).get("hooks", {}).get("state", {})
    return {key: str(one.get("trusted_hash")) for key, one in state.items() if isinstance(one, dict)}


def _config(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((read(path) or b"").decode())
    except ValueError as error:
        raise SettingsError(f"invalid TOML: {error}", where=str(path), hint="correct the file") from error


def _table(key: str, value: str) -> str:
    return f'[hooks.state.{json.dumps(key, ensure_ascii=False)}]\ntrusted_hash = "{value}"\n'


def _added(text: str, missing: Agreements) -> str:
    gap = "\n" if text and not text.endswith("\n") else ""
    return gap + HEAD + "".join(_table(key, value) for key, value in missing.items())


def _prove(path: Path, before: str, after: str, added: Agreements) -> None:
    """The new text says what the old one said, and the agreements; nothing is written otherwise."""
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
        state = new["hooks"]["state"]
        exact = all(state.pop(key) == {"trusted_hash": value} for key, value in added.items())
        same = _trimmed(new) == _trimmed(old)
    except ValueError:
        exact = same = False
    if not exact or not same:
        why = "cannot take an agreement: it has another one for the same entry, or keeps `hooks` on one line"
        raise SettingsError(why, where=str(path), hint=AGREE)


def _trimmed(config: dict[str, Any]) -> dict[str, Any]:
    """Without tables of which nothing is left."""
    hooks = {key: value for key, value in config.get("hooks", {}).items() if key != "state" or value}
    others = {key: value for key, value in config.items() if key != "hooks"}
    return {**others, "hooks": hooks} if hooks else others


def _without(text: str, added: str) -> str:
    """The text without what was added, also when Codex has moved something in between."""
    if added in text:
        before, _, after = text.rpartition(added)
        return before + after
    tables = re.findall(r"\[hooks\.state\.[^\n]*\ntrusted_hash = [^\n]*\n", added)
    for piece in (HEAD, *tables):
        text = text.replace(piece, "", 1)
    return text

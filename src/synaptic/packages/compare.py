"""Compare two states of a package: files, hooks and versions."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from synaptic.packages.rows import Bundle, HookRow

State = Literal["ADDED", "REMOVED", "MODIFIED"]


class FileDifference(msgspec.Struct, frozen=True):
    """A file that was added, removed or modified."""

    path: str
    state: State


class HookDifference(msgspec.Struct, frozen=True):
    """A hook that was added, removed or modified."""

    event: str
    script: str
    state: State
    before: HookRow | None = None
    after: HookRow | None = None


class Comparison(msgspec.Struct, frozen=True):
    """What is different; a side that has no such package has no version."""

    version_before: str | None
    version_after: str | None
    hooks: tuple[HookDifference, ...] = ()
    files: tuple[FileDifference, ...] = ()
    """By path."""

    @property
    def same(self) -> bool:
        return self.version_before == self.version_after and not self.hooks and not self.files


def compare(before: Bundle | None, after: Bundle | None) -> Comparison:
    """Compare two bundles; None stands for a side without the package."""
    return Comparison(
        before.package.version if before else None,
        after.package.version if after else None,
        _hooks(_by_place(before), _by_place(after)),
        _files(_hashes(before), _hashes(after)),
    )


def _hashes(bundle: Bundle | None) -> dict[str, str]:
    return {file.dest_path: file.sha256 for file in bundle.files} if bundle else {}


def _by_place(bundle: Bundle | None) -> dict[tuple[str, str], HookRow]:
    return {(hook.event, hook.script_path): hook for hook in bundle.hooks} if bundle else {}


def _files(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileDifference, ...]:
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    return tuple(FileDifference(path, _state(path in before, path in after)) for path in changed)


def _hooks(
    before: Mapping[tuple[str, str], HookRow], after: Mapping[tuple[str, str], HookRow]
) -> tuple[HookDifference, ...]:
    changed = [place for place in sorted({*before, *after}) if before.get(place) != after.get(place)]
    return tuple(
        HookDifference(*place, _state(place in before, place in after), before.get(place), after.get(place))
        for place in changed
    )


def _state(was: bool, is_now: bool) -> State:
    return "MODIFIED" if was and is_now else "ADDED" if is_now else "REMOVED"

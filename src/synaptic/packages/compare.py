"""Compare two states of a package: files, hooks and versions."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from synaptic.packages.rows import Bundle, HookRow

DifferenceState = Literal["ADDED", "REMOVED", "MODIFIED"]


class FileDifference(msgspec.Struct, frozen=True):
    """A file that was added, removed or modified."""

    path: str
    state: DifferenceState


class HookDifference(msgspec.Struct, frozen=True):
    """A hook that was added, removed or modified."""

    event: str
    script: str
    state: DifferenceState
    before: HookRow | None = None
    after: HookRow | None = None


class BundleComparison(msgspec.Struct, frozen=True):
    """What is different; a side that has no such package has no version."""

    version_before: str | None
    version_after: str | None
    hooks: tuple[HookDifference, ...] = ()
    files: tuple[FileDifference, ...] = ()
    """By path."""

    @property
    def is_same(self) -> bool:
        return self.version_before == self.version_after and not self.hooks and not self.files


def compare_bundles(before: Bundle | None, after: Bundle | None) -> BundleComparison:
    """Compare two bundles; None stands for a side without the package."""
    return BundleComparison(
        before.package.version if before else None,
        after.package.version if after else None,
        _compare_hooks(_index_hooks(before), _index_hooks(after)),
        _compare_files(_collect_hashes(before), _collect_hashes(after)),
    )


def _collect_hashes(bundle: Bundle | None) -> dict[str, str]:
    return {file.dest_path: file.sha256 for file in bundle.files} if bundle else {}


def _index_hooks(bundle: Bundle | None) -> dict[tuple[str, str], HookRow]:
    return {(hook.event, hook.script_path): hook for hook in bundle.hooks} if bundle else {}


def _compare_files(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileDifference, ...]:
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    return tuple(FileDifference(path, _choose_state(path in before, path in after)) for path in changed)


def _compare_hooks(
    before: Mapping[tuple[str, str], HookRow], after: Mapping[tuple[str, str], HookRow]
) -> tuple[HookDifference, ...]:
    changed = [place for place in sorted({*before, *after}) if before.get(place) != after.get(place)]
    return tuple(
        HookDifference(*place, _choose_state(place in before, place in after), before.get(place), after.get(place))
        for place in changed
    )


def _choose_state(was: bool, is_now: bool) -> DifferenceState:
    return "MODIFIED" if was and is_now else "ADDED" if is_now else "REMOVED"

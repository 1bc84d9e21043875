"""The mode of policies: enforced, only advising, only watched. What the verbs do, and what the console asks for."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from synaptic.hooks import edit
from synaptic.hooks.config import is_always_enforced
from synaptic.model.errors import DeclarationError, LayerError
from synaptic.model.hook import Mode
from synaptic.policies.base import load_policies
from synaptic.work.command import Command, CommandContext
from synaptic.work.consent import obtain_yes

MOST_NAMES = 200


class ChangedModes(msgspec.Struct, frozen=True, kw_only=True):
    """What was changed."""

    changed: bool
    file: str
    names: tuple[str, ...]
    mode: Mode


class SetPolicyModes(Command[ChangedModes], frozen=True, kw_only=True):
    """Let built-in policies or presets count, only advise, or only be watched, in the user's own config.toml."""

    method: ClassVar[str] = "policies.setMode"
    people_only: ClassVar[str] = "switch policies"
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    names: tuple[str, ...]
    """Ids of policies, and presets as @name."""
    mode: Mode
    """`enforce`, `advise` or `shadow`."""
    pin: str = ""
    """Where it cannot be seen that a person asks; it is kept nowhere."""

    def run(self, context: CommandContext) -> ChangedModes:
        if not 0 < len(self.names) <= MOST_NAMES:
            raise LayerError("VALIDATION_ERROR", f"`names` takes one name, and {MOST_NAMES} at most")
        path = context.home.config
        edit.check_modes(self.names, self.mode)
        if self.mode != "enforce":  # what is stricter takes nothing from anybody; that no agent asks is known already
            obtain_yes(context, self.pin)
        changed = edit.set_modes(path, self.names, self.mode)
        return ChangedModes(changed=changed, file=str(path), names=self.names, mode=self.mode)


def change_modes(path: Path, root: Path | None, names: Sequence[str], mode: Mode, own: Collection[str]) -> bool:
    """What the verbs do, in a file of the user or of a project. Raises DeclarationError; True when the file changed."""
    if outside := sorted({*names}.intersection(own)):
        raise DeclarationError(f"{outside[0]} is a policy of your own", hint=explain_own_mode(outside[0], mode))
    return edit.set_modes(path, names, mode, root)


def explain_own_mode(name: str, mode: Mode) -> str:
    """How a policy from outside is given a mode: only its own file of settings says so."""
    return f'write `mode = "{mode}"` into [policies."{name}"] of config.toml'


def is_switchable(name: str) -> bool:
    """Whether a verb or a button may give it another mode: built in, and no guard of Synaptic itself."""
    return name in load_policies() and not is_always_enforced(name)

"""Writing the engine's own state."""

import re
from collections.abc import Iterator

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.sane.refuse import refuse_call
from synaptic.shell.paths import Standpoint, is_inside, list_readings

ENGINE_MENTION = re.compile(r"\.claude|\.synaptic|%")
"""A path without any of this names nothing of the engine's."""


class StateEdit(Policy):
    """Writing the engine's own state.

    ## What it does
    Denies edits and shell writes of the JSON files directly in a `.claude` folder, of that folder as a whole, and of
    everything in `~/.synaptic`. Reading them is free.
    ## Why
    The files show state and settings of the gates. They belong to the user, who changes them by commands.
    ## Known gaps
    Programs that are started by name and write there on their own are not seen. The files are views: even a change
    that gets through has no effect on the stored state.
    """

    id = "sane.state-edit"
    events = (PreToolUse,)
    tools = ("Bash", "PowerShell", *sorted(EDITS))
    priority = 21
    preset = "sane"
    needs = ("real_paths", sane.ENFORCEMENT)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        for text, folder in _iter_targets(event, facts):
            if not ENGINE_MENTION.search(folder) and not ENGINE_MENTION.search(text):
                continue
            if any(_is_owned(path, facts) for path in list_readings(text, Standpoint(folder, facts.home))):
                reason = (
                    f"{text!r} belongs to the engine and its user; an agent does not write it. The user changes state "
                    "with prompts such as `s-` and `reset breaker`, or with `synaptic state`."
                )
                return refuse_call(self.id, event, facts, reason)
        return None


def _iter_targets(event: PreToolUse, facts: Facts) -> Iterator[tuple[str, str]]:
    """Every file that the call changes, and the folder that its name is seen from."""
    here = event.cwd or facts.root
    known = facts.command
    if known:
        near = known.has_long_words or ENGINE_MENTION.search(known.words) or ENGINE_MENTION.search(known.folders)
        changes = known.effects.changes if near else ()
        yield from ((one.word.text, one.cwd or here) for one in changes if one.is_named and not runs_elsewhere(one))
    for path in event.tool.paths:
        yield path, here
        if path in facts.real_paths:
            yield facts.real_paths[path], here


def _is_owned(path: str, facts: Facts) -> bool:
    folder, _, name = path.rpartition("/")
    view = folder.endswith("/.claude") and name.endswith(".json")
    return view or name == ".claude" or is_inside(path, (f"{facts.home}/.synaptic",))

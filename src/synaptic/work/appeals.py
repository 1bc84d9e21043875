"""What an agent has to say against a refusal: written down for a person, and nothing else comes of it."""

import time
from typing import ClassVar

import msgspec

from synaptic.model.errors import LayerError
from synaptic.store import refused
from synaptic.store.redact import cut_text
from synaptic.store.refused import PACE, RefusedCall
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.inbox import find_refusals

MOST_WHY = 1000
"""Characters of an appeal; a person reads them between many others."""
FILED = "Filed for a person to read. The refusal stands: do not repeat or rephrase the call, go on with other work."
SETTLED = "A person has looked at this refusal already and upholds it: nothing was filed. Go on with other work."


class FiledAppeal(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an appeal."""

    code: str
    filed: bool
    told: str
    """What the agent should do now."""
    shortened: bool = False
    """Whether only its beginning was kept."""


class FileAppeal(ProjectCommand[FiledAppeal], frozen=True, kw_only=True):
    """Say why a refused call was meant well. Everybody may; a person reads it, and no verdict changes by it."""

    method: ClassVar[str] = "refusal.appeal"

    code: str
    """The handle that the refusal named."""
    why: str
    """The reason, in a few sentences."""

    def run(self, context: CommandContext) -> FiledAppeal:
        why = self.why.strip()
        if not why:
            raise LayerError("VALIDATION_ERROR", "an appeal needs a reason", hint='type: synaptic appeal CODE "why"')
        call = find_refusals(context, self.code)[0]
        if call.answer == "upheld":
            return FiledAppeal(code=call.code, filed=False, told=SETTLED)
        _file(context, call, cut_text(why, MOST_WHY))
        return FiledAppeal(code=call.code, filed=True, told=FILED, shortened=len(why) > MOST_WHY)


def _file(context: CommandContext, call: RefusedCall, why: str) -> None:
    if not refused.appeal_refused(context.require_durable_store(), call.mark, why, time.time()):
        raise LayerError(
            "VALIDATION_ERROR",
            f"too many appeals: one refusal takes another text after {PACE.pause:.0f} s, and all agents together "
            f"file at most {PACE.most} in {PACE.window / 60:.0f} minutes",
            hint="go on with other work; a person reads what is filed",
        )

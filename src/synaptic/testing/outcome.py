"""What the engine said about one event. Each question of a test that is answered by no raises, with the trace."""

from typing import Any

import msgspec

from synaptic.engine.commit import DecidedEvent
from synaptic.model.decision import POLICIES, Decision, Kind


class Outcome(msgspec.Struct, frozen=True):
    """The decision about one event; each method returns it, so that questions can follow one another."""

    event: DecidedEvent

    @property
    def decision(self) -> Decision:
        return self.event.decision

    @property
    def warnings(self) -> tuple[str, ...]:
        """What failed, and what the user is told about it."""
        return self.decision.warnings

    def denied_by(self, policy: str) -> "Outcome":
        return self._decided(Kind.DENY, policy)

    def asked_by(self, policy: str) -> "Outcome":
        return self._decided(Kind.ASK, policy)

    def rewritten_by(self, policy: str) -> "Outcome":
        return self._decided(Kind.REWRITE, policy)

    def allowed_by(self, policy: str) -> "Outcome":
        return self._decided(Kind.ALLOW, policy)

    def advised(self, part: str) -> "Outcome":
        """Something that the model is told holds this text."""
        texts = "\n".join((*self.decision.context, *self.decision.feedback))
        return self._require(part in texts, f"the model is told {texts!r}, without {part!r}")

    def passed(self) -> "Outcome":
        """It goes on as it is, and no hook has failed."""
        goes_on = self.decision.kind.rank < Kind.REWRITE.rank
        self._require(goes_on, "it does not go on as it is")
        return self._require(not self.warnings, f"warnings: {self.warnings}")

    def because(self, part: str) -> "Outcome":
        """The reason holds this text."""
        return self._require(part in self.decision.reason, f"the reason lacks {part!r}")

    def silent(self, policy: str) -> "Outcome":
        """The policy was asked and had nothing to say."""
        steps = [step for step in self.decision.trace if step.hook == policy]
        names = " ".join(step.note for step in self.decision.trace if step.phase == "quiet").split()
        quiet = policy in names or any(step.kind is Kind.NONE and not step.fault for step in steps)
        return self._require(quiet, f"{policy} was not asked, failed, or had something to say")

    def input(self) -> dict[str, Any]:
        """The input of the tool after all rewrites."""
        return dict(self.decision.input or getattr(self.event.call.event, "tool_input", {}))

    def _decided(self, kind: Kind, policy: str) -> "Outcome":
        said = {step.hook for step in self.decision.trace if step.kind is kind}
        is_so = self.decision.kind is kind and policy in said | {self.decision.by}
        return self._require(is_so, f"wanted {kind} by {policy}")

    def _require(self, is_so: bool, problem: str) -> "Outcome":
        if is_so:
            return self
        steps = (one for one in self.decision.trace if one.hook != POLICIES)
        lines = [f"  {one.hook}: {one.kind} {one.reason} {one.note}".rstrip() for one in steps]
        said = f"{self.decision.kind} by {self.decision.by or 'nobody'}: {self.decision.reason}"
        raise AssertionError("\n".join((problem, said, *self.warnings, *lines)))

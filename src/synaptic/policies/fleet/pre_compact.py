"""The context is about to be compacted."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreCompact
from synaptic.model.layers import EndSession, Restart
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.orders import build_resume_prompt

AUTO_TRIGGER = "auto"
COMPACTION_REFUSED = (
    "The context is full: this session has ended, and its supervisor starts a new one that goes on with the effort. "
    "Nothing is compacted."
)


class CompactionRestart(Policy):
    """An effort that goes on with a summary of itself.

    ## What it does
    When the agent would compact by itself and a supervisor (`synaptic run`) watches over it: ends the session, asks the
    supervisor to start the agent again with a prompt that goes on with the effort, and stops the compaction. A
    compaction that the user asked for, and an agent without a supervisor, are left alone.
    ## Why
    A new window that reads the hand-over and the effort's files knows better what to do than a compacted one.
    ## Known gaps
    It saves nothing: it is too late for that. The hand-over is asked for earlier, when the context is nearly full.
    """

    id = "fleet.pre-compact"
    events = (PreCompact,)
    priority = 30
    preset = "fleet"
    needs = ("layers", "agent_name", "supervised")
    recheck = False

    def handle(self, event: PreCompact, facts: Facts) -> HandlerResult:
        effort, session = facts.layers.effort, facts.layers.session
        # Without a supervisor nobody would start the agent again, and the work would simply stop.
        restarts = event.trigger == AUTO_TRIGGER and facts.supervised and not event.agent_id
        if effort is None or effort.finished or not restarts or not facts.agent_name:
            return HandlerResult({"sessionEnded": False, "restartRequested": False, "restartPrompt": None})
        prompt = build_resume_prompt(effort)
        restart = Restart(agent=facts.agent_name, prompt=prompt)
        effects = (EndSession(session=session.id), restart) if session else (restart,)
        answer = {"sessionEnded": session is not None, "restartRequested": True, "restartPrompt": prompt}
        return HandlerResult(answer, deny(COMPACTION_REFUSED, *effects))

    def check(self, event: PreCompact, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

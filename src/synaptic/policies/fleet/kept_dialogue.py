"""What was said in a window, kept as messages."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Event, PreCompact, SessionEnd, Stop, StopFailure
from synaptic.model.layers import Ingest
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result


class KeptDialogue(Policy):
    """A dialogue that is gone with its window.

    ## What it does
    At the end of a turn, of a window, and before a compaction, takes what the transcript says since the last time into
    the session's messages (`synaptic messages`): the words of the user and the model and the tools that were called,
    without secrets, 4,000 letters of each at most, the newest four megabytes at once.
    ## Why
    Whoever goes on with the effort can read what was agreed, also after the context was compacted.
    ## Known gaps
    Only transcripts of one JSON object a line are understood, as Claude Code writes them. Results of tools and the
    dialogue of sub-agents are left out.
    """

    id = "fleet.kept-dialogue"
    events = (Stop, StopFailure, SessionEnd, PreCompact)
    priority = 29
    preset = "fleet"
    needs = ("transcript_news",)
    recheck = False

    def handle(self, event: Event, facts: Facts) -> HandlerResult:
        news = facts.transcript_news
        if news is None or event.agent_id:
            return HandlerResult({"ingested": 0})
        return build_result({"ingested": len(news.messages)}, Ingest(news=news))

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict

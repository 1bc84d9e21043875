"""Which files a session has written."""

from synaptic.model.decision import Verdict, record
from synaptic.model.effect import AppendLine
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import make_record_path, make_session_name
from synaptic.policies.practice.sections import CHANGES, list_changed_paths

MAX_CHANGES = 5000


class Track(Policy):
    """Changes that nobody can list afterwards.

    ## What it does
    Remembers every file that a session writes, and appends its path to `.claude/.session-changes-<session>`.
    ## Why
    Summaries, decision audits and the context after a compaction start from what was really changed.
    ## Known gaps
    Files that a shell command writes are not seen.
    """

    id = "practice.track"
    events = (PostToolUse,)
    tools = ("Write", "Edit")
    priority = 41
    preset = "practice"
    needs = ("target", CHANGES)

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        path = facts.target.path
        if not path or not facts.target.folder or not facts.root:
            return None
        # Each path once, but every edit counts: by the count a summary knows whether something is new.
        new = {} if path in list_changed_paths(facts) else {"files": path}
        return record(
            Change(section=CHANGES, append=new, add={"edits": 1}, keep=MAX_CHANGES),
            AppendLine(make_record_path(facts.root, make_session_name(".session-changes", event.session_id)), path),
        )

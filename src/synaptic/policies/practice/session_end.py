"""Remove a session's own files when it ends."""

from synaptic.model.decision import Verdict, record
from synaptic.model.effect import KeepLines, RemoveFile
from synaptic.model.event import SessionEnd
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice import sections
from synaptic.policies.practice.records import (
    AUDIT_FILE,
    LINT_CACHE_FILE,
    STRIKES_FILE,
    TEST_LAST_RUN,
    TEST_LOCK,
    TEST_OUTPUT,
    make_record_path,
    make_session_name,
)

OWN_FILES = (".session-changes", ".session-decisions", ".prompt-count", ".track")
SHARED_FILES = (
    ".session-changes",
    ".session-decisions",
    LINT_CACHE_FILE,
    TEST_LOCK,
    TEST_LAST_RUN,
    TEST_OUTPUT,
    STRIKES_FILE,
)


class SessionLeftovers(Policy):
    """Files that an ended session leaves in the project.

    ## What it does
    Removes what belonged to this session from `.claude/` and keeps what the next one needs: the audit log (its last
    100 lines), the test status, findings and the lint breaker. Files of other sessions are not touched.
    ## Why
    A folder full of left-overs tells nobody anything.
    ## Known gaps
    A session that is killed never ends; its files stay until somebody removes them, and the next start names them.
    """

    id = "practice.session-end"
    events = (SessionEnd,)
    priority = 85
    preset = "practice"

    audit_lines: int = 100
    """Lines of the audit log that stay."""

    def check(self, event: SessionEnd, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        own = (make_session_name(stem, event.session_id) for stem in OWN_FILES)
        names = dict.fromkeys((*own, *SHARED_FILES))
        return record(
            *(RemoveFile(make_record_path(facts.root, name)) for name in names),
            KeepLines(make_record_path(facts.root, AUDIT_FILE), self.audit_lines),
            Change(section=sections.STRIKES, clear=True),
            Change(section=sections.CHANGES, clear=True),
            Change(section=sections.PROMPTS, clear=True),
        )

"""Source that does not say what it is for."""

from synaptic.model.decision import Kind, Verdict, advise
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.decisions import DECIDED_LINES, has_decision
from synaptic.policies.practice.headers import choose_template, has_header
from synaptic.policies.source_files import count_lines, is_skippable, is_source, is_test, to_project_path

HOOKS_FOLDER = "/.claude/hooks/"


class DocGate(Policy):
    """Source files without a header, and long ones without a decision.

    ## What it does
    A written file must begin with a comment that says something, and from 50 lines on it must carry a decision:
    `@decision DEC-X-001`, `# DECISION: ...` or `// DECISION(DEC-X-001): ...`. Otherwise the write is denied, with a
    header to start from. An edit is only advised, by the file as it was before. Tests are free: by their name
    (`test_a.py`, `a_test.go`, `conftest.py`, `a.spec.ts`) and in folders named `tests`, `test` or `__tests__`.
    ## Why
    The next reader, person or model, has the file and not the conversation.
    ## Known gaps
    Whether the words are true is not checked.
    """

    id = "practice.doc-gate"
    events = (PreToolUse,)
    tools = ("Write", "Edit")
    priority = 33
    preset = "practice"
    is_gate = True
    needs = ("target",)

    decided_lines: int = DECIDED_LINES
    """Lines from which on a file needs a decision."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        if not is_source(path) or is_skippable(path) or is_test(path) or HOOKS_FOLDER in f"/{path}":
            return None
        writes = event.tool_name == "Write"
        text = event.tool.read_text("content") if writes else facts.target.text
        if not text.strip() or not (problem := self._find_problem(path, text)):
            return None
        # Only a write shows the whole new text. An edit is judged by the file before it, which it may be about to
        # repair.
        if writes:
            return Verdict(
                says=Kind.DENY, reason=problem, context=(f"A header to start from:\n{choose_template(path)}",)
            )
        return advise(f"{problem} Add it with this edit or the next one.")

    def _find_problem(self, path: str, text: str) -> str:
        name = path.rpartition("/")[2]
        if not has_header(path, text):
            return f"{name} must begin with a comment that says what the file is for."
        lines = count_lines(text)
        if lines >= self.decided_lines and not has_decision(text):
            return f"{name} has {lines} lines and no decision: say what was decided and why (@decision DEC-AREA-001)."
        return ""

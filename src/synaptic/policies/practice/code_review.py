"""A second look at what was just written."""

from synaptic.model.decision import Verdict, advise
from synaptic.model.event import PostToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.source_files import count_lines, is_guarded, is_test, to_project_path


class CodeReview(Policy):
    """Source that only its author has looked at.

    ## What it does
    After a source file of 20 lines or more was written, names it with its length and the first lines of its
    difference, and suggests a review by another model. It never blocks.
    ## Why
    Another pair of eyes finds what the author cannot see, and finds it cheaply while the change is small.
    ## Known gaps
    The difference is against the last commit, so it may show earlier changes first. Without git it is left out.
    """

    id = "practice.code-review"
    events = (PostToolUse,)
    tools = ("Write", "Edit")
    priority = 61
    preset = "practice"
    needs = ("target", "diff")

    least_lines: int = 20
    """Lines from which on a review is suggested."""

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        if not is_guarded(path) or is_test(path) or not facts.target.exists:
            return None
        lines = count_lines(facts.target.text)
        if lines < self.least_lines:
            return None
        shown = "\n".join(("", *facts.diff)) if facts.diff else ""
        return advise(f"{path} now has {lines} lines. Consider a review by another model before you go on.{shown}")

"""Files that grow beyond what anybody reads."""

from typing import Annotated

from synaptic.model import sane
from synaptic.model.decision import Verdict, advise
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS, PATCH
from synaptic.policies.base import LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.edit import count_lines, project_text
from synaptic.policies.sane.refuse import refuse_call

MARKDOWN_SUFFIXES = (".md", ".mdx", ".markdown")


class OversizedFile(Policy):
    """Files that grow beyond what anybody reads.

    ## What it does
    Looks at the size a file will have after the edit: warns above `warning` lines and denies above `limit` lines
    (`markdown_limit` for Markdown). An edit that makes a large file smaller passes.
    ## Why
    A file of a thousand lines is where the next mistake hides.
    ## Known gaps
    Of a notebook only the new cell is measured. Binary files, files of more than 1 MiB, and files that shell
    commands write, are not measured.
    """

    id = "sane.oversized-file"
    events = (PreToolUse,)
    tools = tuple(sorted(EDITS - {PATCH}))  # of a patch, each file is measured by itself
    priority = 27
    preset = "sane"
    is_gate = True
    needs = ("target", sane.ENFORCEMENT)

    warning: Annotated[int, LOWER] = 500
    """Lines above which the agent is warned."""
    limit: Annotated[int, LOWER] = 800
    """Lines above which the edit is denied."""
    markdown_limit: Annotated[int, LOWER] = 1500
    """The limit for Markdown, which is not warned about."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if self._stays_small(event, facts):
            return None
        after = project_text(event.tool, facts.target.text if facts.target.exists else None)
        if after is None:
            return None
        size, before = count_lines(after), count_lines(facts.target.text)
        path = next(iter(event.tool.paths), "the file")
        markdown = path.endswith(MARKDOWN_SUFFIXES)
        limit = self.markdown_limit if markdown else self.limit
        # Shrinking a file that is already too large must stay possible, step by step.
        if size > limit and not size < before:
            reason = f"{path} would have {size} lines, more than {limit}. Split it by subject, then edit the parts."
            return refuse_call(self.id, event, facts, reason)
        if size > self.warning and not markdown:
            return advise(f"{path} has {size} lines after this edit, more than {self.warning}. Think of splitting it.")
        return None

    def _stays_small(self, event: PreToolUse, facts: Facts) -> bool:
        """Whether one replacement cannot make it large: most edits are, and need not be carried out to know."""
        given = event.tool_input
        if event.tool_name != "Edit" or "edits" in given or given.get("replace_all"):
            return False
        most = count_lines(facts.target.text) + count_lines(event.tool.read_text("new_string"))
        return most < min(self.warning, self.limit, self.markdown_limit)

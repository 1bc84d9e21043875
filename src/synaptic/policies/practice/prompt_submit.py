"""Add the project's state to prompts that are about it."""

import re

from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect, RemoveFile, WriteFile
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import (
    format_git_line,
    format_main_warning,
    format_plan_line,
    is_on_protected,
    list_findings,
)
from synaptic.policies.practice.records import FINDINGS_FILE as FINDINGS_FILE
from synaptic.policies.practice.records import make_record_path, make_session_name
from synaptic.policies.practice.sections import FINDINGS, PROMPTS

ABOUT_PLAN = re.compile(r"\b(?:plan\w*|implement\w*|phases?|status|progress|demo)\b", re.IGNORECASE)
ABOUT_GIT = re.compile(r"\b(?:merg(?:e|ed|ing)|commit(?:s|ted|ting)?|push(?:ed|ing)?|prs?|pull requests?)\b", re.I)
TASK_VERBS = re.compile(
    r"\b(?:add|build|create|implement|refactor|fix|update|change|remove|write|test|migrate|rename|move|deploy)\b", re.I
)
WIDE_SCOPE = re.compile(r"\b(?:everything|all of|entire|comprehensive|complete overhaul)\b", re.IGNORECASE)


class PromptSubmit(Policy):
    """A prompt that meets a model without the facts it is about.

    ## What it does
    The first prompt of a session brings branch and plan. Later ones bring the plan when they speak of planning, the
    branch when they speak of commits, advice when they ask for very much at once, and, once, what the checks of
    sub-agents have found.
    ## Why
    The model should not have to guess what a command would tell it.
    ## Known gaps
    Keywords are English.
    """

    id = "practice.prompt-submit"
    events = (UserPromptSubmit,)
    priority = 60
    preset = "practice"
    needs = ("git", "dirty", "plan", PROMPTS, FINDINGS)

    many_words: int = 40
    """Words beyond which a prompt with several verbs is called a large task."""

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if not event.prompt.strip() or not facts.root:
            return None
        first = facts.state.read_number(PROMPTS, "count") == 0
        lines = [
            *_list_finding_lines(facts),
            *_list_state_lines(event.prompt, first, facts),
            *self._list_advice(event.prompt),
        ]
        context = ("\n".join(lines),) if lines else ()
        return Verdict(context=context, effects=(*_count_prompt(event, first, facts), *_clear_findings(facts)))

    def _list_advice(self, prompt: str) -> list[str]:
        if len(prompt.split()) > self.many_words and len(TASK_VERBS.findall(prompt)) > 2:
            return ["This is a large task: split it into steps, plan them first, and finish one before the next."]
        if WIDE_SCOPE.search(prompt):
            return ["The scope is wide: say what is part of it and what is not before you begin."]
        return []


def _list_state_lines(prompt: str, first: bool, facts: Facts) -> list[str]:
    lines = []
    about_git = ABOUT_GIT.search(prompt) is not None
    if facts.git.is_known and (first or about_git):
        lines.append(format_git_line(facts))
        if about_git and is_on_protected(facts.git):
            lines.append(format_main_warning(facts))
    if first or ABOUT_PLAN.search(prompt):
        lines.append(format_plan_line(facts))
    return lines


def _list_finding_lines(facts: Facts) -> list[str]:
    items = list_findings(facts)
    return ["Findings of the last sub-agents:", *(f"  {item}" for item in items)] if items else []


def _count_prompt(event: UserPromptSubmit, first: bool, facts: Facts) -> tuple[Effect, ...]:
    change = Change(section=PROMPTS, add={"count": 1})
    if not first:
        return (change,)
    return (
        change,
        WriteFile(make_record_path(facts.root, make_session_name(".prompt-count", event.session_id)), "1\n"),
    )


def _clear_findings(facts: Facts) -> tuple[Effect, ...]:
    if not list_findings(facts):
        return ()
    return (Change(section=FINDINGS, clear=True), RemoveFile(make_record_path(facts.root, FINDINGS_FILE)))

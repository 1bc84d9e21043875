"""A plan in front of the user: what will be written, registered and executed, and whether they agree."""

import sys
from collections.abc import Iterable, Sequence

from synaptic.cli import progress, screen, typer
from synaptic.model.refusal import Refusal
from synaptic.packages.answers import QuestionAnswer, parse_answer
from synaptic.packages.plan import HookLine, PlanSummary
from synaptic.packages.rows import Question

MAX_SHOWN_FILES = 30
CHANGE_MARKS = {"new": "+", "changed": "~", "same": " ", "removed": "-", "modified": "!", "obsolete": "-", "kept": "!"}


def print_plans(plans: Iterable[PlanSummary]) -> None:
    """Print the plan of every package: hooks first, because they are what runs."""
    for plan in plans:
        was = f"{plan.was} -> " if plan.was and plan.was != plan.version else ""
        channel = f" from channel {plan.channel}" if plan.channel else ""
        screen.say(f"{plan.action} {plan.package} {was}{plan.version}{channel}, {plan.scope}: {plan.root}")
        _print_hooks(plan.hooks)
        for one in plan.tools:
            screen.say_under("  needs    ", f"{one.name} {one.spec}".rstrip())
        for one in plan.commands:
            screen.say_under("  EXECUTES ", f"{one.command}   (brings {one.name})")
        _print_files(plan)
        for warning in plan.warnings:
            screen.say_under("  warning  ", warning)


def confirm_plan(yes: bool, question: str = "Go on?") -> bool:
    """Ask the user to agree. Raises Refusal without a terminal, where nobody can be asked."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise Refusal("confirmation_required", "nobody can be asked here, and nothing was written", hint="add --yes")
    # On stderr: stdout may be a JSON document that a script reads.
    return typer.confirm(question, default=False, err=True)


def ask_question(question: Question, default: QuestionAnswer) -> QuestionAnswer:
    """Ask one question of a package; without a terminal take its default."""
    if not sys.stdin.isatty():
        return default
    choices = f" ({', '.join(question.options)})" if question.options else ""
    shown = screen.clean_text(", ".join(default) if isinstance(default, list) else str(default).lower())
    asked = screen.fit_text(f"{question.prompt}{choices} [{shown}]:", sys.stderr)
    # Held until the answer is one, what is said about a wrong one included: else progress would be written before it.
    with progress.hold_progress():
        while True:
            text = typer.prompt(asked, default=shown, show_default=False, prompt_suffix=" ", err=True)
            try:
                return parse_answer(question, text)
            except Refusal as refusal:
                screen.warn(str(refusal))


def describe_effect(hook: HookLine) -> str:
    """Describe what a hook can do."""
    before = hook.event.startswith("Pre")
    if not hook.blocking:
        return "is started and not waited for"
    return "may allow, block or change it" if before else "is waited for and may answer"


def _print_hooks(hooks: Sequence[HookLine]) -> None:
    for hook in hooks:
        note = f"   [{hook.note}]" if hook.note else ""
        when = f"priority {hook.priority} {'blocking' if hook.blocking else 'not blocking'}"
        screen.say_under(f" {CHANGE_MARKS[hook.change]} hook     ", f"{hook.event} {hook.matcher} {when}{note}")
        screen.say_under(" " * 12, f"{hook.script}: {describe_effect(hook)}")


def _print_files(plan: PlanSummary) -> None:
    for line in plan.files[:MAX_SHOWN_FILES]:
        preview = f"   {line.preview}" if line.preview and line.state != "same" else ""
        screen.say_under(f" {CHANGE_MARKS[line.state]} file     ", f"{line.path}{preview}")
    if len(plan.files) > MAX_SHOWN_FILES:
        screen.say_under("   ", f"and {len(plan.files) - MAX_SHOWN_FILES} files more (--json shows them all)")

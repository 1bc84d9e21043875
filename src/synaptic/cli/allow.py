"""`synaptic allow`: an exception to a refusal, made by a person."""

import re
from datetime import datetime
from typing import Annotated

import msgspec

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.by_daemon import ask_daemon_for, is_pin_needed, type_pin
from synaptic.cli.carry_out import carry_out
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.grant import Grant, GrantScope
from synaptic.model.text import join_lines
from synaptic.pipeline.lifting import is_shown_whole
from synaptic.work.coverage import LikePreview, PastCalls
from synaptic.work.grants import LASTING, AllowCall, Allowed, LikeQuestion, PreviewCall

app = make_verb_app()
EXAMPLES = """
synaptic allow k7qmd                  this very call, once, within the hour
synaptic allow 42 --session          the call of event 42, in its session
synaptic allow k7qmd --for 2h --because 'moving the release branch'
synaptic allow k7qmd --here --like 'git push --force-with-lease origin feature/*'
"""
DURATION = re.compile(r"(\d{1,6})([smhd])")
UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PIN_LABEL = "PIN"


@app.command(epilog=format_examples(EXAMPLES))
def allow(
    refusal: Annotated[
        str,
        typer.Argument(
            metavar="CODE|EVENT",
            help="The code that the refusal shows, or the number of its event.",
            autocompletion=suggestions.complete_refusals,
        ),
    ],
    once: Annotated[
        bool, typer.Option("--once", help="One call, within the hour; so it is without an option.")
    ] = False,
    session: Annotated[bool, typer.Option("--session", help="Calls of the same session.")] = False,
    lasts: Annotated[str, typer.Option("--for", metavar="TIME", help="For a time: 30m, 2h, 1d.")] = "",
    here: Annotated[bool, typer.Option("--here", help="In this project, until you take it back.")] = False,
    always: Annotated[bool, typer.Option("--always", help="Everywhere, until you take it back.")] = False,
    like: Annotated[
        str, typer.Option("--like", metavar="PATTERN", help="Calls like it: a command or a path with `*` in it.")
    ] = "",
    because: Annotated[str, typer.Option("--because", metavar="TEXT", help="Why; it is kept.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing before it.")] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Ask for the PIN, which is typed unseen.")] = False,
    as_json: Json = False,
) -> None:
    """Let a refused call through what refused it: one policy's word about one call, and every other policy judges on.

    Only for people: an agent is refused, in whatever way it asks.
    """
    scope = _choose_scope(once=once, session=session, until=bool(lasts), here=here, always=always)
    wanted = AllowCall(
        refusal=refusal, scope=scope, seconds=_read_duration(lasts), like=like, because=because,
        pin=type_pin(PIN_LABEL) if pin else "",
    )  # fmt: skip
    if not yes or like or scope in LASTING:
        wanted = msgspec.structs.replace(wanted, refusal=_confirm(wanted, yes))
    allowed = _send(wanted)
    if as_json:
        screen.print_json({"ok": True, **msgspec.to_builtins(allowed)})
    else:
        _tell(allowed)


def _choose_scope(**given: bool) -> GrantScope:
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise typer.BadParameter("give one of --once, --session, --for, --here, --always")
    scope: GrantScope = msgspec.convert(named[0] if named else "once", GrantScope)
    return scope


def _read_duration(text: str) -> float:
    if not text:
        return 0.0
    found = DURATION.fullmatch(text.strip())
    if not found:
        raise typer.BadParameter(f"--for: `{text}` is no time: 90s, 30m, 2h or 1d")
    return float(int(found[1]) * UNIT_SECONDS[found[2]])


def _send(wanted: AllowCall) -> Allowed:
    """To the daemon, which looks at who asks; where it cannot tell, once more with the PIN."""
    try:
        return ask_daemon_for(wanted, Allowed)
    except LayerError as error:
        if wanted.pin or not is_pin_needed(error):
            raise
        screen.note(error.message)
    return ask_daemon_for(msgspec.structs.replace(wanted, pin=type_pin(PIN_LABEL)), Allowed)


def _confirm(wanted: AllowCall, is_agreed: bool) -> str:
    """Show what an exception would cover and ask. What names the refusal that was shown, so that no other is meant."""
    question = carry_out(PreviewCall(refusal=wanted.refusal, like=wanted.like))
    is_lasting = wanted.scope in LASTING
    must_ask = question.preview is not None or (question.has_stakes and is_lasting) or not _is_seen_whole(question)
    if is_agreed or not must_ask:
        return question.mark
    if not screen.is_dialogue():
        raise SynapticError("nobody can be asked here", hint="look at it first, then type it with --yes")
    _show_question(question, is_lasting=is_lasting)
    if not typer.confirm("Allow this?", default=False):
        raise typer.Exit(1)
    return question.mark


def _is_seen_whole(question: LikeQuestion) -> bool:
    return question.preview is not None or is_shown_whole(question.shown)


def _show_question(question: LikeQuestion, *, is_lasting: bool) -> None:
    screen.say(f"refused by {', '.join(question.policies)}:")
    screen.say_under("  ", join_lines(question.shown))
    if question.preview is not None:
        _show_preview(question.preview)
    if not _is_seen_whole(question):
        screen.say_exactly(f"only its beginning is shown; all of it: synaptic explain {question.code} --json")
    if question.has_stakes and is_lasting:
        screen.say("only this time was it checked what would be lost; later calls pass without that check")


def _show_preview(preview: LikePreview) -> None:
    screen.say_under("like  ", f"`{preview.like}`")
    screen.say_under("      ", preview.words)
    _show_past("refused lately, and covered", preview.covered)
    _show_past("refused lately by the same, and not covered", preview.missed)
    _show_past("let through anyway, and covered", preview.others)


def _show_past(title: str, past: PastCalls) -> None:
    screen.say(f"{title}: {past.count or 'none'}")
    for example in past.examples:
        screen.say_exactly(f"  {screen.cut_line(example, 2)}")


def _tell(allowed: Allowed) -> None:
    grant = allowed.grants[0]
    screen.say(f"allowed {describe_scope(grant)}:")
    covered = f"like `{grant.like}`" if grant.like else screen.clean_text(join_lines(allowed.shown) or "the call")
    screen.say_under("  ", covered)
    names = ", ".join(one.policy for one in allowed.grants)
    screen.say(f"{names} will let it through; every other policy still judges it")
    screen.say(f"for any agent of yours {describe_where(grant, allowed.root or allowed.cwd)}")
    if grant.scope in ("once", "session") and allowed.agent:
        screen.say(f"{allowed.agent} has to make the call again")
    if allowed.suggestion:
        screen.say("for calls like it, which were refused as well:")
        screen.say_exactly(f"  synaptic allow {allowed.code} --here --like '{allowed.suggestion}'")
    for one in allowed.grants:
        screen.say_exactly(f"take it back: synaptic grants revoke {one.id}")


def describe_scope(grant: Grant) -> str:
    """For how long an exception counts."""
    end = datetime.fromtimestamp(grant.expires).strftime("%Y-%m-%d %H:%M") if grant.expires else ""
    words = {
        "once": "once",
        "session": "in this session",
        "until": "for a time",
        "here": "in this project, until you take it back",
        "always": "always, until you take it back",
    }
    return words[grant.scope] + (f", until {end}" if end else "")


def describe_where(grant: Grant, place: str) -> str:
    """Where an exception counts: one for a very call is bound to the folder that it was made in."""
    if grant.like:
        return f"in {grant.root}" if grant.root else "in every project"
    return f"that makes this very call in {place}"

"""The inbox on a page of its own, and what is said to a refusal wherever it is shown."""

import time
from contextlib import suppress
from typing import Any, Literal, cast, get_args
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.model.errors import LayerError, StoreError, SynapticError
from synaptic.model.grant import GrantScope
from synaptic.store.refused import RefusedCall, find_by_mark, is_undecided
from synaptic.web.acting import act
from synaptic.web.board import MOST_WAITING
from synaptic.web.page import get_console, render_page
from synaptic.web.pages.now import make_page
from synaptic.web.refusals import Outcome, make_refusal_row
from synaptic.work.consent import PIN_NEEDED, PIN_WRONG
from synaptic.work.event_words import show_line, show_text
from synaptic.work.grants import AllowCall, PreviewCall
from synaptic.work.inbox import UpholdRefusal

Act = Literal["once", "here", "always", "uphold"]
ACTS: tuple[Act, ...] = get_args(Act)
ASKED_FIRST: tuple[Act, ...] = ("here", "always")
"""They let later calls through, too: what they cover is shown before."""
PIN_WORDS = (PIN_NEEDED, PIN_WRONG, "PIN_WAIT")
"""After these the PIN may be typed once more."""
OPTION_HINT = " (type it with --pin)"
"""For a command line; here is a field."""
DONE_WORDS: dict[Act, str] = {
    "once": "allowed once",
    "here": "allowed in this project, until you take it back",
    "always": "allowed everywhere, until you take it back",
    "uphold": "upheld: it was right to refuse",
}
GONE = "this refusal is not kept any more: let the agent try it again"


def show_inbox(request: Request) -> Response:
    """All refusals that nobody has answered."""
    now = time.time()
    page = make_page(get_console(request).board.look(again=True), int(now * 1000), MOST_WAITING)
    return render_page(request, "inbox.html", page="now", now=page, most=MOST_WAITING)


async def answer_refusal(request: Request) -> Response:
    """What somebody says to one refusal; the answer is its row, with what came of it."""
    form = {name: values[-1] for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
    return await run_in_threadpool(_answer, request, form)


def _answer(request: Request, form: dict[str, str]) -> Response:
    console, mark, wanted = get_console(request), form.get("mark", ""), form.get("act", "")
    try:
        call = find_by_mark(console.reader, mark)
        held = call is not None and call.subject.asks and is_undecided(console.reader, call.call)
    except StoreError as error:
        return _tell_gone(request, mark, f"nothing was done: {_describe_error(error)}")
    if call is None:
        return _tell_gone(request, mark, GONE)
    outcome = carry_out(request, call, wanted, form) if wanted in ACTS else None
    if outcome and outcome.tone == "good" and held:
        outcome = _tell_held(outcome, wanted == "uphold")
    with suppress(StoreError):  # what was done is told all the same
        call = find_by_mark(console.reader, mark) or call
    row = make_refusal_row(call, is_held=held and not (outcome and outcome.words), outcome=outcome)
    return render_page(request, "parts/refusal.html", one=row)


def _tell_gone(request: Request, mark: str, words: str) -> Response:
    return render_page(request, "parts/refusal_gone.html", words=words, mark=mark if mark.isalnum() else "")


def carry_out(request: Request, call: RefusedCall, wanted: Act, form: dict[str, str]) -> Outcome:
    """What comes of an act: it is done, something is asked first, or why it cannot be."""
    pin = form.get("pin", "")
    try:
        if wanted in ASKED_FIRST and "sure" not in form:
            return _ask_first(request, call, wanted)
        if wanted == "uphold":
            act(request, UpholdRefusal(code=call.code, mark=call.mark, pin=pin))
            return Outcome(words=DONE_WORDS[wanted], tone="good")
        done = act(request, AllowCall(refusal=call.mark, scope=cast(GrantScope, wanted), pin=pin))
        return _tell_allowed(wanted, done)
    except LayerError as error:
        if error.code in PIN_WORDS:
            words = "" if error.code == PIN_NEEDED else _describe_error(error)
            why = error.message.removesuffix(OPTION_HINT) if error.code == PIN_NEEDED else ""
            return Outcome(words=words or show_line(why), tone="deny" if words else "plain", asks="pin", act=wanted)
        return Outcome(words=_describe_error(error), tone="deny")
    except SynapticError as error:
        return Outcome(words=_describe_error(error), tone="deny")


def _ask_first(request: Request, call: RefusedCall, wanted: Act) -> Outcome:
    """What an exception that lasts would cover, as the daemon says it."""
    found: dict[str, Any] = act(request, PreviewCall(refusal=call.mark))
    place = found.get("root") if wanted == "here" else "every project"
    covers = [
        ("lifts", f"what {', '.join(found.get('policies', ()))} says; every other policy still judges it"),
        ("for", "exactly this call, of any agent of yours"),
        ("the call", str(found.get("shown", ""))),
        ("made in", str(found.get("cwd", ""))),
        ("counts in", str(place or "no project: it cannot be allowed here")),
        ("until", "you take it back: synaptic grants list"),
    ]
    if found.get("has_stakes"):
        covers.append(("mind", "only this time was it checked what would be lost; later calls pass without that check"))
    return Outcome(asks="confirm", act=wanted, covers=tuple((name, show_text(text)) for name, text in covers))


def _tell_allowed(wanted: Act, done: dict[str, Any]) -> Outcome:
    code, like = show_line(str(done.get("code", ""))), str(done.get("suggestion", ""))
    later = (
        f"take it back: synaptic grants revoke {show_line(str(one.get('id', '')))}" for one in done.get("grants", ())
    )
    alike = (f"for calls like it: synaptic allow {code} --here --like '{show_line(like)}'",) if like else ()
    words = DONE_WORDS[wanted]
    if wanted == "once":
        words = f"{words}: {show_line(str(done.get('agent', ''))) or 'the agent'} has to make the call again"
    return Outcome(words=words, tone="good", later=(*alike, *later))


def _tell_held(outcome: Outcome, is_upheld: bool) -> Outcome:
    """The call itself was waiting: nobody has to make it again."""
    words = "upheld: the call that waited is refused" if is_upheld else "allowed: the call that waited goes on"
    return Outcome(words=words, tone=outcome.tone, later=outcome.later)


def _describe_error(error: SynapticError) -> str:
    hint = f" ({error.hint})" if error.hint and error.hint not in error.message else ""
    return show_line(f"{error.message}{hint}")


ROUTES = [Route("/inbox", show_inbox), Route("/inbox/answer", answer_refusal, methods=["POST"])]

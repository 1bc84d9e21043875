"""`synaptic inbox --hub`: questions of all machines, and a person's signed answer to one of them."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from synaptic.agents.shared.lineage import require_person
from synaptic.cli import screen, typer
from synaptic.cli.by_daemon import ask_daemon_for, is_pin_needed, type_pin
from synaptic.cli.cells import clean_line
from synaptic.cli.inbox_view import describe_age
from synaptic.cli.place import find_place
from synaptic.hub.client import read_access
from synaptic.hub.questions.person import check_words, read_person_key, remember_host
from synaptic.hub.questions.reader import AskedQuestion, HubReader
from synaptic.hub.questions.seal import sign_answer
from synaptic.hub.wire import AnswerText
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8
from synaptic.work.elsewhere import GiveWord, PersonsWord

DURATION = re.compile(r"(\d{1,6})([smhd])")
UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
USUAL_SECONDS = 3600.0
MOST_BECAUSE = 500
MOST_SHOWN = 2000
PIN_LABEL = "PIN"
SAID = {
    "once": "this very call, once",
    "session": "this very call, in its session",
    "here": "this very call, in that project",
    "no": "no",
}
NEVER_SEEN = "This machine was never seen from here. That these are its words, you believe the hub; it signs with"


class Wish(msgspec.Struct, frozen=True):
    """What a person wants to answer."""

    code: str
    says: str
    lasts: str
    because: str
    host: str


def show_questions(as_json: bool) -> None:
    """All of them, those first whose call waits now."""
    home = find_place().home
    require_person(home, "read the questions of other machines")
    with HubReader(read_access(home, os.environ)) as reader:
        rows = [_look_at_words(home, reader.url, one) for one in reader.list_questions()]
    if as_json:
        told = [{**msgspec.to_builtins(one), "doubt": doubt or None} for one, doubt in rows]
        screen.print_json({"ok": True, "hub": reader.url, "questions": told})
        return
    if not rows:
        screen.say("Nothing waits for an answer on any machine.")
        return
    for one, doubt in rows:
        for line in _iter_lines(one, doubt):
            print(line)
    screen.say()
    screen.say("Answer: synaptic inbox allow CODE --hub, synaptic inbox uphold CODE --hub")


def answer_question(wish: Wish, *, is_agreed: bool, wants_pin: bool, as_json: bool) -> None:
    """Show what it is, let a person say so, sign it, send it. Raises SynapticError."""
    home, seconds = find_place().home, _read_duration(wish.lasts)
    person = read_person_key(home)
    with HubReader(read_access(home, os.environ)) as reader:
        asked = _find(reader.list_questions(), wish)
        is_known = check_words(home, reader.url, asked.host, asked.question)
        _require_use(asked, wish)
        if not as_json:
            _show(asked, is_known)
        _confirm(is_agreed, "Uphold it?" if wish.says == "no" else "Allow this?")
        _give_word(type_pin(PIN_LABEL) if wants_pin else "")
        answer = _make_answer(asked, wish, person.name, seconds)
        reader.post_answer(*sign_answer(answer, person.key))
        if not is_known:
            _remember(home, reader.url, asked)
    _tell(answer, as_json)


def _find(found: Sequence[AskedQuestion], wish: Wish) -> AskedQuestion:
    name = wish.code.strip().lower()
    named = [one for one in found if name and name in (one.question.code, one.question.mark)]
    named = [one for one in named if wish.host in ("", one.host)]
    if not named:
        raise SynapticError(f"no machine asks about `{screen.clean_text(name[:40])}`", hint="synaptic inbox --hub")
    if len({one.host for one in named}) > 1:
        hosts = ", ".join(clean_line(one.host) for one in named)
        raise SynapticError(f"several machines have this code: {hosts}", hint="name one with --host")
    if len(named) > 1:
        marks = ", ".join(clean_line(one.question.mark) for one in named)
        raise SynapticError("two questions have this code", hint=f"give one of these instead: {marks}")
    return named[0]


def _require_use(asked: AskedQuestion, wish: Wish) -> None:
    """What that machine will not take need not be signed."""
    policies = clean_line(", ".join(asked.question.policies))
    if wish.says != "no" and not asked.question.is_grantable:
        hint = "`[hub] grants` in its own config names what can be allowed from outside"
        raise SynapticError(f"{clean_line(asked.host)} lets nobody at the hub lift {policies}", hint=hint)
    if wish.says == "session" and not asked.question.session:
        raise SynapticError(f"{clean_line(asked.question.agent)} names no session of its own", hint="--once")
    if wish.says == "here" and not asked.question.project:
        raise SynapticError("the call was made in no project", hint="--once, or --session")


def _show(asked: AskedQuestion, is_known: bool) -> None:
    for line in _iter_lines(asked, ""):
        print(line)
    question = asked.question
    for line in (question.reason or "").splitlines():
        screen.say_under("    ", clean_line(line))
    if not question.shown:
        screen.say("That machine sends no contents: what exactly is tried cannot be seen from here.")
    if question.has_stakes:
        screen.say("What would be lost was looked at there; a yes for more than once lets pass whatever is lost then.")
    if not is_known:
        screen.say(f"{NEVER_SEEN} {question.key}")


def _confirm(is_agreed: bool, text: str) -> None:
    if is_agreed:
        return
    if not screen.is_dialogue():
        raise SynapticError("nobody can be asked here", hint="look at it first, then type it with --yes")
    if not typer.confirm(text, default=False):
        raise typer.Exit(1)


def _give_word(pin: str) -> None:
    """The daemon of this machine looks at who asks, as for an exception here."""
    try:
        ask_daemon_for(GiveWord(pin=pin), PersonsWord)
    except LayerError as error:
        if pin or not is_pin_needed(error):
            raise
        screen.note(error.message)
        ask_daemon_for(GiveWord(pin=type_pin(PIN_LABEL)), PersonsWord)


def _remember(home: Home, hub: str, asked: AskedQuestion) -> None:
    """The answer is sent by now: what cannot be remembered is only told."""
    try:
        remember_host(home, hub, asked.host, asked.question.key)
    except SynapticError as error:
        screen.warn(f"the key of {clean_line(asked.host)} was not remembered: {error}")


def _make_answer(asked: AskedQuestion, wish: Wish, person: str, seconds: float) -> AnswerText:
    now = time.time()
    return AnswerText(
        host=asked.host, mark=asked.question.mark, acts=asked.question.acts, says=wish.says, person=person, at=now,
        expires=now + seconds, because=to_utf8(wish.because.strip()[:MOST_BECAUSE]),
        session=asked.question.session if wish.says == "session" else "",
    )  # fmt: skip


def _tell(answer: AnswerText, as_json: bool) -> None:
    if as_json:
        screen.print_json({"ok": True, "host": answer.host, "says": answer.says, "expires": answer.expires})
        return
    until = datetime.fromtimestamp(answer.expires).strftime("%Y-%m-%d %H:%M")
    screen.say(f"signed and sent to {clean_line(answer.host)}: {SAID[answer.says]}, until {until} at the latest")
    screen.say("that machine looks at it by its own rules: synaptic inbox --hub shows whether it still asks")


def _look_at_words(home: Home, hub: str, asked: AskedQuestion) -> tuple[AskedQuestion, str]:
    """The question, and what makes its words doubtful; words that its machine has not signed are not shown."""
    try:
        is_known = check_words(home, hub, asked.host, asked.question)
    except SynapticError as error:
        question = msgspec.structs.replace(asked.question, shown="", reason="", tool="", is_grantable=False)
        return msgspec.structs.replace(asked, question=question), f"not its machine's words: {error.message}"
    return asked, "" if is_known else "a machine that was never seen from here"


def _iter_lines(asked: AskedQuestion, doubt: str) -> Iterator[str]:
    question = asked.question
    state = "waits now" if question.is_held else describe_age(question.at)
    closed = "" if question.is_grantable else " (not to be lifted from the hub)"
    told = question.shown or f"a call of {question.tool or 'a tool'}"
    where = f"{asked.host}, {question.project or 'no project'}, {question.agent}: {state}"
    yield f"  {_clean(question.code)} {_clean(told)}"
    yield f"       {_clean(where)}"
    yield f"       {_clean(', '.join(question.policies))}{closed}"
    if asked.says:
        yield f"       {_clean(f'{asked.person} has answered `{asked.says}`, and that machine still asks')}"
    if doubt:
        yield f"       {_clean(doubt)}"


def _clean(text: str) -> str:
    """Somebody else's text in one line that is not without end."""
    return clean_line(text[:MOST_SHOWN])


def _read_duration(text: str) -> float:
    if not text:
        return USUAL_SECONDS
    found = DURATION.fullmatch(text.strip())
    if not found:
        raise typer.BadParameter(f"--for: `{text}` is no time: 90s, 30m, 2h or 1d")
    return float(int(found[1]) * UNIT_SECONDS[found[2]])

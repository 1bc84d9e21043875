"""What an exception is about: one policy's verdict on one call, said so exactly that nothing else is covered."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import Any

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import ToolEvent
from synaptic.model.grant import NEVER_LIFTED
from synaptic.model.hook import Builtin, Hook
from synaptic.model.text import cut_start, join_lines
from synaptic.model.tool import SHELL
from synaptic.policies.base import Policy
from synaptic.shell.globs import matches_glob

TOLD_KEYS = frozenset({"description", "timeout"})
"""What a shell tool is given beside its command: another description is no other command."""
LOSS_FACT = "losses"
"""Policies that need it name in their reason what would be lost: a yes to that is no yes to more."""
MOST_SHOWN = 1800
"""Of a call. What is kept of it may be somewhat longer: secrets are replaced after it was cut."""
MOST_LOOKED_AT = 200_000
BLANKS = re.compile(r"[\s\u00ad\u115f\u1160\u180e\u200b-\u200f\u2060\u2800\u3164\ufeff\uffa0]{41,}")
"""So much nothing that it pushes out of sight what stands behind it."""
CUT_SIGN = re.compile(r"\.\.\. \[\d+ more characters\]\Z")
SHAPE_WORD = re.compile(r"[A-Za-z][\w.+-]{0,30}")
"""A word that names what is done; a path, an option or anything longer does not."""
ANSWERABLE = (Kind.DENY, Kind.ASK)


class Refusal(msgspec.Struct, frozen=True):
    """A hook's refusal or question, and the call as it was made and as the hook saw it."""

    hook: Hook
    policy: Policy | None
    first: Call
    seen: Call
    verdict: Verdict


class GrantLook(msgspec.Struct, frozen=True):
    """What looking for an exception has found."""

    act: Any = None
    """The RefusedAct that a person could lift; None where nobody can, or nothing can be remembered."""
    grant: str = ""
    """The exception that lifts it."""
    note: str = ""


NO_LOOK = GrantLook()


def is_liftable(hook_id: str, never: Iterable[str]) -> bool:
    """Whether a person may make an exception to a policy: not to those of the list, nor to what the user adds."""
    return _is_liftable(hook_id, tuple(never))


@lru_cache(maxsize=512)
def _is_liftable(hook_id: str, never: tuple[str, ...]) -> bool:
    return not any(matches_glob(hook_id, pattern) for pattern in (*NEVER_LIFTED, *never))


def write_act(refusal: Refusal, place: str) -> bytes:
    """Everything that makes the call this one and no other: tool, input, folder, and what hooks made of it before.

    `place` is where that folder really is: its name may lead elsewhere tomorrow.
    """
    first, seen = (_read_input(call) for call in (refusal.first, refusal.seen))
    event = refusal.first.event
    name = event.tool.name if isinstance(event, ToolEvent) else event.hook_event_name
    return _encode([name, event.cwd, place, first, None if seen == first else seen])


_digests: dict[int, tuple[Hook, str]] = {}
"""Of hooks that have refused something, by identity: they are kept with it, so no other can have theirs."""
MOST_DIGESTS = 256


def digest_options(hook: Hook) -> str:
    """How a policy is set: the same policy with other options is another one."""
    known = _digests.get(id(hook))
    if known is None:
        if len(_digests) >= MOST_DIGESTS:
            _digests.clear()
        known = _digests[id(hook)] = (hook, _digest_hook(hook))
    return known[1]


def _digest_hook(hook: Hook) -> str:
    handler: object = hook.handler
    if isinstance(handler, Builtin):
        # A rule is what it says; the functions that it was compiled to have no name that lasts.
        handler = getattr(handler.policy, "entry", handler.policy)
    said = _encode([hook.id, hook.matcher, hook.scope, hook.root, handler])
    return hashlib.sha256(said).hexdigest()[:16]


def digest_stakes(refusal: Refusal) -> str:
    """What would be lost, where the policy looks at that and names it; else nothing."""
    if refusal.policy is None or LOSS_FACT not in refusal.policy.needs:
        return ""
    return hashlib.sha256(refusal.verdict.reason.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def show_call(call: Call) -> str:
    """What a call is about, for people."""
    event = call.event
    if not isinstance(event, ToolEvent):
        return event.hook_event_name
    tool = event.tool
    text = tool.command or " ".join(tool.paths) or _encode(_read_input(call)).decode("utf-8", "replace")
    return _cut_visibly(text)


def is_shown_whole(shown: str) -> bool:
    """Whether nothing of a call was left out."""
    return CUT_SIGN.search(shown) is None


def _cut_visibly(text: str) -> str:
    """The beginning of a text, and what is not seen of it: nothing may hide behind blanks or a cut.

    Never cut within a word: half a secret has no shape by which it could be redacted.
    """
    shown = BLANKS.sub(lambda found: f" [{len(found[0])} blanks] ", text[:MOST_LOOKED_AT])
    if len(shown) <= MOST_SHOWN and len(text) <= MOST_LOOKED_AT:
        return shown
    start = cut_start(shown, MOST_SHOWN).removesuffix("...")
    return f"{start}... [{len(text) - len(start)} more characters]"


def quote_call(call: Call, most: int) -> str:
    """A call in one line of a message: it drives no terminal, and ends with a whole word."""
    line = join_lines(show_call(call))
    if not line.isprintable():
        line = "".join([letter if letter.isprintable() else "\ufffd" for letter in line])
    return cut_start(line, most)


def find_shape(call: Call) -> str:
    """What calls of one kind have in common: the program with its verb, or the tool with the ending of the file."""
    event = call.event
    if not isinstance(event, ToolEvent):
        return event.hook_event_name
    tool = event.tool
    if tool.command:
        words = tool.command.split()[:4]
        plain = list(takewhile(SHAPE_WORD.fullmatch, words))
        return " ".join(plain[:2]) or "a command"
    _, dot, ending = tool.paths[0].rpartition("/")[2].rpartition(".") if tool.paths else ("", "", "")
    return f"{tool.name} *.{ending}" if dot and SHAPE_WORD.fullmatch(ending) else tool.name


def lift_verdict(verdict: Verdict) -> Verdict:
    """What is left of a verdict that was lifted: a rewrite that came with a question is still wanted."""
    return Verdict(input=verdict.input) if verdict.says is Kind.ASK else Verdict()


def _read_input(call: Call) -> Mapping[str, object]:
    event = call.event
    if not isinstance(event, ToolEvent):
        return {}
    given = event.tool_input
    if event.tool.name not in SHELL:
        return given
    return {key: value for key, value in given.items() if key not in TOLD_KEYS}


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value, order="sorted", enc_hook=repr)
    except (UnicodeEncodeError, TypeError):  # half a letter, or keys that are no text: said in another way, for good
        return ascii(value).encode()

"""A person says that a refusal was wrong: the call becomes a case, as small as still shows it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.call import Request
from synaptic.model.decision import Kind
from synaptic.model.errors import LayerError, PayloadError
from synaptic.model.event import ToolEvent
from synaptic.model.hook import Builtin
from synaptic.model.text import cut_start
from synaptic.model.tool import SHELL
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import DEFAULT_FACTS, Case
from synaptic.store.entries import find_entry
from synaptic.store.redact import redact_text
from synaptic.store.refused import RefusedCall
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.disputed_cases import CasePlace, add_case, find_kind, is_stopping
from synaptic.work.inbox import ANSWER_FOR_PEOPLE, call_to_view, clean, find_refusal, note_answer

MOST_TEXT = 4000
"""Characters of one text of a call: a case is read by people."""
MOST_NAME = 80
CALL_KEYS = ("command", "file_path", "notebook_path", "path", "url", "query", "pattern")
"""Keys of a tool's input that policies judge by, so that a case has them first."""


class MarkedWrong(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says, and where it was written down."""

    call: RefusedCall
    files: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    """Policies that do not stop the case as it is written: they have judged by more than the call."""
    without: tuple[str, ...] = ()
    """Hooks that have no cases: only built-in policies have."""


class MarkWrong(ProjectCommand[MarkedWrong], frozen=True, kw_only=True):
    """Write a refusal down as a case that its policy should let pass. It has no method: only a person says so."""

    people_only: ClassVar[str] = ANSWER_FOR_PEOPLE

    code: str
    """Its handle."""
    mark: str = ""
    """Which one, where two share a code and it is known which is meant."""
    project: bool = False
    """In the project's own folder, for everybody who works there."""

    def run(self, context: CommandContext) -> MarkedWrong:
        call = find_refusal(context, self.code, self.mark)
        if self.project and context.require_project() != call.subject.root:
            raise LayerError("VALIDATION_ERROR", f"it was refused in {clean(call.subject.root)}", hint="cd there first")
        place = CasePlace(context.home, Path(call.subject.root) if self.project else None)
        known, maker = load_policies(), CaseMaker(context, call)
        files, unclear = [], []
        for name in (name for name in call.policies if name in known):
            case, shows = maker.make(known[name])
            files.append(str(add_case(place, name, case)))
            unclear += [] if shows else [name]
        return MarkedWrong(
            # Last: what could not be written is not marked either.
            call=note_answer(context, call, "wrong"),
            files=tuple(files),
            unclear=tuple(unclear),
            without=tuple(name for name in call.policies if name not in known),
        )

    def answer(self, result: MarkedWrong) -> object:
        return {**msgspec.structs.asdict(result), "call": call_to_view(result.call)}


class CaseMaker:
    """Cases about one refused call."""

    def __init__(self, context: CommandContext, call: RefusedCall) -> None:
        self._context = context
        self._call = call
        self._event = self._find_event()

    def make(self, policy: type[Policy]) -> tuple[Case, bool]:
        """The smallest case that the policy still stops; the first one, and False, where it stops none of them."""
        tried = list(self._iter_cases(self._read_options(policy)))
        return next(((case, True) for case in tried if _stops(policy, case)), (tried[0], False))

    def _iter_cases(self, options: Mapping[str, Any]) -> Iterator[Case]:
        """From one that would be the same for everybody, to one that has all that is known of the call."""
        subject = self._call.subject
        home = str(self._context.home.root.parent)
        shown = " ".join(clean(move_deep(redact_text(subject.shown), subject.root, home)).split())
        name = f"{self._call.code}: {shown or clean(subject.tool)}"[:MOST_NAME]
        for given in self._iter_calls():
            case = Case(name=name, want=Kind.NONE, options=redact_deep(options), **redact_deep(given))
            moved = move_deep(msgspec.structs.asdict(case), subject.root, home)
            yield Case(
                **{
                    **moved,
                    "name": name,
                    "want": Kind.NONE,
                    **name_folder(moved["payload"], str(DEFAULT_FACTS["root"])),
                }
            )
            facts = {"root": redact_text(subject.root), "home": redact_text(home)}
            yield msgspec.structs.replace(case, facts=facts, **name_folder(case.payload, subject.root))

    def _iter_calls(self) -> Iterator[dict[str, Any]]:
        subject, event = self._call.subject, self._event
        payload = {"payload": {"cwd": subject.cwd}}
        if event is None:
            is_shell = subject.tool in SHELL
            yield {**({"bash": subject.shown} if is_shell else _make_edit(subject.tool, subject.shown)), **payload}
            return
        if event.tool.command and len(event.tool.command) <= MOST_TEXT:
            yield {"bash": event.tool.command, **payload}
        texts = {key: value for key, value in event.tool_input.items() if isinstance(value, str)}
        for keys in (CALL_KEYS, tuple(texts)):
            given = {key: cut_start(texts[key], MOST_TEXT) for key in keys if key in texts}
            yield {"tool": event.tool_name, "input": given, "event": event.hook_event_name, **payload}

    def _find_event(self) -> ToolEvent | None:
        """The call as the agent has sent it, if the journal still has that."""
        entry = find_entry(self._context.store, self._call.call)
        if entry is None or not entry.payload:
            return None
        request = Request(
            agent=entry.agent, event=entry.event, stdin=entry.payload.encode("utf-8", "replace"), id=entry.call
        )
        try:
            event = find_adapter(entry.agent).decode(request).event
        except PayloadError:
            return None
        return event if isinstance(event, ToolEvent) else None

    def _read_options(self, policy: type[Policy]) -> dict[str, Any]:
        """How the policy is set where it was refused, as far as that is not the default."""
        hooks = HookCatalogs(self._context.home).get(self._call.subject.root).hooks
        found = (one.handler.policy for one in hooks if one.id == policy.id and isinstance(one.handler, Builtin))
        usual = msgspec.to_builtins(msgspec.convert({}, policy))
        here = msgspec.to_builtins(next(found, msgspec.convert({}, policy)))
        return {name: value for name, value in here.items() if value != usual.get(name) and value is not None}


def _make_edit(tool: str, shown: str) -> dict[str, Any]:
    return {"tool": tool, "input": {"file_path": shown}}


def name_folder(payload: Mapping[str, Any], root: str) -> dict[str, Any]:
    """A case is about the project's root, unless it names another folder."""
    return {"payload": {key: value for key, value in payload.items() if (key, value) != ("cwd", root)}}


def _stops(policy: type[Policy], case: Case) -> bool:
    try:
        return is_stopping(find_kind(policy, case))
    except Exception:  # noqa: BLE001 - a call that no case can be made of shows nothing
        return False


def redact_deep(value: Any) -> Any:
    """A value without secrets in any text of it."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return {redact_text(str(key)): redact_deep(one) for key, one in value.items()}
    return [redact_deep(one) for one in value] if isinstance(value, list | tuple) else value


def move_deep(value: Any, root: str, home: str) -> Any:
    """The same in the folders in which all cases are: whose project it was does not matter."""
    if isinstance(value, str):
        for place, usual in ((root, DEFAULT_FACTS["root"]), (home, DEFAULT_FACTS["home"])):
            if len(place) > 1:
                value = re.sub(rf"{re.escape(place)}(?![\w.-])", str(usual), value)
        return value
    if isinstance(value, Mapping):
        return {key: move_deep(one, root, home) for key, one in value.items()}
    return [move_deep(one, root, home) for one in value] if isinstance(value, list | tuple) else value

"""Exceptions on the walk: looked for when a hook refuses or asks, and never before."""

import logging
import os
import time
from functools import lru_cache

from synaptic.hooks.catalog import HookCatalog
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import Event, ToolEvent
from synaptic.model.grant import SCOPE_WORDS, Grant, RefusedAct, RefusedNews, RefusedSubject
from synaptic.pipeline.lifting import (
    NO_LOOK,
    GrantLook,
    Refusal,
    digest_options,
    digest_stakes,
    find_shape,
    is_liftable,
    show_call,
    write_act,
)
from synaptic.pipeline.likeness import covers_command, covers_paths, find_subject, is_only_command
from synaptic.store import grants
from synaptic.store.db import Store
from synaptic.store.record import JournalDetail

log = logging.getLogger(__name__)


class CallGrants:
    """What a person has said yes to, as far as one project is concerned."""

    lifts = True
    """Whether an exception counts; else it is only said what one would have to lift."""
    lifts_once = True
    """Whether those count that are used up: not where nothing can be written."""
    spends = False
    """Whether it has found one that this call uses up."""

    def __init__(self, store: Store, catalog: HookCatalog) -> None:
        self._store = store
        self._root = catalog.root
        self._never = catalog.config.grants.never
        self.lifts = True
        """Whether an exception counts; else it is only said what one would have to lift."""
        self._places: tuple[Event, tuple[str, ...]] | None = None
        """Of the files of a call, for all patterns that are compared with it."""

    def look(self, refusal: Refusal) -> GrantLook:
        """The refusal as a person could lift it, and the exception that does; nothing where nothing can be known."""
        if not isinstance(refusal.first.event, ToolEvent) or not self._store.durable:
            return NO_LOOK
        try:
            act = self._describe(refusal)
            grant = self._find(refusal, act) if act.is_grantable and self.lifts else None
        except Exception as error:  # noqa: BLE001 - what cannot be looked up lifts nothing: a deny never becomes a question
            log.debug("exceptions for %s cannot be looked up: %s", refusal.hook.id, error)
            return NO_LOOK
        if grant is None:
            return GrantLook(act)
        self.spends = self.spends or grant.scope == "once"
        return GrantLook(act, grant.id, describe_lift(grant, refusal))

    def _describe(self, refusal: Refusal) -> RefusedAct:
        return RefusedAct(
            policy=refusal.hook.id,
            options=digest_options(refusal.hook),
            fingerprint=grants.make_fingerprint(
                self._store, write_act(refusal, find_real_folder(refusal.first.event.cwd))
            ),
            stakes=digest_stakes(refusal),
            asks=refusal.verdict.says == "ask",
            is_grantable=is_liftable(refusal.hook.id, self._never),
        )

    def _find(self, refusal: Refusal, act: RefusedAct) -> Grant | None:
        call, now = refusal.first, time.time()
        found = grants.find_for_act(self._store, act, find_subject(call))
        holding = (one for one in found if self._holds(one, act, refusal) and one.is_in_force(now, call.id))
        # What lasts before what is used up; of that another one for each call, so that several do not want the same.
        return min(holding, key=lambda one: (one.scope == "once", hash((call.id, one.id))), default=None)

    def _holds(self, grant: Grant, act: RefusedAct, refusal: Refusal) -> bool:
        if grant.scope == "once" and not self.lifts_once:
            return False
        if not is_for_place(grant, act, (self._root, refusal.first.event.session_id)):
            return False
        return not grant.like or self._is_like(grant.like, refusal)

    def _is_like(self, pattern: str, refusal: Refusal) -> bool:
        """A pattern covers a call as the agent has made it, which nothing has rewritten, below the project's root."""
        event = refusal.first.event
        if refusal.seen is not refusal.first or not isinstance(event, ToolEvent):
            return False
        if event.tool.command or not self._root:
            return covers_event(pattern, event, self._root)
        return covers_paths(pattern, self._find_places(event))

    def _find_places(self, event: ToolEvent) -> tuple[str, ...]:
        """Where the files of a call really are below the project's root; none where one of them is not."""
        if self._places is None or self._places[0] is not event:
            self._places = (event, _locate_files(event, self._root))
        return self._places[1]


def covers_event(pattern: str, event: Event, root: str) -> bool:
    """Whether a pattern covers a call below a project's root, with all that it names."""
    if not root or not isinstance(event, ToolEvent):
        return False
    if event.tool.command:
        # The cheapest first: there may be a hundred patterns, and links are followed for those that fit only.
        fits = covers_command(pattern, event.tool.command) and is_only_command(event)
        return fits and find_relative(event.cwd, root) is not None
    return covers_paths(pattern, _locate_files(event, root))


def _locate_files(event: ToolEvent, root: str) -> tuple[str, ...]:
    paths = event.tool.paths
    if any(path.startswith("~") for path in paths):  # who reads it may mean a home by that
        return ()
    found = [find_relative(os.path.join(event.cwd, path), root) for path in paths]  # noqa: PTH118
    return tuple(map(str, found)) if None not in found else ()


def is_for_place(grant: Grant, act: RefusedAct, place: tuple[str, str]) -> bool:
    """Whether an exception is about a verdict in a project and a session; one with a pattern: perhaps."""
    root, session = place
    if grant.root not in ("", root) or grant.session not in ("", session) or grant.stakes not in ("", act.stakes):
        return False
    return bool(grant.like) or grant.fingerprint == act.fingerprint


def find_real_folder(path: str) -> str:
    """A folder with all links followed. The same folder under the same name is looked for once: that takes its time."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path would cost more than the look
    except OSError:
        return os.path.realpath(path)
    return _follow_links(path, (found.st_dev, found.st_ino))


@lru_cache(maxsize=256)
def _follow_links(path: str, _: tuple[int, int]) -> str:
    return os.path.realpath(path)


def find_relative(path: str, root: str) -> str | None:
    """Where a path really is below a root, links followed; None outside of it."""
    real, real_root = os.path.realpath(path), os.path.realpath(root)
    if real == real_root:
        return "."
    return os.path.relpath(real, real_root) if real.startswith(f"{real_root.rstrip('/')}/") else None


def describe_lift(grant: Grant, refusal: Refusal) -> str:
    """What the trace says about a verdict that was lifted."""
    reason = refusal.verdict.reason.partition("\n")[0]
    return f"{refusal.verdict.says} lifted by grant {grant.id} ({SCOPE_WORDS[grant.scope]}): {reason}"


def describe_refusal(call: Call, decision: Decision, keep: JournalDetail) -> RefusedNews:
    """A refusal as it is kept for whoever may answer it: without contents where the journal keeps none."""
    event = call.event
    is_full = keep == "full"
    tool = event.tool if isinstance(event, ToolEvent) else None
    said = str(event.tool_input.get("description") or "") if isinstance(event, ToolEvent) else ""
    return RefusedNews(
        RefusedSubject(
            code=decision.code,
            acts=decision.refused,
            asks=decision.kind is Kind.ASK,
            tool=tool.name if tool else event.hook_event_name,
            shown=show_call(call) if is_full else "",
            root=call.root,
            cwd=event.cwd,
            shape=find_shape(call) if is_full else "",
        ),
        said=said if is_full else "",
        reason=decision.reason if is_full else "",
    )

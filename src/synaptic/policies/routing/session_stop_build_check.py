"""Builds of the services that a session changed."""

import msgspec

from synaptic.model.decision import Verdict, record
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import Event, PostToolUse, SessionStop, Stop
from synaptic.model.result import HookResult
from synaptic.model.start_line import build_start_line
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.routing.builds import BuildFault, Service, find_fault, find_services
from synaptic.policies.routing.sections import CHANGED_SERVICES

# `-I`: the project's folder and environment must not decide which modules are loaded.
RUN_SEVERAL = build_start_line("synaptic.runners.several")
MAX_FILES = 500
SPARE_SECONDS = 15.0


class SessionStopBuildCheck(Policy):
    """Services that were changed and do not build.

    ## What it does
    When a session stops, groups the files it changed by service, builds each service with its own command, and reports
    each: what was run, what failed, in which file and line. The failing file is queued to be opened. The stop itself
    is never held up. Files come from the context, or are those that the session wrote since the last such build.
    ## Why
    A build that breaks is cheapest to mend while the change is still in mind.
    ## Known gaps
    It runs programs of the project and takes its time, so it is in no preset but `strict`, and only the user switches
    it on. Files that a shell command writes are not seen.
    """

    id = "routing.session-stop-build-check"
    events = (PostToolUse, Stop, SessionStop)
    tools = ("Write", "Edit", "MultiEdit")
    priority = 70
    preset = "strict"
    runs = True
    needs = (CHANGED_SERVICES,)

    paths: tuple[str, ...] = ("services/**", "apps/**")
    """Folders whose folders are services."""
    command: tuple[str, ...] = ("npm", "run", "build:{service}")
    """What builds a service; `{service}` is its name."""
    timeout: float = 120.0
    """Seconds for each build."""
    most: int = 8
    """Services that are built at one stop."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if isinstance(event, PostToolUse):
            return self._remember_file(event, facts)
        if not (found := self._find_changed_services(event, facts)):
            return None
        builds = [{"argv": self._build_argv(service), "timeout": self.timeout} for service in found]
        text = msgspec.json.encode(builds).decode()
        # Each build has its own timeout; this one only catches a runner that hangs.
        seconds = len(found) * self.timeout + SPARE_SECONDS
        return Verdict(errand=Errand(argv=(*RUN_SEVERAL, text), cwd=facts.root, timeout=seconds, name="builds"))

    def conclude(self, event: Event, facts: Facts, ended: ErrandResult) -> Verdict | None:
        found = self._find_changed_services(event, facts)
        forget = Change(section=CHANGED_SERVICES, drop=("files",))
        ends = _decode_ends(ended)
        if len(ends) != len(found):
            told = ended.trouble or f"ended with exit code {ended.exit}"
            return Verdict(warnings=(f"{self.id}: the builds gave no result: {told}",), effects=(forget,))
        faults = [
            find_fault(end.output, one) if _has_failed(end) else None for one, end in zip(found, ends, strict=True)
        ]
        reports = [_describe_build(one, end, place) for one, end, place in zip(found, ends, faults, strict=True)]
        ran = " and ".join(f"`{' '.join(self._build_argv(one))}`" for one in found)
        messages = (f"Ran {ran} for modified services.", *reports)
        actions = tuple(
            {"kind": "open_file", "payload": {"path": place.path, "line": place.line}} for place in faults if place
        )
        result = HookResult(messages_to_user=messages, follow_up_actions=actions)
        context = tuple(text for text, end in zip(reports, ends, strict=True) if _has_failed(end))
        return Verdict(messages=messages, context=context, result=result, effects=(forget,))

    def _remember_file(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        path = event.tool.read_text("file_path").removeprefix(f"{facts.root}/")
        if not find_services((path,), self.paths) or path in facts.state.read_items(CHANGED_SERVICES, "files"):
            return None
        return record(Change(section=CHANGED_SERVICES, append={"files": path}, keep=MAX_FILES))

    def _find_changed_services(self, event: Event, facts: Facts) -> tuple[Service, ...]:
        named = event.changed_files if isinstance(event, SessionStop) else ()
        files = [path.removeprefix(f"{facts.root}/").removeprefix("./") for path in named]
        remembered = [str(path) for path in facts.state.read_items(CHANGED_SERVICES, "files")]
        return find_services(dict.fromkeys(files or remembered), self.paths)[: self.most]

    def _build_argv(self, service: Service) -> tuple[str, ...]:
        return tuple(word.replace("{service}", service.name) for word in self.command)


def _decode_ends(ended: ErrandResult) -> list[ErrandResult]:
    try:
        return msgspec.json.decode(ended.output.strip().rpartition("\n")[2], type=list[ErrandResult])
    except msgspec.DecodeError:
        return []


def _has_failed(end: ErrandResult) -> bool:
    return bool(end.trouble or end.exit)


def _describe_build(service: Service, end: ErrandResult, place: BuildFault | None) -> str:
    name = service.name[:1].upper() + service.name[1:]
    if not _has_failed(end):
        return f"{name} build: success."
    if end.trouble:
        return f"{name} build: {end.trouble}."
    where = f" with {place.description} in {place.path}:{place.line}" if place else f" (exit {end.exit})"
    return f"{name} build: failed{where}."

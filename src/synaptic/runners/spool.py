"""Background hooks: started and not waited for, their output kept in a folder until somebody has stored it.

One folder per run, named after call and hook, so that a call which is repeated after a crash starts nothing twice.
Who starts it holds the folder's lock. The new process itself notes that it has begun (`begun`), and holds the lock of
its output: where there is neither, its starter was killed before, and whoever repeats the call starts it instead.
Before a call is written down its runs are promised: the folder holds the call itself until the run has begun, so that
the next daemon can repeat a call whose sender is gone as well.
`meta.json` is written before the start (without a process) and after it (with one); `collect` gives the same finished
runs again until `forget` moves them away, so a crash in between delivers neither nothing nor, by `Finished.id`, twice.
The empty folder of a run that was taken in stays in `spool-done` for as long as its call may be repeated.
Children are our own, not adopted by init: their zombies are taken with WNOHANG whenever we look, which costs neither
a thread nor a second fork, and when we go first init adopts and reaps them.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import time
from pathlib import Path

import msgspec

from synaptic.files.bounded import read_start
from synaptic.files.replace import replace_own
from synaptic.model.decision import Failure, Verdict
from synaptic.model.event import EVENTS, Unknown
from synaptic.model.hook import Command, Hook, Protocol
from synaptic.runners.base import Invocation
from synaptic.runners.command import find_interpreter, make_start_failure, prepare_launch
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import (
    OUTPUT_LIMIT,
    STDERR_LIMIT,
    HookAnswer,
    ProcessOutput,
    get_event_name,
    make_length_failure,
    make_timeout_failure,
)
from synaptic.runners.processes import (
    LaunchPlan,
    Process,
    ProcessIdentity,
    StandardStreams,
    find_marked,
    identify_process,
    kill_family,
    start_process,
)
from synaptic.runners.run_folder import (
    BEGUN_FILE,
    ERR_FILE,
    IN_FILE,
    META_FILE,
    OUT_FILE,
    PromisedRun,
    find_promises,
    has_begun,
    hold_folder,
    is_unlocked,
    list_entries,
    measure_age,
    read_promised,
    remove_entry,
    remove_files,
    remove_unheld,
    withdraw_promise,
    write_promise,
)
from synaptic.runners.stdin import encode_stdin

NOTE_START = ("/bin/sh", "-c", '{ true >"$0"; } 2>/dev/null; exec "$@"')
"""Makes a note and becomes the program. Written before the start, the note of a starter that is killed in between
would lose a run; written by the starter after it, it would have the run twice."""
ABANDONED_SECONDS = 3600
"""Seconds after which a folder without `meta.json` is nobody's."""
UNBEGUN_SECONDS = 5.0
"""Seconds after which a run whose starter was killed before the start need not wait for a repeated call any more: the
next one makes a folder of its own."""
REPEATED_SECONDS = 120.0
"""Seconds in which a call may be repeated: no agent waits so long."""
SWEEP_SECONDS = 10.0


class RunMeta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is needed to interpret the output later, also by another daemon process."""

    call: str
    hook: str
    event: str
    mark: str
    skill: str = ""
    source: str = ""
    session: str = ""
    agent_id: str = ""
    protocol: Protocol = "decision"
    timeout: float
    started: float
    """On the monotonic clock, which all processes of one boot share and no clock change moves."""
    process: ProcessIdentity | None = None
    end: str = ""
    """Why we killed it: `timeout` or `output`."""


class FinishedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The advice of one run; `id` stays the same however often it is collected."""

    id: str
    call: str
    hook: str
    event: str
    session: str
    agent_id: str
    outcome: HookAnswer


class PreparedRun(msgspec.Struct, frozen=True):
    """A run that has not begun: all that can be said about it without starting it has been said."""

    invocation: Invocation
    plan: LaunchPlan


class RunSpool:
    """One folder of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._done = folder.with_name(f"{folder.name}-done")
        self._owner = os.urandom(4).hex()
        self._swept = 0.0
        self._children: list[Process] = []

    def prepare(self, invocation: Invocation, handler: Command) -> PreparedRun | Failure:
        """Look at everything that a run needs, and start nothing."""
        plan, _ = prepare_launch(invocation, handler)
        if isinstance(plan, Failure):
            return plan
        missing = _find_missing(plan)
        return make_start_failure(invocation.hook, plan, missing) if missing else PreparedRun(invocation, plan)

    def promise(self, run: PreparedRun, request: bytes) -> None:
        """Note the call of a run that will be launched once the call is written. Raises OSError."""
        entry = self._make_entry(run)
        if (self._done / entry.name).exists():
            remove_entry(entry)  # somebody else has decided this call and launched it
        else:
            write_promise(entry, self._owner, request)

    def withdraw(self, run: PreparedRun) -> None:
        """Take a promise back: the call is not ours. What another process has promised stays."""
        withdraw_promise(self.folder / _run_name(run.invocation), self._owner)

    def list_promised(self) -> list[PromisedRun]:
        """The runs that were promised and have not begun: their starters were killed, or are about to start them."""
        return [run for entry in list_entries(self.folder) if (run := read_promised(entry))]

    def drop_promised(self, id: str) -> bool:
        """Give up a promised run unless it has begun; whether it was there."""
        return remove_unheld(self.folder / id, unless_begun=True)

    def launch(self, run: PreparedRun) -> Failure | None:
        """Start a detached run; one that was started before for this call and hook is left alone."""
        self.reap_children()
        invocation, plan = run.invocation, run.plan
        try:
            entry = self._make_entry(run)
            # The lock is the atomic test: of two processes that repeat the same call exactly one starts the hook.
            with hold_folder(entry) as is_held:
                return self._launch_once(entry, run) if is_held and not has_begun(entry) else None
        except OSError as error:
            return make_start_failure(invocation.hook, plan, error)

    def _make_entry(self, run: PreparedRun) -> Path:
        entry = self.folder / _run_name(run.invocation)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        entry.mkdir(mode=0o700, exist_ok=True)
        return entry

    def _launch_once(self, entry: Path, run: PreparedRun) -> Failure | None:
        # After mkdir: a run is in one of the two places from its start on, since `forget` renames it.
        if (self._done / entry.name).exists():
            remove_entry(entry)
            return None
        try:
            self._launch_run(entry, run.invocation, run.plan)
        except (OSError, ValueError) as error:
            remove_entry(entry)
            return make_start_failure(run.invocation.hook, run.plan, error)
        return None

    def collect(self) -> list[FinishedRun]:
        """Collect ended runs, oldest first; those over time or output limit are killed and collected next time."""
        self.reap_children()
        begun = filter(has_begun, list_entries(self.folder))
        runs = [(entry, meta) for entry in begun if (meta := _read_meta(entry))]
        ended = [run for run in runs if self._has_ended(*run)]
        _remove_abandoned(self.folder)
        self._sweep_done()
        return [_finish(entry, meta) for entry, meta in sorted(ended, key=lambda run: run[1].started)]

    def forget(self, finished: FinishedRun) -> None:
        """Remove a run whose outcome is stored elsewhere now; that it has been is known for a while."""
        entry, done = self.folder / finished.id, self._done / finished.id
        with contextlib.suppress(OSError):
            self._done.mkdir(mode=0o700, exist_ok=True)
            entry.rename(done)
            remove_files(done)
        remove_entry(entry)

    def _sweep_done(self) -> None:
        """Remove what is left of runs whose calls nobody repeats any more."""
        if time.monotonic() - self._swept < SWEEP_SECONDS:
            return
        self._swept = time.monotonic()
        for entry in list_entries(self._done):
            with contextlib.suppress(OSError):
                if measure_age(entry) > REPEATED_SECONDS:
                    remove_entry(entry)

    def _launch_run(self, entry: Path, invocation: Invocation, plan: LaunchPlan) -> None:
        meta = _describe(invocation, plan)
        _write_meta(entry, meta)  # before the start: a run that nobody could understand later must not begin
        with (
            (entry / IN_FILE).open("w+b") as stdin,
            (entry / OUT_FILE).open("ab") as out,
            (entry / ERR_FILE).open("ab") as err,
        ):
            fcntl.flock(out, fcntl.LOCK_EX)  # held by the child's own stdout from here on, see _is_running
            stdin.write(encode_stdin(invocation.call, invocation.hook.protocol))
            stdin.seek(0)
            child = start_process(_note_start(plan, entry), StandardStreams(stdin, out, err))
            (entry / IN_FILE).unlink()  # the child has it open and reads on; the payload does not stay on disk
            for promise in find_promises(entry):
                promise.unlink()
        self._children.append(child)
        _write_meta(entry, msgspec.structs.replace(meta, process=identify_process(child.pid)))

    def _has_ended(self, entry: Path, meta: RunMeta) -> bool:
        if not _is_running(entry, meta):
            return True
        if reason := _find_excess(entry, meta):
            # The reason is noted before the kill: the next look finds a dead process and must know why.
            _write_meta(entry, msgspec.structs.replace(meta, end=reason))
            # Without a noted process the mark in the environment is the only way to find it.
            for pid in {meta.process.pid} if meta.process else find_marked(meta.mark):
                kill_family(pid, meta.mark)
        return False

    def reap_children(self) -> None:
        """Take the exit codes of children that have ended."""
        # One by one and out of a copy: a run may be started by another thread right now.
        for child in tuple(self._children):
            if child.poll() is not None:
                with contextlib.suppress(ValueError):  # somebody else was quicker
                    self._children.remove(child)


def _find_missing(plan: LaunchPlan) -> OSError | None:
    """Why the program of a plan cannot be executed, as far as its file shows: nobody hears of it later."""
    if plan.content is not None:
        return None
    program = plan.argv[0]
    path = str(Path(plan.cwd, program)) if "/" in program else shutil.which(program, path=plan.env.get("PATH"))
    wanted = find_interpreter(path or program).partition(" ")[0]
    return _find_refusal(path or program) or _find_refusal(wanted if wanted.startswith("/") else "")


def _find_refusal(path: str) -> OSError | None:
    if not path or os.access(path, os.X_OK):
        return None
    code = errno.EACCES if os.access(path, os.F_OK) else errno.ENOENT
    return OSError(code, os.strerror(code), path)


def reduce_to_advice(meaning: HookAnswer) -> HookAnswer:
    """Reduce an answer to advice (text and hints): the tool has run already, so a decision is too late."""
    if not isinstance(meaning, Verdict):
        return meaning
    said = Verdict(context=meaning.context, messages=meaning.messages, result=meaning.result, warnings=meaning.warnings)
    return None if said == Verdict() else said


def _finish(entry: Path, meta: RunMeta) -> FinishedRun:
    return FinishedRun(
        id=entry.name,
        call=meta.call,
        hook=meta.hook,
        event=meta.event,
        session=meta.session,
        agent_id=meta.agent_id,
        outcome=_read_outcome(entry, meta),
    )


def _read_outcome(entry: Path, meta: RunMeta) -> HookAnswer:
    hook = Hook(
        id=meta.hook,
        events=(meta.event,),
        handler=Command(),
        blocking=False,
        awaited=False,
        protocol=meta.protocol,
        skill=meta.skill,
        source=meta.source,
    )
    if meta.end == "timeout":
        return make_timeout_failure(hook, meta.timeout)
    stdout = read_start(str(entry / OUT_FILE), OUTPUT_LIMIT + 1)
    if len(stdout) > OUTPUT_LIMIT or meta.end:
        return make_length_failure(hook)
    return _read_advice(hook, meta, ProcessOutput(stdout, read_start(str(entry / ERR_FILE), STDERR_LIMIT)))


def _read_advice(hook: Hook, meta: RunMeta, output: ProcessOutput) -> HookAnswer:
    """What it answers. Nobody has asked it for anything, so text and JSON that are no answer are its own chatter."""
    if not (output.text.startswith("{") and output.text.endswith("}")):
        return None
    event = EVENTS.get(meta.event, Unknown)(hook_event_name=meta.event, session_id=meta.session)
    meaning = interpret_output(hook, event, output)
    return None if isinstance(meaning, Failure) else reduce_to_advice(meaning)


def _describe(invocation: Invocation, plan: LaunchPlan) -> RunMeta:
    hook, call = invocation.hook, invocation.call
    return RunMeta(
        call=call.id,
        hook=hook.id,
        event=get_event_name(call.event),
        mark=plan.mark,
        skill=hook.skill,
        source=hook.source,
        session=call.event.session_id,
        agent_id=call.event.agent_id,
        protocol=hook.protocol,
        timeout=invocation.timeout,
        started=time.monotonic(),
    )


def _run_name(invocation: Invocation) -> str:
    return hashlib.sha256(f"{invocation.call.id}\0{invocation.hook.id}".encode("utf-8", "replace")).hexdigest()[:32]


def _is_running(entry: Path, meta: RunMeta) -> bool:
    if meta.process:
        return meta.process.is_alive
    return not is_unlocked(entry / OUT_FILE)  # whoever started it was killed before it could note the process


def _find_excess(entry: Path, meta: RunMeta) -> str:
    if time.monotonic() - meta.started > meta.timeout:
        return "timeout"
    sizes = [(entry / name).stat().st_size for name in (OUT_FILE, ERR_FILE) if (entry / name).exists()]
    return "output" if any(size > OUTPUT_LIMIT for size in sizes) else ""


def _read_meta(entry: Path) -> RunMeta | None:
    try:
        return msgspec.json.decode((entry / META_FILE).read_bytes(), type=RunMeta)
    except (OSError, msgspec.DecodeError):
        return None


def _remove_abandoned(folder: Path) -> None:
    """Remove folders of starters that were killed before the start, or whose disk was full."""
    for entry in list_entries(folder):
        with contextlib.suppress(OSError):
            age = measure_age(entry)
            # What was promised is launched or dropped by whoever reads the journal, unless that fails for an hour.
            if age > (ABANDONED_SECONDS if find_promises(entry) else UNBEGUN_SECONDS):
                remove_unheld(entry, unless_begun=True)
            if age > ABANDONED_SECONDS and not _read_meta(entry):
                remove_unheld(entry, unless_begun=False)


def _note_start(plan: LaunchPlan, entry: Path) -> LaunchPlan:
    if plan.executable:  # a name of its own for the program is more than a shell can give it
        (entry / BEGUN_FILE).touch()
        return plan
    return msgspec.structs.replace(plan, argv=(*NOTE_START, str(entry / BEGUN_FILE), *plan.argv))


def _write_meta(entry: Path, meta: RunMeta) -> None:
    replace_own(str(entry / META_FILE), msgspec.json.encode(meta))

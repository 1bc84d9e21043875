"""What must hold after every batch: one function each, from evidence to violations, so that each can fail."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.faults.calls import Call
from tests.faults.evidence import TRACE, Evidence, Row

OFF = "off:"
"""Before the name of a file in what a call is excused."""
LATE_SECONDS = 40.0
"""The dispatcher's own limits add up to less than an agent's shortest patience; the rest is for a busy machine."""
LARGEST_LOG = 96 * 1024 * 1024
SPARE_DESCRIPTORS = 16
NAMED_TRACES = (
    r"OperationalError: (database or disk is full|disk I/O error|unable to open database file)",
    r"OSError: \[Errno (24|28)\]",
    r"OutOfTimeError|_JudgementBrokenOff",
    r"^(unfinished|Original exception was:)$",  # the full disk has cut the log itself
)
"""What may stand in the daemon's log while a disk is full, descriptors are out or a process was stopped for seconds."""


@dataclass(frozen=True)
class Violation:
    """What was broken, and in which step it was seen; 0 for the batch as a whole."""

    invariant: str
    step: int
    what: str


Invariant = Callable[[Evidence], Iterator[Violation]]


def answered_is_journalled_once(evidence: Evidence) -> Iterator[Violation]:
    """A call that got an answer is in the journal once, unless its answer says that it is not."""
    name = "journalled once"
    if evidence.journal_trouble:
        return
    for call in evidence.calls:
        found = len(evidence.rows.get(call.token, ()))
        if found > 1:
            yield Violation(name, call.step, f"{call.shape.name} {call.token} is in the journal {found} times")
        elif not found and _owes_row(call):
            yield Violation(name, call.step, f"{call.shape.name} {call.token} was answered and is not in the journal")


def journalled_stays(evidence: Evidence) -> Iterator[Violation]:
    """What was in the journal is there, unless a fault destroys what was written; whatever is killed."""
    if evidence.gone and not evidence.journal_trouble:
        lost = f"{len(evidence.gone)} events that were in it are gone, {evidence.gone[0]} among them"
        yield Violation("what is journalled stays", 0, lost)


def journal_is_readable(evidence: Evidence) -> Iterator[Violation]:
    """Whatever was done to the file, another program can read the journal, once the daemon has looked at it."""
    if evidence.journal_trouble:
        yield Violation("the journal is readable", 0, evidence.journal_trouble[:200])


def told_is_journalled(evidence: Evidence) -> Iterator[Violation]:
    """What the journal says was answered is what the agent was told."""
    for call in evidence.calls:
        for row in evidence.rows.get(call.token, ()):
            if call.was_crowded and call.is_unheard:
                continue  # refused alone, after the daemon that had decided it was ended: counted as out of time
            if call.exit is not None and not call.is_cut and not _is_same_answer(call, row):
                told = _describe(call.exit, call.stdout, call.stderr)
                kept = _describe(row.exit, row.stdout, row.stderr)
                yield Violation("told is journalled", call.step, f"{call.shape.name}: told {told}, journal {kept}")


def forbidden_is_stopped(evidence: Evidence) -> Iterator[Violation]:
    """What must be stopped is denied or asked about; only where no engine can start it may pass, and that is said."""
    for call in evidence.calls:
        if not call.shape.must_stop or call.is_cut or call.exit is None or call.is_stopped:
            continue
        if call.shape.name in call.allowed:
            continue
        if call.is_unchecked and "unchecked" in call.allowed:
            continue
        how = "as NOT checked" if call.is_unchecked else f"silently (exit {call.exit})"
        yield Violation("forbidden is stopped", call.step, f"{call.shape.name} passed {how}: {call.stderr[:200]!r}")


def switched_off_is_told(evidence: Evidence) -> Iterator[Violation]:
    """Where a file cannot be read and what it has switched on is off, somebody is told the name of the file."""
    for excuse in {excuse for call in evidence.calls for excuse in call.allowed if excuse.startswith(OFF)}:
        under = [call for call in evidence.calls if excuse in call.allowed]
        passed = [call for call in under if call.shape.must_stop and not call.is_stopped and not call.is_cut]
        name = excuse.removeprefix(OFF).encode()
        if passed and not any(name in call.stdout + call.stderr for call in under):
            what = f"{passed[0].shape.name} passed, and nobody was told that {name.decode()} cannot be read"
            yield Violation("switched off is told", passed[0].step, what)


def nothing_is_unchecked(evidence: Evidence) -> Iterator[Violation]:
    """Whatever happens to the daemon, a call is checked: only an engine that cannot start or be heard is excused."""
    for call in evidence.calls:
        if _is_unjudged(call) and not call.was_crowded:
            told = (call.stderr or call.stdout)[:200]
            how = "passed unchecked" if call.is_unchecked else "was refused unheard"
            what = f"{call.shape.name} {how} after {call.seconds:.0f} s: {told!r} {call.places}"
            yield Violation("everything is checked", call.step, what)


def list_crowded_out(evidence: Evidence) -> list[Call]:
    """The calls that would break the law above if the machine had not been busy with other things: they are counted."""
    return [call for call in evidence.calls if call.was_crowded and _is_unjudged(call)]


def unwritten_is_excused(evidence: Evidence) -> Iterator[Violation]:
    """Answers that are not journalled, and say so, are for disks that fail."""
    for call in evidence.calls:
        if call.is_unwritten and not {"unwritten", "unchecked"} & call.allowed:
            yield Violation("everything is written", call.step, f"{call.shape.name}: {call.stderr[-200:]!r}")


def exits_are_known(evidence: Evidence) -> Iterator[Violation]:
    """An agent understands 0 and 2; whatever else is no answer to it."""
    for call in evidence.calls:
        if not call.is_cut and call.exit not in (0, 2, None):
            yield Violation(
                "exit codes", call.step, f"{call.shape.name} ended with {call.exit}: {call.stderr[-200:]!r}"
            )


def calls_are_in_time(evidence: Evidence) -> Iterator[Violation]:
    for call in evidence.calls:
        if call.exit is None or call.seconds > LATE_SECONDS:
            yield Violation("in time", call.step, f"{call.shape.name} took {call.seconds:.1f} s {call.places}")


def answers_are_clean(evidence: Evidence) -> Iterator[Violation]:
    """No traceback reaches an agent."""
    for call in evidence.calls:
        if TRACE.encode() in call.stdout + call.stderr:
            last = (call.stderr or call.stdout).strip().splitlines()[-1][:200]
            yield Violation("no traceback is told", call.step, f"{call.shape.name}: {last!r}")


def log_is_clean(evidence: Evidence) -> Iterator[Violation]:
    """No traceback in the daemon's log, but for those that a failing disk explains."""
    excused = any({"unwritten", "traces"} & call.allowed for call in evidence.calls)
    for line in evidence.traces:
        if not (excused and any(re.search(known, line) for known in NAMED_TRACES)):
            yield Violation("no traceback in the log", 0, re.sub(r"0x[0-9a-f]+|\d\d+", "N", line[:200]))


def one_daemon(evidence: Evidence) -> Iterator[Violation]:
    if evidence.daemons > 1:
        yield Violation("one daemon", 0, f"{evidence.daemons} daemons run")


def daemon_comes_back(evidence: Evidence) -> Iterator[Violation]:
    if not evidence.is_answering:
        yield Violation("the daemon comes back", 0, "after the fault was over and calls were made, none answers")


def nothing_is_left_behind(evidence: Evidence) -> Iterator[Violation]:
    for what, found in (("a process", evidence.strays), ("a file", evidence.leftovers)):
        for one in found:
            yield Violation("nothing is left behind", 0, f"{what}: {one}")


def no_zombies(evidence: Evidence) -> Iterator[Violation]:
    if evidence.zombies:
        yield Violation("no zombies", 0, f"{len(evidence.zombies)} below the daemon")


def counters_are_exact(evidence: Evidence) -> Iterator[Violation]:
    """The breaker's count and the refusals of each session are what the journal has, not one more or less."""
    if evidence.journal_trouble:
        return
    failures, refused = count_journalled(evidence)
    happened = evidence.before.failures + failures
    if evidence.counters.failures != happened:
        yield Violation("counters", 0, f"the breaker counts {evidence.counters.failures} failures, {happened} happened")
    for session, count in evidence.counters.refusals.items():
        happened = evidence.before.refusals.get(session, 0) + refused[session]
        if count != happened:
            yield Violation("counters", 0, f"session {session} has {count} refusals, {happened} happened")


def senders_are_known(evidence: Evidence) -> Iterator[Violation]:
    """Only an event whose dispatcher we ended changes nothing: nobody can see any more who has sent it."""
    for call in evidence.calls:
        if (
            not call.is_cut
            and "strangers" not in call.allowed
            and any(row.is_disowned for row in evidence.rows.get(call.token, ()))
        ):
            yield Violation("senders are known", call.step, f"{call.shape.name} {call.token} counts as a stranger's")


def breaker_stays_tripped(evidence: Evidence) -> Iterator[Violation]:
    if not evidence.counters.is_tripped:
        yield Violation("state never relaxes", 0, "the breaker was tripped and is not any more")


def background_ran_once(evidence: Evidence) -> Iterator[Violation]:
    yield from _find_doubled(evidence.sentinel, "background hook")
    for call in evidence.calls:
        if call.shape.name == "glob" and not evidence.sentinel[call.token]:
            yield from _find_missing(evidence, call, ("background hook", "hooks"))


def audit_lines_once(evidence: Evidence) -> Iterator[Violation]:
    yield from _find_doubled(evidence.audit, "audit line")
    for call in evidence.calls:
        is_disowned = any(row.is_disowned for row in evidence.rows.get(call.token, ()))
        if call.shape.name == "echo" and not evidence.audit[call.token] and not is_disowned:
            yield from _find_missing(evidence, call, ("audit line", "effects"))


def loss_is_told(evidence: Evidence) -> Iterator[Violation]:
    """Where a fault destroys what was written, somebody is told which file it was."""
    if evidence.missing_before and not evidence.is_loss_told:
        lost = len(evidence.missing_before)
        yield Violation("losses are told", 0, f"{lost} events are gone and nothing names {evidence.lost_file}")


def log_is_bounded(evidence: Evidence) -> Iterator[Violation]:
    if evidence.log_bytes > LARGEST_LOG:
        yield Violation("the write-ahead log is bounded", 0, f"{evidence.log_bytes >> 20} MB")


def descriptors_do_not_grow(evidence: Evidence) -> Iterator[Violation]:
    usual, now = evidence.usual_descriptors, evidence.descriptors
    if usual and now > usual + SPARE_DESCRIPTORS:
        yield Violation("descriptors do not grow", 0, f"{usual} became {now}")


def count_journalled(evidence: Evidence) -> tuple[int, Counter[str]]:
    """How many failures of the tripped project, and how many refusals of each session, the journal has."""
    rows = [row for found in evidence.rows.values() for row in found if not row.is_disowned]
    failures = sum(row.event == "PostToolUseFailure" and row.root == evidence.tripped_root for row in rows)
    return failures, Counter(row.session for row in rows if row.kind == "deny")


def _find_doubled(found: Counter[str], what: str) -> Iterator[Violation]:
    for token, count in found.items():
        if count > 1:
            yield Violation(f"{what} once", read_step(token), f"{token}: {count} times")


def _find_missing(evidence: Evidence, call: Call, about: tuple[str, str]) -> Iterator[Violation]:
    what, excuse = about
    if call.is_counted and excuse not in call.allowed and _must_have_effect(evidence, call):
        yield Violation(f"{what} once", call.step, f"{call.token}: it is in the journal, and this never happened")


def read_step(token: str) -> int:
    """The step in whose calls a token was used."""
    return int(token[1:].partition("-")[0])


def _must_have_effect(evidence: Evidence, call: Call) -> bool:
    rows = evidence.rows.get(call.token, ())
    return bool(rows) and rows[0].kind not in ("deny", "ask")


def _is_unjudged(call: Call) -> bool:
    """Whether no engine has judged it, and the fault does not explain that."""
    if call.is_unchecked:
        # After an act there is nothing left to refuse.
        excuses = {"unchecked"} if call.shape.event == "PreToolUse" else {"unheard", "unchecked"}
        return not excuses & call.allowed
    return call.is_unheard and not {"unheard", "unchecked"} & call.allowed


def _owes_row(call: Call) -> bool:
    is_answered = call.exit is not None and not call.is_cut and "unkept" not in call.allowed
    return is_answered and not (call.is_unchecked or call.is_unheard or call.is_unwritten)


def _is_same_answer(call: Call, row: Row) -> bool:
    # The line that says why it is not on disk is added after the record was made.
    if call.is_unwritten or not row.is_exact:
        return call.exit == row.exit
    return (call.exit, call.stdout, call.stderr) == (row.exit, row.stdout, row.stderr)


def _describe(exit: int | None, stdout: bytes, stderr: bytes) -> str:
    return f"exit {exit} {stdout[:90]!r} {stderr[:90]!r}"


INVARIANTS: tuple[Invariant, ...] = (
    answered_is_journalled_once,
    journalled_stays,
    journal_is_readable,
    told_is_journalled,
    forbidden_is_stopped,
    switched_off_is_told,
    nothing_is_unchecked,
    unwritten_is_excused,
    exits_are_known,
    calls_are_in_time,
    answers_are_clean,
    log_is_clean,
    one_daemon,
    daemon_comes_back,
    nothing_is_left_behind,
    no_zombies,
    counters_are_exact,
    senders_are_known,
    breaker_stays_tripped,
    background_ran_once,
    audit_lines_once,
    loss_is_told,
    log_is_bounded,
    descriptors_do_not_grow,
)


def find_violations(evidence: Evidence) -> list[Violation]:
    return [violation for invariant in INVARIANTS for violation in invariant(evidence)]

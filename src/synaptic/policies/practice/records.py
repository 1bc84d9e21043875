"""The one-line files of a project's `.claude/` folder: how they are written and what can be read from them."""

from datetime import UTC, datetime

from synaptic.model.project import TestStatus

RECORDS_FOLDER = ".claude"
TEST_STATUS_FILE = ".test-status"
STRIKES_FILE = ".test-gate-strikes"
AUDIT_FILE = ".audit-log"
FINDINGS_FILE = ".agent-findings"
BREAKER_FILE = ".lint-breaker"
LINT_CACHE_FILE = ".lint-cache"
PRESERVED_FILE = ".preserved-context"
TEST_LOCK, TEST_LAST_RUN, TEST_OUTPUT = ".test-runner.lock", ".test-runner.last-run", ".test-runner.out"


def make_record_path(root: str, name: str) -> str:
    """Where a project keeps such a file."""
    return f"{root.rstrip('/')}/{RECORDS_FOLDER}/{name}"


def make_session_name(stem: str, session: str) -> str:
    """The name of one session's own file; an id that could leave the folder cannot."""
    safe = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in session)
    return f"{stem}-{safe}" if safe else stem


def format_audit_line(at: float, event: str, detail: str) -> str:
    """`YYYY-MM-DDTHH:MM:SS|event|detail`, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}|{event}|{detail}"


def format_status_line(status: TestStatus) -> str:
    """`result|failures|epoch`."""
    return f"{status.result}|{status.failures}|{int(status.at)}\n"


def parse_status_line(text: str) -> TestStatus | None:
    """The status in such a line; None for anything else, which then counts as unknown."""
    parts = text.strip().split("|")
    if len(parts) != 3 or parts[0] not in ("pass", "fail"):
        return None
    # `isdigit` alone accepts characters that `int` does not, such as a superscript two.
    if not (parts[1].isascii() and parts[1].isdigit() and parts[2].isascii() and parts[2].isdigit()):
        return None
    # Other programs write this file too: a number of a thousand digits must not be converted.
    if max(len(parts[1]), len(parts[2])) > 15:
        return None
    return TestStatus(result=parts[0], failures=int(parts[1]), at=float(parts[2]))

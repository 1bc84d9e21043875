"""The log of a process of ours: what an error quotes from an event is redacted like everything else that is kept."""

import logging
import sys
import traceback
from types import TracebackType

from synaptic.store.redact import redact_text


class RedactedFormatter(logging.Formatter):
    """A line of a log without secrets, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return redact_text(super().format(record))


def redact_log() -> None:
    """Redact what this process logs and how it dies. Both go to stderr, which is the daemon's log."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(RedactedFormatter())
    sys.excepthook = _print_redacted


def _print_redacted(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    sys.stderr.write(redact_text("".join(traceback.format_exception(kind, error, at))))

"""Output of a hook process, and the failures that are made from it."""

import signal

import msgspec

from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.event import Event, Unknown
from synaptic.model.hook import Hook
from synaptic.model.text import cut_start

OUTPUT_LIMIT = 1024 * 1024
STDERR_LIMIT = 64 * 1024
SNIPPET_LENGTH = 200

HookAnswer = Verdict | Failure | None
"""What a hook answered: a verdict, a failure, or None for no opinion."""


class ProcessOutput(msgspec.Struct, frozen=True):
    """What a process printed and how it ended; a negative exit is the signal that killed it."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit: int = 0

    @property
    def text(self) -> str:
        return _decode_text(self.stdout)

    @property
    def errors(self) -> str:
        return _decode_text(self.stderr[:STDERR_LIMIT])


def get_event_name(event: Event) -> str:
    """The canonical event name; an unknown event keeps the name it came with."""
    return event.hook_event_name if isinstance(event, Unknown) else type(event).__name__


def describe_hook(hook: Hook) -> str:
    """Describe a hook for messages to people."""
    return f"hook {hook.id} (skill {hook.skill})" if hook.skill else f"hook {hook.id}"


def shorten_text(text: str) -> str:
    """Shorten a text to its start, on one line."""
    return cut_start(" ".join(text.split()), SNIPPET_LENGTH)


def make_crash_failure(hook: Hook, output: ProcessOutput) -> Failure:
    """Make the failure of a process whose exit is an error in its protocol."""
    detail = f": {shorten_text(output.errors)}" if output.errors else ""
    return Failure(Fault.CRASH, f"{describe_hook(hook)} {_describe_exit(output.exit)}{detail}", output.errors)


def make_output_failure(hook: Hook, problem: str, output: ProcessOutput | None = None) -> Failure:
    """Make the failure of an answer that cannot be understood."""
    return Failure(Fault.OUTPUT, f"{describe_hook(hook)} {problem}", output.errors if output else "")


def make_length_failure(hook: Hook) -> Failure:
    """Make the failure of an answer over the size limit."""
    return make_output_failure(
        hook, f"printed more than {OUTPUT_LIMIT // 1024 // 1024} MiB; print one short JSON object"
    )


def make_timeout_failure(hook: Hook, seconds: float) -> Failure:
    """Make the failure of a process that did not answer in time."""
    advice = f"raise its `timeout` in {hook.source}" if hook.source else "raise its `timeout`"
    return Failure(
        Fault.TIMEOUT, f"{describe_hook(hook)} gave no answer within {seconds:g} s and was stopped ({advice})"
    )


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"exited with {code}"
    known = {int(number): number.name for number in signal.Signals}
    return f"was killed by {known.get(-code, f'signal {-code}')}"


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff").strip()

"""The process of one file with policies: `python -m synaptic.sdk.worker FILE [MODULE]`.

It loads the file once, then answers each line of JSON with one. What the policies print goes to stderr, their stdin is
empty, and whatever else they do is done to this process.
"""

import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from functools import partial
from typing import BinaryIO

import msgspec

from synaptic.runners.policy_wire import WorkerOpening, WorkerReply, WorkerRequest
from synaptic.sdk.answer import answer_question
from synaptic.sdk.load import PolicyFileError, describe_error, load_policy_file
from synaptic.sdk.policy import Policy

MEMORY_LIMIT = 1 << 30
"""Bytes of address space. A policy that wants more gets MemoryError, and its next call a new process."""
TRACE_CHARS = 4000
LOOK_SECONDS = 5.0
"""Between looks whether the engine is still there."""


class PolicyWorker:
    """The file of this process, loaded with its first request."""

    def __init__(self, file: str, module: str) -> None:
        self._file = file
        self._module = module
        self._opening = WorkerOpening()
        self._pid = os.getpid()
        self._policies: dict[str, type[Policy]] | None = None

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Answer until the engine has no more questions."""
        self._opening = msgspec.json.decode(requests.readline() or b"{}", type=WorkerOpening)
        for line in requests:
            request = msgspec.json.decode(line, type=WorkerRequest)
            reply = self._answer_safely(request)
            if os.getpid() != self._pid:  # a policy has forked, and this is the child: the parent answers
                os._exit(0)
            # What could not be loaded may have left halves of modules behind: the next try is another process's.
            is_last = self._policies is None or reply.error.partition(": ")[2].startswith("MemoryError")
            answers.write(msgspec.json.encode(msgspec.structs.replace(reply, is_last=is_last)) + b"\n")
            answers.flush()
            if is_last:
                return

    def _answer_safely(self, request: WorkerRequest) -> WorkerReply:
        try:
            answer = self._answer(request)
            return WorkerReply(number=request.number, answer=msgspec.Raw(msgspec.json.encode(answer)))
        except PolicyFileError as error:
            return WorkerReply(number=request.number, error=str(error))
        except BaseException as error:  # noqa: BLE001 - foreign code; also its sys.exit must not end the worker
            why = describe_error(error, self._file).encode("utf-8", "replace").decode()
            trace = traceback.format_exc()[-TRACE_CHARS:].encode("utf-8", "replace").decode()
            return WorkerReply(number=request.number, error=why, trace=trace)

    def _answer(self, request: WorkerRequest) -> object:
        if self._policies is None:
            # A compiled copy is taken for current when its source was changed twice in a second.
            sys.dont_write_bytecode = True
            sys.pycache_prefix = self._opening.compiled or None
            self._policies = load_policy_file(self._file, self._module, self._opening.accepted)
        if request.kind == "ask":
            policy = self._policies.get(request.policy)
            if policy is None:
                raise PolicyFileError(f"{self._file}: has no policy {request.policy}")
            return answer_question(policy, request)
        if request.kind == "describe":
            # What only the catalog asks for is imported then: most workers only answer questions.
            from synaptic.sdk.described import describe_file  # noqa: PLC0415

            return describe_file(self._file, self._policies, request.tables)
        from synaptic.sdk.cases import run_case_file  # noqa: PLC0415

        return run_case_file(self._policies, request.text)


def main() -> None:
    """Serve until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    _limit_memory()
    threading.Thread(target=partial(_end_with_engine, os.getppid()), daemon=True).start()
    PolicyWorker(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "").serve(requests, answers)


def _limit_memory() -> None:
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - not on every system

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _end_with_engine(engine: int) -> None:
    """A policy that loops for ever must not outlive an engine that was killed."""
    while os.getppid() == engine:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()

"""Client of the daemon: the same frame as the compiled `dispatch` for events, JSON-RPC for everything else."""

import os
import socket
import time
from pathlib import Path

import msgspec

import synaptic
from synaptic.daemon.address import connect_daemon
from synaptic.daemon.frame import (
    ANSWERED,
    STDIN_LIMIT,
    TOO_LARGE_STDIN,
    AnswerReader,
    AnswerReply,
    RequestDelivery,
    pack_request,
)
from synaptic.daemon.lifecycle import POLL_SECONDS, find_home, is_held
from synaptic.daemon.rpc import REQUEST_VARIABLES
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.dispatcher import ANSWERED_EXIT

SILENCE_TIMEOUT = 5.0
"""A living daemon sends a byte each second."""
STARTING_TIMEOUT = 3.0
SCRIPT_STDERR = 3
ID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class RpcError(DaemonError):
    """The daemon answered, and the answer is an error."""

    def __init__(self, code: int, message: str, word: str = "") -> None:
        super().__init__(message, where=f"rpc error {code}")
        self.code = code
        self.word = word
        """The code as a word, such as NOT_FOUND; "" where the answer has none."""


def send_request(home: Home, request: Request, *, is_repeated: bool = False) -> Answer | None:
    """The daemon's answer, or None when there is no usable daemon and the engine has to run here."""
    try:
        with _open_connection(home) as connection:
            _send_frame(connection, pack_request(RequestDelivery(synaptic.__version__, request, is_repeated)))
            reply = _receive_reply(connection)
    except (OSError, DaemonError):
        # Whatever went wrong, the engine here decides. The call id is the same: if the daemon has written its
        # answer already, that is given again, and no hook runs twice.
        return None
    return reply.answer if reply.status == ANSWERED else None


def call_rpc(home: Home, method: str, params: object = None, timeout: float = 30.0) -> object:
    """One JSON-RPC call. Raises RpcError for an error the daemon answers, DaemonError when it does not answer."""
    given = {} if params is None else params
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given, "env": _caller_environment()}
    try:
        reply = msgspec.json.decode(_post_json(home, msgspec.json.encode(body), timeout), type=dict[str, object])
    except (OSError, msgspec.DecodeError) as error:
        hint = "type: synaptic daemon status"
        raise DaemonError(f"{method} got no answer: {error}", where=str(home.socket), hint=hint) from error
    if isinstance(failure := reply.get("error"), dict):
        data = failure.get("data")
        word = str(data.get("code", "")) if isinstance(data, dict) else ""
        raise RpcError(int(failure.get("code", 0)), str(failure.get("message", "")), word)
    return reply.get("result")


def _caller_environment() -> dict[str, str]:
    """Collect the variables that say who asks, and from which folder."""
    known = {name: os.environ[name] for name in REQUEST_VARIABLES if name in os.environ}
    here = find_own_folder()
    return {"CWD": here, **known} if here else known


def find_own_folder() -> str:
    """Where this process runs; empty when that folder is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def is_responding(home: Home) -> bool:
    """Whether the daemon answers at all; a stopped or stuck process does not."""
    try:
        call_rpc(home, "daemon.status", timeout=SILENCE_TIMEOUT)
    except RpcError:
        return True  # an error is an answer too: the process is alive
    except DaemonError:
        return False
    return True


def new_call_id() -> str:
    """48 bits of milliseconds and 80 of chance: sorts by time, needs no coordination."""
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    return "".join(ID_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def main(argv: list[str]) -> int:
    """What the Python dispatcher does: `argv` is its own path, then the words after it."""
    home = _find_home(Path(argv[0]))
    # `--entry=` only marks our entries in the settings of an agent.
    words = [word for word in argv[1:] if not word.startswith("--entry=")][:2]
    agent, event = words if len(words) == 2 else ("claude", "".join(words))
    stdin = _read_stdin()
    stdin = stdin if len(stdin) <= STDIN_LIMIT else TOO_LARGE_STDIN
    request = Request(
        agent=agent, event=event, stdin=stdin, id=new_call_id(), env=dict(os.environ), cwd=find_own_folder()
    )
    answer = send_request(home, request)
    return ANSWERED_EXIT + (_print_answer(answer) if answer is not None else _answer_here(home, request))


def _answer_here(home: Home, request: Request) -> int:
    from synaptic.daemon import fallback  # noqa: PLC0415  the whole engine, which a living daemon makes unnecessary

    given: list[Answer] = []

    def deliver(answer: Answer) -> None:
        given.append(answer)
        _print_answer(answer)

    if fallback.answer_in_turn(home, request, deliver):
        fallback.leave_daemon(home, synaptic.__version__)
    return given[0].exit


def _open_connection(home: Home) -> socket.socket:
    end = time.monotonic() + STARTING_TIMEOUT
    while True:
        try:
            connection = connect_daemon(home, SILENCE_TIMEOUT)
        except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
            # The lock is held and nobody listens yet: a daemon is starting, and waiting is quicker than an engine here.
            # BlockingIOError: its backlog is full.
            if time.monotonic() >= end or not is_held(home):
                raise
            time.sleep(POLL_SECONDS)
        else:
            return connection


def _send_frame(connection: socket.socket, frame: bytes) -> None:
    try:
        connection.sendall(frame)
    except (BrokenPipeError, ConnectionResetError):
        return  # an answer given before everything was read still counts


def _receive_reply(connection: socket.socket) -> AnswerReply:
    reader = AnswerReader()
    while piece := connection.recv(1 << 16):
        if reply := reader.feed(piece):
            return reply
    raise DaemonError("the daemon closed the connection before its answer")


def _post_json(home: Home, body: bytes, timeout: float) -> bytes:
    from http.client import HTTPException, HTTPResponse  # noqa: PLC0415  takes longer to import than a call takes

    head = f"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with connect_daemon(home, timeout) as connection:
        connection.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
        response = HTTPResponse(connection, method="POST")
        try:
            response.begin()
            return response.read()
        except HTTPException as error:
            raise OSError(f"not an HTTP answer: {error!r}") from error


def _find_home(script: Path) -> Home:
    """From the script's own path, since a repository can set a hook's environment."""
    folder = script.resolve().parent
    return Home(folder.parent) if folder.name == "bin" else find_home(os.environ)


def _read_stdin() -> bytes:
    try:
        with open(0, "rb", closefd=False) as file:
            return file.read(STDIN_LIMIT + 1)
    except OSError:
        return b""


def _find_stderr() -> int:
    """The agent's: the script keeps it at 3, so that nothing but an answer gets there."""
    try:
        os.fstat(SCRIPT_STDERR)
    except OSError:
        return 2
    return SCRIPT_STDERR


def _print_answer(answer: Answer) -> int:
    for fd, content in ((1, answer.stdout), (_find_stderr(), answer.stderr)):
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(fd, rest) :]
            except OSError:
                break  # an agent that closed the pipe still goes by the exit code
    return answer.exit

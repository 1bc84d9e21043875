"""What one run of the client left behind: what the model saw, what the hooks said, what was printed."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.clients.script import flat


class ToolResult(msgspec.Struct, frozen=True):
    """The result of one tool call, as the model saw it."""

    text: str
    is_error: bool


class Outcome(msgspec.Struct, frozen=True):
    """Everything that one run of the client can be asked about."""

    exit: int
    stdout: str
    stderr: str
    requests: tuple[dict[str, Any], ...]

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Every tool result, in the order in which the model first saw it."""
        seen = {block["tool_use_id"]: block for block in self._result_blocks()}
        return tuple(ToolResult(flat(block.get("content")), block.get("is_error", False)) for block in seen.values())

    @property
    def result(self) -> ToolResult:
        (only,) = self.results
        return only

    @property
    def context(self) -> str:
        """What the model was told beside prompts and tool results, as the last request has it."""
        last = self.requests[-1]["messages"]
        return "\n".join(flat(message["content"]) for message in last if message["role"] == "system")

    @property
    def heard(self) -> str:
        """Everything that the model was told."""
        return "\n".join(flat(message["content"]) for message in self._messages())

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """The client's own report, one object a line."""
        return tuple(json.loads(line) for line in self.stdout.splitlines() if line.startswith("{"))

    @property
    def answer(self) -> str:
        """The client's last word."""
        return next((line.get("result", "") for line in reversed(self.lines) if line["type"] == "result"), "")

    def hooks(self, event: str = "") -> tuple[dict[str, Any], ...]:
        """The answers of hooks, as the client understood them."""
        told = (line for line in self.lines if line.get("subtype") == "hook_response")
        return tuple(line for line in told if event in ("", line["hook_event"]))

    def _messages(self) -> Iterator[dict[str, Any]]:
        for request in self.requests:
            yield from request["messages"]

    def _result_blocks(self) -> Iterator[dict[str, Any]]:
        for message in self._messages():
            blocks = message["content"] if isinstance(message["content"], list) else []
            yield from (block for block in blocks if block.get("type") == "tool_result")

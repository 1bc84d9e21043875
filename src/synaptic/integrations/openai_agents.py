"""The OpenAI Agents SDK: `guard(tools)` puts the engine before and after every function tool.

A guardrail of that SDK can let a call go, or give the model a text in its place. So a question is a refusal here, and a
rewrite a refusal that says what to call instead. Only function tools have guardrails: what the SDK runs by itself
(hosted tools, its own shell) is not seen.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from agents import FunctionTool, ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolOutputGuardrail
from synaptic.agents.shared.discover import OWN_NAME
from synaptic.integrations.ask_engine import EngineDoor, ask_in_thread, choose_home
from synaptic.model.home import Home
from synaptic.model.result import HookResult

BEFORE, AFTER = "PreToolUse", "PostToolUse"
MOST_CALLS = 1024
LONGEST_OUTPUT = 64 * 1024


class _Verdict(msgspec.Struct, frozen=True):
    is_refused: bool
    text: str
    """Why, or what the model should know."""


def guard(tools: Iterable[Any], home: Home | Path | str | None = None) -> list[Any]:
    """The tools, each function tool with the engine as its last guardrail before and its first one after a call."""
    door = ToolDoor(EngineDoor(choose_home(home)))
    found = list(tools)
    for tool in found:
        if isinstance(tool, FunctionTool):
            tool.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), door.before]
            tool.tool_output_guardrails = [door.after, *(tool.tool_output_guardrails or ())]
    return found


class ToolDoor:
    """What is asked about the tools of one program."""

    def __init__(self, door: EngineDoor) -> None:
        self._door = door
        self._session = f"openai-agents-{os.getpid()}-{id(self):x}"
        self._advice: dict[str, str] = {}
        """By call: a text that can only be told with its output."""
        self.before: ToolInputGuardrail[Any] = ToolInputGuardrail(self._judge, "synaptic")
        self.after: ToolOutputGuardrail[Any] = ToolOutputGuardrail(self._tell, "synaptic")

    async def _judge(self, data: Any) -> ToolGuardrailFunctionOutput:
        said = await self._ask(BEFORE, data)
        if said.is_refused:
            return ToolGuardrailFunctionOutput.reject_content(said.text)
        if said.text and len(self._advice) < MOST_CALLS:
            self._advice[data.context.tool_call_id] = said.text
        return ToolGuardrailFunctionOutput.allow()

    async def _tell(self, data: Any) -> ToolGuardrailFunctionOutput:
        said = await self._ask(AFTER, data, tool_response=str(data.output)[:LONGEST_OUTPUT])
        texts = [self._advice.pop(data.context.tool_call_id, ""), said.text]
        told = "\n\n".join(filter(None, texts))
        if not told:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(f"{data.output}\n\n{told}")

    async def _ask(self, event: str, data: Any, **more: object) -> _Verdict:
        call = data.context
        payload = {
            "event_type": event,
            "session_id": self._session,
            "cwd": os.getcwd(),  # noqa: PTH109
            "tool_name": call.tool_name,
            "tool_input": _read_arguments(call.tool_arguments),
            "tool_use_id": call.tool_call_id,
            **more,
        }
        answer = await ask_in_thread(self._door, self._door.build_request((OWN_NAME, event), payload))
        try:
            result = msgspec.json.decode(answer.stdout or b"{}", type=HookResult)
        except msgspec.DecodeError as error:
            result = HookResult(error=f"the engine's answer cannot be read: {error}" if event == BEFORE else "")
        is_refused = event == BEFORE and bool(answer.exit or result.error)
        text = "\n".join(filter(None, dict.fromkeys((result.error, *result.messages_to_user))))
        return _Verdict(is_refused, text or answer.stderr.decode("utf-8", "replace").strip() if is_refused else text)


def _read_arguments(text: str) -> object:
    """The input as the tool gets it; what is no JSON is judged as it is."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text

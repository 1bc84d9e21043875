"""A person's program with the OpenAI Agents SDK: its runner and tools are the true ones, its model follows a script."""

import asyncio
import json
import os
import subprocess
import sys

from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from synaptic.integrations.openai_agents import guard


class ScriptedModel(Model):
    """Calls one tool a turn, and remembers what it was told."""

    def __init__(self, turns):
        self.turns, self.seen = list(turns), []

    async def get_response(self, system_instructions, input, *more, **others):
        self.seen = [item["output"] for item in input if isinstance(item, dict) and "output" in item]
        number = len(self.turns)
        words = self.turns.pop(0) if self.turns else None
        if words is None:
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            output = [ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )]  # fmt: skip
        else:
            given = json.dumps({"command": words})
            output = [ResponseFunctionToolCall(
                name="run_shell", call_id=f"call_{number}", arguments=given, type="function_call"
            )]  # fmt: skip
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *given, **others):
        raise NotImplementedError


@function_tool
def run_shell(command: str) -> str:
    """Runs a command."""
    command = os.environ["SHORTCUT"] if command == "shortcut" else command
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    return f"exit {done.returncode}: {done.stdout}{done.stderr}"


async def main() -> None:
    model = ScriptedModel(json.load(sys.stdin))
    agent = Agent(name="helper", model=model, tools=guard([run_shell]))
    await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
    json.dump(model.seen, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())

"""`synaptic check`: what the policies say about a call that nobody makes. Nothing is written, nothing is run."""

import asyncio
from typing import Annotated, Any

import msgspec
import typer

from synaptic.cli import batch, screen
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.errors import SynapticError

app = make_verb_app()
DECISION_EXITS = {"allow": 0, "deny": 2, "ask": 3, "rewrite": 4}

EXAMPLES = """
synaptic check 'git push -f origin main'
synaptic check --tool Read --input '{"file_path": "/etc/passwd"}'
synaptic check --jsonl < calls.jsonl    objects with tool_name, tool_input, cwd; one answer a line
"""


@app.command(epilog=format_examples(EXAMPLES))
def check(
    command: Annotated[str | None, typer.Argument(help="A shell command.")] = None,
    tool: Annotated[str, typer.Option(help="The tool, instead of a shell command.")] = "",
    given: Annotated[str, typer.Option("--input", metavar="JSON", help="The tool's input.")] = "",
    cwd: Annotated[str, typer.Option(help="The folder the call is made in.")] = "",
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read calls from stdin, one object a line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Ask the policies about a call: exit code 0 allow, 2 deny, 3 ask, 4 rewrite (1 failed, 64 misused)."""
    place = find_place(cwd)
    checker = Checker(place.home)
    if jsonl:
        _refuse_arguments(command, tool, given)
        asyncio.run(batch.answer_lines(checker, place.utf8_cwd))
        return
    question = {**_make_call(command, tool, given), "cwd": place.utf8_cwd}
    answer = summarize_decision(asyncio.run(checker.decide(question)))
    if as_json:
        screen.print_json(answer)
    else:
        _print_answer(answer)
    raise typer.Exit(DECISION_EXITS[str(answer["decision"])])


def parse_tool_input(text: str) -> dict[str, Any]:
    """The object given as `--input`."""
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise SynapticError(f"`--input` is no JSON object: {error}", hint="quote it: --input '{\"key\": 1}'") from None


def _make_call(command: str | None, tool: str, given: str) -> dict[str, Any]:
    if (command is None) == (not tool):
        raise typer.BadParameter("give a shell command, or --tool NAME --input JSON, or --jsonl")
    if command is None:
        return {"tool_name": tool, "tool_input": parse_tool_input(given)}
    if given:
        raise typer.BadParameter("--input goes with --tool")
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def _refuse_arguments(command: str | None, tool: str, given: str) -> None:
    if command is not None or tool or given:
        raise typer.BadParameter("--jsonl reads its calls from stdin; give nothing else")


def _print_answer(answer: dict[str, Any]) -> None:
    by = f" by {answer['policy']}" if answer["policy"] else ""
    screen.say(f"{answer['decision']}{by}")
    if answer["reason"]:
        screen.say(f"  {answer['reason']}")
    if answer["updated_input"] is not None:
        screen.say(f"  {_format_rewrite(answer['updated_input'])}")


def _format_rewrite(new: dict[str, Any]) -> str:
    command = new.get("command")
    return command if isinstance(command, str) else msgspec.json.encode(new, enc_hook=str).decode()

"""`synaptic check`: what everything that is registered says about a call that nobody makes. Nothing is written."""

import os
from typing import Annotated, Any

import msgspec

from synaptic.cli import progress, screen, suggestions, typer
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon.consult import CheckedCall, ask_here, ask_running
from synaptic.model.errors import SynapticError

app = make_verb_app()
DECISION_EXITS = {"allow": 0, "deny": 2, "ask": 3, "rewrite": 4}

EXAMPLES = """
synaptic check 'git push -f origin main'
synaptic check --tool Read --input '{"file_path": "/etc/passwd"}'
synaptic check --policies-only 'rm -rf build'    no script runs, no state counts
synaptic check --jsonl < calls.jsonl    objects with tool_name, tool_input, cwd; one answer a line
"""


@app.command(epilog=format_examples(EXAMPLES))
def check(
    command: Annotated[str | None, typer.Argument(help="A shell command.")] = None,
    tool: Annotated[str, typer.Option(help="The tool, instead of a shell command.")] = "",
    given: Annotated[str, typer.Option("--input", metavar="JSON", help="The tool's input.")] = "",
    cwd: Annotated[
        str, typer.Option(help="The folder the call is made in.", autocompletion=suggestions.complete_projects)
    ] = "",
    policies_only: Annotated[bool, typer.Option("--policies-only", help="Ask the policies, and no script.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read calls from stdin, one object a line.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Ask every hook about a call: exit code 0 allow, 2 deny, 3 ask, 4 rewrite (1 failed, 64 misused).

    All that an agent would meet here is asked, with state as it is: the policies and your own hooks, whose scripts do
    run. Hooks of a project that are not trusted do not, nor those that nobody waits for. Nothing is written.
    """
    place = find_place(cwd)
    if jsonl:
        _refuse_arguments(command, tool, given)
        _answer_lines(place, policies_only)
        return
    question = {**_make_call(command, tool, given), "cwd": place.utf8_cwd}
    answer = ask_about(place, CheckedCall(question, read_environment(policies_only), policies_only))
    if as_json:
        screen.print_json(answer)
    else:
        _print_answer(answer)
    raise typer.Exit(DECISION_EXITS[str(answer["decision"])])


def ask_about(place: CommandPlace, call: CheckedCall) -> dict[str, Any]:
    """What is said about a call: by the daemon, where one of this code runs, else by an engine here."""
    return ask_running(place.home, call) or _ask_here(place, call)


def read_environment(policies_only: bool) -> dict[str, str]:
    """What a hook would find around it; the project of a session around us is not the folder that is asked about."""
    if policies_only:
        return {"HOME": os.path.expanduser("~")}  # noqa: PTH111  as the engine has it
    return {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}


def _ask_here(place: CommandPlace, call: CheckedCall) -> dict[str, Any]:
    from synaptic.cli.waiting import run_to_end  # noqa: PLC0415  asyncio, which a daemon makes unnecessary

    with progress.show_progress("asking every hook"):
        return run_to_end(ask_here(place.home, call))


def _answer_lines(place: CommandPlace, policies_only: bool) -> None:
    from synaptic.cli import batch  # noqa: PLC0415  the engine, as above
    from synaptic.cli.waiting import run_to_end  # noqa: PLC0415
    from synaptic.engine.check import Checker  # noqa: PLC0415

    checker = Checker(place.home, everything=not policies_only, env=read_environment(policies_only))
    run_to_end(batch.answer_lines(checker, place.utf8_cwd))


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
    print(screen.paint_word(answer["decision"]) + screen.clean_text(by))
    if answer["reason"]:
        screen.say_wrapped(answer["reason"], indent=2)
    if answer["updated_input"] is not None:
        screen.say_exactly(f"  {_format_rewrite(answer['updated_input'])}")
    # Not on stdout: a script compares that, and it says what was decided.
    if screen.is_terminal():
        screen.note(_describe_asked(answer["asked"]))
    for problem in answer["problems"]:
        screen.warn(f"this is not asked as it is written: {problem}")
    for absent in answer["asked"]["not_run"]:
        screen.note(f"not run: {absent['hook']} ({absent['why']})")


def _describe_asked(asked: dict[str, Any]) -> str:
    count, hooks = asked["policies"], asked["hooks"]
    policies = "1 policy" if count == 1 else f"{count} policies"
    return f"asked: {policies}" + (f" and {', '.join(hooks)}" if hooks else "")


def _format_rewrite(new: dict[str, Any]) -> str:
    command = new.get("command")
    return command if isinstance(command, str) else msgspec.json.encode(new, enc_hook=str).decode()

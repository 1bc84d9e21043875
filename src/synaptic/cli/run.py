"""`synaptic run`: an agent in this terminal, started again when it has to be."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from synaptic.cli import completion, screen, typer
from synaptic.cli.place import CommandPlace, find_place, is_utf8, open_database
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.fleet import commands, identity
from synaptic.fleet.identity import AgentIdentity
from synaptic.fleet.pace import RestartPace
from synaptic.fleet.supervisor import SupervisedCommand, Supervisor
from synaptic.model.errors import SynapticError
from synaptic.store.lease import locate_lease
from synaptic.store.supervision import SupervisedAgent

app = make_verb_app()

EXAMPLES = """
synaptic run -- claude                           named after its tmux pane, or after itself
synaptic run --agent api --label API -- claude   with a name of your own
synaptic run --parent lead -- codex exec "..."   the agent `lead` hears of its errors
"""


@app.command(epilog=format_examples(EXAMPLES), context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="The agent and its arguments.")],
    agent: Annotated[str, typer.Option(metavar="ID", help="Its name; else AGENT_ID, else that of the pane.")] = "",
    label: Annotated[str, typer.Option(help="What people call it.")] = "",
    parent: Annotated[
        str,
        typer.Option(metavar="ID", help="The agent that coordinates it.", autocompletion=completion.complete_agent_ids),
    ] = "",
    restarts: Annotated[
        int, typer.Option(min=0, help="Starts after crashes, within ten minutes.")
    ] = RestartPace().restarts,
    prompt_arg: Annotated[str, typer.Option(metavar="FLAG", help="COMMAND's option for a prompt, if unusual.")] = "",
) -> None:
    """Run an agent here, and again when its context is full or it has crashed. Its exit code is ours."""
    place, words = find_place(), tuple(command)
    if not shutil.which(words[0]):
        raise SynapticError("there is no such program", where=words[0], hint="is it installed and on PATH?")
    who = identity.choose_identity(agent, words, os.environ)
    with open_database(place.home):
        pass  # made now, where there is none
    with _hold_lease(place, who) as name:
        outer = identity.find_outer_agent(place.home.root, name, os.environ)
        charge = SupervisedAgent(
            agent=name,
            label=label,
            kind=commands.read_program_name(words),
            project=place.root if is_utf8(place.root) else "",
            parent=parent or outer,
            # The pane belongs to the agent that started this one: its colour must not change with it.
            pane="" if outer else identity.read_pane(os.environ),
            pid=os.getpid(),
            chosen=who.chosen,
        )
        environ, pace = {**os.environ, **identity.make_agent_variables(charge)}, RestartPace(restarts=restarts)
        task = SupervisedCommand(charge=charge, command=words, environ=environ, prompt_flag=prompt_arg, pace=pace)
        code = Supervisor(place.home, task, screen.warn).run()
    raise typer.Exit(code)


@contextmanager
def _hold_lease(place: CommandPlace, who: AgentIdentity) -> Iterator[str]:
    """Hold the lease while the agent is supervised; the lease file of a made-up name is deleted at the end."""
    name, lease = identity.claim_name(place.home.root, who)
    try:
        yield name
    finally:
        if not who.chosen:
            # While we still hold it: afterwards the file may be the lease of another supervisor.
            locate_lease(place.home.root, name).unlink(missing_ok=True)
        os.close(lease)

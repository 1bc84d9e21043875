"""`synaptic appeal`: what an agent has to say against a refusal. It is written down, and changes no verdict."""

from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.work.appeals import MOST_WHY, FileAppeal

app = make_verb_app()

EXAMPLES = """
synaptic appeal k7qmd "the four lines are generated; make writes them again"
"""


@app.command(epilog=format_examples(EXAMPLES))
def appeal(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The five letters that the refusal named.")],
    why: Annotated[list[str], typer.Argument(metavar="WHY", help="Why the call was meant well.")],
    as_json: Json = False,
) -> None:
    """Say why a refused call was meant well. A person reads it; nothing is allowed by it, and the call stays refused.

    One text for each refusal: a later one takes the place of the one before.
    """
    command = FileAppeal(code=code, why=" ".join(why))
    found = carry_out(command)
    if as_json:
        screen.print_json(command.answer(found))
        return
    screen.say(found.told)
    if found.shortened:
        screen.warn(f"only the first {MOST_WHY} characters were kept")

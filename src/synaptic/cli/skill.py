"""`synaptic skill`: the package verbs under the name that agents and their users know."""

from typing import Annotated

from synaptic.cli import (
    bootstrap,
    diff,
    freeze,
    info,
    install,
    outdated,
    remove,
    search_packages,
    typer,
    upgrade,
    verify,
)
from synaptic.cli.verbs import make_verb_app
from synaptic.model.refusal import Refusal

EXAMPLES = """
synaptic skill install policy-guard
synaptic skill plan install policy-guard   the plan alone
"""

app = make_verb_app("Skill packages: the same verbs as without `skill`.", EXAMPLES)

PLANNED_VERBS = ("install", "upgrade", "remove")

for _name, _command in (
    ("install", install.install),
    ("upgrade", upgrade.upgrade),
    ("remove", remove.remove),
    ("bootstrap", bootstrap.bootstrap),
    ("search", search_packages.search),
    ("info", info.info),
    ("list", freeze.freeze),
    ("outdated", outdated.outdated),
    ("verify", verify.verify),
    ("diff", diff.diff),
):
    app.command(_name)(_command)


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def plan(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="install, upgrade or remove, and its words.")],
) -> None:
    """Show what install, upgrade or remove would do, and write nothing: safe to allow an agent without asking."""
    if words[0] not in PLANNED_VERBS:
        raise Refusal("invalid_args", f"there is no plan for `{words[0]}`", hint=f"one of: {', '.join(PLANNED_VERBS)}")
    group = typer.get_command(app)
    arguments = [*words, *context.args]
    # Not standalone: errors and exit codes are handled once, in main.py.
    group.main([*arguments, "--dry-run"], prog_name="synaptic skill", standalone_mode=False)

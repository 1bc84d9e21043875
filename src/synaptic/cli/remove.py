"""`synaptic remove`: a package's hooks and files out again; the agent's settings and everybody else's stay."""

from typing import Annotated

from synaptic.cli import plan as plans
from synaptic.cli import progress, screen, typer
from synaptic.cli.completion import complete_installed_packages
from synaptic.cli.place import find_place
from synaptic.cli.sites import DryRunOption, ForceOption, ScopeOption, YesOption, choose_sites, find_one_site
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages.remove import RemovalPlan, apply_removals, prepare_removal

app = make_verb_app()

EXAMPLES = """
synaptic remove policy-guard
synaptic remove policy-guard --scope global --yes
"""


@app.command(epilog=format_examples(EXAMPLES))
def remove(
    name: Annotated[str, typer.Argument(help="An installed package.", autocompletion=complete_installed_packages)],
    scope: ScopeOption = None,
    force: ForceOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    as_json: Json = False,
) -> None:
    """Show what goes, and after a yes remove it. Files that were changed here need --force; a copy of them is kept."""
    place = find_place()
    sites = choose_sites(place, scope) if scope == "both" else (find_one_site(place, name, scope)[0],)
    removals = [prepare_removal(site, name) for site in sites]
    plan = [line for removal in removals for line in removal.summarise()]
    if not as_json:
        plans.print_plans(plan)
    if not dry_run:
        # After the plan was shown: it says which files those are.
        _refuse_changed(removals, force)
        if not plans.confirm_plan(yes, "Remove this?"):
            raise typer.Exit(1)
        with progress.show_progress(f"removing {name}"):
            apply_removals(place.home, removals)
    if as_json:
        screen.print_json({"ok": True, "plan": plan, "written": not dry_run})
    elif not dry_run:
        for line in plan:
            screen.say(f"removed {line.package} {line.version} ({line.scope})")


def _refuse_changed(removals: list[RemovalPlan], force: bool) -> None:
    changed = [path for removal in removals for path in removal.modified_files]
    if changed and not force:
        hint = "look with `synaptic diff`, then add --force"
        raise Refusal("confirmation_required", f"{', '.join(changed)} was changed here", hint=hint)

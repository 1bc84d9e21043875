"""Infrastructure that is described in files, torn down."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.state_files import STATE_HINT, find_deleted_state
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import get_script, get_work_folders
from synaptic.shell.read.script import Command, Script

HARM = read_harm("infrastructure", "tear down infrastructure, with the data that is kept there")
STATE_TEXT = (
    "is the only record of what was built: without it nothing can be changed or torn down in order. Copy it to another "
    "name first (`cp terraform.tfstate terraform.tfstate.kept`), or take single parts out with `terraform state rm`."
)
PLANNERS = frozenset({"terraform", "tofu", "terragrunt"})


class Provisioning(AskedHarm):
    """Tearing down what terraform and its like have built.

    ## What it does
    Asks before `terraform destroy`, `terraform apply` of a plan that destroys (`-destroy`, a plan that the same line
    makes with `plan -destroy`, or one called so), `pulumi down`, `cdk destroy` and removals from their state, before
    the state itself is deleted (`rm terraform.tfstate`, unless the same line has copied it), and before machines of
    this machine are deleted with their disks (`virsh undefine --remove-all-storage`). Plans and previews are free.
    `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    What a saved plan holds is not read. Programs that call the same service through a library are not looked at.
    """

    id = "infra.provisioning"
    harm = HARM

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, HARM.programs)
        planned = _find_applied_plan(found) if found else None
        if planned:
            return HARM.tell(planned, self.firm)
        return super().check(event, facts) or self._judge_state(event, facts)

    def _judge_state(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or STATE_HINT not in known.text:
            return None
        name = find_deleted_state(known, get_work_folders(event, facts))
        return (deny if self.firm else ask)(f"{name!r} {STATE_TEXT}") if name else None


def _find_applied_plan(found: Script) -> Command | None:
    """The command that applies what the same line has planned to destroy."""
    called = [command for command in found.commands if command.name in PLANNERS]
    planned = next((one.index for one in called if "plan" in one.args and "-destroy" in one.args), None)
    if planned is None:
        return None
    return next((one for one in called if one.index > planned and "apply" in one.args), None)

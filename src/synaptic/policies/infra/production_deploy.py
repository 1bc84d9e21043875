"""Deployments that change what is in production."""

from collections.abc import Iterator
from typing import Annotated

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.deploy_scripts import SCRIPT_RUNNERS, deploys_by_script
from synaptic.policies.infra.environments import (
    PRODUCTION_HINTS,
    goes_elsewhere,
    goes_to_production,
    name_environment,
)
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

LOSS = "change what runs in production, for everybody who uses it"
INSTEAD = (
    "Show the plan, a dry run or a preview first (`plan`, `--dry-run`, a staging environment) and let the user deploy."
)
ALWAYS = read_harm("production", LOSS, INSTEAD)
NAMED = read_harm("deployment", LOSS, INSTEAD)
HOSTING_REMOTES = split_names("heroku dokku piku gigalixir")
"""Names that programs of hosts give the remote from which they deploy."""
PUSH = frozenset({"git push"})
REHEARSED = frozenset({"--dry-run", "-n", "--delete", "-d"})


class ProductionDeploy(Policy):
    """Deploying to production.

    ## What it does
    Asks before what goes to production, unless the line names another environment: `terraform apply -auto-approve`
    without a saved plan, `pulumi up --yes`, `cdk deploy --require-approval never`, `vercel --prod`, `netlify deploy
    --prod`, `fly deploy`, `firebase deploy`, `wrangler deploy`, `kamal deploy`, `git push heroku main`, `aws ecs
    update-service --desired-count 0`. Asks before other deployments when their words name production: a namespace, a
    context, a stage, a stack, an inventory, a file or folder called `prod`, `production` or `prd` (`kubectl apply -n
    prod`, `helm upgrade --kube-context prod`, `sls deploy --stage prod`, `cap production deploy`, `ansible-playbook -i
    inventories/production`, `gh workflow run deploy.yml -f environment=production`, `npm run deploy:prod`, `./deploy.sh
    production`), also in a variable (`AWS_PROFILE=prod`), a folder that the line goes to, or a command before it that
    chooses one (`kubectl config use-context prod`). Free are plans, dry runs and previews, clusters of this machine,
    and every other environment (`staging`, `dev`, `test`, `preview`). `firm` denies instead.
    ## Why
    What is deployed is what people get from then on, and whether now is a good time is not in the command.
    ## Known gaps
    Scripts of a project whose words do not name production (`npm run deploy`), files copied to a server, commands for a
    server over ssh, and images (`docker push`) are not looked at, nor is a prompt that is answered by a pipe. Which
    environment a context, a linked project or a configuration stands for is not looked up.
    """

    id = "infra.production-deploy"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = ALWAYS.tools | NAMED.tools | PUSH | SCRIPT_RUNNERS
    priority = 26
    preset = "essentials"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        start = event.cwd or facts.root
        for command, found in ALWAYS.iter_destroying(event, facts):
            if not goes_elsewhere(command, found, start):
                return ALWAYS.tell(command, self.firm)
        if facts.command is None:
            return None
        if (push := next(_iter_pushes(facts.command), None)) is not None:
            return ALWAYS.tell(push, self.firm)
        if not any(hint in facts.command.low_text for hint in PRODUCTION_HINTS):
            return None
        for command, found in NAMED.iter_destroying(event, facts):
            if goes_to_production(command, found, start):
                return NAMED.tell(command, self.firm)
        run = next(filter(deploys_by_script, facts.command.script.commands), None)
        return NAMED.tell(run, self.firm) if run is not None else None


def _iter_pushes(known: CommandReading) -> Iterator[Command]:
    """Pushes to a remote from which is deployed: that of a host, or one that is called production."""
    if "push" not in known.git_verbs:
        return
    yield from filter(_deploys, known.script.by_name.get("git", ()))


def _deploys(command: Command) -> bool:
    args = command.args
    place = args.index("push") if "push" in args else -1
    if place < 0 or not REHEARSED.isdisjoint(args):
        return False
    remote = next((text for text in args[place + 1 :] if text[:1] != "-"), "")
    return remote in HOSTING_REMOTES or (
        ":" not in remote and "/" not in remote and name_environment((remote,)) is True
    )

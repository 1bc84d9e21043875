"""Resources of cloud accounts deleted."""

from typing import Annotated

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import harm
from synaptic.policies.reading import SHELLS

HARM = harm(
    "resources or backups",
    {
        "aws": r"(?:^|\s)(?:(?:delete|terminate|deregister|destroy|purge)-\S+|s3 r[mb]\b|s3 sync .*--delete"
        r"|schedule-key-deletion)",
        "gcloud gsutil bq": r"(?:^|\s)(?:delete|rm|rb|destroy)\b|rsync .*-d\b",
        "az": r"(?:^|\s)(?:delete|purge|delete-batch|deallocate)\b",
        "doctl linode-cli hcloud vultr-cli scw ibmcloud oci": r"(?:^|\s)(?:delete|destroy|rm|terminate|remove)\b",
        "heroku": r"(?:apps|addons|pipelines):destroy|pg:reset|ps:stop",
        "fly flyctl": r"(?:^|\s)(?:destroy|delete)\b",
        "vercel netlify wrangler railway render firebase": r"(?:^|\s)(?:remove|rm|delete|destroy|\S*:delete)\b",
        "gh glab": r"(?:^|\s)(?:repo|release|secret|variable|run|cache) delete\b|repo archive|-X DELETE",
        "rclone": r"^(?:purge|delete|deletefile|rmdirs|sync|cleanup)\b",
        "restic borg": r"(?:^|\s)(?:forget|prune|delete|key remove)\b",
        "vault consul etcdctl nomad": r"(?:^|\s)(?:delete|destroy|del|secrets disable|job stop .*-purge)\b",
    },
)


class Cloud(Policy):
    """Deleting what lives in a cloud account.

    ## What it does
    Asks before deletions with aws, gcloud, az and the command lines of other providers, of GitHub repositories and
    releases, and of backups. Dry runs, plans and listings are free. `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    Programs that call the same service through a library are not looked at.
    """

    id = "infra.cloud"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 26
    preset = "strict"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return HARM.verdict(event, facts, self.firm)

"""Resources of cloud accounts deleted."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.listed import FORGES, find_ended_list
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import get_script

HARM = read_harm("cloud", "delete what lives in a cloud account, or a backup, and nothing brings it back")
EXPOSURE = read_harm(
    "exposure",
    "make readable for everybody what was private, and what was copied then stays copied",
    "Name who needs it and give it to them alone, or let the user do this.",
)
PROTECTION = read_harm(
    "protection",
    "go past the checks and reviews that a branch is protected by",
    "Let them end (`gh pr checks`, `gh pr merge --auto`), or let the user merge.",
)


class Cloud(AskedHarm):
    """Deleting what lives in a cloud account.

    ## What it does
    Asks before deletions with aws, gcloud, az and the command lines of other providers, or through their libraries in
    Python and JavaScript (boto3, `google.cloud`, `azure`, `aws-sdk`), of GitHub repositories, releases and issues, and
    of backups; before requests, issues or runs of a forge are closed or deleted as an unfiltered list names them (`gh
    pr list | xargs gh pr close`, also with glab); and before what was private is made readable for everybody (`gh repo
    edit --visibility public`, `aws s3api put-bucket-acl --acl public-read`); before requests with the method DELETE to
    the forge (`gh api -X DELETE repos/o/r/branches/main/protection`), other than for comments, labels, reactions, runs
    and their like; before the files of a release are replaced (`gh release upload --clobber`); and before a request is
    merged past its checks (`gh pr merge --admin`). Dry runs and listings are free, and so are single objects, messages
    and tags, one request that is closed with its branch, which the forge keeps (`gh pr close 12 --delete-branch`),
    services at an address of this machine (`--endpoint-url http://localhost:4566`), stand-ins (`moto`), and mirroring a
    folder that a build makes (`aws s3 sync dist s3://site --delete`), unless the bucket is called after what users have
    put in (`uploads`, `backups`). `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    Libraries of other languages, and files of code that are only run, are not looked at.
    """

    id = "infra.cloud"
    harm = HARM
    speaks_of = HARM.tools | EXPOSURE.tools | PROTECTION.tools

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        judged = super().check(event, facts) or EXPOSURE.judge(event, facts, self.firm)
        return judged or PROTECTION.judge(event, facts, self.firm) or self._check_listed(event, facts)

    def _check_listed(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, FORGES)
        command = find_ended_list(found) if found is not None else None
        if command is None:
            return None
        verb = " ".join((command.name, *command.args[:2]))
        return (deny if self.firm else ask)(
            f"`{verb}` would run for everything that the list holds, whoever it belongs to. Print the list first, and "
            "name those that are meant (`--author @me`, `--label`, their numbers), or let the user do it."
        )

"""Which environment the words of a line name: production, another one, or none."""

import re
from collections.abc import Iterable, Iterator

from synaptic.policies.throwaway import is_in_local_cluster, iter_option_values, iter_variables
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script

PRODUCTION_HINTS = ("prod", "prd")
"""One of these stands in every text that names production, in lower case."""
NEAR_PRODUCTION = re.compile(r"(?:pre|non|not|no|post)[-_.]?(?:production|prod|prd)", re.IGNORECASE)
"""What is called after production and is not."""
PRODUCTION = re.compile(r"(?<![^\W_])(?:production|prod|prd)\d*(?![^\W_])", re.IGNORECASE)
CAPITAL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
"""Where a word begins in a name like `ApiProdStack`."""
OTHER = re.compile(
    r"(?<![^\W_])(?:dev|devel|development|staging|stage|stg|test|tests|testing|qa|uat|e2e|sandbox|preview|review|demo|local"
    r"|localhost|localstack|minikube|kind|k3d|scratch|playground|ephemeral|emulator|preprod)\d*(?![^\W_])",
    re.IGNORECASE,
)
"""Names of environments that nobody is served from."""
TARGET_OPTIONS = split_names(
    "-n --namespace --context --kube-context --kubeconfig --stage -s --stack --env -e --environment --target-env"
    " --project -P --profile -d --destination -a --app --site --stack-name --cluster --limit -l -i --inventory --host"
    " --extra-vars -chdir --chdir -var-file --workspace --branch --channel --name --config -c --resource-group -g"
    " --function-name -H --target-org -o"
)
"""Options that say where something goes."""
BUILD_VARIABLES = split_names("NODE_ENV MIX_ENV RAILS_ENV RACK_ENV BABEL_ENV APP_ENV")
"""What they name is how something is built, not where it goes."""
WORKSPACE = "workspace (?:select|new)"
CHOOSERS = {
    name: re.compile(form)
    for name, form in (
        ("kubectl", "config (?:use-context|set-context)"),
        ("oc", "project"),
        ("kubectx", ""),
        ("kubens", ""),
        ("docker", "context use"),
        *((name, WORKSPACE) for name in ("terraform", "tofu", "terragrunt")),
        ("pulumi", "stack (?:select|init)"),
        ("firebase", "use"),
        ("eb", "use"),
        ("gcloud", "config (?:set|configurations activate)|container clusters get-credentials"),
        ("az", "account set|aks get-credentials"),
        ("aws", "eks update-kubeconfig"),
        ("aws-vault", "exec"),
        ("heroku", "git:remote"),
    )
}
"""Commands that choose where later ones go, by the words behind their names."""
MACHINE_OPTIONS = split_names("-H --host -c --context")
COMPOSE_PROGRAMS = split_names("docker docker-compose podman nerdctl")
"""What they start runs here, whatever their files are called, unless another machine is named."""


def goes_to_production(command: Command, found: Script, start: str) -> bool:
    """Whether the nearest words that name an environment name production; `start` is the folder the line begins in."""
    return _find_environment(command, found, start) is True


def goes_elsewhere(command: Command, found: Script, start: str) -> bool:
    """Whether the nearest words that name an environment name another one than production."""
    return _find_environment(command, found, start) is False


def _find_environment(command: Command, found: Script, start: str) -> bool | None:
    """Whether it is production; None when nothing names an environment. What stands nearer to the command counts."""
    if is_in_local_cluster(command, found):
        return False
    return next(
        (said for words in _iter_levels(command, found, start) if (said := name_environment(words)) is not None), None
    )


def name_environment(words: Iterable[str]) -> bool | None:
    """Whether these words name production, which counts more than another environment beside it."""
    text = CAPITAL.sub("-", "\n".join(word[:MAX_PATH] for word in words))
    plain = NEAR_PRODUCTION.sub("staging", text)
    if PRODUCTION.search(plain):
        return True
    return False if OTHER.search(plain) else None


def _iter_levels(command: Command, found: Script, start: str) -> Iterator[Iterable[str]]:
    """The words that may name the environment, the nearest ones first."""
    is_here = command.name in COMPOSE_PROGRAMS and "stack" not in command.args
    options = MACHINE_OPTIONS if is_here else TARGET_OPTIONS
    targets = [value for name, value in iter_option_values(command) if name in options]
    yield targets if is_here else [*targets, *_iter_glued(command)]
    yield _list_variables(command, found)
    yield _list_chosen(command, found)
    if is_here:
        return
    yield _list_values(command)
    if command.cwd != start:
        yield command.cwd.removeprefix(start).split("/")[-2:]
    for one in found.find_upstream(command):
        yield _list_values(one)


def _iter_glued(command: Command) -> Iterator[str]:
    """The value of a short option that stands in the same word: `-nprod`."""
    return (text[2:] for text in command.args if text[:1] == "-" and text[:2] in TARGET_OPTIONS and text[2:3] != "=")


def _list_values(command: Command) -> list[str]:
    """What a command is told, without the names of its options: `--local-only` names no environment."""
    return [text if text[:1] != "-" else text.partition("=")[2] for text in command.args]


def _list_variables(command: Command, found: Script) -> list[str]:
    return [value for name, value in iter_variables(command, found) if name not in BUILD_VARIABLES]


def _list_chosen(command: Command, found: Script) -> list[str]:
    """What the last command before it has chosen."""
    for one in reversed(found.commands[: command.index]):
        form = CHOOSERS.get(one.name)
        text = " ".join(one.args)[:MAX_PATH]
        if form is not None and one is not command and (choice := form.match(text)) and text != choice[0]:
            return [text[choice.end() :]]
    return []

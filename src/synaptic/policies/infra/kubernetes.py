"""Objects in a cluster deleted."""

from itertools import pairwise

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.verbs import is_dry_run, read_harm
from synaptic.policies.reading import get_script, select_commands
from synaptic.policies.throwaway import is_chained, is_in_local_cluster, is_test_name
from synaptic.shell.read.script import Command, Script

HARM = read_harm("cluster", "delete what runs in a cluster, with the volumes that belong to it")

SCALERS = frozenset({"kubectl", "oc"})
NAMESPACE_WORDS = (["ns"], ["namespace"], ["namespaces"])


class Kubernetes(AskedHarm):
    """Deleting what runs in a cluster.

    ## What it does
    Asks before `kubectl delete` of anything but single pods, jobs and replica sets, which are made again, before
    `kubectl drain`, `kubectl scale --replicas=0` of everything (or of one thing, where the context or the namespace is
    called `prod`), `helm uninstall`, and the removal of clusters. Dry runs are free, and so is a cluster of this
    machine, when the command says so: a context of kind, k3d, minikube, Docker Desktop, Rancher Desktop, Colima,
    OrbStack or MicroK8s, named with `--context` or chosen before in the same line, a server at an address of this
    machine, and namespaces that are named after tests or that the same line has made. `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    Which context is chosen outside the command is not looked up. Libraries are read in Python alone.
    """

    id = "infra.kubernetes"
    harm = HARM
    speaks_of = HARM.tools | SCALERS

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return super().check(event, facts) or self._check_listed(event, facts)

    def _check_listed(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        """Whatever is listed, scaled to nothing: `kubectl get deploy -o name | xargs kubectl scale --replicas=0`."""
        found = get_script(event, facts, SCALERS)
        if found is None:
            return None
        emptied = (one for one in select_commands(found, SCALERS) if _empties(one))
        listed = (one for one in emptied if any(map(_lists, found.find_upstream(one))))
        return next((HARM.tell(one, self.firm) for one in listed if not is_in_local_cluster(one, found)), None)

    def spares(self, command: Command, found: Script) -> bool:
        return is_in_local_cluster(command, found) or _names_tests(command) or _is_made_by_line(command, found)


def _empties(command: Command) -> bool:
    args = command.args
    zero = "--replicas=0" in args or ("--replicas", "0") in pairwise(args)
    return zero and "scale" in args and not is_dry_run(command)


def _lists(command: Command) -> bool:
    return command.name in SCALERS and "get" in command.args


def _names_tests(command: Command) -> bool:
    """Whether only namespaces are deleted, and all of them are named after tests."""
    names = _list_namespaces(command, "delete")
    return bool(names) and all(map(is_test_name, names))


def _is_made_by_line(command: Command, found: Script) -> bool:
    """Whether only a namespace is deleted that an earlier command has made; to make it fails when it is there."""
    names = _list_namespaces(command, "delete")
    return len(names) == 1 and any(
        one.name == command.name and _list_namespaces(one, "create") == names and is_chained(one, command, found)
        for one in reversed(found.commands[: command.index])
    )


def _list_namespaces(command: Command, verb: str) -> list[str]:
    """The namespaces that are all a command is about; a value of an option stands among them."""
    words = [text for text in command.args if text[:1] != "-"]
    return words[2:] if words[:1] == [verb] and words[1:2] in NAMESPACE_WORDS else []

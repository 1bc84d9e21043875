"""Programs that run a command on other machines, in the words behind theirs or in the value of an option."""

from synaptic.shell.programs.openssh import there
from synaptic.shell.programs.options import rest, value_of
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

HOSTS: dict[str, tuple[str, int]] = {
    "pdsh": ("-w -x -l -t -u -f -g -R -M", 0),
    "clush": ("-w -x -g -X -l -t -u -f -o -S", 0),
    "dsh": ("-m -g -f -o -r -F", 0),
    **dict.fromkeys(("pssh", "parallel-ssh", "prsync"), ("-h -H -l -p -o -e -t -O -x -X", 0)),
    "mosh": ("-p --port -I", 1),
    "sshrc": ("-p -i -o -l -F", 1),
    "rsh": ("-l", 1),
}
"""Options that take a value of their own, and whether the machine stands before the command."""
VERBS: dict[str, tuple[str, int]] = {
    "heroku": ("run run:detached", 0),
    "minikube": ("ssh", 0),
    "colima": ("ssh", 0),
    "docker-machine": ("ssh", 1),
    "multipass": ("exec", 1),
    "limactl": ("shell", 1),
    **dict.fromkeys(("lxc", "incus"), ("exec", 1)),
    "tsh": ("ssh", 1),
    "knife": ("ssh", 1),
    "salt": ("cmd.run cmd.shell", 0),
    "fab": ("--", 0),
    "vagrant": ("ssh", 0),
    **dict.fromkeys(("gcloud", "doctl", "fly", "flyctl", "eb"), ("ssh", 1)),
    "bolt": ("run", 0),
}
"""The verb behind which the command stands, and how many words are in between."""
VALUED = ("-a", "--app", "-s", "--size", "-i", "-e", "--env", "--node", "-p", "--profile", "--zone", "--project", "-u")
COMMANDS = frozenset({"-c", "-C", "--command", "--ssh-command"})
SHELLS = frozenset({"command", "shell", "raw", "win_shell", "win_command"})
"""Modules of ansible whose argument is a command line."""


def hosts(shell: Evaluation, call: Call) -> str | None:
    """`pdsh -w web[1-9] uptime`, `mosh host -- uptime`."""
    valued, skip = HOSTS[call.name]
    words = rest(call.words, valued.split(), skip)
    there(shell, call, words[1:] if words and words[0].text == "--" else words, call.name)
    return None


def verb(shell: Evaluation, call: Call) -> str | None:
    """`vagrant ssh -c uptime`, `heroku run -a app uptime`, `lxc exec box -- uptime`."""
    starts, skip = VERBS[call.name]
    place = next((at for at, word in enumerate(call.words) if word.text in starts.split()), None)
    if place is None:
        return None
    behind = call.words[place + 1 :]
    option = value_of(behind, COMMANDS)
    texts = [word.text for word in behind]
    if option is not None:
        there(shell, call, [option], call.name)
    elif "--" in texts:
        there(shell, call, behind[texts.index("--") + 1 :], call.name)
    else:
        words = rest(call.words[place:], VALUED, skip)
        there(shell, call, words if words and words[0].text[:1] != "-" else [], call.name)
    return None


def ansible(shell: Evaluation, call: Call) -> str | None:
    """`ansible all -m shell -a 'uptime'`; without a module it is `command`."""
    module = value_of(call.words[1:], frozenset({"-m", "--module-name"})) or Word("command")
    given = value_of(call.words[1:], frozenset({"-a", "--args"}))
    kind = module.text.rpartition(".")[2]
    if given is None:
        return None
    if kind in SHELLS:
        there(shell, call, [given], "ansible")
    pairs = dict(part.partition("=")[::2] for part in given.text.split())
    path = pairs.get("path") or pairs.get("dest") or pairs.get("name")
    if kind == "file" and pairs.get("state") == "absent" and path:
        shell.wrapped(Call([]), [Word("rm"), Word("-rf"), Word(path)], "ansible")
    return None


REMOTES: dict[str, Handler] = {
    **dict.fromkeys(HOSTS, hosts),
    **dict.fromkeys(VERBS, verb),
    "ansible": ansible,
}

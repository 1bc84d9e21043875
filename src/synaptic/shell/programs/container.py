"""Commands that run elsewhere: over ssh, in a container, in a cluster."""

from synaptic.shell.programs.openssh import OPENSSH
from synaptic.shell.programs.options import operands
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

DOCKER = frozenset(["-H", "-l", "-c", "--host", "--log-level", "--context", "--config"])
RUN = frozenset(
    [
        "-a",
        "-c",
        "-e",
        "-h",
        "-l",
        "-m",
        "-p",
        "-u",
        "-v",
        "-w",
        "--add-host",
        "--attach",
        "--cap-add",
        "--cap-drop",
        "--cidfile",
        "--cpus",
        "--device",
        "--dns",
        "--entrypoint",
        "--env",
        "--env-file",
        "--expose",
        "--gpus",
        "--group-add",
        "--hostname",
        "--ip",
        "--ipc",
        "--label",
        "--link",
        "--log-driver",
        "--log-opt",
        "--mac-address",
        "--memory",
        "--mount",
        "--name",
        "--network",
        "--net",
        "--pid",
        "--platform",
        "--publish",
        "--pull",
        "--restart",
        "--runtime",
        "--security-opt",
        "--shm-size",
        "--stop-signal",
        "--tmpfs",
        "--ulimit",
        "--user",
        "--userns",
        "--volume",
        "--volumes-from",
        "--workdir",
        "--index",
    ]
)
KUBECTL = frozenset(
    [
        "-n",
        "-c",
        "-f",
        "--namespace",
        "--container",
        "--context",
        "--kubeconfig",
        "--cluster",
        "--user",
        "--filename",
        "-s",
        "--server",
        "--token",
    ]
)


def docker(shell: Evaluation, call: Call) -> str | None:
    """`docker exec|run`, `docker container exec|run`, `docker compose exec|run`."""
    place = operands(call.words, DOCKER)
    while place < len(call.words) and call.words[place].text in ("container", "compose"):
        place = operands(call.words, DOCKER | {"-f", "-p", "--file", "--profile"}, place + 1)
    if place >= len(call.words) or call.words[place].text not in ("exec", "run"):
        return None
    return _inside(shell, call, place + 1, RUN)


def _inside(shell: Evaluation, call: Call, start: int, valued: frozenset[str]) -> str | None:
    place = operands(call.words, valued, start)
    entry = _entrypoint(call.words[start:place])
    inner = [*entry, *call.words[place + 1 :]]
    if not inner:
        return None
    kept, shell.cwd = shell.cwd, ""
    try:
        call = Call(call.words, call.name, stdin=call.stdin, span=call.span)
        return shell.wrapped(call, inner, call.name)
    finally:
        shell.cwd = kept


def _entrypoint(options: list[Word]) -> list[Word]:
    for place, word in enumerate(options):
        if word.text == "--entrypoint" and place + 1 < len(options):
            return [options[place + 1]]
        if word.text.startswith("--entrypoint="):
            return [Word(word.text.partition("=")[2], word.known)]
    return []


def kubectl(shell: Evaluation, call: Call) -> str | None:
    texts = [word.text for word in call.words]
    if "exec" not in texts and "run" not in texts and "debug" not in texts:
        return None
    if "--" in texts:
        inner = call.words[texts.index("--") + 1 :]
    elif "exec" in texts:
        inner = call.words[operands(call.words, KUBECTL, texts.index("exec") + 1) + 1 :]
    else:
        return None
    kept, shell.cwd = shell.cwd, ""
    try:
        return shell.wrapped(call, inner, call.name)
    finally:
        shell.cwd = kept


CONTAINERS: dict[str, Handler] = {
    **OPENSSH,
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose"), docker),
    **dict.fromkeys(("kubectl", "oc", "k3s"), kubectl),
}

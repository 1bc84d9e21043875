"""Programs that run a command on another machine or in a container, and what OpenSSH runs on this machine for that."""

import json
import re
from collections.abc import Sequence

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import ProgramEntry, find_program
from synaptic.shell.book.notation import OptionGrammar
from synaptic.shell.programs.pagers import start_pager
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ITEMS
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

LOCAL_COMMAND = re.compile(
    r"[ \t]*(ProxyCommand|LocalCommand|KnownHostsCommand|Match[ \t]+(?:\S+[ \t]+)*?exec)(?:[ \t]*=[ \t]*|[ \t]+)(.+)",
    re.IGNORECASE,
)
"""Settings whose value OpenSSH starts on this machine."""
LINE_MODULES = frozenset({"command", "shell", "raw", "win_shell", "win_command"})
"""Modules of ansible whose argument is a command line."""
DOCKER_GROUPS = frozenset({"container", "compose"})
"""Verbs of docker behind which another verb stands."""


def run_ssh(shell: Evaluation, call: CommandCall) -> str | None:
    """Options stand before the machine and behind it."""
    grammar = find_program(call.name).grammar
    given = read_arguments(call.words[1:], grammar)
    # `ssh host -o ProxyCommand=...`: OpenSSH takes options behind the machine, too, and runs what they name.
    more = read_arguments(given.operands[1:], grammar)
    for one in (given, more):
        _run_settings(shell, one, call)
    run_there(shell, call, more.operands, "ssh")
    return None


def run_there(shell: Evaluation, call: CommandCall, words: Sequence[Word], label: str) -> None:
    """Words that a shell on another machine joins and runs with the input of this command; without any, the input."""
    if not words and call.stdin is None:
        return
    text = " ".join(word.text for word in words) if words else call.stdin or ""
    where = shell.locate_code(words[0]) if len(words) == 1 else None
    # Variables and folders that are set over there do not hold here afterwards.
    with shell.feed_input(call.stdin if words else None), shell.isolate():
        shell.cwd = ""
        shell.run_code(text, label, where)


def copy_over_ssh(shell: Evaluation, call: CommandCall) -> str | None:
    """`scp` and `sftp` run what the settings say, and nothing else."""
    _run_settings(shell, read_call(call), call)
    return None


def _run_settings(shell: Evaluation, given: Arguments, call: CommandCall) -> None:
    lines = [value.text for value in given.get_by_role("setting")]
    for file in given.get_values("F"):
        lines += (find_text(shell, call, file) or "").splitlines()
    for line in lines[:MAX_ITEMS]:
        found = LOCAL_COMMAND.fullmatch(line.strip())
        if found and found[2].strip().lower() != "none":
            # On this machine: a label that begins with `ssh` would say that it runs on another one.
            shell.run_code(found[2].strip('"'), f"{found[1]} of {call.name}")
    for word in given.get_by_role("run"):
        shell.run_code(word.text, f"-S of {call.name}")


def find_text(shell: Evaluation, call: CommandCall, file: Word) -> str | None:
    """What a file holds, when the same text has written it or feeds it."""
    return call.stdin if file.text in ("-", "/dev/stdin") else shell.files.get(shell.make_file_key(file.text))


def start_remote(shell: Evaluation, call: CommandCall) -> str | None:
    """`pdsh -w web[1-9] uptime`, `vagrant ssh -c uptime`, `heroku run -a app uptime`, `lxc exec box -- uptime`."""
    program, words = find_program(call.name), call.words[1:]
    if program.verbs:
        place = next((at for at, word in enumerate(words) if program.find_verb(word.text)), None)
        if place is None:
            return None
        program, words = program.find_verb(words[place].text) or program, words[place + 1 :]
    run_there(shell, call, _find_remote_command(program, words), call.name)
    return None


def _find_remote_command(program: ProgramEntry, words: list[Word]) -> Sequence[Word]:
    """The value of an option wherever it stands, what stands behind `--`, or all behind the name of the machine."""
    grammar = program.grammar
    anywhere = read_arguments(words, OptionGrammar(grammar.names, grammar.letters, grammar.words))
    if lines := anywhere.get_by_role("run"):
        return lines[:1]
    if anywhere.dashes and program.roles.many:
        return anywhere.behind
    behind = program.read(words).operands[len(program.roles.first) :]
    return behind if behind and behind[0].text[:1] != "-" else ()


def run_ansible(shell: Evaluation, call: CommandCall) -> str | None:
    """`ansible all -m shell -a 'uptime'`; without a module it is `command`."""
    given = read_call(call)
    if not given.get_values("args") or given.has("check"):
        return None  # a rehearsal runs no command and changes nothing
    argument, kind = given.get_values("args")[0], (given.get_value("module-name") or "command").rpartition(".")[2]
    if kind in LINE_MODULES:
        run_there(shell, call, [argument], "ansible")
    pairs = dict(part.partition("=")[::2] for part in argument.text.split())
    path = pairs.get("path") or pairs.get("dest") or pairs.get("name")
    if kind == "file" and pairs.get("state") == "absent" and path:
        shell.run_wrapped(CommandCall([]), [Word("rm"), Word("-rf"), Word(path)], "ansible")
    return None


def run_docker(shell: Evaluation, call: CommandCall) -> str | None:
    """`docker exec|run`, `docker container exec|run`, `docker compose exec|run`."""
    program = find_program(call.name)
    given = program.read(call.words[1:])
    while given.words and given.words[0].text in DOCKER_GROUPS:
        given = (program.find_verb("compose") or program).read(given.operands[1:])
    verb = program.find_verb(given.words[0].text) if given.words else None
    if verb is None or not verb.operands:
        return None
    inside = verb.read(given.operands[1:])
    inner = [*inside.get_values("entrypoint")[:1], *inside.operands[1:]]
    return _run_inside(shell, CommandCall(call.words, call.name, stdin=call.stdin, span=call.span), inner)


def _run_inside(shell: Evaluation, call: CommandCall, words: list[Word]) -> str | None:
    """Run a command in a container, whose folders are not known."""
    kept, shell.cwd = shell.cwd, ""
    try:
        return shell.run_wrapped(call, words, call.name)
    finally:
        shell.cwd = kept


def run_kubectl(shell: Evaluation, call: CommandCall) -> str | None:
    texts = [word.text for word in call.words]
    if "exec" not in texts and "run" not in texts and "debug" not in texts:
        return None
    if "--" in texts:
        return _run_inside(shell, call, call.words[texts.index("--") + 1 :])
    if "exec" in texts:
        given = find_program(call.name).read(call.words[texts.index("exec") + 1 :])
        return _run_inside(shell, call, list(given.operands[1:]))
    return None


def run_aws(shell: Evaluation, call: CommandCall) -> str | None:
    """`aws ssm send-command --parameters 'commands=["uptime"]'`, `aws ecs execute-command --command uptime`."""
    start_pager(shell, call)
    texts = [word.text for word in call.words]
    if "send-command" in texts[:8] and "--parameters" in texts[:-1]:
        for line in _read_parameters(texts[texts.index("--parameters") + 1]):
            run_there(shell, call, [Word(line)], call.name)
        return None
    return start_remote(shell, call)


def _read_parameters(text: str) -> list[str]:
    """The lines of `commands=["a","b"]`, `commands=a` or `{"commands": ["a"]}`."""
    name, _, value = text.partition("=")
    try:
        given = json.loads(text if text.lstrip()[:1] == "{" else value)
    except ValueError:
        return [value] if name == "commands" else []
    lines = given.get("commands", ()) if isinstance(given, dict) else given
    return [line for line in lines if isinstance(line, str)][:MAX_ITEMS] if isinstance(lines, list) else []


ELSEWHERE: dict[str, ProgramHandler] = {
    "aws": run_aws,
    "ssh": run_ssh,
    "autossh": run_ssh,
    "scp": copy_over_ssh,
    "sftp": copy_over_ssh,
    "ansible": run_ansible,
    "docker": run_docker,
    "docker-compose": run_docker,
    "kubectl": run_kubectl,
}

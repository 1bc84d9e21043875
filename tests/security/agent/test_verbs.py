"""Verbs that loosen, trust, install or register, typed by an agent under any spelling."""

import sys
from collections.abc import Iterator

import pytest

from synaptic.policies.self.verbs import FOR_PEOPLE
from tests.daemon.setting import Setting
from tests.security.agent.processes import Done, Machine

PYTHON = sys.executable
ARGUMENTS = {
    "allow": "k7qmd",
    "bootstrap": "--fail open",
    "bundle build": "policy --out bundle.toml",
    "bundle follow": "git+/tmp/policy --key RWQ",
    "bundle key": "new ./mine.key",
    "bundle publish": "bundle.toml --hub http://127.0.0.1:1",
    "bundle sign": "bundle.toml --key ./mine.key",
    "config set": "presets $'[\\n]'",
    "doctor": "--fix",
    "up": "--fail open",
    "down": "--purge --yes",
    "follow-ups run": "1 --yes",
    "follow-ups drop": "1",
    "hook new": "--event PreToolUse mine",
    "hub login": "http://127.0.0.1:1",
    "hub revoke": "build-7",
    "hub token": "add eve",
    "inbox allow": "k7qmd --hub",
    "inbox uphold": "k7qmd",
    "inbox wrong": "k7qmd",
    "install": "--registry mine --scope global --yes pack",
    "join": "http://127.0.0.1:1 --code C",
    "person key": "eve",
    "skill install": "--registry mine --scope global --yes pack",
    "package promote": "pack --from a --to b",
    "case": "1",
    "policy advise": "git.force-push",
    "policy disable": "self.daemon",
    "policy enforce": "git.force-push",
    "policy shadow": "git.force-push",
    "policy enable": "self.daemon",
    "policy new": "acme.x",
    "registry use": "mine",
    "registry pull": "file:///x",
    "registry push": "file:///x",
    "registry rollback": "main",
    "remove": "pack --yes",
    "report": "--github",
    "rule add": "--run 'npm publish' --deny no",
    "rule from-event": "1 --yes",
    "rule remove": "a.b",
    "skill remove": "pack --yes",
    "skill bootstrap": "--fail open",
    "state set": "safemode active false",
    "state reset": "circuit_breaker",
    "trust": "--yes",
    "upgrade": "--yes --all",
    "skill upgrade": "--yes --all",
}
"""What makes each of them a whole command."""
SET = "config set presets []"
MAIN = f"import sys; sys.argv = ['synaptic', *{SET.split()!r}]; "
SPELLINGS = {
    "-m": f"{PYTHON} -m synaptic.cli.main {SET}",
    "-m without a space": f"{PYTHON} -msynaptic.cli.main {SET}",
    "isolated -m": f"{PYTHON} -I -m synaptic.cli.main {SET}",
    "main() in -c": f'{PYTHON} -c "{MAIN}from synaptic.cli.main import main; main()"',
    "the verb's own app": f'{PYTHON} -c "{MAIN}sys.argv[1:2] = []; from synaptic.cli.config import app; app()"',
    "the verb's function": f"{PYTHON} -c \"from synaptic.cli.config import assign; assign('presets', '[]')\"",
    "runpy": f"{PYTHON} -c \"{MAIN}import runpy; runpy.run_module('synaptic.cli.main', run_name='__main__')\"",
    "from stdin": f'echo "{MAIN}from synaptic.cli.main import main; main()" | {PYTHON} -',
    "a subprocess of Python": f"{PYTHON} -c \"import os, sys; sys.exit(os.system('synaptic {SET}') >> 8)\"",
    "without the mark": f"env -u CLAUDECODE synaptic {SET}",
    "an empty environment": f'env -i HOME="$HOME" PATH="$PATH" synaptic {SET}',
    "the short name": f"syn {SET}",
    "exec": f"exec synaptic {SET}",
    "sh -c": f"sh -c 'synaptic {SET}'",
    "eval": f"eval 'synaptic {SET}'",
    "a link": f'ln -s "$(command -v synaptic)" ./tool; ./tool {SET}',
    "a copy": f'cp "$(command -v synaptic)" ./copy; ./copy {SET}',
    "source": f"echo 'synaptic {SET}' > s.sh; . ./s.sh",
    "a script": f"echo 'synaptic {SET}' > s.sh; sh s.sh",
    "awk": f'awk \'BEGIN {{ print "synaptic {SET}" | "sh"; exit close("sh") }}\'',
    "xargs": f"echo {SET} | xargs synaptic",
    "find -exec": f"find . -maxdepth 0 -exec synaptic {SET} ';'",
    "timeout": f"timeout 20 synaptic {SET}",
    "nice": f"nice synaptic {SET}",
    "nohup": f"nohup synaptic {SET}",
    "setsid -w": f"setsid -w synaptic {SET}",
    "env -S": f"env -S 'synaptic {SET}'",
    "perl": f"perl -e 'exit(system(\"synaptic {SET}\") >> 8)'",
    "a background job": f"synaptic {SET} & wait $!",
    "a subshell": f"( ( synaptic {SET} ) )",
    "another shell": f"dash -c 'synaptic {SET}'",
    "a file as stdin": f"synaptic {SET} < /dev/null",
    "a terminal of its own": f"script -qec 'synaptic {SET}' /dev/null",
}
OWN_CODES = ("the verb's own app", "the verb's function", "find -exec", "xargs")
"""Spellings whose exit code says something else."""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """One machine for all attempts: none of them may change anything."""
    setting = Setting(tmp_path_factory.mktemp("m"))
    setting.install()
    setting.start()
    yield Machine(setting)
    setting.close()


@pytest.fixture(scope="module")
def answers(machine: Machine) -> dict[str, Done]:
    """Every attempt, by one agent."""
    commands = {verb: f"synaptic {verb} {ARGUMENTS.get(verb, '')}" for verb in FOR_PEOPLE} | SPELLINGS
    _, *found = machine.run_agent(machine.start_session(), ("tools", list(commands.values())))
    return dict(zip(commands, found, strict=True))


def is_refused(done: Done) -> bool:
    # Words only: a terminal of its own breaks the lines.
    return done.code == 3 and "type it in your own terminal" in " ".join((done.err + done.out).split())


@pytest.mark.parametrize("verb", FOR_PEOPLE)
def test_an_agent_is_refused_the_verb(answers: dict[str, Done], machine: Machine, verb: str) -> None:
    assert is_refused(answers[verb]), answers[verb]
    assert machine.setting.home.config.read_text() == 'trust = "all"\n'


@pytest.mark.parametrize("spelling", [name for name in SPELLINGS if name not in OWN_CODES])
def test_no_spelling_helps(answers: dict[str, Done], machine: Machine, spelling: str) -> None:
    assert is_refused(answers[spelling]), answers[spelling]
    assert machine.setting.home.config.read_text() == 'trust = "all"\n'


@pytest.mark.parametrize("spelling", OWN_CODES)
def test_no_spelling_helps_that_has_an_exit_code_of_its_own(
    answers: dict[str, Done], machine: Machine, spelling: str
) -> None:
    assert "this is for a person" in answers[spelling].err, answers[spelling]
    assert machine.setting.home.config.read_text() == 'trust = "all"\n'

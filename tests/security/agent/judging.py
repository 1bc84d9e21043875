"""What the guard says about a command, as its policies say it: nothing is run, and no file is looked at."""

import msgspec

from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.model.places import EnginePlaces
from synaptic.policies.base import load_policies
from synaptic.policies.facts import Facts, with_command

ROOT = "/home/u/project"
ENV = "/home/u/.local/pipx/venvs/synaptic-hooks"
SITE = f"{ENV}/lib/python3.12/site-packages"
SOURCE = "/opt/checkout/src/synaptic"
PLACES = EnginePlaces(
    home="/home/u/.synaptic",
    prefix=ENV,
    interpreters=(f"{ENV}/bin/python", f"{ENV}/bin/python3"),
    packages=(SITE,),
    code=(SOURCE, f"{SITE}/synaptic"),
)
FACTS = Facts(root=ROOT, home="/home/u", now=1736935200.0, engine_places=PLACES)
GUARDS = [kind() for kind in load_policies().values() if kind.preset == "essentials" and PreToolUse in kind.events]
STRICTNESS = (Kind.NONE, Kind.ASK, Kind.DENY)


def judge(command: str, facts: Facts = FACTS) -> Kind:
    """The strictest verdict of the guard on a shell command."""
    event = PreToolUse(hook_event_name="PreToolUse", cwd=facts.root, tool_name="Bash", tool_input={"command": command})
    known = with_command(facts, event)
    verdicts = [guard.check(event, known) for guard in GUARDS if not guard.tools or "Bash" in guard.tools]
    kinds = [verdict.kind for verdict in verdicts if verdict is not None and verdict.kind in STRICTNESS]
    return max(kinds, key=STRICTNESS.index, default=Kind.NONE)


def judge_as(command: str, **facts: object) -> Kind:
    """The same with other facts."""
    return judge(command, msgspec.structs.replace(FACTS, **facts))


def list_commands(text: str) -> list[str]:
    """One command a line, with the engine's folders under their names."""
    for name, folder in (("{SITE}", SITE), ("{ENV}", ENV), ("{SOURCE}", SOURCE)):
        text = text.replace(name, folder)
    return text.strip("\n").split("\n")

"""Which words after `synaptic` are for people only: what the command line refuses to agents, and the guard reads."""

from collections.abc import Mapping, Sequence

import msgspec

HELP_OPTIONS = frozenset({"--help", "-h"})


class PeopleOnly(msgspec.Struct, frozen=True):
    """A verb that an agent may not use, as the refusal says it."""

    what: str
    unless: tuple[str, ...] = ()
    """Options with which it changes nothing."""
    only: tuple[str, ...] = ()
    """Options without which it changes nothing."""

    def applies(self, options: Sequence[str]) -> bool:
        """Whether a command with these options is one that only people may use."""
        given = {option.partition("=")[0] for option in options}
        return (not self.only or not given.isdisjoint(self.only)) and given.isdisjoint(self.unless)


CHANGE_SETTINGS = PeopleOnly("change the settings")
CHANGE_STATE = PeopleOnly("change the state")
INSTALL = PeopleOnly("install packages", unless=("--dry-run",))
REMOVE = PeopleOnly("remove packages", unless=("--dry-run",))
UPGRADE = PeopleOnly("upgrade packages", unless=("--dry-run",))
SET_UP = PeopleOnly("change how the engine is called")
CHANGE_HOOKS = PeopleOnly("register hooks")
ADD_RULES = PeopleOnly("write rules for its user", unless=("--dry-run", "--project"))
CHANGE_RULES = PeopleOnly("write rules", unless=("--dry-run",))
ANSWER_REFUSALS = PeopleOnly("answer a refusal for a person")
CHANGE_REGISTRY = PeopleOnly("choose or change registries")

RUN_HUB = PeopleOnly("run a team's hub")
CHANGE_BUNDLE = PeopleOnly("choose whose bundles are believed")
SIGN_BUNDLE = PeopleOnly("sign for an organisation")
CHANGE_PIN = PeopleOnly("set or remove the PIN")

FOR_PEOPLE: Mapping[str, PeopleOnly] = {
    "allow": PeopleOnly("make exceptions"),
    "bootstrap": SET_UP,
    "bundle build": PeopleOnly("write bundles", only=("--out",)),
    "bundle drop": CHANGE_BUNDLE,
    "bundle follow": CHANGE_BUNDLE,
    "bundle key": SIGN_BUNDLE,
    "bundle publish": PeopleOnly("publish bundles"),
    "bundle sign": SIGN_BUNDLE,
    "case": PeopleOnly("write cases", unless=("--dry-run",)),
    "config set": CHANGE_SETTINGS,
    "daemon restart": PeopleOnly("restart the daemon"),
    "daemon stop": PeopleOnly("stop the daemon"),
    "doctor": PeopleOnly("repair the installation", only=("--fix",)),
    "down": PeopleOnly("take the engine out"),
    "follow-ups drop": PeopleOnly("drop what hooks asked for"),
    "follow-ups run": PeopleOnly("run what hooks asked for"),
    "grants revoke": PeopleOnly("take exceptions back"),
    "hook new": CHANGE_HOOKS,
    "hook register": CHANGE_HOOKS,
    "hub hosts": RUN_HUB,
    "hub invite": RUN_HUB,
    "hub migrate": RUN_HUB,
    "hub revoke": RUN_HUB,
    "hub serve": RUN_HUB,
    "hub token": RUN_HUB,
    "import cc-safety-net": CHANGE_RULES,
    "import claude": PeopleOnly("take over or give back an agent's hooks"),
    "import dcg": CHANGE_RULES,
    "import hookify": CHANGE_RULES,
    "import permissions": CHANGE_RULES,
    "inbox uphold": ANSWER_REFUSALS,
    "inbox wrong": ANSWER_REFUSALS,
    "install": INSTALL,
    "join": PeopleOnly("join a hub"),
    "leave": PeopleOnly("leave the hub"),
    "package promote": PeopleOnly("promote packages"),
    "pin remove": CHANGE_PIN,
    "pin set": CHANGE_PIN,
    "policy advise": PeopleOnly("switch policies"),
    "policy disable": PeopleOnly("switch policies"),
    "policy enable": PeopleOnly("switch policies"),
    "policy enforce": PeopleOnly("switch policies"),
    "policy new": PeopleOnly("write policies"),
    "policy shadow": PeopleOnly("switch policies"),
    "prune": PeopleOnly("forget events", unless=("--dry-run",)),
    "registry init": CHANGE_REGISTRY,
    "registry pull": CHANGE_REGISTRY,
    "registry push": CHANGE_REGISTRY,
    "registry rollback": CHANGE_REGISTRY,
    "registry use": CHANGE_REGISTRY,
    "remove": REMOVE,
    # It appends to the file that the environment names.
    "report": PeopleOnly("write the summary of a job", only=("--github",)),
    "rule add": ADD_RULES,
    "rule from-event": ADD_RULES,
    "rule remove": PeopleOnly("remove rules"),
    "skill bootstrap": SET_UP,
    "skill install": INSTALL,
    "skill remove": REMOVE,
    "skill upgrade": UPGRADE,
    "state reset": CHANGE_STATE,
    "state set": CHANGE_STATE,
    "trust": PeopleOnly("agree to hooks", unless=("--list",)),
    "up": PeopleOnly("change how the engine is called", only=("--ci", "--fail")),
    "upgrade": UPGRADE,
    "web": PeopleOnly("open the console"),
}
FOR_EVERYBODY = frozenset((
    "ability documents", "ability lint", "ability list", "ability run", "ability suggest", "agent list",
    "agent register", "agent show", "agent status", "agents show", "agents verify", "bundle pull", "bundle status",
    "bundle test", "bundle verify", "check",
    "completion", "config get", "config path", "config schema", "config show", "config validate",
    "daemon run", "daemon start", "daemon status", "diff",
    "effort dehydrate", "effort finish", "effort list", "effort log", "effort phase", "effort resume", "effort show",
    "effort start", "explain", "fleet focus", "fleet tmux", "follow-ups list", "freeze", "hook list", "hook test",
    "hook validate", "info", "list", "loop cancel", "loop check", "loop complete", "loop log", "loop start",
    "loop status", "messages", "outdated", "package diff", "package export", "package import", "package init",
    "package log", "package publish", "package verify", "policy list", "policy show", "policy test", "registry catalog",
    "registry channels", "registry scan", "registry serve", "rule list", "rule show", "rule test", "run",
    "search", "self-test", "session list", "sessions",
    "session show", "skill diff", "skill info", "skill list", "skill outdated", "skill plan", "skill search",
    "skill verify", "state get", "state list", "status", "tail", "task list", "task show", "top", "try", "usage",
    "verify", "grants list", "grants show", "pin status", "appeal", "inbox show", "mcp", "witness", "replay", "suggest",
    "ship now",
))  # fmt: skip
SPEAKING_EVENTS = frozenset({"UserPromptSubmit", "UserPromptExpansion", "DirectoryAdded"})
"""Events by which the user speaks."""
BY_ARGUMENT = frozenset({"emit", "rpc"})
"""What is said decides: an event by which the user speaks, a method that is for people."""


def find_people_only(words: Sequence[str]) -> PeopleOnly | None:
    """What makes a command one that only people may use; None for one that everybody may."""
    named = [word for word in words if not word.startswith("-")]
    found = FOR_PEOPLE.get(" ".join(named[:2])) or FOR_PEOPLE.get(named[0] if named else "")
    # What follows two dashes is no option, whatever it looks like.
    options = words[: words.index("--")] if "--" in words else words
    if found is None or not HELP_OPTIONS.isdisjoint(options):
        return None
    return found if found.applies(options) else None

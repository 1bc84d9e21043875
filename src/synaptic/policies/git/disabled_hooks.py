"""Hooks of a repository switched off for good, and settings of git that run a program from then on."""

import re
from collections.abc import Iterable, Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.files.wiping import iter_emptied
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.policies.reading import get_work_folders, runs_elsewhere
from synaptic.shell.destroying import may_destroy
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

HOOKS_FOLDER = re.compile(r"/\.git(?:/modules/[^/]+)?/hooks(?:/(?P<name>[^/]*))?$")
HOOK_HINTS = (".git/hooks", "git-path hooks")
HOOKS_PATH = "core.hookspath"
NO_HOOKS = re.compile(
    r"(?:.*/)?\.?(?:no|none|null|empty|off|disabled?|false|non-?existent|no-?hooks|disabled-hooks)/?", re.I
)
"""Names of folders that hold no hooks."""
PROGRAM_KEYS = frozenset({"core.fsmonitor", "core.sshcommand", HOOKS_PATH})
"""Settings with which git runs a program by itself, in every repository when they are the user's."""
SWITCH_VALUES = frozenset({"true", "false", "yes", "no", "1", "0", "on", "off"})
PLAIN_SSH = re.compile(
    r"(?:[\w/.-]+/)?ssh(?:\.exe)?(?:\s+(?!-o\s*(?:Proxy|LocalC|StrictHostKeyChecking=no))\S+)*", re.I
)
READING_WORDS = (
    "get",
    "list",
    "unset",
    "unset-all",
    "get-all",
    "get-regexp",
    "edit",
    "remove-section",
    "rename-section",
)
WIDE_OPTIONS = ("global", "system")
SKIPPING = re.compile(r"--no-verify|\bHUSKY=0|\bcore\.hookspath\b", re.I)
STARTUP_FILES = re.compile(
    r"/\.(?:bash(?:rc|_profile|_login|_aliases)|profile|z(?:shrc|shenv|profile|login)|k?shrc|config/fish/config\.fish)$"
)
DISARMED_GIT = re.compile(r"alias\s+g(?:it)?\s*=|\bgit\s*\(\)|function\s+git\b|export\s+(?:HUSKY=0|GIT_CONFIG)", re.I)
REMOVERS = ("delete",)
TAKES_RUNNING = re.compile(r"(?:[augo]*-[rwst]*x\w*|[augo]*=[rw]*|0?[0246]{3})(?:,.*)?")
"""Modes with which `chmod` leaves a file that nobody can run."""
MAX_TEXT = 20_000


class DisabledHooks(Policy):
    """Switching a repository's hooks off for good, or having git run a program by itself.

    ## What it does
    Asks before `core.hooksPath` leads to nothing (`git config core.hooksPath /dev/null`), and before hooks in
    `.git/hooks` are deleted, moved, emptied or made unable to run. Asks before a setting of the user's own git, which
    counts in every repository, names a program that git runs by itself (`git config --global core.fsmonitor`,
    `core.sshCommand`, `core.hooksPath`), before an alias or a hook is written that destroys (`alias.x '!git clean
    -fdx'`) or leaves the hooks out, and before a file that shells start with gets an alias for git that does. New
    hooks, samples, `core.hooksPath .githooks`, hook managers (`husky`, `pre-commit install`, `lefthook install`), and
    repositories in scratch folders are free.
    ## Why
    Hooks are there because somebody wants every commit checked, and a hook that is gone is missed by nobody. One
    commit without them is a matter for `git.skipped-hooks`.
    ## Known gaps
    A hook that is overwritten with one that does nothing is taken for a new one. Hooks that hook managers keep in the
    working tree (`.husky`) are files of the project.
    """

    id = "git.disabled-hooks"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        # Most commands end here: these three are all that is looked at.
        if not ("config" in known.git_verbs or known.holds_hint(HOOK_HINTS) or SKIPPING.search(known.text)):
            return None
        return _judge(known, list_calls(event, facts, ("config",)), get_work_folders(event, facts))


def _judge(known: CommandReading, settings: Iterable[GitCall], at: WorkFolders) -> Verdict | None:
    for call in settings:
        if not runs_elsewhere(call.command) and (verdict := _judge_setting(call, at)):
            return verdict
    if known.holds_hint(HOOK_HINTS) and (verdict := _judge_hooks(known, at)):
        return verdict
    if SKIPPING.search(known.text) and DISARMED_GIT.search(known.text) and _writes_startup(known, at):
        return ask(
            "From now on every shell of this user would call git without its hooks. Leave them in place, or let "
            "the user say whether they may go."
        )
    return None


def _judge_setting(call: GitCall, at: WorkFolders) -> Verdict | None:
    given = call.given
    words = given.operands
    if words and words[0].text in ("set", "add") and len(words) > 2:
        words = words[1:]
    if given.has(*READING_WORDS) or len(words) != 2 or _is_scratch(call.cwd, at):
        return None
    key, value = words[0].text.lower(), words[1]
    wide = given.has(*WIDE_OPTIONS)
    if key == HOOKS_PATH and _leads_nowhere(value, call, at):
        return ask(
            f"`core.hooksPath {value.text}` switches off every hook of the repository for good. If a hook fails, "
            "repair what it found; or let the user say whether they may go."
        )
    if wide and key in PROGRAM_KEYS and not _is_plain_value(key, value.text):
        return ask(
            f"In every repository of this user git would run what `{words[0].text}` names from now on. Set it for one "
            "repository, without `--global`, or let the user do this."
        )
    if key.startswith("alias.") and (SKIPPING.search(value.text) or _destroys(value.text)):
        return ask(f"`{words[0].text}` would destroy, or leave the hooks out, under a name that nobody recognises.")
    return None


def _leads_nowhere(value: Word, call: GitCall, at: WorkFolders) -> bool:
    if not value.known:
        return False
    if not value.text.strip() or NO_HOOKS.fullmatch(value.text):
        return True
    path = resolve_path(value.text, Standpoint(call.cwd or at.cwd, at.home)) or ""
    return is_inside(path, ("/dev", "/proc")) or at.classify(path) is PathArea.SCRATCH


def _is_plain_value(key: str, text: str) -> bool:
    if key == "core.sshcommand":
        return PLAIN_SSH.fullmatch(text) is not None
    return key == "core.fsmonitor" and text.lower() in SWITCH_VALUES


def _destroys(alias: str) -> bool:
    plain = alias.removeprefix("!").strip()
    return may_destroy(plain[:MAX_TEXT] if alias[:1] == "!" else f"git {plain}"[:MAX_TEXT])


def _judge_hooks(known: CommandReading, at: WorkFolders) -> Verdict | None:
    for command in known.script.commands:
        if runs_elsewhere(command):
            continue
        for word in _iter_disabled(command):
            if _is_hook(word, command, at):
                return _ask_about(word.text)
        is_hook = any(_is_hook(one.target, command, at) for one in command.redirects if one.is_write)
        if is_hook and may_destroy(f"{' '.join(command.args)}\n{command.stdin or ''}"[:MAX_TEXT]):
            return ask("This writes a hook that destroys at each commit what nobody expects to go. Let the user do it.")
    emptied = ((word, one) for word, one in iter_emptied(known.script) if not runs_elsewhere(one))
    return next((_ask_about(word.text) for word, one in emptied if _is_hook(word, one, at)), None)


def _iter_disabled(command: Command) -> Iterator[Word]:
    """What a command takes away or makes unable to run."""
    if command.name == "chmod":
        words = [word for word in command.argv[1:] if not word.text.startswith("--")]
        if words and TAKES_RUNNING.fullmatch(words[0].text):
            yield from words[1:]
        return
    yield from (word for kind, word in find_acts(command) if kind in REMOVERS)


def _is_hook(word: Word, command: Command, at: WorkFolders) -> bool:
    path = resolve_path(word.text, Standpoint(command.cwd or at.cwd, at.home)) or ""
    found = HOOKS_FOLDER.search(path.rstrip("/"))
    if found is None or at.classify(path) is PathArea.SCRATCH:
        return False
    return not (found["name"] or "").endswith((".sample", ".bak", ".old", ".orig", "~"))


def _ask_about(text: str) -> Verdict:
    return ask(
        f"{text!r}: without it commits and pushes are no longer checked here, and nobody sees that. If a hook fails, "
        "repair what it found; or let the user say whether it may go."
    )


def _writes_startup(known: CommandReading, at: WorkFolders) -> bool:
    stand = Standpoint(at.cwd, at.home)
    written = (resolve_path(one.word.text, stand) or "" for one in known.effects.writes if not runs_elsewhere(one))
    return any(STARTUP_FILES.search(path) for path in written)


def _is_scratch(folder: str, at: WorkFolders) -> bool:
    return bool(folder) and at.classify(folder) is PathArea.SCRATCH

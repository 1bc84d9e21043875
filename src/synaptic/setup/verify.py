"""Find out why Claude Code might run no hooks, from the installation and its settings. Reads only."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synaptic.agents.claude.entries import PROJECT_SETTINGS, wanted_entries
from synaptic.agents.shared.discover import CLAUDE
from synaptic.files.replace import read
from synaptic.model.errors import SettingsError
from synaptic.setup import dispatcher, settings
from synaptic.setup.bootstrap import plan_of, remembered, target
from synaptic.setup.options import Options, Problem

BOOTSTRAP = "synaptic bootstrap"


def verify(options: Options) -> tuple[Problem, ...]:
    """Find every problem of the installation, most serious first; empty when it works."""
    options = remembered(options)
    claude = (_entries(options), _switched_off(options), _managed_rules(options)) if has_claude(options) else ()
    checks = (_dispatcher(options), *claude, _path(options))
    return tuple(problem for check in checks for problem in check)


def has_claude(options: Options) -> bool:
    """Whether Claude Code is one of the chosen agents."""
    choices = remembered(options).choices
    return choices is not None and CLAUDE in choices.agents


def _dispatcher(options: Options) -> Iterator[Problem]:
    home = options.home
    if not home.dispatch.exists():
        yield Problem(what="the dispatcher is missing", where=str(home.dispatch), fix=BOOTSTRAP)
    elif not os.access(home.dispatch, os.X_OK):
        yield Problem(what="the dispatcher is not executable", where=str(home.dispatch), fix=BOOTSTRAP)
    elif dispatcher.kind(home) is None:
        yield Problem(what="the dispatcher is not one of ours", where=str(home.dispatch), fix=BOOTSTRAP)
    if not home.engine.exists():
        yield Problem(what="the dispatcher does not know its engine", where=str(home.engine), fix=BOOTSTRAP)


def _entries(options: Options) -> Iterator[Problem]:
    path = target(options)
    token = settings.read_token(options.home)
    if token is None:
        yield Problem(what="the agent was never told about the dispatcher", where=str(path), fix=BOOTSTRAP)
        return
    try:
        found = settings.inspect(path, wanted_entries(plan_of(options, token)))
    except SettingsError as error:
        yield Problem(what=error.message, where=str(path), fix=error.hint)
        return
    if found.missing:
        yield Problem(what=f"no entry for {', '.join(found.missing)}", where=str(path), fix=BOOTSTRAP)
    if found.stale:
        yield Problem(what=f"an outdated entry for {', '.join(found.stale)}", where=str(path), fix=BOOTSTRAP)


def _switched_off(options: Options) -> Iterator[Problem]:
    """`disableAllHooks` in any file that a user or a repository writes stops every hook that is not managed."""
    files = [options.settings]
    if options.project is not None:
        files += [options.project / name for name in PROJECT_SETTINGS]
    for file in dict.fromkeys(files):
        try:
            off = _load(file).get("disableAllHooks") is True
        # The user's own settings file is reported by the check of its entries already.
        except ValueError:
            if file != options.settings:
                yield Problem(what="not valid JSON: the agent ignores it", where=str(file), fix="correct the file")
            continue
        # Claude Code ignores `disableAllHooks` of users and repositories for managed hooks.
        if off and target(options) != options.managed:
            fix = "take it out, or `synaptic bootstrap --managed`, which no repository can switch off"
            yield Problem(what="`disableAllHooks` stops every hook of this installation", where=str(file), fix=fix)


def _managed_rules(options: Options) -> Iterator[Problem]:
    """An administrator may switch hooks off, or allow none but managed ones."""
    folder = options.managed_root
    for file in (folder / "managed-settings.json", *sorted((folder / "managed-settings.d").glob("*.json"))):
        try:
            rules = _load(file)
        except (ValueError, SettingsError):
            continue  # the agent reports its own broken or unreadable policy
        if rules.get("disableAllHooks") is True:
            yield Problem(what="`disableAllHooks` stops every hook", where=str(file), fix="ask the administrator")
        if target(options) != options.managed and _managed_only(rules):
            yield Problem(what="only managed hooks may run", where=str(file), fix="synaptic bootstrap --managed")


def _managed_only(rules: dict[str, Any]) -> bool:
    strict = rules.get("strictPluginOnlyCustomization")
    closed = strict is True or (isinstance(strict, list) and "hooks" in strict)
    return rules.get("allowManagedHooksOnly") is True or closed


def _path(options: Options) -> Iterator[Problem]:
    if str(options.home.bin) not in options.search_path.split(os.pathsep):
        fix = f"open a new terminal; if it stays, `{BOOTSTRAP}`"
        yield Problem(what="the folder is not on PATH", where=str(options.home.bin), fix=fix)


def _load(file: Path) -> dict[str, Any]:
    """A settings file as an object; absent or blank is an empty one."""
    text = (read(file) or b"").decode("utf-8-sig")
    value = json.loads(text) if text.strip() else {}
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value

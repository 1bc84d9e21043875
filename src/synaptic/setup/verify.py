"""Find out why Claude Code might run no hooks, from the installation and its settings. Reads only."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synaptic.agents.claude.entries import PROJECT_SETTINGS, build_wanted_entries
from synaptic.agents.shared.discover import CLAUDE_NAME
from synaptic.files.replace import read_file
from synaptic.model.errors import SettingsError
from synaptic.setup import dispatcher, settings
from synaptic.setup.bootstrap import choose_settings_file, make_plan, recall_choices
from synaptic.setup.options import SetupOptions, SetupProblem

BOOTSTRAP_COMMAND = "synaptic bootstrap"


def verify_setup(options: SetupOptions) -> tuple[SetupProblem, ...]:
    """Find every problem of the installation, most serious first; empty when it works."""
    options = recall_choices(options)
    claude = (
        (_check_entries(options), _check_switched_off(options), _check_managed_rules(options))
        if has_claude(options)
        else ()
    )
    checks = (_check_dispatcher(options), *claude, _check_path(options))
    return tuple(problem for check in checks for problem in check)


def has_claude(options: SetupOptions) -> bool:
    """Whether Claude Code is one of the chosen agents."""
    choices = recall_choices(options).choices
    return choices is not None and CLAUDE_NAME in choices.agents


def _check_dispatcher(options: SetupOptions) -> Iterator[SetupProblem]:
    home = options.home
    if not home.dispatch.exists():
        yield SetupProblem(what="the dispatcher is missing", where=str(home.dispatch), fix=BOOTSTRAP_COMMAND)
    elif not os.access(home.dispatch, os.X_OK):
        yield SetupProblem(what="the dispatcher is not executable", where=str(home.dispatch), fix=BOOTSTRAP_COMMAND)
    elif dispatcher.find_dispatcher_kind(home) is None:
        yield SetupProblem(what="the dispatcher is not one of ours", where=str(home.dispatch), fix=BOOTSTRAP_COMMAND)
    if not home.engine.exists():
        yield SetupProblem(
            what="the dispatcher does not know its engine", where=str(home.engine), fix=BOOTSTRAP_COMMAND
        )


def _check_entries(options: SetupOptions) -> Iterator[SetupProblem]:
    path = choose_settings_file(options)
    token = settings.read_token(options.home)
    if token is None:
        yield SetupProblem(what="the agent was never told about the dispatcher", where=str(path), fix=BOOTSTRAP_COMMAND)
        return
    try:
        found = settings.inspect_settings(path, build_wanted_entries(make_plan(options, token)))
    except SettingsError as error:
        yield SetupProblem(what=error.message, where=str(path), fix=error.hint)
        return
    if found.missing:
        yield SetupProblem(what=f"no entry for {', '.join(found.missing)}", where=str(path), fix=BOOTSTRAP_COMMAND)
    if found.stale:
        yield SetupProblem(
            what=f"an outdated entry for {', '.join(found.stale)}", where=str(path), fix=BOOTSTRAP_COMMAND
        )


def _check_switched_off(options: SetupOptions) -> Iterator[SetupProblem]:
    """`disableAllHooks` in any file that a user or a repository writes stops every hook that is not managed."""
    files = [options.settings]
    if options.project is not None:
        files += [options.project / name for name in PROJECT_SETTINGS]
    for file in dict.fromkeys(files):
        try:
            off = _load_settings(file).get("disableAllHooks") is True
        # The user's own settings file is reported by the check of its entries already.
        except ValueError:
            if file != options.settings:
                yield SetupProblem(what="not valid JSON: the agent ignores it", where=str(file), fix="correct the file")
            continue
        # Claude Code ignores `disableAllHooks` of users and repositories for managed hooks.
        if off and choose_settings_file(options) != options.managed:
            fix = "take it out, or `synaptic bootstrap --managed`, which no repository can switch off"
            yield SetupProblem(what="`disableAllHooks` stops every hook of this installation", where=str(file), fix=fix)


def _check_managed_rules(options: SetupOptions) -> Iterator[SetupProblem]:
    """An administrator may switch hooks off, or allow none but managed ones."""
    folder = options.managed_root
    for file in (folder / "managed-settings.json", *sorted((folder / "managed-settings.d").glob("*.json"))):
        try:
            rules = _load_settings(file)
        except (ValueError, SettingsError):
            continue  # the agent reports its own broken or unreadable policy
        if rules.get("disableAllHooks") is True:
            yield SetupProblem(what="`disableAllHooks` stops every hook", where=str(file), fix="ask the administrator")
        if choose_settings_file(options) != options.managed and _allows_managed_only(rules):
            yield SetupProblem(what="only managed hooks may run", where=str(file), fix="synaptic bootstrap --managed")


def _allows_managed_only(rules: dict[str, Any]) -> bool:
    strict = rules.get("strictPluginOnlyCustomization")
    closed = strict is True or (isinstance(strict, list) and "hooks" in strict)
    return rules.get("allowManagedHooksOnly") is True or closed


def _check_path(options: SetupOptions) -> Iterator[SetupProblem]:
    if str(options.home.bin) not in options.search_path.split(os.pathsep):
        fix = f"open a new terminal; if it stays, `{BOOTSTRAP_COMMAND}`"
        yield SetupProblem(what="the folder is not on PATH", where=str(options.home.bin), fix=fix)


def _load_settings(file: Path) -> dict[str, Any]:
    """A settings file as an object; absent or blank is an empty one."""
    text = (read_file(file) or b"").decode("utf-8-sig")
    value = json.loads(text) if text.strip() else {}
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value

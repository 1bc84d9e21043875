"""Bootstrap a machine and undo it: every file that is touched is reported, and restored on removal."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from synaptic.agents.claude.entries import build_wanted_entries
from synaptic.agents.shared import record
from synaptic.agents.shared.discover import CLAUDE_NAME, find_agent, list_agent_names
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.record import SetupChoices, lock_bootstrap
from synaptic.files.replace import delete_file, drop_folders, make_folders, read_file
from synaptic.model.errors import SettingsError, SynapticError
from synaptic.model.home import Home
from synaptic.setup import agents, dispatcher, settings
from synaptic.setup.env import format_env, locate_env, refuse_links, remove_env, write_env
from synaptic.setup.options import SetupChange, SetupOptions, SetupReport
from synaptic.setup.profile import add_path, format_path_line, remove_path
from synaptic.setup.settings import FileOwner
from synaptic.setup.slash import remove_command

SetupStep = Callable[[], SetupChange]
UNKNOWN_TOKEN = "0" * 32


def run_bootstrap(options: SetupOptions) -> SetupReport:
    """Install dispatcher, entries, PATH line and project variables. Twice changes nothing the second time.

    What can be refused is refused before the first write. A step that fails later leaves its own file as it was and
    says which steps before it are done.
    """
    options = recall_choices(options)
    refuse_early(options)
    with lock_bootstrap(options.home):
        report = _run_steps(_iter_install_steps(options))
        record.save_choices(options.home, _get_choices(options))
    token = settings.ensure_token(options.home)
    return SetupReport(
        report.changes, agents.list_notes(options, _get_choices(options).agents, make_plan(options, token))
    )


def remove_bootstrap(options: SetupOptions) -> SetupReport:
    """Remove everything that bootstrap installed; configuration, journal and backups stay."""
    with lock_bootstrap(options.home):
        return _run_steps(_iter_removal_steps(options))


def leave_agents(options: SetupOptions, names: tuple[str, ...]) -> SetupReport:
    """Remove our entries from some agents; everything else stays."""
    with lock_bootstrap(options.home):
        report = _run_steps(step for agent in names for step in _iter_leaving_steps(options, agent))
        known = record.load_record(options.home).choices
        kept = tuple(agent for agent in known.agents if agent not in names)
        record.save_choices(options.home, msgspec.structs.replace(known, agents=kept))
    return report


def ensure_bootstrap(options: SetupOptions) -> SetupReport | None:
    """Bootstrap only if the dispatcher or its entries are missing or out of date; None when nothing was written."""
    options = recall_choices(options)
    if is_registered(options) and dispatcher.find_dispatcher_kind(options.home) is not None:
        return None
    return run_bootstrap(options)


def is_registered(options: SetupOptions) -> bool:
    """Whether the agents' settings hold exactly the entries of this installation. Reads only."""
    options = recall_choices(options)
    token = settings.read_token(options.home)
    return token is not None and all(_is_told(options, agent, token) for agent in _get_choices(options).agents)


def _is_told(options: SetupOptions, agent: str, token: str) -> bool:
    plan = make_plan(options, token)
    if agent == CLAUDE_NAME:
        return settings.inspect_settings(choose_settings_file(options), build_wanted_entries(plan)).is_current
    return agents.is_agent_current(options, find_agent(agent), plan)


def recall_choices(options: SetupOptions) -> SetupOptions:
    """Fill in the choices of the last bootstrap where none are given."""
    choices = options.choices or load_choices(options.home)
    return msgspec.structs.replace(
        options, choices=choices if choices.agents else msgspec.structs.replace(choices, agents=(CLAUDE_NAME,))
    )


def load_choices(home: Home) -> SetupChoices:
    """The choices of the last bootstrap. A record that was lost does not open what is closed."""
    return msgspec.structs.replace(record.load_record(home).choices, fail=dispatcher.recall_fail(home))


def choose_settings_file(options: SetupOptions) -> Path:
    """Choose the settings file that holds the entries: the user's or the managed one."""
    return options.managed if _get_choices(options).managed else options.settings


def make_plan(options: SetupOptions, token: str) -> EntryPlan:
    choices = _get_choices(options)
    return EntryPlan(str(options.home.dispatch), token, choices.fail == "closed", choices.http)


def _get_choices(options: SetupOptions) -> SetupChoices:
    return options.choices or SetupChoices()


def refuse_early(options: SetupOptions) -> None:
    """Refuse whatever `bootstrap` would refuse, before anything is written."""
    for agent in _get_choices(options).agents:
        _refuse_agent(options, agent)
    format_path_line(options.profile, options.home)
    if options.project is None:
        return
    format_env({"SYNAPTIC_PROJECT_ROOT": str(options.project)})
    # There `.synaptic` is the engine's own folder: a project's files would mix with it.
    if options.project.joinpath(".synaptic").resolve() == options.home.root.resolve():
        raise SettingsError("the home folder is no project", where=str(options.project), hint="cd into a project")
    refuse_links(options.project)


def explain_agent_refusal(options: SetupOptions, agent: str) -> str:
    """Explain why our entries cannot be written for an agent; empty when they can."""
    try:
        _refuse_agent(recall_choices(options), agent)
    except SettingsError as error:
        return str(error)
    return ""


def _refuse_agent(options: SetupOptions, agent: str) -> None:
    plan = make_plan(options, settings.read_token(options.home) or UNKNOWN_TOKEN)
    if agent == CLAUDE_NAME:
        settings.prepare_settings(options.home, choose_settings_file(options), build_wanted_entries(plan))
    else:
        agents.refuse_agent_early(options, find_agent(agent), plan)


def _run_steps(steps: Iterator[SetupStep]) -> SetupReport:
    changes: list[SetupChange] = []
    try:
        for step in steps:
            changes.append(step())
    except (SynapticError, OSError) as error:
        done = ", ".join(f"{change.what} ({change.path})" for change in changes if change.done) or "nothing"
        raise SettingsError(f"{error}; done before that: {done}", hint="`synaptic down` undoes it") from error
    return SetupReport(tuple(changes))


def _iter_install_steps(options: SetupOptions) -> Iterator[SetupStep]:
    # The dispatcher is in place before any entry calls it: an agent may fire an event at any moment.
    yield partial(_make_bin_folder, options)
    yield partial(_install_dispatcher, options)
    for agent in _get_choices(options).agents:
        yield from _iter_agent_steps(options, agent)
    if options.has_profile:
        yield partial(_add_path_line, options)
    if options.project is not None:
        yield partial(_write_project, options.home, options.project)


def _iter_agent_steps(options: SetupOptions, agent: str) -> Iterator[SetupStep]:
    if agent != CLAUDE_NAME:
        plan = make_plan(options, settings.ensure_token(options.home))
        yield from agents.iter_install_steps(options, find_agent(agent), plan)
        return
    yield partial(_register_entries, options)
    if _get_choices(options).managed:
        # Never in both files: every event would be sent twice.
        yield partial(_remove_entries, options, options.settings)


def _make_bin_folder(options: SetupOptions) -> SetupChange:
    made = make_folders(options.home.bin, 0o700)
    return SetupChange(what="folder", path=str(options.home.bin), done=bool(made))


def _install_dispatcher(options: SetupOptions) -> SetupChange:
    files = (options.home.dispatch, options.home.engine)
    before = [read_file(file) for file in files]
    kind = dispatcher.install_dispatcher(options.home, _get_choices(options).fail)
    done = [read_file(file) for file in files] != before
    return SetupChange(what="dispatcher", path=str(options.home.dispatch), done=done, detail=kind)


def _register_entries(options: SetupOptions) -> SetupChange:
    plan = make_plan(options, settings.ensure_token(options.home))
    path = choose_settings_file(options)
    mode = 0o644 if _get_choices(options).managed else 0o600
    done = settings.register_entries(options.home, path, build_wanted_entries(plan), FileOwner(CLAUDE_NAME, mode))
    if done and plan.http is not None:
        # Only in HTTP mode is there a secret in the file; otherwise its mode is the user's business.
        path.chmod(path.stat().st_mode & 0o600)  # its entries carry the token of the listener
    return SetupChange(what="agent settings", path=str(path), done=done, detail="one entry per event")


def _add_path_line(options: SetupOptions) -> SetupChange:
    done = add_path(options.profile, options.home)
    line = format_path_line(options.profile, options.home)
    return SetupChange(what="PATH line", path=str(options.profile.file), done=done, detail=line)


def _write_project(home: Home, project: Path) -> SetupChange:
    path = locate_env(project)
    before = read_file(path)
    record.mark_project(home, project)
    write_env(project)
    return SetupChange(what="project variables", path=str(path), done=read_file(path) != before)


def _iter_removal_steps(options: SetupOptions) -> Iterator[SetupStep]:
    """Entries first: an agent must never be left with entries whose dispatcher is gone."""
    for agent in list_agent_names():
        yield from _iter_leaving_steps(options, agent)
    known = record.load_record(options.home)
    for file in dict.fromkeys((options.profile.file, *map(Path, known.profiles))):
        yield partial(_remove_path_line, options, file)
    here = (options.project,) if options.project is not None else ()
    for project in dict.fromkeys((*here, *map(Path, known.projects))):
        yield partial(_remove_project, project)
    yield partial(remove_command, options)
    yield partial(_remove_dispatcher, options)


def _iter_leaving_steps(options: SetupOptions, agent: str) -> Iterator[SetupStep]:
    if agent != CLAUDE_NAME:
        yield from agents.iter_removal_steps(options, find_agent(agent))
        return
    marked = (path for path, mark in record.load_record(options.home).settings.items() if mark.agent == CLAUDE_NAME)
    for file in dict.fromkeys((options.settings, options.managed, *map(Path, marked))):
        yield partial(_remove_entries, options, file)


def _remove_entries(options: SetupOptions, file: Path) -> SetupChange:
    done = settings.unregister_entries(options.home, file)
    return SetupChange(what="agent settings", path=str(file), done=done, undo="synaptic bootstrap")


def _remove_path_line(options: SetupOptions, file: Path) -> SetupChange:
    done = remove_path(options.home, file)
    return SetupChange(what="PATH line", path=str(file), done=done, undo="synaptic bootstrap")


def _remove_project(project: Path) -> SetupChange:
    """A project that cannot be written now, or is gone, keeps nobody from being taken out."""
    path, why = str(locate_env(project)), ""
    try:
        done = remove_env(project)
    except SettingsError as error:
        done, why = False, f"left there: {error.message}"
    return SetupChange(what="project variables", path=path, done=done, detail=why, undo="synaptic bootstrap")


def _remove_dispatcher(options: SetupOptions) -> SetupChange:
    home = options.home
    done = home.dispatch.exists()
    dispatcher.remove_dispatcher(home)
    drop_folders((str(home.bin),))
    # Last of all: without them an interrupted removal could not recognise what is left.
    for file in (settings.locate_token(home), record.locate_record(home)):
        delete_file(file)
    return SetupChange(what="dispatcher", path=str(home.dispatch), done=done, undo="synaptic bootstrap")

"""Bootstrap a machine and undo it: every file that is touched is reported, and restored on removal."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from synaptic.agents.claude.entries import wanted_entries
from synaptic.agents.shared.discover import CLAUDE, agent_names, find_agent
from synaptic.agents.shared.ours import Plan
from synaptic.files.replace import delete, drop_folders, make_folders, read
from synaptic.model.errors import SettingsError, SynapticError
from synaptic.setup import agents, dispatcher, record, settings
from synaptic.setup.env import env_file, env_text, remove_env, write_env
from synaptic.setup.options import Change, Options, Report
from synaptic.setup.profile import add_path, path_line, remove_path
from synaptic.setup.record import Choices, locked
from synaptic.setup.settings import Made
from synaptic.setup.slash import remove_command

Step = Callable[[], Change]
UNKNOWN_TOKEN = "0" * 32


def bootstrap(options: Options) -> Report:
    """Install dispatcher, entries, PATH line and project variables. Twice changes nothing the second time.

    What can be refused is refused before the first write. A step that fails later leaves its own file as it was and
    says which steps before it are done.
    """
    options = remembered(options)
    refuse_early(options)
    with locked(options.home):
        report = _walk(_install_steps(options))
        record.choose(options.home, _choices(options))
    token = settings.ensure_token(options.home)
    return Report(report.changes, agents.notes(options, _choices(options).agents, plan_of(options, token)))


def remove(options: Options) -> Report:
    """Remove everything that bootstrap installed; configuration, journal and backups stay."""
    with locked(options.home):
        return _walk(_removal_steps(options))


def leave(options: Options, names: tuple[str, ...]) -> Report:
    """Remove our entries from some agents; everything else stays."""
    with locked(options.home):
        report = _walk(step for agent in names for step in _leaving_steps(options, agent))
        known = record.load(options.home).choices
        kept = tuple(agent for agent in known.agents if agent not in names)
        record.choose(options.home, msgspec.structs.replace(known, agents=kept))
    return report


def ensure(options: Options) -> Report | None:
    """Bootstrap only if the dispatcher or its entries are missing or out of date; None when nothing was written."""
    options = remembered(options)
    if is_registered(options) and dispatcher.kind(options.home) is not None:
        return None
    return bootstrap(options)


def is_registered(options: Options) -> bool:
    """Whether the agents' settings hold exactly the entries of this installation. Reads only."""
    options = remembered(options)
    token = settings.read_token(options.home)
    return token is not None and all(_is_told(options, agent, token) for agent in _choices(options).agents)


def _is_told(options: Options, agent: str, token: str) -> bool:
    plan = plan_of(options, token)
    if agent == CLAUDE:
        return settings.inspect(target(options), wanted_entries(plan)).current
    return agents.is_current(options, find_agent(agent), plan)


def remembered(options: Options) -> Options:
    """Fill in the choices of the last bootstrap where none are given."""
    choices = options.choices or record.load(options.home).choices
    return msgspec.structs.replace(
        options, choices=choices if choices.agents else msgspec.structs.replace(choices, agents=(CLAUDE,))
    )


def target(options: Options) -> Path:
    """Choose the settings file that holds the entries: the user's or the managed one."""
    return options.managed if _choices(options).managed else options.settings


def plan_of(options: Options, token: str) -> Plan:
    choices = _choices(options)
    return Plan(str(options.home.dispatch), token, choices.fail == "closed", choices.http)


def _choices(options: Options) -> Choices:
    return options.choices or Choices()


def refuse_early(options: Options) -> None:
    """Refuse whatever `bootstrap` would refuse, before anything is written."""
    for agent in _choices(options).agents:
        _refuse_agent(options, agent)
    path_line(options.profile, options.home)
    if options.project is None:
        return
    env_text({"SYNAPTIC_PROJECT_ROOT": str(options.project)})
    # There `.synaptic` is the engine's own folder: a project's files would mix with it.
    if options.project.joinpath(".synaptic").resolve() == options.home.root.resolve():
        raise SettingsError("the home folder is no project", where=str(options.project), hint="cd into a project")


def refusal(options: Options, agent: str) -> str:
    """Explain why our entries cannot be written for an agent; empty when they can."""
    try:
        _refuse_agent(remembered(options), agent)
    except SettingsError as error:
        return str(error)
    return ""


def _refuse_agent(options: Options, agent: str) -> None:
    plan = plan_of(options, settings.read_token(options.home) or UNKNOWN_TOKEN)
    if agent == CLAUDE:
        settings.prepare(options.home, target(options), wanted_entries(plan))
    else:
        agents.refuse_early(options, find_agent(agent), plan)


def _walk(steps: Iterator[Step]) -> Report:
    changes: list[Change] = []
    try:
        for step in steps:
            changes.append(step())
    except (SynapticError, OSError) as error:
        done = ", ".join(f"{change.what} ({change.path})" for change in changes if change.done) or "nothing"
        raise SettingsError(f"{error}; done before that: {done}", hint="`synaptic down` undoes it") from error
    return Report(tuple(changes))


def _install_steps(options: Options) -> Iterator[Step]:
    # The dispatcher is in place before any entry calls it: an agent may fire an event at any moment.
    yield partial(_folders, options)
    yield partial(_dispatcher, options)
    for agent in _choices(options).agents:
        yield from _telling_steps(options, agent)
    yield partial(_path, options)
    if options.project is not None:
        yield partial(_project, options.project)


def _telling_steps(options: Options, agent: str) -> Iterator[Step]:
    if agent != CLAUDE:
        plan = plan_of(options, settings.ensure_token(options.home))
        yield from agents.install_steps(options, find_agent(agent), plan)
        return
    yield partial(_entries, options)
    if _choices(options).managed:
        # Never in both files: every event would be sent twice.
        yield partial(_without_entries, options, options.settings)


def _folders(options: Options) -> Change:
    made = make_folders(options.home.bin, 0o700)
    return Change(what="folder", path=str(options.home.bin), done=bool(made))


def _dispatcher(options: Options) -> Change:
    files = (options.home.dispatch, options.home.engine)
    before = [read(file) for file in files]
    kind = dispatcher.install(options.home, _choices(options).fail)
    done = [read(file) for file in files] != before
    return Change(what="dispatcher", path=str(options.home.dispatch), done=done, detail=kind)


def _entries(options: Options) -> Change:
    plan = plan_of(options, settings.ensure_token(options.home))
    path = target(options)
    mode = 0o644 if _choices(options).managed else 0o600
    done = settings.register(options.home, path, wanted_entries(plan), Made(CLAUDE, mode))
    if done and plan.http is not None:
        # Only in HTTP mode is there a secret in the file; otherwise its mode is the user's business.
        path.chmod(path.stat().st_mode & 0o600)  # its entries carry the token of the listener
    return Change(what="agent settings", path=str(path), done=done, detail="one entry per event")


def _path(options: Options) -> Change:
    done = add_path(options.profile, options.home)
    line = path_line(options.profile, options.home)
    return Change(what="PATH line", path=str(options.profile.file), done=done, detail=line)


def _project(project: Path) -> Change:
    path = env_file(project)
    before = read(path)
    write_env(project)
    return Change(what="project variables", path=str(path), done=read(path) != before)


def _removal_steps(options: Options) -> Iterator[Step]:
    """Entries first: an agent must never be left with entries whose dispatcher is gone."""
    for agent in agent_names():
        yield from _leaving_steps(options, agent)
    known = record.load(options.home)
    for file in dict.fromkeys((options.profile.file, *map(Path, known.profiles))):
        yield partial(_without_path, options, file)
    if options.project is not None:
        yield partial(_without_project, options.project)
    yield partial(remove_command, options)
    yield partial(_without_dispatcher, options)


def _leaving_steps(options: Options, agent: str) -> Iterator[Step]:
    if agent != CLAUDE:
        yield from agents.removal_steps(options, find_agent(agent))
        return
    marked = (path for path, mark in record.load(options.home).settings.items() if mark.agent == CLAUDE)
    for file in dict.fromkeys((options.settings, options.managed, *map(Path, marked))):
        yield partial(_without_entries, options, file)


def _without_entries(options: Options, file: Path) -> Change:
    done = settings.unregister(options.home, file)
    return Change(what="agent settings", path=str(file), done=done, undo="synaptic bootstrap")


def _without_path(options: Options, file: Path) -> Change:
    done = remove_path(options.home, file)
    return Change(what="PATH line", path=str(file), done=done, undo="synaptic bootstrap")


def _without_project(project: Path) -> Change:
    done = remove_env(project)
    return Change(what="project variables", path=str(env_file(project)), done=done, undo="synaptic bootstrap")


def _without_dispatcher(options: Options) -> Change:
    home = options.home
    done = home.dispatch.exists()
    dispatcher.remove(home)
    drop_folders((str(home.bin),))
    # Last of all: without them an interrupted removal could not recognise what is left.
    for file in (settings.token_file(home), record.record_file(home)):
        delete(file)
    return Change(what="dispatcher", path=str(home.dispatch), done=done, undo="synaptic bootstrap")

"""Package managers that work on the Python environment which the engine runs from."""

import re
from collections.abc import Iterator
from functools import lru_cache

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.places import EnginePlaces
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, runs_elsewhere
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import CommandReading

OWN_PACKAGE = re.compile(r"(?:^|[/=@:\s])synaptic[-_.]hooks(?![\w-]*/)", re.IGNORECASE)
OWN_PLAIN = re.compile(r"synaptic[-_.]hooks(?:\[[\w,]*\])?", re.IGNORECASE)
PACKAGE_PROGRAMS = split_names(
    "pip pipx uv conda mamba micromamba poetry pdm rye hatch easy_install virtualenv ensurepip"
)
PACKAGE_STARTS = tuple(PACKAGE_PROGRAMS)
TOOL_PROGRAMS = split_names("pipx uv rye")
"""Programs that give every tool an environment of its own."""
CHANGING_VERBS = split_names(
    "install uninstall remove sync inject uninject runpip reinstall uninstall-all reinstall-all update add venv create"
    " install-all upgrade"
)
PACKAGE_VERBS = CHANGING_VERBS - {"venv", "create"}
REMOVING_VERBS = split_names("uninstall remove uninject uninstall-all reinstall-all purge")
REACHING_ALL = split_names("uninstall-all reinstall-all")
FOREIGN_OPTIONS = split_names(
    "--index-url -i --extra-index-url --find-links -f --force-reinstall --force -I --ignore-installed --no-deps --with"
    " --from --editable -e --pip-args --with-editable --default-index --index --overwrite --reinstall --break-on"
)
"""Options that make another package of the same name, or more than that, come in."""
ENVIRONMENT_VARIABLES = split_names(
    "VIRTUAL_ENV UV_PROJECT_ENVIRONMENT CONDA_PREFIX PIP_TARGET PIP_PREFIX PIP_PYTHON PYTHONUSERBASE"
)
INSTALLED_MODULES = split_names("pip venv ensurepip virtualenv uv pipx easy_install")
INTERPRETERS = split_names("python pypy")
MODULE_OPTION = re.compile(r"^-m", re.MULTILINE)
SOURCES = split_names("source .")


class EngineEnvironment(Policy):
    """Installing into, or removing from, the Python environment that the engine runs from.

    ## What it does
    Denies removing or replacing the engine's own package with a package manager (`pip`, `uv`, `pipx`, `conda`): another
    version, another source, `--force-reinstall`, `pipx inject`, `pipx uninstall-all`. Asks before anything is installed
    into or removed from the environment that the engine runs from, when a path, a variable or `activate` names it and
    it is not the project's own. Installing `synaptic-hooks` from where everybody gets it is free, and so is every
    other environment: `pip install requests` in a project does what it always did.
    ## Why
    Whoever may exchange the code of the guard has no guard.
    ## Known gaps
    Which environment a bare `pip` works on is not known; a requirements file is not read.
    """

    id = "self.engine-environment"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 20
    preset = "essentials"
    needs = ("engine_places",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or not _calls_manager(known):
            return None
        at, places = known.standpoint, facts.engine_places
        for command in known.script.commands:
            words = _read_manager(command)
            if words is None or runs_elsewhere(command):
                continue
            if _replaces_engine(words, command):
                return deny(
                    "This would remove or replace the package of this guard. Only the user does that, in their own "
                    "terminal."
                )
            if path := _find_environment(command, words, known.script, at, places, facts.root):
                return ask(
                    f"{path!r} is the Python environment that this guard runs from. A person should agree to what is "
                    "installed there; use an environment of the project: `python3 -m venv .venv`."
                )
        return None


def _calls_manager(known: CommandReading) -> bool:
    """Whether a package manager may run: by its name, or as a module."""
    if _names_manager(known.programs):
        return True
    return not INTERPRETERS.isdisjoint(known.programs) and MODULE_OPTION.search(known.words) is not None


@lru_cache(maxsize=256)
def _names_manager(programs: frozenset[str]) -> bool:
    # A name begins as the manager's does, whatever its version. A script may define hundreds of others.
    return any(_find_manager(name) in PACKAGE_PROGRAMS for name in programs if name.startswith(PACKAGE_STARTS))


@lru_cache(maxsize=256)
def _find_manager(name: str) -> str:
    """The name of a program without its version: `pip3.12` is pip."""
    plain = normalize_name(name)
    return plain.rstrip("0123456789.") or plain


def _read_manager(command: Command) -> tuple[Word, ...] | None:
    """The words that a package manager is given, when they change something; None for every other command."""
    name = _find_manager(command.name)
    words = command.argv[1:]
    if name in INTERPRETERS:
        texts = command.args
        place = next((place for place, text in enumerate(texts) if text.startswith("-m")), -1)
        module = texts[place][2:] or next(iter(texts[place + 1 : place + 2]), "") if place >= 0 else ""
        if module not in INSTALLED_MODULES:
            return None
        words = words[place + (1 if texts[place] != "-m" else 2) :]
        return words if module in ("venv", "virtualenv", "ensurepip") or _changes(words) else None
    if name == "virtualenv":
        return words
    return words if name in PACKAGE_PROGRAMS and _changes(words) else None


def _changes(words: tuple[Word, ...]) -> bool:
    return any(word.text in CHANGING_VERBS for word in words[:6])


def _replaces_engine(words: tuple[Word, ...], command: Command) -> bool:
    """Whether it removes the engine's package, or puts another one in its place."""
    texts = [word.text for word in words]
    verbs = set(texts[:6])
    if REACHING_ALL & verbs and _find_manager(command.name) in (*TOOL_PROGRAMS, "python"):
        return True
    own = [text for text in texts if OWN_PACKAGE.search(text)]
    if not own or verbs.isdisjoint(PACKAGE_VERBS):
        return False
    if verbs & (REMOVING_VERBS | {"inject", "runpip", "reinstall"}):
        return True
    options = {text.partition("=")[0] for text in texts if text[:1] == "-"}
    plain = all(OWN_PLAIN.fullmatch(text) for text in own)
    return not plain or bool(FOREIGN_OPTIONS & options)


def _find_environment(
    command: Command, words: tuple[Word, ...], found: Script, at: Standpoint, places: EnginePlaces, root: str
) -> str:
    """The engine's environment as this command names it; empty when it does not, or when it is the project's."""
    if not places.prefix or is_inside(places.prefix, (root,)):
        return ""
    here = Standpoint(command.cwd or at.cwd, at.home)
    kept = (places.prefix.lower(), *(path.lower() for path in places.packages))
    for text in _iter_named(command, words, found):
        path = (resolve_path(text, here) or "").lower()
        if is_inside(path, kept):
            return text
    return ""


def _iter_named(command: Command, words: tuple[Word, ...], found: Script) -> Iterator[str]:
    """Everything that may say which environment is meant."""
    yield command.argv[0].text if "/" in command.argv[0].text else ""
    for word in words:
        if "/" in word.text or word.text[:1] in ("~", "."):
            yield word.text.partition("=")[2] or word.text
    for name, value in command.assignments:
        yield from value.text.split(":") if name == "PATH" else ((value.text,) if name in ENVIRONMENT_VARIABLES else ())
    for one in found.commands[: command.index]:
        if one.name in SOURCES:
            yield from one.args[:1]
        elif one.name in ("export", "conda", "mamba"):
            yield from (part for text in one.args for part in text.partition("=")[2].split(":") if part)

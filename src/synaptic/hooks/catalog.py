"""Catalog of all hooks of a project: immutable, ordered, rebuilt as soon as a source file changes."""

import asyncio
import math
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import cast

import msgspec

from synaptic.files.snapshot import WatchedFile, are_unchanged, merge_missing
from synaptic.files.toml import parse_toml
from synaptic.files.watch import FolderWatch
from synaptic.hooks.budget import READING_SECONDS, OverBudgetError, StalledReadingError, run_beside, run_within
from synaptic.hooks.config import Config, ConfigFile, describe_unknown, instantiate_policies
from synaptic.hooks.config import parse_config_text as parse_config
from synaptic.hooks.declaration import Declarations
from synaptic.hooks.modes import apply_modes, split_watched
from synaptic.hooks.pins import Pins, find_tampering
from synaptic.hooks.policy_distributions import list_distributed_policies
from synaptic.hooks.policy_files import list_pinned_policies
from synaptic.hooks.project import find_root, list_folders
from synaptic.hooks.rules.compile import Rule, make_rule_hooks, select_rules
from synaptic.hooks.rules.examples import check_examples
from synaptic.hooks.rules.keeper import make_keeper_hook
from synaptic.hooks.select import HookIndex
from synaptic.hooks.sources import STALLED_TEXT, TOO_SLOW_TEXT, CatalogSources, CatalogTexts
from synaptic.hooks.tighten import merge_configs, split_permitted
from synaptic.hooks.trust import SitePins
from synaptic.model.call import Call
from synaptic.model.environment import build_project_variables
from synaptic.model.home import Home
from synaptic.model.hook import Builtin, Hook
from synaptic.model.once import computed_once
from synaptic.model.outside import PolicyEntry, PolicySource
from synaptic.policies.base import Policy

MAX_PROBLEMS = 100
"""Upper bound of problems that are reported."""
READING_TRIES = 3
CUT_SECONDS = 300
"""After this long, a project that took too long is read once more."""
STALLED_SECONDS = 10
"""The same for one that could not be read on a busy machine: not with every event, which would only add to it."""
MAX_ROOTS = 64
"""Upper bound of projects whose catalogs are cached."""


class HookCatalog(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that is registered for one project. `hooks` is in the order of `Hook.rank`."""

    root: str
    hooks: tuple[Hook, ...]
    config: Config
    variables: Mapping[str, str]
    """The six SYNAPTIC_* variables."""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What is as it should be, and still worth knowing."""
    sources: tuple[str, ...] = ()
    """Files that were read."""
    texts: CatalogTexts = CatalogTexts()
    """What they say."""
    pins: Pins = Pins()
    """What packages installed into the project, by hash."""
    user_pins: Pins = Pins()
    outer_pins: Mapping[str, Pins] = {}
    """The same for the other folders whose declarations count."""
    rules: tuple[Rule, ...] = ()
    """Every rule that holds here, the user's first."""
    folders: tuple[str, ...] = ()
    """Whose declarations count, the outermost first."""
    is_cut: bool = False
    """Whether the project's own declarations were left out, because reading them took too long."""
    policy_sources: tuple[PolicySource, ...] = ()
    """Files with policies from outside. What they hold is told by a process of each, not here."""
    policy_settings: tuple[ConfigFile, ...] = ()
    """The files of the user and the project that may set them."""
    outside: tuple[PolicyEntry, ...] = ()
    """What they hold, once that is known."""
    unknown_policies: tuple[str, ...] = ()
    """Files with policies that have never been loaded, each with the reason: nobody knows what they guard."""
    doubt: str = ""
    """Why an act has to be asked about: what was declared about it could not be read."""

    watched: tuple[Hook, ...] = ()
    """Policies in shadow, in their order: they are asked after the answer, and are in no list of those that decide."""

    @computed_once
    def shadow_index(self) -> HookIndex:
        """Which of those that are only watched an event concerns."""
        return HookIndex(self.watched)

    @computed_once
    def index(self) -> HookIndex:
        """Which hooks an event concerns. Verbs that only list hooks never ask, so it is made when it is first used."""
        return HookIndex(self.hooks)

    @computed_once
    def policy_index(self) -> HookIndex:
        """The same for the built-in policies alone."""
        return HookIndex(hook for hook in self.hooks if isinstance(hook.handler, Builtin))

    @computed_once
    def keeps_audit(self) -> bool:
        """Whether a policy is on that keeps a list of refused calls in the project."""
        policies = (hook.handler.policy for hook in self.hooks if isinstance(hook.handler, Builtin))
        return any(cast(Policy, policy).keeps_audit for policy in policies)

    def find_tampering(self, hook: Hook) -> str | None:
        """Explain why a package's script must not run as it is now; None when it may."""
        return find_tampering(hook, self.site_pins.choose(hook))

    @computed_once
    def site_pins(self) -> SitePins:
        """What packages have installed, for each place that hooks come from."""
        return SitePins(self.pins, self.user_pins, self.outer_pins)

    def check_rules(self, seconds: float = math.inf) -> tuple[str, ...]:
        """What the examples of the rules show. Asked by people, and at a session's start, never about a call."""
        return clean_problems(tuple(map(str, check_examples(self.rules, seconds))))


CatalogKey = tuple[str, str, tuple[str, ...]]
"""A root, the environment that its events come with, and the folders whose declarations count."""


class _CachedCatalog(msgspec.Struct):
    catalog: HookCatalog
    watched: tuple[WatchedFile, ...]
    covered: tuple[WatchedFile, ...]
    generation: int
    ends: float = math.inf

    def is_current(self, watch: FolderWatch) -> bool:
        """Whether every source is as it was read."""
        if not are_unchanged(self.watched) or time.monotonic() > self.ends:
            return False
        # A change in a watched folder may be in a file that is no source: only then are the files compared one by one.
        if self.covered and (now := watch.read_generation()) != self.generation:
            if not are_unchanged(self.covered):
                return False
            self.generation = now
        return True


class HookCatalogs:
    """Catalogs by project, always as the files are now. Not thread-safe."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._watch = FolderWatch()
        self._kept: OrderedDict[CatalogKey, _CachedCatalog] = OrderedDict()
        self._readings: dict[CatalogKey, asyncio.Future[_CachedCatalog]] = {}

    def get(self, root: str, environment: str = "", cwd: str = "") -> HookCatalog:
        """Get the catalog of a root ("": no project), as it counts in a folder of it.

        `environment` is SYNAPTIC_ENV, for a config without one.
        """
        key = (root, environment, list_folders(root, cwd, os.environ.get("HOME", "")))
        return self._find_current(key) or self._keep(key, self._start_reading(key)())

    async def open_for_call(self, call: Call, env: Mapping[str, str]) -> HookCatalog:
        """The catalog of the project that a call belongs to. Events of other projects go on while it is read."""
        root = find_root(call.payload, env, call.event.cwd)
        key = (root, env.get("SYNAPTIC_ENV", ""), list_folders(root, call.event.cwd, env.get("HOME", "")))
        for _ in range(READING_TRIES):
            if found := self._find_current(key):
                return found
            await self._share_reading(key)
        return self._kept[key].catalog  # somebody keeps writing: it is as new as one reading can be

    async def _share_reading(self, key: CatalogKey) -> None:
        """Read a catalog in another thread; events that want the same one wait for the same reading."""
        reading = self._readings.get(key)
        if reading is None:
            reading = self._readings[key] = asyncio.ensure_future(run_beside(self._start_reading(key)))
            reading.add_done_callback(lambda _: self._readings.pop(key, None))
        self._keep(key, await asyncio.shield(reading))

    def _find_current(self, key: CatalogKey) -> HookCatalog | None:
        kept = self._kept.get(key)
        if kept is None or not kept.is_current(self._watch):
            return None
        self._kept.move_to_end(key)
        return kept.catalog

    def _keep(self, key: CatalogKey, read: _CachedCatalog) -> HookCatalog:
        self._kept[key] = read
        if len(self._kept) > MAX_ROOTS:
            self._kept.popitem(last=False)
        return read.catalog

    def _start_reading(self, key: CatalogKey) -> Callable[[], _CachedCatalog]:
        generation = self._watch.read_generation()  # before anything is read: what happens meanwhile counts as news
        return partial(self._read_catalog, *key, generation)

    def _read_catalog(self, root: str, environment: str, folders: tuple[str, ...], generation: int) -> _CachedCatalog:
        sources = CatalogSources(self._home, root, self._watch, folders)
        try:
            build = partial(build_catalog, sources, environment)
            catalog = run_within(build, READING_SECONDS) if sources.root else build()
        except StalledReadingError:
            # Nobody knows what it says, and it is no fault of the repository: an act is asked about, for a moment.
            sources.leave_project_out(STALLED_TEXT)
            catalog = msgspec.structs.replace(build_catalog(sources, environment), doubt=STALLED_TEXT)
        except OverBudgetError:
            # What the user has set and what is built in never waits for a repository, and neither does its next event:
            # this catalog is kept for a while. Not for good: it may have been the disk that took so long.
            sources.leave_project_out(TOO_SLOW_TEXT)
            catalog = msgspec.structs.replace(build_catalog(sources, environment), is_cut=True)
        ends = time.monotonic() + _choose_seconds(catalog)
        if sources.may_pass:
            ends = time.monotonic()  # for the call that it was read for, and no other: the next one tries again
        return _CachedCatalog(catalog, merge_missing(sources.watched), tuple(sources.covered), generation, ends)


def _choose_seconds(catalog: HookCatalog) -> float:
    """How long a catalog is kept whose files do not change."""
    if catalog.doubt == STALLED_TEXT:
        return STALLED_SECONDS
    return CUT_SECONDS if catalog.is_cut else math.inf


def build_catalog(sources: CatalogSources, environment: str = "") -> HookCatalog:
    """Build a catalog: read every source once and compile its hooks."""
    said = sources.read_user_config()
    user = sources.read_settings(said)
    projects = tuple(parse_config(*source) for source in sources.read_project_configs())
    config, problems = merge_configs(user, *projects)
    running, notes = split_permitted(instantiate_policies(config), *_find_asker(user, config))
    ruled = tuple(sources.iter_rules(said))
    rules = select_rules((rule for one in ruled for rule in one.rules), config.environment or environment)
    own = (*apply_modes(make_builtin_hooks(running), config), *make_rule_hooks(rules), *make_keeper_hook(rules))
    ours, watched = split_watched(own)
    found = [Declarations(ours), *sources.iter_declarations(config, environment)]
    hooks = order_hooks(make_ids_unique(hook for source in found for hook in source.hooks))
    variables, complaints = _read_variables(sources, config)
    wrong = (str(problem) for one in ruled for problem in one.problems)
    declared = (text for source in found for text in source.problems)
    pins = sources.read_pins(sources.root) if sources.root else Pins()
    user_pins = sources.read_pins("")
    outside = (*sources.read_policy_sources(), *list_pinned_policies(pins, user_pins), *list_distributed_policies())
    unknown = () if outside else tuple(text for file in (user, *projects) for text in describe_unknown(file))
    told = (*problems, *unknown, *wrong, *declared, *complaints, *sources.problems)
    return HookCatalog(
        root=sources.root,
        hooks=hooks,
        config=msgspec.structs.replace(config, environment=config.environment or environment),
        variables=variables,
        problems=clean_problems(told),
        notes=notes,
        sources=sources.list_files(),
        texts=CatalogTexts(sources.user_folder, sources.texts),
        pins=pins,
        user_pins=user_pins,
        outer_pins={folder: sources.read_pins(folder) for folder in sources.folders if folder != sources.root},
        rules=rules,
        folders=sources.folders,
        policy_sources=outside,
        policy_settings=(user, *projects) if outside else (),
        doubt=_explain_doubt(sources, config),
        watched=order_hooks(watched),
    )


def _find_asker(user: ConfigFile, config: Config) -> tuple[Config, str]:
    """What the user alone has set, and who else may have switched something on: programs run on the user's word."""
    if not user.layers:
        return Config(**user.values), "the project"
    alone, bundle = user.layers
    return msgspec.structs.replace(Config(**alone.values), trust=config.trust), f"the project or the {bundle.where}"


def _explain_doubt(sources: CatalogSources, config: Config) -> str:
    """What could not be read. A lasting lack of permission is the repository's own matter, unless all is closed."""
    if not sources.may_pass and not sources.is_user_unknown and config.fail != "closed":
        return ""
    return "; ".join(clean_problems(tuple(sources.forbidden)))


def make_builtin_hooks(policies: Iterable[Policy]) -> tuple[Hook, ...]:
    """Make hooks of policies."""
    return tuple(
        Hook(
            id=policy.id,
            events=tuple(event.__name__ for event in policy.events),
            handler=Builtin(policy),
            matcher="|".join(policy.tools),
            priority=policy.priority,
            on_error=policy.on_error,
            protocol="native",
            source="built in",
            recheck=policy.recheck,
        )
        for policy in policies
    )


def make_ids_unique(hooks: Iterable[Hook]) -> list[Hook]:
    """Make hook ids unique: the second `a` becomes `a#2`."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    named = []
    for hook in hooks:
        name = hook.id
        while name in taken:
            counts[hook.id] = counts.get(hook.id, 1) + 1
            name = f"{hook.id}#{counts[hook.id]}"
        taken.add(name)
        named.append(hook if name == hook.id else msgspec.structs.replace(hook, id=name))
    return named


def order_hooks(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """Put hooks in their total order: priority, then order of sources, then order of entries."""
    placed = (msgspec.structs.replace(hook, order=order) for order, hook in enumerate(hooks))
    return tuple(sorted(placed, key=lambda hook: hook.rank))


def clean_problems(problems: tuple[str, ...]) -> tuple[str, ...]:
    """Limit the number of problems, and replace what UTF-8 cannot encode, so that printing them never fails."""
    told = tuple(text.encode(errors="replace").decode() for text in problems[:MAX_PROBLEMS])
    return told if len(problems) <= MAX_PROBLEMS else (*told, f"and {len(problems) - MAX_PROBLEMS} problems more")


def _read_variables(sources: CatalogSources, config: Config) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Read the six variables. env.toml sets channel and agents; its paths must match where the project is."""
    plain = build_project_variables(sources.variables_root, config.channel, config.agents)
    text, where = sources.read_env_toml()
    try:
        said = {key: value for key, value in parse_toml(text).items() if isinstance(value, str)}
    except ValueError as error:
        return plain, (f"{where}: is no valid TOML and is ignored: {error} (run `synaptic up` to write it again)",)
    ours = build_project_variables(
        sources.variables_root,
        said.get("SYNAPTIC_CHANNEL", config.channel),
        said.get("SYNAPTIC_AGENTS", config.agents),
    )
    wrong = [key for key, value in ours.items() if said.get(key, value) != value]
    if wrong:
        told = f"{where}: {', '.join(wrong)} belong to another place (run `synaptic up` to write it again)"
        # A copied or moved project's env.toml still names the old paths: hooks must not run with those.
        return ours, (told,)
    return ours, ()

"""Catalogs under which past events were decided, built again as they were or as they would be with a change."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.engine.basis import KeptCatalog, KeptHook
from synaptic.hooks.bundle import parse_bundle
from synaptic.hooks.bundle_seal import BundlePlace, KeptBundle
from synaptic.hooks.catalog import HookCatalog, build_catalog
from synaptic.hooks.config import parse_config_text
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.edit import assign_in_text, switch_in_text
from synaptic.hooks.past_sources import PastSources
from synaptic.hooks.rules.parse import parse_rules
from synaptic.hooks.sources import describe_kept
from synaptic.model.errors import DeclarationError
from synaptic.model.home import Home
from synaptic.model.hook import Hook, OutsidePolicy
from synaptic.pipeline.lifting import digest_options


class CatalogChange(msgspec.Struct, frozen=True, kw_only=True):
    """What would be set otherwise. Nothing at all: as it was."""

    config: str | None = None
    """Instead of the user's config."""
    enable: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    """Policies by id, presets as `@name`."""
    settings: tuple[tuple[str, str], ...] = ()
    """Dotted keys of the config, and their values."""
    rules: str = ""
    """Rules beside those of the user."""
    bundle: str = ""
    """A bundle beneath what the user has set, instead of the one that was in force."""
    is_managed: bool = False
    """Whether what it locks counts."""

    @property
    def is_nothing(self) -> bool:
        return self == CatalogChange()

    def check(self) -> None:
        """Raises DeclarationError for files that would not count as they are written."""
        config = parse_config_text((self.config or "").encode(), "the config").problems
        rules = parse_rules(self.rules.encode(), DeclarationFile("the rules", "user", ""), "/").problems
        if problems := (*config, *map(str, rules)):
            raise DeclarationError(problems[0], hint="correct it; synaptic config schema, synaptic rule --help")
        if self.rules and not parse_rules(self.rules.encode(), DeclarationFile("the rules", "user", ""), "/").rules:
            raise DeclarationError("there is no rule in it", where="the rules", hint="a rule begins with [[rule]]")

    def add_bundle(self, files: dict[str, bytes], home: str) -> None:
        """Put the bundle where the sources of a catalog look for it."""
        if self.bundle:
            bundle = parse_bundle(self.bundle.encode())
            kept = KeptBundle(name=bundle.name, version=bundle.version, text=self.bundle, is_managed=self.is_managed)
            files[str(BundlePlace.of(Home(Path(home))).current)] = describe_kept(kept)

    def edit(self, text: str) -> str:
        """The user's config with this change. Raises DeclarationError where it cannot be made."""
        text = text if self.config is None else self.config
        text = switch_in_text(text, self.enable, on=True) if self.enable else text
        text = switch_in_text(text, self.disable, on=False) if self.disable else text
        for key, value in self.settings:
            text = assign_in_text(text, key, value)
        return f"{text}\n{self.rules}" if self.rules else text


class PastCatalog(msgspec.Struct, frozen=True):
    """A catalog of the past, and what of it was written down."""

    kept: KeptCatalog
    catalog: HookCatalog
    options: Mapping[str, str] = {}
    """Of what is set otherwise now: digests of the options as they were, by hook."""

    def is_set_otherwise(self, hook: Hook) -> bool:
        """Whether an exception to what the hook said then is none to what it says now."""
        return bool(self.options) and self.options.get(hook.id) != digest_options(hook)


def rebuild_catalog(kept: KeptCatalog, change: CatalogChange) -> PastCatalog:
    """Build a catalog again. Raises DeclarationError for a change that cannot be made to it."""
    files = {path: text.encode("utf-8", "replace") for path, text in kept.files.items()}
    options: dict[str, str] = {}
    if not change.is_nothing:
        before = build_catalog(PastSources(kept.home, kept.root, kept.folders, dict(files)), kept.environment)
        options = {hook.id: digest_options(hook) for hook in (*before.hooks, *map(_make_hook, kept.outside))}
        config = f"{kept.home}/config.toml"
        change.add_bundle(files, kept.home)
        files[config] = change.edit(kept.files.get(config, "")).encode("utf-8", "replace")
    catalog = build_catalog(PastSources(kept.home, kept.root, kept.folders, files), kept.environment)
    if kept.outside:
        hooks = sorted((*catalog.hooks, *map(_make_hook, kept.outside)), key=lambda hook: hook.rank)
        catalog = msgspec.structs.replace(catalog, hooks=tuple(hooks))
    return PastCatalog(kept, catalog, options)


def _make_hook(kept: KeptHook) -> Hook:
    return Hook(
        id=kept.id,
        events=kept.events,
        handler=OutsidePolicy(file="", policy=kept.id),
        matcher=kept.matcher,
        priority=kept.priority,
        order=kept.order,
        on_error="deny" if kept.on_error == "deny" else "allow",
        protocol="native",
        source=kept.source,
        recheck=kept.recheck,
    )

"""Source files of a catalog: where they are, their order, each read once and then watched for changes."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import partial

import msgspec

from synaptic.files.bounded import FileContent, UnreadableFile, describe_size, read_content
from synaptic.files.snapshot import ContentLoader, WatchedFile, list_names
from synaptic.files.watch import FolderWatch
from synaptic.hooks import config as configs
from synaptic.hooks import document, pins, policy_files, toml, yaml
from synaptic.hooks.budget import (
    PROJECT_BYTES,
    PROJECT_CONFIG_BYTES,
    PROJECT_REGISTRY_BYTES,
    READING_PATIENCE,
    READING_SECONDS,
)
from synaptic.hooks.bundle import Bundle
from synaptic.hooks.bundle_layer import layer_bundle
from synaptic.hooks.bundle_seal import KEPT_LIMIT, BundlePlace, FoundBundle, KeptBundle, find_bundle
from synaptic.hooks.config import Config, ConfigFile
from synaptic.hooks.declaration import DECLARATION_LIMIT, DeclarationFile, Declarations
from synaptic.hooks.project import has_foreign_owner
from synaptic.hooks.rules.parse import PROJECT_RULES_BYTES, RuleDeclarations, parse_rules
from synaptic.model.home import Home
from synaptic.model.outside import POLICY_FOLDER, Origin, PolicySource

SourceText = tuple[bytes, str]
"""A file's content, empty when it cannot be read or is not there, and its path."""

RULES_NAME = "rules.toml"
"""In the `.synaptic` of a project."""
MAX_YAML_FILES = 1000
"""YAML files of one folder."""
TOO_SLOW_TEXT = (
    f"the declarations of this project could not be read within {READING_SECONDS:g} s and count as absent: none of its "
    "hooks runs and none of its settings counts (make them smaller; type: synaptic doctor)"
)
STALLED_TEXT = (
    f"its declarations could not be read within {READING_PATIENCE:g} s, because the machine or its disk is too busy"
)
WATCH_FROM_FILES = 8
"""From this many files on, watching their folder is cheaper than a stat for each."""


class CatalogTexts(msgspec.Struct, frozen=True):
    """What was read for a catalog: with these files alone it can be built again."""

    home: str = ""
    """The user's own folder."""
    files: Mapping[str, bytes] = {}
    """Files and listings of folders, by path; of code only that it is there."""


class HookFolder(msgspec.Struct, frozen=True):
    """A folder of declarations and the names in it."""

    place: DeclarationFile
    names: tuple[str, ...]

    def locate(self, name: str) -> DeclarationFile:
        return DeclarationFile(f"{self.place.file}/{name}", self.place.scope, self.place.root)


class CatalogSources:
    """One reading of all sources of a project; `watched` is what to check before the next one."""

    def __init__(self, home: Home, root: str, watch: FolderWatch | None = None, folders: tuple[str, ...] = ()) -> None:
        self._home = home
        self._watch = watch
        self._user = str(home.root)
        # The user's own folder is no project, even when somebody names it as one.
        self.root = "" if self._is_user_folder(root) else root
        self.variables_root = self.root or str(home.root.parent)
        named = folders or (self.root,)
        self._folders = tuple(one for one in named if one and not self._is_user_folder(one)) if self.root else ()
        """Whose declarations count, the outermost first."""
        self.watched: list[WatchedFile] = []
        self.covered: list[WatchedFile] = []
        """Files in folders under observation: only looked at when something happened there."""
        self.texts: dict[str, bytes] = {}
        """What was read, but for code."""
        self.problems: list[str] = []
        self.forbidden: list[str] = []
        """Problems with files that the system did not let us read: what they say is not known."""
        self.may_pass = False
        """Whether one of them may be readable the next moment."""
        self.is_user_unknown = False
        """Whether it is not known what the user has set."""
        self._project_bytes = 0
        self._bundle: Bundle | None = None
        for folder in self._folders:
            if has_foreign_owner(folder):
                self._folders = tuple(one for one in self._folders if one != folder)
                told = f"{_locate_dot_folder(folder)} belongs to another user: nothing in it counts (delete it)"
                self.problems.append(told)

    def leave_project_out(self, why: str) -> None:
        """Read nothing of the project any more: what was read of it stays watched."""
        self._folders = ()
        self.problems = [f"{_locate_dot_folder(self.root)}: {why}"]

    def read_user_config(self) -> SourceText:
        return self._read_text(str(self._home.config), configs.CONFIG_LIMIT)

    def read_settings(self, said: SourceText | None = None) -> ConfigFile:
        """What the user has set, over the bundle of their organisation, where there is one."""
        user = configs.parse_config_text(*(said or self.read_user_config()))
        found = self._find_bundle()
        self.problems += found.problems
        self._bundle = bundle = found.parse()
        if bundle is None or found.kept is None:
            return user
        # For the record of an event: without seal and signature, and under the same name.
        self.texts[str(BundlePlace.of(self._home).current)] = describe_kept(found.kept)
        self.problems += bundle.problems
        return layer_bundle(user, bundle, found.is_managed)

    def read_project_configs(self) -> tuple[SourceText, ...]:
        """The config of every folder that counts, the outermost first."""
        return tuple(self._read_project_text(folder, "config.toml") for folder in self._folders)

    def read_env_toml(self) -> SourceText:
        return self._read_project_text(self.root, "env.toml")

    def iter_rules(self, user: SourceText) -> Iterator[RuleDeclarations]:
        """The organisation's rules, the user's, which stand in the config, then those of every folder from outside."""
        home = str(self._home.root.parent)
        if self._bundle is not None:
            yield parse_rules(self._bundle.text, DeclarationFile(self._bundle.label, "organisation", self.root), home)
        yield parse_rules(user[0], DeclarationFile(user[1], "user", self.root), home)
        for folder in self._folders:
            text, path = self._read_text(f"{_locate_dot_folder(folder)}/{RULES_NAME}", PROJECT_RULES_BYTES)
            self._project_bytes += len(text)
            yield parse_rules(text, DeclarationFile(path, "project", folder), home)

    def read_pins(self, root: str) -> pins.Pins:
        """Read the pins of a project, or with "" of the user's own packages."""
        return pins.parse_pins(self._read_text(str(pins.locate_pins(self._home, root)), DECLARATION_LIMIT)[0])

    def iter_declarations(self, config: Config, environment: str = "") -> Iterator[Declarations]:
        """Iterate over declarations: user before projects, outer before inner, registry before YAML, names in order.

        `environment` is what the event's variables say: it chooses among the project's hooks, never among the user's.
        """
        own = self._read_folder(DeclarationFile(f"{self._user}/hooks", "user", self._user))
        yield self._read_registry(own)
        yield yaml.read_declarations(self._read_definitions(own), config)
        said = msgspec.structs.replace(config, environment=config.environment or environment)
        for folder in self._folders:
            brought = self._read_brought(folder)
            yield self._read_registry(brought)
            yield yaml.read_declarations(self._read_definitions_of(folder, brought), said)

    def read_policy_sources(self) -> tuple[PolicySource, ...]:
        """The user's files with policies before the project's, each with a digest of what it says."""
        folders: list[tuple[str, Origin]] = [(f"{self._user}/{POLICY_FOLDER}", "user")]
        folders += [(f"{_locate_dot_folder(folder)}/{POLICY_FOLDER}", "project") for folder in self._folders]
        return tuple(source for path, origin in folders for source in self._read_policy_folder(path, origin))

    def read_project_definitions(self) -> list[tuple[DeclarationFile, bytes]]:
        """Read the root's YAML files: `.system/hooks` before `.synaptic/hooks`."""
        return self._read_definitions_of(self.root, self._read_brought(self.root))

    def _read_brought(self, folder: str) -> HookFolder:
        return self._read_folder(DeclarationFile(f"{_locate_dot_folder(folder)}/hooks", "project", folder))

    def _read_definitions_of(self, folder: str, brought: HookFolder) -> list[tuple[DeclarationFile, bytes]]:
        system = self._read_folder(DeclarationFile(f"{folder.rstrip('/')}/.system/hooks", "project", folder))
        return self._read_definitions(system) + self._read_definitions(brought)

    def list_files(self) -> tuple[str, ...]:
        """List the source files that exist."""
        return tuple(source.path for source in self.watched + self.covered if source.signature is not None)

    @property
    def user_folder(self) -> str:
        """The user's own folder."""
        return self._user

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders whose declarations are read, the outermost first."""
        return self._folders

    def _is_user_folder(self, folder: str) -> bool:
        return _locate_dot_folder(folder) == self._user

    def _read_project_text(self, folder: str, name: str) -> SourceText:
        if folder not in self._folders:
            return b"", ""
        return self._read_text(f"{_locate_dot_folder(folder)}/{name}", PROJECT_CONFIG_BYTES)

    def _read_folder(self, place: DeclarationFile) -> HookFolder:
        listing = self._read_content(place.file, list_names) or b""
        return HookFolder(place, tuple(os.fsdecode(listing).split("\n")))

    def _read_registry(self, folder: HookFolder) -> Declarations:
        # A registry that is not there needs no watching: its folder changes when it appears.
        if "registry.toml" not in folder.names:
            return Declarations()
        place = folder.locate("registry.toml")
        limit = PROJECT_REGISTRY_BYTES if place.scope == "project" else DECLARATION_LIMIT
        return toml.parse_registry_toml(self._read_text(place.file, limit)[0], place)

    def _read_definitions(self, folder: HookFolder) -> list[tuple[DeclarationFile, bytes]]:
        found = [name for name in folder.names if yaml.is_definition_file(name)]
        if len(found) > MAX_YAML_FILES:
            self.problems.append(
                f"{folder.place.file}: holds {len(found)} YAML files; only the first {MAX_YAML_FILES} count"
            )
        places = [folder.locate(name) for name in found[:MAX_YAML_FILES]]
        # Watched before the files are read: a write in between raises the generation.
        observed = len(places) >= WATCH_FROM_FILES and self._watch is not None and self._watch.add(folder.place.file)
        found_texts: list[tuple[DeclarationFile, bytes]] = []
        for place in places:
            text = self._read_definition(place.file, observed)
            if text is None:
                continue
            self._project_bytes += len(text) if place.scope == "project" else 0
            if self._project_bytes > PROJECT_BYTES:
                limit = describe_size(PROJECT_BYTES)
                self.problems.append(
                    f"{place.file}: declarations of over {limit}; this one and those after it are absent"
                )
                break
            found_texts.append((place, text))
        return found_texts

    def _read_policy_folder(self, folder: str, origin: Origin) -> tuple[PolicySource, ...]:
        listing = self._read_content(folder, list_names)
        names = [name for name in os.fsdecode(listing or b"").split("\n") if policy_files.is_code(name)]
        if len(names) > policy_files.MAX_FILES:
            limit = policy_files.MAX_FILES
            self.problems.append(f"{folder}: holds {len(names)} Python files; only the first {limit} count")
        watch = self._watch
        observed = len(names) >= WATCH_FROM_FILES and watch is not None and watch.add(folder)
        paths = [f"{folder}/{name}" for name in names[: policy_files.MAX_FILES]]
        found = {path: self._read_policy_file(path, observed) for path in paths}
        return policy_files.make_sources({path: text for path, text in found.items() if text is not None}, origin)

    def _read_policy_file(self, path: str, observed: bool) -> bytes | UnreadableFile | None:
        """Its text, or why there is none; None for one that has been removed since its folder was listed."""
        load = partial(read_content, limit=policy_files.FILE_LIMIT)
        content = self._read_watched(path, load, self._choose_watch(path, observed))
        if content is None and os.path.islink(path):  # noqa: PTH114 - text paths throughout
            content = UnreadableFile("is a link to nothing")
        if isinstance(content, UnreadableFile):
            # Of one with policies is told later what that means: it depends on what it was known to hold.
            self._note_unreadable(path, content, is_told=not policy_files.holds_policies(path.rpartition("/")[2]))
        return content

    def _read_observed(self, path: str, load: ContentLoader, observed: bool) -> bytes | None:
        return self._read_content(path, load, self._choose_watch(path, observed))

    def _choose_watch(self, path: str, observed: bool) -> list[WatchedFile]:
        return self.covered if observed and _is_only_here(path) else self.watched

    def _read_definition(self, path: str, observed: bool) -> bytes | None:
        return self._read_observed(path, partial(read_content, limit=document.YAML_LIMIT), observed)

    def _find_bundle(self) -> FoundBundle:
        return find_bundle(self._home, self._read_bundle_file)

    def _read_bundle_file(self, path: str) -> bytes | None:
        content = self._read_watched(path, partial(read_content, limit=KEPT_LIMIT), self.watched)
        if isinstance(content, UnreadableFile):
            self._note_unreadable(path, content)
            return None
        return content

    def _read_text(self, path: str, limit: int) -> SourceText:
        return self._read_content(path, partial(read_content, limit=limit)) or b"", path

    def _read_content(self, path: str, load: ContentLoader, kept: list[WatchedFile] | None = None) -> bytes | None:
        """Read and watch a file; None when it is missing or unreadable, which is reported as a problem."""
        content = self._read_watched(path, load, self.watched if kept is None else kept)
        if isinstance(content, UnreadableFile):
            self._note_unreadable(path, content)
            return None
        if content is not None:
            self.texts[path] = content
        return content

    @staticmethod
    def _read_watched(path: str, load: ContentLoader, kept: list[WatchedFile]) -> FileContent:
        source = WatchedFile(path, load)
        kept.append(source)
        return source.read()

    def _note_unreadable(self, path: str, file: UnreadableFile, *, is_told: bool = True) -> None:
        problem = f"{path}: {file.why}; nothing in it counts"
        if is_told:
            self.problems.append(problem)
        if file.is_forbidden:
            self.forbidden.append(problem)
            self.may_pass = self.may_pass or file.may_pass
            self.is_user_unknown = self.is_user_unknown or path.startswith(f"{self._user}/")


def describe_kept(kept: KeptBundle) -> bytes:
    """What of a bundle decides, as the journal keeps it."""
    return msgspec.json.encode(
        {"name": kept.name, "version": kept.version, "text": kept.text, "is_managed": kept.is_managed}
    )


def _locate_dot_folder(folder: str) -> str:
    return f"{folder.rstrip('/')}/.synaptic"


def _is_only_here(path: str) -> bool:
    """Whether a watch of the folder sees all changes: not for symbolic or hard links, which change elsewhere."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1

"""A registry in memory, packages made in one line, and a user with projects to install them into."""

from pathlib import Path

from synaptic.hooks.edit_registry import parse_entries
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.hashes import hash_files, hash_text
from synaptic.packages.install import InstallOrder, apply_install, prepare_install
from synaptic.packages.remove import apply_removals, prepare_removal
from synaptic.packages.rows import Bundle, Dep, HookRow, Package, PackageFile, Question, Variant
from synaptic.packages.site import Site, make_global_site, make_project_site
from synaptic.packages.steps import watch_nothing
from synaptic.packages.verify_install import verify_site

HOOK = '#!/bin/sh\necho {name} {version} >> "$SYNAPTIC_ROOT/logs/ran"\n'


def made(name, version="1.0.0", **more):
    """A bundle with one hook, or with `files` {path: text}, `hooks` [(event, script, keys)], `deps`, `questions`."""
    files = more.pop("files", {"hooks/pre.sh": HOOK.format(name=name, version=version), "SKILL.md": f"# {name}\n"})
    hooks = more.pop("hooks", [("PreToolUse", "hooks/pre.sh", {"matcher": "Bash", "priority": 20, "blocking": True})])
    deps = tuple(Dep(package_id=name, **dep) for dep in more.pop("deps", ()))
    questions = tuple(Question(package_id=name, **one) for one in more.pop("questions", ()))
    channel = more.pop("channel", "main")
    rows = tuple(file(name, path, text) for path, text in sorted(files.items()))
    package = Package(id=name, name=name, version=version, sha256=hash_files(rows), **more)
    return Bundle(
        package=package,
        files=rows,
        hooks=tuple(HookRow(package_id=name, event=event, script_path=path, **keys) for event, path, keys in hooks),
        deps=deps,
        questions=questions,
        channel=channel,
        commit=f"commit-{version}",
    )


def file(name, path, text):
    kind = {"hooks": "hook", "scripts": "script", "agents": "agent", "commands": "command"}.get(path.split("/")[0])
    return PackageFile(
        package_id=name,
        dest_path=path,
        content=text,
        sha256=hash_text(text),
        file_type=kind or "skill",
        is_template=path.endswith(".j2"),
    )


class Shelf:
    """A Source in memory: the newest of each name is on the channel, older ones are its history."""

    url = "memory://user:secret@shelf"

    def __init__(self, *bundles, variants=()):
        self.bundles = list(bundles)
        self._variants = variants
        self.opened = []

    def add(self, *bundles):
        self.bundles += bundles

    def list_packages(self, channel):
        names = dict.fromkeys(one.package.name for one in self.bundles if one.channel == channel)
        return tuple(self.find_package(name, channel) for name in sorted(names))

    def find_package(self, name, channel, version=None):
        found = self.find_bundle(name, channel, version)
        return found and found.package

    def find_bundle(self, name, channel, version=None):
        self.opened.append(channel)
        fitting = [one for one in self.bundles if one.package.name == name and one.channel == channel]
        return next((one for one in reversed(fitting) if version in (None, one.package.version)), None)

    def list_variants(self, logical_id, channel):
        return tuple(one for one in self._variants if one.logical_id == logical_id)

    def search(self, words, channel):
        return tuple(one for one in self.list_packages(channel) if words in one.name)

    def list_channels(self):
        return tuple(sorted({one.channel for one in self.bundles}))

    def read_head(self, channel):
        return "head"

    def read_log(self, channel, name=None):
        return ()

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        pass


class Owner:
    """A user with a home and a project, who says yes to every plan."""

    def __init__(self, folder: Path, *bundles):
        self.folder = folder
        self.home = Home(folder / "user" / ".synaptic")
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.home.root.mkdir(parents=True)
        self.source = Shelf(*bundles)

    @property
    def site(self) -> Site:
        return make_project_site(self.project, self.home)

    @property
    def everywhere(self) -> Site:
        return make_global_site(self.home)

    def plan(self, name, *sites, channel="main", version=None, **more):
        wanted = WantedPackage(name=name, channel=channel, version=version)
        return prepare_install(self.source, InstallOrder(wanted=wanted, sites=sites or (self.site,), **more))

    def install(self, name, *sites, after=watch_nothing, **more):
        return apply_install(self.home, self.plan(name, *sites, **more), after)

    def remove(self, name, site=None, after=watch_nothing):
        return apply_removals(self.home, [prepare_removal(site or self.site, name)], after)

    def entries(self, site=None):
        path = (site or self.site).registry
        return parse_entries(path.read_text()) if path.exists() else []

    def lock(self, site=None):
        return lock.load_lockfile(site or self.site)

    def faults(self, site=None):
        return [found for found in verify_site(site or self.site) if found.kind != "ok"]

    def path(self, relative):
        return self.site.base / relative


def refused(work):
    """The refusal of some work."""
    try:
        work()
    except Refusal as refusal:
        return refusal
    raise AssertionError("was not refused")


def tree(folder, *skip):
    """Every file and link below with mode and content; lock files and what waits in staging are nobody's."""
    skipped = {".registry.lock", ".install", "install", *skip}
    return {
        path.relative_to(folder).as_posix(): (path.lstat().st_mode & 0o777, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not skipped & set(path.relative_to(folder).parts)
    }


def variant(logical, agent, package):
    return Variant(logical_id=logical, agent_profile=agent, variant_package_id=package)

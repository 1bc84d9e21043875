"""Skills, commands and agents of packages where Claude Code reads them: marked copies below its own folder.

The originals stay where packages are installed. A copy is written where nothing is, or a copy of ours; everything else
there is somebody's and stays, and the plan says so. Only Markdown is copied: nothing that runs, and no key at its
beginning that would make the client run something or ask less.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from synaptic.files.inside import name_inside, read_inside
from synaptic.files.replace import LinkedPathError
from synaptic.packages.contents import FILE_LIMIT
from synaptic.packages.folder import FENCE, parse_frontmatter
from synaptic.packages.hashes import hash_bytes
from synaptic.packages.lock import InstallRecord
from synaptic.packages.paths import SHARED_FOLDERS
from synaptic.packages.site import Site
from synaptic.packages.steps import DropFile, PutFile

SKILL_FILE = "SKILL.md"
AGENT_FOLDER = ".claude"
MARK = re.compile(rb"<!-- synaptic:package ([a-z0-9._-]+) (\S+): ")
MARK_TEXT = "<!-- synaptic:package {package} {version}: a copy, made by `synaptic install`; change {source} instead -->"
PLAIN_KEYS = frozenset((
    "name", "description", "version", "author", "license", "metadata", "compatibility", "model", "color", "effort",
    "tools", "disallowedTools", "disallowed-tools", "argument-hint", "arguments", "when_to_use",
    "disable-model-invocation", "user-invocable",
))  # fmt: skip
"""What may stand at the beginning of a copy: words for the model, and what narrows."""
HOOKS_LINE = re.compile(r"(?im)^[\s{,?]*[\"']?hooks[\"']?\s*:")
"""Also where another reader of YAML than ours would see the key."""
RUNS_TEXT = re.compile(r"(?m)(?:^|\s)!`[^`]|^\s*```!")
"""What the client runs by itself when it opens a skill or a command."""
TAKEN_NAMES = {("commands", "skill.md"): "the client takes it for the skill of the whole folder"}


class ShownFile(msgspec.Struct, frozen=True):
    """One copy: `path` is below the agent's folder."""

    path: str
    data: bytes
    problem: str = ""
    """Why it is not written; "" when it is."""


def list_shown(site: Site, package: str, version: str, files: Mapping[str, bytes]) -> tuple[ShownFile, ...]:
    """What a package with these files brings to the agent's folder. Reads only."""
    return tuple(
        ShownFile(path, data, _find_text_problem(path, files[source]) or _find_obstacle(site, path, package, data))
        for source, path in locate_shown(package, files).items()
        for data in (add_mark(files[source], package, version, f"{site.base.name}/{source}"),)
    )


def locate_shown(package: str, paths: Iterable[str]) -> dict[str, str]:
    """Which installed files have a copy, and its path below the agent's folder."""
    paths = [path for path in paths if path.endswith(".md")]
    own = f"skills/{package}"
    skills = {str(PurePosixPath(path).parent) for path in paths if PurePosixPath(path).name == SKILL_FILE}
    tops = {top: package if top == own else PurePosixPath(top).name for top in skills if _is_skill_folder(top, own)}
    found = {path: path for path in paths if path.partition("/")[0] in SHARED_FOLDERS.values()}
    for top, name in sorted(tops.items()):
        inside = (path for path in paths if path.startswith(f"{top}/"))
        nested = tuple(f"{other}/" for other in tops if other.startswith(f"{top}/"))
        found |= {one: f"skills/{name}/{one[len(top) + 1 :]}" for one in inside if not one.startswith(nested)}
    return found


def iter_shown_puts(site: Site, shown: Iterable[ShownFile]) -> Iterator[PutFile]:
    """The copies that are to be written."""
    for one in shown:
        if not one.problem:
            yield PutFile(_find_anchor(site), locate_folder(site) / one.path, one.data)


def iter_shown_drops(site: Site, paths: Iterable[str], installed: Iterable[str]) -> Iterator[DropFile]:
    """The copies at these paths that are ours, and of no package that stays installed; the rest is somebody's."""
    still = frozenset(installed)
    for path in paths:
        data = read_shown(site, path)
        mark = MARK.search(data or b"")
        if data is not None and mark and mark[1].decode() not in still:
            folder = locate_folder(site)
            yield DropFile(_find_anchor(site), folder / path, folder.parent, hash_bytes(data))


def read_shown(site: Site, path: str) -> bytes | None:
    """What stands at a copy's place; None for nothing, and for what is behind a link or cannot be read."""
    try:
        return _read(site, path)
    except OSError:
        return None


def iter_edited(site: Site, record: InstallRecord) -> Iterator[tuple[str, bytes]]:
    """The copies of a package that somebody has changed since, with what they hold now."""
    for source, path in locate_shown(record.package, record.files).items():
        there = read_shown(site, path)
        mark = MARK.search(there or b"")
        if there is None or mark is None or mark[1].decode() != record.package:
            continue
        if hash_bytes(remove_mark(there)) != record.files[source]:
            yield path, there


def locate_folder(site: Site) -> Path:
    """The folder that the agent reads: a project's own, or the user's, which may be a link of theirs."""
    folder = site.root / AGENT_FOLDER
    return folder if site.project else folder.resolve()


def add_mark(data: bytes, package: str, version: str, source: str) -> bytes:
    """The text with a line behind its front matter that says whose it is."""
    mark = MARK_TEXT.format(package=package, version=version, source=source).encode()
    lines = data.split(b"\n")
    fence = FENCE.encode()
    end = 0
    if lines[0].rstrip() == fence:
        end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == fence), -1) + 1
    return b"\n".join((*lines[:end], mark, *lines[end:]))


def remove_mark(data: bytes) -> bytes:
    """The text as its package has it."""
    lines = data.split(b"\n")
    at = next((number for number, line in enumerate(lines) if MARK.match(line)), len(lines))
    return b"\n".join((*lines[:at], *lines[at + 1 :]))


def _is_skill_folder(top: str, own: str) -> bool:
    """The package's own folder, or one below its folder `skills`."""
    return top == own or str(PurePosixPath(top).parent) == f"{own}/skills"


def _find_text_problem(path: str, data: bytes) -> str:
    folder, _, name = path.partition("/")
    if taken := TAKEN_NAMES.get((folder, name.casefold())):
        return taken
    text = data.decode("utf-8", "replace")
    if RUNS_TEXT.search(text):
        return "it would run a command when it is opened"
    if text.partition("\n")[0].rstrip() != FENCE:
        return ""
    head = parse_frontmatter(text)
    if head is None or HOOKS_LINE.search(text.partition(f"\n{FENCE}")[0]):
        return "its front matter cannot be read" if head is None else "its front matter has hooks of its own"
    odd = sorted(set(head) - PLAIN_KEYS)
    return f"its front matter has `{odd[0][:40]}`, which may run something or ask less" if odd else ""


def _find_obstacle(site: Site, path: str, package: str, data: bytes) -> str:
    try:
        there = _read(site, path)
    except LinkedPathError as error:
        return f"{error.filename} is a symbolic link"
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    if there is None or there == data:
        return ""
    mark = MARK.search(there)
    if mark is None:
        return "there is one of your own"
    return "" if mark[1].decode() == package else f"{mark[1].decode()} has brought one of that name"


def _read(site: Site, path: str) -> bytes | None:
    anchor = _find_anchor(site)
    return read_inside(anchor, name_inside(anchor, locate_folder(site) / path), 4 * FILE_LIMIT)


def _find_anchor(site: Site) -> Path:
    return site.project or locate_folder(site).parent

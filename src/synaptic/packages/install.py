"""Install packages: resolve, plan, and after the user agreed change files, lockfile, registry and pins together."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from synaptic.files.replace import read
from synaptic.hooks import pins
from synaptic.hooks.pins import ABSENT, Installed, Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.answers import Answer, Answers, answer_from, default_answer, kept, to_ask
from synaptic.packages.database import shown
from synaptic.packages.dependencies import Wanted, missing, requirements, resolve, run_commands
from synaptic.packages.lock import External, Lock, Record
from synaptic.packages.materialise import digest_of, materialise, profile_of, sha256_of, target
from synaptic.packages.plan import Item, Shown, edited_registry, record_of, registry_text, show
from synaptic.packages.rows import Bundle, Question
from synaptic.packages.site import Site
from synaptic.packages.source import Source
from synaptic.packages.steps import After, Change, Drop, Put, Work, commit_changes, hold_install_lock, watch_nothing
from synaptic.setup.env import env_files

Scripts = Mapping[str, tuple[str, ...]]
Ask = Callable[[Question, Answer], Answer]
"""Asks a person; the second argument is the answer when they just press return."""


def _take_default(question: Question, default: Answer) -> Answer:
    return default


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What to install, where, and how questions are answered."""

    wanted: Wanted
    sites: tuple[Site, ...]
    given: Mapping[str, str] = {}
    """Answers by question id, as they were typed."""
    ask: Ask = _take_default
    force: bool = False
    """Overwrite files that are there and belong to nobody."""
    channel: str | None = None
    """Written into env.toml; None leaves what is there."""


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """An installation plan that can be carried out."""

    items: tuple[Item, ...]
    force: bool = False
    channel: str | None = None

    @property
    def sites(self) -> tuple[Site, ...]:
        return tuple({str(item.site.base): item.site for item in self.items}.values())

    @property
    def commands(self) -> tuple[External, ...]:
        """Install commands that will be executed, each once."""
        found = (one for item in self.items for one in missing(item.requirements.cli))
        return tuple({one.command: one for one in found}.values())

    def shown(self) -> tuple[Shown, ...]:
        return tuple(show(item) for item in self.items)


def prepare(source: Source, order: Order) -> Prepared:
    """Prepare the plan. Everything that can be refused is refused here; nothing is written."""
    items: list[Item] = []
    for site in order.sites:
        known = lock.load(site)
        for bundle in resolve(source, order.wanted, known):
            _refuse_scope(bundle, site)
            items.append(_item(source, order, site, bundle))
    prepared = Prepared(items=tuple(items), force=order.force, channel=order.channel)
    for item in items:
        # Before the user is asked, and again under the lock: files may appear in between.
        _refuse_strangers(item, order.force)
        edited_registry(registry_text(item.site), item)  # for its errors: a registry that cannot be edited safely
    return prepared


def apply(home: Home, prepared: Prepared, after: After = watch_nothing) -> tuple[str, ...]:
    """Carry the plan out, whole or not at all; returns messages about an interrupted earlier call that was finished."""
    # Before the lock, and never undone: installers of programs take minutes and may ask the user.
    # Before the lock: an installer may take minutes, and what it installs cannot be taken back anyway.
    run_commands(prepared.commands)
    with hold_install_lock(home, prepared.sites) as told:
        changes = tuple(change for site in prepared.sites for change in _changes(site, prepared))
        what = f"install {', '.join(dict.fromkeys(item.name for item in prepared.items))}"
        work = Work(what=what, sites=prepared.sites, changes=changes)
        commit_changes(home, work, after)
    return told


def pins_text(value: Pins) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def loaded_pins(site: Site) -> Pins:
    return pins.parse(read(site.pins) or b"")


def snapshots(home: Home, site: Site, record: Record) -> Iterator[Put]:
    """Copy files that the user has changed, before they are overwritten or deleted."""
    key = f"{site.root.name or 'root'}-{sha256(str(site.root).encode()).hexdigest()[:8]}"
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = home.root / "mod-snapshots" / record.package / record.branch.replace("/", "_") / key / stamp
    for path, expected in record.files.items():
        found = _readable_digest(site.base / path)
        if found not in (None, expected):
            yield Put(folder / path, (site.base / path).read_bytes())


def _readable_digest(path: Path) -> str | None:
    try:
        return sha256_of(path)
    except OSError:
        return None


def _item(source: Source, order: Order, site: Site, bundle: Bundle) -> Item:
    known = lock.load(site)
    before = known.get(bundle.package.name)
    asked = bundle.package.name == order.wanted.name or bundle.package.id == order.wanted.name
    answers = _collect_answers(bundle, site, before, order if asked else None)
    return Item(
        site=site,
        material=materialise(bundle, site, answers),
        before=before,
        requirements=_keep_provenance(requirements(bundle, known), before),
        tracking="registry" if asked else "dependency",
        url=shown(source.url),
    )


def _keep_provenance(now: lock.Requirements, before: Record | None) -> lock.Requirements:
    """Keep who brought a program or package: after the first install it is always there already."""
    if before is None:
        return now
    was = {one.name: one.provenance for one in (*before.requirements.cli, *before.requirements.skills)}

    def keep(one: External) -> External:
        if one.provenance == "preexisting" and was.get(one.name) == "installed":
            return msgspec.structs.replace(one, provenance="installed", command=one.command and "")
        return one

    return msgspec.structs.replace(now, cli=tuple(map(keep, now.cli)), skills=tuple(map(keep, now.skills)))


def _collect_answers(bundle: Bundle, site: Site, before: Record | None, order: Order | None) -> Answers:
    """Defaults, then earlier answers, then what somebody is asked now, then what was given on the command line."""
    questions = bundle.questions
    repo = profile_of(site)
    given = order.given if order else {}
    ids = {question.question_id: question for question in questions}
    # A misspelt answer must not silently become the default.
    if strange := [name for name in given if name not in ids]:
        raise Refusal("invalid_args", f"{bundle.package.name} asks no question `{strange[0]}`", hint=", ".join(ids))
    answers: dict[str, Answer] = {one.question_id: default_answer(one, repo) for one in questions}
    answers |= kept(questions, before.answers) if before else {}
    for question in to_ask(questions, before.questions if before else ()):
        if order and question.question_id not in given:
            answers[question.question_id] = order.ask(question, answers[question.question_id])
    return answers | {name: answer_from(ids[name], text) for name, text in given.items()}


def _refuse_scope(bundle: Bundle, site: Site) -> None:
    if bundle.package.install_scope == "local-only" and site.scope == "global":
        name = bundle.package.name
        raise Refusal("invalid_args", f"{name} is for projects only", hint=f"synaptic install {name} --scope project")


def _refuse_strangers(item: Item, force: bool) -> None:
    """Refuse to overwrite a file that this package did not write."""
    tracked = item.before.files if item.before else {}
    for file in item.material.files:
        path = target(item.site, file.path)
        if file.path in tracked or force:
            continue
        if digest_of(path) not in (None, file.sha256):
            hint = "move it away, or overwrite it with --force"
            raise Refusal("conflict", "is there already and belongs to somebody else", where=str(path), hint=hint)


def _changes(site: Site, prepared: Prepared) -> Iterator[Change]:
    """All changes of a place, in the order in which they are harmless one by one.

    Hooks go on running while files are exchanged. So the pins first accept each script as before and as after, then
    the scripts come, then the registry that names them, then what nobody needs is dropped, and last the pins accept
    only what is there. No entry is ever without its script, and no script without its pin.
    """
    items = [_reread(item) for item in prepared.items if item.site == site]
    known, text, pinned = lock.load(site), registry_text(site), loaded_pins(site)
    for item in items:
        _refuse_strangers(item, prepared.force)
        known = known.put(record_of(item))
        text = edited_registry(text, item)
        yield from snapshots(site.home, site, item.before) if item.before else ()
    yield Put(site.pins, pins_text(_pin_scripts(site, pinned, items, both=True)), 0o600)
    if site.scope == "project":
        yield from (Put(path, data) for path, data in env_files(site.root, prepared.channel).items())
    for item in items:
        yield from (Put(target(site, file.path), file.data, file.mode) for file in item.material.files)
    yield Put(site.lockfile, lock.text(known))
    yield Put(site.registry, text.encode(), _mode_of(site.registry))
    yield from _drop_obsolete(site, items, known)
    yield Put(site.pins, pins_text(_pin_scripts(site, pinned, items, both=False)), 0o600)


def _reread(item: Item) -> Item:
    """Look again at what is installed: the plan was made before the lock, and somebody may have been faster."""
    return msgspec.structs.replace(item, before=lock.load(item.site).get(item.name))


def _drop_obsolete(site: Site, items: Iterable[Item], known: Lock) -> Iterator[Drop]:
    # Of all packages: a file that moved from one package to another stays.
    still = {path for record in known.install for path in record.files}
    for item in items:
        for path in item.before.files if item.before else ():
            if path not in still:
                yield Drop(target(site, path), site.base)


def _pin_scripts(site: Site, before: Pins, items: Iterable[Item], both: bool) -> Pins:
    packages = dict(before.packages)
    for item in items:
        scripts = {str(site.base / file.path): (file.sha256,) for file in item.material.files if file.mode & 0o111}
        old = packages[item.name].scripts if both and item.name in packages else {}
        packages[item.name] = Installed(
            version=item.material.bundle.package.version,
            source=item.url,
            scripts=_accept_either(old, scripts) if both else scripts,
        )
    return Pins(root="" if site.scope == "global" else str(site.root), packages=packages)


def _accept_either(old: Scripts, new: Scripts) -> Scripts:
    """Accept both old and new hash of each script while files are replaced one by one (ABSENT_HASH: no file)."""
    paths = dict.fromkeys((*old, *new))
    return {path: (*old.get(path, (ABSENT,)), *new.get(path, (ABSENT,))) for path in paths}


def _mode_of(path: Path) -> int:
    """Read the mode of a file that people edit, so that it keeps it."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644

"""Install packages: resolve, plan, and after the user agreed change files, lockfile, registry and pins together."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from synaptic.files.replace import read_file
from synaptic.hooks import pins
from synaptic.hooks.pins import ABSENT_HASH, PinnedPackage, Pins
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.answers import (
    QuestionAnswer,
    QuestionAnswers,
    find_unanswered,
    get_default_answer,
    keep_answers,
    parse_answer,
    pick_given,
    refuse_unasked,
)
from synaptic.packages.database import hide_password
from synaptic.packages.dependencies import (
    WantedPackage,
    check_requirements,
    find_missing,
    resolve_packages,
    run_install_commands,
)
from synaptic.packages.hashes import hash_bytes
from synaptic.packages.lock import ExternalNeed, InstallRecord, Lockfile
from synaptic.packages.materialise import (
    hash_or_refuse,
    materialise_bundle,
    read_if_possible,
    read_site_profile,
    resolve_target,
)
from synaptic.packages.plan import (
    PlanItem,
    PlanSummary,
    edit_registry_text,
    is_vouched_for,
    make_record,
    read_registry_text,
    summarise_item,
)
from synaptic.packages.rows import Bundle, Question
from synaptic.packages.shown import AGENT_FOLDER, iter_edited, iter_shown_drops, iter_shown_puts, locate_shown
from synaptic.packages.site import Site
from synaptic.packages.source import PackageSource
from synaptic.packages.steps import (
    DropFile,
    FileTransaction,
    PutFile,
    StagedChange,
    StepCallback,
    commit_changes,
    hold_install_lock,
    watch_nothing,
)
from synaptic.packages.versions import KnownInstall, refuse_rewritten, refuse_step_back
from synaptic.setup.env import plan_env_files

ScriptHashes = Mapping[str, tuple[str, ...]]
AskQuestion = Callable[[Question, QuestionAnswer], QuestionAnswer]
"""Asks a person; the second argument is the answer when they just press return."""


def _take_default(question: Question, default: QuestionAnswer) -> QuestionAnswer:
    return default


class InstallOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What to install, where, and how questions are answered."""

    wanted: WantedPackage
    sites: tuple[Site, ...]
    given: Mapping[str, str] = {}
    """Answers by question id, as they were typed."""
    ask: AskQuestion = _take_default
    force: bool = False
    """Overwrite files that are there and belong to nobody."""
    channel: str | None = None
    """Written into env.toml; None leaves what is there."""
    allow_downgrade: bool = False
    """Also an older version, another content under the same one, a rewritten history."""


class InstallPlan(msgspec.Struct, frozen=True, kw_only=True):
    """An installation plan that can be carried out."""

    items: tuple[PlanItem, ...]
    force: bool = False
    channel: str | None = None

    @property
    def sites(self) -> tuple[Site, ...]:
        return tuple({str(item.site.base): item.site for item in self.items}.values())

    @property
    def commands(self) -> tuple[ExternalNeed, ...]:
        """Install commands that will be executed, each once."""
        found = (one for item in self.items for one in find_missing(item.requirements.cli))
        return tuple({one.command: one for one in found}.values())

    def summarise(self) -> tuple[PlanSummary, ...]:
        return tuple(summarise_item(item) for item in self.items)


def prepare_install(source: PackageSource, order: InstallOrder) -> InstallPlan:
    """Prepare the plan. Everything that can be refused is refused here; nothing is written."""
    return prepare_installs(source, order, (order.wanted,))


def prepare_installs(source: PackageSource, order: InstallOrder, wanted: Iterable[WantedPackage]) -> InstallPlan:
    """Prepare one plan for several packages, with the answers of one order. What two of them need is there once."""
    items: dict[tuple[str, str], PlanItem] = {}
    for one in wanted:
        for item in _iter_items(source, msgspec.structs.replace(order, wanted=one)):
            key = (str(item.site.base), item.name)
            # One that was asked for by name counts before the same one as a dependency.
            if key not in items or item.tracking == "registry":
                items[key] = item
    refuse_unasked(order.given, {item.name: item.material.bundle.questions for item in items.values()})
    prepared = InstallPlan(items=tuple(items.values()), force=order.force, channel=order.channel)
    for item in prepared.items:
        # Before the user is asked, and again under the lock: files may appear in between.
        _refuse_foreign_files(item, order.force)
        edit_registry_text(
            read_registry_text(item.site), item
        )  # for its errors: a registry that cannot be edited safely
    return prepared


def _iter_items(source: PackageSource, order: InstallOrder) -> Iterator[PlanItem]:
    for site in order.sites:
        known = lock.load_lockfile(site)
        for bundle in resolve_packages(source, order.wanted, known):
            _refuse_scope(bundle, site)
            yield _make_item(source, order, site, bundle)


def apply_install(home: Home, prepared: InstallPlan, after: StepCallback = watch_nothing) -> tuple[str, ...]:
    """Carry the plan out, whole or not at all; returns messages about an interrupted earlier call that was finished."""
    # Before the lock, and never undone: installers of programs take minutes and may ask the user.
    # Before the lock: an installer may take minutes, and what it installs cannot be taken back anyway.
    run_install_commands(prepared.commands)
    with hold_install_lock(home, prepared.sites) as told:
        changes = tuple(change for site in prepared.sites for change in _iter_changes(site, prepared))
        what = f"install {', '.join(dict.fromkeys(item.name for item in prepared.items))}"
        work = FileTransaction(what=what, sites=prepared.sites, changes=changes)
        commit_changes(home, work, after)
    return told


def encode_pins(value: Pins) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def load_pins(site: Site) -> Pins:
    return pins.parse_pins(read_file(site.pins) or b"")


def iter_snapshots(home: Home, site: Site, record: InstallRecord) -> Iterator[PutFile]:
    """Copy files that the user has changed, before they are overwritten or deleted."""
    key = f"{site.root.name or 'root'}-{sha256(str(site.root).encode()).hexdigest()[:8]}"
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = home.root / "mod-snapshots" / record.package / record.branch.replace("/", "_") / key / stamp
    for path, expected in record.files.items():
        data = read_if_possible(site, path)
        if data is not None and hash_bytes(data) != expected:
            yield PutFile(home.root, folder / path, data)
    yield from (PutFile(home.root, folder / AGENT_FOLDER / path, data) for path, data in iter_edited(site, record))


def put_edited(site: Site, path: Path, data: bytes) -> PutFile:
    """Write a file that people edit too, with the mode it has. The user's own may be a link, a project's may not."""
    real = path if site.project else Path(os.path.realpath(path))
    return PutFile(site.project or real.parent, real, data, _mode_of(real))


def drop_installed(site: Site, path: str) -> DropFile:
    """Delete an installed file exactly as it is now: what comes there from now on stays."""
    target = resolve_target(site, path)
    return DropFile(site.anchor, target, site.base, hash_or_refuse(site, path) or "")


def _make_item(source: PackageSource, order: InstallOrder, site: Site, bundle: Bundle) -> PlanItem:
    known = lock.load_lockfile(site)
    before = known.get(bundle.package.name)
    asked = bundle.package.name == order.wanted.name or bundle.package.id == order.wanted.name
    pinned = load_pins(site).packages.get(bundle.package.name)
    install = KnownInstall(before, pinned)
    if not order.allow_downgrade:
        refuse_step_back(bundle, install, explicit=asked and order.wanted.version is not None)
        refuse_rewritten(source, bundle, install, hide_password(source.url))
    # Nobody is asked for a dependency; what was given for it counts.
    answers = _collect_answers(
        bundle, site, before, order if asked else msgspec.structs.replace(order, ask=_take_default)
    )
    return PlanItem(
        site=site,
        material=materialise_bundle(bundle, site, answers),
        before=before,
        pinned=pinned,
        requirements=_keep_provenance(check_requirements(bundle, known), before),
        tracking="registry" if asked else "dependency",
        url=hide_password(source.url),
    )


def _keep_provenance(now: lock.Requirements, before: InstallRecord | None) -> lock.Requirements:
    """Keep who brought a program or package: after the first install it is always there already."""
    if before is None:
        return now
    was = {one.name: one.provenance for one in (*before.requirements.cli, *before.requirements.skills)}

    def keep(one: ExternalNeed) -> ExternalNeed:
        if one.provenance == "preexisting" and was.get(one.name) == "installed":
            return msgspec.structs.replace(one, provenance="installed", command=one.command and "")
        return one

    return msgspec.structs.replace(now, cli=tuple(map(keep, now.cli)), skills=tuple(map(keep, now.skills)))


def _collect_answers(bundle: Bundle, site: Site, before: InstallRecord | None, order: InstallOrder) -> QuestionAnswers:
    """Defaults, then earlier answers, then what somebody is asked now, then what was given on the command line."""
    questions = bundle.questions
    repo = read_site_profile(site)
    given = pick_given(bundle.package.name, questions, order.given)
    ids = {question.question_id: question for question in questions}
    answers: dict[str, QuestionAnswer] = {one.question_id: get_default_answer(one, repo) for one in questions}
    answers |= keep_answers(questions, before.answers) if before else {}
    for question in find_unanswered(questions, before.questions if before else ()):
        if question.question_id not in given:
            answers[question.question_id] = order.ask(question, answers[question.question_id])
    return answers | {name: parse_answer(ids[name], text) for name, text in given.items()}


def _refuse_scope(bundle: Bundle, site: Site) -> None:
    if bundle.package.install_scope == "local-only" and site.scope == "global":
        name = bundle.package.name
        raise Refusal("invalid_args", f"{name} is for projects only", hint=f"synaptic install {name} --scope project")


def _refuse_foreign_files(item: PlanItem, force: bool) -> None:
    """Refuse to overwrite a file that this package did not write."""
    tracked = item.before.files if item.before else {}
    for file in item.material.files:
        path = resolve_target(item.site, file.path)
        if file.path in tracked or force:
            continue
        if hash_or_refuse(item.site, file.path) not in (None, file.sha256):
            hint = "move it away, or overwrite it with --force"
            raise Refusal("conflict", "is there already and belongs to somebody else", where=str(path), hint=hint)


def _iter_changes(site: Site, prepared: InstallPlan) -> Iterator[StagedChange]:
    """All changes of a place, in the order in which they are harmless one by one.

    Hooks go on running while files are exchanged. So the pins first accept each script as before and as after, then
    the scripts come, then the registry that names them, then what nobody needs is dropped, and last the pins accept
    only what is there. No entry is ever without its script, and no script without its pin.
    """
    items = [_reread(item) for item in prepared.items if item.site == site]
    known, text, pinned = lock.load_lockfile(site), read_registry_text(site), load_pins(site)
    for item in items:
        _refuse_foreign_files(item, prepared.force)
        known = known.put(make_record(item))
        text = edit_registry_text(text, item)
        yield from iter_snapshots(site.home, site, item.before) if item.before else ()
    yield PutFile(site.home.root, site.pins, encode_pins(_pin_scripts(site, pinned, items, both=True)), 0o600)
    if site.scope == "project":
        env = plan_env_files(site.root, prepared.channel)
        yield from (PutFile(site.root, path, data) for path, data in env.items())
    for item in items:
        files = item.material.files
        yield from (PutFile(site.anchor, resolve_target(site, one.path), one.data, one.mode) for one in files)
        yield from iter_shown_puts(site, item.shown)
    yield put_edited(site, site.lockfile, lock.encode_lockfile(known))
    yield put_edited(site, site.registry, text.encode())
    yield from _drop_obsolete(site, items, known)
    yield PutFile(site.home.root, site.pins, encode_pins(_pin_scripts(site, pinned, items, both=False)), 0o600)


def _reread(item: PlanItem) -> PlanItem:
    """Look again at what is installed: the plan was made before the lock, and somebody may have been faster."""
    return msgspec.structs.replace(item, before=lock.load_lockfile(item.site).get(item.name))


def _drop_obsolete(site: Site, items: Iterable[PlanItem], known: Lockfile) -> Iterator[DropFile]:
    # Of all packages: a file that moved from one package to another stays.
    still = {path for record in known.install for path in record.files}
    for item in items:
        for path, sha in item.before.files.items() if item.before else ():
            if path not in still and is_vouched_for(site, path, sha):
                yield drop_installed(site, path)
        yield from iter_shown_drops(site, _list_unshown(item), set(known.list_names()) - {item.name})


def _list_unshown(item: PlanItem) -> list[str]:
    """Copies of the version before that the new one does not bring, or must not."""
    if item.before is None:
        return []
    wanted = {one.path for one in item.shown if not one.problem}
    return [path for path in locate_shown(item.name, item.before.files).values() if path not in wanted]


def _pin_scripts(site: Site, before: Pins, items: Iterable[PlanItem], both: bool) -> Pins:
    packages = dict(before.packages)
    for item in items:
        scripts = {str(site.base / file.path): (file.sha256,) for file in item.material.files if file.is_executed}
        old = packages[item.name].scripts if both and item.name in packages else {}
        packages[item.name] = PinnedPackage(
            version=item.material.bundle.package.version,
            source=item.url,
            sha256=item.material.bundle.package.sha256,
            scripts=_accept_either(old, scripts) if both else scripts,
        )
    return Pins(root="" if site.scope == "global" else str(site.root), packages=packages)


def _accept_either(old: ScriptHashes, new: ScriptHashes) -> ScriptHashes:
    """Accept both old and new hash of each script while files are replaced one by one (ABSENT_HASH: no file)."""
    paths = dict.fromkeys((*old, *new))
    return {path: (*old.get(path, (ABSENT_HASH,)), *new.get(path, (ABSENT_HASH,))) for path in paths}


def _mode_of(path: Path) -> int:
    """Read the mode of a file that people edit, so that it keeps it."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644

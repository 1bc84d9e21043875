"""Cases that a person says a policy judges wrongly: kept in a folder of theirs, asked again by `self-test`.

They are in the form of the cases that are shipped. None of them fails anything: they show what is still judged
otherwise, to whoever has to decide about the policy.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import tomlkit

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.inside import read_inside
from synaptic.files.lock import hold_lock
from synaptic.files.place import place_file
from synaptic.files.replace import make_folders
from synaptic.files.toml import parse_toml
from synaptic.model.decision import Kind
from synaptic.model.errors import DeclarationError
from synaptic.model.home import Home
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import Case, CaseFile, apply_given, evaluate_case
from synaptic.store.redact import redact_text

FOLDER = "cases"
PROJECT_FOLDER = f".synaptic/{FOLDER}"
FILE_BYTES = 256 << 10
MOST_CASES = 200
"""Of one policy."""
MOST_FILES = 500
PRIVATE = 0o600
HEAD = """\
# Calls that a person says this policy judges wrongly, without secrets. `synaptic self-test` asks it about them.
"""


class CasePlace(msgspec.Struct, frozen=True):
    """Whose cases: the user's own, or those of a project."""

    home: Home
    project: Path | None = None

    def locate(self, policy: str) -> Path:
        folder = self.project / PROJECT_FOLDER if self.project else self.home.root / FOLDER
        return folder / f"{policy}.toml"

    def list_policies(self) -> list[str]:
        """The policies that have cases here."""
        folder = self.locate("x").parent
        try:
            return sorted(path.stem for path in folder.iterdir() if path.suffix == ".toml")[:MOST_FILES]
        except OSError:
            return []

    def read(self, policy: str) -> str:
        """The text of a policy's file; "" where there is none. Raises DeclarationError."""
        path = self.locate(policy)
        content = self._read_content(path)
        if isinstance(content, UnreadableFile):
            raise DeclarationError(f"cannot be read: {content.why}", where=str(path), hint="correct it or delete it")
        try:
            return (content or b"").decode()
        except UnicodeDecodeError:
            raise DeclarationError("is not UTF-8", where=str(path), hint="correct it or delete it") from None

    def _read_content(self, path: Path) -> bytes | UnreadableFile | None:
        if self.project is None:
            return read_content(str(path), FILE_BYTES)
        try:
            return read_inside(self.project, f"{PROJECT_FOLDER}/{path.name}", FILE_BYTES)
        except (OSError, ValueError) as error:
            return UnreadableFile(str(error))


class DisputedCase(msgspec.Struct, frozen=True, kw_only=True):
    """One of these cases, and how the policy judges it now."""

    policy: str
    case: str
    file: str
    says: str = ""
    """The kind of its verdict."""
    still: bool = False
    """Whether it does not say what the person wants: it stops the call, or lets it go on."""
    trouble: str = ""
    """Why it cannot be asked."""


def add_case(place: CasePlace, policy: str, case: Case) -> Path:
    """Append a case to its policy's file, unless it is there already. Raises DeclarationError, SettingsError."""
    path = place.locate(policy)
    make_folders(place.home.run, 0o700)
    with hold_lock(place.home.run / "cases.lock"):
        text = place.read(policy)
        known = _read_cases(text, path)
        if any(one.name == case.name for one in known):
            return path
        whole = f"{text or HEAD}\n{write_case(case)}"
        if len(known) >= MOST_CASES or len(whole.encode()) > FILE_BYTES:
            raise DeclarationError("holds as many cases as are read", where=str(path), hint="take some out first")
        place_file(place.project, path, whole.encode(), 0o644 if place.project else PRIVATE)
    return path


def write_case(case: Case) -> str:
    """A case as TOML, in which nothing that looks like a secret is left and nothing can drive a terminal."""
    given = {name: value for name, value in msgspec.structs.asdict(case).items() if value not in (None, "", {}, [])}
    if given.get("event") == "PreToolUse":
        del given["event"]
    given["want"] = str(case.want)
    text = redact_text(tomlkit.dumps({"case": [given]}))
    escaped = "".join(one if one.isprintable() or one == "\n" else _escape(one) for one in text)
    if [one.name for one in _read_cases(escaped, Path("case"))] != [case.name]:
        raise DeclarationError("the call cannot be written down as a case without a secret in it")
    return escaped


def judge_cases(places: Iterable[CasePlace], name: str = "") -> Iterator[DisputedCase]:
    """How policies judge these cases now: of all, or of the one that is named."""
    known = load_policies()
    for place in places:
        for policy in place.list_policies():
            if name in ("", policy):
                yield from _judge_file(place, policy, known.get(policy))


def _judge_file(place: CasePlace, name: str, policy: type[Policy] | None) -> Iterator[DisputedCase]:
    path = place.locate(name)
    try:
        cases = _read_cases(place.read(name), path)
    except DeclarationError as error:
        yield DisputedCase(policy=name, case="", file=str(path), trouble=error.message)
        return
    for case in cases[:MOST_CASES]:
        about = DisputedCase(policy=name, case=case.name, file=str(path))
        yield _judge_case(about, policy, case)


def _judge_case(about: DisputedCase, policy: type[Policy] | None, case: Case) -> DisputedCase:
    if policy is None:
        return msgspec.structs.replace(about, trouble="there is no built-in policy of this name")
    try:
        says = find_kind(policy, case)
    except Exception as error:  # noqa: BLE001 - a case is anybody's, and may hold what no event or option can be
        return msgspec.structs.replace(about, trouble=f"{type(error).__name__}: {error}"[:300])
    return msgspec.structs.replace(about, says=str(says), still=not _is_met(case.want, says))


def find_kind(policy: type[Policy], case: Case) -> Kind:
    """What a policy says about a case."""
    verdict = evaluate_case(policy, case)
    return verdict.kind if verdict else Kind.NONE


def is_stopping(kind: Kind) -> bool:
    """Whether a call does not go on by itself after such a verdict."""
    return kind in (Kind.DENY, Kind.ASK)


def _is_met(want: Kind, says: Kind) -> bool:
    """A call that should be stopped must be stopped so; any other must go on."""
    return says is want if is_stopping(want) else not is_stopping(says)


def _read_cases(text: str, path: Path) -> list[Case]:
    try:
        file = msgspec.convert(parse_toml(text), CaseFile) if text.strip() else CaseFile(case=[])
        return [apply_given(case, file.given) for case in file.case]
    except (ValueError, KeyError, RecursionError) as error:
        raise DeclarationError(f"holds no cases: {error}", where=str(path), hint="correct it or delete it") from None


def _escape(letter: str) -> str:
    """As a string in double quotes has it, and all strings here are such."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"

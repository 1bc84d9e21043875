"""Which answers from the hub were taken in, so that none counts twice, and which were refused and why.

An exception that comes of an answer has the one name that this answer can give (`store.grants.derive_grant_id`), so
the database alone takes none twice; this file knows it also after the database was lost, and of a No.
"""

import time
from collections.abc import Mapping

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import replace_file
from synaptic.hub.place import HubPlace
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.work.event_words import show_line

BOOK_LIMIT = 16 << 20
MOST_REFUSED = 20
TOLD_SECONDS = 86400.0
"""For so long the hub's readers are told of one that was refused."""
GRACE_SECONDS = 3600.0
"""What was taken in is remembered for longer than it can count: a clock may be set back."""
MOST_WORDS = 300


class TakenAnswer(msgspec.Struct, frozen=True):
    """One that counted."""

    number: int
    expires: float


class RefusedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One that did not."""

    at: float
    number: int
    person: str
    """Whose it says it is."""
    why: str
    digest: str = ""
    """Of its text and signature: it may come again."""


class AnswerBook(msgspec.Struct, frozen=True):
    """Both, the newest last. By the digest of an answer's text."""

    taken: Mapping[str, TakenAnswer] = {}
    refused: tuple[RefusedAnswer, ...] = ()

    def add_taken(self, digest: str, answer: TakenAnswer) -> "AnswerBook":
        now = time.time()
        kept = {name: one for name, one in self.taken.items() if one.expires + GRACE_SECONDS > now}
        return msgspec.structs.replace(self, taken={**kept, digest: answer})

    def find_refused(self, digest: str) -> RefusedAnswer | None:
        return next((one for one in self.refused if one.digest == digest), None)

    def add_refused(self, given: RefusedAnswer) -> "AnswerBook":
        words, name = (show_line(text[:MOST_WORDS]) for text in (given.why, given.person))
        one = msgspec.structs.replace(given, person=name, why=words)
        return msgspec.structs.replace(self, refused=(*self.refused, one)[-MOST_REFUSED:])


def read_book(home: Home) -> AnswerBook:
    """Raises SynapticError where there is one and nobody knows what is in it: then no answer is taken in."""
    path = HubPlace.of(home).answers
    content = read_content(str(path), BOOK_LIMIT)
    if content is None:
        return AnswerBook()
    if isinstance(content, UnreadableFile):
        raise SynapticError(content.why, where=str(path))
    try:
        return msgspec.json.decode(content, type=AnswerBook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        hint = "move it away when no answer of the last hours can come again"
        raise SynapticError("cannot be understood, so no answer counts", where=str(path), hint=hint) from error


def write_book(home: Home, book: AnswerBook) -> None:
    """Raises OSError, SettingsError."""
    replace_file(HubPlace.of(home).answers, msgspec.json.encode(book))


def list_answer_troubles(home: Home) -> tuple[str, ...]:
    """What people are told about answers that did not count."""
    try:
        refused = read_book(home).refused
    except SynapticError as error:
        return (f"answers: {error}",)
    told = [one for one in refused if one.at > time.time() - TOLD_SECONDS]
    return tuple(f"an answer of {one.person or 'nobody'} was refused: {one.why}" for one in told[-3:])

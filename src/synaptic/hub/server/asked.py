"""Questions that wait on hosts, and the signed answers of persons on their way there."""

import asyncio
import base64
import binascii
import time

import msgspec

from synaptic.hub.keys import PublicKey
from synaptic.hub.server.bodies import decode_body
from synaptic.hub.server.bundles import find_bundle, find_person_key
from synaptic.hub.server.database import Connection
from synaptic.hub.server.incoming import MOST_NAME, clip
from synaptic.hub.server.news import NEWS_CHANNEL
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import AnswerText, HostQuestion, SignedAnswer
from synaptic.model.errors import SynapticError

MOST_QUESTIONS = 500
MOST_ANSWERS = 100
MOST_SIGNATURE = 4_096
ANSWER_LOCK = 3700003
MOST_SECONDS = 8 * 86400.0
"""Longer than any answer counts on a host (`[hub] longest`): so long it is kept for it."""


class GivenAnswer(msgspec.Struct, frozen=True):
    """What a person sends: the bytes that were signed, and the signature."""

    text: str
    """In base64."""
    signature: str


async def take_questions(connection: Connection, host: int, said_at: float, asked: list[HostQuestion]) -> None:
    """All that are open on a host now, in the place of what it has said before."""
    if len(asked) > MOST_QUESTIONS:
        raise RequestError(413, f"up to {MOST_QUESTIONS} questions")
    done = await connection.execute(
        "INSERT INTO question_lists AS q VALUES (%s, %s) ON CONFLICT (host) DO UPDATE SET said_at = excluded.said_at"
        " WHERE q.said_at <= excluded.said_at",
        (host, said_at),
    )
    if not done.rowcount:
        return
    kept = {clip(one.mark, MOST_NAME): one for one in asked}
    bodies = [msgspec.json.encode(one).decode() for one in kept.values()]
    await connection.execute("DELETE FROM questions WHERE host = %s AND mark <> ALL(%s)", (host, list(kept)))
    await connection.execute(
        "INSERT INTO questions SELECT %s, * FROM unnest(%s::text[], %s::float8[], %s::text[], %s::json[])"
        " ON CONFLICT (host, mark) DO UPDATE SET at = excluded.at, acts = excluded.acts, body = excluded.body",
        (host, list(kept), [one.at for one in kept.values()], [clip(one.acts, 1000) for one in kept.values()], bodies),
    )


def read_answer(given: GivenAnswer) -> tuple[AnswerText, bytes]:
    """What a person has signed, and its bytes. Raises RequestError."""
    if len(given.signature) > MOST_SIGNATURE or "\0" in given.signature:
        raise RequestError(400, "this is no signature")
    try:
        raw = base64.b64decode(given.text, validate=True)
        return decode_body(raw, AnswerText), raw
    except (binascii.Error, ValueError) as error:
        raise RequestError(400, "this is no answer") from error


async def take_answer(connection: Connection, given: GivenAnswer) -> None:
    """Keep an answer to a question that is open, and tell whoever waits for it. Raises RequestError."""
    answer, raw = read_answer(given)
    if answer.expires <= time.time():
        raise RequestError(409, "this answer counts no more: its time is over")
    found = await connection.execute(
        "SELECT h.number, q.acts FROM hosts h JOIN questions q ON q.host = h.number"
        " WHERE h.id = %s AND h.revoked_at IS NULL AND q.mark = %s",
        (answer.host, answer.mark),
    )
    row = await found.fetchone()
    if row is None:
        raise RequestError(404, "this question is not open any more", hint="synaptic inbox --hub")
    if row[1] != clip(answer.acts, 1000):
        raise RequestError(409, "this question is about something else by now", hint="look at it again")
    await _check_name(connection, answer.person, (raw, given.signature))
    await _keep(connection, row[0], answer, (raw, given.signature))


async def _check_name(connection: Connection, person: str, signed: tuple[bytes, str]) -> None:
    """Who is named in the bundle here has signed it: hosts see to that anyway, but people here are shown the name.

    Others may be named in a bundle that hosts get elsewhere.
    """
    bundle = await find_bundle(connection)
    key = await asyncio.to_thread(find_person_key, bundle.text, person) if bundle else ""
    if not key:
        return
    try:
        PublicKey.parse(key).verify(*signed)
    except SynapticError as error:
        raise RequestError(403, f"not signed by {clip(person, MOST_NAME)}: {error.message}") from error


async def _keep(connection: Connection, host: int, answer: AnswerText, signed: tuple[bytes, str]) -> None:
    # Numbers of one host are given in the order in which they can be seen: it asks for what comes after the last one.
    await connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (ANSWER_LOCK, host))
    person, expires = clip(answer.person, MOST_NAME), min(answer.expires, time.time() + MOST_SECONDS)
    await connection.execute(
        "INSERT INTO answers (host, mark, says, person, at, expires, text, signature)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (host, mark, signature) DO NOTHING",
        (host, answer.mark, clip(answer.says, 40), person, answer.at, expires, *signed),
    )
    await connection.execute("SELECT pg_notify(%s, %s)", (NEWS_CHANNEL, str(host)))


async def list_answers(connection: Connection, host: int, after: int) -> tuple[SignedAnswer, ...]:
    """Answers for a host that came after the last it has seen, and still count."""
    found = await connection.execute(
        "SELECT number, text, signature FROM answers WHERE host = %s AND number > %s AND expires > %s"
        " ORDER BY number LIMIT %s",
        (host, after, time.time(), MOST_ANSWERS),
    )
    return tuple(SignedAnswer(number, bytes(text), signature) for number, text, signature in await found.fetchall())

"""Answers and bundles on their way to hosts: at once where somebody waits, in order, and only to whom they are for."""

import asyncio
import base64
import time

import msgspec
import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.server import news as board
from synaptic.hub.wire import API, AnswerText, HostQuestion, HubNews, SignedBundle
from tests.hub.server.kit import HubClient, open_hub

PERSON = SecretKey.make()


def make_question(mark: str = "m1", **given: object) -> HostQuestion:
    return HostQuestion(mark=mark, code="k7qmd", at=time.time(), policies=("git.force-push",), acts="d1", **given)


async def answer(client: HubClient, token: dict[str, str], **given: object) -> int:
    text = AnswerText(**{"host": client.host, "mark": "m1", "acts": "d1", "says": "once", "person": "ada",
                         "at": time.time(), "expires": time.time() + 60, **given})  # fmt: skip
    raw = msgspec.json.encode(text, order="sorted")
    sent = {"text": base64.b64encode(raw).decode(), "signature": PERSON.sign(raw, "answer")}
    return (await client.http.post(f"{API}/answers", content=msgspec.json.encode(sent), headers=token)).status_code


async def ask_news(client: HubClient, after: int = 0, bundle: int = 0, wait: int = 0) -> HubNews:
    found = await client.asks("GET", f"{API}/news?after={after}&bundle={bundle}&wait={wait}")
    assert found.status_code == 200, found.text
    return msgspec.json.decode(found.content, type=HubNews)


async def wait_for_listener(client: HubClient) -> None:
    while not await client.rows(
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    ):
        await asyncio.sleep(0.02)


def test_an_answer_wakes_the_host_that_waits_and_no_other(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            other, token = await one.another("other"), await one.token()
            for client in (one, other):
                assert (await client.puts("questions", [make_question()])).status_code == 204
            await wait_for_listener(one)
            mine = asyncio.create_task(ask_news(one, wait=20))
            others = asyncio.create_task(ask_news(other, wait=1))
            await asyncio.sleep(0.2)
            assert await answer(one, token) == 204
            begun = time.monotonic()
            news = await mine
            assert time.monotonic() - begun < 5
            assert len(news.answers) == 1
            assert msgspec.json.decode(news.answers[0].text, type=AnswerText).says == "once"
            assert (await others).answers == ()
            last = news.answers[0].number
            assert (await ask_news(one, after=last)).answers == ()
            assert await answer(one, token, says="no") == 204
            assert [found.number > last for found in (await ask_news(one, after=last)).answers] == [True]

    asyncio.run(go())


def test_an_answer_needs_an_open_question_that_is_still_the_same(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            token = await one.token()
            assert await answer(one, token) == 404
            await one.puts("questions", [make_question()])
            assert await answer(one, token, acts="d2") == 409
            assert await answer(one, token, expires=time.time() - 1) == 409
            assert await answer(one, token, host="nobody") == 404
            assert await answer(one, token, mark="m\x001") == 404
            bad = await one.http.post(f"{API}/answers", content=b'{"text":"??","signature":""}', headers=token)
            assert bad.status_code == 400
            await one.puts("questions", [])
            assert await answer(one, token) == 404

    asyncio.run(go())


def test_a_notification_that_got_lost_is_made_good_by_a_look(database, monkeypatch):
    monkeypatch.setattr(board, "LOOK_SECONDS", 0.2)

    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            await wait_for_listener(one)
            waiting = asyncio.create_task(ask_news(one, wait=20))
            await asyncio.sleep(0.2)
            await one.rows(
                "INSERT INTO answers (host, mark, says, person, at, expires, text, signature)"
                " VALUES (1, 'm', 'no', 'ada', 0, 9e9, 'x', 's')"
            )  # no word of it
            assert len((await asyncio.wait_for(waiting, 10)).answers) == 1

    asyncio.run(go())


def test_a_listener_whose_connection_is_cut_listens_again(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            token = await one.token()
            await one.puts("questions", [make_question()])
            await wait_for_listener(one)
            waiting = asyncio.create_task(ask_news(one, wait=20))
            await one.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
            )
            assert await answer(one, token) == 204
            assert len((await asyncio.wait_for(waiting, 15)).answers) == 1

    asyncio.run(go())


def test_a_bundle_reaches_everybody_and_only_a_newer_one_of_the_right_key_is_taken(database):
    organisation = SecretKey.make()

    def make_bundle(version: int, key: SecretKey = organisation, more: str = "") -> bytes:
        text = f'name = "acme"\nversion = {version}\n{more}'
        return msgspec.json.encode(SignedBundle(text, key.sign(text.encode(), f"version {version}")))

    async def go() -> None:
        async with open_hub(database, organisation_key=organisation.public.text) as one:
            await one.join("one")
            admin = await one.token("admin")

            async def publish(body: bytes) -> int:
                return (await one.http.post(f"{API}/bundle", content=body, headers=admin)).status_code

            assert (await one.asks("GET", f"{API}/bundle")).status_code == 404
            await wait_for_listener(one)
            waiting = asyncio.create_task(ask_news(one, wait=20))
            await asyncio.sleep(0.2)
            assert await publish(make_bundle(7, SecretKey.make())) == 400
            assert await publish(make_bundle(7).replace(b"acme", b"acne")) == 400
            assert await publish(b'{"text":"version = 7","signature":""}') == 400
            assert await publish(make_bundle(7)) == 200
            assert (await waiting).bundle == 7
            assert await publish(make_bundle(7)) == 200, "the same again is no trouble"
            assert await publish(make_bundle(7, more="x = 1")) == 409
            assert await publish(make_bundle(6)) == 409
            found = msgspec.json.decode((await one.asks("GET", f"{API}/bundle")).content, type=SignedBundle)
            assert found == msgspec.json.decode(make_bundle(7), type=SignedBundle)

    asyncio.run(go())


@pytest.mark.parametrize("question", ["after=x", "after=-1", "wait=1e9", "bundle=", "after=" + "9" * 40])
def test_numbers_that_are_none_are_refused(database, question):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            assert (await one.asks("GET", f"{API}/news?{question}")).status_code == 400

    asyncio.run(go())


def test_a_hub_that_ends_answers_those_who_wait(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            waiting = asyncio.create_task(ask_news(one, wait=50))
            await asyncio.sleep(0.2)
            one.hub.end_waiting()
            assert (await asyncio.wait_for(waiting, 5)).answers == ()

    asyncio.run(go())


def test_nobody_with_a_token_answers_in_the_name_of_somebody_whom_the_bundle_names(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            await one.puts("questions", [make_question()])
            reader, admin = await one.token(), await one.token("admin")
            named = (
                f'[people.ada]\nkey = "{PERSON.public.text}"\n[people.bob]\nkey = "{SecretKey.make().public.text}"\n'
            )
            bundle = SignedBundle(f'name = "acme"\nversion = 1\n{named}', "s")
            sent = await one.http.post(f"{API}/bundle", content=msgspec.json.encode(bundle), headers=admin)
            assert sent.status_code == 200, sent.text
            assert await answer(one, reader, person="bob", says="no") == 403
            assert await answer(one, reader, person="ada") == 204
            assert await answer(one, reader, person="carol", expires=1e300) == 204
            (latest,) = await one.rows("SELECT max(expires) FROM answers")
            assert latest[0] < time.time() + 9 * 86400

    asyncio.run(go())

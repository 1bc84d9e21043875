"""One host that lies: what it says of itself costs nobody else an answer."""

import asyncio

import msgspec

from synaptic.hub.wire import API, HostGrant, HostQuestion, HostStatus
from tests.hub.server.kit import HubClient, open_hub


def make_question(mark: str = "m1", **given: object) -> HostQuestion:
    return HostQuestion(mark=mark, code="k7qmd", **{"at": 5.0, "policies": ("git.push",), "acts": "a", **given})


def make_endless(value: object) -> bytes:
    """The same, with a number that no float holds, and a text that makes the hub read it with care."""
    return msgspec.json.encode(value).replace(b"5.0", b"1e999").replace(b"k7qmd", b"k\\u0000")


def test_a_number_without_end_in_a_question_is_refused_and_hides_nobody_elses(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            other = await one.another()
            await other.puts("questions", [make_question("theirs")])
            body = make_endless([make_question()])
            assert (await one.asks("PUT", f"{API}/questions", body)).status_code == 400
            found = await one.http.get(f"{API}/questions", headers=await one.token())
            assert found.status_code == 200, found.text
            assert [row["question"]["mark"] for row in found.json()["questions"]] == ["theirs"]

    asyncio.run(go())


def test_a_number_without_end_in_a_grant_is_refused(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            status = HostStatus(version="k7qmd", grants=(HostGrant("g", 5.0, "git.push", "once", "ada"),))
            assert (await one.asks("PUT", f"{API}/status", make_endless(status))).status_code == 400
            found = await one.http.get(f"{API}/overrides", headers=await one.token())
            assert found.json() == {"overrides": []}

    asyncio.run(go())


def test_a_host_with_questions_without_number_leaves_room_for_those_of_others(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            other = await one.another()
            await other.puts("questions", [make_question("theirs")])
            flood = [make_question(f"m{number}", at=1e308, is_held=True) for number in range(500)]
            assert (await one.puts("questions", flood)).status_code == 204
            found = await one.http.get(f"{API}/questions?limit=100", headers=await one.token())
            marks = [row["question"]["mark"] for row in found.json()["questions"]]
            assert len(marks) == 100
            assert "theirs" in marks

    asyncio.run(go())


def test_a_code_and_the_public_key_of_another_host_change_nothing_about_it(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one", code=await one.invite(is_managed=True), is_managed=True)
            thief = HubClient(one.hub, one.http)
            thief.key = one.key
            assert (await thief.join("thief")).status_code == 403
            assert await one.rows("SELECT name, is_managed FROM hosts") == [("one", True)]

    asyncio.run(go())

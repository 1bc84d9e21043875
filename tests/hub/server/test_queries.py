"""What people are told: over all hosts, narrowed, page by page."""

import asyncio
import time

import pytest

from synaptic.hub.server.tallies import find_class, show_class
from synaptic.hub.wire import API, HookRun, HostGrant, HostQuestion, HostStatus
from tests.hub.server.kit import make_event, open_hub


def test_everything_that_hosts_have_sent_is_found(database):
    now = time.time()

    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            other, token = await one.another("other"), await one.token()
            await one.ships(
                0,
                make_event(1, at=now - 50, subject="git push --force origin", tool="Bash"),
                make_event(2, at=now - 40, kind="deny", by="git.force-push", code="k7qmd", session="s2",
                           runs=(HookRun("git.force-push", "deny", 900),)),
                make_event(3, at=now - 86400 * 5, tool="Edit", project="~/other/place", grants=("g1",)),
            )  # fmt: skip
            await other.ships(0, make_event(9, at=now - 45, kind="ask", by="shell.loss"))
            status = HostStatus(
                version="1.2", bundle="acme 7", newest=10, witness={"as told": 5},
                grants=(HostGrant(id="g1", at=now, policy="git.force-push", scope="once", granted_by="ada"),),
            )  # fmt: skip
            await one.puts("status", status)
            await one.puts("questions", [HostQuestion(mark="m", code="k7qmd", at=now, policies=("x",), acts="d")])

            async def ask(what: str, **given: object) -> list[dict]:
                answer = await one.http.get(f"{API}/{what}", params=given, headers=token)
                assert answer.status_code == 200, answer.text
                return answer.json()[what]

            async def seqs(**given: object) -> list[tuple[str, int]]:
                return [(row["host"], row["seq"]) for row in await ask("events", **given)]

            assert await seqs() == [(one.host, 2), (other.host, 9), (one.host, 1), (one.host, 3)]
            assert await seqs(host=one.host) == [(one.host, 2), (one.host, 1), (one.host, 3)]
            assert await seqs(q="git.force-push") == [(one.host, 2)]
            assert await seqs(q="PUSH force") == [(one.host, 2), (one.host, 1)]
            assert await seqs(q="~/other/place") == [(one.host, 3)]
            assert await seqs(q="k7qmd") == [(one.host, 2)]
            assert await seqs(q="nothing") == []
            assert len(await seqs(q="'; -- !!! && | <-> ()")) == 4, "signs are no words"
            assert await seqs(kind="refused") == [(one.host, 2), (other.host, 9)]
            assert await seqs(session="s2") == [(one.host, 2)]
            assert await seqs(since=now - 46) == [(one.host, 2), (other.host, 9)]
            assert await seqs(until=now - 86400) == [(one.host, 3)]
            found, before = [], ""
            while page := await ask("events", limit=1, before=before):
                found.append(page[0]["seq"])
                before = page[-1]["place"]
            assert found == [2, 9, 1, 3]
            event = (await ask("events", q="k7qmd"))[0]
            assert event["runs"] == [{"hook": "git.force-push", "kind": "deny", "micros": 900, "fault": ""}]

            hosts = await ask("hosts")
            assert [(row["id"], row["seq"], row["version"]) for row in hosts] == [
                (one.host, 3, "1.2"),
                (other.host, 9, ""),
            ]
            assert await ask("versions") == [
                {"version": "", "bundle": "", "hosts": 1}, {"version": "1.2", "bundle": "acme 7", "hosts": 1}
            ]  # fmt: skip
            sessions = await ask("sessions")
            assert [(row["session"], row["events"], row["refused"]) for row in sessions] == [
                ("s2", 1, 1), ("s1", 1, 1), ("s1", 2, 0)
            ]  # fmt: skip
            assert len(await ask("sessions", limit=2, before=sessions[0]["place"])) == 2
            assert [(row["policy"], row["denied"]) for row in await ask("denials")] == [("git.force-push", 1)]
            days = await ask("days")
            assert [(row["events"], row["denied"], row["asked"]) for row in days] == [(3, 1, 1), (1, 0, 0)]
            latency = await ask("latency")
            assert [(row["hook"], row["runs"]) for row in latency] == [("", 4), ("git.force-push", 4)]
            assert latency[1]["p99"] == pytest.approx(900, rel=0.1)
            assert [(row["host"], row["calls"]) for row in await ask("witness")] == [(one.host, {"as told": 5})]
            assert [(row["policy"], row["granted_by"]) for row in await ask("overrides")] == [("git.force-push", "ada")]
            assert [row["question"]["mark"] for row in await ask("questions")] == ["m"]

    asyncio.run(go())


@pytest.mark.parametrize(
    "question", ["limit=0", "limit=501", "limit=x", "since=nan", "since=1e99", "until=-1", "before=x", "before=a_b_c_d"]
)
def test_questions_that_mean_nothing_are_refused(database, question):
    async def go() -> None:
        async with open_hub(database) as one:
            token = await one.token()
            answer = await one.http.get(f"{API}/events?{question}", headers=token)
            assert answer.status_code == 400, answer.text

    asyncio.run(go())


@pytest.mark.parametrize(
    "what", ["hosts", "events", "sessions", "denials", "questions", "witness", "latency", "overrides"]
)
def test_hostile_questions_are_only_words(database, what):
    async def go() -> None:
        async with open_hub(database) as one:
            token = await one.token()
            for text in ("a\0b", "'; DROP TABLE events; --", "%s", "{0}", "\\", "💥", "x" * 4000, "_", "a_b_c"):
                for name in ("q", "host", "session", "policy", "agent", "tool", "kind"):
                    answer = await one.http.get(f"{API}/{what}", params={name: text}, headers=token)
                    assert answer.status_code == 200, (name, text, answer.text)

    asyncio.run(go())


def test_a_class_of_durations_is_within_ten_percent():
    for micros in (2, 3, 17, 250, 999, 12_345, 7_000_000):
        assert show_class(find_class(micros)) == pytest.approx(micros, rel=0.1)

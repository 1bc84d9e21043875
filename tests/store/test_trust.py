"""Trust is remembered by content, per project, and seen at once by everybody."""

import pytest

from synaptic.store import journal, trust
from synaptic.store.db import Store
from synaptic.store.trust import TrustedContent


def test_trust_is_per_project_and_adds_up(store):
    trust.remember_trust(store, "/a", [TrustedContent("d1", "run.sh")])
    trust.remember_trust(store, "/a", [TrustedContent("d2", "check.sh"), TrustedContent("d1", "renamed.sh")])
    assert trust.read_trusted_digests(store, "/a") == {"d1", "d2"}
    assert trust.read_trusted_digests(store, "/b") == frozenset()
    assert [(found.label, found.digest) for found in trust.list_agreements(store, "/a")] == [
        ("check.sh", "d2"),
        ("renamed.sh", "d1"),
    ]


def test_forget_takes_everything_of_one_project(store):
    trust.remember_trust(store, "/a", [TrustedContent("d1", "x"), TrustedContent("d2", "y")])
    trust.remember_trust(store, "/b", [TrustedContent("d1", "x")])
    assert trust.read_trusted_digests(store, "/a")
    assert trust.forget_trust(store, "/a") == 2
    assert trust.read_trusted_digests(store, "/a") == frozenset()
    assert [found.root for found in trust.list_agreements(store)] == ["/b"]


def test_what_another_process_decides_is_seen_at_the_next_look(home, store, record):
    other = Store.open(home)
    assert trust.read_trusted_digests(store, "/a") == frozenset()
    trust.remember_trust(other, "/a", [TrustedContent("d1", "x")])
    assert trust.read_trusted_digests(store, "/a") == {"d1"}
    trust.forget_trust(other, "/a")
    assert trust.read_trusted_digests(store, "/a") == frozenset()
    other.close()


def test_it_is_read_once_while_nothing_changes(store, record):
    trust.remember_trust(store, "/a", [TrustedContent("d1", "x")])
    first = trust.read_trusted_digests(store, "/a")
    journal.append_records(store, [record()])
    assert trust.read_trusted_digests(store, "/a") is first


def test_the_last_agreement_for_a_hook_is_kept_with_its_content(store):
    trust.remember_trust(
        store, "/a", [TrustedContent("d1", "x", "h", b"one"), TrustedContent("d3", "y", "i", b"other")]
    )
    trust.remember_trust(store, "/a", [TrustedContent("d2", "x", "h", b"two")])
    assert trust.read_kept_content(store, "/a", "h") == b"two"
    assert trust.read_kept_content(store, "/a", "i") == b"other"
    assert trust.read_kept_content(store, "/b", "h") == b""
    sql = "SELECT count(*) FROM trust WHERE kept <> x''"
    assert store.read(lambda connection: connection.execute(sql).fetchone()) == (2,)
    trust.forget_trust(store, "/a")
    assert trust.read_kept_content(store, "/a", "h") == b""


@pytest.mark.parametrize("forged", ["kept = x'00'", "hook = 'other'", "root = '/b'", "digest = 'd2'", "kept_mac = x''"])
def test_a_kept_content_that_somebody_else_wrote_is_not_shown(store, forged: str):
    trust.remember_trust(store, "/a", [TrustedContent("d1", "x", "h", b"one")])
    store.write(lambda connection: connection.execute(f"UPDATE trust SET {forged}"))
    for root in ("/a", "/b"):
        for hook in ("h", "other"):
            assert trust.read_kept_content(store, root, hook) == b""

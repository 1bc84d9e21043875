"""A registry that goes back: older versions, other contents under a known version, a rewritten history."""

import msgspec
import pytest

from synaptic.packages.author import undo_commit
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, apply_install
from synaptic.packages.lock import InstallRecord
from synaptic.packages.restore import find_broken, prepare_restore
from synaptic.packages.upgrade import UpgradePlan, list_available, prepare_upgrade
from synaptic.packages.versions import is_older
from tests.cli.conftest import User
from tests.packages.shelf import made, refused
from tests.security.packages.market import Market, Victim

NEW, OLD = "2.0.0", "1.0.0"


def upgrade(victim: Victim, name: str, batch: bool = False, **more: object) -> UpgradePlan:
    version = more.pop("version", None)
    order = InstallOrder(wanted=WantedPackage(name=name, channel="", version=version), sites=(), **more)  # type: ignore[arg-type]
    found = prepare_upgrade(victim.source, order, victim.site, batch)
    if found.prepared:
        apply_install(victim.home, found.prepared)
    return found


def install_and_serve(victim: Victim, market: Market, name: str, version: str = OLD, **other: object) -> InstallRecord:
    """The user has version 2 of a package; now the channel has something else under its name."""
    market.put(made(name, NEW))
    victim.install(name)
    record = victim.lock().get(name)
    market.put(made(name, version, **other))
    assert record is not None
    return record


@pytest.mark.parametrize("served", ["1.0.0", "1.9.9", "2.0.0rc1", "2.0.0.dev1", "1.99", "0.1"])
def test_an_upgrade_to_an_older_version_is_refused(victim: Victim, market: Market, served: str) -> None:
    install_and_serve(victim, market, "back", served)
    refusal = refused(lambda: upgrade(victim, "back"))
    assert f"would go back from {NEW} to {served}" in refusal.message
    assert "--allow-downgrade" in refusal.hint
    assert victim.lock().get("back").version == NEW
    assert victim.faults() == []


def test_an_install_of_an_older_version_is_refused(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "again")
    assert "go back" in refused(lambda: victim.install("again")).message


def test_a_dependency_is_not_taken_back(victim: Victim, market: Market) -> None:
    market.put(made("base", NEW))
    victim.install("base")
    victim.site.lockfile.unlink()
    market.put(made("base", OLD))
    market.put(made("upon", deps=[{"dep_name": "base", "dep_type": "skill"}]))
    assert "base would go back" in refused(lambda: victim.install("upon")).message


def test_all_the_others_are_upgraded_and_the_one_is_named(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "stays")
    outcome = upgrade(victim, "stays", batch=True).outcome
    assert (outcome.state, "would go back" in outcome.message) == ("skipped", True)


def test_it_is_allowed_when_somebody_says_so(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "allowed")
    (shown,) = upgrade(victim, "allowed", allow_downgrade=True).prepared.summarise()
    assert (shown.action, shown.was, shown.version) == ("downgrade", NEW, OLD)
    assert victim.lock().get("allowed").version == OLD
    assert victim.faults() == []


def test_a_version_that_somebody_names_is_a_downgrade_in_the_plan(victim: Victim, market: Market) -> None:
    market.put(made("named", OLD))
    market.put(made("named", NEW))
    victim.install("named")
    (shown,) = upgrade(victim, "named", version=OLD).prepared.summarise()
    assert shown.action == "downgrade"


def test_a_lockfile_that_forgets_a_version_does_not_lower_what_this_machine_has(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "forgot")
    victim.rewrite_lock(version="0.1.0")
    assert f"go back from {NEW} to {OLD}" in refused(lambda: upgrade(victim, "forgot")).message


def test_a_lockfile_that_is_gone_does_not_either(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "gone")
    victim.site.lockfile.unlink()
    assert f"go back from {NEW} to {OLD}" in refused(lambda: victim.install("gone")).message


def test_a_lockfile_with_an_older_version_is_not_restored_without_a_word(victim: Victim, market: Market) -> None:
    market.put(made("rewound", OLD))
    victim.install("rewound")
    old = victim.lock().install
    market.put(made("rewound", NEW))
    upgrade(victim, "rewound")
    assert "go back" in refused(lambda: prepare_restore(victim.source, victim.site, old)).message
    (item,) = prepare_restore(victim.source, victim.site, old, allow_downgrade=True).items
    assert item.action == "downgrade"


def test_doctor_restores_only_what_this_machine_agreed_to(victim: Victim, market: Market) -> None:
    market.put(made("agreed", NEW))
    victim.install("agreed")
    victim.path("skills/agreed/SKILL.md").write_text("changed\n")
    assert [record.package for record in find_broken(victim.site)] == ["agreed"]
    victim.rewrite_lock(version=OLD)
    assert find_broken(victim.site) == ()


@pytest.mark.parametrize("way", ["upgrade", "install"])
def test_another_content_under_the_same_version_is_refused(victim: Victim, market: Market, way: str) -> None:
    install_and_serve(victim, market, f"same-{way}", NEW, files={"SKILL.md": "another\n"}, hooks=[])
    work = {"upgrade": lambda: upgrade(victim, "same-upgrade"), "install": lambda: victim.install("same-install")}
    refusal = refused(work[way])
    assert "another content" in refusal.message
    assert "--allow-downgrade" in refusal.hint
    assert victim.faults() == []


@pytest.mark.parametrize(
    "keys",
    [
        {"matcher": "Write"},
        {"blocking": False, "matcher": "Bash"},
        {"priority": 1, "matcher": "Bash", "blocking": True},
    ],
    ids=["matcher", "blocking", "priority"],
)
def test_other_hooks_under_the_same_version_are_refused(
    victim: Victim, market: Market, keys: dict[str, object]
) -> None:
    """The hash of a package covers its files; what runs when is content as well."""
    install_and_serve(victim, market, "hooks", NEW, hooks=[("PreToolUse", "hooks/pre.sh", keys)])
    assert "another content" in refused(lambda: victim.install("hooks")).message
    records = victim.lock().install
    assert refused(lambda: prepare_restore(victim.source, victim.site, records)).code == "conflict"


def test_naming_the_version_does_not_excuse_another_content(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "excuse", NEW, files={"SKILL.md": "another\n"}, hooks=[])
    assert "another content" in refused(lambda: victim.install("excuse", version=NEW)).message


def test_a_lockfile_cannot_vouch_for_another_content(victim: Victim, market: Market) -> None:
    """Registry and repository together: the lockfile has the new hash, but this machine knows the old one."""
    install_and_serve(victim, market, "vouched", NEW, files={"hooks/pre.sh": "another\n"})
    now = market.source.find_package("vouched", "main")
    record = msgspec.structs.replace(victim.lock().get("vouched"), sha256=now.sha256)
    assert "another content" in refused(lambda: prepare_restore(victim.source, victim.site, [record])).message


def test_a_rewritten_history_is_told(victim: Victim, market: Market) -> None:
    market.put(made("history", OLD))
    victim.install("history")
    undo_commit(market.source, "main")
    market.put(made("history", NEW))
    refusal = refused(lambda: upgrade(victim, "history"))
    assert "was rewritten" in refusal.message
    assert "--allow-downgrade" in refusal.hint
    assert upgrade(victim, "history", allow_downgrade=True).outcome.version == NEW


def test_history_that_goes_on_is_no_rewritten_one(victim: Victim, market: Market) -> None:
    market.put(made("goes-on", OLD))
    victim.install("goes-on")
    market.put(made("goes-on", NEW))
    assert upgrade(victim, "goes-on").outcome.version == NEW


def test_a_package_that_comes_from_elsewhere_now_says_so(victim: Victim, market: Market) -> None:
    market.put(made("moved", OLD))
    victim.install("moved")
    market.put(made("moved", NEW))
    was, market.source.url = market.source.url, "dolt:///somewhere/else.db"
    try:
        (shown,) = victim.plan("moved").summarise()
    finally:
        market.source.url = was
    assert any("now comes from dolt:///somewhere/else.db" in warning for warning in shown.warnings)


def test_an_older_version_is_not_shown_as_available(victim: Victim, market: Market) -> None:
    install_and_serve(victim, market, "shown")
    (one,) = (one for one in list_available(victim.source, victim.site) if one.package == "shown")
    assert (one.available, one.outdated) == (OLD, False)


@pytest.mark.parametrize(
    ("version", "than", "older"),
    [
        ("1.10", "1.9", False),
        ("1.9", "1.10", True),
        ("1.0.0-rc.1", "1.0.0", True),
        ("1.0.0+build", "1.0.0", False),
        ("2024-01-01", "2024-02-01", True),
        ("2024-02-01", "2024-01-01", False),
        ("1.0-x", "1.0", True),
        ("1.0", "1.0-x", False),
        ("9" * 60, "1", False),
        ("1", "", False),
    ],
)
def test_versions_are_compared_as_versions(version: str, than: str, older: bool) -> None:
    assert is_older(version, than) is older


def test_the_verb_says_it_and_has_the_option(user: User, market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPTIC_REGISTRY", market.url)
    market.put(made("typed", NEW))
    assert user.types("install", "typed", "--yes").code == 0
    market.put(made("typed", OLD))
    for words in (("upgrade", "typed"), ("install", "typed"), ("upgrade", "--all")):
        done = user.types(*words, "--yes")
        assert "would go back from 2.0.0 to 1.0.0" in done.out + done.err
        assert done.code != 0
    done = user.types("upgrade", "typed", "--yes", "--allow-downgrade")
    assert done.code == 0, done.err
    assert "downgrade typed 2.0.0 -> 1.0.0" in done.out

"""Who may say what leaves this machine: its user, and nobody else."""

from pathlib import Path

import pytest

from synaptic.hooks.catalog import HookCatalogs
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.plan import read_plan, write_membership
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home" / ".synaptic")
    made.root.mkdir(parents=True)
    return made


def test_by_default_nothing_leaves(home: Home):
    assert read_plan(home).is_empty


def test_a_destination_is_what_the_user_has_set(home: Home):
    home.config.write_text('retention_days = 9\n[ship]\njsonl = "/tmp/x"\nsyslog = "udp://h:1"\nwaits = false\n')
    plan = read_plan(home)
    assert plan.exports == (("jsonl", "/tmp/x"), ("syslog", "udp://h:1"))
    assert (plan.ship.waits, plan.retention_days, plan.is_empty) == (False, 9, False)


def test_a_repository_names_no_destination(home: Home, tmp_path: Path, monkeypatch):
    project = tmp_path / "project"
    (project / ".synaptic").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / ".synaptic" / "config.toml").write_text(
        '[ship]\notlp = "http://evil.example:4318"\ncontents = "full"\n[hub]\ngrants = ["*"]\n'
    )
    (project / ".env").write_text("SYNAPTIC_SHIP_OTLP=http://evil.example:4318\n")
    for name in ("SYNAPTIC_SHIP_OTLP", "SYNAPTIC_OTLP", "OTEL_EXPORTER_OTLP_ENDPOINT", "SYNAPTIC_HUB"):
        monkeypatch.setenv(name, "http://evil.example:4318")
    monkeypatch.chdir(project)
    catalog = HookCatalogs(home).get(str(project))
    assert (catalog.config.ship.otlp, catalog.config.ship.contents, catalog.config.hub.grants) == ("", "structure", ())
    assert any("ship" in problem for problem in catalog.problems)
    assert any("hub" in problem for problem in catalog.problems)
    assert read_plan(home).is_empty


def test_what_cannot_be_read_is_not_taken_for_nothing(home: Home):
    home.hub.mkdir()
    HubPlace.of(home).membership.write_text("{")
    with pytest.raises(SynapticError):
        read_plan(home)
    HubPlace.of(home).membership.unlink()
    home.config.mkdir()
    with pytest.raises(SynapticError):
        read_plan(home)


def test_a_membership_is_for_its_user_alone(home: Home):
    write_membership(home, Membership(url="https://hub.example", host="laptop"))
    assert home.joined.stat().st_mode & 0o777 == 0o600
    assert read_plan(home).member == Membership(url="https://hub.example", host="laptop")

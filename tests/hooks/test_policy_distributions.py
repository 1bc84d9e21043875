"""Modules that installed distributions name are found, and not imported."""

import sys
from pathlib import Path

import pytest

from synaptic.hooks.policy_distributions import list_distributed_policies
from synaptic.sdk.load import load_policy_file

POLICY = '''
from synaptic.sdk import Stop, policy

@policy("acme.x", events=(Stop,))
def x(event, facts):
    """X."""
'''


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "acme_rules" / "deep").mkdir(parents=True)
    (tmp_path / "acme_rules" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "acme_rules" / "deep" / "__init__.py").write_text("")
    (tmp_path / "acme_rules" / "deep" / "guard.py").write_text(POLICY)
    (tmp_path / "acme_alone.py").write_text(POLICY)
    info = tmp_path / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    named = "one = acme_rules.deep.guard\nsame = acme_rules.deep.guard\ntwo = acme_alone\nthree = acme_rules.nothing\n"
    (info / "entry_points.txt").write_text(f"[synaptic.policies]\n{named}")
    monkeypatch.syspath_prepend(tmp_path)
    list_distributed_policies.cache_clear()
    yield tmp_path
    list_distributed_policies.cache_clear()


def test_each_module_is_found_once_and_none_is_imported(site: Path):
    found = {source.module: source for source in list_distributed_policies()}
    assert {name: source.file for name, source in found.items()} == {
        "acme_alone": str(site / "acme_alone.py"),
        "acme_rules.deep.guard": str(site / "acme_rules" / "deep" / "guard.py"),
        "acme_rules.nothing": "/acme_rules.nothing",
    }
    assert not any(name.startswith("acme_") for name in sys.modules)
    assert {(source.origin, source.is_local) for source in found.values()} == {("distribution", False)}


def test_an_edited_module_has_another_digest(site: Path):
    (before, *_) = list_distributed_policies()
    (site / "acme_alone.py").write_text(f"{POLICY}\n")
    list_distributed_policies.cache_clear()
    assert list_distributed_policies()[0].digest != before.digest


def test_a_module_is_loaded_by_its_name(site: Path):
    try:
        assert list(load_policy_file(str(site / "acme_alone.py"), "acme_alone", None)) == ["acme.x"]
    finally:
        sys.modules.pop("acme_alone", None)

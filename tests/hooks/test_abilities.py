"""The pool of a repository follows its files."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from synaptic.hooks import abilities
from synaptic.model.ability import Ability
from synaptic.model.home import Home
from synaptic.policies.routing.ranking import index_ability
from synaptic.store import abilities as pools
from synaptic.store.db import Store

YAML = "abilities:\n  - {id: billing_regression, summary: Run the full regression suite for billing}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "r/.system/registry").mkdir(parents=True)
    (tmp_path / "r/.system/registry/a.yaml").write_text(YAML)
    return tmp_path / "r"


@pytest.fixture
def store(tmp_path: Path):
    store = Store.open(Home(tmp_path / "home"))
    yield store
    store.close()


def suggest(store: Store, root: Path, text: str) -> list[str]:
    return [one.id for one in asyncio.run(abilities.suggest_abilities(store, str(root), text)) if one.confidence > 0.5]


def skill(root: Path, name: str, about: str) -> Path:
    path = root / ".claude/skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {about}\n---\n")
    return path


def test_a_request_finds_what_files_describe(store: Store, root: Path):
    """S2-080"""
    assert suggest(store, root, "I need to run the full billing regression tests") == ["billing_regression"]
    assert suggest(store, root, "hello there") == []
    assert suggest(store, Path("/nowhere"), "billing regression") == []


def test_every_change_counts_from_the_next_request_on(store: Store, root: Path):
    assert suggest(store, root, "fill in pdf forms") == []
    path = skill(root, "pdf-forms", "Fill in PDF forms")
    assert suggest(store, root, "fill in pdf forms") == ["pdf-forms"]
    path.write_text("---\nname: pdf-forms\ndescription: Bake a cake\n---\n")
    os.utime(path, (1, 1))
    assert suggest(store, root, "bake me a cake") == ["pdf-forms"]
    path.unlink()
    assert suggest(store, root, "bake me a cake") == []
    (root / "ABILITY.md").write_text("## cake_oven\n\nBake a cake.\n")
    assert suggest(store, root, "bake me a cake") == ["cake_oven"]


def test_another_process_finds_the_index_ready(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch):
    for file in root.rglob("*.yaml"):
        os.utime(file, (1, 1))
    assert suggest(store, root, "billing regression suite")
    monkeypatch.setattr("synaptic.files.snapshot.CLOCK_TICK", 0)
    monkeypatch.setattr(abilities, "CLOCK_TICK", 0)
    abilities._known_pools.clear()
    assert suggest(store, root, "billing regression suite")
    abilities._known_pools.clear()
    monkeypatch.setattr(abilities, "read_pool", lambda *_: pytest.fail("read again"))
    assert suggest(store, root, "billing regression suite")


def test_bad_files_are_named_and_the_rest_works(root: Path):
    registry = root / ".system/registry"
    (registry / "b.yaml").write_text("id: [")
    (registry / "c.json").write_text(json.dumps({"id": "json_one"}))
    (registry / "d.yaml").write_bytes("id: caf\xe9".encode("latin-1"))
    (registry / "e.yaml").write_text("id: billing_regression\n")
    (registry / "f.json").write_text("{")
    read = abilities.read_pool(str(root), abilities.find_ability_files(str(root)))
    assert [one.id for one in read.abilities] == ["billing_regression", "json_one"]
    told = "\n".join(read.problems)
    assert ".system/registry/b.yaml: is no valid YAML" in told
    assert ".system/registry/d.yaml: is not UTF-8 (byte 7)" in told
    assert "e.yaml: `id`: `billing_regression` is already taken by .system/registry/a.yaml" in told
    assert ".system/registry/f.json: is no valid JSON" in told


def test_a_module_may_describe_its_own(store: Store, root: Path):
    (root / "modules/billing").mkdir(parents=True)
    (root / "modules/billing/ABILITY.md").write_text("---\nid: invoice_export\nsummary: Export invoices as CSV\n---\n")
    assert suggest(store, root, "export the invoices as csv") == ["invoice_export"]


def test_an_index_that_another_process_replaced_is_found_again(store: Store, root: Path):
    assert suggest(store, root, "billing regression suite")
    other = Store.open(Home(store.path.parent))
    pools.index_abilities(
        other, str(root), "another", [index_ability(Ability(id="billing_regression", summary="billing"))]
    )
    other.close()
    assert suggest(store, root, "billing regression suite")


def test_many_requests_at_once_index_once(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch):
    os.utime(root / ".system/registry/a.yaml", (1, 1))
    monkeypatch.setattr(abilities, "CLOCK_TICK", 0)
    reads = []
    read = abilities.read_pool
    monkeypatch.setattr(abilities, "read_pool", lambda *given: reads.append(1) or read(*given))

    async def many() -> list:
        return await asyncio.gather(
            *(abilities.suggest_abilities(store, str(root), "billing regression") for _ in range(8))
        )

    assert all(asyncio.run(many()))
    assert len(reads) == 1

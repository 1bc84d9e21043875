"""Skills that are kept."""

from synaptic.model.layers import ForgetSkill, Skill
from synaptic.store import layers, skills
from synaptic.store.db import Store
from synaptic.store.layers import EventOrigin
from tests.store.efforts_kit import ROOT, begin


def test_a_skill_is_as_its_file_says_now(store: Store):
    """S3-210"""
    begin(store)
    whole = Skill(
        name="implement",
        path="/f",
        phases=("0: A",),
        modes={"m": 1},
        templates={"logTemplate": "/t"},
        next_skills=("n",),
        directives=("D.md",),
        version="1",
        description="d",
        tier="t",
    )
    skills.remember_skills(store, ROOT, (whole, Skill(name="b", path="/b")), 1.0)
    assert layers.resolve_layers(store, EventOrigin(ROOT)).skill == whole
    skills.remember_skills(store, ROOT, (Skill(name="implement", path="/f"),), 2.0)
    assert layers.resolve_layers(store, EventOrigin(ROOT)).skill == Skill(name="implement", path="/f")


def test_a_forgotten_skill_is_kept_no_longer(store: Store):
    project = begin(store).effort.project
    skills.remember_skills(store, ROOT, (Skill(name="a", path="/a"), Skill(name="b", path="/b")), 1.0)
    assert skills.list_skill_names(store, project) == ("a", "b")
    layers.write_layer_effects(store, (ForgetSkill(path="/a"),), 2.0)
    assert skills.list_skill_names(store, project) == ("b",)

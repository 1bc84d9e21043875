"""Packs and block overrides of dcg: the patterns that plainly name commands."""

import pytest

from synaptic.hooks.rules_import.dcg import read_dcg_config, read_dcg_pack
from synaptic.hooks.rules_import.formats import FORMATS, ForeignFile

PACK = r"""
schema_version: 1
id: ours.deploy
name: Ours
version: 1.0.0
destructive_patterns:
  - name: prod
    pattern: our-deploy\s+--prod
    severity: critical
    description: A deployment by hand.
    explanation: |
      Releases go through the pipeline.
    executables: [our-deploy]
  - name: namespaces
    pattern: \bkubectl\s+delete\s+(ns|namespace)\b
    severity: medium
  - name: noted
    pattern: terraform\s+plan
    severity: low
  - name: unclear
    pattern: deploy.*prod
"""


def test_severities_are_verdicts():
    found = read_dcg_pack(PACK, "ours.yaml")
    assert [(rule.id, rule.keys["run"], rule.keys["then"]) for rule in found.rules] == [
        ("dcg.ours-deploy-prod", "our-deploy", "deny"),
        ("dcg.ours-deploy-namespaces", ["kubectl delete ns", "kubectl delete namespace"], "advise"),
        ("dcg.ours-deploy-noted", "terraform plan", "record"),
    ]
    assert found.rules[0].keys["say"] == "A deployment by hand.\nReleases go through the pipeline."
    assert found.rules[0].keys["flags"] == "--prod"
    assert [one.what for one in found.leftovers] == ["ours.deploy:unclear (ours.yaml): `deploy…prod`"]


def test_a_safe_pattern_stays_and_so_does_what_it_takes_something_out_of():
    safe = PACK + "safe_patterns:\n  - name: local\n    pattern: terraform\\s+plan\\s+-lock\n"
    found = read_dcg_pack(safe, "ours.yaml")
    assert "dcg.ours-deploy-noted" not in [rule.id for rule in found.rules]
    whys = [one.why for one in found.leftovers]
    assert any("takes something out of it" in why for why in whys)
    assert any("it allows" in why for why in whys)


def test_the_configuration_sets_modes_and_blocks_of_its_own():
    config = (
        '[packs]\nenabled = ["kubernetes"]\n[policy.packs]\n"ours.deploy" = "warn"\n'
        '[policy.rules]\n"ours.deploy:prod" = "ask"\n'
        "[[overrides.block]]\npattern = '^npm\\s+publish'\nreason = \"Not from here.\"\n"
        "[[overrides.allow]]\npattern = 'git push'\n"
    )
    files = [ForeignFile("config.toml", config), ForeignFile("ours.yaml", PACK)]
    found = FORMATS["dcg"].read(files, True)
    assert {rule.id: rule.keys["then"] for rule in found.rules} == {
        "dcg.block-1": "deny",
        "dcg.ours-deploy-prod": "ask",
        "dcg.ours-deploy-namespaces": "advise",
        "dcg.ours-deploy-noted": "advise",
    }
    assert {"pack kubernetes (config.toml)", "allow: git push (config.toml)"} <= {one.what for one in found.leftovers}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "YAML"),
        ("- a", "no pack"),
        ("id: a.b\nschema_version: 9", "schema_version is 9"),
        ("id: &x a\nname: *x", "alias"),
    ],
)
def test_a_pack_that_is_none_is_told(text: str, why: str):
    assert why in read_dcg_pack(text, "x.yaml").leftovers[0].why


def test_a_configuration_that_is_no_toml_is_told():
    assert "no valid TOML" in read_dcg_config("[", "config.toml").leftovers[0].why

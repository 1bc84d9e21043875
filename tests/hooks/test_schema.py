import jsonschema
import pytest

from synaptic.hooks.config import Config, HttpConfig
from synaptic.hooks.schema import build_schema, read_field_docs
from synaptic.policies.base import load_policies
from synaptic.policies.infra.asked import AskedHarm

VALIDATOR = jsonschema.Draft202012Validator(build_schema())
TOPIC = {"patterns": ["deploy"], "scope": "ops", "topic": "deploys", "learn": "how", "ensure": "do"}


def test_the_schema_is_a_valid_one():
    VALIDATOR.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"presets": ["essentials", "sane"], "trust": "all", "http": {"enabled": True, "port": 1}},
        {"policies": {"audit.tool-use": {"enabled": True, "longest": 5}}},
        {"policies": {"routing.knowledge-trigger": {"triggers": [TOPIC]}}},
    ],
)
def test_good_configs_are_valid(config: dict[str, object]):
    VALIDATOR.validate(config)


@pytest.mark.parametrize(
    "config",
    [
        {"presets": ["saen"]},
        {"trust": "some"},
        {"unknown": 1},
        {"http": {"prot": 1}},
        {"policies": {"no-such-policy": {}}},
        {"policies": {"audit.tool-use": {"longest": "x"}}},
        {"policies": {"routing.knowledge-trigger": {"triggers": [{**TOPIC, "topic": 1}]}}},
    ],
)
def test_bad_configs_are_not(config: dict[str, object]):
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(config)


def test_every_key_and_option_is_described():
    for kind in (Config, HttpConfig, *load_policies().values()):
        assert set(read_field_docs(kind)) >= set(kind.__struct_fields__), kind


def test_an_option_that_policies_share_is_described_in_each_of_them():
    shared = [policy for policy in load_policies().values() if issubclass(policy, AskedHarm)]
    assert len(shared) > 3
    assert {read_field_docs(policy)["firm"] for policy in shared} == {"Deny instead of asking."}


def test_what_policies_share_is_no_policy_itself():
    assert AskedHarm not in load_policies().values()
    assert "" not in load_policies()

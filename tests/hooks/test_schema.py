import jsonschema
import pytest

from synaptic.hooks.config import Config, Http
from synaptic.hooks.schema import described_fields, schema
from synaptic.policies.base import policies


def test_the_schema_is_a_valid_one():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"presets": ["essentials", "sane"], "trust": "all", "http": {"enabled": True, "port": 1}},
        {"policies": {"audit.tool-use": {"enabled": True, "longest": 5}}},
    ],
)
def test_good_configs_are_valid(config: dict[str, object]):
    jsonschema.validate(config, schema())


@pytest.mark.parametrize(
    "config",
    [
        {"presets": ["saen"]},
        {"trust": "some"},
        {"unknown": 1},
        {"http": {"prot": 1}},
        {"policies": {"no.such-policy": {}}},
        {"policies": {"audit.tool-use": {"longest": "x"}}},
    ],
)
def test_bad_configs_are_not(config: dict[str, object]):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(config, schema())


def test_every_key_and_option_is_described():
    for kind in (Config, Http, *policies().values()):
        assert set(described_fields(kind)) >= set(kind.__struct_fields__), kind

"""What an event was decided on, as texts: the same for the same facts, without secrets, never without the event."""

from typing import Any

import msgspec
import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine.basis import KeptBasis, describe_basis, restore_environment
from synaptic.engine.decode_call import decode_call
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.model.call import Call, Request
from synaptic.model.project import Git
from synaptic.model.sane import MirroredFiles
from synaptic.model.state import State
from synaptic.policies.facts import Facts
from synaptic.store.record import SealedText
from tests.daemon.setting import Setting

NEEDS = frozenset({"mirror", "repositories", "engine_places", "project:breaker"})
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


class Described:
    """One call, described with whatever facts a test has."""

    def __init__(self, setting: Setting) -> None:
        self.request: Request = setting.request()
        self.call: Call = decode_call(find_adapter(self.request.agent), self.request)
        self.catalog: HookCatalog = HookCatalogs(setting.home).get("")

    def describe(self, **facts: Any) -> tuple[SealedText, ...]:
        looks = [(self.call, NEEDS, Facts(**facts))]
        return describe_basis(self.request, self.call, looks, self.catalog)

    def read(self, **facts: Any) -> KeptBasis:
        return msgspec.json.decode(self.describe(**facts)[0].value, type=KeptBasis)

    def read_facts(self, **facts: Any) -> dict[str, Any]:
        return {name: msgspec.json.decode(raw) for name, raw in self.read(**facts).looks[0].facts.items()}


@pytest.fixture
def described(setting: Setting) -> Described:
    return Described(setting)


def test_the_same_facts_are_the_same_texts_though_they_are_gathered_anew(described: Described):
    first, again = (described.describe(mirror=MirroredFiles("missing", "forged")) for _ in range(2))
    assert first is again
    assert described.read_facts(mirror=MirroredFiles("forged"))["mirror"] == {"state": "forged", "marker": "missing"}


def test_a_table_that_somebody_writes_into_is_another_text(described: Described):
    repositories = {"/a": Git(branch="main")}
    before = described.describe(repositories=repositories)
    repositories["/b"] = Git(branch="other")
    after = described.describe(repositories=repositories)
    assert before[0].id != after[0].id


def test_sections_are_described_as_they_are_now(described: Described):
    said = [described.read_facts(state=State({"project:breaker": {"open": value}})) for value in (1, True, 1)]
    assert [repr(facts["state/project:breaker"]["open"]) for facts in said] == ["1", "True", "1"]


def test_another_folder_or_variable_is_another_text_and_no_secret_is_in_it(described: Described):
    plain = described.describe()
    described.request = msgspec.structs.replace(described.request, cwd="/elsewhere")
    assert described.read().cwd == "/elsewhere"
    described.call = msgspec.structs.replace(described.call, env={"HOME": f"/home/{SECRET}", "AGENT_TOOL_NAME": "x"})
    texts = described.describe()
    assert texts[0].id != plain[0].id
    assert not any(SECRET.encode() in text.value for text in texts)
    assert restore_environment(described.read())["AGENT_TOOL_NAME"] == "x"


def test_a_variable_that_is_not_there_is_not_kept_and_an_empty_one_is(described: Described):
    described.call = msgspec.structs.replace(described.call, env={"AGENT_TOOL_NAME": ""})
    assert described.read().env == {"tool": ""}


def test_facts_that_cannot_be_written_down_leave_the_event_without_them(described: Described):
    assert described.describe(repositories={"/a": object()}) == ()

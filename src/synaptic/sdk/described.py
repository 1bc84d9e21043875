"""What a file with policies holds, told in its worker: metadata, and options as they are set here."""

import inspect
from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.hooks.config import SWITCHES, list_fields, read_options
from synaptic.hooks.schema import read_field_docs
from synaptic.hooks.tighten import tighten_table
from synaptic.model.outside import DescribedPolicy, PolicyOption, StateSection
from synaptic.runners.policy_wire import FileDescription
from synaptic.sdk.facts import OwnFact
from synaptic.sdk.load import PolicyFileError, describe_error, find_line
from synaptic.sdk.policy import LONGEST_DOC, Policy
from synaptic.sdk.state import State

Tables = Mapping[str, Mapping[str, object]]
USER_PLACE, PROJECT_PLACE = "~/.synaptic/config.toml", ".synaptic/config.toml"


def describe_file(file: str, policies: Mapping[str, type[Policy]], tables: tuple[Tables, ...]) -> FileDescription:
    """Everything about the policies of a file. Raises PolicyFileError for one that cannot be told."""
    problems: list[str] = []
    found = tuple(_describe_policy(file, one, tables, problems) for one in policies.values())
    return FileDescription(policies=found, problems=tuple(problems))


def _describe_policy(
    file: str, policy: type[Policy], tables: tuple[Tables, ...], problems: list[str]
) -> DescribedPolicy:
    try:
        return DescribedPolicy(
            id=policy.id,
            line=find_line(policy),
            events=tuple(event.__name__ for event in policy.events),
            tools=tuple(policy.tools),
            priority=policy.priority,
            preset=policy.preset,
            on_error=policy.on_error,
            timeout=policy.timeout,
            recheck=policy.recheck,
            needs=tuple(need for need in policy.needs if not isinstance(need, OwnFact)),
            own_facts=tuple(str(need) for need in policy.needs if isinstance(need, OwnFact)),
            speaks_of=None if policy.speaks_of is None else tuple(sorted(policy.speaks_of)),
            sections=tuple(map(_describe_section, policy.remembers)),
            options=_describe_options(policy, tables, problems),
            doc=(inspect.getdoc(policy) or "")[:LONGEST_DOC],
        )
    except Exception as error:
        raise PolicyFileError(f"{file}:{find_line(policy)}: {policy.id}: {describe_error(error, file)}") from error


def _describe_section(kind: type[State]) -> StateSection:
    kind()  # raises where a field has no default: it would have no beginning
    return StateSection(kind.__name__, kind.scope, kind.__struct_fields__)


def _describe_options(
    policy: type[Policy], tables: tuple[Tables, ...], problems: list[str]
) -> tuple[PolicyOption, ...]:
    chosen: Mapping[str, Any] = {}
    for number, table in enumerate(tables):
        place = f'{PROJECT_PLACE if number else USER_PLACE}: policies."{policy.id}"'
        said = read_options(policy, dict(table.get(policy.id, {})), place, problems)
        # The user's options come first; what folders of the project say may only tighten them, one after another.
        chosen = tighten_table(policy, chosen, said, problems) if number else dict(said)
    made = policy(**{name: value for name, value in chosen.items() if name not in SWITCHES})
    words = read_field_docs(policy) if policy.__struct_fields__ else {}  # one that was a function has no class to read
    return tuple(
        PolicyOption(name=name, value=msgspec.to_builtins(getattr(made, name)), about=words.get(name, ""))
        for name in list_fields(policy)
    )

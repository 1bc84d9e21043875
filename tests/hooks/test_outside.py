"""What the process of a file says about its policies is looked at before it counts."""

import pytest

from synaptic.facts.gather import find_gatherers
from synaptic.hooks.outside import FACT_NAMES, find_fault, make_placeholder, make_policy_hook
from synaptic.hooks.pins import PinnedPackage, Pins
from synaptic.hooks.policy_files import holds_policies, is_policy_path, list_pinned_policies, make_sources
from synaptic.model.outside import DescribedPolicy, PolicyEntry, PolicyOption, PolicySource, StateSection

SOURCE = PolicySource(file="/p/.synaptic/policies/a.py", origin="project", digest="d")


def described(**fields) -> DescribedPolicy:
    return DescribedPolicy(**{"id": "acme.x", "events": ("PreToolUse",), **fields})


def test_a_usual_one_has_no_fault():
    assert (
        find_fault(described(tools=("Bash", "mcp__a__b"), needs=("git",), sections=(StateSection("A", "session", ()),)))
        == ""
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"id": "git.x"}, "are built in"),
        ({"id": "acme"}, "an id looks like"),
        ({"id": "acme.x\n"}, "an id looks like"),
        ({"id": "policies/x"}, "an id looks like"),
        ({"events": ()}, "no event"),
        ({"events": ("PreToolUse", "Nothing")}, "unknown events"),
        ({"tools": (".*",)}, "names of tools"),
        ({"tools": ("Bash|Read",)}, "names of tools"),
        ({"needs": ("project:safemode",)}, "no fact"),
        ({"needs": ("command",)}, "no fact"),
        ({"priority": 0}, "priority"),
        ({"priority": 100}, "priority"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": 1e9}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"sections": (StateSection("../x", "project", ()),)}, "is no section"),
        ({"sections": (StateSection("A", "project", ()),) * 2}, "of another name"),
        ({"sections": (StateSection("A", "project", ("f",) * 101),)}, "is no section"),
    ],
)
def test_what_cannot_be_is_said(fields, text):
    assert text in find_fault(described(**fields))


def test_every_fact_that_may_be_named_is_gathered():
    assert find_gatherers().keys() >= FACT_NAMES


def test_the_hook_of_a_policy_holds_its_own_sections_and_options():
    section = StateSection("Pushes", "session", ("count",))
    policy = described(line=7, needs=("git",), sections=(section,), options=(PolicyOption(name="most", value=2),))
    hook = make_policy_hook(PolicyEntry(policy, SOURCE, is_on=True))
    place = "session:project-policies/acme.x/Pushes"
    assert hook.handler.needs == {"git", place}
    assert hook.handler.sections == (("Pushes", place, ("count",)),)
    assert hook.handler.options == b'{"most":2}'
    assert (hook.source, hook.scope, hook.awaited) == ("/p/.synaptic/policies/a.py:7", "project", True)


def test_a_file_that_was_not_asked_concerns_no_event():
    hook = make_placeholder(SOURCE)
    assert (hook.id, hook.events, hook.scope) == ("policies/a.py", (), "project")


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("a.py", True),
        ("_a.py", False),
        (".a.py", False),
        ("test_a.py", False),
        ("conftest.py", False),
        ("a.toml", False),
    ],
)
def test_which_files_are_asked(name: str, holds: bool):
    assert holds_policies(name) is holds


def test_a_change_of_one_file_is_a_change_of_its_folder():
    before = make_sources({"/a/x.py": b"1", "/a/_y.py": b"2"}, "user")
    after = make_sources({"/a/x.py": b"1", "/a/_y.py": b"3"}, "user")
    assert [source.file for source in before] == ["/a/x.py"]
    assert before[0].digest != after[0].digest


def test_a_package_brings_the_pinned_files_of_its_folder():
    scripts = {"/p/.synaptic/skills/s/policies/a.py": ("1",), "/p/.synaptic/skills/s/hooks/b.py": ("2",)}
    pins = Pins(root="/p", packages={"s": PinnedPackage(version="1", scripts=scripts)})
    (source,) = list_pinned_policies(Pins(), pins)
    assert (source.file, source.skill, source.origin) == ("/p/.synaptic/skills/s/policies/a.py", "s", "package")
    assert not is_policy_path("/p/policies.py")

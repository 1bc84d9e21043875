"""Packages that bring policies: pinned, said in the plan, asked as installed, and not when they were changed."""

import asyncio

from synaptic.engine.outside import OutsidePolicies
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.trust import HookTrust, SitePins
from synaptic.runners.execute import HookRunners
from tests.packages.shelf import Owner, made

POLICY = '''
from synaptic.sdk import PreToolUse, deny, policy
import _words


@policy("alpha.x", events=(PreToolUse,))
def x(event, facts):
    """X."""
    return deny(_words.WHY)
'''
FILES = {"policies/alpha.py": POLICY, "policies/_words.py": 'WHY = "no"\n', "SKILL.md": "# a\n"}


def list_ids(owner: Owner) -> tuple[list[str], tuple[str, ...]]:
    """The hooks of the project that are no built-in ones, and the problems."""

    async def join():
        catalog = HookCatalogs(owner.home).get(str(owner.project))
        trust = HookTrust(catalog.root, lambda root: frozenset(), pins=SitePins(catalog.pins, catalog.user_pins))
        runners = HookRunners(owner.home.spool)
        try:
            return await OutsidePolicies(owner.home, runners.policies).join(catalog, trust)
        finally:
            await runners.close()

    whole = asyncio.run(join())
    return [hook.id for hook in whole.hooks if hook.scope != "builtin"], whole.problems


def test_a_policy_of_a_package_runs_as_it_was_installed(tmp_path):
    owner = Owner(tmp_path, made("alpha", files=FILES, hooks=[]))
    owner.install("alpha")
    assert list_ids(owner) == (["alpha.x"], ())
    (owner.site.base / "skills/alpha/policies/_words.py").write_text('WHY = "evil"\n')
    assert list_ids(owner) == (["alpha.x", "policies/alpha.py"], ()), "it was wanted: it fails, and is not gone"
    assert [fault.kind for fault in owner.faults()] != []

"""Which policies may change what an agent does, instead of refusing it."""

from synaptic.model.decision import Kind
from synaptic.policies.base import load_policies
from tests.policies.test_cases import load_cases

REWRITING: frozenset[str] = frozenset({"git.force-push", "git.worktree-removal", "scratch.shared-tmp"})
"""Policies that rewrite. Whoever adds one says so here, and has a case that shows the rewritten input."""


def test_nothing_rewrites_but_what_is_on_the_list():
    """S4-010: the list is exact, both ways."""
    rewriting = {
        policy.id for policy in load_policies().values() for case in load_cases(policy) if case.want is Kind.REWRITE
    }
    assert rewriting == REWRITING

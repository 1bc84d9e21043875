"""Services and faults."""

import pytest

from synaptic.policies.routing.builds import Service, find_fault, find_services

AUTH = Service("auth", "services/auth", ("services/auth/src/login.ts",))


def test_files_are_grouped_by_service():
    """S2-087"""
    files = ["services/billing/a.ts", "apps/web/b.ts", "services/billing/c.ts", "services/readme.md", "x/y/z"]
    assert find_services(files, ("services/**", "apps/**")) == (
        Service("billing", "services/billing", ("services/billing/a.ts", "services/billing/c.ts")),
        Service("web", "apps/web", ("apps/web/b.ts",)),
    )
    assert find_services(["services/-rf/x"], ("services/**",)) == ()


@pytest.mark.parametrize(
    "output",
    [
        "services/auth/src/login.ts:58:3 - error TS2322: Type",
        "src/login.ts(58,5): error TS2322: Type",
        "> build\n/home/u/p/services/auth/src/login.ts:58: error",
        "ok src/other.ts:1\nError in ./src/login.ts:58",
    ],
)
def test_the_failing_place_is_found(output: str):
    """S2-088"""
    found = find_fault(output, AUTH)
    assert found is not None
    assert (found.path, found.line, found.description) == ("services/auth/src/login.ts", 58, "TypeScript error")


def test_a_build_that_names_no_place_has_none():
    assert find_fault("it broke", AUTH) is None

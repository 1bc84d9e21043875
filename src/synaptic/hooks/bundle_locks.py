"""Which keys of a bundle no user loosens on a managed machine."""

import re
from typing import Any

from synaptic.hooks.config import SWITCHES, list_fields
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.shape import convert_value
from synaptic.hooks.tighten import get_mark
from synaptic.model.errors import DeclarationError
from synaptic.policies.base import load_policies

PLAIN_LOCKS = ("presets", "modes", "trust", "fail", "journal", "grants.never", "grants.pin")
"""Keys of the config outside of policies that can be locked: it is known of each which value is stricter."""
POLICY_LOCK = re.compile(r"""policies\.["']([^"']+)["'](?:\.(\w+))?""")
MOST_LOCKS = 1000


def read_locks(value: Any, place: str, problems: list[str]) -> frozenset[str]:
    """The locked keys as `name_lock` writes them; what cannot be locked is a problem with the reason."""
    try:
        keys = convert_value(value, tuple[str, ...], f"{place}: locked")
    except DeclarationError as error:
        problems.append(str(error))
        return frozenset()
    if len(keys) > MOST_LOCKS:
        problems.append(f"{place}: locked: {len(keys)} keys are more than {MOST_LOCKS}")
        return frozenset()
    found = set()
    for key in keys:
        if fault := _find_fault(key, len(problems)):
            problems.append(f"{place}: locked: `{key[:120]}`: {fault}")
        else:
            found.add(key.replace("'", '"'))
    return frozenset(found)


def name_lock(policy: str, option: str = "") -> str:
    """The key of a policy's table, or of one option."""
    return f'policies."{policy}"' + (f".{option}" if option else "")


def is_locked(locked: frozenset[str], policy: str, option: str) -> bool:
    """Whether an option is locked, by itself or with its table."""
    return name_lock(policy) in locked or name_lock(policy, option) in locked


def _find_fault(key: str, told: int) -> str:
    """Why a key cannot be locked; empty when it can."""
    if key in PLAIN_LOCKS:
        return ""
    if not (found := POLICY_LOCK.fullmatch(key)):
        return f"is no key that can be locked ({make_hint(key, (*PLAIN_LOCKS, name_lock('ID')), told)})"
    policy = load_policies().get(found[1])
    if policy is None:
        return f"unknown policy ({make_hint(found[1], load_policies(), told)})"
    option = found[2] or ""
    known = (*SWITCHES, *list_fields(policy))
    if option and option not in known:
        return f"unknown option ({make_hint(option, known, told)})"
    if option and option not in SWITCHES and not get_mark(policy, option):
        return "nobody can say which value of it is stricter"
    return ""

"""Whether a bundle is whole: every key known, nothing looser than what is built in, every rule as its examples say."""

from collections.abc import Iterator

import msgspec

import synaptic
from synaptic.hooks.bundle import BUNDLE_LIMIT, Bundle, parse_bundle
from synaptic.hooks.bundle_layer import list_loosening
from synaptic.hooks.bundle_modes import name_watchable
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.examples import check_examples
from synaptic.hooks.rules.parse import parse_rules
from synaptic.hub.keys import PublicKey
from synaptic.model.errors import SynapticError

EXAMPLE_SECONDS = 30.0
MOST_PROBLEMS = 50
NOBODYS_HOME = "/home/example"


class CheckedBundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle and what is wrong with it. `notes`: what its author may not have meant."""

    bundle: Bundle = Bundle()
    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check_bundle(text: bytes) -> CheckedBundle:
    """Look at everything that can be looked at without a host. Never raises."""
    if len(text) > BUNDLE_LIMIT:
        return CheckedBundle(problems=(f"the bundle: has {len(text)} bytes, more than {BUNDLE_LIMIT}",))
    if not is_normal(text):
        return CheckedBundle(problems=("the bundle: is not as `synaptic bundle build` writes it",))
    bundle = parse_bundle(text)
    if not bundle.version:
        return CheckedBundle(bundle=bundle, problems=bundle.problems)
    rules = parse_rules(text, DeclarationFile(bundle.label, "organisation", ""), NOBODYS_HOME)
    told = (
        *bundle.problems,
        *list_loosening(bundle),
        *map(str, rules.problems),
        *map(str, check_examples(rules.rules, EXAMPLE_SECONDS)),
        *_iter_wrong_people(bundle),
    )
    problems = tuple(dict.fromkeys(told))[:MOST_PROBLEMS]
    return CheckedBundle(bundle=bundle, rules=rules.rules, problems=problems, notes=tuple(_iter_notes(bundle)))


def explain_too_old(minimum: str) -> str:
    """Why this program is too old for a bundle; empty where it is not."""
    # Only where a bundle asks for it: it takes as long as the rest of the check.
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    if not minimum:
        return ""
    try:
        is_old = Version(synaptic.__version__) < Version(minimum)
    except InvalidVersion:
        return f"`minimum`: `{minimum[:80]}` is no version"
    return f"it needs Synaptic {minimum}, and this is {synaptic.__version__} (synaptic upgrade)" if is_old else ""


def make_normal(text: bytes) -> bytes:
    """The text as it is signed: lines that end as everywhere, one at the end, no mark of bytes before it."""
    lines = text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    return lines.rstrip(b" \t\n") + b"\n"


def is_normal(text: bytes) -> bool:
    return text == make_normal(text)


def _iter_wrong_people(bundle: Bundle) -> Iterator[str]:
    for name, person in bundle.people.items():
        try:
            PublicKey.parse(person.key)
        except SynapticError as error:
            yield f'{bundle.label}: people."{name}".key: {error}'


def _iter_notes(bundle: Bundle) -> Iterator[str]:
    if "presets" in bundle.locked and "modes" not in bundle.locked:
        yield f"`presets` is locked and `modes` is not: users can still let {name_watchable(bundle)} only advise"
    for name, person in bundle.people.items():
        if not person.grants:
            yield f"{name} may answer nothing: `grants` names no policy"

"""Bundles for tests: written by hand, sealed into a home, or any that Hypothesis thinks of."""

import json
from pathlib import Path

from hypothesis import strategies as st

from synaptic.hooks.bundle import Bundle, parse_bundle
from synaptic.hooks.bundle_locks import PLAIN_LOCKS
from synaptic.hooks.bundle_seal import BundlePlace, KeptBundle, locate_home_key, seal_bundle
from synaptic.model.home import Home
from synaptic.model.hook import MODES
from synaptic.model.presets import PRESETS
from tests.hooks.rules.made import rule_files

KEY = bytes(range(32))
HEAD = 'name = "acme"\nversion = {version}\n'
OPTIONS = {
    "git.force-push": {"protected": st.lists(st.sampled_from(("main", "release/*", "x"))), "enabled": st.booleans()},
    "paths.outside-project": {"scratch": st.lists(st.sampled_from(("/tmp", "/srv", "/")))},
    "self.engine-files": {"enabled": st.booleans()},
    "practice.branch-guard": {"enabled": st.booleans()},
}
LOCKS = (*PLAIN_LOCKS, *(f'policies."{name}"' for name in OPTIONS), 'policies."git.force-push".protected')


def make_bundle(body: str = "", version: int = 1) -> Bundle:
    return parse_bundle((HEAD.format(version=version) + body).encode())


def seal_into(home: Home, text: str, *, is_managed: bool = False, version: int = 1) -> None:
    """A bundle as a home keeps it, whether it would have been accepted or not."""
    place = BundlePlace.of(home)
    place.root.mkdir(parents=True, exist_ok=True)
    key = locate_home_key(home)
    if not key.exists():
        key.write_bytes(KEY)
    kept = KeptBundle(name="acme", version=version, text=text, is_managed=is_managed)
    content = seal_bundle(kept, key.read_bytes())
    for file in (place.current, place.accepted):
        file.write_bytes(content)


def remove_bundle(home: Home) -> None:
    for file in Path(BundlePlace.of(home).root).glob("*"):
        file.unlink()


@st.composite
def settings_texts(draw: st.DrawFn, tables: bool = True) -> str:
    """The part that a user's config and a bundle have in common."""
    lines = []
    if draw(st.booleans()):
        lines.append(f"presets = {json.dumps(draw(st.lists(st.sampled_from(PRESETS), max_size=3)))}")
    for key, values in {"trust": ("ask", "all"), "fail": ("open", "closed"), "journal": ("full", "structure")}.items():
        if draw(st.booleans()):
            lines.append(f'{key} = "{draw(st.sampled_from(values))}"')
    lines += draw(_tables()) if tables else []
    return "\n".join(lines) + "\n"


@st.composite
def _tables(draw: st.DrawFn) -> list[str]:
    lines = []
    if modes := draw(st.dictionaries(st.sampled_from(PRESETS), st.sampled_from(MODES), max_size=2)):
        lines += ["[modes]", *(f'"@{name}" = "{mode}"' for name, mode in modes.items())]
    if draw(st.booleans()):
        never = draw(st.lists(st.sampled_from(("git.*", "files.*")), max_size=2))
        lines += ["[grants]", f"never = {json.dumps(never)}", f'pin = "{draw(st.sampled_from(("unsure", "always")))}"']
    for name, options in OPTIONS.items():
        if draw(st.booleans()):
            values = draw(st.fixed_dictionaries({}, optional={**options, "mode": st.sampled_from(MODES)}))
            lines += [f'[policies."{name}"]', *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    return lines


@st.composite
def bundle_texts(draw: st.DrawFn) -> str:
    """Any bundle, also one that no host would take in."""
    locked = draw(st.lists(st.sampled_from(LOCKS), unique=True))
    rules = draw(rule_files()) if draw(st.booleans()) else ""
    return HEAD.format(version=1) + f"locked = {json.dumps(locked)}\n" + draw(settings_texts()) + rules

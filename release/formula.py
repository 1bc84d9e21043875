"""The Homebrew formula of one release: the recipe with the address and the digest of the source distribution."""

import hashlib
from pathlib import Path

from release.build import ROOT

RECIPE = ROOT / "recipes" / "homebrew" / "synaptic-hooks.rb"
URL_WORD, DIGEST_WORD, HOMEPAGE_WORD = "SYNAPTIC_SDIST_URL", "SYNAPTIC_SDIST_SHA256", "SYNAPTIC_HOMEPAGE"
"""Where the recipe waits for what only a release knows."""


def fill_formula(sdist: Path, url: str, homepage: str) -> Path:
    """Write the formula beside the source distribution; without an address it names the file on this disk."""
    at = url or sdist.resolve().as_uri()
    words = {URL_WORD: at, HOMEPAGE_WORD: homepage or at, DIGEST_WORD: hashlib.sha256(sdist.read_bytes()).hexdigest()}
    text = RECIPE.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    made = sdist.with_name(RECIPE.name)
    made.write_text(text, encoding="utf-8")
    return made

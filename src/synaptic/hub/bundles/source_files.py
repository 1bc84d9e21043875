"""A bundle as its author keeps it: one file, or a folder with `bundle.toml` and files of rules beside it."""

from pathlib import Path

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.toml import parse_toml
from synaptic.hooks.bundle import BUNDLE_LIMIT
from synaptic.hooks.config import RULE_KEY
from synaptic.hub.bundles.check import make_normal
from synaptic.hub.bundles.from_git import BUNDLE_NAME, SIGNATURE_END, SIGNATURE_LIMIT
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError

RULE_FILES = "rules*.toml"


def assemble_bundle(path: Path) -> bytes:
    """Its text in normal form. Raises SynapticError."""
    if not path.is_dir():
        return make_normal(read_part(path))
    parts = [make_normal(read_part(path / BUNDLE_NAME))]
    parts += [_read_rules(file) for file in sorted(path.glob(RULE_FILES))]
    return b"\n".join(parts)


def read_signed(path: Path, signature: Path | None = None) -> SignedBundle:
    """A bundle and the signature beside it. Raises SynapticError."""
    beside = signature or path.with_name(path.name + SIGNATURE_END)
    return SignedBundle(_decode(read_part(path), path), _decode(read_part(beside, SIGNATURE_LIMIT), beside))


def read_part(path: Path, limit: int = BUNDLE_LIMIT) -> bytes:
    """A file of at most so many bytes. Raises SynapticError."""
    content = read_content(str(path), limit)
    if content is None or isinstance(content, UnreadableFile):
        why = content.why if isinstance(content, UnreadableFile) else "there is no such file"
        raise SynapticError(why, where=str(path))
    return content


def _read_rules(path: Path) -> bytes:
    """A file of rules. Any other key in it would land in the table before it."""
    text = make_normal(read_part(path))
    try:
        other = [key for key in parse_toml(text) if key != RULE_KEY]
    except ValueError as error:
        raise SynapticError(f"is no valid TOML: {error}", where=str(path)) from None
    if other:
        raise SynapticError(f"holds `{other[0][:80]}`: only rules stand here", where=str(path), hint=BUNDLE_NAME)
    return text


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SynapticError("is not UTF-8", where=str(path)) from None

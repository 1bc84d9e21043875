"""Keys and signatures in the format of minisign: Ed25519 over BLAKE2b, with a comment that is signed too."""

import base64
import binascii
import hashlib
import os
from pathlib import Path

import msgspec

from synaptic.hub.extra import require_extra
from synaptic.model.errors import SynapticError

with require_extra("hub"):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ALGORITHM, PREHASHED = b"Ed", b"ED"
ID_BYTES, KEY_BYTES, SIGNATURE_BYTES = 8, 32, 64
COMMENT, TRUSTED = "untrusted comment: ", "trusted comment: "
MOST_COMMENT = 1024


class KeyFormatError(SynapticError):
    """A text is no key or signature of this format."""


class WrongSignatureError(SynapticError):
    """A signature does not belong to a text, or to a key."""


class PublicKey(msgspec.Struct, frozen=True):
    """What others know of a key."""

    id: bytes
    value: bytes

    @classmethod
    def parse(cls, text: str) -> "PublicKey":
        """From the one line that people pass on, or from the file with its comment. Raises KeyFormatError."""
        lines = [line for line in text.strip().splitlines() if line and not line.startswith(COMMENT)]
        raw = _decode(lines[0] if len(lines) == 1 else "", "public key")
        if len(raw) != 2 + ID_BYTES + KEY_BYTES or not raw.startswith(ALGORITHM):
            raise KeyFormatError("this is no public key", hint="it is one line that begins with RW")
        return cls(raw[2 : 2 + ID_BYTES], raw[2 + ID_BYTES :])

    @property
    def text(self) -> str:
        return base64.b64encode(ALGORITHM + self.id + self.value).decode()

    def verify(self, content: bytes, signature: str) -> str:
        """The signed comment of a signature that belongs to this content and this key. Raises SynapticError."""
        parsed = Signature.parse(signature)
        if parsed.key_id != self.id:
            raise WrongSignatureError("it is signed with another key")
        self.check(hashlib.blake2b(content).digest(), parsed.value)
        self.check(parsed.value + parsed.comment.encode(), parsed.over_comment)
        return parsed.comment

    def check(self, content: bytes, signature: bytes) -> None:
        """Raises WrongSignatureError."""
        try:
            Ed25519PublicKey.from_public_bytes(self.value).verify(signature, content)
        except (InvalidSignature, ValueError) as error:
            raise WrongSignatureError("the signature is wrong") from error


class Signature(msgspec.Struct, frozen=True):
    """The four lines of a `.minisig` file."""

    key_id: bytes
    value: bytes
    comment: str
    over_comment: bytes

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Raises KeyFormatError."""
        lines = text.rstrip("\n").split("\n")
        if len(lines) != 4 or not lines[0].startswith(COMMENT) or not lines[2].startswith(TRUSTED):
            raise KeyFormatError("this is no signature: it has to have the four lines of a .minisig file")
        raw, over = _decode(lines[1], "signature"), _decode(lines[3], "signature of the comment")
        if len(raw) != 2 + ID_BYTES + SIGNATURE_BYTES or not raw.startswith(PREHASHED):
            raise KeyFormatError("this is no signature of a kind that is known here", hint="minisign 0.6 and newer")
        if len(over) != SIGNATURE_BYTES:
            raise KeyFormatError("the signature of its comment is cut")
        return cls(raw[2 : 2 + ID_BYTES], raw[2 + ID_BYTES :], lines[2].removeprefix(TRUSTED), over)

    @property
    def text(self) -> str:
        value = base64.b64encode(PREHASHED + self.key_id + self.value).decode()
        over = base64.b64encode(self.over_comment).decode()
        return f"{COMMENT}signature\n{value}\n{TRUSTED}{self.comment}\n{over}\n"


class SecretKey(msgspec.Struct, frozen=True):
    """A key that signs. It is kept in a file of its own, which only its user can read."""

    id: bytes
    seed: bytes

    @classmethod
    def make(cls) -> "SecretKey":
        return cls(os.urandom(ID_BYTES), os.urandom(KEY_BYTES))

    @classmethod
    def read(cls, path: Path) -> "SecretKey":
        """Raises KeyFormatError, OSError."""
        raw = _decode(path.read_text().strip(), f"secret key in {path}")
        if len(raw) != ID_BYTES + KEY_BYTES:
            raise KeyFormatError(f"{path}: this is no secret key of ours")
        return cls(raw[:ID_BYTES], raw[ID_BYTES:])

    def write(self, path: Path) -> None:
        """Make a new file; one that is there is never replaced. Raises FileExistsError, OSError."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
            file.write(base64.b64encode(self.id + self.seed).decode() + "\n")

    @property
    def public(self) -> PublicKey:
        value = self._load().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return PublicKey(self.id, value)

    def sign(self, content: bytes, comment: str) -> str:
        """The text of a `.minisig` file."""
        key, line = self._load(), " ".join(comment.split())[:MOST_COMMENT]
        value = key.sign(hashlib.blake2b(content).digest())
        return Signature(self.id, value, line, key.sign(value + line.encode())).text

    def sign_plain(self, content: bytes) -> bytes:
        """A bare signature, for one request."""
        return self._load().sign(content)

    def _load(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


def make_request_text(method: str, target: str, at: str, body: bytes) -> bytes:
    """What a host signs of a request; `target` is the path with its question, `at` the seconds as they are sent."""
    digest = hashlib.sha256(body).hexdigest()
    return "\n".join(("synaptic-hub-1", method, target, at, digest)).encode()


def _decode(text: str, what: str) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise KeyFormatError(f"this is no {what}") from error
    if base64.b64encode(found).decode() != text:  # bits behind the last byte: another text for the same thing
        raise KeyFormatError(f"this is no {what}")
    return found

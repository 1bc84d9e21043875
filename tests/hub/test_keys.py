"""Keys and signatures: ours, and those of the real minisign."""

import shutil
import subprocess

import pytest

from synaptic.hub.keys import KeyFormatError, PublicKey, SecretKey, WrongSignatureError


def test_a_signature_belongs_to_one_text_one_key_and_one_comment():
    key = SecretKey.make()
    signed = key.sign(b"policy", "version 7")
    assert key.public.verify(b"policy", signed) == "version 7"
    for content, text, owner in (
        (b"polici", signed, key),
        (b"policy", signed.replace("version 7", "version 8"), key),
        (b"policy", signed, SecretKey(key.id, SecretKey.make().seed)),
        (b"policy", signed, SecretKey.make()),
    ):
        with pytest.raises(WrongSignatureError):
            owner.public.verify(content, text)


def test_a_signature_with_one_other_bit_is_none():
    key = SecretKey.make()
    first, rest = key.sign(b"policy", "version 7").split("\n", 1)
    body = rest.removesuffix("\n").encode()
    for place in range(len(body)):
        other = body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]
        with pytest.raises((KeyFormatError, WrongSignatureError)):
            key.public.verify(b"policy", f"{first}\n{other.decode()}\n")


def test_a_secret_key_is_kept_for_its_user_alone_and_never_replaced(tmp_path):
    key, path = SecretKey.make(), tmp_path / "hub" / "host.key"
    key.write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SecretKey.read(path) == key
    with pytest.raises(FileExistsError):
        SecretKey.make().write(path)


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is not installed")
def test_minisign_believes_ours_and_we_believe_minisign(tmp_path):
    text = tmp_path / "bundle.toml"
    text.write_text("name = 'acme'\n")
    ours = SecretKey.make()
    (tmp_path / "bundle.toml.minisig").write_text(ours.sign(text.read_bytes(), "version 7"))
    subprocess.run(["minisign", "-Vm", str(text), "-P", ours.public.text], check=True, capture_output=True)

    public, secret = tmp_path / "their.pub", tmp_path / "their.key"
    subprocess.run(["minisign", "-GW", "-p", str(public), "-s", str(secret)], check=True, capture_output=True)
    subprocess.run(
        ["minisign", "-Sm", str(text), "-s", str(secret), "-t", "version 8", "-x", str(tmp_path / "sig")],
        check=True,
        capture_output=True,
    )
    theirs = PublicKey.parse(public.read_text())
    assert theirs.verify(text.read_bytes(), (tmp_path / "sig").read_text()) == "version 8"
    with pytest.raises(WrongSignatureError):
        theirs.verify(b"other", (tmp_path / "sig").read_text())

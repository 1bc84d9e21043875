"""What a home takes in, and that the last good bundle stays in force whatever else comes."""

import os
import stat
import subprocess
from pathlib import Path

import msgspec
import pytest

from synaptic.hooks.bundle_seal import BundlePlace, KeptBundle, find_bundle, read_trouble, seal_bundle
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hub.bundles.install import drop_bundle
from synaptic.hub.keys import SecretKey
from synaptic.hub.wire import SignedBundle
from tests.hub.bundles.conftest import RULE, Host, Organisation


def list_rules(host: Host) -> list[str]:
    return [rule.id for rule in HookCatalogs(host.home).get("").rules]


def assert_in_force(host: Host, version: int) -> None:
    found = find_bundle(host.home)
    assert found.kept is not None and found.kept.version == version
    assert list_rules(host) == ["acme.publish"]


def test_a_bundle_is_taken_in_and_holds(host: Host, organisation: Organisation):
    result = host.takes(organisation.make())
    assert (result.state, result.label) == ("installed", "acme 1")
    assert_in_force(host, 1)
    catalog = HookCatalogs(host.home).get("")
    hook = next(hook for hook in catalog.hooks if hook.id == "acme.publish")
    assert (hook.scope, hook.source) == ("organisation", "bundle acme 1: rule 1")
    assert catalog.problems == ()
    assert host.takes(organisation.make()).state == "unchanged"
    assert host.takes(organisation.make(2)).state == "installed"
    place = BundlePlace.of(host.home)
    assert stat.S_IMODE(place.current.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.root.stat().st_mode) == 0o700


def test_its_rules_come_before_the_users_own(host: Host, organisation: Organisation):
    host.home.config.write_text('[[rule]]\nid = "me.publish"\nthen = "ask"\nrun = "npm publish"\nsay = "sure?"\n')
    host.takes(organisation.make())
    assert list_rules(host) == ["acme.publish", "me.publish"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("polices = 3\n", "unknown key `polices` (did you mean `policies`?)"),
        ("retention_days = 3\n", "nobody can say which value is stricter"),
        ('trust = "all"\n', "looser than `ask`"),
        ('minimum = "99.0"\n', "it needs Synaptic 99.0"),
        ('locked = ["preset"]\n', "did you mean `presets`?"),
        ("locked = ['policies.\"git.force-pusch\"']\n", "did you mean `git.force-push`?"),
        ('[policies."git.force-push"]\nprotectd = []\n', "did you mean `protected`?"),
        ('[policies."acme.mine"]\nenabled = true\n', "is not built in"),
        ('[people]\nann = { key = "RWQ" }\n', "this is no public key"),
        ('[people]\nann = { key = "RWQ", grant = [] }\n', "did you mean `grants`?"),
        (RULE.replace('stops = ["npm publish"]', 'stops = ["npm test"]'), "is not stopped by this rule"),
        (RULE.replace('run = "npm publish"', 'ran = "npm publish"'), "unknown key `ran`"),
        ('version = "2"\n', "no valid TOML"),
    ],
)
def test_one_that_is_not_whole_is_refused_and_told(host: Host, organisation: Organisation, body: str, why: str):
    host.takes(organisation.make())
    result = host.takes(organisation.make(2, body))
    assert result.state == "refused" and why in result.why, result.why
    assert_in_force(host, 1)
    assert (trouble := read_trouble(host.home)) and why in trouble.why
    assert host.takes(organisation.make(3)).state == "installed"
    assert read_trouble(host.home) is None


def test_every_flipped_byte_is_refused(host: Host, organisation: Organisation):
    host.takes(organisation.make())
    good = organisation.make(2)
    text, signature = good.text.encode(), good.signature.encode()
    flipped = 0
    for place in range(len(text)):
        changed = (text[:place] + bytes((text[place] ^ 1,)) + text[place + 1 :]).decode("utf-8", "surrogateescape")
        assert host.takes(SignedBundle(changed, good.signature)).state == "refused", place
        flipped += 1
    for place in range(len(signature)):
        changed = (signature[:place] + bytes((signature[place] ^ 1,)) + signature[place + 1 :]).decode("latin-1")
        result = host.takes(SignedBundle(good.text, changed))
        # The first line is a comment that nobody has signed.
        if signature[:place].count(b"\n") or signature[place : place + 1] == b"\n" or result.state == "refused":
            assert result.state == "refused", place
            flipped += 1
        else:
            assert place < signature.index(b"\n")
            assert host.takes(SignedBundle(good.text, changed)).state == "unchanged"
    assert flipped > len(text) + 150
    assert find_bundle(host.home).kept is not None


def test_whatever_else_comes_is_refused(host: Host, organisation: Organisation):
    host.takes(organisation.make(5))
    other, good = SecretKey.make(), organisation.make(6)
    text = good.text
    for signed, why in (
        (SignedBundle(text, other.sign(text.encode(), "acme")), "signed with another key"),
        (SignedBundle(text, SecretKey(organisation.key.id, other.seed).sign(text.encode(), "")), "signature is wrong"),
        (SignedBundle(text[:-20], good.signature), "the signature is wrong"),
        (SignedBundle(text, good.signature[:-20]), "this is no signature"),
        (SignedBundle(text, ""), "this is no signature"),
        (SignedBundle("", ""), "this is no signature"),
        (SignedBundle("\0\ud800", good.signature), "not UTF-8"),
        (SignedBundle("x" * (10 << 20), good.signature), "it is longer than"),
        (organisation.sign("x" * (1 << 20)), "is not as"),
        (organisation.sign("[[[\n"), "no valid TOML"),
        (organisation.sign('name = "acme"\nversion = 7\r\n'), "is not as `synaptic bundle build` writes it"),
        (organisation.sign("\x1b]0;x\x07\n"), "no valid TOML"),
        (organisation.sign('name = "acme"\nversion = -1\n'), "`version` must be"),
        (organisation.sign('name = "\\u001b[31m"\nversion = 8\n'), "`name` must be"),
        (organisation.make(4), "version 4 is older than version 5"),
        (organisation.make(5, RULE + "# other bytes\n"), "was here before with another text"),
    ):
        result = host.takes(signed)
        assert result.state == "refused" and why in result.why, (why, result)
        assert "\x1b" not in result.why
    assert_in_force(host, 5)


def test_without_a_pinned_key_nothing_is_believed(host: Host, organisation: Organisation):
    host.key = ""
    host.joins()
    assert "no organisation's key is pinned" in host.takes(organisation.make()).why
    (host.home.root / "hub" / "joined.json").write_text("{")
    assert "says nothing about a hub" in host.takes(organisation.make()).why


def test_no_older_one_comes_back_where_a_file_was_removed(host: Host, organisation: Organisation):
    host.takes(organisation.make(5))
    place = BundlePlace.of(host.home)
    place.current.unlink()
    assert_in_force(host, 5)
    assert "what was accepted last counts: acme 5" in HookCatalogs(host.home).get("").problems[0]
    assert "older than version 5" in host.takes(organisation.make(4)).why
    assert host.takes(organisation.make(5)).state == "installed", "which writes the missing file again"
    assert find_bundle(host.home).problems == ()
    place.accepted.unlink()
    assert "older than version 5" in host.takes(organisation.make(4)).why
    drop_bundle(host.home)
    assert find_bundle(host.home).parse() is None
    assert list_rules(host) == []
    assert "older than version 5" in host.takes(organisation.make(4)).why
    assert "another text" in host.takes(organisation.make(5, RULE + "# more\n")).why
    assert host.takes(organisation.make(5)).state == "installed"


def test_another_organisation_counts_by_itself(host: Host, organisation: Organisation):
    host.takes(organisation.make(5))
    other = Organisation()
    host.key = other.public
    host.joins()
    assert "another key" in host.takes(organisation.make(6)).why
    assert host.takes(other.make(1)).state == "installed"
    host.key = organisation.public
    host.joins()
    assert "older than version 5" in host.takes(organisation.make(4)).why


@pytest.mark.parametrize("damage", ["flip", "other seal", "garbage", "empty", "cut", "folder", "fifo", "10 MB"])
def test_a_file_that_was_changed_does_not_count_and_the_copy_does(host: Host, organisation: Organisation, damage: str):
    host.joins(is_managed=True)
    host.takes(organisation.make(5))
    place = BundlePlace.of(host.home)
    spoil(place.current, damage)
    problems = HookCatalogs(host.home).get("").problems
    assert any("counts: acme 5" in one or "nothing in it counts" in one for one in problems), problems
    assert_in_force(host, 5)
    spoil(place.accepted, damage)
    problems = HookCatalogs(host.home).get("").problems
    assert any("no bundle is in force" in one for one in problems), problems
    assert list_rules(host) == []
    for file in (place.current, place.accepted):
        remove(file)
    assert "this machine is managed (https://hub.example), and no bundle is in force" in str(
        HookCatalogs(host.home).get("").problems
    )
    assert host.takes(organisation.make(5)).state == "installed"


def spoil(path: Path, how: str) -> None:
    content = path.read_bytes()
    remove(path)
    match how:
        case "flip":
            path.write_bytes(content.replace(b"deny", b"deni"))
        case "other seal":
            path.write_bytes(seal_bundle(msgspec.json.decode(content, type=KeptBundle), os.urandom(32)))
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case _:
            path.write_bytes(
                {"garbage": os.urandom(200), "empty": b"", "cut": content[:-9], "10 MB": b"x" * (10 << 20)}[how]
            )


def remove(path: Path) -> None:
    path.rmdir() if path.is_dir() else path.unlink()


def test_a_running_catalog_sees_a_new_bundle(host: Host, organisation: Organisation):
    catalogs = HookCatalogs(host.home)
    assert catalogs.get("").rules == ()
    first = catalogs.get("")
    assert catalogs.get("") is first
    host.takes(organisation.make())
    assert [rule.id for rule in catalogs.get("").rules] == ["acme.publish"]
    second = catalogs.get("")
    assert catalogs.get("") is second
    host.takes(organisation.make(2, ""))
    assert catalogs.get("").rules == ()


def test_another_homes_key_opens_nothing(host: Host, organisation: Organisation):
    host.takes(organisation.make())
    host.home.database.with_name("state.key").write_bytes(os.urandom(32))
    assert list_rules(host) == []
    assert "no bundle is in force" in HookCatalogs(host.home).get("").problems[0]


def test_joining_again_as_managed_writes_it_again(host: Host, organisation: Organisation):
    body = "locked = ['fail']\nfail = \"closed\"\n"
    host.home.config.write_text('fail = "open"\n')
    host.takes(organisation.make(1, body))
    assert HookCatalogs(host.home).get("").config.fail == "open"
    host.joins(is_managed=True)
    assert host.takes(organisation.make(1, body)).state == "installed"
    catalog = HookCatalogs(host.home).get("")
    assert catalog.config.fail == "closed"
    assert "the bundle acme 1 locks it here" in catalog.problems[0]


def test_a_full_disk_leaves_the_last_good_one(host: Host, organisation: Organisation):
    host.takes(organisation.make())
    place = BundlePlace.of(host.home)
    program = (
        "import resource, sys, msgspec\n"
        "from synaptic.hub.bundles.install import install_bundle\n"
        "from synaptic.hub.wire import SignedBundle\n"
        "from synaptic.model.home import Home\nfrom pathlib import Path\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "signed = SignedBundle(*msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[str, str]))\n"
        "home = Home(Path(sys.argv[1]))\n"
        "import synaptic.hub.bundles.check, synaptic.policies.base as b; b.load_policies()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "print(install_bundle(home, signed).state)\n"
    )
    import sys

    signed = organisation.make(2)
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(host.home.root)],
        input=msgspec.json.encode((signed.text, signed.signature)),
        capture_output=True,
        check=False,
    )
    assert done.stdout.strip() == b"refused", done
    assert_in_force(host, 1)
    assert [file.name for file in place.root.iterdir() if file.name.startswith(".")] == []


def test_a_crash_between_the_two_copies_is_made_good(host: Host, organisation: Organisation):
    host.takes(organisation.make(1))
    place = BundlePlace.of(host.home)
    old = place.current.read_bytes()
    host.takes(organisation.make(2))
    place.current.write_bytes(old)
    assert_in_force(host, 1)
    assert "older than version 2" in host.takes(organisation.make(1)).why
    assert "another text" in host.takes(organisation.make(2, RULE + "# more\n")).why
    assert host.takes(organisation.make(2)).state == "installed"
    assert_in_force(host, 2)


def test_two_who_install_at_once_leave_the_newer_one(host: Host, organisation: Organisation):
    from concurrent.futures import ThreadPoolExecutor

    bundles = [organisation.make(number) for number in range(1, 13)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(host.takes, bundles))
    assert results[-1].state == "installed"
    assert_in_force(host, 12)
    assert find_bundle(host.home).problems == ()


def test_a_bundle_that_is_there_holds_as_far_as_it_is_understood(host: Host):
    from tests.hooks.bundles import seal_into

    seal_into(host.home, 'name = "acme"\nversion = 9\nfail = "closed"\nfuture = 1\npresets = ["practise"]\n' + RULE)
    catalog = HookCatalogs(host.home).get("")
    assert catalog.config.fail == "closed"
    assert [rule.id for rule in catalog.rules] == ["acme.publish"]
    assert any("unknown key `future`" in one for one in catalog.problems)

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.declared import parse_requirement, read_manifest
from synaptic.packages.hashes import hash_text

HEAD = '[package]\nname = "p"\nversion = "1"\n'


def read(text):
    return read_manifest((HEAD + text).encode(), "package.toml")


def test_a_hook_has_defaults():
    """S0-134"""
    [hook] = read('[[hooks]]\nevent = "Stop"\nscript = "hooks/a.sh"').hooks
    assert (hook.matcher, hook.priority, hook.blocking) == (".*", 50, False)


def test_a_package_has_defaults():
    """S0-130"""
    package = read("").package
    assert (package.id, package.agent_variant, package.license, package.install_scope) == ("p", "claude", "MIT", "any")


def test_a_requirement_is_a_name_and_what_its_version_must_be():
    """S0-143"""
    dep = parse_requirement("p", "python3  >= 3.11")
    assert (dep.dep_name, dep.dep_spec, dep.dep_type) == ("python3", ">= 3.11", "tool")
    assert [dep.dep_name for dep in read('requires = ["jq", "git >= 2"]').deps] == ["git", "jq"]


def test_a_command_to_install_is_kept_with_its_hash():
    """S0-132"""
    [dep] = read('[[deps]]\nname = "rg"\ntype = "cli"\ninstall = "apt install ripgrep"').deps
    assert (dep.install_cmd, dep.cmd_sha256) == ("apt install ripgrep", hash_text("apt install ripgrep"))


def test_a_variant_names_the_package_it_stands_in_for():
    """S0-133"""
    [variant] = read('variant_of = "logical"\nagent_variant = "codex"').variants
    assert (variant.logical_id, variant.agent_profile, variant.variant_package_id) == ("logical", "codex", "p")


def test_questions_come_in_the_order_in_which_they_are_asked():
    """S0-135"""
    asked = "\n".join(f'[[questions]]\nid = "{name}"\nprompt = "?"\ntype = "text"' for name in ("z", "b", "a"))
    assert [one.question_id for one in read(asked + "\norder = -1").questions] == ["a", "b", "z"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[hooks]]\nevent = "PreToolUsed"\nscript = "hooks/a"', "did you mean `PreToolUse`"),
        ('[[hooks]]\nevent = "Stop"\nscript = "../a"', "leads out of the package"),
        ('[[hooks]]\nevent = "Stop"\nscript = "/a"', "is absolute"),
        ('[[hooks]]\nevent = "Stop"\nscript = "hooks/a"\nmatcher = "("', "no regular expression"),
        ('[[hooks]]\nevent = "Stop"\nscript = "hooks/a"\nmatcher = "(?=a)b"', "may take forever"),
        ('[[hooks]]\nevent = "Stop"\nscript = "hooks/a"\npriorty = 1', "did you mean `priority`"),
        ('[[hooks]]\nevent = "Stop"\nscript = "hooks/a"\npriority = "high"', "`priority`"),
        ('[[hooks]]\nevent = "Stop"\nscript = "hooks/a"\n' * 2, "is there twice"),
        ("[hooks]\nevent = 1", "must be written `[[hooks]]`"),
        ('[[deps]]\nname = "a"\n[[deps]]\nname = "a"', "is there twice"),
        ('requires = ["a >= 1"]\n[[deps]]\nname = "a"', "is there twice"),
        ('[[deps]]\nname = "a"\ninstall = "x"', "only a `cli`"),
        ('[[deps]]\nname = "a"\ntype = "magic"', "`type`"),
        ('[[questions]]\nid = "a"\nprompt = "?"\nchoices = ["x"]\ndefault = "y"', "none of the choices"),
        ('[[questions]]\nid = "a-b"\nprompt = "?"', "`id`"),
        ('[[questions]]\nid = "a"\nprompt = "?"\ntype = "text"\n' * 2, "is there twice"),
        ("tags = 3", "`tags`"),
        ("x = [", "no valid TOML"),
    ],
)
def test_what_cannot_be_published_is_refused_with_its_place(text, words):
    """S0-132 and S0-134: what is there twice; the rest is bad input"""
    with pytest.raises(Refusal) as refused:
        read(text)
    assert words in str(refused.value)
    assert refused.value.code == "validation_failed"


@pytest.mark.parametrize("name", ["", "A", "../x", "a/b", ".hidden", "a b", "x" * 129])
def test_a_name_is_also_a_folder_and_must_look_like_one(name):
    with pytest.raises(Refusal, match="name"):
        read_manifest(f'[package]\nname = "{name}"\nversion = "1"'.encode(), "package.toml")


def test_a_key_that_nobody_knows_is_a_warning():
    found = read("colour = 1\n[surprise]\n")
    assert [warning.partition(": ")[2] for warning in found.warnings] == [
        "unknown table `surprise` is ignored",
        "[package]: unknown key `colour` is ignored",
    ]

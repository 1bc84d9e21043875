import msgspec
import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.author import check_gates, import_package, promote_channel, promote_package, undo_commit
from synaptic.packages.database import RegistryChange
from tests.packages.authoring import HOOK

QUESTION = '[[questions]]\nid = "who"\nprompt = "?"\ntype = "text"\n'


def refused(work, *arguments):
    with pytest.raises(Refusal) as caught:
        work(*arguments)
    return caught.value


def bring(desk, name="guard", channel="develop", **given):
    return import_package(desk.source, desk.read(name, **given), channel)


def tamper(desk, sql, channel="develop"):
    desk.source.database.write(RegistryChange(channel, [(sql, ())], "tamper"))


def test_the_same_version_with_other_content_is_refused_before_any_write(desk):
    """S0-138"""
    bring(desk, files={"hooks/pre.sh": "one"})
    head = desk.source.read_head("develop")
    before = desk.source.find_bundle("guard", "develop")
    error = refused(import_package, desk.source, desk.read(files={"hooks/pre.sh": "two"}), "develop")
    assert error.code == "conflict"
    assert "hooks/pre.sh" in error.message
    assert before.files[0].sha256 in error.message
    assert desk.read(files={"hooks/pre.sh": "two"}).bundle.files[0].sha256 in error.message
    assert desk.source.read_head("develop") == head


def test_an_identical_import_is_allowed_and_changes_nothing(desk):
    """S0-138"""
    assert bring(desk).changed
    again = bring(desk)
    assert (again.changed, again.commit) == (False, "")


def test_a_new_version_may_have_other_content(desk):
    """S0-138"""
    bring(desk, version="1.0.0", files={"hooks/pre.sh": "one"})
    bring(desk, version="1.1.0", files={"hooks/pre.sh": "two"})
    package = desk.source.find_package("guard", "develop")
    assert package.version == "1.1.0"
    assert package.created_at <= package.updated_at


def test_an_old_version_keeps_its_content_forever(desk):
    """S0-138"""
    bring(desk, version="1.0.0", files={"hooks/pre.sh": "one"})
    bring(desk, version="1.1.0", files={"hooks/pre.sh": "two"})
    read = desk.read(version="1.0.0", files={"hooks/pre.sh": "three"})
    assert refused(import_package, desk.source, read, "develop").code == "conflict"


def test_the_same_files_with_other_hooks_are_another_content(desk):
    """S0-138: a hook's matcher and priority are part of what a version promises"""
    bring(desk)
    read = desk.read(more=HOOK.replace("priority = 20", "priority = 1"))
    assert "other hooks" in refused(import_package, desk.source, read, "develop").message


def test_an_import_that_cannot_check_does_not_write(desk):
    """S0-138"""
    read = desk.read()
    tamper(desk, "DROP TABLE package_files")
    head = desk.source.read_head("develop")
    refused(import_package, desk.source, read, "develop")
    assert desk.source.read_head("develop") == head


def test_promoting_one_package_leaves_the_others_of_the_target_alone(desk):
    """S0-144"""
    bring(desk, "b", "beta", version="1.0.0")
    bring(desk, "b", "develop", version="2.0.0", description="newer")
    bring(desk, "a", "develop")
    promote_package(desk.source, "a", "develop", "beta")
    assert desk.source.find_package("b", "beta").version == "1.0.0"
    taken, original = desk.source.find_bundle("a", "beta"), desk.source.find_bundle("a", "develop")
    assert msgspec.structs.replace(taken, channel="", commit="") == msgspec.structs.replace(
        original, channel="", commit=""
    )


def test_a_promotion_replaces_the_older_version_whole(desk):
    """S0-144"""
    bring(desk, version="1.0.0", files={"hooks/pre.sh": "1", "old.md": "x"})
    promote_package(desk.source, "guard", "develop", "beta")
    (desk.folder("guard") / "old.md").unlink()
    bring(desk, version="2.0.0", files={"hooks/pre.sh": "2"})
    promote_package(desk.source, "guard", "develop", "beta")
    assert [file.dest_path for file in desk.source.find_bundle("guard", "beta").files] == ["hooks/pre.sh"]
    assert promote_package(desk.source, "guard", "develop", "beta") == "", "nothing left to do"


def test_a_whole_channel_is_promoted_by_a_merge(desk):
    """S0-144"""
    bring(desk, "a")
    bring(desk, "b")
    promote_channel(desk.source, "develop", "beta")
    assert [package.id for package in desk.source.list_packages("beta")] == ["a", "b"]
    assert desk.source.read_head("beta") == desk.source.read_head("develop")


def test_the_last_commit_can_be_taken_back_but_not_the_tables(desk):
    """S0-144"""
    head = desk.source.read_head("develop")
    bring(desk)
    assert undo_commit(desk.source, "develop") == head
    assert desk.source.list_packages("develop") == ()
    assert refused(undo_commit, desk.source, "develop").code == "blocked"


def test_each_gate_of_a_publish_names_its_reason(desk):
    """S0-145"""
    bring(desk)
    assert "both `develop`" in refused(check_gates, desk.source, "guard", "develop", "develop").message
    assert "no package `nope`" in refused(check_gates, desk.source, "nope", "develop", "main").message
    tamper(desk, "UPDATE packages SET sha256 = ''")
    assert "no hash over its files" in refused(check_gates, desk.source, "guard", "develop", "main").message
    undo_commit(desk.source, "develop")
    tamper(desk, "UPDATE package_files SET content = 'evil'")
    assert (
        "does not match its hashes: hooks/pre.sh"
        in refused(check_gates, desk.source, "guard", "develop", "main").message
    )
    undo_commit(desk.source, "develop")
    tamper(desk, "UPDATE packages SET sha256 = 'other'")
    assert "(aggregate)" in refused(check_gates, desk.source, "guard", "develop", "main").message
    undo_commit(desk.source, "develop")
    tamper(desk, "UPDATE package_hooks SET script_path = 'hooks/gone.sh'")
    assert (
        "hooks without a file: hooks/gone.sh" in refused(check_gates, desk.source, "guard", "develop", "main").message
    )
    undo_commit(desk.source, "develop")
    assert check_gates(desk.source, "guard", "develop", "main").package.name == "guard"


def test_an_unknown_variable_is_a_warning_at_import_and_blocks_a_publish(desk):
    """S0-145, S0-163"""
    done = bring(desk, more=QUESTION, files={"skills/a.md.j2": "{{ foo.bar }}"})
    assert done.warnings == (
        "skills/a.md.j2: unknown variable `foo.bar`",
        "question who: no template uses its answer",
    )
    error = refused(promote_package, desk.source, "guard", "develop", "main")
    assert (error.code, "foo.bar" in error.message) == ("blocked", True)
    assert desk.source.list_packages("main") == ()


def test_an_unused_question_does_not_block_a_publish(desk):
    """S0-163"""
    bring(desk, more=QUESTION, files={"a.md": "x"})
    assert promote_package(desk.source, "guard", "develop", "main")


def test_the_target_keeps_the_content_of_a_version_it_has(desk):
    """S0-138: per channel"""
    bring(desk, channel="main", files={"hooks/pre.sh": "one"})
    bring(desk, channel="develop", files={"hooks/pre.sh": "two"})
    assert refused(promote_package, desk.source, "guard", "develop", "main").code == "conflict"


def test_a_bad_package_keeps_a_whole_channel_from_being_promoted(desk):
    bring(desk, "a")
    bring(desk, "b")
    tamper(desk, "UPDATE package_files SET content = 'evil' WHERE package_id = 'b'")
    assert "`b` does not match" in refused(promote_channel, desk.source, "develop", "main").message
    assert desk.source.list_packages("main") == ()

import msgspec
import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.database import RegistryChange
from synaptic.packages.rows import Bundle, Dep, HookRow, Package, PackageFile, Question, Variant
from synaptic.packages.tables import TABLE_NAMES, Statement, convert_rows, list_columns, make_delete, make_insert

PACKAGE = Package(id="p", name="p", version="1", variables={"a": [1, None]}, options={})


def write(desk, *statements: Statement):
    return desk.source.database.write(RegistryChange("main", statements, "test"))


def names(desk, sql):
    return {row[0] for row in desk.source.database.query(sql)}


@pytest.mark.parametrize("kind", TABLE_NAMES)
def test_every_field_of_a_row_is_a_column_of_its_table(desk, kind):
    """S0-130 to S0-135"""
    assert names(desk, f"SELECT name FROM pragma_table_info('{TABLE_NAMES[kind]}')") == set(kind.__struct_fields__)


def test_what_is_left_out_has_its_default(desk):
    """S0-130, S0-131, S0-134, S0-135"""
    write(
        desk,
        ("INSERT INTO packages (id, name, version) VALUES ('p', 'p', '1')", ()),
        ("INSERT INTO package_files (package_id, dest_path, content, sha256) VALUES ('p', 'a', 'x', 'y')", ()),
        ("INSERT INTO package_hooks (package_id, event, script_path) VALUES ('p', 'Stop', 'hooks/a')", ()),
        ("INSERT INTO package_questions (package_id, question_id, prompt) VALUES ('p', 'q', '?')", ()),
        ("INSERT INTO package_deps (package_id, dep_name) VALUES ('p', 'git')", ()),
    )
    bundle = desk.source.find_bundle("p", "main")
    assert bundle == Bundle(
        package=Package(id="p", name="p", version="1"),
        files=(PackageFile(package_id="p", dest_path="a", content="x", sha256="y"),),
        hooks=(HookRow(package_id="p", event="Stop", script_path="hooks/a"),),
        deps=(Dep(package_id="p", dep_name="git"),),
        questions=(Question(package_id="p", question_id="q", prompt="?"),),
        channel="main",
        commit=desk.source.read_head("main"),
    )
    [hook] = bundle.hooks
    assert (hook.matcher, hook.priority, hook.blocking) == (".*", 50, False)


def test_the_indexes_are_there(desk):
    """S0-136"""
    wanted = {"files_by_type", "files_by_model", "variants_by_logical_id", "hooks_by_event", "deps_by_type"}
    assert wanted <= names(desk, "SELECT name FROM sqlite_master WHERE type = 'index'")


def test_there_is_no_channel_column(desk):
    """S0-137"""
    for table in TABLE_NAMES.values():
        assert not {"channel", "branch"} & names(desk, f"SELECT name FROM pragma_table_info('{table}')")


def test_what_belongs_to_a_package_goes_with_it(desk):
    """S0-131, S0-132, S0-133"""
    owned = (
        PackageFile(package_id="p", dest_path="a", content="x", sha256="y"),
        Dep(package_id="p", dep_name="git"),
        HookRow(package_id="p", event="Stop", script_path="a"),
        Question(package_id="p", question_id="q", prompt="?"),
        Variant(logical_id="somebody", agent_profile="codex", variant_package_id="p"),
    )
    write(desk, make_insert(PACKAGE), *(make_insert(row) for row in owned))
    write(desk, make_delete("p"))
    for table in TABLE_NAMES.values():
        assert desk.source.database.query(f"SELECT * FROM {table}") == []


def test_a_dependency_is_there_once(desk):
    """S0-132"""
    dep = make_insert(Dep(package_id="p", dep_name="git"))
    with pytest.raises(Refusal, match="UNIQUE"):
        write(desk, make_insert(PACKAGE), dep, dep)
    assert desk.source.find_package("p", "main") is None, "all or nothing"


def test_a_file_of_no_package_is_refused(desk):
    with pytest.raises(Refusal, match="FOREIGN KEY"):
        write(desk, make_insert(PackageFile(package_id="p", dest_path="a", content="x", sha256="y")))


def test_a_variant_of_an_unknown_package_is_kept_and_reported(desk):
    """S0-133"""
    variant = Variant(logical_id="nobody", agent_profile="codex", variant_package_id="p")
    write(desk, make_insert(PACKAGE), make_insert(variant))
    assert desk.source.list_variants("nobody", "main") == (variant,)
    assert desk.source.find_orphans("main") == (variant,)


@pytest.mark.parametrize("text", ["a\\'b\n", "'; DROP TABLE x; --", "\\", '"`$(x)`"', "\r\n\t", "ünï 🙂", "%s ? {}"])
def test_any_text_comes_back_as_it_went_in(desk, text):
    """S0-147"""
    file = PackageFile(package_id="p", dest_path=f"x{text.strip()}", content=text, sha256="y", frontmatter={"a": text})
    write(desk, make_insert(PACKAGE), make_insert(file))
    assert desk.source.find_bundle("p", "main").files == (file,)
    assert desk.source.find_package("p", "main") == PACKAGE


def test_a_row_that_cannot_be_one_is_refused_with_its_table():
    values = msgspec.structs.astuple(HookRow(package_id="p", event="Stop", script_path="a", priority="high"))
    with pytest.raises(Refusal, match="a row of package_hooks cannot be read") as refused:
        convert_rows(HookRow, [values], "the registry")
    assert refused.value.where == "the registry"


def test_columns_are_the_fields_in_their_order():
    assert list_columns(Variant) == "logical_id, agent_profile, variant_package_id"

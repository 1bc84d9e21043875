import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.author import import_package
from synaptic.packages.database import RegistryChange
from synaptic.packages.rows import Package
from synaptic.packages.tables import REGISTRY_SCHEMA, make_insert


def names(packages):
    return [package.name for package in packages]


def test_a_channel_has_its_own_packages(desk):
    """S0-137"""
    import_package(desk.source, desk.read(version="2.0.0"), "develop")
    import_package(desk.source, desk.read(version="1.0.0"), "main")
    assert desk.source.find_package("guard", "develop").version == "2.0.0"
    assert desk.source.find_package("guard", "main").version == "1.0.0"
    assert desk.source.find_package("guard", "beta") is None


def test_an_older_version_is_read_from_history_with_its_own_files(desk):
    old, new = {"hooks/pre.sh": "old"}, {"hooks/pre.sh": "new"}
    first = import_package(desk.source, desk.read(version="1.0.0", files=old), "main")
    import_package(desk.source, desk.read(version="2.0.0", files=new), "main")
    bundle = desk.source.find_bundle("guard", "main", "1.0.0")
    assert (bundle.files[0].content, bundle.commit) == ("old", first.commit)
    assert desk.source.find_bundle("guard", "main").files[0].content == "new"
    assert desk.source.find_package("guard", "main", "1.0.0").version == "1.0.0"
    assert desk.source.find_bundle("guard", "main", "3.0.0") is None


def test_search_wants_every_word_and_puts_names_first(desk):
    import_package(desk.source, desk.read("alpha", description="Watches the beta."), "main")
    import_package(desk.source, desk.read("beta", description="100% sure_ly"), "main")
    assert names(desk.source.search("BETA", "main")) == ["beta", "alpha"]
    assert names(desk.source.search("watches beta", "main")) == ["alpha"]
    assert names(desk.source.search("two", "main")) == ["alpha", "beta"]
    assert names(desk.source.search("100%", "main")) == ["beta"]
    assert names(desk.source.search("sure_ly", "main")) == ["beta"]
    assert names(desk.source.search("1%0", "main")) == []
    assert names(desk.source.search("", "main")) == ["alpha", "beta"]
    assert names(desk.source.search("'; --", "main")) == []


def test_the_log_of_a_package_has_only_what_changed_it(desk):
    first = import_package(desk.source, desk.read(version="1.0.0"), "main")
    import_package(desk.source, desk.read("other"), "main")
    second = import_package(desk.source, desk.read(version="2.0.0", files={"hooks/pre.sh": "2"}), "main")
    assert [commit.hash for commit in desk.source.read_log("main", "guard")] == [second.commit, first.commit]
    assert desk.source.read_log("main", "nobody") == ()
    assert [commit.message for commit in desk.source.read_log("main")][:2] == [
        "import guard 2.0.0",
        "import other 1.0.0",
    ]


def test_an_unknown_channel_is_refused_with_the_ones_there_are(desk):
    with pytest.raises(Refusal, match="did you mean `develop`") as refused:
        desk.source.list_packages("develp")
    assert refused.value.code == "not_found"


def test_a_registry_of_a_newer_schema_is_refused(desk):
    later = [("UPDATE registry_schema SET version = ?", [REGISTRY_SCHEMA + 1])]
    desk.source.database.write(RegistryChange("main", later, "later"))
    with pytest.raises(Refusal, match="upgrade synaptic-hooks"):
        desk.source.list_packages("main")


def test_search_over_five_thousand_packages_finds_the_one(desk):
    rows = [make_insert(Package(id=f"p{n}", name=f"p{n}", version="1", description=f"number {n}")) for n in range(5000)]
    desk.source.database.write(RegistryChange("main", rows, "many"))
    assert names(desk.source.search("number 4321", "main")) == ["p4321"]

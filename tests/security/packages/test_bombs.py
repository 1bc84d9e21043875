"""Packages that want our time, memory or disk: templates, sizes, numbers, nesting, dependencies."""

from pathlib import Path

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages import rendering, verify_install
from synaptic.packages.catalog import HashCatalog
from synaptic.packages.database import RegistryChange
from synaptic.packages.dependencies import WantedPackage, fetch_bundle, resolve_packages
from synaptic.packages.folder import parse_frontmatter, read_folder
from synaptic.packages.lock import Lockfile
from synaptic.packages.profile_repo import read_repo_profile
from synaptic.packages.scan import scan_files
from tests.packages.authoring import write_package
from tests.packages.shelf import made, refused
from tests.security.packages.market import Market, Victim, limit_waiting, place_unfit

LONG = '"' + "x" * 1000 + '"'
TEMPLATES = {
    "range": "{% for i in range(1000000000) %}x{% endfor %}",
    "power": "{{ 10 ** 1000000 }}",
    "repeated text": '{{ "a" * 1000000000 }}',
    "repeated list": "{{ [0] * 1000000000 }}",
    "center": '{{ "a" | center(1000000000) }}',
    "format": '{{ "%1000000000d" | format(1) }}',
    "format by percent": '{{ "%1000000000d" % 1 }}',
    "format method": '{{ "{:1000000000d}".format(1) }}',
    "indent": '{{ "a\\nb" | indent(1000000000) }}',
    "lipsum": "{{ lipsum(n=1000000) }}",
    "cycler": "{% set c = cycler(1) %}{{ c.next() }}",
    "recursive macro": "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
    "recursive loop": "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
    "call block": "{% call x() %}{% endcall %}",
    "include": '{% include "/etc/passwd" %}',
    "import": '{% import "x" as y %}',
    "extends": '{% extends "x" %}',
    "block that calls itself": "{% block a %}{{ self.a() }}{% endblock %}",
    "nested loops without output": "{% for a in _ %}".replace("_", LONG) * 6 + "{% endfor %}" * 6,
    "nested loops with output": "{% for a in _ %}".replace("_", LONG) * 4 + "x" * 50 + "{% endfor %}" * 4,
    "doubled text": '{% set a = "aaaaaaaaaaaaaaaa" %}' + "{% set a = a ~ a %}" * 40,
    "doubled list": "{% set a = [1] %}" + "{% set a = a + a %}" * 40,
    "doubled in a captured block": "{% set a %}aaaa{% endset %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 40,
    "replace that multiplies": f"{{{{ {LONG} " + f'| replace("x", {LONG}) ' * 4 + "}}",
    "filter block that multiplies": f'{{% filter replace("x", {LONG}) %}}' * 4 + "x" * 1000 + "{% endfilter %}" * 4,
    "join that multiplies": f"{{{{ {LONG} " + f"| join({LONG}) " * 4 + "}}",
    "JSON of a list in a list": "{% set a = [1, 1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a | tojson }}",
    "statically nested loops": '{% for a in "ab" %}' * 60 + "x" + "{% endfor %}" * 60,
    "nested conditions": "{% if 1 %}" * 5000 + "{% endif %}" * 5000,
    "nested parentheses": f"{{{{ {'(' * 50_000}1{')' * 50_000} }}}}",
    "nested lists": f"{{{{ {'[' * 50_000}1{']' * 50_000} }}}}",
    "chain of not": f"{{{{ {'not ' * 100_000}1 }}}}",
    "chain of plus": f"{{{{ 1{'+1' * 100_000} }}}}",
    "chain of dots": f"{{{{ repo{'.a' * 100_000} }}}}",
    "chain of filters": f"{{{{ 1{'|trim' * 50_000} }}}}",
    "endless number": f"{{{{ {'9' * 200_000} }}}}",
    "placeholders that never end": "{% raw %}" + "{{ " * 150_000 + "{% endraw %}",
    "a template of a megabyte": "x" * (1 << 20),
}
YAML_HEADS = {
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
    "billion laughs": "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9) if n else 'x'}]" for n in range(12)),
    "merge key": "a: &a {x: 1}\nb: {<<: *a}",
    "deep list": "a: " + "[" * 10_000,
    "deep map": "a: " + "{a: " * 10_000,
    "python object": "a: !!python/object/apply:os.system ['true']",
    "binary": "a: !!binary AAAA",
    "endless number": f"a: {'9' * 100_000}",
}


@pytest.fixture(autouse=True)
def few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "RENDER_SECONDS", 1)
    monkeypatch.setattr(rendering, "RENDER_MEGABYTES", 384)


@pytest.mark.parametrize("text", TEMPLATES.values(), ids=TEMPLATES.keys())
def test_a_template_that_grows_or_never_ends_is_refused_by_name(victim: Victim, market: Market, text: str) -> None:
    market.put(made("bomb", files={"a.md.j2": "{{ repo.name }}", "b.md.j2": text}, hooks=[]))
    with limit_waiting():
        refusal = refused(lambda: victim.install("bomb"))
    assert refusal.code == "validation_failed"
    assert "b.md.j2" in str(refusal)
    assert not victim.path("skills").exists()


def test_templates_that_are_harmless_one_by_one_have_a_limit_together(victim: Victim, market: Market) -> None:
    big = "{% for a in _ %}".replace("_", LONG) + "x" * 4000 + "{% endfor %}"
    market.put(made("many", files={f"{n}.md.j2": big for n in range(20)}, hooks=[]))
    with limit_waiting():
        assert "together" in str(refused(lambda: victim.install("many")))


@pytest.mark.parametrize("name", ["doubled text", "replace that multiplies", "chain of plus"])
def test_a_bomb_is_found_at_promotion_without_going_off(market: Market, name: str) -> None:
    bundle = made("bomb", files={"b.md.j2": TEMPLATES[name] + "{{ answers.gone }}"}, hooks=[])
    with limit_waiting():
        assert rendering.lint_bundle(bundle)


@pytest.mark.parametrize("head", YAML_HEADS.values(), ids=YAML_HEADS.keys())
def test_the_head_of_a_document_is_no_bomb(head: str) -> None:
    with limit_waiting():
        found = parse_frontmatter(f"---\n{head}\n---\ntext\n")
    assert found is None or len(str(found)) < 5000


SIZES = {
    "many files": {"files": {f"f{number}.md": "x" for number in range(2_100)}},
    "a huge file": {"files": {"big.md": "x" * (17 << 20)}},
    "huge together": {"files": {f"f{number}.md": "x" * (15 << 20) for number in range(5)}},
    "many hooks": {
        "files": {f"hooks/h{number}.sh": "x" for number in range(300)},
        "hooks": [("Stop", f"hooks/h{number}.sh", {}) for number in range(300)],
    },
    "many dependencies": {"deps": [{"dep_name": f"d{number}"} for number in range(300)]},
    "many questions": {"questions": [{"question_id": f"q{number}", "prompt": "?"} for number in range(300)]},
    "an endless description": {"description": "x" * 1_000_000},
    "an endless question": {"questions": [{"question_id": "q", "prompt": "x" * 1_000_000}]},
    "an endless name of a program": {"deps": [{"dep_name": "x" * 10_000}]},
    "an endless version wanted": {"deps": [{"dep_name": "sh", "dep_spec": ">= " + "1" * 10_000}]},
    "an endless matcher": {"hooks": [("PreToolUse", "hooks/pre.sh", {"matcher": "a" * 10_000})]},
    "a matcher that backtracks": {"hooks": [("PreToolUse", "hooks/pre.sh", {"matcher": "(a+)+$"})]},
    "a deep path": {"files": {"d/" * 100 + "x.md": "x"}},
    "an endless path": {"files": {"x" * 600: "x"}},
    "an endless name": {"files": {"x" * 250: "x"}},
}


@pytest.mark.parametrize("changes", SIZES.values(), ids=SIZES.keys())
def test_a_package_has_a_size(victim: Victim, market: Market, changes: dict[str, object]) -> None:
    market.put(made("large", **changes))
    with limit_waiting():
        assert refused(lambda: victim.install("large")).code == "validation_failed"
    assert not victim.path("skills").exists()


def test_a_million_rows_are_counted_before_they_are_read(market: Market) -> None:
    market.put(made("rows", files={"a.md": "x"}, hooks=[]))
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    columns = "package_id, dest_path, content, sha256"
    sql = f"INSERT INTO package_files ({columns}) {rows} SELECT 'rows', 'f' || i, 'x', '' FROM n"
    market.source.database.write(RegistryChange("main", [(sql, ())], "many"))
    with limit_waiting():
        assert "20001 files" in refused(lambda: market.source.find_bundle("rows", "main")).message


def test_a_chain_of_packages_ends(market: Market) -> None:
    for number in range(15):
        market.put(made(f"chain{number}", deps=[{"dep_name": f"chain{number + 1}", "dep_type": "skill"}]))
    with limit_waiting():
        wanted = WantedPackage(name="chain0", channel="main")
        assert "deep" in refused(lambda: resolve_packages(market.source, wanted, Lockfile())).message


def test_a_ring_of_packages_is_cut(market: Market) -> None:
    for one, other in (("ring-a", "ring-b"), ("ring-b", "ring-a")):
        market.put(made(one, deps=[{"dep_name": other, "dep_type": "skill"}]))
    with limit_waiting():
        found = resolve_packages(market.source, WantedPackage(name="ring-a", channel="main"), Lockfile())
    assert sorted(bundle.package.name for bundle in found) == ["ring-a", "ring-b"]


def test_a_package_that_needs_itself_is_one_package(market: Market) -> None:
    market.put(made("selfish", deps=[{"dep_name": "selfish", "dep_type": "skill"}]))
    assert len(resolve_packages(market.source, WantedPackage(name="selfish", channel="main"), Lockfile())) == 1


def test_a_package_that_needs_a_whole_registry_is_refused(market: Market) -> None:
    names = [f"need{number}" for number in range(120)]
    wide = made("wide", deps=[{"dep_name": name, "dep_type": "skill"} for name in names])

    class Everything:
        url = "memory://"

        def find_bundle(self, name: str, channel: str, version: str | None = None) -> object:
            return wide if name == "wide" else made(name)

        def list_variants(self, logical_id: str, channel: str) -> tuple[()]:
            return ()

    refusal = refused(lambda: resolve_packages(Everything(), WantedPackage(name="wide", channel="main"), Lockfile()))
    assert "more than 100 packages" in refusal.message


@pytest.mark.parametrize("kind", ["pipe", "endless device", "process memory", "folder", "sparse giant"])
@pytest.mark.parametrize("name", ["package.toml", "hooks/pre.sh"])
def test_a_folder_to_import_holds_files(tmp_path: Path, name: str, kind: str) -> None:
    folder = write_package(tmp_path / "guard")
    place_unfit(folder / name, kind)
    with limit_waiting():
        assert refused(lambda: read_folder(folder)).code == "validation_failed"


@pytest.mark.parametrize("name", ["package.json", "pyproject.toml", "requirements.txt"])
@pytest.mark.parametrize("kind", ["pipe", "endless device", "folder", "sparse giant"])
def test_a_marker_file_of_the_project_keeps_nobody_waiting(victim: Victim, name: str, kind: str) -> None:
    place_unfit(victim.project / name, kind)
    with limit_waiting():
        read_repo_profile(victim.project)
        victim.install("alpha")


def test_a_scan_reads_no_giant(tmp_path: Path) -> None:
    place_unfit(tmp_path / "giant", "sparse giant")
    place_unfit(tmp_path / "pipe", "pipe")
    with limit_waiting():
        found = scan_files(tmp_path, HashCatalog("main", "", ()))
    assert found.matches == ()


def test_a_folder_full_of_extra_files_is_not_listed_whole(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    victim.install("alpha")
    extra = victim.path("skills/alpha/extra")
    extra.mkdir()
    monkeypatch.setattr(verify_install, "MAX_EXTRAS", 50)
    for number in range(60):
        (extra / str(number)).touch()
    assert len(victim.faults()) <= 50
    deep = extra
    for _ in range(700):
        deep = deep / "d"
    deep.mkdir(parents=True)
    assert len(victim.faults()) <= 50


def test_a_bundle_that_is_checked_stays_refused_by_every_way_in(market: Market) -> None:
    market.put(made("evil", files={"../x": "x"}, hooks=[]))
    with pytest.raises(Refusal):
        fetch_bundle(market.source, WantedPackage(name="evil", channel="main"))

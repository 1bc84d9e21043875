import pytest

from synaptic.model.environment import build_project_variables
from synaptic.model.refusal import Refusal
from synaptic.packages.hashes import hash_text
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Bundle, Package, PackageFile, Question
from synaptic.packages.template import ENV_FIELDS, TemplateValues, lint_templates, make_env_values, render_file

REPO = RepoProfile(name="shop", root="/shop", languages=("go", "python"), primary_language="go")
VALUES = TemplateValues(
    REPO, {"who": "you", "list": ["a", "b"]}, make_env_values(build_project_variables("/shop", "beta"))
)


def template(text, path="skills/x/SKILL.md.j2"):
    return PackageFile(package_id="p", dest_path=path, content=text, sha256=hash_text(text), is_template=True)


def bundle(*texts, questions=("who",)):
    files = tuple(template(text, f"{number}.md.j2") for number, text in enumerate(texts))
    asked = tuple(Question(package_id="p", question_id=name, prompt="?") for name in questions)
    return Bundle(package=Package(id="p", name="p", version="1"), files=files, questions=asked)


def test_the_three_namespaces_are_filled_in_and_the_suffix_goes():
    """S0-162, S0-164"""
    text = "{{ answers.who }} {{ repo.languages | join('+') }} {{ env.synaptic_root }} {{ env.sc_dolt_branch }}\n"
    done = render_file(template(text), VALUES)
    assert (done.path, done.content) == ("skills/x/SKILL.md", "you go+python /shop/.synaptic beta\n")
    assert done.sha256 == hash_text(done.content)
    assert done.warnings == ()


def test_the_environment_has_exactly_the_six_names():
    """S0-162"""
    assert set(VALUES.env) == ENV_FIELDS


def test_a_file_that_is_no_template_stays_as_it_is():
    file = PackageFile(package_id="p", dest_path="a.md", content="{{ answers.who }}", sha256="")
    assert render_file(file, VALUES).content == "{{ answers.who }}"


def test_a_variable_nobody_knows_stays_with_a_warning_and_the_install_goes_on():
    """S0-164"""
    done = render_file(template("a {{ foo.bar }} b {{ answers.gone }}"), VALUES)
    assert done.content == "a {{ foo.bar }} b {{ gone }}"
    assert "unknown variable `foo.bar`" in done.warnings
    assert "`{{ foo.bar }}` is left in the text" in done.warnings


def test_a_loop_over_an_answer_works():
    done = render_file(template("{% for x in answers.list %}{{ loop.index }}{{ x | upper }} {% endfor %}"), VALUES)
    assert (done.content, done.warnings) == ("1A 2B ", ())


@pytest.mark.parametrize(
    "text",
    [
        "{% include '/etc/passwd' %}",
        "{% import 'x' as y %}",
        "{% from 'x' import y %}",
        "{% extends 'x' %}",
        "{{ ''.join(answers.list) }}",
        "{{ range(10) }}",
        "{% macro a() %}{% endmacro %}",
        "{{ 'a' * 1000000000 }}",
        "{{ 2 ** 100000 }}",
        "{{ '%99999999d' % 1 }}",
        "{{ answers.list | random }}",
        "{{ 'x' | center(1000000000) }}",
        "{% if %}",
        "{{ 1 / 0 }}",
        "{{ foo + 1 }}",
    ],
)
def test_a_template_that_reaches_out_computes_or_breaks_is_refused(text):
    """S0-165"""
    with pytest.raises(Refusal) as refused:
        render_file(template(text), VALUES)
    assert refused.value.code == "validation_failed"
    assert refused.value.where == "skills/x/SKILL.md.j2"


@pytest.mark.parametrize(
    "text", ["{{ ''.__class__ }}", "{{ answers.who.__class__.__mro__ }}", "{{ repo['__class__'] }}"]
)
def test_nothing_behind_a_value_can_be_reached(text):
    """S0-165"""
    assert "<class" not in render_file(template(text), VALUES).content


def test_a_template_gives_the_same_text_every_time():
    """S0-165"""
    file = template("{% for x in repo.languages %}{{ x }}{{ answers | tojson }}{% endfor %}")
    assert render_file(file, VALUES) == render_file(file, VALUES)


def test_lint_names_an_unknown_variable_and_ignores_words_outside_of_blocks():
    """S0-162"""
    found = lint_templates(bundle("see foo.bar and os.path {{ foo.bar }} {{ repo.nope }} {{ answers.who }}"))
    assert {one.message for one in found} == {"unknown variable `foo.bar`", "unknown variable `repo.nope`"}
    assert all(one.is_error and one.where == "0.md.j2" for one in found)


def test_lint_warns_about_a_question_that_nothing_uses():
    """S0-163"""
    [found] = lint_templates(bundle("{{ answers['who'] }}", questions=("who", "idle")))
    assert (found.where, found.is_error) == ("question idle", False)


def test_lint_knows_names_that_the_template_makes_itself():
    assert (
        lint_templates(bundle("{% set x = answers.who %}{% for y in repo.languages %}{{ x }}{{ y.z }}{% endfor %}"))
        == ()
    )

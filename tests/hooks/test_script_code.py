"""What files of other languages load."""

import pytest

from synaptic.hooks.script_code import find_javascript_files, find_javascript_gaps, find_other_gaps


@pytest.mark.parametrize(
    "text",
    ["require('./lib')", 'require( "./lib" )', "import a from './lib'", "import './lib'", "await import('./lib')"],
)
def test_relative_imports_are_found(text: str):
    assert "/p/./lib.js" in find_javascript_files(text, "/p")
    assert not list(find_javascript_gaps(text))


@pytest.mark.parametrize(
    "text",
    ["require(name)", "require('lodash')", "require('child_process')", "eval(x)", "new Function('a')", "import(name)",
     "const r = require", "(0).constructor.constructor('a')()", "require('node:vm')"],
)  # fmt: skip
def test_what_cannot_be_listed_is_a_gap(text: str):
    assert list(find_javascript_gaps(text))


def test_own_modules_of_node_are_no_gap():
    assert not list(find_javascript_gaps("const fs = require('node:fs'), p = require('path')"))


def test_other_languages_are_searched_for_loading_words():
    assert not list(find_other_gaps("my $x = <STDIN>; print $x;"))
    assert list(find_other_gaps("require './x.pl';"))
    assert list(find_other_gaps("print `ls`;"))

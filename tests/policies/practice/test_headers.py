"""Headers; the table of languages is the doc gate's."""

from synaptic.policies.practice.headers import choose_template, has_header
from synaptic.policies.source_files import SOURCE_EXTENSIONS


def test_every_language_has_a_header_that_it_accepts_and_one_that_it_refuses():
    """S4-095"""
    for extension in SOURCE_EXTENSIONS:
        path = f"a.{extension}"
        assert has_header(path, choose_template(path)), extension
        assert not has_header(path, "int main;\n"), extension


def test_marks_at_the_start_are_skipped():
    assert has_header("a.py", '\ufeff#!/usr/bin/python\n# -*- coding: utf-8 -*-\n"""Adds."""')
    assert not has_header("a.py", "# -*- coding: utf-8 -*-\nimport os")
    assert has_header("a.txt", "anything")

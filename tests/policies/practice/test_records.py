"""The files of operators."""

from synaptic.model.project import TestStatus
from synaptic.policies.practice.records import (
    format_audit_line,
    format_status_line,
    make_record_path,
    make_session_name,
    parse_status_line,
)


def test_a_status_is_read_as_it_was_written():
    """S4-080, S4-127"""
    status = TestStatus(result="fail", failures=3, at=1700000000)
    assert format_status_line(status) == "fail|3|1700000000\n"
    assert parse_status_line(format_status_line(status)) == status
    assert (status.compute_age(1700000600.9), status.has_passed) == (600, False)


def test_an_audit_line_has_three_fields():
    """S4-035, S4-180"""
    assert format_audit_line(0, "test_fail", "a|b") == "1970-01-01T00:00:00|test_fail|a|b"


def test_names():
    assert make_record_path("/p/", ".x") == "/p/.claude/.x"
    assert make_session_name(".session-changes", "") == ".session-changes"
    assert make_session_name(".session-changes", "../a b") == ".session-changes-___a_b"

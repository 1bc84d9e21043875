"""The files of operators."""

from synaptic.model.project import TestStatus
from synaptic.policies.practice.records import audit_line, read_status, record_path, session_name, status_line


def test_a_status_is_read_as_it_was_written():
    """S4-080, S4-127"""
    status = TestStatus(result="fail", failures=3, at=1700000000)
    assert status_line(status) == "fail|3|1700000000\n"
    assert read_status(status_line(status)) == status
    assert (status.age(1700000600.9), status.passed) == (600, False)


def test_an_audit_line_has_three_fields():
    """S4-035, S4-180"""
    assert audit_line(0, "test_fail", "a|b") == "1970-01-01T00:00:00|test_fail|a|b"


def test_names():
    assert record_path("/p/", ".x") == "/p/.claude/.x"
    assert session_name(".session-changes", "") == ".session-changes"
    assert session_name(".session-changes", "../a b") == ".session-changes-___a_b"

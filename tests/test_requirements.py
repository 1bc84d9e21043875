"""Every requirement is held by a test that cites it."""

from pathlib import Path

import pytest
from docs.pages.requirements import citations, statements

ROOT = Path(__file__).parents[1]
CITED = citations(ROOT / "tests")


@pytest.mark.parametrize("number", statements(ROOT))
def test_a_test_cites_it(number: str) -> None:
    assert CITED.get(number), f"no test cites {number}: {statements(ROOT)[number]}"


def test_a_range_counts_for_every_number_in_it(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text('"""S2-060 to S2-062, S4-001"""')
    assert set(citations(tmp_path)) == {"S2-060", "S2-061", "S2-062", "S4-001"}

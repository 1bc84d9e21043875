import json
import subprocess
import sys
from pathlib import Path

from synaptic.model.start_line import build_start_line

CODE = """
import json, sys
sys.path += json.loads(sys.argv[1])
from synaptic.model.start_line import build_start_line
print(json.dumps(build_start_line("m")))
"""


def test_without_a_start_file_python_finds_the_module() -> None:
    assert build_start_line("m") == (sys.executable, "-I", "-m", "m")


def test_what_a_start_file_has_started_starts_others_by_it(tmp_path: Path) -> None:
    start = tmp_path / "start.py"
    start.write_text(CODE)
    command = [sys.executable, "-I", "-S", str(start), json.dumps(sys.path)]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    assert json.loads(shown)[1:] == ["-I", "-S", str(start), "m"]

"""The examples of the documentation run as they are printed there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "gymnasium.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number, tmp_path):
    script = tmp_path / "example.py"
    script.write_text(EXAMPLES[number])
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=110, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_there_are_examples():
    assert len(EXAMPLES) == 2

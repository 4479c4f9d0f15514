"""The page of the paper's tables is what its command prints."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_page_is_what_the_bench_prints():
    bench = runpy.run_path(str(ROOT / "bench" / "paper_tables.py"))
    page = (ROOT / "docs" / "paper-tables.md").read_text(encoding="utf-8")
    assert page.startswith(bench["INTRODUCTION"])
    # The other tables take seconds.
    assert page.endswith("\n".join(bench["table_5"]()) + "\n")

"""The pages of `docs/` are a book that builds."""

import html
import pathlib
import platform
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MDBOOK = pathlib.Path(sys.executable).with_name("mdbook")
TAG = re.compile(r"<[^>]+>")
CHAPTER = re.compile(r"\]\(([^)#]+)\.md\)")


def test_the_book_has_a_page_for_each_chapter(tmp_path):
    if not MDBOOK.exists() and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("no mdbook here")
    made = subprocess.run(
        [MDBOOK, "build", "--dest-dir", tmp_path, ROOT], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    assert "WARN" not in made.stderr + made.stdout, made.stderr
    chapters = CHAPTER.findall((ROOT / "docs/SUMMARY.md").read_text())
    assert len(chapters) > 35
    for chapter in chapters:
        source = (ROOT / f"docs/{chapter}.md").read_text()
        title = re.search(r"^# (.+)$", source, re.MULTILINE)[1]
        page = (tmp_path / f"{chapter}.html").read_text()
        headings = [TAG.sub("", text) for text in re.findall(r"<h1[^>]*>.*?</h1>", page)]
        assert html.escape(title.replace("`", ""), quote=False) in headings, chapter

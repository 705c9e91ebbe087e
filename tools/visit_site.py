"""Visits each page of site/ in Chromium: no error, nothing wider than a phone, no broken link.

Run with ``hatch run docs:visit`` after ``hatch run docs``. Without Chromium it is skipped with a
message. ``--screenshots FOLDER`` keeps a picture of each page, narrow and wide;
``--searches`` also asks the questions of ``tests/data/questions.txt`` in the page's own search.
"""

import argparse
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from tools.questions import Question, read_questions

__all__ = ["broken_links", "main", "served"]

ROOT = Path(__file__).parents[1]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PHONE_WIDTH = 390
"""Pixels."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("main *")]
    .filter(e => e.getBoundingClientRect().right > width + 1)
    .slice(0, 3).map(e => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40));
}"""
_RESULTS = """() => [...document.querySelectorAll(".md-search-result__item")].slice(0, 4)
  .flatMap(item => [...item.querySelectorAll("a.md-search-result__link")].slice(0, 4))
  .map(a => a.href)"""
SETTLED = 700
"""Milliseconds after which results of a search are there."""
_LINKS = "() => [...document.querySelectorAll('a[href]')].map(a => a.href)"
_IDS = "() => [...document.querySelectorAll('[id]')].map(e => e.id)"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its base's name
        """Log nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def broken_links(links: dict[str, list[str]], ids: dict[str, set[str]], base: str) -> list[str]:
    """Return the links within the site whose page or anchor does not exist.

    Args:
        links: Where each page leads to, by its address.
        ids: The anchors of each page, by its address.
        base: What addresses of the site begin with.
    """
    broken = []
    for page, targets in links.items():
        for target in sorted(set(targets)):
            address, anchor = urldefrag(target)
            if not address.startswith(base) or not address.endswith((".html", "/")):
                continue
            address = urljoin(address, "index.html") if address.endswith("/") else address
            if address not in ids:
                broken.append(f"{page}: {target}: no such page")
            elif anchor and unquote(anchor) not in ids[address]:
                broken.append(f"{page}: {target}: no such anchor")
    return broken


def _visit(browser: Any, site: Path, base: str, screenshots: Path | None) -> list[str]:
    problems: list[str] = []
    links: dict[str, list[str]] = {}
    ids: dict[str, set[str]] = {}
    page = browser.new_page(viewport={"width": PHONE_WIDTH, "height": 844})

    def report(text: object) -> None:
        problems.append(f"{page.url}: {text}")

    def report_console(message: Any) -> None:
        if message.type == "error":
            report(message.text)

    page.on("console", report_console)
    page.on("pageerror", report)
    for file in sorted(site.rglob("*.html")):
        if 'http-equiv="refresh"' in file.read_text(encoding="utf-8"):
            continue
        address = base + file.relative_to(site).as_posix()
        page.goto(address)
        links[address], ids[address] = page.evaluate(_LINKS), set(page.evaluate(_IDS))
        problems += [f"{address}: wider than a phone: {x}" for x in page.evaluate(_OVERFLOW)]
        if screenshots is not None:
            name = file.relative_to(site).as_posix().replace("/", "-").removesuffix(".html")
            page.screenshot(path=screenshots / f"{name}-phone.png")
            page.set_viewport_size({"width": 1280, "height": 900})
            page.screenshot(path=screenshots / f"{name}.png")
            page.set_viewport_size({"width": PHONE_WIDTH, "height": 844})
    return problems + broken_links(links, ids, base)


def _search(browser: Any, base: str, questions: Sequence[Question]) -> list[str]:
    """Type each question; return those whose answer is not among the first results."""
    missed = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(base + "index.html")
    page.wait_for_function("document.querySelector('.md-search__input') !== null")
    page.click(".md-search__input")
    page.type(".md-search__input", "array")
    page.wait_for_selector(".md-search-result__item", timeout=60_000)  # the index is loaded
    for question in questions:
        page.fill(".md-search__input", question.search[:-1])
        page.type(".md-search__input", question.search[-1])
        results, before = page.evaluate(_RESULTS), None
        while results != before:  # results are replaced while the worker answers
            page.wait_for_timeout(SETTLED)
            results, before = page.evaluate(_RESULTS), results
        first = [re.sub(r"\?[^#]*", "", address.removeprefix(base)) for address in results]
        if not question.answered_by(first):
            missed.append(f"{question.text} [{question.search}]: {', '.join(first[:6])}")
    return missed


def main(arguments: Sequence[str] | None = None) -> int:
    """Visit the site; returns 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.visit_site")
    parser.add_argument("--site", type=Path, default=ROOT / "site")
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages")
    parser.add_argument("--searches", action="store_true", help="also try searches")
    options = parser.parse_args(arguments)
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        sys.stdout.write(f"skipped: none of {', '.join(NAMES)} is installed\n")
        return 0
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # of the environment docs

    if options.screenshots is not None:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    with served(options.site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        problems = _visit(browser, options.site, base, options.screenshots)
        if options.searches:
            problems += _search(browser, base, read_questions())
        browser.close()
    for problem in problems:
        sys.stdout.write(f"{problem}\n")
    count = sum(1 for _ in options.site.rglob("*.html"))
    sys.stdout.write(f"{count} pages, {len(problems)} problems\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())

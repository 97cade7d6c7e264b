"""Take the README's picture: the report's first screen, from the title to the end of the leaderboard.

    python docs/screenshot.py reports/benchmark.html docs/img/report.png

Needs what `make test` installs, and Chromium on the PATH (Debian: `apt-get install chromium`).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

WIDTH = 1200
TALLEST = 1100
"""Pixels; a first screen longer than that ends where it may."""
LARGEST = 300_000
"""Bytes; a picture that everybody who clones has to fetch stays small."""


def take(report: Path, picture: Path) -> int:
    """Write the picture and return its size in bytes."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("No Chromium on the PATH (Debian: apt-get install chromium).")
    picture.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": TALLEST})
        page.goto(report.resolve().as_uri())
        box = page.locator(".leaderboard").first.bounding_box()
        bottom = TALLEST if box is None else min(TALLEST, box["y"] + box["height"] + 8)
        page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": WIDTH, "height": bottom})
        browser.close()
    return picture.stat().st_size


def main(arguments: list[str]) -> int:
    """Run the command; the exit status is 1 if the picture is too large to keep."""
    if len(arguments) != 2:
        sys.stderr.write(str(__doc__))
        return 2
    size = take(Path(arguments[0]), Path(arguments[1]))
    sys.stdout.write(f"{arguments[1]}: {size / 1000:.0f} kB\n")
    return int(size > LARGEST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

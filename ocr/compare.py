#!/usr/bin/env python3
"""The tables of `./dev bench fotos`: the engine inside beside the program `tesseract`, on the same pages.

    python3 compare.py PAGES READ
"""

import pathlib
import sys

import score


def main():
    pages, read = map(pathlib.Path, sys.argv[1:])
    groups, total = score.totals(pages, read / "embedded")
    _, remembered = score.totals(pages, read / "remembered")
    _, plain = score.totals(pages, read / "rten")
    their_groups, theirs = score.totals(pages, read / "tesseract")

    def row(name, ours, other):
        seconds = [ours["ms"] / 1000 / ours["pages"], other["ms"] / 1000 / other["pages"]]
        walls = [ours["wall_ms"] / 1000 / ours["pages"], other["wall_ms"] / 1000 / other["pages"]]
        return [name, str(ours["pages"]), score.share(ours, "edits", "characters"),
                score.share(other, "edits", "characters"), f"{seconds[0]:.2f} s", f"{seconds[1]:.2f} s",
                f"{seconds[0] / seconds[1]:.2f}", f"{walls[0]:.2f} s", f"{walls[1]:.2f} s"]

    print("Errors are wrong characters of all; times are means per page. `tesseract` is one process a page, one thread, with"
          "\nthe right language, on the page as it is. The next to last row is the same engine with its memory on, as a server has"
          "\nit: lines that look exactly alike are read once, and these pages repeat many. In the last row our place is taken by plain"
          "\n`rten`: the published tiny detector and small recogniser, one after the other, with nothing around them.\n")
    rows = [row(name, groups[name], their_groups[name]) for name in sorted(groups)]
    score.table([*rows, row("all", total, theirs), row("all, remembering lines", remembered, theirs),
                 row("all, plain rten", plain, theirs)],
                ["pages", "count", "errors", "errors, tesseract", "processor time", "processor time, tesseract", "ratio",
                 "time", "time, tesseract"])


if __name__ == "__main__":
    main()

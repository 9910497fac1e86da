#!/usr/bin/env python3
"""Has the program `tesseract` read the pages, one process each, one thread, in the language of the page.

    python3 tesseract.py PAGES READ
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time


def words(table):
    for row in table.split("\n")[1:]:
        cells = row.split("\t")
        if len(cells) == 12 and cells[0] == "5" and cells[11].strip() and float(cells[10]) >= 0:
            x, y, width, height = (float(cell) for cell in cells[6:10])
            yield dict(text=cells[11].strip(), x=x, y=y, w=width, h=height, confidence=float(cells[10]) / 100)


def read(page, picture):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    table = subprocess.run(["tesseract", picture, "-", "-l", page["lang"], "--dpi", "96", "tsv"], check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           env=dict(os.environ, OMP_THREAD_LIMIT="1")).stdout.decode()
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return dict(regions=list(words(table)), ms=1000 * processor, wall_ms=1000 * (ended - began))


def main():
    pages, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(pages.glob("*.json")):
        page = json.loads(path.read_text())
        (folder / path.name).write_text(json.dumps(read(page, pages / page["image"]), ensure_ascii=False))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares what was read with what stands on the pages.

    python3 score.py PAGES READ [--by theme|kind|px|lang] [--most-errors PERCENT] [--most-terminal-errors PERCENT]
        [--least-found PERCENT] [--most-decoys PERCENT]

READ holds a file per page, `<name>.json`:

    {"regions": [{"text", "x", "y", "w", "h"}, ..],           words, in pixels of the picture
     "detections": [{"type", "x", "y", "w", "h"}, ..],        what was found to be personal, if anybody looked
     "ms": 123.4, "wall_ms": 100.1}                           processor time and time

- errors: for each line, the words whose middle lies in it are joined and compared, spaces left out; edits over
  characters. Letters that a window cuts in two (`cut` of a line) may be read or not
- words: words with one of the same text in the same place
- box: how well the boxes of those agree (area in common over area of both)
- stray: characters read where no line is
- found: personal data whose every word is covered to nine tenths by what was found; decoys and other words should
  not be covered
"""

import argparse
import collections
import json
import pathlib
import sys

# Quotes and dashes that look the same in most fonts.
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-"})


def bare(text):
    return "".join(text.split()).translate(SAME)


def edits(a, b):
    if a == b:
        return 0
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        current = [i]
        for j, right in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (left != right)))
        previous = current
    return previous[-1]


def agreement(a, b):
    left, top = max(a[0], b[0]), max(a[1], b[1])
    right, bottom = min(a[0] + a[2], b[0] + b[2]), min(a[1] + a[3], b[1] + b[3])
    if right <= left or bottom <= top:
        return 0.0
    common = (right - left) * (bottom - top)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def covered(box, covers):
    """The share of a box that lies under at least one cover."""
    x, y, width, height = box
    parts = [(max(x, c[0]), max(y, c[1]), min(x + width, c[0] + c[2]), min(y + height, c[1] + c[3])) for c in covers]
    parts = [part for part in parts if part[2] > part[0] and part[3] > part[1]]
    area = 0
    edges = sorted({part[0] for part in parts} | {part[2] for part in parts})
    for left, right in zip(edges, edges[1:]):
        end = None
        for start, stop in sorted((part[1], part[3]) for part in parts if part[0] <= left and part[2] >= right):
            if end is None or start > end:
                area, end = area + (right - left) * (stop - start), stop
            elif stop > end:
                area, end = area + (right - left) * (stop - end), stop
    return area / (width * height)


def ink(box):
    """The middle of a box as tall as its line: where the letters are."""
    x, y, width, height = box
    return [x + 1, y + 0.22 * height, max(1, width - 2), 0.56 * height]


def box_of(item):
    return item["x"], item["y"], item["w"], item["h"]


def middle_inside(item, box, slack=0):
    x, y = item["x"] + item["w"] / 2, item["y"] + item["h"] / 2
    return box["x"] - slack <= x <= box["x"] + box["w"] + slack and box["y"] <= y <= box["y"] + box["h"]


def score_text(page, regions, sums):
    placed = set()
    for line in page["lines"]:
        inside = [(index, region) for index, region in enumerate(regions) if middle_inside(region, line, slack=6)]
        placed.update(index for index, _ in inside)
        read = bare("".join(region["text"] for _, region in sorted(inside, key=lambda pair: pair[1]["x"])))
        wanted = bare(line["t"])
        wrong = max(0, edits(wanted, read) - line.get("cut", 0))
        sums["edits"] += min(wrong, max(len(wanted), len(read)))
        sums["characters"] += len(wanted)
    sums["stray"] += sum(len(bare(region["text"])) for index, region in enumerate(regions) if index not in placed)
    if page["lang"] == "jpn":
        return  # no spaces, no words
    by_text = collections.defaultdict(list)
    for region in regions:
        by_text[bare(region["text"])].append(region)
    for word in page["words"]:
        sums["words"] += 1
        agreements = [(agreement(box_of(word), box_of(region)), region) for region in by_text[bare(word["t"])]]
        matches = [value for value, region in agreements if value >= 0.25 or middle_inside(region, word)]
        if matches:
            sums["words_read"] += 1
            sums["agreement"] += max(matches)


def score_personal(page, detections, sums):
    same = {"ip_v4": "ip_address", "ip_v6": "ip_address"}
    found = [(*box_of(one), same.get(one["type"], one["type"])) for one in detections]
    personal = set()
    for item in page["pii"]:
        covers = [covered(ink(box), found) for box in item["boxes"]]
        personal.update(tuple(box) for box in item["boxes"])
        sums["personal"] += 1
        sums["personal " + item["type"]] += 1
        if min(covers) >= 0.9:
            sums["found"] += 1
            sums["found " + item["type"]] += 1
    for item in page["decoys"]:
        sums["decoys"] += 1
        sums["decoys_covered"] += max(covered(ink(box), found) for box in item["boxes"]) > 0.5
    for word in page["words"]:
        if box_of(word) not in personal:
            sums["others"] += 1
            sums["others_covered"] += covered(ink(box_of(word)), found) > 0.5


def score(page, read):
    sums = collections.Counter(pages=1, ms=read.get("ms", 0), wall_ms=read.get("wall_ms", 0))
    score_text(page, [region for region in read["regions"] if region["text"].strip()], sums)
    if "detections" in read:
        score_personal(page, read["detections"], sums)
    return sums


def share(sums, part, whole):
    return f"{100 * sums[part] / sums[whole]:.2f} %" if sums[whole] else "-"


def table(rows, columns):
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def report(by, total):
    def row(name, sums):
        box = f"{sums['agreement'] / sums['words_read']:.2f}" if sums["words_read"] else "-"
        return [name, str(sums["pages"]), share(sums, "edits", "characters"), share(sums, "words_read", "words"), box,
                share(sums, "stray", "characters"), f"{sums['ms'] / sums['pages'] / 1000:.2f} s",
                f"{sums['wall_ms'] / sums['pages'] / 1000:.2f} s"]

    table([row(name, by[name]) for name in sorted(by)] + [row("all", total)],
          ["pages", "count", "errors", "words", "box", "stray", "processor time per page", "time per page"])
    if total["personal"]:
        print()
        rows = [["all", share(total, "found", "personal")]]
        rows += [[name[6:], share(total, name, "personal " + name[6:])] for name in sorted(total) if name.startswith("found ")]
        rows += [["decoys", share(total, "decoys_covered", "decoys")], ["other words", share(total, "others_covered", "others")]]
        table(rows, ["personal data", "covered"])


def totals(pages, read, by="kind"):
    """Sums by group, and of all; every page must have been read."""
    groups, total = {}, collections.Counter()
    for path in sorted(pages.glob("*.json")):
        page = json.loads(path.read_text())
        sums = score(page, json.loads((read / path.name).read_text()))
        groups.setdefault(str(page[by]), collections.Counter()).update(sums)
        total.update(sums)
    if not total:
        sys.exit(f"error: there is no page in `{pages}`; render some first")
    return groups, total


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pages", type=pathlib.Path)
    arguments.add_argument("read", type=pathlib.Path)
    arguments.add_argument("--by", default="kind")
    arguments.add_argument("--most-errors", type=float, metavar="PERCENT", help="fail above this")
    arguments.add_argument("--most-terminal-errors", type=float, metavar="PERCENT",
                           help="fail above this on pages of terminals, which `--most-errors` then leaves out")
    arguments.add_argument("--least-found", type=float, metavar="PERCENT", help="fail when less personal data is found")
    arguments.add_argument("--most-decoys", type=float, metavar="PERCENT", help="fail when more decoys are covered")
    options = arguments.parse_args()
    groups, total = totals(options.pages, options.read, options.by)
    report(groups, total)
    kinds, _ = totals(options.pages, options.read, "kind")
    terminals = kinds.pop("terminal", collections.Counter()) if options.most_terminal_errors is not None else None
    for what, sums, most in (("characters", sum(kinds.values(), collections.Counter()), options.most_errors),
                             ("characters in terminals", terminals, options.most_terminal_errors)):
        errors = 100 * sums["edits"] / max(1, sums["characters"]) if sums else 0
        if most is not None and errors > most:
            sys.exit(f"error: {errors:.2f} % of the {what} are wrong; at most {most:.2f} % may be")
    if options.least_found is not None:
        found = 100 * total["found"] / max(1, total["personal"])
        if found < options.least_found:
            sys.exit(f"error: {found:.2f} % of the personal data is covered; {options.least_found:.2f} % must be")
    if options.most_decoys is not None:
        decoys = 100 * total["decoys_covered"] / max(1, total["decoys"])
        if decoys > options.most_decoys:
            sys.exit(f"error: {decoys:.2f} % of the decoys are covered; at most {options.most_decoys:.2f} % may be")


if __name__ == "__main__":
    main()

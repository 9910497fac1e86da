"""Pages of terminals: real xterms, one upon another, on an X server without a screen.

An xterm tells the size of its cells, and without a window manager it is where it was asked to be. So the place of every
character is known, also which are covered.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tty

from PIL import Image

import texts

FONTS = ["DejaVu Sans Mono", "Liberation Mono"]
# Background, text.
THEMES = {"light": ("#ffffff", "#1f1f1f"), "dark": ("#101418", "#d8d8d8")}
SIZES = range(8, 15)
WIDTH, HEIGHT = 1280, 800
# Between the edge of a window and its first cell, and around the window.
INSET, BORDER = 4, 1
PATIENCE = 30


def pages(seed):
    """Every size, dark and light."""
    dice = random.Random(seed)
    return [dict(name=f"{50 + index}-terminal-{theme}-{px}", kind="terminal", lang="eng", theme=theme,
                 font=dice.choice(FONTS), px=px, dpr=1, w=WIDTH, h=HEIGHT)
            for index, (px, theme) in enumerate((px, theme) for px in SIZES for theme in THEMES)]


def windows(dice, page):
    """Three of them; the later cover parts of the earlier. The second has the other theme."""
    other = "light" if page["theme"] == "dark" else "dark"
    across, down = page["px"] * 0.6, page["px"] * 1.25

    def at(x, y, width, height, theme):
        return dict(x=x, y=y, columns=int(width / across), rows=int(height / down), theme=theme)

    return [at(dice.randrange(8, 20), dice.randrange(8, 16), 760, 480, page["theme"]),
            at(dice.randrange(520, 560), dice.randrange(90, 130), 640, 420, other),
            # Narrow: long lines go on in the next one.
            at(dice.randrange(330, 400), dice.randrange(300, 340), 300, 400, page["theme"])]


def laid_out(dice, window):
    """The characters of a window by row and column, each with what it belongs to; and the text that puts them there."""
    columns, rows = window["columns"], window["rows"]
    cells, sent, row, spans = [], [], 0, 0
    while row < rows - 1:
        column, line = 0, []
        segments = texts.terminal_line(dice)
        if row + sum(len(text) for text, _ in segments) // columns >= rows - 1:
            break
        for text, mark in segments:
            spans += 1
            for letter in text:
                if column == columns:
                    row, column = row + 1, 0
                cells.append((row, column, letter, (spans, mark) if mark else None))
                column += 1
            line.append(text)
        sent.append("".join(line))
        row += 1
    return cells, "\r\n".join(sent)


@contextlib.contextmanager
def display(folder):
    """An X server whose pixels are a file in `folder`."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir",
                               str(folder), "-nocursor", "-nolisten", "tcp", "-noreset"], pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        number = b""
        while not number.endswith(b"\n"):
            part = os.read(read, 16)
            if not part:
                sys.exit("error: Xvfb did not start")
            number += part
        yield f":{number.decode().strip()}"
    finally:
        os.close(read)
        server.terminate()
        server.wait()


def open_terminal(name, page, window, text, folder, number):
    """Starts an xterm, waits until all of its text is drawn, and adds the size of its cells to `window`."""
    source, report = folder / f"{number}.txt", folder / f"{number}.json"
    source.write_text(text)
    background, foreground = THEMES[window["theme"]]
    place = f"{window['columns']}x{window['rows']}+{window['x']}+{window['y']}"
    process = subprocess.Popen(
        ["xterm", "-geometry", place, "-fa", f"{page['font']}:pixelsize={page['px']}", "-bg", background, "-fg", foreground,
         "-b", str(INSET), "-bw", str(BORDER), "+sb", "-xrm", "XTerm*allowWindowOps: true", "-e",
         sys.executable, __file__, str(source), str(report)],
        env=os.environ | {"DISPLAY": name, "LC_ALL": "C.UTF-8"}, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while not report.exists():
        if process.poll() is not None or time.monotonic() > until:
            sys.exit("error: an xterm did not draw its text; see that `xterm` and the fonts are installed")
        time.sleep(0.02)
    window["cell"] = json.loads(report.read_text())
    return process


def pixels(file):
    """The picture in the file of an X server, in the format of xwd."""
    data = file.read_bytes()
    head = struct.unpack(">25I", data[:100])
    size, width, height, per_line, colours = head[0], head[4], head[5], head[12], head[19]
    start = size + colours * 12
    return Image.frombuffer("RGB", (width, height), data[start:start + per_line * height], "raw", "BGRX", per_line, 1)


def settled(file):
    """The picture, once nothing is drawn any more."""
    before = pixels(file)
    while True:
        time.sleep(0.2)
        after = pixels(file)
        if after.tobytes() == before.tobytes():
            return after
        before = after


def outer(window):
    width, height = window["cell"]
    inner = 2 * (INSET + BORDER)
    return (window["x"], window["y"], window["x"] + window["columns"] * width + inner,
            window["y"] + window["rows"] * height + inner)


def seen_of(box, covers):
    """The share of a box that no window covers: all, none or something between."""
    left, top, right, bottom = box
    shown = sum(not any(c[0] <= x < c[2] and c[1] <= y < c[3] for c in covers)
                for x in range(left, right) for y in range(top, bottom))
    return shown / ((right - left) * (bottom - top))


def truth(page, stack):
    """What is seen of all windows, the lowest first."""
    words, lines, marked = [], [], {}
    for number, (window, cells) in enumerate(stack):
        width, height = window["cell"]
        left, top = window["x"] + BORDER + INSET, window["y"] + BORDER + INSET
        covers = [outer(above) for above, _ in stack[number + 1:]]
        rows = {}
        for row, column, letter, mark in cells:
            x, y = left + column * width, top + row * height
            rows.setdefault(row, []).append((column, letter, mark, x, y, seen_of((x, y, x + width, y + height), covers)))
        for row, letters in sorted(rows.items()):
            parts, before = [], None
            # A letter that is cut in two may be read or not.
            cut = sum(0 < share < 1 and letter != " " for _, letter, _, _, _, share in letters)
            for column, letter, mark, x, y, share in letters:
                if share < 1 or letter == " ":
                    before = None
                    continue
                if before != column - 1 or not parts:
                    parts.append(dict(t="", x=x, y=y, w=0, h=height, line=len(lines)))
                parts[-1]["t"] += letter
                parts[-1]["w"] += width
                before = column
                if mark:
                    boxes = marked.setdefault((number, *mark), [])
                    if boxes and boxes[-1]["row"] == row and boxes[-1]["to"] in (column, column - 1):
                        boxes[-1].update(to=column + 1, t=boxes[-1]["t"] + letter)
                    else:
                        boxes.append(dict(row=row, at=column, to=column + 1, t=letter, x=x, y=y))
            whole_lines = []
            for word in parts:
                # What a window cuts in two is two lines.
                if whole_lines and covers and hidden_between(whole_lines[-1][-1], word, covers):
                    whole_lines.append([])
                whole_lines = whole_lines or [[]]
                whole_lines[-1].append(word)
            for line in whole_lines:
                for word in line:
                    word["line"] = len(lines)
                words += line
                right = line[-1]["x"] + line[-1]["w"]
                lines.append(dict(t=" ".join(word["t"] for word in line), id=len(lines), x=line[0]["x"], y=line[0]["y"],
                                  w=right - line[0]["x"], h=height, cut=cut))
    groups = {"pii": [], "decoy": []}
    for (number, span, mark), boxes in marked.items():
        group, kind = mark.split(":")
        width, height = stack[number][0]["cell"]
        shown = sum(len(box["t"]) for box in boxes)
        whole = sum(cell[3] == (span, mark) and cell[2] != " " for cell in stack[number][1])
        # Of what is mostly covered nobody can tell what it was.
        if shown * 2 < whole or (shown < whole and kind != "api_key"):
            continue
        groups[group].append(dict(type=kind, t=" ".join(box["t"] for box in boxes),
                                  boxes=[[box["x"], box["y"], (box["to"] - box["at"]) * width, height] for box in boxes]))
    return dict(image=page["name"] + ".ppm", width=WIDTH, height=HEIGHT,
                **{key: page[key] for key in ("lang", "theme", "font", "px", "dpr", "kind")}, words=words, lines=lines,
                windows=[[box[0], box[1], box[2] - box[0], box[3] - box[1]]
                         for box in (outer(window) for window, _ in reversed(stack))],
                pii=groups["pii"], decoys=groups["decoy"])


def hidden_between(one, next_one, covers):
    gap = (one["x"] + one["w"], one["y"], next_one["x"], one["y"] + one["h"])
    return gap[2] > gap[0] and seen_of(gap, covers) < 1


def render(dice, page, folder):
    with tempfile.TemporaryDirectory() as scratch, display(scratch) as name:
        scratch, stack, processes = pathlib.Path(scratch), [], []
        try:
            for number, window in enumerate(windows(dice, page)):
                cells, text = laid_out(dice, window)
                processes.append(open_terminal(name, page, window, text, scratch, number))
                stack.append((window, cells))
            picture = settled(scratch / "Xvfb_screen0")
        finally:
            for process in processes:
                process.terminate()
                process.wait()
    picture.save(folder / (page["name"] + ".ppm"))
    (folder / (page["name"] + ".json")).write_text(json.dumps(truth(page, stack), ensure_ascii=False))


def asked(question, answer):
    """What the terminal says of itself."""
    os.write(1, question)
    heard = b""
    while not (found := re.search(answer, heard)):
        if not select.select([0], [], [], PATIENCE)[0]:
            sys.exit(1)
        heard += os.read(0, 100)
    return found


def inside(source, report):
    """Runs in an xterm: shows the text, and tells the size of a cell when all of it is drawn."""
    tty.setraw(0, termios.TCSANOW)
    height, width = map(int, asked(b"\x1b[16t", rb"\x1b\[6;(\d+);(\d+)t").groups())
    os.write(1, b"\x1b[?25l" + pathlib.Path(source).read_bytes())
    asked(b"\x1b[6n", rb"\x1b\[\d+;\d+R")
    finished = pathlib.Path(report + ".part")
    finished.write_text(json.dumps([width, height]))
    finished.rename(report)
    while os.read(0, 100):
        pass


if __name__ == "__main__":
    inside(*sys.argv[1:])

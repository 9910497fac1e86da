#!/usr/bin/env python3
"""Renders pages whose text is known: Chromium draws them, and tells where each word is.

    python3 render.py FOLDER [--short] [--kind KIND] [--seed N]

Writes `<name>.ppm` and `<name>.json` for each page:

    {image, width, height, lang, theme, font, px, dpr, kind,
     words: [{t, x, y, w, h, line}], lines: [{t, x, y, w, h}],
     pii: [{type, t, boxes: [[x, y, w, h], ..]}], decoys: [the same]}

Boxes are in pixels of the picture. The same seed gives the same pages, as long as Chromium and fonts are the same.
"""

import argparse
import base64
import html
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from PIL import Image

import terminals
import texts

FONTS = {
    "sans": ["DejaVu Sans", "Liberation Sans", "Roboto"],
    "mono": ["DejaVu Sans Mono", "Liberation Mono"],
    "cjk": ["Noto Sans CJK JP"],
}
# Background, text, panel, accent.
THEMES = {
    "light": ("#ffffff", "#1f1f1f", "#f3f3f3", "#0a58ca"),
    "dark": ("#1e1e1e", "#d4d4d4", "#252526", "#4fc1ff"),
    "lowcontrast": ("#fdf6e3", "#657b83", "#eee8d5", "#268bd2"),
    "darkdim": ("#0d1117", "#8b949e", "#161b22", "#58a6ff"),
}
# One page of each kind, dark and light, dense and large: what `./dev test` has time for.
SHORT = ("02", "10", "12", "14", "18", "24", "31", "53", "56", "61", "93")

CHROMIUM = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text",
            "--font-render-hinting=slight", "--virtual-time-budget=2000"]

# Tells the box of each word that was drawn whole.
MEASURE = """document.fonts.ready.then(()=>{const d=devicePixelRatio,o=[];document.querySelectorAll('.l').forEach((l,li)=>{
const lr=l.getBoundingClientRect();l.querySelectorAll('b').forEach(s=>s.querySelectorAll('i').forEach(w=>{
const q=w.getBoundingClientRect();if(q.right>lr.right+1)return;
o.push([w.textContent,Math.round(q.left*d),Math.round(q.top*d),Math.round(q.width*d),Math.round(q.height*d),li,
s.dataset.s,s.dataset.tag])}))});const e=document.createElement('meta');e.id='gt';
e.content=btoa(unescape(encodeURIComponent(JSON.stringify(o))));document.head.appendChild(e)})"""


def pages(seed):
    """What is drawn: every kind in several themes, sizes and fonts."""
    dice = random.Random(seed)
    kinds = [("en", "eng", "sans", 3), ("code", "eng", "mono", 2), ("de", "deu", "sans", 3), ("ja", "jpn", "cjk", 3),
             ("pii", "eng", "sans", 2), ("pii", "eng", "mono", 2)]
    result = []
    for kind, lang, family, columns in kinds:
        for theme in THEMES if kind in ("en", "pii") else ["light", "dark"]:
            for px in (11, 13) if kind != "pii" else (12, 14):
                if kind == "pii" and family == "mono" and theme not in ("light", "dark"):
                    continue
                font = dice.choice(FONTS[family])
                result.append(dict(name=f"{len(result) + 1:02d}-{kind}-{theme}-{px}", kind=kind, lang=lang, theme=theme,
                                   font=font, px=px, dpr=1, w=1280, h=800, cols=columns))
    result.append(dict(name="90-full1080-light", kind="en", lang="eng", theme="light", font="Liberation Sans", px=13,
                       dpr=1, w=1920, h=1080, cols=4))
    result.append(dict(name="91-full1080-dark-code", kind="code", lang="eng", theme="dark", font="DejaVu Sans Mono",
                       px=14, dpr=1, w=1920, h=1080, cols=3))
    result.append(dict(name="92-hidpi-light", kind="en", lang="eng", theme="light", font="Roboto", px=13, dpr=2,
                       w=1280, h=800, cols=3))
    result.append(dict(name="93-hidpi-pii-dark", kind="pii", lang="eng", theme="dark", font="DejaVu Sans", px=13, dpr=2,
                       w=1280, h=800, cols=2))
    return result


def segments_as_html(segments):
    parts = []
    for index, (text, tag) in enumerate(segments):
        words = re.split(r"( +)", text)
        inner = "".join(word if not word.strip() else f"<i>{html.escape(word)}</i>" for word in words)
        parts.append(f'<b data-s="{index}" data-tag="{tag}">{inner}</b>')
    return ("" if segments[0][0].endswith("=") else " ").join(parts)


def document(dice, page):
    background, text, panel, accent = THEMES[page["theme"]]
    width, height, px = page["w"], page["h"], page["px"]
    line_height = round(px * 1.75)
    column_width = (width - 20) // page["cols"]
    body = []
    for column in range(page["cols"]):
        for row in range((height - 70) // line_height):
            style = (f"left:{12 + column * column_width}px;top:{54 + row * line_height}px;height:{line_height}px;"
                     f"line-height:{line_height}px;max-width:{column_width - 14}px")
            if row % 9 == 4:
                style += f";background:{panel};width:{column_width - 14}px"
            if row % 11 == 6:
                style += f";color:{accent}"
            if row % 13 == 8 and page["kind"] != "code":
                style += ";font-weight:bold"
            body.append(f'<div class=l style="{style}">{segments_as_html(texts.line(dice, page["kind"]))}</div>')
    title = segments_as_html([(f"Window {page['name']}", "")])
    return f"""<!doctype html><meta charset=utf-8><style>
*{{margin:0;padding:0;box-sizing:border-box}}
html,body{{width:{width}px;height:{height}px;background:{background};color:{text};overflow:hidden}}
body{{font:{px}px '{page['font']}'}}
.bar{{position:absolute;left:0;top:0;width:{width}px;height:40px;background:{panel};line-height:40px;padding-left:14px;
font-weight:600}}
.l{{position:absolute;white-space:pre;overflow:hidden;border-radius:3px}} i,b{{font-style:normal}} b{{font-weight:inherit}}
</style><body><div class="bar l">{title}</div>{''.join(body)}<script>{MEASURE}</script>"""


def chromium(arguments):
    return subprocess.run(CHROMIUM + arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout


def box_around(words):
    left, top = min(word["x"] for word in words), min(word["y"] for word in words)
    right, bottom = max(word["x"] + word["w"] for word in words), max(word["y"] + word["h"] for word in words)
    return dict(x=left, y=top, w=right - left, h=bottom - top)


def truth(page, rows):
    words, lines, spans = [], {}, {}
    for text, x, y, width, height, line, segment, tag in rows:
        words.append(dict(t=text, x=x, y=y, w=width, h=height, line=line))
        lines.setdefault(line, []).append(words[-1])
        if tag:
            spans.setdefault((line, segment, tag), []).append(words[-1])
    marked = {"pii": [], "decoy": []}
    for (_, _, tag), parts in spans.items():
        group, kind = tag.split(":")
        marked[group].append(dict(type=kind, t=" ".join(word["t"] for word in parts),
                                  boxes=[[word["x"], word["y"], word["w"], word["h"]] for word in parts]))
    return dict(
        image=page["name"] + ".ppm", width=page["w"] * page["dpr"], height=page["h"] * page["dpr"],
        **{key: page[key] for key in ("lang", "theme", "font", "px", "dpr", "kind")}, words=words,
        lines=[dict(t=" ".join(word["t"] for word in parts), id=line, **box_around(parts))
               for line, parts in sorted(lines.items())],
        pii=marked["pii"], decoys=marked["decoy"])


def render(page, source, folder):
    with tempfile.TemporaryDirectory() as scratch:
        file, png = pathlib.Path(scratch, "page.html"), pathlib.Path(scratch, "page.png")
        file.write_text(source)
        common = [f"--window-size={page['w']},{page['h']}", f"--force-device-scale-factor={page['dpr']}",
                  f"--user-data-dir={scratch}/profile"]
        chromium(common + [f"--screenshot={png}", f"file://{file}"])
        dom = chromium(common + ["--dump-dom", f"file://{file}"]).decode("utf8", "replace")
        measured = re.search(r'id="gt" content="([^"]+)"', dom)
        if not measured or not png.exists():
            sys.exit(f"error: Chromium did not draw `{page['name']}`; see that `chromium` and the fonts are installed")
        Image.open(png).convert("RGB").save(folder / (page["name"] + ".ppm"))
    rows = json.loads(base64.b64decode(measured.group(1)).decode("utf8"))
    (folder / (page["name"] + ".json")).write_text(json.dumps(truth(page, rows), ensure_ascii=False))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--short", action="store_true", help="one page of each kind")
    arguments.add_argument("--kind", action="append", help="only pages of this kind")
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for index, page in enumerate(pages(options.seed) + terminals.pages(options.seed)):
        if options.short and not page["name"].startswith(SHORT):
            continue
        if options.kind and page["kind"] not in options.kind:
            continue
        dice = random.Random(options.seed * 1000 + index)
        if page["kind"] == "terminal":
            terminals.render(dice, page, options.folder)
        else:
            render(page, document(dice, page), options.folder)


if __name__ == "__main__":
    main()

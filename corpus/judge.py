"""Whether a picture is as it should be after a write."""

import fnmatch
import re
import tomllib

from readers import NO_XMP

TAGS, PEOPLE = ["海滩", "假期"], ["张三"]
DESCRIPTION, LOCATION = "一家人在海边", "法国巴黎"
METADATA = {"tags": TAGS, "description": DESCRIPTION, "people": PEOPLE, "location": LOCATION}
KEYWORDS = TAGS + PEOPLE

# What is written, and in which formats it must be there; everything else is somebody else's.
WITH_EXIF = {"jpeg", "png", "heic", "avif", "webp", "tiff"}
EVERY = WITH_EXIF | {"gif"}
# Formats in which exiv2 reads EXIF; in PNG, only its newest versions do. It reads no metadata of GIF, and of
# HEIC nothing where the list of items (`iinf`) is not of version 0.
EXIF_BY_EXIV2 = {"jpeg", "webp", "tiff", "avif"}
EXIFTOOL = {
    "XMP-dc:Subject": (EVERY, KEYWORDS),
    "XMP-digiKam:TagsList": (EVERY, KEYWORDS),
    "XMP-iptcExt:PersonInImage": (EVERY, PEOPLE),
    "XMP-dc:Description": (EVERY, [DESCRIPTION]),
    "XMP-iptcCore:Location": (EVERY, [LOCATION]),
    "IFD0:ImageDescription": (WITH_EXIF, [DESCRIPTION]),
    "IPTC:Keywords": ({"jpeg"}, KEYWORDS),
    "IPTC:Caption-Abstract": ({"jpeg"}, [DESCRIPTION]),
    "IPTC:Sub-location": ({"jpeg"}, [LOCATION]),
    "PNG:Description": ({"png"}, [DESCRIPTION]),
}
EXIV2 = {
    "Xmp.dc.subject": (EVERY, [", ".join(KEYWORDS)]),
    "Xmp.digiKam.TagsList": (EVERY, [", ".join(KEYWORDS)]),
    "Xmp.iptcExt.PersonInImage": (EVERY, [", ".join(PEOPLE)]),
    "Xmp.dc.description": (EVERY, [f'lang="x-default" {DESCRIPTION}']),
    "Xmp.iptc.Location": (EVERY, [LOCATION]),
    "Exif.Image.ImageDescription": (EXIF_BY_EXIV2, [DESCRIPTION]),
    "Iptc.Application2.Keywords": ({"jpeg"}, KEYWORDS),
    "Iptc.Application2.Caption": ({"jpeg"}, [DESCRIPTION]),
    "Iptc.Application2.SubLocation": ({"jpeg"}, [LOCATION]),
}
# The other fields, as `batchWriteImageMetadata` takes them, and where both readers must find them.
DETAILS = {
    "title": "海边的一天", "headline": "一家人", "creator": ["Ada", "李四"], "copyright": "© 2024 Ada", "city": "巴黎",
    "state": "法兰西岛", "country": "法国", "rating": 4, "label": "Green", "dateTaken": "2024-05-01T18:30:05+02:00",
    "position": "48.8584, -2.2945",
}
DETAILS_EXIFTOOL = {
    "XMP-dc:Title": (EVERY, ["海边的一天"]),
    "XMP-photoshop:Headline": (EVERY, ["一家人"]),
    "XMP-dc:Creator": (EVERY, ["Ada", "李四"]),
    "XMP-dc:Rights": (EVERY, ["© 2024 Ada"]),
    "XMP-photoshop:City": (EVERY, ["巴黎"]),
    "XMP-photoshop:State": (EVERY, ["法兰西岛"]),
    "XMP-photoshop:Country": (EVERY, ["法国"]),
    "XMP-xmp:Rating": (EVERY, [4]),
    "XMP-xmp:Label": (EVERY, ["Green"]),
    "XMP-photoshop:DateCreated": (EVERY, ["2024:05:01 18:30:05+02:00"]),
    "XMP-exif:GPSLatitude": ({"gif"}, ["48 deg 51' 30.24\" N"]),
    "XMP-exif:GPSLongitude": ({"gif"}, ["2 deg 17' 40.20\" W"]),
    "IFD0:Artist": (WITH_EXIF, ["Ada; 李四"]),
    "IFD0:Copyright": (WITH_EXIF, ["© 2024 Ada"]),
    "ExifIFD:DateTimeOriginal": (WITH_EXIF, ["2024:05:01 18:30:05"]),
    "ExifIFD:OffsetTimeOriginal": (WITH_EXIF, ["+02:00"]),
    "GPS:GPSLatitudeRef": (WITH_EXIF, ["North"]),
    "GPS:GPSLatitude": (WITH_EXIF, ["48 deg 51' 30.24\""]),
    "GPS:GPSLongitudeRef": (WITH_EXIF, ["West"]),
    "GPS:GPSLongitude": (WITH_EXIF, ["2 deg 17' 40.20\""]),
    "IPTC:ObjectName": ({"jpeg"}, ["海边的一天"]),
    "IPTC:Headline": ({"jpeg"}, ["一家人"]),
    "IPTC:By-line": ({"jpeg"}, ["Ada", "李四"]),
    "IPTC:CopyrightNotice": ({"jpeg"}, ["© 2024 Ada"]),
    "IPTC:City": ({"jpeg"}, ["巴黎"]),
    "IPTC:Province-State": ({"jpeg"}, ["法兰西岛"]),
    "IPTC:Country-PrimaryLocationName": ({"jpeg"}, ["法国"]),
    "IPTC:DateCreated": ({"jpeg"}, ["2024:05:01"]),
    "IPTC:TimeCreated": ({"jpeg"}, ["18:30:05+02:00"]),
}
DETAILS_EXIV2 = {
    "Xmp.dc.title": (EVERY, ['lang="x-default" 海边的一天']),
    "Xmp.photoshop.Headline": (EVERY, ["一家人"]),
    "Xmp.dc.creator": (EVERY, ["Ada, 李四"]),
    "Xmp.dc.rights": (EVERY, ['lang="x-default" © 2024 Ada']),
    "Xmp.photoshop.City": (EVERY, ["巴黎"]),
    "Xmp.photoshop.State": (EVERY, ["法兰西岛"]),
    "Xmp.photoshop.Country": (EVERY, ["法国"]),
    "Xmp.xmp.Rating": (EVERY, ["4"]),
    "Xmp.xmp.Label": (EVERY, ["Green"]),
    "Xmp.photoshop.DateCreated": (EVERY, ["2024-05-01T18:30:05+02:00"]),
    "Exif.Image.Artist": (EXIF_BY_EXIV2, ["Ada; 李四"]),
    "Exif.Image.Copyright": (EXIF_BY_EXIV2, ["© 2024 Ada"]),
    "Exif.Photo.DateTimeOriginal": (EXIF_BY_EXIV2, ["2024:05:01 18:30:05"]),
    "Exif.Photo.OffsetTimeOriginal": (EXIF_BY_EXIV2, ["+02:00"]),
    "Exif.GPSInfo.GPSLatitudeRef": (EXIF_BY_EXIV2, ["N"]),
    "Exif.GPSInfo.GPSLatitude": (EXIF_BY_EXIV2, ["48/1 51/1 3024000/100000"]),
    "Exif.GPSInfo.GPSLongitude": (EXIF_BY_EXIV2, ["2/1 17/1 4020000/100000"]),
    "Exif.GPSInfo.GPSLongitudeRef": (EXIF_BY_EXIV2, ["W"]),
    "Iptc.Application2.ObjectName": ({"jpeg"}, ["海边的一天"]),
    "Iptc.Application2.Headline": ({"jpeg"}, ["一家人"]),
    "Iptc.Application2.Byline": ({"jpeg"}, ["Ada", "李四"]),
    "Iptc.Application2.Copyright": ({"jpeg"}, ["© 2024 Ada"]),
    "Iptc.Application2.City": ({"jpeg"}, ["巴黎"]),
    "Iptc.Application2.ProvinceState": ({"jpeg"}, ["法兰西岛"]),
    "Iptc.Application2.CountryName": ({"jpeg"}, ["法国"]),
    "Iptc.Application2.DateCreated": ({"jpeg"}, ["2024-05-01"]),
    "Iptc.Application2.TimeCreated": ({"jpeg"}, ["18:30:05+02:00"]),
}
# Formats exiv2 reads.
READ_BY_EXIV2 = EXIF_BY_EXIV2 | {"png"}
# What the server says when it left EXIF alone: there was no room, or it has values outside of itself.
EXIF_LEFT_ALONE = ("EXIF 空间不足", "EXIF 中有超出其范围的值")
ABSENT = None


def format_of(content):
    if content.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return "gif"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    if content[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "tiff"
    if content[4:8] == b"ftyp":
        return "avif" if content[8:12] in (b"avif", b"avis") else "heic"
    return "none"


class Rules:
    """The tables of refusals and of changes that are meant, and which of their rows came true."""

    def __init__(self, folder):
        self.refusals = tomllib.loads((folder / "refusals.toml").read_text())["refusal"]
        self.changes = tomllib.loads((folder / "changes.toml").read_text())["change"]
        self.came_true = set()

    def refusal(self, name, reason):
        """Whether a refusal for this reason is documented."""
        return self.row(self.refusals, name, lambda row: row["says"] in reason)

    def change(self, name, tag, before, after):
        """Whether this change of a tag is meant."""

        def fits(row):
            return (
                any(fnmatch.fnmatchcase(tag, pattern) for pattern in row["tags"])
                and re.fullmatch(row.get("from", ".*"), str(before), re.DOTALL)
                and re.fullmatch(row.get("to", ".*"), str(after), re.DOTALL)
            )

        return self.row(self.changes, name, fits)

    def row(self, rows, name, fits):
        for row in rows:
            if matches(row, name) and fits(row):
                self.came_true.add(id(row))
                return True
        return False

    def stale(self, results):
        """Refusals in the tables that did not happen, and changes in single files that did not."""
        for row in self.refusals:
            for name, refused in results.items():
                if matches(row, name) and not refused:
                    yield f"{name} is in refusals.toml ({row['says']}), but was written: take it out"
        for row in self.changes:
            there = [name for name in results if "files" in row and matches(row, name)]
            if there and id(row) not in self.came_true:
                yield f"{there[0]} is in changes.toml ({', '.join(row['tags'])}), but nothing like it changed: take it out"


def matches(row, name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in row.get("files", ["*"]))


def wanted(table, kind, message):
    is_left_alone = any(note in message for note in EXIF_LEFT_ALONE)
    return {
        tag: values
        for tag, (formats, values) in table.items()
        if kind in formats and not (is_left_alone and "ImageDescription" in tag)
    }


def listed(value):
    return value if isinstance(value, list) else [value]


def faults_exiftool(rules, name, kind, message, before, after):
    before, after = merged(before), merged(after)
    for tag, values in wanted(EXIFTOOL, kind, message).items():
        found = after.get(tag, ABSENT)
        if found != values and not rules.change(name, tag, values, found):
            yield f"exiftool: {tag} is {brief(found)}"
    for tag in sorted(before.keys() | after.keys()):
        was, now = before.get(tag, ABSENT), after.get(tag, ABSENT)
        if tag not in EXIFTOOL and not same(tag, was, now) and not rules.change(name, tag, was, now):
            yield f"exiftool: {tag}: {brief(was)} -> {brief(now)}"


def merged(tags):
    """Every value of a tag in one list, however often the file has it; IPTC of several segments as one; every complaint
    as a tag of its own."""
    result = {}
    for tag, value in tags.items():
        group, name = tag.split(":")[0], tag.split(":")[-1]
        if group == "ExifTool":
            result[f"{name}: {value}"] = ["said"]
        else:
            group = re.sub(r"^IPTC\d+$", "IPTC", group)
            result.setdefault(f"{group}:{name}", []).extend(listed(value))
    return result


def faults_exiv2(rules, name, kind, message, before, after):
    if kind not in READ_BY_EXIV2 or before is None:
        return
    if after is None:
        yield "exiv2: cannot read it any more"
        return
    for tag, values in wanted(EXIV2, kind, message).items():
        found = after.get(tag, ABSENT)
        if found != values and not (NO_XMP in before and tag.startswith("Xmp.")):
            yield f"exiv2: {tag} is {brief(found)}"
    for tag in sorted(before.keys() | after.keys()):
        was, now = before.get(tag, ABSENT), after.get(tag, ABSENT)
        if tag not in EXIV2 and was != now and not rules.change(name, tag, was, now):
            yield f"exiv2: {tag}: {brief(was)} -> {brief(now)}"


def same(tag, was, now):
    """IPTC that does not say its character set is read as Latin-1; where it was UTF-8 all the same, it now says so."""
    if was == now or not tag.startswith("IPTC:") or ABSENT in (was, now):
        return was == now
    try:
        return [value.encode("cp1252").decode() if isinstance(value, str) else value for value in was] == now
    except UnicodeError:
        return False


def same_pixels(was, now):
    """Decoders word it in several ways that a file is no picture to them."""
    return was == now or (isinstance(was, str) and isinstance(now, str))


def brief(value):
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]} … ({len(text)} characters)"


def faults_details(rules, name, kind, tags, keys):
    """Whether both readers find the other fields where the documentation says they are."""
    found = merged(tags)
    for tag, (formats, values) in DETAILS_EXIFTOOL.items():
        if kind in formats and found.get(tag, ABSENT) != values and not rules.change(name, tag, values, found.get(tag)):
            yield f"exiftool: {tag} is {brief(found.get(tag, ABSENT))}"
    if kind not in READ_BY_EXIV2 or keys is None:
        return
    for tag, (formats, values) in DETAILS_EXIV2.items():
        found = keys.get(tag, ABSENT)
        is_known = (NO_XMP in keys and tag.startswith("Xmp.")) or rules.change(name, tag, values, found)
        if kind in formats and found != values and not is_known:
            yield f"exiv2: {tag} is {brief(found)}"

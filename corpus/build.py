"""The bricks that pictures are made of: segments, resources, chunks, boxes, directories."""

import hashlib
import struct
import zlib

# --- JPEG -------------------------------------------------------------------------------------------------------

XMP = b"http://ns.adobe.com/xap/1.0/\0"
EXTENSION = b"http://ns.adobe.com/xmp/extension/\0"
PHOTOSHOP = b"Photoshop 3.0\0"


def segment(marker, payload):
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


def with_segments(jpeg, *segments):
    """A JPEG with more segments after its APP0."""
    at = 2 + 2 + struct.unpack_from(">H", jpeg, 4)[0] if jpeg[3] == 0xE0 else 2
    return jpeg[:at] + b"".join(segments) + jpeg[at:]


def resource(kind, data):
    return b"8BIM" + struct.pack(">HHI", kind, 0, len(data)) + data + b"\0" * (len(data) % 2)


def iptc(*records):
    """Records of the second kind: number and bytes."""
    return b"".join(struct.pack(">BBBH", 0x1C, 2, number, len(data)) + data for number, data in records)


def extended_xmp(main, extension):
    """A packet and its extension, as segments; `{guid}` in the packet becomes the name of the extension."""
    guid = hashlib.md5(extension).hexdigest().upper().encode()
    parts = [segment(0xE1, XMP + main.replace(b"{guid}", guid))]
    for at in range(0, len(extension), 65_400):
        head = EXTENSION + guid + struct.pack(">II", len(extension), at)
        parts.append(segment(0xE1, head + extension[at : at + 65_400]))
    return parts


def mpf(first_length, second_length, second_offset):
    """Multi-picture format: where the second picture is, counted from the byte order mark in this very segment."""
    entries = struct.pack("<IIIHH", 0x030000, first_length, 0, 0, 0)
    entries += struct.pack("<IIIHH", 0, second_length, second_offset, 0, 0)
    head = b"MPF\0II*\0" + struct.pack("<IH", 8, 3)
    head += struct.pack("<HHI4s", 0xB000, 7, 4, b"0100")
    head += struct.pack("<HHII", 0xB001, 4, 1, 2)
    head += struct.pack("<HHII", 0xB002, 7, 32, 8 + 2 + 3 * 12 + 4)
    return head + struct.pack("<I", 0) + entries


def with_second_picture(first, second):
    """Two pictures in one file; the segment that tells of the second comes last before the picture data."""
    at = first.index(b"\xff\xdb")
    length = len(first) + len(segment(0xE2, mpf(0, 0, 0)))
    # Segment header and "MPF\0" come before the byte order mark.
    offset = length - (at + 4 + 4)
    return first[:at] + segment(0xE2, mpf(length, len(second), offset)) + first[at:] + second


# --- PNG --------------------------------------------------------------------------------------------------------


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunks(png, *chunks, before):
    at = png.index(before) - 4
    return png[:at] + b"".join(chunks) + png[at:]


def raw_profile(name, data):
    """ImageMagick's way to put a block into a text chunk."""
    digits = data.hex()
    lines = "\n".join(digits[at : at + 72] for at in range(0, len(digits), 72))
    text = f"\n{name}\n{len(data):8}\n{lines}\n"
    return chunk(b"zTXt", f"Raw profile type {name}".encode() + b"\0\0" + zlib.compress(text.encode()))


# --- HEIC -------------------------------------------------------------------------------------------------------


def box(kind, data):
    return struct.pack(">I", len(data) + 8) + kind + data


def boxes(data, at=0):
    """The boxes in these bytes: kind, start, end."""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, at, at + length
        at += length


def move_items(meta, by):
    """The `meta` box with every item that lies in the file at another place."""
    start, end = next((start, end) for kind, start, end in boxes(meta, 12) if kind == b"iloc")
    version, sizes, more = meta[start + 8], meta[start + 12], meta[start + 13]
    if version > 1 or sizes != 0x44 or more >> 4 not in (0, 4):
        raise ValueError("a list of items that this does not know")
    meta, at = bytearray(meta), start + 16

    def move(at):
        struct.pack_into(">I", meta, at, struct.unpack_from(">I", meta, at)[0] + by)

    while at < end:
        # Number, construction, data reference; then a base, and extents counted from it.
        in_file = version == 0 or meta[at + 3] & 15 == 0
        at += 4 + 2 * version
        has_base = more >> 4 == 4 and meta[at : at + 4] != b"\0\0\0\0"
        if in_file and has_base:
            move(at)
        at += more >> 4
        (extents,) = struct.unpack_from(">H", meta, at)
        for extent in range(extents):
            if in_file and not has_base:
                move(at + 2 + 8 * extent)
        at += 2 + 8 * extents
    return bytes(meta)


def as_samsung(heic):
    """The picture data first, then the list of items, free space, and a trailer that is found from the end."""
    parts = {kind: (start, heic[start:end]) for kind, start, end in boxes(heic)}
    head, meta, (data_at, data) = parts[b"ftyp"][1], parts[b"meta"][1], parts[b"mdat"]
    name = b"Image_UTC_Data"
    block = struct.pack("<HHI", 0, 0x0A01, len(name)) + name + b"1600000000000"
    index = b"SEFH" + struct.pack("<IIHHII", 107, 1, 0, 0x0A01, len(block), len(block))
    trailer = block + index + struct.pack("<I", len(index)) + b"SEFT"
    moved = move_items(meta, len(head) - data_at)
    return head + data + moved + box(b"free", b"\0" * 64) + box(b"sefd", trailer)


# --- TIFF -------------------------------------------------------------------------------------------------------

SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1}


def directory(order, at, entries, following=0):
    """A directory at this place, its values after it. Entries: tag, type, list of numbers or bytes."""
    head = struct.pack(order + "H", len(entries))
    values_at = at + 2 + 12 * len(entries) + 4
    body, values = b"", b""
    for tag, kind, value in sorted(entries):
        if isinstance(value, list):
            value = struct.pack(order + {1: "B", 3: "H", 4: "I", 5: "I"}[kind] * len(value), *value)
        count = len(value) // SIZES[kind]
        field = value.ljust(4, b"\0")
        if len(value) > 4:
            field = struct.pack(order + "I", values_at + len(values))
            values += value + b"\0" * (len(value) % 2)
        body += struct.pack(order + "HHI", tag, kind, count) + field
    return head + body + struct.pack(order + "I", following) + values


def tiff(order, *directories):
    """A chain of directories. A dictionary in place of a value is a directory of its own."""
    mark = {"<": b"II*\0", ">": b"MM\0*"}[order]
    data = mark + struct.pack(order + "I", 8)
    for number, entries in enumerate(directories):
        at, last = len(data), number + 1 == len(directories)
        plain = [(tag, kind, value) for tag, kind, value in entries if not isinstance(value, dict)]
        inner = [(tag, value["entries"]) for tag, _, value in entries if isinstance(value, dict)]
        length = len(directory(order, at, plain + [(tag, 4, [0]) for tag, _ in inner]))
        places, blocks = [], b""
        for tag, block in inner:
            places.append((tag, 4, [at + length + len(blocks)]))
            blocks += directory(order, at + length + len(blocks), block)
        following = 0 if last else at + length + len(blocks)
        data += directory(order, at, plain + places, following) + blocks
    return data


def exif(order, description=None, thumbnail=b""):
    """What a camera writes: a directory, one of exposure with a maker note, and a thumbnail."""
    camera = [
        (0x010F, 2, b"Deskmate\0"),
        (0x0110, 2, b"Camera One\0"),
        (0x0112, 3, [1]),
        (0x011A, 5, [72, 1]),
        (0x8769, 4, {"entries": [
            (0x829A, 5, [1, 125]),
            (0x8827, 3, [200]),
            (0x9003, 2, b"2024:05:06 07:08:09\0"),
            (0x927C, 7, b"MAKER\0" + bytes(range(200))),
            (0x9286, 7, b"ASCII\0\0\0a comment of the camera"),
        ]}),
        (0x8825, 4, {"entries": [(0x0000, 1, [2, 3, 0, 0]), (0x0001, 2, b"N\0"), (0x0002, 5, [48, 1, 51, 1, 30, 1])]}),
    ]
    if description is not None:
        camera.append((0x010E, 2, description + b"\0"))
    if not thumbnail:
        return tiff(order, camera)
    small = [(0x0103, 3, [6]), (0x0201, 4, [0]), (0x0202, 4, [len(thumbnail)])]
    small[1] = (0x0201, 4, [len(tiff(order, camera, small))])
    return tiff(order, camera, small) + thumbnail

"""Makes the pictures that no package has: every layout that was ever a trouble, as small as it can be."""

import io
import pathlib
import shutil
import sys

import pillow_heif
from PIL import Image, PngImagePlugin

from build import (
    PHOTOSHOP, XMP, as_samsung, box, chunk, exif, extended_xmp, iptc, raw_profile, resource, segment, tiff, with_chunks,
    with_second_picture, with_segments,
)

pillow_heif.register_heif_opener()


def picture(mode="RGB", size=(64, 48), turn=0):
    """Colours that differ from place to place, so that a shift shows."""
    width, height = size
    image = Image.new("RGB", size)
    image.putdata([((x * 4 + turn) % 256, (y * 5) % 256, (x * y) % 256) for y in range(height) for x in range(width)])
    image = image.convert(mode)
    if mode == "RGBA":
        image.putalpha(image.getchannel("R"))
    return image


def saved(kind, image=None, **options):
    file = io.BytesIO()
    (image or picture()).save(file, kind, **options)
    return file.getvalue()


def packet(inside, attributes=""):
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"'
        f' xmlns:lr="http://ns.adobe.com/lightroom/1.0/"{attributes}>{inside}</rdf:Description></rdf:RDF></x:xmpmeta>'
        '<?xpacket end="w"?>'
    ).encode()


OTHER = packet(
    "<xmp:Rating>4</xmp:Rating><dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>"
    '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">old</rdf:li></rdf:Alt></dc:description>'
    "<lr:hierarchicalSubject><rdf:Bag><rdf:li>places|Paris</rdf:li></rdf:Bag></lr:hierarchicalSubject>"
)
LATIN = iptc((0, b"\0\2"), (5, "Älter".encode("latin-1")), (25, "Grüße".encode("latin-1")), (80, "José".encode("latin-1")))
FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\1\0mdat" + b"\x5a" * 248


def jpeg():
    plain = saved("JPEG")
    small = saved("JPEG", picture(size=(16, 12)))
    yield "plain", plain
    yield "progressive", saved("JPEG", progressive=True)
    yield "cmyk", saved("JPEG", picture("CMYK"))
    yield "grey", saved("JPEG", picture("L"))
    for name, order in [("little-endian", "<"), ("big-endian", ">")]:
        block = exif(order, description=b"old", thumbnail=small)
        yield f"exif-{name}", with_segments(plain, segment(0xE1, b"Exif\0\0" + block))
        block = exif(order)
        yield f"exif-{name}-no-description", with_segments(plain, segment(0xE1, b"Exif\0\0" + block))
    full = exif("<").ljust(65_500, b"\0")
    yield "exif-full", with_segments(plain, segment(0xE1, b"Exif\0\0" + full))
    yield "iptc-latin-1", with_segments(plain, segment(0xED, PHOTOSHOP + resource(0x0404, LATIN)))
    stale = resource(0x0404, LATIN) + resource(0x0425, b"\1" * 16) + resource(0x03ED, b"\0\x48\0\0\0\1\0\1" * 2)
    yield "iptc-stale-digest", with_segments(plain, segment(0xED, PHOTOSHOP + stale))
    yield "xmp", with_segments(plain, segment(0xE1, XMP + OTHER))
    # Room for our values, and hardly more.
    large = packet(f"<xmp:Nickname>{'n' * 60_000}</xmp:Nickname>")
    yield "xmp-60-kb", with_segments(plain, segment(0xE1, XMP + large))
    main = packet("<xmp:Rating>3</xmp:Rating>", ' xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="{guid}"')
    extension = packet(f"<xmp:Nickname>{'e' * 100_000}</xmp:Nickname>")
    yield "xmp-extended", with_segments(plain, *extended_xmp(main, extension))
    yield "trailer", plain + b"a trailer of some camera\0" * 40
    container = packet(
        '<Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg"'
        ' Item:Semantic="Primary"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4"'
        f' Item:Semantic="MotionPhoto" Item:Length="{len(FILM)}"/></rdf:li></rdf:Seq></Container:Directory>',
        ' xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1"'
        ' xmlns:Container="http://ns.google.com/photos/1.0/container/"'
        ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"',
    )
    yield "motion-photo", with_segments(plain, segment(0xE1, XMP + container)) + FILM
    kind = b"c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71"
    jumbf = box(b"jumb", box(b"jumd", kind + b"\3c2pa\0") + box(b"cbor", b"\xa1\x61a\1"))
    yield "c2pa", with_segments(plain, segment(0xEB, b"JP\0\1\0\0\0\1" + jumbf))
    second = saved("JPEG", picture(turn=99))
    yield "two-pictures", with_second_picture(with_segments(plain, segment(0xE1, b"Exif\0\0" + exif(">"))), second)
    yield "really-a-png", saved("PNG")


def png():
    plain = saved("PNG")
    yield "plain", plain
    yield "palette", saved("PNG", picture("P"))
    yield "transparent", saved("PNG", picture("RGBA"))
    words = PngImagePlugin.PngInfo()
    words.add_text("Description", "old")
    words.add_text("Software", "Deskmate")
    yield "text", saved("PNG", pnginfo=words)
    yield "exif", with_chunks(plain, chunk(b"eXIf", exif(">", description=b"old")), before=b"IDAT")
    yield "exif-after-data", with_chunks(plain, chunk(b"eXIf", exif("<", description=b"old")), before=b"IEND")
    profiles = [raw_profile("exif", b"Exif\0\0" + exif("<")), raw_profile("iptc", resource(0x0404, LATIN)), raw_profile("xmp", OTHER)]
    yield "raw-profiles", with_chunks(plain, *profiles, before=b"IDAT")
    words = PngImagePlugin.PngInfo()
    words.add_itxt("XML:com.adobe.xmp", OTHER.decode(), zip=True)
    yield "xmp-compressed", saved("PNG", pnginfo=words)
    yield "animated", saved("PNG", save_all=True, append_images=[picture(turn=50), picture(turn=100)], duration=100)
    yield "really-a-jpeg", saved("JPEG")


def heic():
    plain = saved("HEIF", quality=80)
    yield "plain", plain
    yield "exif", saved("HEIF", exif=exif("<", description=b"old"))
    yield "exif-xmp", saved("HEIF", exif=exif(">"), xmp=OTHER)
    yield "transparent", saved("HEIF", picture("RGBA"))
    yield "several", saved("HEIF", save_all=True, append_images=[picture(turn=50)])
    yield "samsung", as_samsung(plain)
    yield "samsung-exif-xmp", as_samsung(saved("HEIF", exif=exif("<"), xmp=OTHER))


def avif():
    yield "plain", saved("AVIF")
    yield "exif-xmp", saved("AVIF", exif=exif("<"), xmp=OTHER)
    yield "animated", saved("AVIF", save_all=True, append_images=[picture(turn=50)])


def webp():
    yield "lossy", saved("WEBP")
    yield "lossless", saved("WEBP", lossless=True)
    yield "transparent", saved("WEBP", picture("RGBA"))
    yield "exif-xmp", saved("WEBP", exif=exif("<", description=b"old"), xmp=OTHER)
    yield "animated", saved("WEBP", save_all=True, append_images=[picture(turn=50)], duration=100)


def gif():
    yield "plain", saved("GIF")
    yield "animated", saved("GIF", save_all=True, append_images=[picture(turn=50), picture(turn=100)], duration=100, loop=0)
    yield "comment", saved("GIF", comment=b"made by hand")
    yield "xmp", with_gif_xmp(saved("GIF"), OTHER)
    yield "old", b"GIF87a" + saved("GIF")[6:]


def with_gif_xmp(file, content):
    """Before the trailer, as exiftool finds it too."""
    trailer = b"\1" + bytes(range(255, -1, -1)) + b"\0"
    return file[:-1] + b"\x21\xff\x0bXMP DataXMP" + content + trailer + file[-1:]


def tif():
    yield "little-endian", saved("TIFF")
    pixels = picture("L").tobytes()
    entries = [
        (0x0100, 3, [64]), (0x0101, 3, [48]), (0x0102, 3, [8]), (0x0103, 3, [1]), (0x0106, 3, [1]),
        (0x010E, 2, b"old\0"), (0x0115, 3, [1]), (0x0116, 3, [48]), (0x0117, 4, [len(pixels)]),
    ]
    place = len(tiff(">", [*entries, (0x0111, 4, [0])]))
    yield "big-endian", tiff(">", [*entries, (0x0111, 4, [place])]) + pixels
    yield "pages", saved("TIFF", save_all=True, append_images=[picture(turn=50)], compression="tiff_lzw")
    yield "xmp", saved("TIFF", tiffinfo={700: OTHER})
    yield "big", saved("TIFF", big_tiff=True)


def dng():
    # A camera's raw file is a TIFF with tags of its own.
    yield "plain", saved("TIFF", tiffinfo={50706: bytes([1, 4, 0, 0]), 50708: "Deskmate Camera One", 0x010F: "Deskmate"})


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for kind in [jpeg, png, heic, avif, webp, gif, tif, dng]:
        ending = {"jpeg": "jpg"}.get(kind.__name__, kind.__name__)
        for name, content in kind():
            (folder / f"{name}.{ending}").write_bytes(content)


main()

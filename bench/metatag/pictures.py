"""Makes the pictures that are measured: three of 3 MB, and a small one for the batch, in the folder it is given."""

import io
import os
import pathlib
import sys

import pillow_heif
from PIL import Image

pillow_heif.register_heif_opener()
SIZE = 3_000_000


def noise(pixels):
    """Noise does not compress, so the number of pixels decides the size of the file."""
    side = max(16, int(pixels**0.5) // 16 * 16)
    return Image.frombytes("RGB", (side, side), os.urandom(side * side * 3))


def made(kind, size, **options):
    """A picture whose file is about as large as wanted."""
    pixels = size // 3
    for _ in range(4):
        file = io.BytesIO()
        noise(pixels).save(file, kind, **options)
        length = len(file.getvalue())
        if abs(length - size) < size // 20:
            break
        pixels = pixels * size // length
    return file.getvalue()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x010E] = "Deskmate", "Camera One", "old"
    for name, kind, size, options in [
        ("3mb.jpg", "JPEG", SIZE, {"quality": 92}),
        ("3mb.png", "PNG", SIZE, {"compress_level": 1}),
        ("3mb.heic", "HEIF", SIZE, {"quality": 60}),
        ("small.jpg", "JPEG", 300_000, {"quality": 92}),
    ]:
        if not (folder / name).exists():
            content = made(kind, size, exif=exif.tobytes(), **options)
            (folder / name).write_bytes(content)
            print(f"{name}: {len(content)} bytes", file=sys.stderr)


main()

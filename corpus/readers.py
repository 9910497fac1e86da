"""What programs that are not ours read in a picture."""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess

import pillow_heif
from PIL import Image

pillow_heif.register_heif_opener()

# The key that stands for all of XMP where exiv2 gives the packet up.
NO_XMP = "XMP"


def exiftool(folder):
    """By path, each tag as `Group:Name`, with its bytes even where they are no text. Tags made up from others, and
    what the file system says, are left out."""
    command = ["exiftool", "-json", "-G1:4", "-a", "-U", "-b", "-struct", "-charset", "iptc=Latin", "-r", "--ext", "none"]
    command += ["--Composite:all", "--System:all", "--ExifToolVersion", folder]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return {tags.pop("SourceFile"): tags for tags in json.loads(output)}


def exiv2(paths):
    """By path, the values of each key; none where exiv2 cannot read the file."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(map(str, paths), pool.map(exiv2_one, paths)))


def exiv2_one(path):
    done = subprocess.run(["exiv2", "-PEIXkyv", "print", path], capture_output=True)
    if b"Exiv2 exception" in done.stderr or done.returncode < 0:
        return None
    values, key = {}, None
    if b"Failed to decode XMP" in done.stderr:
        values[NO_XMP] = ["exiv2 cannot read it"]
    for line in done.stdout.split(b"\n"):
        # IPTC comes out as it is in the file.
        try:
            line = line.decode()
        except UnicodeDecodeError:
            line = line.decode("cp1252", errors="replace")
        found = re.match(r"((?:Exif|Iptc|Xmp)\.\S+)\s+\S+\s*(.*)", line)
        if found:
            key = found[1]
            values.setdefault(key, []).append(found[2])
        elif key and line:
            values[key][-1] += "\n" + line
    return values


def pixels(paths):
    """By path, size and digest of every frame, or the name of what went wrong."""
    with concurrent.futures.ProcessPoolExecutor() as pool:
        return dict(zip(map(str, paths), pool.map(pixels_one, map(str, paths), chunksize=8)))


def pixels_one(path):
    try:
        with Image.open(path) as image:
            frames = []
            for number in range(getattr(image, "n_frames", 1)):
                image.seek(number)
                frames.append((image.mode, image.size, hashlib.md5(image.tobytes()).hexdigest()))
            return frames
    except Exception as error:  # a decoder may raise whatever it likes
        return type(error).__name__

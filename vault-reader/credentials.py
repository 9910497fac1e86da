"""Keyfiles, passphrases, recovery codes and tokens: docs/vault-format.md, section 3."""

import base64
import hashlib

from primitives import Pair, Refused, extract

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def _regroup(groups: list[int], source: int, target: int) -> bytes:
    bits, count, out = 0, 0, []
    for group in groups:
        bits, count = (bits << source) | group, count + source
        while count >= target:
            count -= target
            out.append((bits >> count) & ((1 << target) - 1))
    return bytes(out)


def _polymod(values: list[int]) -> int:
    check = 1
    for value in values:
        top, check = check >> 25, ((check & 0x1FFFFFF) << 5) ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if (top >> bit) & 1 else 0
    return check


def keyfile(text: str) -> Pair:
    for line in text.splitlines():
        line = line.strip().lower()
        if not line.startswith("age-secret-key-1"):
            continue
        prefix, _, body = line.rpartition("1")
        groups = [BECH32.index(letter) for letter in body]
        expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
        if _polymod(expanded + groups) != 1:
            raise Refused("the checksum of the keyfile is wrong")
        return Pair(_regroup(groups[:-6], 5, 8))
    raise Refused("the keyfile has no identity")


def recovery_code(text: str) -> Pair:
    letters = text.upper().replace("-", "").replace(" ", "").strip()
    letters = letters.replace("O", "0").replace("I", "1").replace("L", "1")
    data = _regroup([CROCKFORD.index(letter) for letter in letters], 5, 8)
    code, checksum = data[:20], data[20:]
    if hashlib.sha256(b"authy recovery" + code).digest()[:5] != checksum:
        raise Refused("the checksum of the recovery code is wrong")
    return Pair(extract(b"", code, "authy recovery code"))


def token(text: str) -> tuple[bytes, Pair]:
    prefix = "authy_v2."
    if not text.startswith(prefix):
        raise Refused("not a token")
    data = base64.urlsafe_b64decode(text[len(prefix) :] + "==")
    content, checksum = data[:-4], data[-4:]
    if hashlib.sha256(prefix.encode() + content).digest()[:4] != checksum or len(content) != 40:
        raise Refused("the checksum of the token is wrong")
    return content[:8], Pair(extract(content[:8], content[8:], "authy token"))

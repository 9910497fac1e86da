"""Test vectors of docs/vault-format.md, in docs/vault-format.json: `vectors.py` checks them, `vectors.py --make` writes them.

The same file is read by a test of the crate `authy`, so both programs agree on it or one of them is wrong.
"""

import json
import sys
from pathlib import Path

import credentials
from primitives import (
    Pair,
    digest,
    extract,
    identity_of,
    mac,
    number,
    place,
    seal,
    seal_to,
    sign,
    stretch,
    unseal,
    verify,
)

FILE = Path(__file__).resolve().parent.parent / "docs" / "vault-format.json"


def fill(byte: int, length: int) -> bytes:
    return bytes((byte + at) % 256 for at in range(length))


def texts(*parts: bytes) -> list[str]:
    return [part.hex() for part in parts]


def where(vault: bytes, table: str, row: bytes, version: int) -> dict:
    return {"vault": vault.hex(), "table": table, "row": row.hex(), "version": version}


def make() -> dict:
    key, nonce, vault = fill(1, 32), fill(64, 24), fill(200, 16)
    secret, once, seed = fill(33, 32), fill(77, 32), fill(99, 32)
    at = where(vault, "value", fill(9, 32), 3)
    plain = b"hunter2"
    in_place = place(vault, "value", fill(9, 32), 3)
    salt = fill(5, 16)
    head = number(7) + number(2) + identity_of(seed) + fill(2, 32) + number(3) + number(1) + number(1)
    head += fill(3, 32) + number(12) + fill(4, 32) + number(1_700_000_000_000)
    previous = fill(8, 32)
    link = digest("authy link", vault, previous, digest("authy head body", head))
    body = fill(1, 32) + fill(2, 32)
    return {
        "digest": [
            {"purpose": "authy link", "parts": texts(vault, b"", fill(0, 5)), "is": digest("authy link", vault, b"", fill(0, 5)).hex()},
            {"purpose": "authy node", "parts": texts(number(1000), body), "is": digest("authy node", number(1000), body).hex()},
        ],
        "mac": [
            {"key": key.hex(), "purpose": "record", "parts": texts(b"prod/db"), "is": mac(key, "record", b"prod/db").hex()},
            {"key": key.hex(), "purpose": "audit next", "parts": texts(b""), "is": mac(key, "audit next", b"").hex()},
        ],
        "extract": [
            {"salt": "", "secret": secret.hex(), "purpose": "authy authentication", "is": extract(b"", secret, "authy authentication").hex()},
            {"salt": fill(1, 8).hex(), "secret": secret.hex(), "purpose": "authy token", "is": extract(fill(1, 8), secret, "authy token").hex()},
        ],
        "seal": [{"key": key.hex(), "place": at, "plain": plain.hex(), "is": seal(key, nonce, in_place, plain).hex()}],
        "seal_to": [
            {
                "secret": secret.hex(),
                "public": Pair(secret).public.hex(),
                "place": at,
                "plain": plain.hex(),
                "is": seal_to(Pair(secret).public, once, nonce, in_place, plain).hex(),
            }
        ],
        "signature": [
            {
                "seed": seed.hex(),
                "identity": identity_of(seed).hex(),
                "purpose": "authy head",
                "parts": texts(link),
                "is": sign(seed, "authy head", link).hex(),
            }
        ],
        "head": [{"vault": vault.hex(), "previous": previous.hex(), "body": head.hex(), "version": 7, "records": 3, "link": link.hex()}],
        "passphrase": [
            {
                "passphrase": "correct horse battery staple",
                "salt": salt.hex(),
                "memory_kib": 19 * 1024,
                "passes": 2,
                "lanes": 1,
                "public": Pair(stretch("correct horse battery staple", salt, 19 * 1024, 2, 1)).public.hex(),
            }
        ],
    }


def finish(vectors: dict) -> dict:
    """Texts with checksums are made here rather than by hand."""
    import base64
    import hashlib

    secret = bytes(range(32))
    groups = credentials._regroup(list(secret) + [0], 8, 5)[:52]
    prefix = "age-secret-key-"
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = credentials._polymod(expanded + list(groups) + [0] * 6) ^ 1
    groups = list(groups) + [(check >> (5 * (5 - at))) & 31 for at in range(6)]
    text = (prefix + "1" + "".join(credentials.BECH32[group] for group in groups)).upper()
    vectors["keyfile"] = [{"text": text, "public": credentials.keyfile(text).public.hex()}]

    code = fill(17, 20)
    data = code + hashlib.sha256(b"authy recovery" + code).digest()[:5]
    letters = "".join(credentials.CROCKFORD[group] for group in credentials._regroup(list(data), 8, 5))
    text = "-".join(letters[at : at + 5] for at in range(0, 40, 5))
    vectors["recovery"] = [{"code": text, "public": credentials.recovery_code(text).public.hex()}]

    content = fill(3, 8) + fill(120, 32)
    data = content + hashlib.sha256(b"authy_v2." + content).digest()[:4]
    text = "authy_v2." + base64.urlsafe_b64encode(data).decode().rstrip("=")
    grant, pair = credentials.token(text)
    vectors["token"] = [{"text": text, "grant": grant.hex(), "public": pair.public.hex()}]
    return vectors


def check(vectors: dict) -> int:
    data = bytes.fromhex
    count = 0

    def same(found: bytes | bool, expected) -> None:
        nonlocal count
        count += 1
        if (found.hex() if isinstance(found, bytes) else found) != expected:
            raise SystemExit(f"error: vector {count} is {found!r}, not {expected!r}")

    def at(where: dict) -> bytes:
        return place(data(where["vault"]), where["table"], data(where["row"]), where["version"])

    for each in vectors["digest"]:
        same(digest(each["purpose"], *map(data, each["parts"])), each["is"])
    for each in vectors["mac"]:
        same(mac(data(each["key"]), each["purpose"], *map(data, each["parts"])), each["is"])
    for each in vectors["extract"]:
        same(extract(data(each["salt"]), data(each["secret"]), each["purpose"]), each["is"])
    for each in vectors["seal"]:
        same(unseal(data(each["key"]), at(each["place"]), data(each["is"])), each["plain"])
    for each in vectors["seal_to"]:
        pair = Pair(data(each["secret"]))
        same(pair.public, each["public"])
        same(pair.open(at(each["place"]), data(each["is"])), each["plain"])
    for each in vectors["signature"]:
        same(identity_of(data(each["seed"])), each["identity"])
        parts = map(data, each["parts"])
        same(verify(data(each["identity"]), data(each["is"]), each["purpose"], *parts), True)
    for each in vectors["head"]:
        body = digest("authy head body", data(each["body"]))
        same(digest("authy link", data(each["vault"]), data(each["previous"]), body), each["link"])
    for each in vectors["passphrase"]:
        stretched = stretch(
            each["passphrase"], data(each["salt"]), each["memory_kib"], each["passes"], each["lanes"]
        )
        same(Pair(stretched).public, each["public"])
    for each in vectors["keyfile"]:
        same(credentials.keyfile(each["text"]).public, each["public"])
    for each in vectors["recovery"]:
        same(credentials.recovery_code(each["code"]).public, each["public"])
    for each in vectors["token"]:
        grant, pair = credentials.token(each["text"])
        same(grant, each["grant"])
        same(pair.public, each["public"])
    return count


if __name__ == "__main__":
    if sys.argv[1:] == ["--make"]:
        FILE.write_text(json.dumps(finish(make()), indent=2) + "\n")
    print(f"{check(json.loads(FILE.read_text()))} vectors hold")

"""The cryptographic parts of docs/vault-format.md, section 2, on top of the package `cryptography`."""

import hashlib
import hmac
import struct

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class Refused(Exception):
    """The vault is not what it should be, or the credential does not open it."""


def number(value: int) -> bytes:
    return struct.pack(">Q", value & (2**64 - 1))


def joined(purpose: str, parts: list[bytes]) -> bytes:
    return b"".join(number(len(part)) + part for part in [purpose.encode(), *parts])


def digest(purpose: str, *parts: bytes) -> bytes:
    return hashlib.sha256(joined(purpose, list(parts))).digest()


def mac(key: bytes, purpose: str, *parts: bytes) -> bytes:
    return hmac.new(key, joined(purpose, list(parts)), hashlib.sha256).digest()


def extract(salt: bytes, secret: bytes, purpose: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose.encode()).derive(secret)


def place(vault: bytes, table: str, row: bytes, version: int) -> bytes:
    name = table.encode()
    return vault + number(version) + number(len(name)) + name + row


def _hchacha20(key: bytes, nonce: bytes) -> bytes:
    """The key of XChaCha20 for the first 16 bytes of a nonce (draft-irtf-cfrg-xchacha)."""
    state = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key) + struct.unpack("<4I", nonce))

    def rotate(value: int, bits: int) -> int:
        return ((value << bits) | (value >> (32 - bits))) & 0xFFFFFFFF

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            state[z] = rotate(state[z] ^ state[x], bits)

    for _ in range(10):
        for columns in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter(*columns)
        for diagonals in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(*diagonals)
    return struct.pack("<8I", *state[:4], *state[12:])


def seal(key: bytes, nonce: bytes, where: bytes, plain: bytes) -> bytes:
    cipher = ChaCha20Poly1305(_hchacha20(key, nonce[:16]))
    return nonce + cipher.encrypt(bytes(4) + nonce[16:], plain, where)


def unseal(key: bytes, where: bytes, sealed: bytes) -> bytes:
    if len(sealed) < 40:
        raise Refused("too short to be encrypted")
    nonce, rest = sealed[:24], sealed[24:]
    try:
        return ChaCha20Poly1305(_hchacha20(key, nonce[:16])).decrypt(bytes(4) + nonce[16:], rest, where)
    except InvalidTag:
        raise Refused("does not decrypt") from None


def raw_public(private) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


class Pair:
    """An X25519 pair: what a credential comes to."""

    def __init__(self, secret: bytes):
        self.secret = secret
        self._key = X25519PrivateKey.from_private_bytes(secret)
        self.public = raw_public(self._key)
        self.authentication = extract(b"", secret, "authy authentication")

    def open(self, where: bytes, sealed: bytes) -> bytes:
        once, body = sealed[:32], sealed[32:]
        shared = self._key.exchange(X25519PublicKey.from_public_bytes(once))
        return unseal(extract(once + self.public, shared, "authy seal"), where, body)


def seal_to(public: bytes, once: bytes, nonce: bytes, where: bytes, plain: bytes) -> bytes:
    """Seals with a given one-time secret and nonce, which a real writer draws at random."""
    key = X25519PrivateKey.from_private_bytes(once)
    shared = key.exchange(X25519PublicKey.from_public_bytes(public))
    own = raw_public(key)
    return own + seal(extract(own + public, shared, "authy seal"), nonce, where, plain)


def sign(seed: bytes, purpose: str, *parts: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).sign(digest(purpose, *parts))


def identity_of(seed: bytes) -> bytes:
    return raw_public(Ed25519PrivateKey.from_private_bytes(seed))


def verify(public: bytes, signature: bytes, purpose: str, *parts: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, digest(purpose, *parts))
        return True
    except (InvalidSignature, ValueError):
        return False


def stretch(passphrase: str, salt: bytes, memory_kib: int, passes: int, lanes: int) -> bytes:
    kdf = Argon2id(salt=salt, length=32, iterations=passes, lanes=lanes, memory_cost=memory_kib)
    return kdf.derive(passphrase.encode())


class Fields:
    """Fields one after another."""

    def __init__(self, data: bytes):
        self.data = data

    def fixed(self, length: int) -> bytes:
        if length > len(self.data):
            raise Refused("a field is missing")
        field, self.data = self.data[:length], self.data[length:]
        return field

    def number(self) -> int:
        return struct.unpack(">Q", self.fixed(8))[0]

    def text(self) -> bytes:
        return self.fixed(self.number())

    def end(self) -> None:
        if self.data:
            raise Refused("there is more than there should be")

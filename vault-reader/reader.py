"""Reads a vault of authy, written from docs/vault-format.md alone. It never writes.

    reader.py VAULT.DB --anchor FILE (--keyfile FILE | --passphrase TEXT | --recovery CODE | --token TOKEN)

prints everything the credential opens, as JSON; or says why the vault is not to be believed, and ends with 1.
"""

import argparse
import json
import sqlite3
import sys
from pathlib import Path

import credentials
from primitives import Fields, Pair, Refused, digest, identity_of, mac, number, place, stretch, unseal, verify

FORMAT = 2
APPLICATION = 0x61757468


class Head:
    def __init__(self, body: bytes):
        fields = Fields(body)
        self.version, self.epoch = fields.number(), fields.number()
        self.identity, self.tree = fields.fixed(32), fields.fixed(32)
        self.records, self.grants, self.policies = fields.number(), fields.number(), fields.number()
        self.bundle = fields.fixed(32)
        self.entry, self.entry_code = fields.number(), fields.fixed(32)
        self.time = fields.number()
        fields.end()


class Vault:
    """A vault whose head is signed and continues what the anchor says."""

    def __init__(self, file: Path, anchor: Path):
        self.rows = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        if self.one("PRAGMA application_id")[0] != APPLICATION or self.one("PRAGMA user_version")[0] != FORMAT:
            raise Refused("not a vault of this format")
        self.id, body, previous, signature, self.root = self.one(
            "SELECT vault_id, head, previous, signature, root FROM vault"
        )
        self.head = Head(body)
        self.link = self._link(previous, digest("authy head body", body))
        if not verify(self.head.identity, signature, "authy head", self.link):
            raise Refused("the head is not signed")
        self._compare(anchor)

    def one(self, sql: str, *values):
        row = self.rows.execute(sql, values).fetchone()
        if row is None:
            raise Refused("a row is missing")
        return row

    def all(self, sql: str, *values):
        return self.rows.execute(sql, values).fetchall()

    def place(self, table: str, row: bytes, version: int) -> bytes:
        return place(self.id, table, row, version)

    def _link(self, previous: bytes, body: bytes) -> bytes:
        return digest("authy link", self.id, previous, body)

    def _compare(self, file: Path) -> None:
        """Section 5: the file is the one that the anchor knows, or a descendant."""
        data = file.read_bytes()
        content, total = data[:-32], data[-32:]
        if digest("authy anchor file", content) != total:
            raise Refused("the anchor was changed")
        fields = Fields(content)
        if fields.fixed(16) != b"authy anchor 1\r\n":
            raise Refused("not an anchor")
        vault, identity, version, reached = fields.fixed(16), fields.fixed(32), fields.number(), fields.fixed(32)
        if not verify(identity, fields.fixed(64), "authy anchor", vault, number(version), reached):
            raise Refused("the anchor is not signed")
        self.places = {}
        for _ in range(fields.number()):
            writer = fields.text()
            self.places[writer] = (fields.number(), fields.fixed(32))
        fields.end()
        if vault != self.id:
            raise Refused("the anchor is of another vault")
        at = identity
        for old, new, certificate in self.all("SELECT old, new, certificate FROM succession ORDER BY number"):
            if old == at and verify(old, certificate, "authy successor", self.id, old, new):
                at = new
        if at != self.head.identity:
            raise Refused("the identity is not the one the anchor knows, nor its successor")
        if self.head.version < version:
            raise Refused("the vault was put back to an older state")
        between = "SELECT digest FROM lineage WHERE version > ? AND version <= ? ORDER BY version"
        for (body,) in self.all(between, version, self.head.version):
            reached = self._link(reached, body)
        if reached != self.link:
            raise Refused("the vault does not continue what the anchor has seen")

    # Section 6: the tree.

    def _node(self, at: int, expected: bytes) -> bytes:
        row = self.rows.execute("SELECT body FROM node WHERE number = ?", (at,)).fetchone()
        body = row[0] if row else b""
        found = bytes(32) if not body and at != 0 else digest("authy node", number(at), body)
        if found != expected:
            raise Refused("a node of the tree was changed")
        return body

    def leaf(self, key: bytes) -> bytes | None:
        """What the owner has signed about a row, or that there is none."""
        bucket = int.from_bytes(key[:2], "big") >> 4
        group, within = divmod(bucket, 64)
        child = lambda body, index: body[32 * index : 32 * index + 32] or bytes(32)
        top = self._node(0, self.head.tree)
        middle = self._node(1 + group, child(top, group))
        body = self._node(1000 + bucket, child(middle, within))
        leaves = {body[at : at + 32]: body[at + 32 : at + 64] for at in range(0, len(body), 64)}
        return leaves.get(key)

    def check(self, key: bytes, found: bytes | None, what: str) -> None:
        if self.leaf(key) != found:
            raise Refused(f"{what} was changed, taken away or put back")

    # Section 7: records.

    RECORD = "SELECT id, lookup, version, revision, key, meta, value, value_digest, old FROM record"

    def checked(self, row) -> None:
        record, lookup, version, revision, key, meta, _, value_digest, old = row
        parts = (number(record), lookup, version.to_bytes(4, "big"), number(revision), key, meta, value_digest, old)
        self.check(digest("authy record leaf", lookup), digest("authy record", *parts), "a record")

    def opened(self, row, key: bytes) -> dict:
        record, lookup, version, revision, _, meta, value, value_digest, old = row
        about = unseal(key, self.place("record", lookup + version.to_bytes(4, "big"), revision), meta)
        entry = json.loads(about)
        if digest("authy value", value) != value_digest:
            raise Refused("a value was changed")
        entry["version"], entry["value"] = version, self.value(key, lookup, version, value)
        entry["old"] = {}
        for at in range(0, len(old), 36):
            earlier, expected = int.from_bytes(old[at : at + 4], "big"), old[at + 4 : at + 36]
            (sealed,) = self.one("SELECT value FROM history WHERE record = ? AND version = ?", record, earlier)
            if digest("authy value", sealed) != expected:
                raise Refused("an old version was changed")
            entry["old"][str(earlier)] = self.value(key, lookup, earlier, sealed)
        return entry

    def value(self, key: bytes, lookup: bytes, version: int, sealed: bytes) -> str:
        plain = unseal(key, self.place("value", lookup, version), sealed)
        length = int.from_bytes(plain[8:12], "big")
        return plain[12 : 12 + length].decode()

    # Section 4: what credentials open.

    def owner(self, kinds: tuple[str, ...], pair_of) -> "Owner":
        rows = self.all("SELECT id, kind, stretching, public, sealed, created, code FROM slot ORDER BY id")
        for slot, kind, stretching, public, sealed, created, code in rows:
            if kind not in kinds:
                continue
            pair = pair_of(stretching)
            if pair.public != public:
                continue
            identity, at = self.head.identity, number(slot)
            parts = (self.id, identity, at, kind.encode(), stretching or b"", public, number(created), sealed)
            if mac(pair.authentication, "slot", *parts) != code:
                raise Refused("the vault does not prove that this credential was made for it")
            vault_key = pair.open(self.place("slot", at, 0), sealed)
            return Owner(self, vault_key, slot)
        raise Refused("the credential opens no slot")

    def holder(self, grant: bytes, pair: Pair) -> "Holder":
        return Holder(self, grant, pair)


GRANT = (
    "SELECT id, revision, public, key_for_holder, key_for_owner, bundle, code, revoked, shares, folded, entries"
    " FROM holder"
)


def grant_digest(row) -> bytes:
    grant, revision, public, for_holder, for_owner, bundle, code, revoked, shares, folded, entries = row
    counts = (number(shares), number(folded), number(entries))
    parts = (grant, number(revision), public, for_holder, for_owner, bundle, code, bytes([revoked]), *counts)
    return digest("authy grant", *parts)


class Owner:
    def __init__(self, vault: Vault, vault_key: bytes, slot: int):
        self.vault, self.vault_key = vault, vault_key
        if digest("authy root bundle", vault.root) != vault.head.bundle:
            raise Refused("the root keys are not those the head names")
        fields = Fields(unseal(vault_key, vault.place("root", b"", vault.head.epoch), vault.root))
        self.names, self.policies = fields.fixed(32), fields.fixed(32)
        self.pair, self.identity = Pair(fields.fixed(32)), fields.fixed(32)
        fields.number()
        self.logs = []
        for _ in range(fields.number()):
            first, previous = fields.number(), fields.fixed(32)
            words, seed, mended = fields.fixed(32), fields.fixed(32), fields.number()
            self.logs.append((first, previous, words, seed, mended))
        known = []
        for _ in range(fields.number()):
            known.append(fields.number())
            fields.text(), fields.number(), fields.text(), fields.fixed(32), fields.number(), fields.fixed(32)
        fields.end()
        if identity_of(self.identity) != vault.head.identity:
            raise Refused("the root keys are of another identity")
        if slot not in known:
            raise Refused("the owner does not know this slot")

    def get(self, name: str) -> dict | None:
        """One secret by its name; that there is none is proven."""
        vault = self.vault
        lookup = mac(self.names, "record", name.encode())
        row = vault.rows.execute(f"{vault.RECORD} WHERE lookup = ?", (lookup,)).fetchone()
        if row is None:
            vault.check(digest("authy record leaf", lookup), None, "a record")
            return None
        vault.checked(row)
        return vault.opened(row, self.key_of(row))

    def key_of(self, row) -> bytes:
        return unseal(self.vault_key, self.vault.place("record key", row[1], 0), row[4])

    def everything(self) -> dict:
        vault = self.vault
        secrets, trash = {}, []
        rows = vault.all(f"{vault.RECORD} ORDER BY id")
        if len(rows) != vault.head.records:
            raise Refused("records are missing or were added")
        for row in rows:
            vault.checked(row)
            entry = vault.opened(row, self.key_of(row))
            if "removed" in entry:
                expected = mac(self.names, "trash", number(row[0]))
                trash.append(entry)
            else:
                expected = mac(self.names, "record", entry["name"].encode())
                secrets[entry["name"]] = entry
            if expected != row[1]:
                raise Refused("a record is not where it belongs")
        return {"secrets": secrets, "trash": trash, "policies": self.read_policies(), "log": self.read_log()}

    def read_policies(self) -> list[dict]:
        vault, policies = self.vault, []
        for lookup, revision, body in vault.all("SELECT lookup, revision, body FROM policy"):
            found = digest("authy policy", lookup, number(revision), body)
            vault.check(digest("authy policy leaf", lookup), found, "a policy")
            policies.append(json.loads(unseal(self.policies, vault.place("policy", lookup, revision), body)))
        if len(policies) != vault.head.policies:
            raise Refused("policies are missing or were added")
        return policies

    def read_log(self) -> list[dict]:
        """Section 9: follows every writer's ratchet."""
        vault, entries, keys = self.vault, [], {}
        last, code = 0, bytes(32)
        for seq, writer, entry, found in vault.all("SELECT seq, writer, entry, mac FROM audit ORDER BY seq"):
            if seq != last + 1:
                raise Refused(f"entry {last + 1} of the log is missing")
            first, previous, words, seed, _ = next(log for log in reversed(self.logs) if log[0] <= seq)
            if seq == first:
                keys = {}
                if previous != code:
                    raise Refused("a part of the log does not follow the one before")
            key = keys.get(writer) or mac(seed, "audit chain", writer)
            if mac(key, "audit entry", number(seq), code, writer, entry) != found:
                raise Refused(f"entry {seq} of the log was changed")
            if seq == vault.head.entry and found != vault.head.entry_code:
                raise Refused(f"entry {seq} of the log is not the one the head names")
            keys[writer] = mac(key, "audit next", b"")
            where = vault.place("audit", writer, seq)
            said = json.loads(unseal(mac(words, "audit words", writer), where, entry))
            entries.append({"seq": seq, "writer": writer.hex(), **said})
            last, code = seq, found
        if last < vault.head.entry:
            raise Refused("the end of the log was cut off")
        return entries


class Holder:
    def __init__(self, vault: Vault, grant: bytes, pair: Pair):
        self.vault, self.grant = vault, grant
        row = vault.rows.execute(f"{GRANT} WHERE id = ?", (grant,)).fetchone()
        if row is None:
            raise Refused("the grant was revoked")
        _, revision, public, for_holder, _, bundle, code, revoked, self.shares, _, _ = row
        if public != pair.public:
            raise Refused("the token does not open this grant")
        if mac(pair.authentication, "grant", vault.id, vault.head.identity, grant, public) != code:
            raise Refused("the vault does not prove that this token was made for it")
        vault.check(digest("authy grant leaf", grant), grant_digest(row), "the grant")
        if revoked:
            raise Refused("the grant was revoked")
        self.key = pair.open(vault.place("grant key", grant, 0), for_holder)
        fields = Fields(unseal(self.key, vault.place("grant bundle", grant, revision), bundle))
        self.words, self.owner = fields.fixed(32), fields.fixed(32)
        self.terms = json.loads(fields.data)

    def everything(self) -> dict:
        vault, secrets = self.vault, {}
        shares = vault.all("SELECT lookup, record, key FROM share WHERE holder = ?", self.grant)
        if len(shares) != self.shares:
            raise Refused("records of this grant are missing")
        for lookup, record, wrapped in shares:
            found = digest("authy share", lookup, number(record), wrapped)
            vault.check(digest("authy share leaf", self.grant, lookup), found, "a share")
            if not wrapped:
                continue
            key = unseal(self.key, vault.place("share", lookup, 0), wrapped)
            row = vault.one(f"{vault.RECORD} WHERE id = ?", record)
            vault.checked(row)
            entry = vault.opened(row, key)
            if mac(self.key, "share", entry["name"].encode()) != lookup:
                raise Refused("a record is not where it belongs")
            secrets[entry["name"]] = entry
        return {"terms": self.terms, "secrets": secrets}


def stretched(passphrase: str):
    def pair(stretching: bytes) -> Pair:
        asked = json.loads(stretching)
        memory, passes, lanes = asked["memory_kib"], asked["passes"], asked["lanes"]
        if not (19 * 1024 <= memory <= 256 * 1024 and 1 <= passes <= 8 and 1 <= lanes <= 4):
            raise Refused("the parameters of the passphrase are out of bounds")
        return Pair(stretch(passphrase, bytes(asked["salt"]), memory, passes, lanes))

    return pair


def unlock(vault: Vault, *, keyfile=None, passphrase=None, recovery=None, token=None):
    if token:
        return vault.holder(*credentials.token(token))
    if keyfile:
        pair = credentials.keyfile(Path(keyfile).read_text())
        return vault.owner(("keyfile",), lambda _: pair)
    if recovery:
        pair = credentials.recovery_code(recovery)
        return vault.owner(("recovery", "keychain"), lambda _: pair)
    return vault.owner(("passphrase",), stretched(passphrase or ""))


def main() -> int:
    parser = argparse.ArgumentParser(description="Read a vault of authy, without its program.")
    parser.add_argument("vault", type=Path)
    parser.add_argument("--anchor", type=Path, required=True)
    credential = parser.add_mutually_exclusive_group(required=True)
    for name in ("keyfile", "passphrase", "recovery", "token"):
        credential.add_argument(f"--{name}")
    given = parser.parse_args()
    try:
        vault = Vault(given.vault, given.anchor)
        opened = unlock(
            vault,
            keyfile=given.keyfile,
            passphrase=given.passphrase,
            recovery=given.recovery,
            token=given.token,
        )
        json.dump(opened.everything(), sys.stdout, indent=2, ensure_ascii=False)
        print()
        return 0
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

"""Opens vaults that the program `authy` made, with the reader that was written from docs/vault-format.md alone.

    check.py AUTHY FOLDER

makes a vault in FOLDER, compares what both read, and changes the file in ways that both must refuse.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from reader import Vault, unlock

DATA = Path(__file__).resolve().parent.parent / "programs/authy/tests/data"


class Home:
    def __init__(self, authy: Path, folder: Path):
        self.authy, self.folder = authy, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "AUTHY_HOME": str(folder / "vault"),
            "AUTHY_ANCHOR": str(folder / "anchor"),
            "AUTHY_KEYFILE": str(folder / "key"),
            "AUTHY_NON_INTERACTIVE": "1",
        }

    def run(self, *arguments: str, given: str = "", **environment: str) -> str:
        done = subprocess.run(
            [self.authy, *arguments],
            input=given,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"error: authy {' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()

    def refuses(self, *arguments: str, **environment: str) -> bool:
        done = subprocess.run(
            [self.authy, *arguments], env={**self.environment, **environment}, capture_output=True, check=False
        )
        return done.returncode != 0

    @property
    def anchor(self) -> Path:
        return next((self.folder / "anchor").glob("*.anchor"))

    def vault(self) -> Vault:
        return Vault(self.folder / "vault/vault.db", self.anchor)


def same(found, expected, what: str) -> None:
    if found != expected:
        raise SystemExit(f"error: {what}: {found!r} is not {expected!r}")


def values(opened: dict) -> dict:
    return {name: entry["value"] for name, entry in opened["secrets"].items()}


def make(authy: Path, folder: Path) -> tuple[Home, str, str]:
    home = Home(authy, folder)
    made = json.loads(home.run("init", "--generate-keyfile", str(folder / "key"), "--json"))
    home.run("store", "dev/db", given="first")
    home.run("store", "dev/db", "--force", given="second é 日")
    home.run("store", "prod/api", given="x" * 5000)
    home.run("store", "gone", given="removed")
    home.run("set", "prod/api", "--never-reveal", "--host", "api.example.com")
    home.run("remove", "gone")
    home.run("policy", "create", "dev", "--allow", "dev/*")
    token = home.run("grant", "create", "--policy", "dev", "--can", "list,reveal,store", "--ttl", "never")
    home.run("rekey", "--add", "--to-passphrase", "--new-passphrase-fd", "0", given="correct horse battery")
    home.run("store", "dev/new", given="by a grant", AUTHY_TOKEN=token)
    home.run("list")
    return home, made["recovery_code"], token


def compare(home: Home, recovery: str, token: str) -> None:
    key = home.environment["AUTHY_KEYFILE"]
    expected = {"dev/db": "second é 日", "prod/api": "x" * 5000, "dev/new": "by a grant"}
    ways = ({"keyfile": key}, {"passphrase": "correct horse battery"}, {"recovery": recovery})
    for credential in ways:
        opened = unlock(home.vault(), **credential).everything()
        same(values(opened), expected, f"the secrets by {credential}")
    same(opened["secrets"]["dev/db"]["old"], {"1": "first"}, "the old version")
    same(opened["secrets"]["prod/api"]["never_reveal"], True, "the rules")
    same([entry["value"] for entry in opened["trash"]], ["removed"], "the trash")
    same([policy["allow"] for policy in opened["policies"]], [["dev/*"]], "the policies")
    exported = [json.loads(line) for line in home.run("audit", "export").splitlines()]
    log = unlock(home.vault(), keyfile=key).everything()["log"]
    pairs = [(entry["seq"], entry["operation"], entry.get("target")) for entry in log]
    theirs = [(entry["seq"], entry["operation"], entry.get("target")) for entry in exported]
    same(pairs[: len(theirs)], theirs, "the log")
    opened = unlock(home.vault(), token=token).everything()
    same(values(opened), {"dev/db": "second é 日", "dev/new": "by a grant"}, "the secrets of the grant")
    owner = unlock(home.vault(), keyfile=key)
    same(owner.get("dev/db")["value"], "second é 日", "one secret")
    same(owner.get("never"), None, "a secret that is not there")


ATTACKS = {
    "a value put back": "UPDATE record SET value = (SELECT value FROM history LIMIT 1) WHERE id = 1",
    "a record taken away": "DELETE FROM record WHERE id = 1",
    "a record marked older": "UPDATE record SET revision = revision - 1 WHERE id = 1",
    "a policy changed": "UPDATE policy SET revision = revision + 1",
    "an entry of the log taken away": "DELETE FROM audit WHERE seq = 3",
    "the end of the log cut off": "DELETE FROM audit WHERE seq > 5",
    "a node changed": "UPDATE node SET body = zeroblob(length(body)) WHERE number = 0",
    "the head changed": "UPDATE vault SET head = zeroblob(length(head))",
    "another root": "UPDATE vault SET root = zeroblob(length(root))",
    "the vault of another": "UPDATE vault SET vault_id = zeroblob(16)",
}


def attack(home: Home) -> None:
    """Both programs refuse the same files."""
    key = home.environment["AUTHY_KEYFILE"]
    file = home.folder / "vault/vault.db"
    whole = home.folder / "whole.db"
    home.run("backup", str(whole))
    for name, sql in ATTACKS.items():
        # Another file: whoever still has the one before open has no say.
        for beside in ("", "-wal", "-shm"):
            Path(f"{file}{beside}").unlink(missing_ok=True)
        shutil.copy(whole, file)
        raw = sqlite3.connect(file)
        raw.executescript(sql)
        raw.close()
        commands = (["list"], ["audit", "verify"], ["policy", "list"], ["get", "dev/db"])
        same(any(home.refuses(*command) for command in commands), True, f"authy refuses {name}")
        # In a process of its own, which leaves no lock on the file.
        reader = Path(__file__).with_name("reader.py")
        read = subprocess.run(
            [sys.executable, reader, file, "--anchor", home.anchor, "--keyfile", key], capture_output=True, check=False
        )
        same(read.returncode, 1, f"what the reader says to {name}")


def old_file(authy: Path, folder: Path) -> None:
    """A vault that was made when the format was fixed opens for ever."""
    home = Home(authy, folder)
    anchor = DATA / "format-2.anchor"
    for credential in ({"keyfile": DATA / "format-2.key"}, {"token": (DATA / "format-2.token").read_text().strip()}):
        opened = unlock(Vault(DATA / "format-2.db", anchor), **credential).everything()
        same(opened["secrets"]["dev/db"]["value"], "second é 日", "the vault of the repository")
    (home.folder / "vault").mkdir(mode=0o700)
    for name, to in (("format-2.db", "vault/vault.db"), ("format-2.key", "key")):
        shutil.copy(DATA / name, home.folder / to)
        (home.folder / to).chmod(0o600)
    home.run("trust")
    same(home.run("get", "dev/db"), "second é 日", "the vault of the repository")


def main() -> None:
    authy, folder = Path(sys.argv[1]), Path(sys.argv[2])
    home, recovery, token = make(authy, folder / "new")
    compare(home, recovery, token)
    home.run("rekey", "--rotate-vault-key")
    compare(home, recovery, token)
    attack(home)
    old_file(authy, folder / "old")
    print("the reader and authy agree")


if __name__ == "__main__":
    main()

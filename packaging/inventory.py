"""What the programs are made of.

    inventory.py sbom FILE PROGRAM PACKAGE FEATURES …       a CycloneDX 1.5 document of these programs
    inventory.py licences FILE PROGRAM PACKAGE FEATURES …   the notices of all crates in them

A program is named with its cargo package, or with its folder where that is a workspace of its own (`apps/…`), and with the features it is
built with, with commas between them or `-` for none. Cargo says which crates are in it; checksums are those of Cargo.lock.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import datetime, timezone
from pathlib import Path

TARGET = "x86_64-unknown-linux-gnu"
NOTICE = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)([.\-_].*)?$", re.IGNORECASE)


def cargo(workspace, *words):
    return subprocess.run(["cargo", *words], check=True, capture_output=True, text=True, cwd=workspace).stdout


def workspace_of(package):
    return Path(package if "/" in package else ".")


def crates_of(package, features):
    """Name and version of everything that is linked into a program, or that runs while it is built."""
    words = ["tree", "--locked", "--package", package.split("/")[-1], "--target", TARGET, "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]
    if features != "-":
        words += ["--features", features]
    found = re.findall(r"^(\S+) v(\S+)", cargo(workspace_of(package), *words), re.MULTILINE)
    return sorted(set(found))


def known_crates(workspaces):
    words = ["metadata", "--locked", "--all-features", "--format-version", "1"]
    packages = [package for workspace in workspaces for package in json.loads(cargo(workspace, *words))["packages"]]
    return {(package["name"], package["version"]): package for package in packages}


def checksums(workspaces):
    packages = [package for workspace in workspaces for package in tomllib.loads((workspace / "Cargo.lock").read_text())["package"]]
    return {(package["name"], package["version"]): package["checksum"] for package in packages if "checksum" in package}


def reference(crate):
    return f"pkg:cargo/{crate[0]}@{crate[1]}"


def component(crate, known, sums):
    package = known[crate]
    described = {"type": "library", "bom-ref": reference(crate), "name": crate[0], "version": crate[1], "purl": reference(crate)}
    if package["license"]:
        # Older crates write `MIT/Apache-2.0`.
        described["licenses"] = [{"expression": re.sub(r" */ *", " OR ", package["license"])}]
    if crate in sums:
        described["hashes"] = [{"alg": "SHA-256", "content": sums[crate]}]
    return described


def sbom(programs):
    workspaces = {workspace_of(package) for _, package, _ in programs}
    known, sums = known_crates(workspaces), checksums(workspaces)
    version = tomllib.loads(Path("Cargo.toml").read_text())["workspace"]["package"]["version"]
    inside = {name: crates_of(package, features) for name, package, features in programs}
    every = sorted({crate for crates in inside.values() for crate in crates})
    moment = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
    applications = [
        {"type": "application", "bom-ref": f"program:{name}", "name": name, "version": version} for name, _, _ in programs
    ]
    depends = [{"ref": f"program:{name}", "dependsOn": [reference(crate) for crate in inside[name]]} for name, _, _ in programs]
    commit = os.environ["DESKMATE_COMMIT"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, 'deskmate:' + commit)}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "deskmate", "name": "Deskmate", "version": version},
            "properties": [{"name": "commit", "value": commit}],
        },
        "components": applications + [component(crate, known, sums) for crate in every],
        "dependencies": [{"ref": "deskmate", "dependsOn": [f"program:{name}" for name, _, _ in programs]}, *depends],
    }


def licences(programs):
    """Each text once, under the crates that come with it."""
    known = known_crates({workspace_of(package) for _, package, _ in programs})
    texts, without = {}, []
    for crate in sorted({crate for _, package, features in programs for crate in crates_of(package, features)}):
        package = known[crate]
        # Ours are under the licence of the whole.
        if package["source"] is None:
            continue
        folder = Path(package["manifest_path"]).parent
        notices = sorted(path for path in folder.iterdir() if path.is_file() and NOTICE.match(path.name))
        if not notices:
            without.append(f"{crate[0]} {crate[1]}: {package['license']}")
        for path in notices:
            text = path.read_text(errors="replace").replace("\r\n", "\n").strip()
            texts.setdefault(text, []).append(f"{crate[0]} {crate[1]}")
    parts = ["Crates of other authors that are part of these programs, and their notices.\n"]
    if without:
        parts.append("Without a notice of their own, under the licence that they name:\n\n" + "\n".join(without) + "\n")
    for text, crates in texts.items():
        parts.append("=" * 80 + "\n" + "\n".join(dict.fromkeys(crates)) + "\n\n" + text + "\n")
    return "\n".join(parts)


def main():
    what, path, *words = sys.argv[1:]
    programs = [tuple(words[at : at + 3]) for at in range(0, len(words), 3)]
    if what == "sbom":
        text = json.dumps(sbom(programs), indent=1, ensure_ascii=False) + "\n"
    else:
        text = licences(programs)
    Path(path).write_text(text)


main()

"""Writes metadata into every picture of the corpus, and asks others what became of them."""

import argparse
import collections
import fnmatch
import hashlib
import pathlib
import shutil
import sys

import judge
import readers
from genie import Genie

HERE = pathlib.Path(__file__).parent


def pictures(cache, patterns):
    """The pictures by name, such as `exiv2/test/data/a.jpg` or `made/plain.jpg`."""
    found = {}
    for folder in [*sorted((cache / "packages").iterdir()), cache / "made"]:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder.parent))
            if path.is_file() and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                found[name] = path
    return found


def copies(originals, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, original in originals.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, folder / name)
    return {name: folder / name for name in originals}


def digests(paths):
    return {name: hashlib.sha256(path.read_bytes()).digest() for name, path in paths.items()}


def write(genie, paths):
    by_path = genie.write(list(paths.values()), judge.METADATA)
    return {name: by_path[path] for name, path in paths.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    rules = judge.Rules(HERE)
    cache = options.cache.resolve()
    originals = pictures(cache, options.patterns or ["*"])
    if not originals:
        sys.exit("error: no picture has such a name")
    work = cache / "work"
    paths = copies(originals, work)
    kinds = {name: judge.format_of(path.read_bytes()) for name, path in paths.items()}
    problems = collections.defaultdict(list)

    print(f"{len(paths)} pictures; reading them ...", flush=True)
    old = digests(paths)
    tags_before = readers.exiftool(work)
    keys_before = readers.exiv2(paths.values())
    print("writing them twice ...", flush=True)
    genie = Genie(options.server, work, cache / "state")
    first = write(genie, paths)
    new = digests(paths)
    tags_after = readers.exiftool(work)
    keys_after = readers.exiv2(paths.values())
    second = write(genie, paths)
    again = digests(paths)
    print("writing the other fields, and taking all of it back ...", flush=True)
    done = {name: path for name, path in paths.items() if "error" not in first[name]}
    details = genie.write_all(list(done.values()), judge.DETAILS)
    details_tags = readers.exiftool(work)
    details_keys = readers.exiv2(done.values())
    now = readers.pixels(list(done.values()))
    for _ in range(2):
        genie.undo(list(done.values()))
    undone = digests(done)
    for name, path in done.items():
        say, result = problems[name].append, details[path].get("result")
        if not result or result["written"] != 1:
            reason = result["results"][0]["error"]["reason"] if result else str(details[path])
            if not rules.refusal(f"details/{name}", reason):
                say(f"the other fields are refused, and refusals.toml does not say why: {reason}")
            continue
        problems[name] += judge.faults_details(rules, name, kinds[name], details_tags[str(path)], details_keys[str(path)])
        if undone[name] != old[name]:
            say("undo does not bring the old file back")
    if (status := genie.close()) != 0:
        problems["the server"].append(f"ended with {status}")
    left = {path for path in work.rglob("*") if path.is_file()} - set(paths.values())
    for path in left:
        problems["the server"].append(f"left {path.name} behind")

    print("decoding them ...", flush=True)
    refused = {name: "error" in answer for name, answer in first.items()}
    written = [name for name in paths if not refused[name]]
    was = readers.pixels([originals[name] for name in written])
    for name, answer in first.items():
        say, key = problems[name].append, str(paths[name])
        if refused[name]:
            reason = answer["error"]["message"].replace(key, "…")
            if not rules.refusal(name, reason):
                say(f"refused, and refusals.toml does not say why: {reason}")
            if new[name] != old[name] or again[name] != old[name]:
                say("refused, but changed")
            continue
        message = answer["result"]["message"]
        if again[name] != new[name]:
            say(f"the second write changed it: {second[name]}")
        if not judge.same_pixels(was[str(originals[name])], now[key]):
            say(f"decodes to something else: {judge.brief(was[str(originals[name])])} -> {judge.brief(now[key])}")
        about = (rules, name, kinds[name], message)
        problems[name] += judge.faults_exiftool(*about, tags_before[key], tags_after[key])
        problems[name] += judge.faults_exiv2(*about, keys_before[key], keys_after[key])
    for fault in rules.stale(refused):
        problems["the tables"].append(fault)

    undecodable = sum(isinstance(frames, str) for frames in was.values())
    sys.exit(report(kinds, refused, {name: found for name, found in problems.items() if found}, undecodable))


def report(kinds, refused, problems, undecodable):
    for name, faults in problems.items():
        print(f"PROBLEM {name}")
        for fault in faults:
            print(f"    {fault}")
    print("\n| format | files | written | refused | with problems |\n|---|--:|--:|--:|--:|")
    rows = collections.defaultdict(list)
    for name, kind in kinds.items():
        rows[kind].append(name)
    rows["all"] = list(kinds)
    for kind, names in rows.items():
        no = sum(refused[name] for name in names)
        bad = sum(name in problems for name in names)
        print(f"| {kind} | {len(names)} | {len(names) - no} | {no} | {bad} |")
    print(f"\n{undecodable} of those written were no picture to the decoders before, and are none after.")
    if not problems:
        return 0
    print(f"error: {len(problems)} problems; they are above", file=sys.stderr)
    return 1


main()

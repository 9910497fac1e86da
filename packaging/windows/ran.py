"""ran.py LIST COMMIT: notes in LIST which tests of `crates/on-windows` passed and which did not, as they are read from the output of
`cargo test`."""

import re
import sys
from pathlib import Path

HEAD = "# Tests that `./dev windows` ran and that passed, with the commit. Written by it.\n"


def main():
    path, commit = Path(sys.argv[1]), sys.argv[2]
    lines = path.read_text().splitlines() if path.exists() else []
    ran = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    for name, outcome in re.findall(r"^test (\S+) \.\.\. (ok|FAILED)\r?$", sys.stdin.read(), re.MULTILINE):
        test = f"on-windows::windows::{name}"
        if outcome == "ok":
            ran[test] = commit
        else:
            # It does not hold any more, whatever it did before.
            ran.pop(test, None)
    path.write_text(HEAD + "".join(f"{test} {ran[test]}\n" for test in sorted(ran)))


main()

"""ran.py LIST COMMIT MODULE: notes in LIST which tests of a module passed, as they are read from the output of `cargo test`.

Those that did not pass, or are not there any more, go from the list, whatever they did before.
"""

import re
import sys
from pathlib import Path

HEAD = "# Tests that `./dev package` ran and that passed, with the commit. Written by it.\n"


def main():
    path, commit, module = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    lines = path.read_text().splitlines() if path.exists() else []
    ran = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    outcomes = re.findall(r"^test (\S+) \.\.\. (ok|FAILED)$", sys.stdin.read(), re.MULTILINE)
    # Without any, they were not run: they do not compile.
    if outcomes:
        ran = {test: then for test, then in ran.items() if not test.startswith(f"packages::packages::{module}::")}
        ran.update((f"packages::packages::{name}", commit) for name, outcome in outcomes if outcome == "ok")
    path.write_text(HEAD + "".join(f"{test} {ran[test]}\n" for test in sorted(ran)))


main()

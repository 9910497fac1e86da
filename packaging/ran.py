"""ran.py LIST COMMAND COMMIT TESTS: notes in LIST which tests passed, as they are read from the output of `cargo test`.

COMMAND is what ran them. TESTS is how the names of the tests begin that were to run: of those, the ones that did not pass, or are not
there any more, go from the list, whatever they did before.
"""

import re
import sys
from pathlib import Path


def main():
    path, command, commit, tests = Path(sys.argv[1]), *sys.argv[2:]
    lines = path.read_text().splitlines() if path.exists() else []
    ran = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    # Those of Windows end their lines as they do there.
    outcomes = re.findall(r"^test (\S+) \.\.\. (ok|FAILED)\r?$", sys.stdin.read(), re.MULTILINE)
    # Without any, they were not run: they do not compile.
    if outcomes:
        binary = "::".join(tests.split("::")[:2])
        ran = {test: then for test, then in ran.items() if not test.startswith(tests)}
        ran.update((f"{binary}::{name}", commit) for name, outcome in outcomes if outcome == "ok")
    head = f"# Tests that `{command}` ran and that passed, with the commit. Written by it.\n"
    path.write_text(head + "".join(f"{test} {ran[test]}\n" for test in sorted(ran)))


main()

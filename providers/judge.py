"""Third-party tools check how we talk to model providers: `providers/run` installs them and calls this."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import aimock
import parity
import sdks


def main():
    here, built = Path(__file__).parent, Path(sys.argv[1])
    failed = []
    count = 0

    def check(name, fine, told):
        nonlocal count
        count += 1
        if not fine:
            failed.append(name)
            print(f"FAILED {name}: {str(told)[:300]}")

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        sdks.judge(built, check)
        aimock.judge(here, built, folder, check)
        parity.judge(here, built, folder, check)
    print(f"{count - len(failed)} of {count} checks passed")
    return 1 if failed else 0


sys.exit(main())

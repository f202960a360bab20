#!/usr/bin/env python3
"""Shows that the tests of the cache, packs and recordings fail when the protection that each tests is taken out.

    tests/cache/mutations.py [--only PART] [--folder FOLDER] [--write docs/cache-mutations.md]
    tests/cache/mutations.py --check

tests/mutations/machinery.py says how. All rows take most of an hour: run it when the cache or its tests change.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "mutations"))
from machinery import main, page
from mutation_table import groups, unseen

head = """# What the tests of the cache catch

Each row names a protection that was removed from a copy of the tree, the replacement, and the outcome of the test that
covers it. The test must fail, or hang where the protection is against waiting. The date is that of the row's latest run;
"{not_run}" means that the row is new or has changed since. `tests/cache/mutations.py --write` generates this page.
{groups}
## What no row covers

{unseen}"""

if __name__ == "__main__":
    main(page(head, groups, unseen))

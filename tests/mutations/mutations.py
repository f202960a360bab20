#!/usr/bin/env python3
"""Shows that the tests fail when what is lowered, emitted or typed is changed as faults of the past had it.

    tests/mutations/mutations.py [--only PART] [--folder FOLDER] [--draw 20000] [--write docs/mutations.md]
    tests/mutations/mutations.py --check

machinery.py says how. --draw also lets the fuzzer against NumPy look for each change of a value, and needs a Python with
NumPy (./bootstrap differential installs one in build/differential-venv).
"""

from machinery import main, page
from mutation_table import groups, unseen

head = """# What the tests of kernels and types catch

Each row names a change of a copy of the tree, which brings back a fault of the past, and the outcome of the test that covers
it, which must fail. Where a value on the CPU changes, the last column says how many programs `python3 -m tests.differential
draw --seed 1 --count 20000 --until-fault` ran until each of its processes found the change; second calls count. The date is
that of the row's latest run; "{not_run}" means that the row is new or has changed since. `tests/mutations/mutations.py --draw
20000 --write docs/mutations.md` generates this page.
{groups}
## What no row covers

{unseen}"""

if __name__ == "__main__":
    main(page(head, groups, unseen, is_drawn=True))

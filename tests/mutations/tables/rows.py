"""Makes the rows of machinery.py from what the tables write down of them."""


def rows_of(*rows, program="sinter_tests", drawn=False):
    """From (what, changes, test), of one program."""
    return [
        {"what": what, "changes": changes, "test": test, "program": program, "drawn": drawn}
        for what, changes, test in rows
    ]

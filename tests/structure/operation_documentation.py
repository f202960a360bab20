"""Every row of the table of operations has a function whose documentation an editor shows, and begins with the row's own
sentence. Usage: operation_documentation.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "sinter/codegen/graph/operations.def").read_text()
functions = (root / "sinter/dsl/table_functions.hpp").read_text()

rows = re.findall(r'^SINTER_OPERATION\((\w+), (\d), .*, "(.*)"\)$', table, re.M)
documented = {
    (name, arity): " ".join(line.removeprefix("///").strip() for line in comment.splitlines())
    for comment, arity, name in re.findall(r"((?:^///.*\n)+)SINTER_FUNCTION_(\d)\((\w+)\)$", functions, re.M)
}

faults = []
for name, arity, sentence in rows:
    text = documented.get((name, arity))
    if text is None:
        faults.append(f"{name}: no documented SINTER_FUNCTION_{arity}({name}) in table_functions.hpp")
        continue
    if not re.match(r"`" + name + r"\([^`]*\)`: ", text) or f"`: {sentence}" not in text:
        faults.append(f"{name}: its documentation does not begin with the row's sentence: {sentence}")
    for part in ("hape", "Types: "):
        if part not in text:
            faults.append(f"{name}: its documentation says nothing of '{part}'")
for name, arity in documented.keys() - {(name, arity) for name, arity, _ in rows}:
    faults.append(f"{name}: no row of {arity} operands in operations.def")
if len(rows) < 80:
    faults.append(f"only {len(rows)} rows were found in operations.def")
print("\n".join(faults) or f"{len(rows)} operations are documented")
sys.exit(bool(faults))

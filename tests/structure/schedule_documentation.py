"""Every loop order and every field of a schedule has a heading in docs/schedules.md, under it a picture and how it is
used, and the page has no others. Usage: schedule_documentation.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
orders_text = (root / "sinter/codegen/schedule/loop_order.hpp").read_text()
struct_text = (root / "sinter/codegen/schedule/schedule.hpp").read_text()
page = (root / "docs/schedules.md").read_text()

orders = re.findall(r'\{loop_order::\w+, tile_shape::\w+, "(\w+)"', orders_text)
body = re.search(r"^struct schedule \{\n(.*?)^\};", struct_text, re.M | re.S).group(1)
fields = re.findall(r"^  [\w:]+ (\w+) = [^;]+;", body, re.M)
fields.remove("order")  # the loop orders are its values


def headings(chapter):
    """The headings of a chapter, each with its text."""
    text = re.search(rf"^## {chapter}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^### |\Z)", text.group(1), re.M | re.S)) if text else {}


faults = []
for chapter, names in (("Loop orders", orders), ("Fields", fields)):
    found = headings(chapter)
    for name in names:
        if name not in found:
            faults.append(f"docs/schedules.md: '{chapter}' has no heading ### `{name}`")
        elif "```text\n" not in found[name]:
            faults.append(f"docs/schedules.md: `{name}` has no picture of its loops")
        elif chapter == "Fields" and not re.search(r"^- Costs|^- .*(GPU|CPU)", found[name], re.M):
            faults.append(f"docs/schedules.md: `{name}` does not say where it has a meaning")
    for name in found.keys() - set(names):
        faults.append(f"docs/schedules.md: '{chapter}' describes `{name}`, which the code does not have")
if len(orders) < 5 or len(fields) < 15:
    faults.append(f"only {len(orders)} loop orders and {len(fields)} fields were found in the code")
print("\n".join(faults) or f"{len(orders)} loop orders and {len(fields)} fields are documented")
sys.exit(bool(faults))

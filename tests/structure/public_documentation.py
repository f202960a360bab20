"""Every public header states in its leading comment, for all its functions, which threads may call them, what they throw,
and what holds after that. Usage: public_documentation.py ROOT"""
import pathlib
import re
import sys

# Folders of headers that public ones include: those that declare something outside of sinter::detail.
folders = ["order", "products", "random", "scatters", "sequence", "stencils", "parts", "composed", "builder", "printing",
           "foreign"]
# Others of that kind.
others = ["runtime/dispatch/environment_settings.hpp", "runtime/dispatch/prepare_async.hpp"]
fewest = 90  # headers: fewer were not found, but lost

root = pathlib.Path(sys.argv[1])
rule = re.search(r'^set\(public "(.*)"\)$', (root / "cmake/InstallHeaders.cmake").read_text(), re.M)
if rule is None:
    sys.exit("cmake/InstallHeaders.cmake sets no expression `public`")
public = re.compile(rule[1].replace("\\\\", "\\"))


def declares_names(header):
    """Whether a header declares something in namespace sinter, or in a named one there that is not detail."""
    return re.search(r"^namespace sinter::inline v0(::(?!detail\b)\w+)? \{$", header.read_text(), re.M) is not None


def leading_comment(header):
    text = header.read_text()
    if header.suffix == ".h":
        return re.match(r"/\*(.*?)\*/", text, re.S)[1] if text.startswith("/*") else ""
    return re.search(r"^#pragma once\n\n?((?://(?!/).*\n)*)", text, re.M)[1]


def missing(header):
    """The labels that the leading comment lacks. Nothing holds after a failure of what cannot fail."""
    said = dict(re.findall(r"^ *(?://|\*) (Threads|Throws|After a failure): +(\S.*)$", leading_comment(header), re.M))
    wanted = ["Threads", "Throws"]
    if not re.match(r"nothing\.", said.get("Throws", "")):
        wanted.append("After a failure")
    return [label for label in wanted if label not in said]


headers = [path for path in sorted((root / "sinter").rglob("*.h*")) if public.search(path.relative_to(root).as_posix())]
headers += [path for folder in folders for path in sorted((root / "sinter/dsl" / folder).glob("*.hpp"))
            if declares_names(path)]
headers += [root / "sinter" / name for name in others]

faults = [f"{path.relative_to(root)}: its leading comment has no '{label}: …'" for path in headers
          for label in missing(path)]
if len(headers) < fewest:
    faults.append(f"only {len(headers)} public headers were found")
print("\n".join(faults) or f"{len(headers)} headers state threads, exceptions and what holds after a failure")
sys.exit(bool(faults))

"""Files of different subjects include each other in no circle. A subject is a header with its source, or one of the
groups below: what is split for its length alone. Usage: include_circles.py ROOT"""
import pathlib
import re
import sys

# Each group in one folder.
SUBJECTS = [
    "sinter/codegen/math/ lane_parser lane_text",
    "sinter/codegen/nest/build/ node_demands demand_mappings nest_accesses recomputed_values",
    "sinter/codegen/schedule/choose/ choose_schedule choose_rows choose_columns choose_reduction choose_scan choose_sorted_rows",
    "sinter/runtime/cache/ cache kernel_cache found_packs",
    "sinter/runtime/object/ object_code cuda_module",
    "sinter/runtime/order/ allocation_record returned_memory",
    "sinter/dsl/detail/ recorder recording",
]

INCLUDE = re.compile(r'\s*#\s*include\s*(?:<(sinter/[^>]*)>|"([^"]*)")')


def subject_of(path, groups):
    stem = path.with_suffix("").as_posix()
    return groups.get(stem, stem)


def read_includes(root, groups):
    """Of each subject, those that it includes."""
    includes = {}
    for path in sorted((root / "sinter").rglob("*.[ch]pp")):
        within = path.relative_to(root)
        subject = subject_of(within, groups)
        included = includes.setdefault(subject, set())
        for line in path.read_text().splitlines():
            found = INCLUDE.match(line)
            if not found:
                continue
            other = pathlib.Path(found[1]) if found[1] else within.parent / found[2]
            if (root / other).exists() and subject_of(other, groups) != subject:
                included.add(subject_of(other, groups))
    return includes


def circle_in(includes):
    """A list of subjects of which each includes the next, and the last the first; None if there is none."""
    done, path = set(), []

    def visit(subject):
        if subject in path:
            return path[path.index(subject):]
        if subject in done:
            return None
        path.append(subject)
        for other in sorted(includes.get(subject, ())):
            if found := visit(other):
                return found
        done.add(path.pop())
        return None

    for subject in sorted(includes):
        if found := visit(subject):
            return found
    return None


def main():
    sys.setrecursionlimit(10_000)
    root = pathlib.Path(sys.argv[1])
    groups = {}
    for line in SUBJECTS:
        folder, *names = line.split()
        for name in names:
            if not list(root.glob(folder + name + ".[ch]pp")):
                sys.exit(f"{folder}{name} is listed in {__file__}, and there is no such file")
            groups[folder + name] = folder + names[0]
    includes = read_includes(root, groups)
    if len(includes) < 200:
        sys.exit(f"only {len(includes)} subjects were found under {root}/sinter")
    if found := circle_in(includes):
        sys.exit("these include each other in a circle: " + " -> ".join(found + found[:1]))
    for line in SUBJECTS:  # a group that needs to be none is taken from the list
        folder, *names = line.split()
        alone = {stem: subject for stem, subject in groups.items() if not stem.startswith(folder)}
        if not circle_in(read_includes(root, alone)):
            sys.exit(f"{line} is in no circle: take it from the list in {__file__}")


main()

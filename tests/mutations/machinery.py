"""Changes a copy of the tree, one place at a time, and runs the named test of each change, which must fail.

A table of mutations calls main() with a page of itself; tests/cache/mutations.py and tests/mutations/mutations.py do. For
each row one place of the copy's source is changed, the row's program is built, and the named test is run. It takes minutes
a row, which is why it is no part of ctest. The outcomes of the latest run of each row are in the page, which is written
after every row, so that a run that is stopped loses nothing. --check only looks whether the table still fits the sources.

A row is a dictionary: `what` is changed; `changes`, [(file, text that stands there once, what stands there instead)];
`test`, the name of the test that must fail; `program`, which has it, or "ctest TARGET" where `test` is a line of ctest that
needs that target; and `drawn`, true where a value on the CPU changes, so that the fuzzer against NumPy (tests/differential)
can find it by itself.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

top = pathlib.Path(__file__).resolve().parents[2]
min_patience = 60  # seconds for a test; and no less than `patience` times what it takes without a change
patience = 6
not_run = "not run"
caught = ("fails", "hangs", "its test does not compile")


@dataclasses.dataclass
class page:
    """A table of mutations as a document. `head` has {groups}, {unseen} and {not_run}; `groups` are (title, rows)."""

    head: str
    groups: list
    unseen: str
    is_drawn: bool = False  # whether it has a column for what the fuzzer finds


class doctest_program:
    """An executable of the tests, of which one test is run by its name."""

    def __init__(self, target, folder="build/tests"):
        self.target, self.folder = target, folder

    def command(self, folder, test):
        # commas part doctest's patterns, and a bracket begins none
        return [folder / self.folder / self.target, "--test-case=" + re.sub(r"[,\\]", "?", test)]

    def has_run(self, log):
        return not re.search(r"test cases: +0 \|", log)


class fuzz_program:
    """A fuzzing target, run over its corpus and some seconds longer, as ctest runs it, but from the same seed."""

    def __init__(self, name):
        self.name, self.target = name, "sinter_fuzz"

    def command(self, folder, test):
        grown = folder / "build/tests/fuzz/grown-by-mutation"
        shutil.rmtree(grown, ignore_errors=True)
        grown.mkdir(parents=True)
        return [
            folder / f"build/tests/fuzz/{self.name}_fuzz",
            "-seed=1",
            "-max_total_time=10",
            "-max_len=16384",
            "-timeout=20",
            "-rss_limit_mb=2048",
            f"-artifact_prefix={grown}/",
            grown,
            folder / "tests/fuzz/corpus" / self.name,
        ]

    def has_run(self, log):
        return "INITED" in log or "ERROR" in log or "runtime error" in log


class ctest_program:
    """A line of ctest, named by a row's test, and the target that it needs."""

    def __init__(self, target):
        self.target = target

    def command(self, folder, test):
        return ["ctest", "--test-dir", folder / "build", "--output-on-failure", "-R", f"^{test}$"]

    def has_run(self, log):
        return "No tests were found" not in log and "***Skipped" not in log and "***Not Run" not in log


def program_of(name):
    if name.startswith("ctest "):
        return ctest_program(name.removeprefix("ctest "))
    return fuzz_program(name.removesuffix("_fuzz")) if name.endswith("_fuzz") else doctest_program(name)


def run(command, log, **more):
    with open(log, "w") as to:
        return subprocess.run(command, stdout=to, stderr=subprocess.STDOUT, **more).returncode


def copy_tree(folder):
    try:
        names = subprocess.run(
            ["git", "-C", top, "ls-files", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
    except (FileNotFoundError, subprocess.CalledProcessError) as why:
        sys.exit(
            f"the files of the tree to copy are asked of git, which is missing or has no repository at {top}: {why}"
        )
    for name in filter(None, names):
        source, to = top / name, folder / name
        if source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, to)
            shutil.copymode(source, to)


def build(folder, target, jobs, options=()):
    environment = dict(os.environ, CCACHE_BASEDIR=str(folder), CCACHE_NOHASHDIR="1")
    if not (folder / "build/build.ninja").exists():
        run(
            [
                "cmake",
                "-S",
                folder,
                "-B",
                folder / "build",
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=Release",
                "-DSINTER_BUILD_BENCH=OFF",
                "-DSINTER_BUILD_EXAMPLES=OFF",
                "-DSINTER_BUILD_CHECK=OFF",
                *options,
            ],
            folder / "configure.log",
            env=environment,
        )
    return (
        run(["ninja", "-C", folder / "build", "-j", str(jobs), target], folder / "build.log", env=environment)
        == 0
    )


def run_test(folder, row, seconds):
    """How the test ended (passes, fails, hangs, or why it was none), and the seconds that took."""
    program = program_of(row["program"])
    begin = time.monotonic()
    try:
        code = run(program.command(folder, row["test"]), folder / "test.log", timeout=seconds)
    except subprocess.TimeoutExpired:
        return "hangs", seconds
    if not program.has_run((folder / "test.log").read_text(errors="replace")):
        return "there is no such test", 0.0
    return ("passes" if code == 0 else "fails"), time.monotonic() - begin


def test_of(row):
    return row["program"], row["test"]


def outdated(row):
    """Why a row does not fit the sources any more, or "" if it does."""
    for file, text, _ in row["changes"]:
        times = (top / file).read_text().count(text)
        if times != 1:
            return f"'{row['what']}' changes a text that stands {times} times in {file}"
    return ""


def programs_until_fault(folder, seed, count, jobs):
    """How many programs the fuzzer draws until it finds the change, in words."""
    if not build(folder, "sinter_differential_driver", jobs):
        return "does not build"
    counts = folder / "counts.json"
    counts.unlink(missing_ok=True)
    run(
        [
            sys.executable,
            "-B",
            "-m",
            "tests.differential",
            "draw",
            "--seed",
            str(seed),
            "--count",
            str(count),
            "--until-fault",
            "--shrink-seconds",
            "0",
            "--counts",
            counts,
        ],
        folder / "draw.log",
        cwd=folder,
        env=dict(os.environ, SINTER_BUILD=str(folder / "build"), SINTER_CACHE="off"),
    )
    if not counts.exists():
        return "does not run"
    found = json.loads(counts.read_text())
    return (
        f"found in {found['programs']:,} programs"
        if found.get("faults")
        else f"not in {found['programs']:,} programs"
    )


def test_refuses(folder, row):
    """Whether all that did not compile are files of tests, which assert types where they are compiled."""
    failed = re.findall(
        r"^FAILED: (?:\[code=\d+\] )?(\S+)", (folder / "build.log").read_text(errors="replace"), re.MULTILINE
    )
    return bool(failed) and all(name.startswith("tests/") and name.endswith(".o") for name in failed)


def outcome_of(folder, row, seconds, given):
    """How the test ended, and what the fuzzer found where it is asked to."""
    before = {}
    for file, text, instead in row["changes"]:
        path = folder / file
        before.setdefault(path, path.read_text())
        path.write_text(path.read_text().replace(text, instead))
    try:
        if build(folder, program_of(row["program"]).target, given.jobs):
            ended = run_test(folder, row, seconds)[0]
        elif test_refuses(folder, row) and build(folder, "sinter", given.jobs):
            ended = "its test does not compile"
        else:
            return "does not build", ""
        drawn = ""
        if row.get("drawn") and given.draw:
            drawn = programs_until_fault(folder, given.seed, given.draw, given.jobs)
        return ended, drawn
    finally:
        for path, content in before.items():
            path.write_text(content)


# ---- the document ----


def one_line(text):
    text = " ".join(text.split()).replace("|", "\\|")
    return text.replace("`", "'")


def change_of(row):
    told = []
    for _, text, instead in row["changes"]:
        told.append(f"`{one_line(text)}` → " + (f"`{one_line(instead)}`" if instead.strip() else "nothing"))
    return "; ".join(told)


def columns_of(row):
    return [
        one_line(row["what"]),
        f"`{row['changes'][0][0]}`",
        change_of(row),
        one_line(row["test"]),
        f"`{row['program']}`",
    ]


def cells_of(text):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]


def earlier_outcomes(path):
    """From the columns of a row to its outcome, its date and what the fuzzer found, of the document as it is."""
    found = {}
    if path.exists():
        for line in path.read_text().splitlines():
            cells = cells_of(line)
            if len(cells) in (7, 8) and cells[5] != not_run:
                found[tuple(cells[:5])] = [*cells[5:], ""][:3]
    return found


def write_document(path, of, outcomes):
    text = ""
    columns = ["taken out", "in", "change", "test", "program", "outcome", "date"] + [
        "the fuzzer alone"
    ] * of.is_drawn
    for title, rows in of.groups:
        text += f"\n## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
        for row in rows:
            known = columns_of(row)
            cells = known + outcomes.get(tuple(known), [not_run, "", ""])
            text += "| " + " | ".join(cells[: len(columns)]) + " |\n"
    path.write_text(of.head.format(not_run=not_run, groups=text, unseen=of.unseen))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", help="only rows with this in what is taken out, or of this file or program"
    )
    parser.add_argument(
        "--left", action="store_true", help="only rows that the document does not show to be caught"
    )
    parser.add_argument("--folder", help="where the copy goes and stays; else one that is removed")
    parser.add_argument(
        "--write", type=pathlib.Path, help="the document, of which other rows stay as they are"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of a build")
    parser.add_argument("--check", action="store_true", help="only look whether the table fits the sources")
    parser.add_argument(
        "--cmake", action="append", default=[], metavar="OPTION", help="of the copy's build: --cmake=-D..."
    )
    parser.add_argument(
        "--draw", type=int, default=0, metavar="N", help="let the fuzzer draw so many programs, too"
    )
    parser.add_argument("--seed", type=int, default=1, help="of its first program")
    return parser.parse_args()


def main(of):
    given = arguments()
    rows = [row for _, group in of.groups for row in group]
    faults = list(filter(None, map(outdated, rows)))
    if faults:
        sys.exit("\n".join(faults))
    if given.check:
        return
    outcomes = earlier_outcomes(given.write) if given.write else {}
    rows = [
        row
        for row in rows
        if given.only in row["what"] or given.only in (row["program"], row["changes"][0][0])
    ]
    if given.left:
        rows = [row for row in rows if outcomes.get(tuple(columns_of(row)), [""])[0] not in caught]
    folder = pathlib.Path(given.folder or tempfile.mkdtemp(prefix="sinter-mutations-")).resolve()
    copy_tree(folder)
    for target in dict.fromkeys(program_of(row["program"]).target for row in rows):
        if not build(folder, target, given.jobs, given.cmake):
            sys.exit(f"the tree itself does not build {target}: see {folder / 'build.log'}")
    survived, seconds = [], {}
    for row in rows:
        if test_of(row) in seconds:
            continue
        ended, took = run_test(folder, row, 20 * min_patience)
        seconds[test_of(row)] = max(min_patience, patience * took)
        if ended != "passes":
            sys.exit(f"'{row['test']}' {ended} without any change: see {folder / 'test.log'}")
    for row in rows:
        ended, drawn = outcome_of(folder, row, seconds[test_of(row)], given)
        if ended not in caught:
            survived.append(row["what"])
        known = tuple(columns_of(row))
        drawn = drawn or outcomes.get(known, ["", "", ""])[2]
        outcomes[known] = [ended, datetime.date.today().isoformat(), drawn]
        print(f"{row['what']}: {ended} {drawn}".rstrip(), flush=True)
        if given.write:
            write_document(given.write, of, outcomes)
    if not given.folder:
        shutil.rmtree(folder)
    if survived:
        sys.exit("not caught: " + ", ".join(survived))

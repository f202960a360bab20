#!/usr/bin/env python3
"""Renames inside emitted text land alone: where a commit adds lines to golden/renamed_words.txt, its golden texts are
those of the commit before with these words exchanged, byte for byte.

A line is the old words, a tab, and the new ones; # stands for a number. Needs the history that git has: without it,
the test is skipped."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP = "tests/golden/renamed_words.txt"
FOLDER = "tests/golden"


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def pattern(words):
    """Finds whole words only, with a group for the number."""
    escaped = re.escape(words).replace(r"\#", "#").replace("#", r"(\d+)")
    before = r"(?<!\w)" if re.match(r"\w", words) else ""
    return before + escaped + (r"(?!\w)" if re.search(r"[\w#]$", words) else "")


def exchanged(text, words):
    """The text with all words exchanged, in one step: no line of the map sees what another wrote."""
    if not words:
        return text
    found = re.compile("|".join(f"(?P<w{at}>{pattern(old)})" for at, (old, _) in enumerate(words)))

    def new(match):
        to = words[int(match.lastgroup[1:])][1]
        digits = re.search(r"\d+$", match[0])
        return to.replace("#", digits[0]) if "#" in to else to

    return found.sub(new, text)


def texts(commit):
    names = git("ls-tree", "-r", "--name-only", commit, "--", FOLDER).split()
    return {name: git("show", f"{commit}:{name}") for name in names if name != MAP}


def added_words(commit):
    """What a commit adds to the map, longest first: of two lines that fit, the more special one counts."""
    shown = git("show", "--format=", "--unified=0", commit, "--", MAP).splitlines()
    lines = [each[1:] for each in shown if each.startswith("+") and "\t" in each]
    return sorted((tuple(each.split("\t")) for each in lines), key=lambda pair: -len(pair[0]))


def faults(commit):
    """The golden files of a commit that are not those before it in new words."""
    words = added_words(commit)
    if not words:  # takes lines away only
        return []
    before, after = texts(f"{commit}^"), texts(commit)
    wrong = sorted(before.keys() ^ after.keys())
    wrong += [name for name in sorted(before.keys() & after.keys()) if exchanged(before[name], words) != after[name]]
    wrong = [f"{name} differs by more than the words" for name in wrong]
    return wrong if before != after else ["no golden text has any of the words"]


def self_check():
    words = [("lay", "pack_elements"), ("turn#", "chunk#"), ("turn", "parity"), ("near = near &", "fast = fast &")]
    assert exchanged("lay(turn, turn12, relay, turns, near = near & lay)", words) == \
        "pack_elements(parity, chunk12, relay, turns, fast = fast & pack_elements)"
    assert exchanged("a b", [("a", "b"), ("b", "a")]) == "b a"


def main():
    self_check()
    try:
        if pathlib.Path(git("rev-parse", "--show-toplevel").strip()).resolve() != ROOT:
            raise OSError("the sources are a part of another repository")
        commits = git("log", "--format=%H", "--", MAP).split()
        for each in commits:
            git("rev-parse", "--verify", f"{each}^")
        if not commits:
            raise OSError("no commit has the map")
    except (OSError, subprocess.CalledProcessError) as missing:
        print(f"skipped, without git: 1 (its history is not here: {missing})")
        return 1 if "git" in os.environ.get("SINTER_EXPECT", "").split(",") else 0
    failed = False
    for commit in commits:
        for fault in faults(commit):
            failed = True
            print(f"{commit[:12]}: {fault} that the commit adds to {MAP}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Does what a page of docs/package tells: writes the files that it shows, runs its commands, compares what is printed.

A file is a block after a line "`name`:"; commands are the block of `sh`; what the last of them prints is that of `text`.
"""

import pathlib
import re
import shutil
import subprocess
import sys


def blocks(text):
    """Of each fenced block: the line before it, its language, its lines."""
    for found in re.finditer(r"([^\n]*)\n\n```(\w*)\n(.*?)```\n", text, re.DOTALL):
        yield found.groups()


def main():
    page, folder = (pathlib.Path(each) for each in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    commands, expected, files = [], None, 0
    for before, language, body in blocks(page.read_text()):
        name = re.fullmatch(r"`([\w.]+)`:", before)
        if name:
            (folder / name[1]).write_text(body)
            files += 1
        elif language == "sh":
            commands += body.splitlines()
        elif language == "text":
            expected = body
    if files < 2 or not commands or expected is None:
        sys.exit(f"{page} shows {files} files and {len(commands)} commands, and prints {expected!r}")
    for command in commands:
        print("$", command, flush=True)
        ran = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, text=True)
        print(ran.stdout, end="")
        if ran.returncode != 0:
            sys.exit(f"{command} ended with {ran.returncode}")
    if ran.stdout != expected:
        sys.exit(f"the page says that it prints {expected!r}, and it printed {ran.stdout!r}")


main()

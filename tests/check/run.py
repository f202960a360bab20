"""Runs sinter-check over programs with mistakes.

Each program says in comments what is to be found on their lines (`// expect: text; text`), and checks its own results.
What is found must be exactly that. The fixes are applied to a copy, which must then compile, give the expected results,
and hold nothing more to find. A program with `// without fixes` in it is compiled by nobody.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

FOUND = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): warning: (?P<text>.*) \[(?P<check>sinter-[a-z-]+)\]$", re.M)
EXPECTED = re.compile(r"// (?:no fix, )?expect: (.*)$")


def expected_in(text):
    """The lines on which something is to be found, with parts of the messages."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := EXPECTED.search(line):
            found += [(number, part.strip()) for part in match.group(1).split("; ")]
    return found


def differences(expected, found):
    """What was not found, and what was not expected."""
    left = list(found)
    said = []
    for number, part in expected:
        match = next((each for each in left if each[0] == number and part in each[1]), None)
        if match:
            left.remove(match)
        else:
            said.append(f"line {number}: not found: {part}")
    return said + [f"line {number}: not expected: {text}" for number, text in left]


def run(words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Runner:
    def __init__(self, options):
        self.options = options
        self.flags = ["-std=c++20", f"-I{options.include}", f"-I{options.programs}"]

    def check(self, file, *more):
        options = self.options
        if options.module:
            words = [options.clang_tidy, f"--load={options.module}", "--checks=-*,sinter-*", "--quiet"]
        else:
            words = [options.command]
        status, output = run(words + list(more) + [file, "--"] + self.flags)
        found = {(int(match["line"]), int(match["column"]), f"{match['text']} [{match['check']}]")
                 for match in FOUND.finditer(output)}
        return status, [(line, text) for line, _, text in sorted(found)], output

    def examine(self, program):
        """What is wrong with a program's diagnostics, or with what its fixes make of it."""
        text = program.read_text()
        copy = self.options.work / program.name
        shutil.copy(program, copy)
        if self.options.module:
            _, found, output = self.check(copy)
            return differences(expected_in(text), found) or self.of_other_check(program, found, output)
        status, found, output = self.check(copy, "--fix")
        said = differences(expected_in(text), found) or self.of_other_check(program, found, output)
        if said:
            return said + [output]
        if status != 1:
            return [f"sinter-check returned {status} instead of 1", output]
        return [] if "// without fixes" in text else self.examine_fixed(copy)

    def of_other_check(self, program, found, output):
        name = "sinter-" + program.stem.replace("_", "-")
        return [f"found by another check: {text}" for _, text in found
                if not text.endswith(f"[{name}]") and program.stem != "loop_on_value"]

    def examine_fixed(self, copy):
        options = self.options
        fixed = copy.read_text()
        executable = copy.with_suffix("")
        status, output = run([options.compiler, *self.flags, "-O0", copy, "-o", executable, f"-L{options.library}",
                              "-lsinter", f"-Wl,-rpath,{options.library}"])
        if status:
            return ["does not compile with its fixes", fixed, output]
        status, output = run([executable])
        if status:
            return [f"with its fixes it returned {status}", fixed, output]
        # A line says itself that no fix is known for it.
        fixed_lines = {number for number, line in enumerate(fixed.splitlines(), 1) if "// no fix" not in line}
        return [f"line {line}: still found in what was fixed: {text}" for line, text in self.check(copy)[1]
                if line in fixed_lines]


def main():
    parser = argparse.ArgumentParser()
    for name in ("programs", "work", "include"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("command", "module", "clang-tidy", "compiler", "library"):
        parser.add_argument(f"--{name}")
    parser.add_argument("names", nargs="*", help="programs, without .cpp; all unless given")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    programs = sorted(options.programs.glob("*.cpp"))
    if options.names:
        programs = [program for program in programs if program.stem in options.names]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, said in zip(programs, pool.map(Runner(options).examine, programs)):
            print(f"{program.name}: {'wrong' if said else 'right'}")
            for line in said:
                print("  " + line.replace("\n", "\n  "))
            failed |= bool(said)
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())

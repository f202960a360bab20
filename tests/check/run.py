"""Runs sinter-check over programs with mistakes.

Each program says in comments what is to be found on their lines (`// expect: text; text`), and checks its own results.
What is found must be exactly that. The fixes are applied to a copy, which must then compile, give the expected results,
and hold nothing more to find. A program with `// without fixes` in it must stay as it is, and is not compiled; nor is one
with `// not compiled`.
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
        if "// not compiled" in text:
            return []
        if "// without fixes" not in text:
            return self.examine_fixed(copy)
        return [] if copy.read_text() == text else ["changed, although it says to be without fixes", copy.read_text()]

    def of_other_check(self, program, found, output):
        """A program is named after its check; several of one check begin with its name."""
        name = program.stem.replace("_", "-").replace("loop-on-value", "branch-on-value")
        return [f"found by another check: {text}" for _, text in found
                if not name.startswith(re.search(r"\[sinter-(.*)\]$", text)[1])]

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


CLEAN = "int main() {}\n"
BROKEN = "int main() { return none; }\n"
LONG_LOOP = """#include <sinter/sinter.hpp>
auto f = sinter::fuse([](auto x) {
  auto y = x;
  for (int i = 0; i < 70; ++i) y = y + x;MARK
  return y;
});
"""
MARK = "  // NOLINT(sinter-unrolled-loop)"


def options_wrong(runner):
    """What is wrong with the command's options and exit statuses."""
    work, said = runner.options.work, []

    def expect(name, status, part, *words):
        got, output = run([runner.options.command, *words])
        is_said = part in output if part else "warning:" not in output and "error:" not in output
        if got != status or not is_said:
            said.extend([f"{name}: returned {got}; expected {status} and {part or 'no diagnostics'}", output])

    def file(name, text):
        (work / name).write_text(text)
        return work / name

    flags = ["--", *runner.flags]
    clean, broken = file("clean.cc", CLEAN), file("broken.cc", BROKEN)
    loop, meant = file("loop.cc", LONG_LOOP.replace("MARK", "")), file("meant.cc", LONG_LOOP.replace("MARK", MARK))
    file("with_loop.hpp", "#pragma once\n" + LONG_LOOP.replace("MARK", ""))
    user = file("user.cc", '#include "with_loop.hpp"\n' + CLEAN)
    second = file("second.cc", '#include "with_loop.hpp"\n')
    expect("clean", 0, None, clean, *flags)
    expect("found", 1, "70 times", loop, *flags)
    expect("found, --exit-zero", 0, "70 times", "--exit-zero", loop, *flags)
    expect("does not compile", 2, "undeclared identifier 'none'", broken, *flags)
    expect("does not compile, --exit-zero", 2, "undeclared identifier 'none'", "--exit-zero", broken, *flags)
    for words in ([loop, broken], [broken, loop]):
        for part in ("70 times", "undeclared identifier 'none'"):
            expect("found in one of two files", 2, part, *words, *flags)
    expect("--max-iterations", 0, None, "--max-iterations=70", loop, *flags)
    expect("--checks", 0, None, "--checks=-sinter-unrolled-loop", loop, *flags)
    expect("NOLINT", 0, None, meant, *flags)
    expect("header", 0, None, user, *flags)
    expect("--header-filter", 1, "with_loop.hpp:5", "--header-filter=with_loop", user, second, *flags)
    _, output = run([runner.options.command, "--header-filter=with_loop", user, second, *flags])
    if output.count("70 times") != 1:
        said += ["a header of two files is shown more than once", output]
    status, output = run([runner.options.command, "--list-checks"])
    for name in ("branch-on-value", "view-of-temporary"):
        if status or f"sinter-{name}: " not in output:
            said += ["--list-checks does not tell of " + name, output]
    expect("no file", 2, "no files were named", "--", *runner.flags)
    return said


def main():
    parser = argparse.ArgumentParser()
    for name in ("programs", "work", "include"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("command", "module", "clang-tidy", "compiler", "library"):
        parser.add_argument(f"--{name}")
    parser.add_argument("names", nargs="*", help="programs, without .cpp, and `options`; all unless given")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    programs = sorted(options.programs.glob("*.cpp"))
    if options.names:
        programs = [program for program in programs if program.stem in options.names]
    runner = Runner(options)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(zip([program.name for program in programs], pool.map(runner.examine, programs)))
        if options.command and (not options.names or "options" in options.names):
            results.append(("options", options_wrong(runner)))
        for name, said in results:
            print(f"{name}: {'wrong' if said else 'right'}")
            for line in said:
                print("  " + line.replace("\n", "\n  "))
            failed |= bool(said)
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What gpu-check counts as a fault, and its parts on the CPU. usage: gpu_check_test.py BUILD"""
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from gpu_check import sanitize, sweeps, times
from gpu_check.bundle import Bundle
from gpu_check.part import Clock, Part, run
from gpu_check.report import report

BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else None


def ratio(low, mean, high):
    return {"ratio": {"low": low, "mean": mean, "high": high}}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path


class Times(unittest.TestCase):
    def test_a_kernel_is_slower_where_its_whole_interval_is_beyond_three_percent(self):
        self.assertTrue(times.is_slower(ratio(1.04, 1.06, 1.08)))
        self.assertFalse(times.is_slower(ratio(1.02, 1.06, 1.1)))

    def test_the_mean_of_twice_and_half_as_slow_is_one(self):
        self.assertAlmostEqual(times.geometric_mean([ratio(2, 2, 2), ratio(0.5, 0.5, 0.5)])["mean"], 1)

    def test_which_build_goes_first_alternates(self):
        asked = []

        def build(name, microseconds):
            def ask(_):
                asked.append(name)
                return {"own_us": [microseconds] * 3}

            return types.SimpleNamespace(ask=ask)

        row = times.Comparison(build("base", 10.0), build("new", 20.0)).turns(None, 2)
        self.assertEqual(asked, ["base", "new", "new", "base"])
        self.assertAlmostEqual(row["ratio"]["mean"], 2)

    def test_a_program_that_fails_in_the_new_build_alone_is_a_fault(self):
        def build(answer):
            return types.SimpleNamespace(ask=lambda _: answer)

        part = Part("times")
        settings = types.SimpleNamespace(drawn_seed=1_000_000, drawn=1, device="cpu", turns=2, subject=None)
        comparison = times.Comparison(build({"own_us": [1.0], "explain": ""}), build({"error": "broken"}))
        self.assertEqual(times.time_all(comparison, settings, Clock(100), part), [])
        self.assertEqual(len(part.faults), 1)

    @unittest.skipUnless(BUILD, "without a build folder")
    def test_a_build_beside_itself_is_timed(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "table.md"
            done = subprocess.run([sys.executable, "-B", TOOLS / "gpu-check", "times", "--device", "cpu", "--folder", BUILD,
                                   "--base", BUILD, "--drawn", "1", "--turns", "2", "--seed", "5", "--subject", "few_columns", "--output",
                                   output],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("1 of 1 few_columns programs from seed 1000005", output.read_text())


class Sanitizer(Folder):
    def test_a_report_with_errors_or_hazards_is_a_finding(self):
        (self.folder / "1.report").write_text("========= ERROR SUMMARY: 0 errors\n")
        (self.folder / "2.report").write_text("========= ERROR SUMMARY: 3 errors\n")
        (self.folder / "3.report").write_text("========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n")
        texts, ended = sanitize.findings(self.folder)
        self.assertEqual(([text[0] for text in texts], ended), (["2", "3"], 3))

    def test_without_a_gpu_that_nothing_ran_is_a_fault(self):
        (part,) = sanitize.check_sanitize(types.SimpleNamespace(device="cpu"), 1)
        self.assertEqual(len(part.faults), 1)


class Sweeps(Folder):
    def settings(self, text):
        self.program("sinter_tests", text)
        return types.SimpleNamespace(bundle=Bundle(self.folder), output_folder=self.folder, device="cuda", graphs=1100, seed=7)

    def test_the_share_that_fits_follows_from_a_small_one(self):
        settings = self.settings('sleep 0.1; echo "$SINTER_SWEEP_SHARE" >>shares; echo "test cases: 1 |"\n')
        part = sweeps.sweep_share(settings, "sweep_casts", Clock(4))
        first, second = map(int, (self.folder / "shares").read_text().split())
        self.assertEqual((first, part.faults), (64, []))
        self.assertTrue(1 <= second <= 8, second)

    def test_trees_are_counted_as_far_as_they_ran(self):
        settings = self.settings('echo "test cases: 3 |"; [ "$SINTER_DRAW_SEED" = 7 ] || sleep 1\n')
        part = sweeps.sweep_trees(settings, Clock(0.7))
        self.assertIn("8,000 of 8,800 trees from seed 7", part.done)
        self.assertEqual(part.faults, [])

    def test_a_failure_is_a_fault_with_the_command(self):
        part = sweeps.sweep_trees(self.settings('echo "test cases: 3 |"; exit 1\n'), Clock(10))
        self.assertEqual(len(part.faults), 3)
        self.assertIn("SINTER_DRAW_SEED=507", part.faults[1])

    def test_no_test_is_a_fault(self):
        part = sweeps.sweep_share(self.settings('echo "test cases: 0 |"\n'), "sweep_casts", Clock(1))
        self.assertEqual(len(part.faults), 1)


class Commits(Folder):
    def test_without_git_a_commit_is_unknown(self):
        with unittest.mock.patch.dict("os.environ", PATH=""):
            self.assertEqual(Bundle(self.folder).commit(), "unknown")


class Processes(Folder):
    def test_what_takes_too_long_is_stopped_with_what_it_started(self):
        ended = run([self.program("slow", "sleep 60 & sleep 60\n")], self.folder / "log", 0.2)
        self.assertIsNone(ended.status)


class Reports(Folder):
    def test_a_report_has_a_line_for_each_part_and_the_text_of_each_fault(self):
        (self.folder / "commit").write_text("abcdef0123456789\n")
        settings = types.SimpleNamespace(bundle=Bundle(self.folder), base=None)
        self.assertEqual(settings.bundle.seed(), 0xabcdef0123)
        parts = [Part("fuzz", "5 programs", 1.5, ["n3: differs"]), Part("sweeps", "all", figures=[("mean", "1.0")])]
        text = report(settings, parts, ("a card", "580"), 3)
        for expected in ("| fuzz | 5 programs | 2 | 1 |", "| mean | 1.0 |", "n3: differs", "abcdef0123456789", "a card"):
            self.assertIn(expected, text)


if __name__ == "__main__":
    unittest.main()

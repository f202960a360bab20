#!/usr/bin/env python3
"""The cost model's choices among the candidates that were timed on an H200 stay near the fastest ones.

usage: candidate_regret_test.py SINTER_KERNELS
"""
import json
import pathlib
import subprocess
import sys
import unittest

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"
sys.path.insert(0, str(KERNELS))
from draw import draw  # noqa: E402

TIMES = KERNELS / "candidate_times.csv"


def seeds():
    lines = TIMES.read_text().splitlines()[1:]
    return sorted({int(line.split(",")[0].removeprefix("cuda-")) for line in lines})


class CandidateRegret(unittest.TestCase):
    def setUp(self):
        programs = "".join(draw("cuda", seed).text() for seed in seeds())
        self.regret = json.loads(subprocess.run([sys.argv[1], "replay", f"--times={TIMES}"], input=programs, text=True,
                                                capture_output=True, check=True).stdout)

    def test_every_program_is_replayed(self):
        self.assertEqual(self.regret["programs"], len(seeds()))
        self.assertGreater(self.regret["programs"], 100)

    def test_the_regret_is_bounded(self):
        self.assertLess(self.regret["ranked"]["mean"], 1.13)
        self.assertLess(self.regret["ranked"]["most"], 2.6)

    def test_the_model_is_nearer_to_the_fastest_than_what_it_is_proposed(self):
        self.assertLess(self.regret["ranked"]["mean"], 0.975 * self.regret["proposed"]["mean"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

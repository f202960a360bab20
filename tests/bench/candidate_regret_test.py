#!/usr/bin/env python3
"""The cost model's choices among the candidates that were timed on GPUs stay near the fastest ones.

usage: candidate_regret_test.py SINTER_KERNELS
"""
import json
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"))
from time_table import replayed, timed_programs  # noqa: E402


# Of each table, what the mean regret and the largest stay below.
BOUNDS = {"drawn": (1.13, 3.4), "few_columns": (1.17, 1.6), "rows_and_columns": (1.16, 2.2), "short_rows": (1.32, 3.3),
          "whole_rows": (1.115, 4.2)}


class CandidateRegret(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = {subject: (json.loads(replayed(sys.argv[1], "replay", path, subject, seeds)), len(seeds))
                      for path, subject, seeds in timed_programs()}

    def mean(self, choice):
        """Of all programs, by the tables' means."""
        programs = sum(regret["programs"] for regret, _ in self.tables.values())
        return math.exp(sum(regret["programs"] * math.log(regret[choice]["mean"])
                            for regret, _ in self.tables.values()) / programs)

    def test_every_program_is_replayed(self):
        for subject, (regret, programs) in self.tables.items():
            self.assertEqual(regret["programs"], programs, subject)
        self.assertGreater(sum(programs for _, programs in self.tables.values()), 300)

    def test_the_regret_is_bounded(self):
        self.assertEqual(self.tables.keys(), BOUNDS.keys())
        for subject, (mean, most) in BOUNDS.items():
            ranked = self.tables[subject][0]["ranked"]
            self.assertLess(ranked["mean"], mean, subject)
            self.assertLess(ranked["most"], most, subject)

    def test_the_model_is_nearer_to_the_fastest_than_what_it_is_proposed(self):
        self.assertLess(self.mean("ranked"), 0.975 * self.mean("proposed"))
        for subject, (regret, _) in self.tables.items():
            self.assertLessEqual(regret["ranked"]["mean"], regret["proposed"]["mean"], subject)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

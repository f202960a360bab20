"""Drawn pipelines and their judgement (bench/kernels/pipelines.py)."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"))

from pipelines import SLOWER, judge, page_of  # noqa: E402


def answer(fused, *partitions):
    return {"id": "cpu-1", "fused_us": fused, "explain": "",
            "partitions": [{"stored": stored, "us": times} for stored, times in partitions]}


class Judgement(unittest.TestCase):
    def test_fused_is_compared_with_the_partition_of_the_least_median(self):
        judged = judge(answer([10.0] * 9, ([1], [20.0] * 9), ([2], [5.0] * 8 + [90.0])))
        self.assertEqual(judged["stored"], [2])
        self.assertEqual(judged["quotient"], 2.0)
        self.assertGreater(judged["low"], SLOWER)

    def test_noise_is_no_difference(self):
        judged = judge(answer([10.0, 12.0, 9.0, 11.0, 10.0, 13.0, 9.5], ([1], [11.0, 9.0, 12.0, 10.0, 10.0, 9.0, 12.0])))
        self.assertLess(judged["low"], SLOWER)

    def test_a_program_without_seams_or_with_an_error_is_not_judged(self):
        self.assertIsNone(judge(answer([1.0])))
        self.assertIsNone(judge({"error": "the process ended"}))

    def test_the_page_counts_those_that_are_slower(self):
        rows = [{"id": "cpu-1", "operations": 3, **judge(answer([10.0] * 9, ([1], [5.0] * 9)))},
                {"id": "cpu-2", "operations": 4, **judge(answer([4.0] * 9, ([1], [5.0] * 9)))}]
        args = type("arguments", (), {"commit": "0", "first": 1})
        self.assertIn("1 slower", page_of(rows, {"device": "a card"}, args))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs drawn programs, from drawing to the page. usage: kernel_runs_test.py RUNNER FAKE_CUDA_DRIVER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"
sys.path.insert(0, str(KERNELS))
from draw import FRESH, draw
from element_types import SIZES

FAKE_DRIVER = sys.argv.pop() if len(sys.argv) > 2 else ""
RUNNER = sys.argv.pop() if len(sys.argv) > 1 else ""


class Answers(unittest.TestCase):
    def test_results_have_the_types_and_shapes_that_the_generator_takes_them_for(self):
        runner = subprocess.Popen([RUNNER, "answer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for seed in range(FRESH, FRESH + 25):
            program = draw("cpu", seed, (1 << 14, 1e7))
            zeros = [bytes(at.buffer_elements() * SIZES[at.type]) for at in program.inputs()]
            runner.stdin.write(program.text().encode() + b"".join(zeros))
            runner.stdin.flush()
            head = runner.stdout.readline().decode()
            self.assertEqual(head.split()[0], "ok", f"{program.id}: {head}")
            for value in program.out:
                kind, _, *shape = runner.stdout.readline().decode().split()
                shape = tuple(map(int, shape))
                self.assertEqual((kind, shape), (program.types[value], program.shapes[value]), program.id)
                size = SIZES[kind]
                for extent in shape:
                    size *= extent
                self.assertEqual(len(runner.stdout.read(size)), size)
        runner.stdin.close()
        self.assertEqual(runner.wait(), 0)
        runner.stdout.close()

    def test_a_text_that_is_no_program_is_refused(self):
        text = b"program x standard fused\nnothing 1 2\nend\n"
        done = subprocess.run([RUNNER, "time"], input=text, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"nothing", done.stderr)


class Partitions(unittest.TestCase):
    def test_a_pipeline_is_timed_beside_its_partitions_each_as_often(self):
        program = draw("cpu", 4_000_000, (1 << 14, 1e7), subject="pipeline")
        done = subprocess.run([RUNNER, "partitions", "--pairs=5"], input=f"roofline 64 64\n{program.text()}".encode(),
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout.splitlines()[1])
        self.assertEqual(len(answer["fused_us"]), 5)
        self.assertTrue(answer["partitions"])
        for each in answer["partitions"]:
            self.assertEqual(len(each["us"]), 5)
            self.assertTrue(each["stored"])


class BareKernels(unittest.TestCase):
    def test_cuda_has_a_bare_kernel_for_every_proportion_of_reads_and_writes(self):
        """On a driver that launches nothing: NVRTC compiles the texts, and each program gets its pairs."""
        program = draw("cuda", FRESH, (1 << 14, 1e7)).text()
        moves = [(64, 64), (4096, 64), (64, 4096), (0, 64), (64, 0), (1 << 20, 3 << 20), (5 << 20, 1 << 20)]
        text = "".join(f"roofline {read} {written}\n{program}" for read, written in moves)
        environment = dict(os.environ, SINTER_CUDA_DRIVER=FAKE_DRIVER, SINTER_CACHE="off")
        done = subprocess.run([RUNNER, "time", "--device=cuda", "--pairs=3"], input=text.encode(), capture_output=True,
                              env=environment)
        if b"NVRTC" in done.stderr:
            self.skipTest("without NVRTC")
        self.assertEqual(done.returncode, 0, done.stderr)
        machine, *rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(set(machine["instructions_a_second"]), {"f32", "f64", "i32", "i64", "special"})
        self.assertEqual([len(row.get("bare_us", [])) for row in rows], [3] * len(moves), rows)


class Shards(unittest.TestCase):
    def run_shard(self, folder, shard, seconds="60"):
        out = folder / f"{shard.replace('/', '-')}-{seconds}.jsonl"
        command = f"--target cpu --fresh 4 --first 2002044 --shard {shard} --seconds {seconds} --pairs 5 --peers none"
        subprocess.run([sys.executable, "-B", KERNELS / "run.py", "--out", out, *command.split(), "--runner", RUNNER],
                       check=True, stdout=subprocess.DEVNULL)
        return out

    def test_shards_merge_to_a_page(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shards = [self.run_shard(folder, shard) for shard in ("0/2", "1/2")]
            # A shard without time skips, and says so.
            empty = self.run_shard(folder, "0/2", "0")
            rows = [json.loads(line) for line in empty.read_text().splitlines()][1:]
            self.assertEqual([list(row)[-1] for row in rows], ["skipped"] * 2)
            subprocess.run([sys.executable, "-B", KERNELS / "merge.py", empty, *shards, "--out", folder / "all.json"],
                           check=True, stdout=subprocess.DEVNULL)
            record = json.loads((folder / "all.json").read_text())
            self.assertEqual([row["seed"] for row in record["kernels"]], list(range(2002044, 2002048)))
            for row in record["kernels"]:
                self.assertNotIn("skipped", row)
                self.assertLessEqual(row["roofline"]["low"], row["roofline"]["high"])
                self.assertIn("stage 1 of", row["explain"])
            subprocess.run([sys.executable, "-B", KERNELS / "page.py", folder / "all.json", "--out", folder / "page"],
                           check=True, stdout=subprocess.DEVNULL)
            page = (folder / "page.md").read_text()
            for plot in ("page-fractions.svg", "page-sizes.svg"):
                self.assertIn(f"({plot})", page)
                self.assertTrue((folder / plot).read_text().startswith("<svg"))


if __name__ == "__main__":
    unittest.main()

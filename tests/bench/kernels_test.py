#!/usr/bin/env python3
"""Tests of the drawn programs of bench/kernels: what is drawn, what a roofline asks for, how shards come together."""
import collections
import functools
import hashlib
import itertools
import json
import math
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "kernels"))
import bounds
import draw
import merge
import operations
import page
import roofline
import run
from draws import Draws
from element_types import KINDS, SIZES, promote
from program import Axis, Layout, Program, operations_of
from subjects import SUBJECTS
from translate import translate

# Of the texts of the samples. A change that draws other programs changes these: figures before and after it are then of
# different programs, and the held-out half is a new one.
DIGESTS = {"cuda": "29b25d4f7025faf6", "cpu": "a783d5e2d8052c37"}


@functools.cache
def first(target):
    """The programs of the first 600 seeds."""
    return [draw.draw(target, seed) for seed in range(600)]


def drawn(target, count=600):
    return first(target)[:count]


def layout(kind, extents, strides_of=None, lead=0):
    """A contiguous operand."""
    axes = tuple(Axis(axis) for axis in range(len(extents)))
    return Layout(kind, tuple(extents), tuple(extents), axes, lead)


class Sample(unittest.TestCase):
    def test_a_seed_is_the_same_program_everywhere(self):
        for target, digest in DIGESTS.items():
            texts = "".join(program.text() for program in drawn(target, draw.SAMPLES[target]))
            self.assertEqual(hashlib.sha256(texts.encode()).hexdigest()[:16], digest, target)

    def test_half_of_each_sample_is_held_out(self):
        for target, count in draw.SAMPLES.items():
            fit, held = (set(draw.sample(target, which)) for which in ("fit", "held"))
            self.assertFalse(fit & held)
            self.assertEqual((len(fit), len(held)), (count // 2, count // 2))
            self.assertLess(max(fit | held), draw.FRESH)

    def test_smaller_limits_keep_the_program(self):
        same = 0
        for seed in range(40):
            large, small = draw.draw("cpu", seed), draw.draw("cpu", seed, (1 << 16, 1e9))
            self.assertLessEqual(small.bytes(), 1 << 16)
            same += [node["k"] for node in large.nodes] == [node["k"] for node in small.nodes]
        self.assertGreater(same, 30)  # bounds of sums depend on extents, so some differ

    def test_everything_that_can_be_drawn_is(self):
        for target in draw.SAMPLES:
            programs = drawn(target)
            inputs = [at for program in programs for at in program.inputs()]
            nodes = [node for program in programs for node in program.nodes]
            self.assertEqual({program.family for program in programs}, set(draw.FAMILIES))
            self.assertEqual({program.mode for program in programs}, {"standard", "strict", "fast"})
            self.assertEqual({at.kind for at in inputs}, set(draw.LAYOUTS))
            self.assertEqual({at.type for at in inputs}, set(draw.TYPES))
            self.assertEqual({len(at.extents) for at in inputs if at.kind == "contiguous"}, {1, 2, 3, 4, 5})
            named = {node["op"] for node in nodes if "op" in node}
            self.assertEqual(named & set(operations.REDUCTIONS), set(operations.REDUCTIONS))
            self.assertEqual(named & set(operations.SCANS), set(operations.SCANS))
            self.assertLess(len(set(operations.OPERATIONS) - named), 4, set(operations.OPERATIONS) - named)
            self.assertEqual({len(program.out) for program in programs}, {1, 2, 3})

    def test_sizes_bodies_and_ratios_are_spread(self):
        for target, large in (("cuda", 29), ("cpu", 28)):
            programs = drawn(target)
            sizes = [math.log2(program.bytes()) for program in programs]
            self.assertLess(min(sizes), 12)
            self.assertGreater(max(sizes), large)
            bodies = sorted(map(operations_of, programs))
            self.assertLessEqual(bodies[len(bodies) // 5], 3)
            self.assertGreater(bodies[-1], 95)
            extents = [extent for program in programs for at in program.inputs() for extent in at.extents if extent > 8]
            powers = sum(extent & extent - 1 == 0 for extent in extents) / len(extents)
            self.assertTrue(0.35 < powers < 0.65, powers)
            shares = []
            for program in programs:
                for node in program.nodes:
                    if node["k"] == "reduce" and math.prod(program.shapes[node["a"][0]]) > 1024:
                        whole = math.prod(program.shapes[node["a"][0]])
                        kept = math.prod(program.shapes[program.nodes.index(node)])
                        shares.append(math.log(whole / kept, whole))
            thirds = collections.Counter(min(2, int(share * 3)) for share in shares)
            self.assertEqual(set(thirds), {0, 1, 2})
            self.assertGreater(min(thirds.values()), len(shares) / 12)

    def test_every_permutation_can_be_drawn(self):
        seen = {tuple(axis.along for axis in at.axes) for target in draw.SAMPLES for program in drawn(target)
                for at in program.inputs() if at.kind == "permuted"}
        for rank in (2, 3):
            self.assertLessEqual(set(itertools.permutations(range(rank))), seen)
        draws = Draws("permutations")
        self.assertEqual(len({tuple(draws.shuffled(range(5))) for _ in range(2000)}), 120)

    def test_programs_are_within_the_limits(self):
        for target, (bytes_, work) in draw.LIMITS.items():
            for program in drawn(target, 200):
                self.assertLessEqual(program.bytes(), bytes_)
                self.assertLessEqual(draw.work_of(program), work)

    def test_every_operand_is_used(self):
        for program in drawn("cuda", 300):
            used = {value for node in program.nodes for value in node.get("a", [])} | set(program.out)
            for value, node in enumerate(program.nodes):
                self.assertTrue(node["k"] != "input" or value in used, f"{program.id} n{value}")

    def test_layouts_stay_in_their_buffers(self):
        for program in drawn("cpu", 300):
            for at in program.inputs():
                strides = at.strides()
                first = at.offset() + sum(min(0, stride * (extent - 1)) for stride, extent in zip(strides, at.extents))
                last = at.offset() + sum(max(0, stride * (extent - 1)) for stride, extent in zip(strides, at.extents))
                self.assertGreaterEqual(first, 0)
                self.assertLess(last, at.buffer_elements())


@functools.cache
def with_subjects(target):
    """Fifteen programs of each subject."""
    return [draw.draw(target, draw.FRESH + seed, subject=name) for name in SUBJECTS for seed in range(15)]


class Subjects(unittest.TestCase):
    def test_a_third_of_fresh_seeds_has_one_and_the_samples_have_none(self):
        for target, count in draw.SAMPLES.items():
            self.assertEqual({draw.subject_of(target, seed) for seed in range(count)}, {None})
            named = [draw.subject_of(target, draw.FRESH + seed) for seed in range(1000)]
            self.assertEqual(set(named), {None, *SUBJECTS})
            self.assertTrue(0.28 < 1 - named.count(None) / 1000 < 0.38, named.count(None))

    def test_a_seed_without_a_subject_is_what_it_was(self):
        """The draw of a subject takes no number from the draws of the program."""
        with unittest.mock.patch.object(draw, "WITH_SUBJECT", 0):
            before = {seed: draw.draw("cpu", seed).text() for seed in range(draw.FRESH, draw.FRESH + 30)}
        kept = [seed for seed in before if draw.subject_of("cpu", seed) is None]
        self.assertGreater(len(kept), 10)
        for seed in kept:
            self.assertEqual(draw.draw("cpu", seed).text(), before[seed])

    def test_programs_are_within_the_limits(self):
        for target, (bytes_, work) in draw.LIMITS.items():
            for program in with_subjects(target):
                self.assertLessEqual(program.bytes(), bytes_)
                self.assertLessEqual(draw.work_of(program), work)
                self.assertGreater(roofline.requirements(program, target)["read"], 0)

    def test_smaller_limits_hold(self):
        for name in SUBJECTS:
            for seed in range(draw.FRESH, draw.FRESH + 30):
                self.assertLessEqual(draw.draw("cpu", seed, (1 << 14, 1e7), name).bytes(), 1 << 14, (name, seed))

    def test_every_value_is_used(self):
        for program in with_subjects("cuda"):
            used = {value for node in program.nodes for value in node.get("a", [])} | set(program.out)
            unused = [node["k"] for value, node in enumerate(program.nodes) if value not in used]
            self.assertLessEqual(set(unused), {"literal"}, program.text())

    def test_they_become_functions_for_the_peers(self):
        for peer in ("torch", "jax"):
            for program in with_subjects("cpu"):
                compile(translate(program, peer), program.id, "exec")

    def test_short_rows_are_short_and_many(self):
        for seed in range(draw.FRESH, draw.FRESH + 30):
            whole = draw.draw("cuda", seed, subject="short_rows").inputs()[0].extents
            self.assertTrue(2 <= whole[-1] <= 64, whole)
            self.assertGreater(math.prod(whole), 1 << 19)


class Types(unittest.TestCase):
    def test_promotion_is_symmetric_and_numpys(self):
        for a, b in itertools.product(SIZES, repeat=2):
            self.assertEqual(promote(a, b), promote(b, a))
        for a, b, c in (("int8", "uint8", "int16"), ("int64", "uint64", "float64"), ("int16", "float16", "float32"),
                        ("int32", "float32", "float64"), ("bool", "uint16", "uint16"),
                        ("int32", "complex64", "complex128"), ("float16", "bfloat16", "float32"),
                        ("uint8", "bfloat16", "bfloat16")):
            self.assertEqual(promote(a, b), c)


class Lines(unittest.TestCase):
    def test_lines_are_those_that_counting_finds(self):
        draws = Draws("lines")
        for _ in range(400):
            rank = draws.between(1, 4)
            extents = [draws.between(1, 8) for _ in range(rank)]
            steps = [draws.pick((1, 1, 2, 3, 4, -1, -2)) for _ in range(rank)]
            margins = [draws.pick((0, 0, 0, 5, 20)) for _ in range(rank)]
            absent = tuple(axis for axis in range(rank) if draws.chance(15))
            how = draw.Placement(draws.shuffled(range(rank)), steps, margins, absent, draws.below(9))
            at = draw.place("float32", extents, how, "")
            size, line = draws.pick((1, 2, 4, 8, 16)), draws.pick((32, 64))
            strides = [stride * size for stride in at.strides()]
            touched = set()
            for index in itertools.product(*map(range, extents)):
                first = at.offset() * size + sum(i * stride for i, stride in zip(index, strides))
                touched |= {first // line, (first + size - 1) // line}
            self.assertEqual(roofline.lines_touched(at.offset() * size, extents, strides, size, line), len(touched))

    def test_windows_of_an_operand_count_once(self):
        at = layout("float32", (64, 64))
        nodes = [{"k": "input", "layout": at}] + [
            {"k": "view", "a": [0], "items": [f"s:{1 + shift}:{shift - 1 or '_'}:_", "s:_:_:_"]} for shift in (0, 1)]
        program = Program("x", "stencil", "standard", nodes, ["float32"] * 3, [(64, 64), (62, 64), (62, 64)], [1])
        self.assertEqual(roofline.lines_read(program, 0, 32), 63 * 64 * 4 // 32)

    def test_windows_of_indices_new_axes_and_other_orders(self):
        self.assertEqual(roofline.window_of(["s:1:-2:_", "n", "i:2"], (10, 3)), [(1, 7), (2, 1)])
        self.assertEqual(roofline.window_of(["s:_:_:-1", "s:_:4:_"], (10, 8)), [(0, 10), (0, 4)])
        self.assertEqual(roofline.window_of(["p:1", "p:0"], (10, 3)), [(0, 10), (0, 3)])


def softmax(rows, columns):
    nodes = [{"k": "input", "layout": layout("float32", (rows, columns))},
             {"k": "reduce", "op": "max", "a": [0], "axes": 2, "keep": True},
             {"k": "apply", "op": "subtract", "a": [0, 1]}, {"k": "apply", "op": "exp", "a": [2]},
             {"k": "reduce", "op": "sum", "a": [3], "axes": 2, "keep": True},
             {"k": "apply", "op": "true_divide", "a": [3, 4]}]
    whole, one = (rows, columns), (rows, 1)
    return Program("softmax", "broadcast_back", "standard", nodes, ["float32"] * 6,
                   [whole, one, whole, whole, one, whole], [5])


class Passes(unittest.TestCase):
    def test_rows_that_stay_on_the_chip_are_read_once(self):
        needed = roofline.requirements(softmax(1 << 14, 1 << 12), "cuda")
        self.assertEqual((needed["launches"], needed["read"]), (1, 4 << 26))
        self.assertEqual(needed["written"], 4 << 26)

    def test_longer_rows_are_read_in_every_pass(self):
        needed = roofline.requirements(softmax(4, 1 << 24), "cuda")
        self.assertEqual((needed["launches"], needed["read"]), (3, 3 * (4 << 26)))

    def test_what_the_cache_holds_is_read_once(self):
        needed = roofline.requirements(softmax(2, 1 << 22), "cuda")
        self.assertEqual((needed["launches"], needed["read"]), (3, 4 << 23))

    def test_a_result_that_meets_no_element_needs_no_further_pass(self):
        nodes = [{"k": "input", "layout": layout("float32", (1 << 28,))},
                 {"k": "reduce", "op": "sum", "a": [0], "axes": 1, "keep": False},
                 {"k": "apply", "op": "sqrt", "a": [1]}]
        program = Program("x", "reduce", "standard", nodes, ["float32"] * 3, [(1 << 28,), (), ()], [2])
        self.assertEqual(roofline.requirements(program, "cuda")["launches"], 1)

    def test_a_product_that_is_added_is_one_instruction(self):
        nodes = [{"k": "input", "layout": layout("float32", (8,))}, {"k": "apply", "op": "multiply", "a": [0, 0]},
                 {"k": "apply", "op": "add", "a": [1, 0]}]
        program = Program("x", "pointwise", "standard", nodes, ["float32"] * 3, [(8,)] * 3, [2])
        self.assertEqual(roofline.instructions(program, roofline.TARGETS["cuda"])["f32"], 8)


class Translations(unittest.TestCase):
    def test_every_program_becomes_a_function_of_its_buffers(self):
        for peer in ("torch", "jax"):
            for program in drawn("cuda", 200):
                text = translate(program, peer)
                compile(text, program.id, "exec")
                names = ", ".join(f"b{buffer}" for buffer in range(len(program.inputs())))
                self.assertIn(f"def kernel({names}):", text)

    def test_views(self):
        nodes = [{"k": "input", "layout": layout("float32", (4, 3))}] + [
            {"k": "view", "a": [0], "items": items}
            for items in (["s:1:_:_", "n", "i:2"], ["s:_:_:-1", "s:_:2:_"], ["p:1", "p:0"])]
        shapes = [(4, 3), (3, 1), (4, 2), (3, 4)]
        program = Program("x", "stencils", "standard", nodes, ["float32"] * 4, shapes, [1, 2, 3])
        for peer, lines in (("torch", ("n0[1::, None, 2]", "torch.flip(n0[:, :2:], [0])", "n0.permute([1, 0])")),
                            ("jax", ("n0[1::, None, 2]", "n0[::-1, :2:]", "n0.transpose([1, 0])"))):
            text = translate(program, peer)
            for number, line in enumerate(lines, 1):
                self.assertIn(f"n{number} = {line}\n", text)


def fake_row(seed, **more):
    return {"id": f"cpu-{seed}", "seed": seed, "set": "fit"} | more


def fake_timed(seed, own, bare):
    program = draw.draw("cpu", seed)
    return fake_row(seed, facts=run.facts_of(program), needed=roofline.requirements(program, "cpu"), own_us=own,
                    bare_us=bare, explain="text", first_ms=1.0)


HEAD = {"target": "cpu", "shard": [0, 2], "set": "all", "date": "", "commit": "", "peers": {},
        "machine": {"device": "none", "details": "", "launch_us": 1.0,
                    "instructions_a_second": dict.fromkeys(roofline.RATES, 1e30)}}


class Shards(unittest.TestCase):
    def arguments(self, shard, which="all"):
        return type("arguments", (), {"fresh": 0, "first": 0, "seeds": [], "target": "cpu", "set": which, "shard": shard})

    def test_shards_are_a_partition_of_the_sample(self):
        for count in (1, 7, 40):
            parts = [run.seeds_of(self.arguments((number, count))) for number in range(count)]
            together = sorted(seed for part in parts for seed in part)
            self.assertEqual(together, draw.sample("cpu"))
            self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)

    def test_peers_run_a_quarter_of_both_halves(self):
        for target, count in draw.SAMPLES.items():
            compared = [seed for seed in draw.sample(target) if run.is_compared(f"{target}-{seed}", 4)]
            self.assertTrue(0.2 < len(compared) / count < 0.32, len(compared))
            self.assertTrue(0.4 < sum(seed % 2 for seed in compared) / len(compared) < 0.6)

    def test_merged_shards_are_the_whole_and_keep_what_was_timed(self):
        timed, skipped = fake_timed(0, [2.0] * 5, [1.0] * 5), fake_row(0, skipped="over")
        other = fake_row(1, error="no")
        for order in ([(HEAD, [timed, other]), (HEAD, [skipped])], [(HEAD, [skipped]), (HEAD, [other, timed])]):
            record = merge.record_of(order)
            self.assertEqual([row["seed"] for row in record["kernels"]], [0, 1])
            self.assertAlmostEqual(record["kernels"][0]["roofline"]["mean"], 2.0, places=6)
            self.assertEqual(record["kernels"][1]["error"], "no")

    def test_a_shard_that_was_cut_off_is_read_as_far_as_it_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "shard.jsonl"
            path.write_text(json.dumps(HEAD) + "\n" + json.dumps(fake_row(0, skipped="over")) + '\n{"id": "cp')
            self.assertEqual(len(merge.read_shard(path)[1]), 1)

    def test_further_launches_and_arithmetic_raise_the_roofline(self):
        row = fake_timed(0, [20.0] * 5, [1.0] * 5)
        row["needed"] |= dict.fromkeys(roofline.RATES, 0) | {"launches": 3}
        self.assertAlmostEqual(merge.figures(row, HEAD)["roofline_us"], 3.0)
        row["needed"] |= {"f32": 4e9}
        slow = HEAD | {"machine": HEAD["machine"] | {"instructions_a_second": dict.fromkeys(roofline.RATES, 1e15)}}
        self.assertAlmostEqual(merge.figures(row, slow)["roofline_us"], 4.0 + 1 + 2, places=2)

    def test_the_page_has_the_worst_and_what_was_left_out(self):
        rows = [fake_timed(seed, [seed + 1.0] * 5, [1.0] * 5) for seed in range(30)] + [fake_row(40, skipped="over")]
        text = page.page_of(merge.record_of([(HEAD, rows)]), "A page", ["a.svg", "b.svg"])
        self.assertEqual(text.count("<details>"), 20)
        self.assertIn("<details><summary>cpu-29</summary>", text)
        self.assertIn("cpu-40", text.split("## Left out")[1])


class Bounds(unittest.TestCase):
    def test_students_quantiles(self):
        for degrees, value in ((1, 6.314), (9, 1.833), (29, 1.699), (1000, 1.646)):
            self.assertAlmostEqual(bounds.student_95(degrees), value, places=3)

    def test_bounds_hold_the_mean_and_narrow_with_more_samples(self):
        few = bounds.ratio_of_pairs([2.0, 2.2] * 3, [1.0] * 6)
        many = bounds.ratio_of_pairs([2.0, 2.2] * 30, [1.0] * 60)
        self.assertAlmostEqual(few["mean"], math.sqrt(4.4), places=9)
        self.assertLess(few["low"], many["low"])
        self.assertLess(many["high"], few["high"])
        apart = bounds.ratio_of_two([2.0, 2.2] * 3, [1.0, 1.1] * 3)
        self.assertAlmostEqual(apart["mean"], 2.0, places=9)
        self.assertLess(apart["low"], 2.0)


class Commits(unittest.TestCase):
    def test_without_git_a_commit_is_unknown(self):
        with unittest.mock.patch.dict("os.environ", PATH=""):
            self.assertEqual(run.commit(), "unknown")


if __name__ == "__main__":
    unittest.main()

"""Runs a program and compares its results with the oracle's."""

import dataclasses
import re

import numpy as np

from .oracle.comparison import describe_difference, nature_of_difference
from .oracle.evaluate import TooLarge, evaluate
from .oracle.value import Refused
from .program import memory_of
from .program_text import buffers_of
from .targets import bytes_of_target, elements_that_stay


@dataclasses.dataclass
class Outcome:
    """`status` is "ok", "wrong", "error", "crash", "hang" or "not refused"; `text` says what is wrong."""

    status: str
    text: str = ""
    differences: dict = dataclasses.field(default_factory=dict)  # by output: (result, expected value)
    nature: str = ""  # of the first difference, of the error or of the crash

    @property
    def is_fault(self):
        return self.status != "ok"


def written_outside(program, after):
    """The first buffer that was written outside of the targets, or None."""
    for number, (before, written) in enumerate(zip(buffers_of(program), after)):
        covered = np.zeros(before.nbytes, bool)
        for target in program.targets:
            if memory_of(target) is before:
                covered |= bytes_of_target(target, before)
        if (np.frombuffer(before.tobytes("A"), np.uint8)[~covered] != written[~covered]).any():
            return number
    return None


def without_overwritten(program, values, results):
    """The results with what is expected in place of the elements that later results overwrite."""
    if not program.targets:
        return results
    kept = []
    for output, result, stays in zip(program.outputs, results, elements_that_stay(program.targets)):
        expected = values[output].array
        comparable = (result.dtype, result.shape) == (expected.dtype, expected.shape)
        kept.append(np.where(stays, result, expected) if comparable and not stays.all() else result)
    return kept


def compare_outputs(program, values, answer):
    texts, differences = [], {}
    results = without_overwritten(program, values, answer.outputs)
    for position, (output, result) in enumerate(zip(program.outputs, results)):
        difference = describe_difference(result, values[output], program.mode == "strict")
        if difference:
            texts.append(f"output {position} (n{output}): {difference}")
            differences[output] = (result, values[output])
    return texts, differences


def nature_of_failure(answer):
    """The kind of an error and its first word, or the signal of a crash."""
    if answer.status == "hang":
        return ""
    return " ".join(re.match(r"(\w+): ([a-zA-Z_]*)", answer.text).groups()) if answer.error_kind else answer.text


def check(driver, program, variant="fused", timeout=60):
    try:
        values = evaluate(program, variant)
    except TooLarge:
        if variant != "unfused":
            raise
        return Outcome("ok")  # a size that wraps around, where a fused program is refused
    except Refused as refusal:
        answer = driver.run(program, variant, timeout)
        if answer.error_kind == refusal.kind or (refusal.if_used and answer.status == "ok"):
            return Outcome("ok")
        return Outcome("not refused", f"{answer.status} {answer.text} instead of {refusal.kind}")
    answer = driver.run(program, variant, timeout)
    if answer.status != "ok":
        return Outcome(answer.status, answer.text, nature=nature_of_failure(answer))
    texts, differences = compare_outputs(program, values, answer)
    if texts:
        nature = nature_of_difference(*next(iter(differences.values())), program.mode == "strict")
        return Outcome("wrong", texts[0], differences, nature)
    buffer = written_outside(program, answer.buffers)
    return (
        Outcome("ok")
        if buffer is None
        else Outcome("wrong", f"buffer {buffer} was written outside of the targets")
    )

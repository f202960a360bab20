"""The driver of compiled forms: of a program it reads the arrays alone, and the parameters, which are arrays of
rank 0 behind them."""

import numpy as np

from ..driver_process import DriverProcess
from ..element_types import DTYPES, scalar_array
from ..program import Input
from ..program_text import buffers_of


def memory_of_form(program):
    """A program that has the arrays, the parameters and as many results."""
    inputs = [node for node in program.nodes if isinstance(node, Input)]
    numbers = [Input(np.array(scalar_array(node.value, DTYPES[node.type]))) for node in program.parameters()]
    outputs = (0,) * len(program.outputs)
    return program.replace(nodes=(*inputs, *numbers), outputs=outputs, named={})


class FormsDriver(DriverProcess):
    def run(self, program, variant, timeout=60):
        memory = memory_of_form(program)
        answer = super().run(memory, variant, timeout)
        # The buffers of parameters lie between those of the arrays.
        own = {id(buffer) for buffer in buffers_of(program)}
        answer.buffers = [
            after for buffer, after in zip(buffers_of(memory), answer.buffers) if id(buffer) in own
        ]
        return answer

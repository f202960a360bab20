"""A program as a Python function for PyTorch or JAX: the same operations in the same types, over the same storage.

A layout becomes views inside of the function, so that the compiler of the peer sees them: JAX has no strided arrays.
"""
from operations import OPERATIONS, REDUCTIONS, SCANS
from program import axes_of

HEADERS = {"torch": '''import torch
def place(function, x, axes, keep):
    kept = [axis for axis in range(x.dim()) if axis not in axes]
    shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
    made = function(x.permute(kept + list(axes)).reshape([x.shape[axis] for axis in kept] + [-1]), -1)
    return made.reshape(shape) if keep else made
def product(x, axes, keep, dtype):
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keep, dtype=dtype)
    return x
''', "jax": '''import jax
import jax.numpy as jnp
import jax.scipy
def place(function, x, axes, keep):
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
    made = function(x.transpose(kept + list(axes)).reshape([x.shape[axis] for axis in kept] + [-1]), -1)
    made = made.astype(jnp.int64)
    return made.reshape(shape) if keep else made
'''}


def translate(program, peer):
    """The text of `kernel(*buffers)`, where a buffer is one-dimensional and of its input's type."""
    return Translation(program, peer).text()


class Translation:
    def __init__(self, program, peer):
        self.program, self.peer = program, peer
        self.library = "torch" if peer == "torch" else "jnp"

    def text(self):
        lines, buffers = [], 0
        for index, node in enumerate(self.program.nodes):
            if node["k"] == "input":
                lines += self.operand(f"b{buffers}", node["layout"], index)
                buffers += 1
            elif node["k"] != "literal":
                lines.append(f"n{index} = {self.value(node, index)}")
        names = ", ".join(f"b{buffer}" for buffer in range(buffers))
        results = ", ".join(f"n{value}" for value in self.program.out)
        return "\n".join([HEADERS[self.peer] + f"def kernel({names}):"] + ["    " + line for line in lines] +
                         [f"    return ({results},)", ""])

    def type(self, kind):
        return f"{self.library}.{kind}" if kind != "bool" else f"{self.library}.bool" + "_" * (self.library == "jnp")

    def converted(self, name, kind):
        return f"{name}.to({self.type(kind)})" if self.peer == "torch" else f"{name}.astype({self.type(kind)})"

    def operand(self, buffer, at, index):
        """The views that make an operand of its storage."""
        name = f"n{index}"
        lines = [f"{name} = {buffer}[{at.lead}:].reshape({list(at.storage)})"]
        present = [axis for axis in at.axes if axis.along is not None]
        cuts, flips = [], []
        for along, extent in enumerate(at.storage):
            cut, flipped = self.cut(at, along, extent)
            cuts.append(cut)
            flips += [along] * flipped
        lines.append(f"{name} = {name}[{', '.join(cuts)}]" if cuts else "")
        flip = f"torch.flip({name}, {flips})" if self.peer == "torch" else f"jnp.flip({name}, {flips})"
        lines.append(f"{name} = {flip}" if flips else "")
        order = [axis.along for axis in present]
        turn = "permute" if self.peer == "torch" else "transpose"
        lines.append(f"{name} = {name}.{turn}({order})" if order != sorted(order) else "")
        if len(present) < len(at.axes):
            shape = [1 if axis.along is None else extent for axis, extent in zip(at.axes, at.extents)]
            spread = (f"{name}.reshape({shape}).expand({list(at.extents)})" if self.peer == "torch"
                      else f"jnp.broadcast_to({name}.reshape({shape}), {list(at.extents)})")
            lines.append(f"{name} = {spread}")
        return [line for line in lines if line]

    def cut(self, at, along, extent):
        """The slice of a storage axis, with a step above 0, and whether it is flipped after it."""
        axis, length = next((axis, length) for axis, length in zip(at.axes, at.extents) if axis.along == along)
        last = axis.start + (length - 1) * axis.step
        low, high = min(axis.start, last), max(axis.start, last)
        if (low, high, abs(axis.step)) == (0, extent - 1, 1):
            return ":", axis.step < 0
        return f"{low}:{high + 1}:{abs(axis.step)}", axis.step < 0

    # ---- values ----
    def value(self, node, index):
        return getattr(self, node["k"])(node, index)

    def apply(self, node, index):
        row, kind = OPERATIONS[node["op"]], self.program.computed(node)
        operands = [self.argument(value, "bool" if node["op"] == "where" and position == 0 else kind)
                    for position, value in enumerate(node["a"])]
        return row_text(row, self.peer).format(*operands)

    def argument(self, value, kind):
        node = self.program.nodes[value]
        if node["k"] == "literal":
            number = bool(node["py"]) if kind == "bool" else node["py"]
            if self.peer == "torch":
                return f"torch.full((), {number!r}, dtype={self.type(kind)}, device=b0.device)"
            return f"jnp.asarray({number!r}, {self.type(kind)})"
        return f"n{value}" if self.program.types[value] == kind else self.converted(f"n{value}", kind)

    def cast(self, node, index):
        return self.converted(f"n{node['a'][0]}", node["t"])

    def view(self, node, index):
        value, items = f"n{node['a'][0]}", node["items"]
        if items and items[0][0] == "p":
            turn = "permute" if self.peer == "torch" else "transpose"
            return f"{value}.{turn}({[int(item[2:]) for item in items]})"
        # PyTorch has no slices backwards; the generator draws only those of whole axes, without indices beside them.
        flips = [axis for axis, item in enumerate(items) if item == "s:_:_:-1"] if self.peer == "torch" else []
        cuts = [":" if axis in flips else cut_text(item) for axis, item in enumerate(items)]
        text = f"{value}[{', '.join(cuts)}]"
        return f"torch.flip({text}, {flips})" if flips else text

    def reduce(self, node, index):
        value = f"n{node['a'][0]}"
        row = REDUCTIONS[node["op"]]
        axes = tuple(axes_of(node["axes"]))
        return row[1 if self.peer == "torch" else 2].format(value, axes=axes, keep=node["keep"],
                                                            type=self.type(self.program.types[index]))

    def scan(self, node, index):
        text = SCANS[node["op"]][self.peer != "torch"]
        return text.format(f"n{node['a'][0]}", axis=node["axis"], type=self.type(self.program.types[index]))


def cut_text(item):
    """What stands between brackets for an item of a view that does not permute."""
    if item == "n":
        return "None"
    if item[0] == "i":
        return item[2:]
    return ":".join("" if bound == "_" else bound for bound in item[2:].split(":"))


def row_text(row, peer):
    return row.torch if peer == "torch" else row.jax

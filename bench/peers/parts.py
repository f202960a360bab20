"""The workloads of bench/parts, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines; peers.py runs this file.
Sizes are those of bench/parts/parts.cpp for the device."""
ROWS, COLUMNS = (2 ** 14 if dev == "cuda" else 2 ** 12), 2 ** 13
LENGTH = ROWS * COLUMNS


def run_parts(name, elements, make, form):
    """form(library) -> the function; `elements` are those of the operands and the result."""
    run(name, 4 * elements, make, form(torch), cp and form(cp), jax and form(jnp), np and form(np))


# ---- what PyTorch names otherwise ----

def roll(lib, x, distance, axis):
    return lib.roll(x, distance, axis) if lib is not torch else torch.roll(x, distance, dims=axis)


def concatenate(lib):
    return lambda *xs: lib.concatenate(xs, 0) if lib is not torch else torch.cat(xs, 0)


def concatenate_columns(lib):
    return lambda *xs: lib.concatenate(xs, 1) if lib is not torch else torch.cat(xs, 1)


def padded(mode, torch_mode, **value):
    def form(lib):
        def of_torch(x):
            # Modes other than constant take images with axes for samples and channels.
            around = {"value": value["constant_values"]} if value else {}
            return torch.nn.functional.pad(x[None, None], (3, 3, 3, 3), mode=torch_mode, **around)[0, 0]
        return of_torch if lib is torch else lambda x: lib.pad(x, 3, mode=mode, **value)
    return form


def window_sum(lib):
    def of_cupy(x):
        windows = cp.lib.stride_tricks.as_strided(x, (x.shape[0], x.shape[1] - 4, 5), (*x.strides, x.strides[1]))
        return windows.sum(2)
    if lib is torch:
        return lambda x: x.unfold(1, 5, 1).sum(2)
    if lib is cp:
        return of_cupy
    if lib is jnp:
        return lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 5), (1, 1), "valid")
    return lambda x: np.lib.stride_tricks.sliding_window_view(x, 5, axis=1).sum(2)


# ---- the workloads ----

STENCIL = (ROWS, 2 * COLUMNS if dev == "cuda" else COLUMNS)
run_parts("periodic_stencil", 2 * STENCIL[0] * STENCIL[1], lambda: [R(*STENCIL)],
          lambda lib: lambda u: u + 0.1 * (roll(lib, u, 1, 0) + roll(lib, u, -1, 0) + roll(lib, u, 1, 1) +
                                           roll(lib, u, -1, 1) - 4 * u))

run_parts("concatenate_two", 2 * LENGTH, lambda: [R(LENGTH // 2), R(LENGTH // 2)], concatenate)
run_parts("concatenate_unaligned", 2 * LENGTH, lambda: [R(LENGTH // 2 + 13), R(LENGTH // 2 - 13)], concatenate)
run_parts("concatenate_four", 2 * LENGTH, lambda: [R(LENGTH // 4) for _ in range(4)], concatenate)
run_parts("concatenate_rows", 2 * LENGTH, lambda: [R(ROWS // 2, COLUMNS), R(ROWS // 2, COLUMNS)], concatenate)
run_parts("concatenate_columns", 2 * LENGTH, lambda: [R(ROWS, COLUMNS // 2), R(ROWS, COLUMNS // 2)],
          concatenate_columns)

AROUND = LENGTH + (ROWS + 6) * (COLUMNS + 6)
run_parts("pad_constant", AROUND, lambda: [R(ROWS, COLUMNS)], padded("constant", "constant", constant_values=0.5))
run_parts("pad_edge", AROUND, lambda: [R(ROWS, COLUMNS)], padded("edge", "replicate"))
run_parts("pad_reflect", AROUND, lambda: [R(ROWS, COLUMNS)], padded("reflect", "reflect"))
run_parts("pad_wrap", AROUND, lambda: [R(ROWS, COLUMNS)], padded("wrap", "circular"))

run_parts("roll_vector", 2 * LENGTH, lambda: [R(LENGTH)], lambda lib: lambda x: roll(lib, x, 12345, 0))
run_parts("tile", LENGTH + LENGTH // 4, lambda: [R(ROWS // 2, COLUMNS // 2)], lambda lib: lambda x: lib.tile(x, (2, 2)))
run_parts("repeat_elements", LENGTH + LENGTH // 4, lambda: [R(LENGTH // 4)],
          lambda lib: lambda x: lib.repeat(x, 4) if lib is not torch else torch.repeat_interleave(x, 4))
run_parts("reshape_transposed", 2 * LENGTH, lambda: [R(ROWS, COLUMNS)], lambda lib: lambda x: x.T.reshape(x.shape))
run_parts("window_sum", LENGTH + ROWS * (COLUMNS - 4), lambda: [R(ROWS, COLUMNS)], window_sum)
run_parts("sum_of_squares_of_concatenation", LENGTH + 1, lambda: [R(LENGTH // 2), R(LENGTH // 2)],
          lambda lib: lambda x, y: (concatenate(lib)(x, y) ** 2).sum())

"""The workloads of bench/products, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines for peers.py --extra.
Sizes are those of bench/products/products.cpp for the device. On a GPU torch calls cuBLAS, in float32 as it is by default;
on the CPU NumPy calls the BLAS that it was built with."""
LONG = 2 ** 24


def run_product(name, rows, inner, columns):
    run(f"product_{name}", 4 * (rows * inner + inner * columns + rows * columns),
        lambda: [R(rows, inner), R(inner, columns)], lambda a, b: torch.matmul(a, b),
        cp and (lambda a, b: cp.matmul(a, b)), jax and (lambda a, b: jnp.matmul(a, b, precision="highest")),
        np and (lambda a, b: np.matmul(a, b)))


run_product("dot", 1, LONG, 1)
run_product("matrix_vector", 4096, 4096, 1)
for side in (512, 1024) + ((4096,) if dev == "cuda" else ()):
    run_product(f"square_{side}", side, side, side)
run_product("thin_inner_8", 4096, 8, 4096)
run_product("thin_outer_16", 16, 4096, 16)

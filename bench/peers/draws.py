"""The workloads of bench/draws, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines for peers.py --extra.
Counts are those of bench/draws/draws.cpp. Each peer draws by its own generator."""
COUNT = 2 ** 28 if dev == "cuda" else 2 ** 22


def run_draws(name, by_torch, by_cupy, by_jax, by_numpy):
    def make():
        return [R(COUNT)]
    run(name, 4 * COUNT, make, by_torch, cp and by_cupy, jax and by_jax, np and by_numpy)


numpy_draws = np and np.random.default_rng(7)
run_draws("draw_uniforms", lambda x: torch.rand_like(x), lambda x: cp.random.random(x.shape, dtype=cp.float32),
          lambda x: jax.random.uniform(jax.random.key(7), x.shape),
          lambda x: numpy_draws.random(out=x, dtype=np.float32))
run_draws("draw_normals", lambda x: torch.randn_like(x), lambda x: cp.random.standard_normal(x.shape, dtype=cp.float32),
          lambda x: jax.random.normal(jax.random.key(7), x.shape),
          lambda x: numpy_draws.standard_normal(out=x, dtype=np.float32))

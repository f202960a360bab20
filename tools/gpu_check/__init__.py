"""What a change to kernels is checked with on a GPU machine; tools/gpu-check starts it."""

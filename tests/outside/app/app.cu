// The same program through nvcc, with a kernel of its own beside Sinter's.
#include "app.cpp"

__global__ void own_kernel(float* x) { *x += 1; }

void* keeps_own_kernel() { return reinterpret_cast<void*>(&own_kernel); }

#pragma once
// The groups of benchmarks; each function registers one.

namespace sinter_bench {

/// Pointwise workloads on CUDA device 0, or on the CPU where the settings say so.
void add_device_pointwise();
void add_device_reductions();
/// axpy of 2^10 to 2^30 elements.
void add_sizes();
/// Softmax and row sums over row lengths from 2 to 2^20, at constant size.
void add_row_lengths();
/// Sums along axis 0 over 1 to 2^20 columns, at constant size.
void add_column_counts();
/// Full sums of 2^10 to 2^30 elements, beside CUB's where it was compiled.
void add_reduction_sizes();
/// Reductions beside kernels written by hand; on CUDA only.
void add_reduction_limits();
/// Loops with early exit beside kernels and loops written by hand, on CUDA device 0 and on the CPU.
void add_bodies();
/// Reductions and scans by functions of one's own, beside those of the table that move as many bytes.
void add_combining();
/// Arrays put together and taken apart, beside copies of as many bytes, slices and plain loops.
void add_parts();
/// Reads at indices, beside copies of as many bytes and plain loops.
void add_gathers();
/// Writes at indices, counts and histograms, beside copies of what they read and plain loops.
void add_scatters();
/// Products of vectors and matrices, beside plain loops.
void add_products();
/// Convolutions and gradients, beside copies of what they read and write, and plain loops.
void add_stencils();
void add_order();
/// Random numbers, beside writing as many, kernels by hand and plain loops.
void add_draws();
/// What one call costs on the host, on CUDA device 0 where there is one and on the CPU.
void add_host_calls();
/// What tensors of other libraries cost by DLPack: alone, and in a loop over frames.
void add_foreign_tensors();
/// The first call of a new function, in a process that has compiled before and in a new one.
void add_first_calls();
/// Keys, hits in each layer of the cache, and the compiles and links that they save.
void add_cache_layers();
/// Pointwise workloads on the CPU beside loops written by hand.
void add_cpu_pointwise();
/// Softmax on the CPU beside a loop written by hand.
void add_cpu_reductions();

}  // namespace sinter_bench

#pragma once
// Everything a user needs, except complex numbers (sinter/complex.hpp), structs of arrays (sinter/hana.hpp),
// DLPack tensors (sinter/dlpack.hpp) and the CUDA Array Interface (sinter/cuda_array_interface.hpp).
//
// Threads: Sinter's functions may be called from any thread; each header says which objects are one thread's.
// Throws: exceptions derived from sinter::error (runtime/error.hpp); each header says which.
// After a failure: each header says what holds; as a rule nothing has changed before a kernel runs.

#include <sinter/codegen/base/compiler.hpp>

#include <sinter/dsl/any_array.hpp>
#include <sinter/dsl/array.hpp>
#include <sinter/dsl/array_description.hpp>
#include <sinter/dsl/bodies.hpp>
#include <sinter/dsl/combining.hpp>
#include <sinter/dsl/composed/accumulator.hpp>
#include <sinter/dsl/composed/composed.hpp>
#include <sinter/dsl/composed/like.hpp>
#include <sinter/dsl/constants.hpp>
#include <sinter/dsl/creation.hpp>
#include <sinter/dsl/expression.hpp>
#include <sinter/dsl/foreign/dispatch.hpp>
#include <sinter/dsl/foreign/spans.hpp>
#include <sinter/dsl/functions.hpp>
#include <sinter/dsl/fuse.hpp>
#include <sinter/dsl/index.hpp>
#include <sinter/dsl/memory_order.hpp>
#include <sinter/dsl/order/order.hpp>
#include <sinter/dsl/parts/gather.hpp>
#include <sinter/dsl/parts/indexing.hpp>
#include <sinter/dsl/parts/parts.hpp>
#include <sinter/dsl/parts/search.hpp>
#include <sinter/dsl/printing/print.hpp>
#include <sinter/dsl/products/einsum.hpp>
#include <sinter/dsl/products/products.hpp>
#include <sinter/dsl/reductions.hpp>
#include <sinter/dsl/scatters/compress.hpp>
#include <sinter/dsl/scatters/histogram.hpp>
#include <sinter/dsl/scatters/scatter.hpp>
#include <sinter/dsl/stencils/convolve.hpp>
#include <sinter/dsl/stencils/differences.hpp>
#include <sinter/dsl/value.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/memory_stats.hpp>
#include <sinter/runtime/stream.hpp>
#include <sinter/runtime/tuning.hpp>
#include <sinter/version.hpp>

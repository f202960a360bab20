#pragma once
// Everything for graphs that are built at run time: the builder, what is composed on it, and functions of
// operands whose types are known at run time.
//
// Threads: a builder is used by one thread at a time, a finished any_function by any number.
// Throws: type_error and shape_error where an operation does not fit its operands; calls throw more
// (dsl/fuse.hpp).
// After a failure: values that the builder gave before are still good; each header says more.

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/dsl/builder/any_function.hpp>
#include <sinter/dsl/builder/operation_names.hpp>
#include <sinter/dsl/composed/compose_reductions.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>
#include <sinter/dsl/parts/compose_search.hpp>
#include <sinter/dsl/products/compose_products.hpp>
#include <sinter/dsl/random/compose_permutation.hpp>
#include <sinter/dsl/random/compose_random.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

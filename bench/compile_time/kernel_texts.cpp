#include "kernel_texts.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <stdexcept>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr std::int64_t rows = 1 << 16, length = 4096;

constexpr std::int64_t of_matrix[] = {rows, length}, along_matrix[] = {length, 1};
constexpr std::int64_t of_row[] = {length}, along_row[] = {1};

target_facts h200() {
  target_facts made;
  made.kind = target_kind::cuda;
  made.architecture = 90;
  made.multiprocessors = 132;
  made.shared_bytes_per_block = 227 * 1024;
  made.cache_bytes = std::uint64_t{50} << 20;
  return made;
}

/// The text that a call of fuse(name, body) with such arguments compiles.
template <class... Arguments, class Body>
std::string text_of(const char* name, const Body& body) {
  detail::call_site site;
  site.name = name;
  detail::frame recording(site, true);
  detail::record_declared<Body, Arguments...>(&body);
  const graph recorded = simplify(recording->steps.builder().recorded());

  std::vector<array_layout> inputs;
  for (const auto& input : recorded.inputs) {
    array_layout made;
    made.type = input.type;
    made.rank = input.rank;
    made.extents = input.rank == 2 ? of_matrix : of_row;
    made.strides = input.rank == 2 ? along_matrix : along_row;
    made.identity = static_cast<std::uint32_t>(inputs.size());
    inputs.push_back(made);
  }
  lowered_call lowered;
  lower({.recorded = recorded, .inputs = inputs, .target = h200()}, lowered);
  if (lowered.stage_count != 1) throw std::runtime_error(std::string(name) + " is more than one kernel");
  return emit(lowered.stages[0]).source;
}

}  // namespace

std::vector<named_text> row_texts() {
  using matrix = view<const float, 2>;
  using row = view<const float, 1>;
  return {{"softmax_4096", text_of<matrix>("softmax",
                                           [](auto x) {
                                             auto e = exp(x - max(x, axis<1>, keepdims));
                                             return e / sum(e, axis<1>, keepdims);
                                           })},
          {"layernorm_f32_4096", text_of<matrix, row, row>("layernorm",
                                                           [](auto x, auto w, auto b) {
                                                             auto apart = x - mean(x, axis<1>, keepdims);
                                                             auto variance =
                                                                 mean(apart * apart, axis<1>, keepdims);
                                                             return apart * rsqrt(variance + 1e-5) * w + b;
                                                           })},
          {"var_rows_4096", text_of<matrix>("var_rows", [](auto x) { return var(x, axis<1>); })}};
}

}  // namespace sinter_bench

// Kernel texts and launch configurations of representative functions, as files: golden/NAME.cuda.txt and
// .cpu.txt. A change of the printers shows as a diff of them. SINTER_UPDATE_GOLDEN=1 writes them.

#include <doctest/doctest.h>

#include "../../bench/workloads/benchmark_functions.hpp"
#include "../support/beside.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>
#include <sstream>
#include <tuple>

namespace sinter::test {
namespace {

namespace body = sinter_bench::body;

/// A function, the arrays that it is called with and the bits of its scalars.
struct golden_case {
  std::string name;
  graph recorded;
  std::vector<layout> arrays;
  std::vector<std::uint64_t> scalars = {};
  lowering_variant variant = lowering_variant::specialised;
};

/// The input of the lowering pass for a call of fuse(name, body) with these arguments.
template <class... Arguments, class Body>
graph record(const char* name, const Body& body, arithmetic_mode mode = arithmetic_mode::standard) {
  detail::call_site site;
  site.mode = mode;
  site.name = name;
  detail::frame recording(site, true);
  detail::record_declared<Body, Arguments...>(&body);
  return simplify(recording->steps.builder().recorded());
}

template <class T, unsigned Rank>
using in = view<const T, Rank>;

const shape line{1 << 24}, matrix{4096, 4096};

layout of(const shape& extents, element_type type) { return contiguous(extents, type); }

void add_pointwise(std::vector<golden_case>& made) {
  made.push_back(
      {"axpy",
       record<float, in<float, 1>, in<float, 1>>("axpy", [](auto a, auto x, auto y) { return a * x + y; }),
       {contiguous(line), contiguous(line)},
       {0x40200000}});
  made.push_back({"where_inf",
                  record<in<float, 2>, in<bool, 1>>("where_inf", body::where_inf),
                  {contiguous({1 << 22, 4}), of({1 << 22}, element_type::boolean)}});
  made.push_back(
      {"gelu_bf16", record<in<bfloat16, 1>>("gelu_bf16", body::gelu), {of(line, element_type::bfloat16)}});
  for (const auto& [name, mode] : {std::pair("black_scholes", arithmetic_mode::standard),
                                   std::pair("black_scholes_strict", arithmetic_mode::strict),
                                   std::pair("black_scholes_fast", arithmetic_mode::fast)})
    made.push_back({name, record<in<float, 1>, in<float, 1>, in<float, 1>>(name, body::black_scholes, mode),
                    std::vector(3, contiguous(line))});
  made.push_back(
      {"int64_wraparound",
       record<in<std::int64_t, 1>, in<std::int64_t, 1>>(
           "int64_wraparound",
           [](auto x, auto y) { return abs(x * y - (x << 3)) + floor_divide(-x, y) - remainder(x, y); }),
       {of(line, element_type::int64), of(line, element_type::int64)}});
  made.push_back({"bool_logic",
                  record<in<bool, 1>, in<bool, 1>>(
                      "bool_logic", [](auto a, auto b) { return (a && !b) || (a ^ b) || (a + b) * a; }),
                  {of(line, element_type::boolean), of(line, element_type::boolean)}});
  made.push_back({"results_of_different_types",
                  record<in<float, 1>, in<double, 1>>("results_of_different_types",
                                                      [](auto x, auto y) {
                                                        return std::tuple{x * y, astype<std::int32_t>(x),
                                                                          isnan(y), astype<float16>(x) + 1};
                                                      }),
                  {contiguous(line), of(line, element_type::float64)}});
  made.push_back(
      {"one_element",
       record<in<float, 0>, double>("one_element", [](auto x, auto a) { return maximum(x, 0) * a; }),
       {contiguous({})},
       {0x4000000000000000}});
}

/// Pointwise functions whose operands are not contiguous along the elements.
void add_layouts(std::vector<golden_case>& made) {
  made.push_back({"outer_add",
                  record<in<float, 1>, in<float, 1>>("outer_add", body::outer_add),
                  {contiguous({4096}), contiguous({4096})}});
  made.push_back({"add_transposed",
                  record<in<float, 2>, in<float, 2>>("add_transposed", body::add_transposed),
                  {contiguous(matrix), contiguous(matrix)}});
  made.push_back({"rgb_to_grey_strided",
                  record<in<float, 2>>("rgb_to_grey_strided", body::grey),
                  {contiguous({1 << 22, 3})}});
  made.push_back({"heat_stencil",
                  record<in<float, 2>>("heat_stencil",
                                       [](auto u) {
                                         const auto inner = sinter::slice(1, -1);
                                         auto c = u(inner, inner);
                                         auto around = u(sinter::slice(2, end), inner) +
                                                       u(sinter::slice(0, -2), inner) +
                                                       u(inner, sinter::slice(2, end)) +
                                                       u(inner, sinter::slice(0, -2));
                                         return c + 0.1 * (around - 4 * c);
                                       }),
                  {contiguous(matrix)}});
  made.push_back(
      {"every_second_of_eight_axes",
       record<in<float, 8>, in<float, 1>>("every_second_of_eight_axes", [](auto x, auto y) { return x - y; }),
       {strided({2, 3, 2, 3, 2, 3, 2, 64}, {82944, 27648, 9216, 3072, 1024, 320, 140, 2}),
        contiguous({64})}});
  made.push_back({"every_second_of_twelve_axes",
                  record<in<float, 12>, in<float, 1>>("every_second_of_twelve_axes",
                                                      [](auto x, auto y) { return x - y; }),
                  {strided({2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 64},
                           {15925248, 3981312, 1327104, 331776, 82944, 27648, 9216, 3072, 1024, 320, 140, 2}),
                   contiguous({64})}});
}

void add_reductions(std::vector<golden_case>& made) {
  made.push_back(
      {"softmax_rows", record<in<float, 2>>("softmax_rows", body::softmax_of_rows), {contiguous(matrix)}});
  made.push_back(
      {"column_sums", record<in<float, 2>>("column_sums", body::sum_of_axis_0), {contiguous(matrix)}});
  made.push_back({"mean_of_all",
                  record<in<float, 1>>("mean_of_all", [](auto x) { return mean(x); }),
                  {contiguous(line)}});
  made.push_back({"pairwise_distance",
                  record<in<float, 2>, in<float, 2>>("pairwise_distance", body::pairwise_distance),
                  {contiguous({4096, 3}), contiguous({4096, 3})}});
  made.push_back({"nearest_distance",
                  record<in<float, 2>, in<float, 2>>("nearest_distance", body::nearest_distance),
                  {contiguous({1 << 16, 3}), contiguous({1 << 16, 3})}});
  made.push_back(
      {"normalize_full", record<in<float, 1>>("normalize_full", body::normalized), {contiguous({1 << 28})}});
  made.push_back({"column_variances",
                  record<in<float, 2>>("column_variances", [](auto x) { return var(x, axis<0>); }),
                  {contiguous({1 << 16, 1 << 12})}});
  made.push_back(
      {"argmax_rows", record<in<float, 2>>("argmax_rows", body::argmax_of_rows), {contiguous(matrix)}});
  made.push_back({"softmax_long_rows",
                  record<in<float, 2>>("softmax_long_rows", [](auto x) { return softmax(x, axis<1>); }),
                  {contiguous({800, 1 << 17})}});
  made.push_back({"sum_of_few_rows",
                  record<in<float, 2>>("sum_of_few_rows", [](auto x) { return sum(x, axis<1>); }),
                  {contiguous({3, 1 << 18})}});
}

void add_scans(std::vector<golden_case>& made) {
  made.push_back(
      {"cumsum_rows", record<in<float, 2>>("cumsum_rows", body::cumsum_of_rows), {contiguous(matrix)}});
  made.push_back({"cumprod_columns",
                  record<in<float, 2>>("cumprod_columns", [](auto x) { return cumprod(x, axis<0>); }),
                  {contiguous(matrix)}});
  made.push_back({"cumsum_of_all",
                  record<in<float, 1>>("cumsum_of_all", [](auto x) { return cumsum(x); }),
                  {contiguous(line)}});
}

void add_shape_generic(std::vector<golden_case>& made) {
  // pointwise stages and reductions of the shape-generic variant; two axes, one of which may be broadcast
  made.push_back({"layer_norm_general",
                  record<in<float, 2>, in<float, 1>>("layer_norm_general",
                                                     [](auto x, auto weights) {
                                                       const auto d = x - mean(x, axis<1>, keepdims);
                                                       return d * weights *
                                                              rsqrt(mean(d * d, axis<1>, keepdims));
                                                     }),
                  {contiguous({4096, 4096}), contiguous({4096})},
                  {},
                  lowering_variant::shape_generic});
}

std::vector<golden_case> cases() {
  std::vector<golden_case> made;
  add_pointwise(made);
  add_layouts(made);
  add_reductions(made);
  add_scans(made);
  add_shape_generic(made);
  return made;
}

/// The pass's output for a case: a line per launch, and the compiled text.
std::string lowered_text(const golden_case& at, const target_facts& target) {
  const lowered_call lowered = at.variant == lowering_variant::shape_generic
                                   ? lower_general(at.recorded, at.arrays, target, {}, at.scalars)
                                   : lower(at.recorded, at.arrays, target, {}, at.scalars);
  std::ostringstream text;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& made = lowered.stages[i];
    const kernel_text kernel = emit(made);
    text << "// " << kernel.entry << ": " << to_string(made.chosen) << '\n'
         << "// " << made.tiles << " tiles, " << made.threads_along << " x " << made.threads_across
         << " threads, " << made.shared_bytes << " bytes shared, " << made.arguments.size() << " arguments, "
         << made.bytes_moved << " bytes moved\n"
         << kernel.source;
    if (!kernel.source.ends_with('\n')) text << '\n';
  }
  return text.str();
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "line 12: 'this' was 'that'", for the first line that differs.
std::string first_difference(const std::string& now, const std::string& before) {
  std::istringstream new_lines(now), old_lines(before);
  for (int line = 1;; ++line) {
    std::string new_line, old_line;
    const bool more = static_cast<bool>(std::getline(new_lines, new_line));
    const bool more_before = static_cast<bool>(std::getline(old_lines, old_line));
    if (!more && !more_before) return "the end of the last line";
    if (new_line != old_line || more != more_before)
      return "line " + std::to_string(line) + ":\n  now    " + new_line + "\n  before " + old_line;
  }
}

target_facts cpu_of_32_byte_registers() {
  target_facts made = cpu_facts();
  made.vector_bytes = 32;
  return made;
}

}  // namespace

TEST_CASE("kernel texts and launch recipes are those of the golden files") {
  const char* wish = std::getenv("SINTER_UPDATE_GOLDEN");
  const bool update = wish != nullptr && *wish != '\0' && std::string(wish) != "0";
  const std::filesystem::path folder = path_beside_or("golden", SINTER_GOLDEN_FOLDER);
  std::set<std::string> names{"renamed_words.txt"};  // read by structure/renamed_words.py
  std::string differences;
  for (const golden_case& at : cases())
    for (const auto& [suffix, target] :
         {std::pair(".cuda.txt", cuda_facts()), std::pair(".cpu.txt", cpu_of_32_byte_registers())}) {
      const std::string name = at.name + suffix;
      CHECK_MESSAGE(names.insert(name).second, name, " is made twice");
      const std::string text = lowered_text(at, target);
      // lowering is a pure function: repeating it gives the same bytes
      CHECK(lowered_text(at, target) == text);
      const std::string before = content_of(folder / name);
      if (text == before) continue;
      if (update)
        std::ofstream(folder / name, std::ios::binary) << text;
      else
        differences += "golden/" + name + ": " +
                       (before.empty() ? "no such file" : first_difference(text, before)) + '\n';
    }
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (!names.contains(file.path().filename().string())) {
      if (update)
        std::filesystem::remove(file.path());
      else
        differences += "golden/" + file.path().filename().string() + ": no case makes this file\n";
    }
  CHECK_MESSAGE(
      differences.empty(), differences,
      "If the new texts are meant, write them with\n  SINTER_UPDATE_GOLDEN=1 ctest --test-dir build -R "
      "'^golden$'\nand read the diff before committing it.");
}

}  // namespace sinter::test

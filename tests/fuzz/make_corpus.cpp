// Writes the corpus: a few inputs of each kind, with which the fuzzers start.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include "../cache/cache_entries.hpp"
#include "../support/cuda/device_objects.hpp"

namespace {

using namespace sinter;

std::filesystem::path root;

void write(const char* target, const char* name, const std::string& bytes) {
  const std::filesystem::path folder = root / target;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

// A 64-bit ELF file with one symbol table for a machine: a host's shared object, or a cubin.
std::string elf_with_function(std::uint16_t machine, const std::string& function) {
  const bool cuda = machine == 190;
  std::string names("\0", 1);
  names += function;
  names += '\0';
  names.resize((names.size() + 7) / 8 * 8, '\0');
  std::string bytes(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  bytes.resize(16, '\0');
  if (cuda) bytes[8] = 8;  // the ABI version
  const std::uint64_t symbols_at = 64 + names.size(), sections_at = symbols_at + 48;
  test::append<std::uint16_t>(bytes, 3);
  test::append<std::uint16_t>(bytes, machine);
  test::append<std::uint32_t>(bytes, 1);
  test::append<std::uint64_t>(bytes, 0);
  test::append<std::uint64_t>(bytes, 0);
  test::append<std::uint64_t>(bytes, sections_at);
  test::append<std::uint32_t>(bytes, cuda ? 90u << 8 : 0u);
  for (const int half : {64, 56, 0, 64, 3, 0})
    test::append<std::uint16_t>(bytes, static_cast<std::uint16_t>(half));
  bytes += names;
  bytes.append(24, '\0');                              // the null symbol at the start of every table
  test::append<std::uint32_t>(bytes, 1);               // its name
  test::append<std::uint8_t>(bytes, 0x12);             // a global function
  test::append<std::uint8_t>(bytes, cuda ? 0x10 : 0);  // a kernel
  test::append<std::uint16_t>(bytes, 1);               // defined here
  test::append<std::uint64_t>(bytes, 0);
  test::append<std::uint64_t>(bytes, 16);
  const auto section = [&](std::uint32_t type, std::uint64_t offset, std::uint64_t size, std::uint32_t link) {
    test::append<std::uint32_t>(bytes, 0);
    test::append<std::uint32_t>(bytes, type);
    test::append<std::uint64_t>(bytes, 0);
    test::append<std::uint64_t>(bytes, 0);
    test::append<std::uint64_t>(bytes, offset);
    test::append<std::uint64_t>(bytes, size);
    test::append<std::uint32_t>(bytes, link);
    test::append<std::uint32_t>(bytes, 0);
    test::append<std::uint64_t>(bytes, 8);
    test::append<std::uint64_t>(bytes, 24);
  };
  section(0, 0, 0, 0);
  section(3, 64, names.size(), 0);
  section(cuda ? 2 : 11, symbols_at, 48, 1);
  return bytes;
}

constexpr const char* ptx =
    "// made by hand\n.version 8.0\n.target sm_90\n.address_size 64\n/* two kernels */\n"
    ".visible .entry first(.param .u64 first_0) { ret; }\n.visible .entry second() { ret; }\n";

/// Softmax of rows: reductions, broadcasting and several operations.
graph softmax() {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value largest = builder.reduce(operation::max, x, 2u, true);
  const graph_value e = builder.apply(operation::exp, {builder.apply(operation::subtract, {x, largest})});
  const graph_value total = builder.reduce(operation::sum, e, 2u, true);
  builder.output(builder.apply(operation::true_divide, {e, total}));
  return builder.recorded();
}

/// A loop whose body has a choice: bodies in bodies, operands in the pool, components.
graph loop_with_choice() {
  graph_builder side;
  side.output(side.apply(operation::multiply, {side.input(element_type::float32, 1), side.literal(2.0f)}));
  graph_builder other;
  other.output(other.apply(operation::exp, {other.input(element_type::float32, 1)}));
  graph_builder body;
  body.input(element_type::int64, 0);
  const graph_value state = body.input(element_type::float32, 1), c = body.input(element_type::float32, 1);
  const graph_value above = body.apply(operation::greater, {state, c});
  body.output(body.when(above, std::vector{state}, side.recorded(), other.recorded())[0]);
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1);
  const graph_value count = builder.parameter(element_type::int64);
  builder.output(builder.repeat(count, std::vector{x}, std::vector{x}, body.recorded())[0]);
  return builder.recorded();
}

/// Iterations until a condition holds for no element: a body whose first result is that condition.
graph loop_with_condition() {
  graph_builder body;
  body.input(element_type::int64, 0);
  const graph_value state = body.input(element_type::float32, 1),
                    limit = body.input(element_type::float32, 0);
  body.output(body.apply(operation::less, {state, limit}));
  body.output(body.apply(operation::multiply, {state, body.literal(2.0f)}));
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1);
  const graph_value largest = builder.reduce(operation::max, x, 1u);
  builder.output(builder.repeat_while(std::vector{x}, std::vector{largest}, body.recorded())[0]);
  return builder.recorded();
}

/// A sum and a maximum of one value after the other, scaled by what the body captures.
graph sum_and_largest() {
  graph_builder body;
  const graph_value sum = body.input(element_type::float32, 0), largest = body.input(element_type::int32, 0);
  const graph_value more = body.input(element_type::float32, 0), other = body.input(element_type::int32, 0);
  const graph_value scale = body.input(element_type::float32, 0);
  body.output(body.apply(operation::add, {sum, body.apply(operation::multiply, {more, scale})}));
  body.output(body.apply(operation::maximum, {largest, other}));
  return body.recorded();
}

/// Reductions by a body in any order and in the order of elements, and a scan by the same body.
graph reductions_by_a_body() {
  const graph body = sum_and_largest();
  graph_builder builder;
  const std::vector values{builder.input(element_type::float32, 2), builder.input(element_type::int32, 1)};
  const std::vector identities{builder.literal(0.0f), builder.parameter(element_type::int32)};
  const std::vector captured{builder.parameter(element_type::float32)};
  for (const graph_value& each : builder.reduce(identities, values, captured, body, 2u)) builder.output(each);
  for (const graph_value& each :
       builder.reduce(identities, values, captured, body, 3u, true, combining_order::ascending))
    builder.output(each);
  for (const graph_value& each : builder.scan(identities, values, captured, body, 1)) builder.output(each);
  return builder.recorded();
}

recorded_call call_of(std::int64_t rows, std::int64_t columns) {
  recorded_call call;
  recorded_array x;
  x.type = element_type::float32;
  x.rank = 2;
  x.extents = {rows, columns};
  x.strides = {columns, 1};
  call.inputs = {x};
  return call;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a list of what each fuzzer begins with
int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  root = arguments[1];
  const std::string small = encode(test::entry_of(1, 40));
  write("entry", "small", small);
  runtime::cache_entry several = test::entry_of(2, 10);
  several.images.push_back({code_format::ptx, 80, ptx});
  several.text.assign(5000, 'x');
  several.log.clear();
  write("entry", "several_images", encode(several));
  runtime::cache_entry bare;
  bare.images.push_back({});
  write("entry", "bare", encode(bare));
  write("entry", "cut_short", small.substr(0, small.size() / 2));
  std::string flipped = small;
  flipped[40] = static_cast<char>(flipped[40] ^ 1);
  write("entry", "damaged", flipped);

  write("key", "content", test::content_of(1));
  write("key", "content_with_parts", test::content_of(2, 7, "-O3 --fmad=false", "0123456789abcdef"));
  write("key", "no_parts", std::string("\4\0\0\0abcd\0\0\0\0", 12));
  write("key", "name", to_string(test::key_of(1)));

  const std::string cubin = elf_with_function(190, "kernel");
  write("code_image", "cubin", cubin);
  write("code_image", "shared_object", elf_with_function(62, "softmax_kernel"));
  std::string wrapped = elf_with_function(62, "softmax_kernel");
  const std::uint64_t before_all = ~std::uint64_t{4};  // with the size added, it is a position in the file
                                                       // again
  std::memcpy(wrapped.data() + wrapped.size() - 40, &before_all, sizeof before_all);
  write("code_image", "wrapped_offset", wrapped);
  write("code_image", "ptx", ptx);
  const std::string fatbin = test::fatbin_of({code_format::cubin, 90, cubin});
  write("code_image", "fatbin", fatbin);
  std::string endless = fatbin;
  std::memset(endless.data() + 20, 0, 12);  // an empty part, directly followed by the same part
  write("code_image", "fatbin_of_nothing", endless);
  write("code_image", "host_object", test::host_object_of(fatbin));
  write("code_image", "lto_ir", std::string("\xed\x43\x4e\x7f\x01\0\0\0", 8));
  write("code_image", "text", "extern \"C\" __global__ void kernel() {}\n");

  const std::string pack = runtime::make_pack(std::vector{test::entry_of(1, 40), test::entry_of(2, 40)});
  write("pack", "two_entries", pack);
  write("pack", "empty", runtime::make_pack({}));
  write("pack", "cut_short", pack.substr(0, pack.size() / 2));

  write("recording", "graph", to_bytes(softmax()));
  write("recording", "call", to_bytes(call_of(64, 4096)));
  // a function of two arrays and a scalar, which the fuzzer has
  recorded_call two = call_of(8, 16);
  two.inputs.push_back(two.inputs[0]);
  two.inputs[1].identity = 1;
  two.scalars = {0};
  write("recording", "call_of_two", to_bytes(two));
  const std::string bodies = to_bytes(loop_with_choice());
  write("recording", "graph_with_bodies", bodies);
  write("recording", "half_a_graph_with_bodies", bodies.substr(0, bodies.size() - 40));
  write("recording", "graph_with_condition", to_bytes(loop_with_condition()));
  const std::string reductions = to_bytes(reductions_by_a_body());
  write("recording", "graph_with_reductions_by_a_body", reductions);
  write("recording", "half_a_graph_with_reductions_by_a_body", reductions.substr(0, reductions.size() - 40));
  write("recording", "half_a_graph", to_bytes(softmax()).substr(0, 100));
  return 0;
}

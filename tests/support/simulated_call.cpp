// Calls run by a simulated GPU: arrays between guard pages, lowering, and the kernels in order.

#include "cuda/cuda_simulator.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/index_fault.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/cpu/sort_rows.hpp>
#include <utility>

namespace sinter::test {
namespace {

constexpr std::byte unwritten{0xa5};

std::size_t count_of(const std::int64_t* extents, unsigned rank) {
  std::size_t count = 1;
  for (unsigned axis = 0; axis < rank; ++axis) count *= static_cast<std::size_t>(extents[axis]);
  return count;
}

std::size_t bytes_of(const result_layout& of) {
  return count_of(of.extents.data(), of.rank) * size_of(of.type);
}

/// An array's elements, and the gaps between them, in memory that ends at a guard page.
class guarded_array {
 public:
  guarded_array(const runtime::operand& from, bool at_the_end)
      : from_(from), memory_(span_of(from), at_the_end) {
    if (memory_.size() != 0) std::memcpy(memory_.data(), first_byte(), memory_.size());
  }
  std::byte* data() const {
    return memory_.data() + (static_cast<const std::byte*>(from_.data) - first_byte());
  }
  void write_back() const {
    if (memory_.size() != 0) std::memcpy(first_byte(), memory_.data(), memory_.size());
  }
  array_layout layout(std::uint32_t identity) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data());
    return {.type = from_.type,
            .rank = from_.rank,
            .extents = from_.extents,
            .strides = from_.strides,
            .alignment = static_cast<std::uint32_t>(std::min<std::uintptr_t>(256, address & (~address + 1))),
            .identity = identity};
  }

 private:
  static std::pair<std::int64_t, std::int64_t> reach_of(const runtime::operand& of) {
    std::int64_t least = 0, most = 0;
    for (unsigned axis = 0; axis < of.rank; ++axis) {
      if (of.extents[axis] == 0) return {0, -1};
      const std::int64_t reach = (of.extents[axis] - 1) * of.strides[axis];
      (reach < 0 ? least : most) += reach;
    }
    return {least, most};
  }
  static std::size_t span_of(const runtime::operand& of) {
    const auto [least, most] = reach_of(of);
    return static_cast<std::size_t>(most - least + 1) * size_of(of.type);
  }
  std::byte* first_byte() const {
    return static_cast<std::byte*>(from_.data) +
           reach_of(from_).first * static_cast<std::int64_t>(size_of(from_.type));
  }

  runtime::operand from_;
  guarded_memory memory_;
};

}  // namespace

guarded_memory::guarded_memory(std::size_t bytes, bool at_the_end) : size_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inside = (bytes + page - 1) / page * page;
  mapped_ = inside + 2 * page;
  void* mapped = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED ||
      mprotect(static_cast<std::byte*>(mapped) + page, inside, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(mapped);
  data_ = pages_ + page + (at_the_end ? inside - bytes : 0);
  std::fill_n(pages_ + page, inside, unwritten);
}
guarded_memory::guarded_memory(guarded_memory&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)),
      data_(other.data_),
      mapped_(other.mapped_),
      size_(other.size_) {}
guarded_memory::~guarded_memory() {
  if (pages_ != nullptr) munmap(pages_, mapped_);
}

namespace {

std::vector<std::uint64_t> block_of(const stage& at, const std::vector<guarded_array>& in,
                                    const std::vector<std::byte*>& results,
                                    const std::vector<runtime::scalar>& scalars,
                                    const guarded_memory& workspace, index_fault& fault) {
  std::vector<std::uint64_t> block;
  for (const argument_slot& slot : at.arguments) {
    using source = argument_slot::source;
    const auto address = [&](std::byte* base) { return reinterpret_cast<std::uint64_t>(base + slot.value); };
    block.push_back(slot.from == source::input_pointer    ? address(in[slot.index].data())
                    : slot.from == source::output_pointer ? address(results[slot.index])
                    : slot.from == source::scalar         ? scalars[slot.index]
                    : slot.from == source::workspace      ? address(workspace.data())
                    : slot.from == source::fault_record   ? reinterpret_cast<std::uint64_t>(&fault)
                                                          : static_cast<std::uint64_t>(slot.value));
  }
  return block;
}

}  // namespace

std::vector<bits> simulate(const graph& recorded, const std::vector<runtime::operand>& inputs,
                           const std::vector<runtime::scalar>& scalars, const simulation_options& options,
                           const std::vector<runtime::operand>& outputs) {
  const graph simple = simplify(recorded);
  std::vector<guarded_array> in, out;
  std::vector<array_layout> in_layouts, out_layouts;
  for (const runtime::operand& at : inputs) {
    in.emplace_back(at, options.at_the_end);
    in_layouts.push_back(in.back().layout(static_cast<std::uint32_t>(in.size() - 1)));
  }
  for (const runtime::operand& at : outputs) {
    out.emplace_back(at, options.at_the_end);
    out_layouts.push_back(out.back().layout(static_cast<std::uint32_t>(out.size() - 1)));
  }
  lowered_call lowered;
  lower({.recorded = simple,
         .inputs = in_layouts,
         .outputs = out_layouts,
         .scalars = scalars,
         .target = options.target,
         .forced = options.forced,
         .variant = options.variant},
        lowered);

  std::vector<guarded_memory> fresh;
  std::vector<std::byte*> results;
  for (const guarded_array& at : out) results.push_back(at.data());
  if (outputs.empty())
    for (const result_layout& at : lowered.results) {
      // aligned like an allocator's memory
      const std::size_t bytes = bytes_of(at);
      fresh.emplace_back(options.at_the_end ? (bytes + 255) / 256 * 256 : bytes, options.at_the_end);
      results.push_back(fresh.back().data());
    }
  const guarded_memory workspace((lowered.workspace_bytes + 255) / 256 * 256, options.at_the_end);
  index_fault out_of_range;
  for (std::size_t s = 0; s < lowered.stage_count; ++s) {
    const stage& at = lowered.stages[s];
    const std::vector<std::uint64_t> block = block_of(at, in, results, scalars, workspace, out_of_range);
    if (at.sorts.key_bytes != 0) {
      runtime::sort_rows_on_cpu(at.sorts, reinterpret_cast<const void*>(block[0]),
                                reinterpret_cast<std::uint32_t*>(block[1]));
      continue;
    }
    const kernel_text text = emit(at);
    try {
      simulate_kernel(at, text, block, options.order);
    } catch (const simulated_fault& fault) {
      throw simulated_fault("stage " + std::to_string(s) + ", " + to_string(at.chosen) + ": " + fault.what());
    }
  }
  if (out_of_range.state != index_fault::none)
    throw simulated_fault("index " + std::to_string(out_of_range.index) + " of " +
                          std::to_string(out_of_range.extent) + " elements is reported");
  std::vector<bits> made;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const result_layout& at = lowered.results[i];
    if (std::any_of(fresh[i].data() + bytes_of(at), fresh[i].data() + fresh[i].size(),
                    [](std::byte byte) { return byte != unwritten; }))
      throw simulated_fault("result " + std::to_string(i) + " is written beyond its end");
    made.push_back(unpack(at.type, fresh[i].data(), count_of(at.extents.data(), at.rank)));
  }
  for (const guarded_array& at : out) at.write_back();
  return made;
}

}  // namespace sinter::test

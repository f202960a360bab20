#pragma once
// A call of a fused function, with its settings and gathered arguments, in type-erased form.

#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/dsl/detail/argument.hpp>
#include <sinter/runtime/environment.hpp>

#include <span>

namespace sinter::inline v0::detail {

/// The settings that a fused function and its calls share.
struct call_settings {
  const char* name = nullptr;
  location defined_at{};
  arithmetic_mode mode = arithmetic_mode::standard;
  bool is_forced = false;
  schedule forced{};
  const stream* on = nullptr;
  std::span<std::byte> workspace{};
  const memory_resource* memory = nullptr;
  const environment* in = nullptr;
  bool assume_ordered = false;
  lowering_variant variant = lowering_variant::specialised;
};

/// The gathered arguments of a call, and the call in type-erased form; the same for all functions.
template <class... Arguments>
struct prepared_call {
  static constexpr leaf_counts leaves = count_leaves<Arguments...>();
  gathered_leaves<leaves.arrays, leaves.scalar_parts> gathered;
  call_site site;

  // Written at once: assigning to members that were zeroed before costs a share of a call.
  explicit prepared_call(const call_settings& settings, const Arguments&... arguments)
      : site{.mode = settings.mode,
             .name = settings.name,
             .defined_at = settings.defined_at,
             .operands = {gathered.operands, leaves.arrays},
             .scalars = {gathered.scalars, leaves.scalar_parts},
             .options = {.on = settings.on,
                         .forced = settings.is_forced ? &settings.forced : nullptr,
                         .workspace = settings.workspace,
                         .variant = settings.variant,
                         .assume_ordered = settings.assume_ordered,
                         .memory = settings.memory}} {
    (gathered.add(arguments), ...);
  }
};

}  // namespace sinter::inline v0::detail

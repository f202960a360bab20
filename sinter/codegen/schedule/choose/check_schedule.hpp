#pragma once
// Which schedules a nest can run under.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <span>

namespace sinter::inline v0 {

/// The reason why a nest cannot run under a schedule, with the field's name; null if it can.
const char* fault_of_schedule(const schedule& forced, const nest& loop_nest,
                              std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                              const target_facts& target);

/// Throws type_error with that reason.
void check_schedule(const schedule& forced, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs, const target_facts& target);

}  // namespace sinter::inline v0

#pragma once
// The schedules that are worth measuring for one kernel: those that it can run under, the most promising
// first.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Every legal schedule of a nest but the chosen one, each once. On a GPU these are the cost model's
/// candidates (model/candidate_space.hpp); on the CPU loop orders, tiles, lanes, rows of strips, and whether
/// values of a row are kept from one loop to the next. Those that combine elements in another order are left
/// out unless they may change bits.
std::vector<schedule> list_legal_schedules(const nest& loop_nest, const schedule& chosen,
                                           std::span<const array_layout> inputs,
                                           std::span<const array_layout> outputs, const target_facts& target,
                                           bool may_change_bits);

/// The legal schedules that differ from one in what is data to its kernel alone, and not in its text: on a
/// GPU what its caches evict first, on the CPU the number of tasks and stores that bypass the caches.
std::vector<schedule> list_data_variations(const schedule& of, const nest& loop_nest,
                                           std::span<const array_layout> inputs,
                                           std::span<const array_layout> outputs, const target_facts& target);

/// Sorts schedules so that those come first that are likely to win: by the cost model's estimates, and after
/// each three of these the best of a kind (loop order, residence, sharing among blocks) that has come up
/// least. On the CPU, which has no cost model, the order stays.
void sort_by_promise(std::vector<schedule>& schedules, const nest& loop_nest, const target_facts& target);

}  // namespace sinter::inline v0

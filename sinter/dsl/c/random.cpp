// Builders: random numbers.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/random/compose_random.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace sinter;
using c::checked;
using c::guarded;

namespace {

rng::distribution distribution_named(const char* name) {
  using enum detail::drawn;
  constexpr std::array<std::pair<std::string_view, rng::distribution>, 6> distributions{
      {{"bits", bits},
       {"uniform", uniform},
       {"normal", normal},
       {"exponential", exponential},
       {"randint", randint},
       {"bernoulli", bernoulli}}};
  const std::string_view wanted = &checked(name, "the name of the distribution");
  for (const auto& [known, distribution] : distributions)
    if (known == wanted) return distribution;
  throw c::invalid_argument("there is no distribution '" + std::string(wanted.substr(0, 40)) +
                            "': there are bits, uniform, normal, exponential, randint and bernoulli");
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): C has no spans
sinter_status sinter_builder_random(sinter_builder* builder, const char* distribution,
                                    sinter_element_type type, const sinter_value* operands,
                                    size_t operand_count, sinter_value* result) {
  return guarded("sinter_builder_random", [&] {
    sinter_builder& at = checked(builder, "the builder");
    sinter_value& number = checked(result, "the pointer for the result");
    const rng::distribution wanted = distribution_named(distribution);
    std::vector<graph_value> values;
    for (size_t i = 0; i < operand_count; ++i)
      values.push_back(c::value_of(at, (&checked(operands, "the list of operands"))[i], i));
    number = c::number_of(at, rng::draw(at.graph, wanted, c::type_of(type), values, c::no_place));
  });
}

#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/operation_weight.hpp>

namespace sinter::inline v0 {
namespace {

/// Operations of one to a few machine instructions, although a device function implements them.
bool is_short(operation op) {
  switch (op) {
    case operation::true_divide:
    case operation::negative:
    case operation::reciprocal:
    case operation::absolute:
    case operation::sign:
    case operation::sqrt:
    case operation::heaviside:
    case operation::maximum:
    case operation::minimum:
    case operation::fmax:
    case operation::fmin:
    case operation::clip:
    case operation::bitwise_not:
    case operation::left_shift:
    case operation::right_shift:
    case operation::isfinite:
    case operation::isinf:
    case operation::signbit:
    case operation::copysign:
    case operation::rint:
    case operation::round:
    case operation::floor:
    case operation::ceil:
    case operation::trunc:
    case operation::real:
    case operation::imag:
    case operation::conj:
    case operation::make_complex:
    case operation::degrees:
    case operation::radians:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t weight_of(operation op) {
  switch (op) {
    case operation::input:
    case operation::parameter:
    case operation::literal:
    case operation::coordinate:
    case operation::extent:
      return 0;
    case operation::cast:
    case operation::view:
      return 1;
    case operation::external:
    case operation::sin:
    case operation::cos:
    case operation::tan:
      return weight_of_trigonometry;
    default:
      break;
  }
  if (is_scan(op)) return weight_of_scan;
  if (is_reduction(op)) return weight_of_reduction;
  if (!facts(op).spelling.empty()) return 1;
  return is_short(op) ? 2 : weight_of_function;
}

bool has_many_reductions(const nest& body) {
  std::size_t reductions = 0;
  for (const instruction& at : body.body) reductions += is_reduction(at.op) ? 1 : 0;
  return reductions >= many_reductions;
}

}  // namespace sinter::inline v0

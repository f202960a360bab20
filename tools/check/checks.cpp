#include "checks.hpp"

namespace sinter_check {

namespace {
constexpr check_row rows[] = {
    {"sinter-branch-on-value", "`if`, `?:`, `switch` and loops whose conditions are values.",
     find_branches_on_values},
    {"sinter-captured-this", "Fused functions that outlive a call and hold `this`.", find_captured_this},
    {"sinter-chained-comparison", "`a < x < b`.", find_chained_comparisons},
    {"sinter-changing-capture", "What changes while a lambda is recorded, not while its kernel runs.",
     find_changing_captures},
    {"sinter-dangling-capture", "Fused functions that outlive what they capture by reference.",
     find_dangling_captures},
    {"sinter-discarded-result", "Results, copies and lazy expressions that nothing takes.",
     find_discarded_results},
    {"sinter-double-literal", "Literals of type double that make integers, and so floats, double.",
     find_double_literals},
    {"sinter-global-in-stateless-lambda", "Lambdas without captures that read variables which change.",
     find_globals_in_stateless_lambdas},
    {"sinter-integer-division", "`/` and `%` of integers.", find_integer_divisions},
    {"sinter-std-function", "`std::exp` and its like on values.", find_std_functions},
    {"sinter-unrolled-loop", "Loops that put more iterations into a kernel than MaxIterations (64).",
     find_unrolled_loops},
    {"sinter-view-of-temporary", "Views of arrays that end with the statement.", find_views_of_temporaries},
};
}  // namespace

std::span<const check_row> all_checks() { return rows; }

void reporter::warn(clang::SourceLocation at, const std::string& message, clang::SourceRange range,
                    const std::string& replacement) {
  const auto diagnostic = warn(at, message);
  if (!replacement.empty() && range.getBegin().isFileID() && range.getEnd().isFileID())
    diagnostic << clang::FixItHint::CreateReplacement(range, replacement);
}

}  // namespace sinter_check

#pragma once
// The table of checks: each row is a name of clang-tidy, one sentence, and the function that finds.

#include "source_model.hpp"

#include <clang-tidy/ClangTidyCheck.h>

#include <span>

namespace sinter_check {

/// Where a check says what it found.
class reporter {
 public:
  reporter(clang::tidy::ClangTidyCheck& check, unsigned max_iterations)
      : max_iterations_(max_iterations), check_(check) {}

  /// Iterations up to which a C++ loop may unroll: the option MaxIterations.
  unsigned max_iterations() const { return max_iterations_; }
  clang::DiagnosticBuilder warn(clang::SourceLocation at, const std::string& message) {
    return check_.diag(at, "%0") << message;
  }
  /// With a fix that replaces the text of a range, left out where there is no `replacement` or a macro takes
  /// part.
  void warn(clang::SourceLocation at, const std::string& message, clang::SourceRange range,
            const std::string& replacement);

 private:
  unsigned max_iterations_;
  clang::tidy::ClangTidyCheck& check_;
};

struct check_row {
  const char* name;
  const char* says;
  void (*find)(const source_model& model, reporter& report);
};

std::span<const check_row> all_checks();

void find_branches_on_values(const source_model& model, reporter& report);
void find_captured_this(const source_model& model, reporter& report);
void find_chained_comparisons(const source_model& model, reporter& report);
void find_changing_captures(const source_model& model, reporter& report);
void find_dangling_captures(const source_model& model, reporter& report);
void find_discarded_results(const source_model& model, reporter& report);
void find_double_literals(const source_model& model, reporter& report);
void find_globals_in_stateless_lambdas(const source_model& model, reporter& report);
void find_integer_divisions(const source_model& model, reporter& report);
void find_std_functions(const source_model& model, reporter& report);
void find_unrolled_loops(const source_model& model, reporter& report);
void find_views_of_temporaries(const source_model& model, reporter& report);

}  // namespace sinter_check

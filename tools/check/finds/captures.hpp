#pragma once
// What the checks of captures share.

#include "../source_model.hpp"

namespace sinter_check {

/// The text of `[…]` with more captures in it.
inline std::string with_captures(const source_model& model, const clang::LambdaExpr* lambda,
                                 const std::string& more) {
  std::string introducer = model.text(lambda->getIntroducerRange());
  if (introducer.size() < 2 || more.empty()) return "";
  const bool is_empty = introducer.find_first_not_of(" []") == std::string::npos;
  introducer.pop_back();
  return introducer + (is_empty ? "" : ", ") + more + "]";
}

}  // namespace sinter_check

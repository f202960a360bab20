// A fused function that is returned or kept refers to variables of a function that has ended.

#include "../checks.hpp"
#include "../lifetimes.hpp"

namespace sinter_check {
using namespace clang;

namespace {

bool is_array(const ValueDecl* variable) { return template_of(variable->getType()) == "array"; }

/// Whether a capture is a reference to a variable that ends with its function.
bool is_dangling(const LambdaCapture& capture) {
  if (!capture.capturesVariable() || capture.getCaptureKind() != LCK_ByRef) return false;
  const auto* variable = dyn_cast<VarDecl>(capture.getCapturedVar());
  return variable && variable->hasLocalStorage() && !variable->isInitCapture() &&
         !variable->getType()->isReferenceType();
}

/// The captures by value; "" where an array would be copied or a capture is more than a name.
std::string by_value(const source_model& model, const LambdaExpr* lambda) {
  for (const LambdaCapture& capture : lambda->captures())
    if (!capture.capturesVariable() || is_array(capture.getCapturedVar())) return "";
  std::string introducer = model.text(lambda->getIntroducerRange());
  if (introducer.find('=') != std::string::npos) return "";
  std::string copied;
  for (std::size_t i = 0; i < introducer.size(); ++i) {
    if (introducer[i] != '&') {
      copied += introducer[i];
    } else if (lambda->getCaptureDefault() == LCD_ByRef && copied == "[") {
      copied += '=';
    }
  }
  return copied;
}

}  // namespace

void find_dangling_captures(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels()) {
    if (!each.is_fused) continue;
    std::string fix = by_value(model, each.lambda);
    for (const LambdaCapture& capture : each.lambda->captures()) {
      if (!is_dangling(capture)) continue;
      const destination where = destination_of(model, each.call);
      if (where == destination::nowhere) break;
      const auto* variable = capture.getCapturedVar();
      const std::string advice = is_array(variable) ? "pass the array as an argument" : "capture it by value";
      report.warn(capture.getLocation(),
                  "`" + variable->getNameAsString() +
                      "` ends with its function, and the fused function that refers to it " +
                      phrase_of(where) + ": " + advice,
                  each.lambda->getIntroducerRange(), fix);
      fix.clear();  // one fix serves all captures
    }
  }
}

}  // namespace sinter_check

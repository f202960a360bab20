// Functions of the standard library do not take values; those of Sinter have nearly the same names.

#include "../checks.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringMap.h>

namespace sinter_check {
using namespace clang;

namespace {

/// From a name of the standard library to Sinter's.
const llvm::StringMap<std::string>& names() {
  static const llvm::StringMap<std::string> table = [] {
    llvm::StringMap<std::string> made;
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) made[#name] = #name;
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
    for (const char* same : {"abs", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2", "pow"})
      made[same] = same;
    const std::pair<const char*, const char*> others[] = {
        {"fabs", "abs"},       {"max", "maximum"}, {"min", "minimum"},    {"clamp", "clip"},
        {"lgamma", "gammaln"}, {"arg", "angle"},   {"nearbyint", "rint"}, {"fdim", ""},
        {"lerp", ""},          {"fma", ""},        {"exp", "exp"},        {"popcount", "bit_count"},
        {"accumulate", "sum"}};
    for (const auto& [standard, own] : others) made[standard] = own;
    // std::round takes halves away from zero, std::remainder the nearest multiple, and negate and plus are
    // classes.
    made["round"] = made["remainder"] = made["negate"] = "";
    made.erase("accumulate");
    return made;
  }();
  return table;
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}

  bool VisitCallExpr(CallExpr* call) {
    bool takes_value = false;
    for (const Expr* argument : call->arguments()) takes_value |= model_.is_value(argument);
    if (takes_value) examine(call->getCallee());
    return true;
  }
  /// A call that no overload takes.
  bool VisitRecoveryExpr(RecoveryExpr* refused) {
    const auto parts = refused->subExpressions();
    bool takes_value = false;
    for (const Expr* part : parts.drop_front(parts.empty() ? 0 : 1)) takes_value |= model_.is_value(part);
    if (takes_value) examine(parts.front());
    return true;
  }

 private:
  static bool is_standard(const Decl* function) {
    const DeclContext* scope = function->getDeclContext()->getEnclosingNamespaceContext();
    return scope->isStdNamespace() ||
           (scope->isTranslationUnit() && cast<FunctionDecl>(function)->isExternC());
  }
  void examine(const Expr* callee) {
    callee = callee->IgnoreParenImpCasts();
    std::string name;
    bool is_qualified = false, all_standard = false;
    if (const auto* overloads = dyn_cast<UnresolvedLookupExpr>(callee)) {
      name = overloads->getName().getAsString();
      is_qualified = overloads->getQualifier() != nullptr;
      all_standard = overloads->getNumDecls() != 0;
      for (const NamedDecl* each : overloads->decls()) {
        const Decl* function = each->getUnderlyingDecl()->getAsFunction();
        all_standard &= function && is_standard(function);
      }
    } else if (const auto* resolved = dyn_cast<DeclRefExpr>(callee)) {
      const auto* function = dyn_cast<FunctionDecl>(resolved->getDecl());
      if (!function) return;
      name = function->getNameAsString();
      is_qualified = resolved->hasQualifier();
      all_standard = is_standard(function);
    }
    if (!all_standard) return;
    const auto own = sinter_name(name);
    // Without a qualifier, a name that Sinter has too is found by its arguments.
    if (!own || (!is_qualified && *own == name)) return;
    const std::string written = model_.text(callee);
    if (own->empty()) {
      report_.warn(callee->getBeginLoc(), "`" + written +
                                              "` does not take values, and Sinter has no function of its "
                                              "meaning: write it with operators, or as an extern_function");
    } else {
      report_.warn(callee->getBeginLoc(), "`" + written + "` does not take values: `" + *own + "` does",
                   callee->getSourceRange(), *own);
    }
  }
  /// Sinter's name, "" for a function that it does not have, nothing for one that this check knows nothing
  /// of.
  static std::optional<std::string> sinter_name(llvm::StringRef name) {
    if (const auto found = names().find(name); found != names().end()) return found->second;
    // The names of C: expf, fminf.
    if (name.ends_with("f"))
      if (const auto found = names().find(name.drop_back()); found != names().end()) return found->second;
    return {};
  }
  const source_model& model_;
  reporter& report_;
};

}  // namespace

void find_std_functions(const source_model& model, reporter& report) {
  finder find(model, report);
  for (Decl* declared : model.declarations()) find.TraverseDecl(declared);
}

}  // namespace sinter_check

// Functions of the standard library do not take values; those of Sinter have nearly the same names.

#include "../checks.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringMap.h>

namespace sinter_check {
using namespace clang;

namespace {

/// A function of Sinter; without a name where it has none of the meaning.
struct own_function {
  std::string name;
  unsigned arity;
};

/// From a name of the standard library to Sinter's function.
const llvm::StringMap<own_function>& functions() {
  static const llvm::StringMap<own_function> table = [] {
    llvm::StringMap<own_function> made;
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) \
  made[#name] = {#name, arity};
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
    for (const char* same : {"abs", "asin", "acos", "atan", "asinh", "acosh", "atanh"})
      made[same] = {same, 1};
    for (const char* same : {"atan2", "pow"}) made[same] = {same, 2};
    const std::pair<const char*, own_function> others[] = {
        {"fabs", {"abs", 1}},       {"max", {"maximum", 2}}, {"min", {"minimum", 2}},
        {"clamp", {"clip", 3}},     {"arg", {"angle", 1}},   {"nearbyint", {"rint", 1}},
        {"lgamma", {"gammaln", 1}}, {"fdim", {"", 0}},       {"popcount", {"bit_count", 1}},
        {"lerp", {"", 0}},          {"fma", {"", 0}}};
    for (const auto& [standard, own] : others) made[standard] = own;
    // std::round takes halves away from zero, std::remainder the nearest multiple.
    made["round"] = made["remainder"] = {"", 0};
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
    if (takes_value) examine(call->getCallee(), {call->getArgs(), call->getNumArgs()});
    return true;
  }
  /// A call that no overload takes.
  bool VisitRecoveryExpr(RecoveryExpr* refused) {
    const auto parts = refused->subExpressions();
    bool takes_value = false;
    for (const Expr* part : parts.drop_front(parts.empty() ? 0 : 1)) takes_value |= model_.is_value(part);
    if (takes_value) examine(parts.front(), parts.drop_front());
    return true;
  }

 private:
  static bool is_standard(const Decl* function) {
    const DeclContext* scope = function->getDeclContext()->getEnclosingNamespaceContext();
    return scope->isStdNamespace() ||
           (scope->isTranslationUnit() && cast<FunctionDecl>(function)->isExternC());
  }
  /// Sinter's functions take neither lists of values nor functions that compare.
  static bool takes_same(const own_function& own, llvm::ArrayRef<const Expr*> arguments) {
    return arguments.size() == own.arity && llvm::none_of(arguments, [](const Expr* each) {
             return isa<InitListExpr>(each->IgnoreImplicit());
           });
  }
  void examine(const Expr* callee, llvm::ArrayRef<const Expr*> arguments) {
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
    const own_function* own = own_named(name);
    // Without a qualifier, a name that Sinter has too is found by its arguments.
    if (!own || (!is_qualified && own->name == name)) return;
    const std::string written = model_.text(callee);
    if (own->name.empty()) {
      report_.warn(callee->getBeginLoc(), "`" + written +
                                              "` does not take values, and Sinter has no function of its "
                                              "meaning: write it with operators, or as an extern_function");
    } else {
      report_.warn(callee->getBeginLoc(), "`" + written + "` does not take values: `" + own->name + "` does",
                   callee->getSourceRange(), takes_same(*own, arguments) ? own->name : "");
    }
  }
  /// Null for a function that this check knows nothing of.
  static const own_function* own_named(llvm::StringRef name) {
    if (const auto found = functions().find(name); found != functions().end()) return &found->second;
    // The names of C: expf, fminf.
    if (name.ends_with("f"))
      if (const auto found = functions().find(name.drop_back()); found != functions().end())
        return &found->second;
    return nullptr;
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

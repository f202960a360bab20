// The checks as a module of clang-tidy. As a library of its own it is loaded: clang-tidy --load
// libsinter_check.so
#include "checks.hpp"

#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include <memory>

namespace sinter_check {
namespace {

/// The model of a translation unit, one for all checks of it: it ends with the last of them.
std::shared_ptr<const source_model> model_of(clang::ASTContext& context) {
  static thread_local std::weak_ptr<const source_model> last;
  std::shared_ptr<const source_model> model = last.lock();
  if (!model || &model->context() != &context) {
    model = std::make_shared<const source_model>(context);
    last = model;
  }
  return model;
}

class table_check : public clang::tidy::ClangTidyCheck {
 public:
  table_check(const check_row& row, llvm::StringRef name, clang::tidy::ClangTidyContext* context)
      : ClangTidyCheck(name, context), row_(row), max_iterations_(Options.get("MaxIterations", 64u)) {}

  bool isLanguageVersionSupported(const clang::LangOptions& language) const override {
    return language.CPlusPlus20;
  }
  void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
  }
  void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override {
    model_ = model_of(*result.Context);
    reporter report(*this, max_iterations_);
    row_.find(*model_, report);
  }
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) override {
    Options.store(options, "MaxIterations", max_iterations_);
  }

 private:
  const check_row& row_;
  std::shared_ptr<const source_model> model_;
  unsigned max_iterations_;
};

class sinter_module : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    for (const check_row& row : all_checks())
      factories.registerCheckFactory(row.name,
                                     [&row](llvm::StringRef name, clang::tidy::ClangTidyContext* context) {
                                       return std::make_unique<table_check>(row, name, context);
                                     });
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<sinter_module> registered("sinter-module",
                                                                          "Checks of uses of Sinter.");

}  // namespace
}  // namespace sinter_check

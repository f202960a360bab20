// sinter-check: runs the checks without clang-tidy.
//   sinter-check [options] FILE…               with a compilation database (-p)
//   sinter-check [options] FILE -- FLAGS…      as CMake calls it (CXX_CLANG_TIDY)
// Returns 0 where nothing was found, 1 where something was, 2 where a file in which nothing was found does
// not compile.

#include "checks.hpp"

#include <clang-tidy/ClangTidy.h>
#include <clang-tidy/ClangTidyDiagnosticConsumer.h>
#include <clang-tidy/ClangTidyOptions.h>
#include <clang/Tooling/CommonOptionsParser.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace {
namespace tidy = clang::tidy;
namespace option = llvm::cl;

option::OptionCategory category("sinter-check options");
option::opt<std::string> checks(
    "checks", option::desc("Changes which checks run: '-sinter-std-function', '-*,sinter-std-*'"),
    option::cat(category));
option::opt<bool> fix("fix", option::desc("Change the files as the fixes say"), option::cat(category));
option::opt<bool> exit_zero("exit-zero", option::desc("Return 0 if something was found, too"),
                            option::cat(category));
option::opt<bool> list_checks("list-checks", option::desc("List the checks, and end"), option::cat(category));
option::opt<unsigned> max_iterations("max-iterations", option::desc("Iterations that a C++ loop may unroll"),
                                     option::init(64), option::cat(category));
option::opt<std::string> header_filter("header-filter",
                                       option::desc("Headers to check too: a regular expression"),
                                       option::cat(category));

tidy::ClangTidyOptions options_of_run() {
  tidy::ClangTidyOptions options = tidy::ClangTidyOptions::getDefaults();
  options.Checks = "-*,sinter-*," + checks;
  options.HeaderFilterRegex = header_filter;
  options.CheckOptions["sinter-unrolled-loop.MaxIterations"] =
      tidy::ClangTidyOptions::ClangTidyValue(std::to_string(max_iterations));
  // The headers of Clang itself: those beside the LLVM that this was built with, wherever the command lies.
  options.ExtraArgs = std::vector<std::string>{"-resource-dir=" SINTER_CHECK_RESOURCES, "-Wno-everything"};
  return options;
}

bool is_found(const tidy::ClangTidyError& error) {
  return llvm::StringRef(error.DiagnosticName).starts_with("sinter-");
}

/// Of one file: what compilers refuse is left out where something was found, because most often it is the
/// same mistake.
std::vector<tidy::ClangTidyError> worth_saying(const std::vector<tidy::ClangTidyError>& of_file) {
  std::vector<tidy::ClangTidyError> found;
  std::copy_if(of_file.begin(), of_file.end(), std::back_inserter(found), is_found);
  return found.empty() ? of_file : found;
}

bool is_same(const tidy::ClangTidyError& one, const tidy::ClangTidyError& other) {
  return one.DiagnosticName == other.DiagnosticName && one.Message.FilePath == other.Message.FilePath &&
         one.Message.FileOffset == other.Message.FileOffset && one.Message.Message == other.Message.Message;
}

int run(clang::tooling::CommonOptionsParser& parser) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  tidy::ClangTidyContext context(
      std::make_unique<tidy::DefaultOptionsProvider>(tidy::ClangTidyGlobalOptions(), options_of_run()));
  std::vector<tidy::ClangTidyError> errors;
  for (const std::string& file : parser.getSourcePathList())
    for (tidy::ClangTidyError& error :
         worth_saying(tidy::runClangTidy(context, parser.getCompilations(), file, files, fix))) {
      // Several files may include the header in which something is found.
      const auto same = [&error](const tidy::ClangTidyError& other) { return is_same(error, other); };
      if (std::none_of(errors.begin(), errors.end(), same)) errors.push_back(std::move(error));
    }
  unsigned warnings_as_errors = 0;
  tidy::handleErrors(errors, context, fix ? tidy::FB_Fix : tidy::FB_NoFix, warnings_as_errors, files);
  if (!std::all_of(errors.begin(), errors.end(), is_found)) return 2;
  return errors.empty() || exit_zero ? 0 : 1;
}

}  // namespace

int main(int count, const char** words) {
  auto parser = clang::tooling::CommonOptionsParser::create(count, words, category, option::ZeroOrMore,
                                                            "Finds mistakes in programs that use Sinter.\n");
  if (!parser) {
    llvm::errs() << llvm::toString(parser.takeError());
    return 2;
  }
  if (list_checks) {
    for (const sinter_check::check_row& row : sinter_check::all_checks())
      llvm::outs() << row.name << ": " << row.says << '\n';
    return 0;
  }
  if (parser->getSourcePathList().empty()) {
    llvm::errs() << "sinter-check: no files were named: sinter-check -p build FILE…\n";
    return 2;
  }
  return run(*parser);
}

#include "user_headers.hpp"

#include <map>
#include <memory>
#include <utility>

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

// The text is in a folder that does not exist: quoted includes search the includer's folder first, and there
// must be nothing beside the text.
constexpr const char* text_folder = "/sinter-text-without-a-folder/";

// The preprocessor's action at one directive.
struct directive {
  std::string spelled;    // as written in the text; empty for #pragma once
  clang::FileID entered;  // invalid: skipped because of a guard or #pragma once
};

using directives = std::map<unsigned, directive>;  // by offset in the file

class collector : public clang::PPCallbacks {
 public:
  collector(clang::SourceManager& sources, std::map<clang::FileID, directives>& found,
            std::map<clang::FileID, std::string>& names, std::string& missing)
      : sources_(sources), found_(found), names_(names), missing_(missing) {}

  // NOLINTNEXTLINE(readability-function-size): Clang has these parameters
  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    const auto [in, offset] = sources_.getDecomposedLoc(hash);
    if (!file) {
      if (missing_.empty())
        missing_ = chain_to(in) + " includes '" + name.str() + "', which is in none of the folders";
      return;
    }
    latest_ = &found_[in][offset];
    latest_->spelled = name.str();
  }
  void FileChanged(clang::SourceLocation at, FileChangeReason why, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (why != EnterFile || latest_ == nullptr) return;
    const clang::FileID entered = sources_.getFileID(at);
    names_[entered] = latest_->spelled;
    latest_->entered = entered;
    latest_ = nullptr;
  }
  void FileSkipped(const clang::FileEntryRef&, const clang::Token&,
                   clang::SrcMgr::CharacteristicKind) override {
    latest_ = nullptr;
  }
  void PragmaDirective(clang::SourceLocation at, clang::PragmaIntroducerKind) override {
    const auto [in, offset] = sources_.getDecomposedLoc(at);
    const llvm::StringRef line =
        sources_.getBufferData(in).substr(offset).take_until([](char c) { return c == '\n'; });
    if (line.ltrim("# \t").consume_front("pragma") && line.trim().ends_with("once")) found_[in][offset] = {};
  }

 private:
  // "text.cu includes a.hpp, which includes b.hpp, which"
  std::string chain_to(clang::FileID in) const {
    const auto name = names_.find(in);
    const clang::SourceLocation from = sources_.getIncludeLoc(in);
    if (!from.isValid()) return name->second;
    const std::string outer = chain_to(sources_.getFileID(from));
    return outer + " includes " + name->second + ", which";
  }

  clang::SourceManager& sources_;
  std::map<clang::FileID, directives>& found_;
  std::map<clang::FileID, std::string>& names_;
  std::string& missing_;
  directive* latest_ = nullptr;
};

class expand_action : public clang::PreprocessorFrontendAction {
 public:
  expand_action(const expand_job& job, std::string& expanded, std::string& missing)
      : job_(job), expanded_(expanded), missing_(missing) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    clang::SourceManager& sources = getCompilerInstance().getSourceManager();
    names_[sources.getMainFileID()] = job_.source_name;
    preprocessor.addPPCallbacks(std::make_unique<collector>(sources, found_, names_, missing_));
    preprocessor.IgnorePragmas();
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    do preprocessor.Lex(token);
    while (token.isNot(clang::tok::eof));
    if (missing_.empty()) write(sources, sources.getMainFileID());
  }

 private:
  // Writes file names, lines and included content, but no paths.
  void write(clang::SourceManager& sources, clang::FileID file) {
    const llvm::StringRef text = sources.getBufferData(file);
    std::size_t at = 0;
    for (const auto& [offset, done] : found_[file]) {
      expanded_ += text.substr(at, offset - at);
      at = end_of_line(text, offset);
      if (!done.entered.isValid()) continue;
      expanded_ += "#line 1 \"" + done.spelled + "\"\n";
      write(sources, done.entered);
      const std::size_t line = text.substr(0, at).count('\n') + 1;
      expanded_ += "\n#line " + std::to_string(line + 1) + " \"" + names_[file] + "\"";
    }
    expanded_ += text.substr(at);
  }
  // A backslash at the end of a line continues it.
  static std::size_t end_of_line(llvm::StringRef text, std::size_t from) {
    for (std::size_t at = from;; ++at) {
      at = std::min(text.find('\n', at), text.size());
      if (at == text.size() || text[at - 1] != '\\') return at;
    }
  }

  const expand_job& job_;
  std::string& expanded_;
  std::string& missing_;
  std::map<clang::FileID, directives> found_;
  std::map<clang::FileID, std::string> names_;
};

void replace_all(std::string& text, const std::string& from) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.erase(at, from.size());
}

}  // namespace

bool expand_headers(const expand_job& job, std::string& expanded, std::string& log) {
  llvm::raw_string_ostream log_stream(log);
  const std::string path = text_folder + job.source_name;
  std::vector<std::string> arguments = {
      "-triple",        "x86_64-unknown-linux-gnu", "-Eonly",        "-x",         "c++", "-std=c++20",
      "-ffreestanding", "-nostdsysteminc",          "-nobuiltininc", "-nostdinc++"};
  for (const std::string& folder : job.folders) arguments.insert(arguments.end(), {"-I", folder});
  for (const std::string& macro : job.macros) arguments.insert(arguments.end(), {"-D", macro});
  arguments.push_back(path);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, options,
                                       new clang::TextDiagnosticPrinter(log_stream, options.get()));
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, diagnostics, "sinter")) return false;

  clang::CompilerInstance instance;
  instance.setInvocation(invocation);
  instance.setVerboseOutputStream(log_stream);
  instance.createDiagnostics(new clang::TextDiagnosticPrinter(log_stream, &invocation->getDiagnosticOpts()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> text(new llvm::vfs::InMemoryFileSystem);
  text->addFile(
      path, 0,
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(job.source.data(), job.source.size()), path));
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  files->pushOverlay(text);
  instance.createFileManager(files);

  std::string missing;
  expand_action action(job, expanded, missing);
  const bool done = instance.ExecuteAction(action) && missing.empty();
  log_stream.flush();
  replace_all(log, text_folder);
  if (!missing.empty()) log = missing + "\n" + log;
  return done;
}

}  // namespace sinter::inline v0::cpu_compiler

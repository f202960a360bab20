#include "clang_frontend.hpp"

#include <memory>
#include <mutex>

#include "kernel_pipeline.hpp"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

// Options of every compile, in the syntax of Clang's cc1. By default cc1 ignores errno of mathematical
// functions and floating-point traps, and keeps the rest of IEEE 754: NaN, infinities, signed zeros,
// denormals.
constexpr const char* fixed_options[] = {
    "-triple",
    "x86_64-unknown-linux-gnu",
    "-emit-obj",
    "-x",
    "c++",
    "-std=c++20",
    // A copying loop remains a vectorised loop and does not become a call of memcpy. Copies of large structs
    // still call memcpy, which support_object.cpp provides.
    "-ffreestanding",
    "-fgnuc-version=4.2.1",
    "-O2",
    "-vectorize-loops",
    "-vectorize-slp",
    "-ffp-contract=off",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-mrelocation-model",
    "pic",
    "-pic-level",
    "2",
    "-fvisibility-inlines-hidden",
    "-Qn",
    "-nostdsysteminc",
    "-nobuiltininc",
    "-nostdinc++",
    "-disable-llvm-verifier",
    // The features are those of the machine, and no user chose them: on one with AVX10 Clang says of every
    // kernel that it combines them with AVX-512.
    "-Wno-invalid-feature-combination",
    "-ferror-limit",
    "20",
};

void initialise_target_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();  // for inline assembly
  });
}

std::vector<std::string> command_line(const compile_job& job) {
  std::vector<std::string> arguments(std::begin(fixed_options), std::end(fixed_options));
  arguments.insert(arguments.end(), {"-target-cpu", job.target_cpu});
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::StringRef(job.target_features).split(features, ',', -1, false);
  for (llvm::StringRef feature : features)
    arguments.insert(arguments.end(), {"-target-feature", feature.str()});
  arguments.insert(arguments.end(), job.options.begin(), job.options.end());
  return arguments;
}

// A file in memory that a compile may read.
struct linked_file {
  std::string path;
  llvm::StringRef bytes;
};

// One run of Clang: `run(instance)` with an instance that writes to `made`; false if it reported an error.
template <class Run>
bool with_instance(const compile_job& job, const std::vector<std::string>& more,
                   const std::vector<linked_file>& files, llvm::SmallVectorImpl<char>& made, std::string& log,
                   const Run& run) {
  llvm::raw_string_ostream log_stream(log);
  std::vector<std::string> arguments = command_line(job);
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<const char*> argument_pointers;
  for (const std::string& argument : arguments) argument_pointers.push_back(argument.c_str());

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  {
    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
    clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, options,
                                         new clang::TextDiagnosticPrinter(log_stream, options.get()));
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argument_pointers, diagnostics, "sinter"))
      return false;
  }
  // Clang's lexer requires a NUL byte after the text, which a caller's text may lack.
  const std::unique_ptr<llvm::MemoryBuffer> text = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(job.source.data(), job.source.size()), job.source_name);
  clang::FrontendOptions& frontend = invocation->getFrontendOpts();
  frontend.Inputs.clear();
  frontend.Inputs.emplace_back(text->getMemBufferRef(), clang::InputKind(clang::Language::CXX));

  clang::CompilerInstance instance;
  instance.setInvocation(invocation);
  instance.setVerboseOutputStream(log_stream);
  instance.createDiagnostics(new clang::TextDiagnosticPrinter(log_stream, &invocation->getDiagnosticOpts()));
  // A file system with these files only: an #include finds nothing else, on any machine.
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> in_memory(new llvm::vfs::InMemoryFileSystem);
  for (const linked_file& file : files)
    in_memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBufferCopy(file.bytes, file.path));
  instance.createFileManager(in_memory);
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(made));

  return run(instance);
}

template <class Action>
bool run_action(const compile_job& job, const std::vector<std::string>& more,
                const std::vector<linked_file>& files, llvm::SmallVectorImpl<char>& made, std::string& log) {
  return with_instance(job, more, files, made, log, [](clang::CompilerInstance& instance) {
    Action action;
    return instance.ExecuteAction(action);
  });
}

}  // namespace

bool compile_to_object(const compile_job& job, llvm::SmallVectorImpl<char>& object, std::string& log) {
  initialise_target_once();
  std::vector<llvm::SmallVector<char, 0>> compiled;
  std::vector<linked_file> files;
  compiled.reserve(job.linked.size());
  for (const linked_code& code : job.linked) {
    llvm::StringRef bytes(code.bytes.data(), code.bytes.size());
    if (code.is_text) {
      compile_job own = job;
      own.source = code.bytes;
      own.source_name = code.name;
      if (!run_action<clang::EmitBCAction>(own, {"-disable-llvm-passes"}, {}, compiled.emplace_back(), log))
        return false;
      bytes = llvm::StringRef(compiled.back().data(), compiled.back().size());
    }
    files.push_back({"/linked/" + std::to_string(files.size()) + "/" + code.name, bytes});
  }
  // Users' functions may need any pass, and other options choose their own.
  if (files.empty() && job.options.empty())
    return with_instance(job, {}, {}, object, log, [&](clang::CompilerInstance& instance) {
      return compile_kernel(instance, job.assembly, object, log);
    });
  // Links functions as Clang links a GPU's maths library: only those needed, made internal, with the
  // attributes of the kernel's functions, so that they are inlined and vectorised with them.
  std::vector<std::string> options;
  for (const linked_file& file : files) options.insert(options.end(), {"-mlink-builtin-bitcode", file.path});
  return job.assembly ? run_action<clang::EmitAssemblyAction>(job, options, files, object, log)
                      : run_action<clang::EmitObjAction>(job, options, files, object, log);
}

const char* compiler_version() { return "clang " CLANG_VERSION_STRING; }

}  // namespace sinter::inline v0::cpu_compiler

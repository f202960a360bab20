#include "kernel_pipeline.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/FrontendAction.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

#define COMBINE "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>"
#define HOIST "loop-mssa(licm<allowspeculation>)"

// What is left of Clang's -O2 where nothing is linked in: the passes without which the machine code of some
// kernel of the golden texts was slower. Of a kernel's functions, all but a few are inlined whatever they
// cost, so they are simplified before, once and not at each call.
constexpr const char* passes =
    "function(lower-expect,simplifycfg,sroa<modify-cfg>,early-cse," COMBINE
    ",simplifycfg),"
    "always-inline,globaldce,"
    // The remaining functions do not keep their arguments: without that, arrays on the stack stay in memory.
    "cgscc(function-attrs),"
    "function("
    // Loops of constant trip counts are unrolled before others become vectors.
    "sroa<modify-cfg>,early-cse<memssa>,jump-threading," COMBINE
    ",reassociate,loop-mssa(loop-rotate,licm<allowspeculation>),simplifycfg," COMBINE
    ",loop(indvars,loop-unroll-full),gvn," COMBINE ",jump-threading,correlated-propagation,dse," HOIST
    ",loop-vectorize<interleave-forced-only;vectorize-forced-only>," COMBINE
    ",simplifycfg,slp-vectorizer,loop-unroll<O2>,"
    // Sums of lanes become registers once the loops over lanes are gone.
    "sroa<modify-cfg>,early-cse<memssa>," COMBINE "," HOIST ",simplifycfg)";

// LLVM narrows comparisons of what was half, and takes vectors of them apart again where the processor
// compares no halves: they are comparisons of float32.
struct widen_half_comparisons : llvm::PassInfoMixin<widen_half_comparisons> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& at : block) {
        if (!llvm::isa<llvm::FCmpInst>(at) || !at.getOperand(0)->getType()->getScalarType()->isHalfTy())
          continue;
        llvm::Type* const wide =
            at.getOperand(0)->getType()->getWithNewType(llvm::Type::getFloatTy(at.getContext()));
        for (unsigned i = 0; i < 2; ++i)
          at.setOperand(i, new llvm::FPExtInst(at.getOperand(i), wide, "", at.getIterator()));
        changed = true;
      }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

// Stops at LLVM's module, which other actions of Clang optimise by passes of their own choice.
class module_action : public clang::ASTFrontendAction {
 public:
  explicit module_action(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> taken() { return std::move(made_); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef name) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        instance.getDiagnostics(), name, &instance.getVirtualFileSystem(), instance.getHeaderSearchOpts(),
        instance.getPreprocessorOpts(), instance.getCodeGenOpts(), context_));
    generator_ = generator.get();
    return generator;
  }
  void EndSourceFileAction() override { made_.reset(generator_->ReleaseModule()); }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;
  std::unique_ptr<llvm::Module> made_;
};

// Errors of LLVM's passes, which by default end the process.
class error_log : public llvm::DiagnosticHandler {
 public:
  error_log(std::string& log, bool& failed) : log_(log), failed_(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& what) override {
    if (what.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(log_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    what.print(printer);
    stream << '\n';
    failed_ = true;
    return true;
  }

 private:
  std::string& log_;
  bool& failed_;
};

// A description of a processor takes a millisecond or two to make. Descriptions wait here between compiles,
// as many for each processor as compiles ran at once. One is used by one compile at a time; a compile that
// LLVM aborts does not give its own back.
class machine_shelf {
 public:
  struct machine {
    std::string processor;  // name and features
    std::unique_ptr<llvm::TargetMachine> facts;
  };

  machine take(const clang::TargetOptions& target) {
    std::string features;
    for (const std::string& feature : target.Features) features += (features.empty() ? "" : ",") + feature;
    std::string processor = target.CPU + ' ' + features;
    {
      const std::lock_guard lock(guard_);
      for (machine& each : idle_)
        if (each.processor == processor) {
          machine found = std::exchange(each, std::move(idle_.back()));
          idle_.pop_back();
          return found;
        }
    }
    return {std::move(processor), made(target, features)};
  }

  void give_back(machine used) {
    const std::lock_guard lock(guard_);
    idle_.push_back(std::move(used));
  }

 private:
  static std::unique_ptr<llvm::TargetMachine> made(const clang::TargetOptions& target,
                                                   const std::string& features) {
    std::string reason;
    const llvm::Target* const found = llvm::TargetRegistry::lookupTarget(target.Triple, reason);
    if (found == nullptr) llvm::report_fatal_error(llvm::Twine(reason));
    llvm::TargetOptions options;
    options.UseInitArray = true;
    return std::unique_ptr<llvm::TargetMachine>(
        found->createTargetMachine(target.Triple, target.CPU, features, options, llvm::Reloc::PIC_,
                                   std::nullopt, llvm::CodeGenOptLevel::Default));
  }

  std::mutex guard_;
  std::vector<machine> idle_;
};

machine_shelf& shelf() {
  static machine_shelf& only = *new machine_shelf;  // never destroyed: a thread may still compile
  return only;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine,
              const llvm::TargetLibraryInfoImpl& library) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager pipeline;
  if (llvm::Error refused = builder.parsePassPipeline(pipeline, passes))
    llvm::report_fatal_error(std::move(refused));
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(widen_half_comparisons()));
  pipeline.run(module, modules);
}

void emit(llvm::Module& module, llvm::TargetMachine& machine, const llvm::TargetLibraryInfoImpl& library,
          bool assembly, llvm::SmallVectorImpl<char>& made) {
  llvm::raw_svector_ostream stream(made);
  llvm::legacy::PassManager emission;
  emission.add(new llvm::TargetLibraryInfoWrapperPass(library));
  emission.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  constexpr bool without_verifier = true;
  if (machine.addPassesToEmitFile(
          emission, stream, nullptr,
          assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile,
          without_verifier))
    llvm::report_fatal_error("this target emits no machine code");
  emission.run(module);
}

}  // namespace

bool compile_kernel(clang::CompilerInstance& instance, bool assembly, llvm::SmallVectorImpl<char>& made,
                    std::string& log) {
  bool failed = false;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<error_log>(log, failed));
  context.setDiscardValueNames(true);
  module_action action(context);
  if (!instance.ExecuteAction(action)) return false;
  const std::unique_ptr<llvm::Module> module = action.taken();
  if (module == nullptr) return false;

  machine_shelf::machine used = shelf().take(instance.getTargetOpts());
  llvm::TargetLibraryInfoImpl library(llvm::Triple(module->getTargetTriple()));
  library.disableAllFunctions();  // as for Clang's -ffreestanding
  optimise(*module, *used.facts, library);
  emit(*module, *used.facts, library, assembly, made);
  shelf().give_back(std::move(used));
  return !failed;
}

}  // namespace sinter::inline v0::cpu_compiler

// Empty definitions of LLVM symbols that are referenced but never used: other targets, and pass plug-ins.
//
// LLD initialises every target of LLVM for link-time optimisation, which is not used here. A member of an
// archive is linked only for a symbol that is not defined before; with these definitions only X86 is linked,
// which omits two thirds of LLVM.
#include "llvm/Passes/PassPlugin.h"

// X86 is needed: these names keep its functions untouched.
#define LLVMInitializeX86TargetInfo sinter_no_target_info
#define LLVMInitializeX86Target sinter_no_target
#define LLVMInitializeX86TargetMC sinter_no_target_mc
#define LLVMInitializeX86AsmPrinter sinter_no_printer
#define LLVMInitializeX86AsmParser sinter_no_parser

#define SINTER_DO_NOTHING(function) \
  void function();                  \
  void function() {}

extern "C" {

#define LLVM_TARGET(name)                             \
  SINTER_DO_NOTHING(LLVMInitialize##name##TargetInfo) \
  SINTER_DO_NOTHING(LLVMInitialize##name##Target)     \
  SINTER_DO_NOTHING(LLVMInitialize##name##TargetMC)
#include "llvm/Config/Targets.def"

#define LLVM_ASM_PRINTER(name) SINTER_DO_NOTHING(LLVMInitialize##name##AsmPrinter)
#include "llvm/Config/AsmPrinters.def"

#define LLVM_ASM_PARSER(name) SINTER_DO_NOTHING(LLVMInitialize##name##AsmParser)
#include "llvm/Config/AsmParsers.def"

}  // extern "C"

// Clang's pass pipeline lets each extension of this LLVM (Polly, in Debian's and Ubuntu's) register its
// passes.
#define HANDLE_EXTENSION(name)                                              \
  llvm::PassPluginLibraryInfo get##name##PluginInfo();                      \
  llvm::PassPluginLibraryInfo get##name##PluginInfo() {                     \
    return {LLVM_PLUGIN_API_VERSION, #name, "", [](llvm::PassBuilder&) {}}; \
  }
#include "llvm/Support/Extension.def"

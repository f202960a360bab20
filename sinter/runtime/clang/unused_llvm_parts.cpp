// Parts of LLVM that are referred to and never run, defined as nothing: the other targets, and passes from
// outside.
//
// LLD initialises every target that LLVM was built with, for link-time optimisation, which never happens
// here. An archive's member is linked only for a symbol that nothing before it defines; with these
// definitions only X86 is linked, and two thirds of LLVM stay out of the library.
#include "llvm/Passes/PassPlugin.h"

// X86 is real: under these names its functions are not touched.
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

// Clang's pass pipeline lets each extension of this LLVM (in Debian's and Ubuntu's: Polly) register its
// passes.
#define HANDLE_EXTENSION(name)                                              \
  llvm::PassPluginLibraryInfo get##name##PluginInfo();                      \
  llvm::PassPluginLibraryInfo get##name##PluginInfo() {                     \
    return {LLVM_PLUGIN_API_VERSION, #name, "", [](llvm::PassBuilder&) {}}; \
  }
#include "llvm/Support/Extension.def"

#pragma once
// Texts of help and manual page apart from the options.

#include <array>

namespace sinter::inline v0::command {

struct told {
  const char* name;
  const char* meaning;
};

inline constexpr std::array<told, 4> exit_codes{
    {{"0", "done, and all is well"},
     {"1",
      "done, and the answer is no: something essential is missing (doctor), entries are damaged (verify), "
      "there "
      "is no such entry or it is damaged (show), nobody agreed (clear), a call was not tuned (tune), tunings "
      "differ (tune diff)"},
     {"2", "the command line makes no sense"},
     {"3", "it could not be done: the text on standard error says why and what to do"}}};

inline constexpr std::array<told, 14> variables{
    {{"SINTER_CACHE", "off: nothing is kept on disk"},
     {"SINTER_CACHE_DIR", "the cache directory; else $XDG_CACHE_HOME/sinter, else $HOME/.cache/sinter"},
     {"SINTER_CACHE_BYTES", "how many bytes the cache directory may have; 1 GiB unless set"},
     {"SINTER_SHARED_CACHE",
      "what machines share: a directory, or redis://[[user]:password@]host[:port][/database]"},
     {"SINTER_PACKS", "packs that programs look into before the cache, a list with colons between"},
     {"SINTER_PACK_KEY", "public keys: where there are any, only packs signed by one of them are used"},
     {"SINTER_CPU_COMPILER", "path of libsinter_cpu_compiler.so, which compiles for the CPU"},
     {"SINTER_CUDA_DRIVER", "path of the CUDA driver's library"},
     {"SINTER_NVRTC", "path of NVRTC's library"},
     {"SINTER_NVJITLINK", "path of nvJitLink's library"},
     {"SINTER_THREADS", "how many threads run kernels on the CPU"},
     {"NO_COLOR", "if not empty, no colours"},
     {"PATH", "where nvdisasm, cuobjdump, objdump and llvm-objdump are looked for"},
     {"TMPDIR", "where code is put for a disassembler to read; /tmp unless set"}}};

}  // namespace sinter::inline v0::command

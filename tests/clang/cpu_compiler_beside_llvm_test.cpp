// The CPU compiler in a process that contains another LLVM with globally visible symbols.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <string>

#include "../support/needs.hpp"
#include "cpu_compiler_fixture.hpp"

using namespace cpu_compiler_test;

TEST_CASE("cpu compiler: beside another LLVM") {
  int found = 0;
  for (const char* name : {"libLLVM-14.so.1", "libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM-17.so.1",
                           "libLLVM.so.18.1", "libLLVM.so.19.1", "libLLVM.so.20.1"}) {
    void* other = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (other == nullptr) continue;
    ++found;
    INFO(std::string(name));
    auto create = reinterpret_cast<void* (*)()>(dlsym(other, "LLVMContextCreate"));
    auto make_module =
        reinterpret_cast<void* (*)(const char*, void*)>(dlsym(other, "LLVMModuleCreateWithNameInContext"));
    auto dispose_module = reinterpret_cast<void (*)(void*)>(dlsym(other, "LLVMDisposeModule"));
    auto dispose = reinterpret_cast<void (*)(void*)>(dlsym(other, "LLVMContextDispose"));
    REQUIRE((create && make_module && dispose_module && dispose));
    void* context = create();
    void* module = make_module("theirs", context);
    CHECK(axpy_works());
    CHECK(compile("#pragma clang __debug llvm_fatal_error\n").status == SINTER_CPU_COMPILER_FATAL_ERROR);
    CHECK(axpy_works());
    dispose_module(module);
    dispose(context);
  }
  sinter::test::lacks(sinter::test::need::other_llvm, found == 0 ? "no shared LLVM is installed" : "");
}

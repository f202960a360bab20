// No static object of this library is destroyed when the process ends: another thread may still be compiling,
// and the system frees what the destructors of LLVM, Clang and LLD would free. Every such destructor is
// registered through this function, which is found before the C library's.
extern "C" {

int __cxa_atexit(void (*destroy)(void*), void* object, void* library);
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"

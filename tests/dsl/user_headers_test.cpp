// Headers that a user's text includes: found once, part of the key by content, and reported with their
// include chain if missing.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder of headers, removed with its scope.
struct header_folder {
  explicit header_folder(const char* name) : path(std::filesystem::temp_directory_path() / name) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path / "detail");
  }
  header_folder(const header_folder&) = delete;
  header_folder& operator=(const header_folder&) = delete;
  ~header_folder() { std::filesystem::remove_all(path); }
  void write(const char* name, const std::string& text) const { std::ofstream(path / name) << text; }
  std::filesystem::path path;
};

void write_headers(const header_folder& folder, const char* factor = "2") {
  folder.write("scale.hpp",
               "#pragma once\n#include \"detail/factor.hpp\"\n#include \"detail/factor.hpp\"\n"
               "static inline HOST_DEVICE float scaled(float x) { return x * factor; }\n");
  folder.write("detail/factor.hpp", std::string("#ifndef FACTOR\n#define FACTOR\n#include \"kind.hpp\"\n"
                                                "static const KIND factor = ") +
                                        factor + ";\n#endif\n");
  folder.write("detail/kind.hpp", "#define KIND float\n");
}

constexpr const char* text =
    "#ifdef __CUDACC__\n#define HOST_DEVICE __device__\n#else\n#define HOST_DEVICE\n#endif\n"
    "#include \"scale.hpp\"\n#include <scale.hpp> // again\n"
    "extern \"C\" HOST_DEVICE float scale(float x) {\n#if __CUDA_ARCH__ >= 800\n  x += 0;\n#endif\n  return "
    "scaled(x); }\n";

using scale_function = extern_function<float(float)>;

scale_function scale_of(const header_folder& folder) {
  return scale_function("scale", {.cuda = text, .cpp = text, .folders = {folder.path.string()}});
}

std::string refusal(const std::string& source, const std::vector<std::string>& folders) {
  try {
    scale_function("scale", {.cuda = source, .folders = folders});
  } catch (const compile_error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_SUITE("user headers") {
  TEST_CASE(
      "headers and the headers that they include are part of the text, each as often as it is entered") {
    const header_folder folder("sinter_user_headers");
    write_headers(folder);
    const scale_function scale = scale_of(folder);
    const auto x = array<float, 1>::from(std::vector<float>{1, 2.5f}, {2}, device::cpu());
    CHECK(fuse([&](auto v) { return scale(v); })(x).to_vector() == std::vector<float>{2, 5});
    const device_source& source = runtime::source_of(scale.erased());
    CHECK_FALSE(contains(source.cuda, folder.path.string()));
    CHECK_FALSE(contains(source.cuda, "#include"));
    CHECK(contains(source.cuda, "#if __CUDA_ARCH__ >= 800"));
    CHECK(source.cuda.find("scaled(float x)") == source.cuda.rfind("scaled(float x)"));
  }

  TEST_CASE("moving the folder changes no key, changing a header does") {
    const header_folder here("sinter_user_headers"), there("sinter_user_headers_moved");
    write_headers(here);
    write_headers(there);
    CHECK(&scale_of(here).erased() == &scale_of(there).erased());
    write_headers(there, "3");
    const external_function &first = scale_of(here).erased(), &second = scale_of(there).erased();
    CHECK(first.cuda_content != second.cuda_content);
    CHECK(first.cpu_content != second.cpu_content);
    // a function keeps the text that it was made with
    const scale_function kept = scale_of(here);
    write_headers(here, "4");
    const auto x = array<float, 1>::from(std::vector<float>{1}, {1}, device::cpu());
    CHECK(fuse([&](auto v) { return kept(v); })(x).to_vector() == std::vector<float>{2});
  }

  TEST_CASE("a missing header is told with all that include it") {
    const header_folder folder("sinter_user_headers");
    write_headers(folder);
    folder.write("detail/kind.hpp", "#include \"missing.h\"\n");
    const std::string told = refusal(text, {folder.path.string()});
    CHECK(contains(
        told,
        "scale.cu includes scale.hpp, which includes detail/factor.hpp, which includes kind.hpp, which "
        "includes 'missing.h'"));
    CHECK(contains(told, folder.path.string()));
    CHECK(contains(refusal("#include <vector>\n", {}), "scale.cu includes 'vector'"));
  }

  TEST_CASE("errors name the header and its line") {
    const header_folder folder("sinter_user_headers");
    write_headers(folder);
    folder.write("detail/kind.hpp", "#define KIND no_such_type\n");
    const scale_function scale = scale_of(folder);
    const auto x = array<float, 1>::from(std::vector<float>{1}, {1}, device::cpu());
    try {
      fuse([&](auto v) { return scale(v); })(x);
      FAIL("it compiled");
    } catch (const compile_error& thrown) {
      CHECK(contains(thrown.log(), "detail/factor.hpp:4"));
    }
  }

  TEST_CASE("text that includes nothing is left as it is, whatever its comments say") {
    const char* const plain = "// to include nothing\nextern \"C\" float scale(float x) { return x; }";
    const scale_function scale("scale", {.cpp = plain});
    CHECK(runtime::source_of(scale.erased()).cpp == plain);
  }
}

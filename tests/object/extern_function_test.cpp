// External functions in fused kernels: inlined from text or bitcode, called through a pointer, linked on
// CUDA, and found by content.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/device_objects.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"
#include "../support/sweep/sweep_layout.hpp"
#include "../vectors/blend_bitcode.hpp"

using namespace sinter;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* blend_cpp = R"(
static float twice(float x) { return x + x; }
extern "C" float blend(float a, float b) { return twice(a) - b; })";
constexpr const char* blend_cuda = R"(
static __device__ float twice(float x) { return x + x; }
extern "C" __device__ float blend(float a, float b) { return twice(a) - b; })";
float blend_here(float a, float b) { return a + a - b; }

using blend_function = extern_function<float(float, float)>;

array<float, 1> numbers(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.5f - 3;
  return array<float, 1>::from(values, {count}, device::cpu());
}

template <class Error, class Called>
std::string refusal(const Called& called) {
  try {
    called();
  } catch (const Error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

bool cuda_is_missing() { return test::lacks_nvrtc() || test::lacks_nvjitlink(); }

/// The toolkit's compiler, from the first of CUDA_PATH, CUDA_HOME and the usual place; "" if there is none.
std::string nvcc_path() {
  const char* folder = "/usr/local/cuda";
  for (const char* const variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* const chosen = std::getenv(variable)) {
      folder = chosen;
      break;
    }
  const std::string path = std::string(folder) + "/bin/nvcc";
  return std::filesystem::exists(path) ? path : "";
}

/// blend(x * 2, x) + 1, for rows also a sum of them.
graph calling(const external_function& called, bool reduced = false) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value two = builder.literal(element_type::int64, 2, true);
  graph_value made = builder.call(called, std::vector{builder.apply(operation::multiply, {x, two}), x});
  if (reduced) made = builder.reduce(operation::sum, made, 2);
  builder.output(builder.apply(operation::add, {made, builder.literal(element_type::int64, 1, true)}));
  builder.recorded().name = "calling";
  return builder.recorded();
}

stage lowered(const graph& recorded, const target_facts& target) {
  return test::lower(recorded, {test::contiguous({64, 256})}, target).stages[0];
}

}  // namespace

TEST_SUITE("extern function") {
  TEST_CASE("text and pointers give the CPU the same values, in lambdas and in expressions") {
    const array<float, 1> x = numbers(1000);
    for (const blend_function& blend :
         {blend_function("blend", {.cpp = blend_cpp}), blend_function("blend", blend_here),
          blend_function("blend", {.cuda = blend_cuda}).on_cpu(blend_cpp),
          blend_function("blend", {.cuda = blend_cuda}).on_cpu(blend_here)}) {
      const std::vector<float> fused = fuse([&](auto v) { return blend(v * 2, v) + 1; })(x).to_vector();
      const array<float, 1> lazy = blend(x * 2, x) + 1;
      for (std::size_t i = 0; i < fused.size(); ++i) {
        const float v = static_cast<float>(i) * 0.5f - 3;
        REQUIRE(fused[i] == v * 4 - v + 1);
      }
      CHECK(lazy.to_vector() == fused);
    }
  }

  TEST_CASE("operands broadcast, scalars take the types of the arguments") {
    const extern_function<double(float, std::int32_t)> scale(
        "scale", {.cpp = "extern \"C\" double scale(float a, int n) { return a / 2 * n; }"});
    const array<float, 1> x = numbers(4);
    const auto rows = array<std::int32_t, 2>::from(std::vector<std::int32_t>{1, 3}, {2, 1}, device::cpu());
    const auto made = fuse([&](auto a, auto n) { return scale(a, n); })(x, rows);
    static_assert(std::is_same_v<decltype(made), const array<double, 2>>);
    CHECK(made.to_vector() == std::vector<double>{-1.5, -1.25, -1, -0.75, -4.5, -3.75, -3, -2.25});
    const array<double, 1> with_scalar = scale(x, 3);
    CHECK(with_scalar.to_vector() == std::vector<double>{-4.5, -3.75, -3, -2.25});
  }

  TEST_CASE("booleans and several functions of one kernel keep to themselves") {
    const extern_function<bool(float)> is_large("is_large", {.cpp = R"(
static bool helper(float x) { return x > -2; }
extern "C" bool is_large(float x) { return helper(x); })"});
    const extern_function<float(bool, float)> pick("pick", {.cpp = R"(
static float helper(float x) { return x * 10; }
extern "C" float pick(bool large, float x) { return large ? helper(x) : 0; })"});
    const array<float, 1> made = fuse([&](auto v) { return pick(is_large(v), v); })(numbers(4));
    CHECK(made.to_vector() == std::vector<float>{0, 0, 0, -15});
  }

  TEST_CASE(
      "half types are float in the code, and what operands fit and results are made in is the half type") {
    const auto check = [](auto zero) {
      using half = decltype(zero);
      using scale_function = extern_function<half(half, std::int32_t)>;
      static_assert(std::is_same_v<typename scale_function::code_type, float(float, std::int32_t)>);
      constexpr const char* text = "extern \"C\" float scale(float a, int n) { return a * 1.001f * n; }";
      std::vector<half> values(100);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = half(static_cast<float>(i) * 0.5f - 3);
      const auto x = array<half, 1>::from(values, {100}, device::cpu());
      for (const scale_function& scale :
           {scale_function("scale", {.cpp = text}), scale_function("scale", [](float a, std::int32_t n) {
              return a * 1.001f * static_cast<float>(n);
            })}) {
        const auto fused = fuse([&](auto v) { return scale(v, 3); })(x);
        static_assert(std::is_same_v<decltype(fused), const array<half, 1>>);
        const array<half, 1> lazy = scale(x, 3);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const half expected(static_cast<float>(values[i]) * 1.001f * 3);
          REQUIRE(fused.to_vector()[i].bits() == expected.bits());
          REQUIRE(lazy.to_vector()[i].bits() == expected.bits());
        }
      }
    };
    check(float16(0));
    check(bfloat16(0));
  }

  TEST_CASE("of half types some may be arguments alone, or the result alone") {
    const extern_function<float(float16)> widen("widen", [](float a) { return a + 0x1p-20f; });
    const extern_function<float16(float)> narrow("narrow", [](float a) { return a; });
    const auto halves = array<float16, 1>::from(std::vector<float16>(4, float16(1)), {4}, device::cpu());
    const array<float, 1> wide = widen(halves);
    CHECK(wide.to_vector()[0] == 1 + 0x1p-20f);
    const array<float16, 1> back = fuse([&](auto v) { return narrow(widen(v)); })(halves);
    CHECK(back.to_vector()[3].bits() == float16(1).bits());
  }

  TEST_CASE("a function is part of reductions and scans") {
    const blend_function blend("blend", {.cpp = blend_cpp});
    const array<float, 1> x = numbers(100);
    const auto sums = fuse([&](auto v) { return sum(blend(v, 1.0f), axis<0>); })(x);
    CHECK(sums.to_vector()[0] == 100 * (2 * (49.5f * 0.5f - 3) - 1));
    const auto last = fuse([&](auto v) { return cumsum(blend(v, 0.0f), axis<0>); })(x).to_vector().back();
    CHECK(last == 100 * 2 * (49.5f * 0.5f - 3));
  }

  TEST_CASE("LLVM bitcode is linked in process") {
    const blend_function blend("blend",
                               {.bitcode = std::string(std::begin(blend_bitcode), std::end(blend_bitcode))});
    const std::vector<float> made = fuse([&](auto v) { return blend(v, 1.0f); })(numbers(100)).to_vector();
    for (std::size_t i = 0; i < made.size(); ++i)
      REQUIRE(made[i] == 2 * (static_cast<float>(i) * 0.5f - 3) - 1);
    const blend_function broken("blend", {.bitcode = "this is no bitcode"});
    const std::string told =
        refusal<compile_error>([&] { fuse([&](auto v) { return broken(v, v); })(numbers(8)); });
    CHECK(contains(told, "blend.bc"));
  }

  TEST_CASE("what does not compile or is not defined is told with the function's name") {
    const blend_function wrong("blend",
                               {.cpp = "extern \"C\" float blend(float a, float b) { return missing; }"});
    const std::string told =
        refusal<compile_error>([&] { fuse([&](auto v) { return wrong(v, v); })(numbers(8)); });
    CHECK(contains(told, "blend.cpp"));
    CHECK(contains(told, "missing"));
    const blend_function other("blend",
                               {.cpp = "extern \"C\" float blender(float a, float b) { return a; }"});
    CHECK(contains(refusal<compile_error>([&] { fuse([&](auto v) { return other(v, v); })(numbers(8)); }),
                   "blend"));
    CHECK(contains(refusal<error>([] { blend_function("a name", blend_here); }), "'a name'"));
  }

  TEST_CASE("a form that a target lacks is told with those that there are") {
    const blend_function cuda_only("blend", {.cuda = blend_cuda});
    const std::string on_cpu =
        refusal<compile_error>([&] { lowered(calling(cuda_only.erased()), test::cpu_facts()); });
    CHECK(contains(on_cpu, "'blend' has no form for the CPU: there is CUDA C++ text"));
    const blend_function cpu_only("blend", blend_here);
    const std::string on_cuda =
        refusal<compile_error>([&] { lowered(calling(cpu_only.erased()), test::cuda_facts()); });
    CHECK(contains(on_cuda, "'blend' has no form for CUDA: there is a function pointer"));
  }

  TEST_CASE("the reference calls the pointer, and says so where there is none") {
    const blend_function blend = blend_function("blend", {.cuda = blend_cuda}).on_cpu(blend_here);
    const float values[] = {1, 2, -3, 0.5f};
    const std::int64_t extents[] = {2, 2};
    const reference_array x = load_reference(element_type::float32, extents, values);
    std::vector<reference_array> results;
    interpret(calling(blend.erased()), {&x, 1}, {}, results);
    for (std::size_t i = 0; i < 4; ++i) CHECK(results[0].reals[i] == 3 * values[i] + 1);
    const blend_function without("blend", {.cuda = blend_cuda});
    CHECK(contains(refusal<error>([&] { interpret(calling(without.erased()), {&x, 1}, {}, results); }),
                   "'blend'"));
  }

  TEST_CASE("equal calls are one, calls of literals stay calls, and the graph says what is called") {
    const blend_function blend("blend", blend_here);
    graph_builder builder;
    builder.restart();
    const graph_value x = builder.input(element_type::float32, 1);
    const graph_value one = builder.literal(element_type::float32, 0x3f800000);
    const auto call = [&](graph_value a, graph_value b) {
      return builder.call(blend.erased(), std::vector{a, b});
    };
    builder.output(builder.apply(
        operation::add, {builder.apply(operation::add, {call(x, one), call(x, one)}), call(one, one)}));
    CHECK_NOTHROW(verify(builder.recorded()));
    const graph simpler = simplify(builder.recorded());
    CHECK_NOTHROW(verify(simpler));
    std::size_t calls = 0;
    for (const node& at : simpler.nodes) calls += at.op == operation::external ? 1 : 0;
    CHECK(calls == 2);
    CHECK(contains(to_string(simpler), "external blend(n0, n1)"));
  }

  TEST_CASE("operands that an argument does not hold, and two functions of one name, are refused") {
    const extern_function<float(std::int32_t)> whole(
        "whole", {.cpp = "extern \"C\" float whole(int x) { return x; }"});
    graph_builder builder;
    builder.restart();
    const graph_value x = builder.input(element_type::float32, 1);
    CHECK(contains(refusal<type_error>([&] { builder.call(whole.erased(), {&x, 1}); }), "whole(float32[:])"));
    const blend_function one("blend", blend_here), other("blend", {.cpp = blend_cpp});
    const std::vector<graph_value> both{x, x};
    builder.call(one.erased(), both);
    CHECK(contains(refusal<type_error>([&] { builder.call(other.erased(), both); }), "two different"));
  }

  TEST_CASE("new content is a new kernel, the same content from another place is the same one") {
    const auto signature = [](const blend_function& called, const target_facts& target) {
      return lowered(calling(called.erased()), target).signature;
    };
    const std::string other_text = std::string(blend_cuda) + " ";
    for (const target_facts& target : {test::cuda_facts(), test::cpu_facts()}) {
      const auto of = [&](const char* cuda, const char* cpp) {
        return signature(blend_function("blend", {.cuda = cuda, .cpp = cpp}), target);
      };
      const bool cuda = target.kind == target_kind::cuda;
      CHECK(of(blend_cuda, blend_cpp) == of(std::string(blend_cuda).c_str(), std::string(blend_cpp).c_str()));
      CHECK((of(blend_cuda, blend_cpp) == of(other_text.c_str(), blend_cpp)) == !cuda);
      CHECK((of(blend_cuda, blend_cpp) == of(blend_cuda, " ")) == cuda);
    }
    // a pointer is an argument: another function needs no other kernel
    const blend_function here("blend", blend_here), there("blend", +[](float a, float b) { return b - a; });
    CHECK(&here.erased() != &there.erased());
    CHECK(signature(here, test::cpu_facts()) == signature(there, test::cpu_facts()));
    const array<float, 1> x = numbers(64);
    const auto run = [&](const blend_function& blend) {
      return fuse([&](auto v) { return blend(v, 1.0f); })(x);
    };
    CHECK(run(here).to_vector()[0] == -7);
    const std::size_t before = runtime::kernel_table_statistics().compiled;
    CHECK(run(there).to_vector()[0] == 4);
    CHECK(runtime::kernel_table_statistics().compiled == before);
  }

  TEST_CASE("a kernel for CUDA is linked with the function out of text, LTO-IR, PTX, a cubin and a fatbin") {
    if (cuda_is_missing()) return;
    using runtime::cuda_code;
    fake_cuda fake;
    const std::string options[] = {"--relocatable-device-code=true"};
    const auto code = [&](cuda_code kind) {
      return object_code::from_bytes(
          runtime::compile_cuda(blend_cuda, "blend.cu", "", {90, kind}, options).code, "blend.bin");
    };
    const object_code in_fatbin =
        object_code::from_bytes(test::fatbin_of(code(cuda_code::cubin).images()[0]), "blend.fatbin");
    REQUIRE(in_fatbin.images()[0].format == code_format::fatbin);
    for (const blend_function& blend :
         {blend_function("blend", {.cuda = blend_cuda}), blend_function("blend", code(cuda_code::lto_ir)),
          blend_function("blend", code(cuda_code::ptx)), blend_function("blend", code(cuda_code::cubin)),
          blend_function("blend", in_fatbin)})
      for (const bool reduced : {false, true}) {
        target_facts target = test::cuda_facts();
        target.architecture = 90;
        const stage made = lowered(calling(blend.erased(), reduced), target);
        const kernel_text text = emit(made);
        CHECK(contains(text.source, "extern \"C\" __device__ float blend(float, float);"));
        REQUIRE(text.linked.size() == 1);
        const object_code linked = runtime::compile_kernel(text, target);
        CHECK(linked.images()[0].format == code_format::cubin);
        CHECK(linked.entries() == std::vector<std::string>{text.entry});
        CHECK(linked.facts().registers > 0);
        CHECK(entries_of(linked.images()[0]) == std::vector<std::string>{text.entry});
      }
    CHECK(fake.calls("cuLibraryLoadData") == 0);
  }

  TEST_CASE("a fatbin that the toolkit's own compiler made, with code for several architectures, is linked") {
    if (cuda_is_missing()) return;
    const std::string compiler = nvcc_path();
    if (test::lacks(test::need::nvcc, compiler.empty() ? "it is not installed" : "")) return;
    const test::temporary_folder root;
    test::write_file(root / "blend.cu", blend_cuda);
    const std::string made = root / "blend.fatbin";
    REQUIRE(std::system((compiler + " -fatbin -rdc=true -gencode=arch=compute_80,code=sm_80 " +
                         "-gencode=arch=compute_90,code=[sm_90,compute_90] -o " + made + " " +
                         (root / "blend.cu"))
                            .c_str()) == 0);
    const blend_function blend("blend", object_code::from_file(made));
    for (const int architecture : {80, 90, 120}) {  // the last function of the PTX for 9.0
      target_facts target = test::cuda_facts();
      target.architecture = architecture;
      const kernel_text text = emit(lowered(calling(blend.erased()), target));
      const object_code linked = runtime::compile_kernel(text, target);
      CHECK(linked.images()[0].architecture == architecture);
      CHECK(entries_of(linked.images()[0]) == std::vector<std::string>{text.entry});
    }
  }

  TEST_CASE("on CUDA a text at fault and a function that is not defined are named") {
    if (cuda_is_missing()) return;
    target_facts target = test::cuda_facts();
    target.architecture = 90;
    const auto compile = [&](const char* text) {
      const blend_function blend("blend", {.cuda = text});
      runtime::compile_kernel(emit(lowered(calling(blend.erased()), target)), target);
    };
    CHECK(contains(
        refusal<compile_error>([&] { compile("extern \"C\" __device__ float blend() { return missing; }"); }),
        "blend.cu(1)"));
    const std::string told = refusal<compile_error>(
        [&] { compile("extern \"C\" __device__ float blender(float a) { return a; }"); });
    CHECK(contains(told, "none of them defines 'blend'"));
  }
}

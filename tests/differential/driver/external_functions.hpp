// The user's functions that programs may call, by name: `extern NAME OPERAND…`. Their values are defined once
// more in oracle/external_functions.py.
#pragma once

#include <sinter/dsl/extern_function.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace differential {

// The functions of this process are for the interpreter, and for the CPU where there is no C++ text.
inline const auto mix_words =
    sinter::extern_function<std::uint32_t(std::uint32_t, std::uint32_t)>(
        "mix_words",
        sinter::device_source{
            .cuda = "extern \"C\" __device__ unsigned mix_words(unsigned a, unsigned b) {"
                    " return a * 2654435761u ^ b; }",
            .cpp = "extern \"C\" unsigned mix_words(unsigned a, unsigned b) { return a * 2654435761u ^ b; }"})
        .on_cpu(+[](std::uint32_t a, std::uint32_t b) -> std::uint32_t { return a * 2654435761U ^ b; });

inline const auto half_sum =
    sinter::extern_function<float(float, float)>(
        "half_sum",
        sinter::device_source{
            .cuda =
                "extern \"C\" __device__ float half_sum(float a, float b) { return 0.5f * a + 0.5f * b; }",
            .cpp = "extern \"C\" float half_sum(float a, float b) { return 0.5f * a + 0.5f * b; }"})
        .on_cpu(+[](float a, float b) { return 0.5F * a + 0.5F * b; });

/// By a pointer on the CPU.
inline const auto halve_here =
    sinter::extern_function<std::int32_t(std::int32_t)>(
        "halve_here",
        sinter::device_source{.cuda = "extern \"C\" __device__ int halve_here(int a) { return a / 2; }"})
        .on_cpu(+[](std::int32_t a) -> std::int32_t { return a / 2; });

inline const sinter::external_function& external_named(const std::string& name) {
  if (name == "mix_words") return mix_words.erased();
  if (name == "half_sum") return half_sum.erased();
  if (name == "halve_here") return halve_here.erased();
  throw std::runtime_error("driver: no external function " + name);
}

}  // namespace differential

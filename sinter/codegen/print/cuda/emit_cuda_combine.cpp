#include <fmt/format.h>

#include <algorithm>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/print/cuda/emit_cuda_combine.hpp>

namespace sinter::codegen {
namespace {

constexpr int warp = 32;
constexpr int most_parts_of_a_thread = 8;  // more are joined by the lanes of a warp

}  // namespace

int cuda_joins::joined_in_warp() const {
  return columns() ? std::min<int>(std::max(1, warp / chosen().threads_along), chosen().threads_across)
                   : std::min<int>(chosen().threads_along, warp);
}

int cuda_joins::parts() const { return (columns() ? chosen().threads_across : threads()) / joined_in_warp(); }

void cuda_joins::join_sums(unsigned phase) {
  bool exchanged = false;
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (!columns()) join_lanes(i, made);
    join_in_warp(i, made);
    if (parts() == 1) return;
    declare_parts(i, made);
    if (clustered() && !begun_) {
      begun_ = true;
      out_.line("wait_for_cluster();");
    }
    write_part(i, made);
    exchanged = true;
  });
  if (exchanged) {
    if (clustered()) out_.line("arrive_at_cluster();");
    out_.line(clustered() ? "wait_for_cluster();" : "__syncthreads();");
  }
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (parts() > 1) join_parts(i, made);
    set_row_value(i, made);
  });
}

void cuda_joins::exchange_in_warp(std::uint32_t i, const instruction& made, int farthest, int nearest) {
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int distance = {}; distance >= {}; distance /= 2) {{", farthest, nearest));
  open_sums();
  out_.line(
      fmt::format("const {} other = exchange({}, distance);", spelling(made.compute), sum(i, sum_lane())));
  if (finds_position(made.op))
    out_.line(fmt::format("const long long other_where = exchange({}, distance);", where(i, sum_lane())));
  join(made, sum(i, sum_lane()), where(i, sum_lane()), "other", "other_where");
  close_sums();
  out_.close();
}

void cuda_joins::join_in_warp(std::uint32_t i, const instruction& made) {
  if (joined_in_warp() > 1)
    exchange_in_warp(i, made, joined_in_warp() / 2 * distance_in_warp(), distance_in_warp());
}

std::string cuda_joins::part(std::uint32_t i, std::string_view kind, std::string_view number) const {
  return columns() ? fmt::format("{}{}[{}][x + e]", kind, i, number)
                   : fmt::format("{}{}{}[threadIdx.y][{}]", kind, i, of_row(), number);
}

void cuda_joins::declare_parts(std::uint32_t i, const instruction& made) {
  const std::string extents =
      columns() ? fmt::format("[{}][{}]", parts(), chosen().threads_along * vector())
      : rows_per_thread() > 1
          ? fmt::format("[{}][{}][{}]", rows_per_thread(), chosen().threads_across, parts())
          : fmt::format("[{}][{}]", chosen().threads_across, parts());
  out_.line(fmt::format("__shared__ {} part{}{};", spelling(made.compute), i, extents));
  if (finds_position(made.op)) out_.line(fmt::format("__shared__ long long place{}{};", i, extents));
}

void cuda_joins::write_part(std::uint32_t i, const instruction& made) {
  const auto write = [&](std::string_view kind, const std::string& value, std::string_view number) {
    const std::string place = part(i, kind, number);
    out_.line(clustered() ? fmt::format("*in_block(&{}, threadIdx.x % {}) = {};", place, warp, value)
                          : fmt::format("{} = {};", place, value));
  };
  std::string condition = fmt::format("threadIdx.x % {} == 0", warp),
              number = fmt::format("threadIdx.x / {}", warp);
  if (columns()) {
    condition = fmt::format("threadIdx.y % {} == 0", joined_in_warp());
    number = fmt::format("threadIdx.y / {}", joined_in_warp());
  } else if (clustered()) {
    // each of the first lanes of a warp writes to one of the cluster's blocks
    condition = fmt::format("threadIdx.x % {} < {}", warp, chosen().cluster);
    number = fmt::format("thread / {}", warp);
  }
  out_.open(fmt::format("if ({}) {{", condition));
  open_sums();
  write("part", sum(i, sum_lane()), number);
  if (finds_position(made.op)) write("place", where(i, sum_lane()), number);
  close_sums();
  out_.close();
}

void cuda_joins::join_parts(std::uint32_t i, const instruction& made) {
  const bool places = finds_position(made.op);
  const std::string to = sum(i, sum_lane()), to_place = where(i, sum_lane());
  const bool by_each_thread = columns() || parts() <= most_parts_of_a_thread;
  open_sums();
  if (by_each_thread) {
    out_.open("{");
    join_in_pairs(i, made);
    out_.close();
    close_sums();
    return;
  }
  out_.line(fmt::format("{} = {};", to, start_text(kernel_, made)));
  if (places) out_.line(fmt::format("{} = 0x7fffffffffffffffll;", to_place));
  unroll(fmt::format("for (int w = threadIdx.x % {}; w < {}; w += {}) {{", warp, parts(), warp));
  join(made, to, to_place, part(i, "part", "w"), part(i, "place", "w"));
  out_.close();
  close_sums();
  exchange_in_warp(i, made, warp / 2, 1);  // every lane needs the value
}

void cuda_joins::join_in_pairs(std::uint32_t i, const instruction& made) {
  const bool places = finds_position(made.op);
  const auto count = static_cast<int>(power_above(parts()));
  const bool fills = count == parts();
  const auto take = [&](std::string_view kind, const std::string& otherwise) {
    return fills ? part(i, kind, "w")
                 : fmt::format("w < {} ? {} : {}", parts(), part(i, kind, "w"), otherwise);
  };
  out_.line(fmt::format("{} pair[{}];", spelling(made.compute), count));
  if (places) out_.line(fmt::format("long long pair_place[{}];", count));
  unroll(fmt::format("for (int w = 0; w < {}; ++w) {{", count));
  out_.line(fmt::format("pair[w] = {};", take("part", start_text(kernel_, made))));
  if (places) out_.line(fmt::format("pair_place[w] = {};", take("place", "0x7fffffffffffffffll")));
  out_.close();
  unroll(fmt::format("for (int half = {}; half > 0; half /= 2) {{", count / 2));
  unroll("for (int w = 0; w < half; ++w) {");
  join(made, "pair[w]", "pair_place[w]", "pair[w + half]", "pair_place[w + half]");
  out_.close();
  out_.close();
  out_.line(fmt::format("{} = pair[0];", sum(i, sum_lane())));
  if (places) out_.line(fmt::format("{} = pair_place[0];", where(i, sum_lane())));
}

}  // namespace sinter::codegen

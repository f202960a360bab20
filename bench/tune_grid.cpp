#include "tune_grid.hpp"

#include <fmt/format.h>

namespace sinter_bench {
namespace {

void add_cuda_rows(std::vector<std::string>& grid) {
  for (int vector : {1, 2, 4, 8})
    for (int steps : {1, 2, 4}) {
      for (int threads : {128, 256, 512, 1024})
        grid.push_back(fmt::format("rows vector={} steps={} threads_along={}", vector, steps, threads));
      // Two axes: a block covers several rows.
      for (int along : {32, 64, 128, 256})
        for (int across : {1, 2, 4, 8})
          for (int rows : {1, 2, 4, 8}) {
            const int threads = along * across;
            const bool same_as_above = across == 1 && rows == 1 && along >= 128;
            if (threads < 128 || threads > 256 || steps > 2 || rows * steps * vector > 16 || same_as_above)
              continue;
            grid.push_back(
                fmt::format("rows vector={} steps={} rows_per_thread={} threads_along={} threads_across={}",
                            vector, steps, rows, along, across));
          }
    }
}

void add_cuda_flat(std::vector<std::string>& grid) {
  for (int vector : {1, 2, 4, 8})
    for (int steps : {1, 2, 4, 8})
      for (int threads : {128, 256, 512})
        grid.push_back(fmt::format("flat vector={} steps={} threads_along={}", vector, steps, threads));
}

void add_cuda_tiled(std::vector<std::string>& grid) {
  for (int tile : {16, 32, 64, 128})
    for (int vector : {1, 2, 4, 8})
      for (int across : {4, 8, 16, 32, 64}) {
        const int along = tile / vector;
        if (along < 1 || across > tile || along * across < 64 || along * across > 1024) continue;
        grid.push_back(
            fmt::format("tiled vector={} rows_per_thread={} threads_along={} threads_across={} tile={}",
                        vector, tile / across, along, across, tile));
      }
}

void add_cuda_row_reductions(std::vector<std::string>& grid) {
  for (int vector : {1, 2, 4, 8})
    for (int steps : {1, 2, 4, 8, 16})
      for (int along : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
        for (int across : {1, 2, 4, 8, 16, 32, 64, 128, 256})
          for (int rows : {1, 2, 4})
            for (int resident : {0, 1}) {
              if (along * across < 128 || along * across > 1024 || vector * steps * rows > 64) continue;
              grid.push_back(
                  fmt::format("row_reduction vector={} steps={} rows_per_thread={} threads_along={} "
                              "threads_across={} resident={}",
                              vector, steps, rows, along, across, resident));
            }
  for (int cluster : {1, 2, 4, 8, 16})
    for (int steps : {2, 4, 6, 8})
      for (int shared_steps : {0, 2, 4, 8, 10, 12})
        for (int along : {256, 512, 1024})
          grid.push_back(
              fmt::format("row_reduction vector=4 steps={} threads_along={} cluster={} "
                          "shared_steps={} whole_rows=1 resident=1",
                          steps, along, cluster, shared_steps));
}

void add_cuda_column_reductions(std::vector<std::string>& grid) {
  for (int vector : {1, 2, 4, 8})
    for (int steps : {1, 2, 4, 8})
      for (int along : {1, 2, 4, 8, 16, 32, 64, 128})
        for (int across : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
          if (along * across >= 128 && along * across <= 512)
            grid.push_back(
                fmt::format("column_reduction vector={} steps={} threads_along={} threads_across={}", vector,
                            steps, along, across));
}

/// On the CPU the compiler chooses vectors; the schedule only sets the size of a piece.
void add_cpu(std::vector<std::string>& grid, std::string_view order) {
  if (order == "tiled") {
    for (int tile : {16, 32, 64, 128})
      grid.push_back(fmt::format("tiled rows_per_thread={0} threads_along={0} tile={0}", tile));
    return;
  }
  for (int along : {1 << 10, 1 << 12, 1 << 14, 1 << 15})
    for (int rows : {1, 8, 32})
      for (int streaming : {0, 1}) {
        if (order == "flat" && rows != 1) continue;
        grid.push_back(fmt::format("{} rows_per_thread={} threads_along={} streaming={}", order, rows, along,
                                   streaming));
      }
}

}  // namespace

std::vector<std::string> schedule_grid(std::string_view orders, bool cuda) {
  std::vector<std::string> grid;
  const std::string listed = "," + std::string(orders) + ",";
  const auto wanted = [&](std::string_view order) {
    return listed.find("," + std::string(order) + ",") != std::string::npos;
  };
  const struct {
    std::string_view name;
    void (*add)(std::vector<std::string>& grid);
  } cuda_orders[] = {{"rows", add_cuda_rows},
                     {"flat", add_cuda_flat},
                     {"tiled", add_cuda_tiled},
                     {"row_reduction", add_cuda_row_reductions},
                     {"column_reduction", add_cuda_column_reductions}};
  for (const auto& order : cuda_orders)
    if (cuda && wanted(order.name)) order.add(grid);
  // as the pass chooses for large workloads: a sum's operand is read once, so its lines are evicted first
  if (cuda)
    for (std::string& text : grid)
      text += text.find("reduction") != text.npos && text.find("resident=1") == text.npos ? " reads=first"
                                                                                          : " reads=last";
  for (const std::string_view order : {"rows", "flat", "tiled"})
    if (!cuda && wanted(order)) add_cpu(grid, order);
  return grid;
}

}  // namespace sinter_bench

// Thrust beside Sinter: fused functions read and write Thrust's vectors, and Thrust's algorithms run over
// Sinter's arrays, on one stream. Finds the points nearest to a place: the distances are one kernel, the sort
// is Thrust's, and the mean of the nearest is one kernel again.
//
// Compiled by nvcc it runs on a GPU. Compiled by another compiler, with Thrust's device system CPP, it runs
// on the CPU.
#include <sinter/thrust.hpp>

#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cmath>
#include <cstdio>

#include "../check.hpp"

using sinter::axis, sinter::fuse, sinter::slice;

int main() {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  if (const std::string absence = sinter::cuda_absence_reason(); !absence.empty()) {
    std::printf("skipped, without cuda_device: Thrust's device system is CUDA: %s\n", absence.c_str());
    return 0;
  }
  const sinter::device where = sinter::device::cuda();
#else
  const sinter::device where = sinter::device::cpu();
#endif
  const std::size_t count = 10'000, nearest = 100;
  thrust::host_vector<float> host_x(count), host_y(count);
  for (std::size_t i = 0; i < count; ++i) {  // a spiral
    const float turn = 0.01f * static_cast<float>(i), radius = 0.0001f * static_cast<float>(i);
    host_x[i] = 0.5f + radius * std::cos(turn);
    host_y[i] = 0.25f + radius * std::sin(turn);
  }
  const thrust::device_vector<float> x = host_x, y = host_y;
  thrust::device_vector<float> distances(count);
  thrust::device_vector<int> order_of_points(count);

  const auto distance =
      fuse("distance", [](auto x, auto y, auto to_x, auto to_y) { return hypot(x - to_x, y - to_y); });
  const auto mean_at = fuse("mean_at", [](auto x, auto indices) { return mean(take(x, indices, axis<0>)); });

  const sinter::stream order = sinter::stream::create(where);
  const auto policy = sinter::thrust_policy(order);
  distance.on(order).into(distances)(x, y, 0.5f, 0.25f);
  thrust::sequence(policy, order_of_points.begin(), order_of_points.end());
  thrust::sort_by_key(policy, distances.begin(), distances.end(), order_of_points.begin());
  // A range is a view: the first hundred.
  const auto first = sinter::as_view(order_of_points.begin(), order_of_points.begin() + nearest);
  const sinter::array<float, 0> mean_x = mean_at.on(order)(x, first);

  // The centre of the spiral is its first point, and the others follow.
  float expected = 0;
  for (std::size_t i = 0; i < nearest; ++i) expected += host_x[i] / static_cast<float>(nearest);
  order.synchronize();
  check(order_of_points[nearest - 1] == nearest - 1, "the order of the nearest points");
  check(std::abs(mean_x.item() - expected) < 1e-5f, "the mean of the nearest points");

  // And the other way round: Thrust's algorithms over an array of Sinter's.
  const auto squares = fuse("squares", [](auto d) { return d * d; });
  sinter::array<float, 1> squared = squares.on(order)(distances);
  wait_for_use(squared, order);
  thrust::sort(policy, thrust_begin(squared), thrust_end(squared), thrust::greater<float>());
  const float total = thrust::reduce(policy, thrust_begin(squared), thrust_end(squared));
  record_use(squared, order);
  const sinter::array<float, 1> largest = squared(slice(0, 1)).copy();
  check(std::abs(largest.item() - 0.9999f * 0.9999f) < 1e-4f, "the largest squared distance");
  check(std::abs(total - 3332.83f) < 1.f, "the sum of the squared distances");
  std::puts("Thrust's vectors: ok");
}

// Matrices of Eigen beside Sinter: fused functions read them and write into them where they lie, and what
// Eigen is for, a decomposition, stays with Eigen. Whitens points: centres them, and turns and scales them by
// the eigenvectors of their covariance, so that their covariance is 1.
#include <sinter/eigen.hpp>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstdio>

#include "../check.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sinter::axis, sinter::fuse;

int main() {
  const Eigen::Index count = 1000;
  MatrixXd points(count, 3);  // column-major, as Eigen has it
  for (Eigen::Index i = 0; i < count; ++i) {
    const double t = static_cast<double>(i);
    points.row(i) << 2 * std::sin(t) + 5, std::sin(t) + std::cos(3 * t), 0.1 * std::sin(7 * t) - 2;
  }

  // Rows and columns are the axes, whatever the storage order.
  const auto centred = fuse("centred", [](auto x) { return x - mean(x, axis<0>); });
  const auto scaled = fuse("scaled", [](auto x, auto variances) { return x / sqrt(variances); });

  MatrixXd residuals(count, 3);
  centred.into(residuals)(points);  // from Eigen's memory to Eigen's memory, in one kernel
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(residuals.transpose() * residuals / double(count));
  MatrixXd turned = residuals * solver.eigenvectors();
  scaled.into(turned)(turned, solver.eigenvalues());  // in place

  const MatrixXd covariance = turned.transpose() * turned / double(count);
  check((covariance - MatrixXd::Identity(3, 3)).norm() < 1e-9, "the covariance of whitened points");

  // A block, a row and a fixed vector are operands, too; a result that Sinter allocates comes to Eigen.
  const auto distances = fuse("distances", [](auto x, auto from) {
    const auto d = x - from;
    return sqrt(sum(d * d, axis<1>));
  });
  const Eigen::Vector2d origin(5, 0);
  const VectorXd found = sinter::to_eigen(distances(points.leftCols<2>(), origin));
  const VectorXd expected = (points.leftCols<2>().rowwise() - origin.transpose()).rowwise().norm();
  check((found - expected).norm() < 1e-9, "distances of a block's rows");

  // Eigen::half goes both ways.
  using halves = Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1>;
  const halves narrow = halves::Constant(8, Eigen::half(1.5f));
  const auto doubled = fuse("doubled", [](auto x) { return x + x; });
  const halves twice = sinter::to_eigen(doubled(narrow));
  check(static_cast<float>(twice.sum()) == 24, "the sum of halves that came back");
  std::puts("Eigen's matrices: ok");
}

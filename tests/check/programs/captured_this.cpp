#include <functional>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

class layer {
 public:
  explicit layer(float weight) : weight_(weight) {}
  auto function() const {
    return fuse([this](auto x) { return weight_ * x; });  // expect: captures `this` is returned
  }
  void keep() {
    kept_ = fuse([=, this](auto x) { return weight_ + x; });  // expect: captures `this` is kept in a member
  }
  auto with_similar_name(float this_scale) const {
    return fuse([this_scale, this](auto x) {  // expect: captures `this` is returned
      return this_scale * weight_ * x;
    });
  }
  array<float, 1> apply(const array<float, 1>& x) const {
    return fuse([this](auto y) { return weight_ * y; })(x);
  }
  std::function<array<float, 1>(const array<float, 1>&)> kept_;

 private:
  float weight_;
};

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(layer(2).function()(x), {2, 4});
  expect(layer(2).with_similar_name(3)(x), {6, 12});
  layer made(3);
  made.keep();
  expect(made.kept_(x), {4, 5});
  expect(made.apply(x), {3, 6});
}

// expect: this view has a name: say v.refer_to(w) to view other elements, or v() = w to write elements
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>
using namespace sinter;

void use(std::vector<view<float, 1>>& views) {
  std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

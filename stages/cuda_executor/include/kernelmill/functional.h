// libcu++ for kernels that run on the executor: its function objects (cuda::maximum and so on),
// which kernels pass to collectives, and cuda::std, which is std here. A candidate gets it where it
// includes cuda/functional or a header of cuda/std. What cuda::std lacks of std, the compiler for
// devices refuses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <ratio>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace cuda {

template <typename T = void>
struct maximum {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
template <typename T = void>
struct minimum {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

namespace std {
using namespace ::std;
}  // namespace std

}  // namespace cuda

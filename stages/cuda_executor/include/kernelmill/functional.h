// The function objects of libcu++ (cuda::maximum and so on) that kernels pass to collectives, for
// kernels that run on the executor. A candidate gets it where it includes cuda/functional.
#pragma once

#include <functional>

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
using ::std::equal_to;
using ::std::multiplies;
using ::std::not_equal_to;
using ::std::plus;
}  // namespace std

}  // namespace cuda

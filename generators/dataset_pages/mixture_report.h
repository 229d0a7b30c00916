// What the weights of rows make of a dataset, for its card: the share of the trained tokens that
// each family of rows was to have and has, the caps on groups of rows, and the limit of near-equal
// programs. Filled by the step "mix"
// (stages/mix/mixture.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelmill {

// Shares are parts of the trained tokens by weight, from 0 to 1.
struct MixtureReport {
  struct Family {
    std::string name;
    double wanted = 0;
    double reached = 0;  // 0 when the family has no rows; other families then get its share.
  };
  struct Cap {
    std::string name;  // A name of `mix_caps`.
    double limit = 0;
    double largest = 0;              // The share of the largest item that the cap applies to.
    std::int64_t over = 0, all = 0;  // The number of items over the limit, and of all items.
  };
  // How many programs of one task are trained that share as much of their text (near_equal.*).
  struct NearEqual {
    std::int64_t limit = 0;  // 0: no limit.
    double similarity = 1;
  };
  std::vector<Family> families;
  std::vector<Cap> caps;
  NearEqual near_equal;
  double least_weight = 0, most_weight = 0;  // Of a row whose own factor (WrittenRow::weight) is 1.
};

}  // namespace kernelmill

// What the weights of rows have come to, for a card.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelmill {

// Shares are of the trained tokens, by weight: from 0 to 1.
struct MixtureReport {
  struct Family {
    std::string name;
    double wanted = 0;
    double reached = 0;  // 0 where there are no rows of it; others have its share.
  };
  struct Cap {
    std::string name;  // A name of `mix_caps`.
    double limit = 0;
    double largest = 0;              // Share of the largest thing that is capped.
    std::int64_t over = 0, all = 0;  // How many things are over the limit, and how many there are.
  };
  std::vector<Family> families;
  std::vector<Cap> caps;
  double least_weight = 0, most_weight = 0;  // Of a row whose part is 1.
};

}  // namespace kernelmill

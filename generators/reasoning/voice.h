// Sentences in one of many wordings, each choice on its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/wording.h"

namespace kernelmill {

using SentenceVariants = std::vector<std::string_view>;
using SentenceValues = std::vector<std::pair<std::string_view, std::string>>;

class Voice {
 public:
  // `part` tells the choices of one voice from those of others for the same row. `wording` outlives
  // this.
  Voice(const Wording& wording, std::string part) : wording_(wording), part_(std::move(part)) {}

  // One of `variants`; of its [one|or|other] groups one item each, and then its {placeholders}
  // filled. Groups do not nest, and an item may be empty.
  std::string Say(const SentenceVariants& variants, const SentenceValues& values = {});
  // True for one of `count`.
  bool OneIn(std::size_t count) { return Index(count) == 0; }
  std::size_t Index(std::size_t count) { return wording_.Index(Purpose(), count); }

 private:
  std::string Purpose() { return part_ + ' ' + std::to_string(said_++); }

  const Wording& wording_;
  const std::string part_;
  int said_ = 0;
};

}  // namespace kernelmill

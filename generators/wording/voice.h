// Sentences in one of many wordings, each choice on its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/wording/wording.h"

namespace kernelmill {

using SentenceVariants = std::vector<std::string_view>;
using SentenceValues = std::vector<std::pair<std::string_view, std::string>>;

class Voice {
 public:
  // `part` tells the choices of one voice from those of others for the same row. `wording` outlives
  // this.
  Voice(const Wording& wording, std::string part) : wording_(wording), part_(std::move(part)) {}

  // One of `variants`; of its [one|or|other] groups one item each, in the row's vocabulary
  // (generators/wording/lexicon.h), and then its {placeholders} filled. An item may be empty, and hold groups itself. Brackets without a bar are no group.
  std::string Say(const SentenceVariants& variants, const SentenceValues& values = {});
  // `pattern` with one item for each of its groups, placeholders left as they are.
  std::string Choose(std::string_view pattern);
  // True for one of `count`.
  bool OneIn(std::size_t count) { return Index(count) == 0; }
  const Wording& wording() const { return wording_; }
  std::size_t Index(std::size_t count) { return wording_.Index(Purpose(), count); }
  // `items` in one of their orders.
  template <typename T>
  void Shuffle(std::vector<T>* items) {
    for (std::size_t i = items->size(); i > 1; --i) std::swap((*items)[i - 1], (*items)[Index(i)]);
  }

 private:
  std::string Purpose() { return part_ + ' ' + std::to_string(said_++); }

  const Wording& wording_;
  const std::string part_;
  int said_ = 0;
};

}  // namespace kernelmill

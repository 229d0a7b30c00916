// SentenceWriter: writes sentences for the text of a row from patterns with alternatives and
// placeholders. All writers of prose use it. Each call makes its own choice, so the sentences of a
// row vary independently of each other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/wording/wording.h"

namespace kernelmill {

// Patterns that say the same. A pattern contains {placeholders} and groups "[one|or|other]"; an
// item of a group may be empty, and may contain groups. Brackets without a bar are ordinary text.
using SentenceVariants = std::vector<std::string_view>;
using SentenceValues = std::vector<std::pair<std::string_view, std::string>>;

// `pattern` with every {name} replaced by its value; a name without a value stays as it is. Values
// are not searched for placeholders.
std::string FillPlaceholders(std::string_view pattern, const SentenceValues& values);

// "a", "a and b", "a, b and c".
std::string Listed(const std::vector<std::string>& items);

// `text` with its first letter in upper case when that is a lower-case ASCII letter.
std::string Capital(std::string_view text);

// Not thread-safe: each call advances the sequence of choices.
class SentenceWriter {
 public:
  // `part` names the part of the row that is written; writers of different parts choose
  // independently. `wording` must outlive the writer.
  SentenceWriter(const Wording& wording, std::string part)
      : wording_(wording), part_(std::move(part)) {}

  // Chooses one of `variants` and an item of each of its groups, and then fills the placeholders.
  std::string Say(const SentenceVariants& variants, const SentenceValues& values = {});
  // Chooses an item of each group of `pattern` and leaves placeholders as they are.
  std::string Choose(std::string_view pattern);
  // True in one of `count` cases.
  bool OneIn(std::size_t count) { return Index(count) == 0; }
  const Wording& wording() const { return wording_; }
  // A number from 0 to `count` - 1.
  std::size_t Index(std::size_t count) { return wording_.Index(Purpose(), count); }
  template <typename T>
  void Shuffle(std::vector<T>* items) {
    for (std::size_t i = items->size(); i > 1; --i) std::swap((*items)[i - 1], (*items)[Index(i)]);
  }

 private:
  std::string Purpose() { return part_ + ' ' + std::to_string(choices_++); }

  const Wording& wording_;
  const std::string part_;
  int choices_ = 0;
};

}  // namespace kernelmill

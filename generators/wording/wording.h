// Choice of wording: which of several ways to say the same thing. Decided by content, never by
// chance, so that one task always reads the same.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/digest.h"

namespace kernelmill {

// `pattern` with every {name} replaced by its value. A value is not searched again.
std::string Fill(std::string_view pattern,
                 const std::vector<std::pair<std::string_view, std::string>>& values);

// "a", "a and b", "a, b and c".
std::string Listed(const std::vector<std::string>& items);

// With its first letter large, where that is a small Latin one.
std::string Capital(std::string_view text);

class Wording {
 public:
  // `subject` is what the text is about, `seed` the run's.
  Wording(const Digest& subject, std::int64_t seed) : subject_(subject), seed_(seed) {}

  // One of `choices`; equal `purpose`, subject and seed choose equally.
  std::string_view Pick(std::string_view purpose,
                        const std::vector<std::string_view>& choices) const {
    return choices[Index(purpose, choices.size())];
  }
  // A number below `count`.
  std::size_t Index(std::string_view purpose, std::size_t count) const {
    const Digest hash =
        Sha256().Field(purpose).Field(subject_.AsKey()).Field(std::to_string(seed_)).Finish();
    return static_cast<std::size_t>(hash.Prefix64() % count);
  }

 private:
  Digest subject_;
  std::int64_t seed_;
};

}  // namespace kernelmill

// Wording: decides which of several equivalent texts a row or a check uses. Every writer of such a
// text asks it, often through SentenceWriter (sentence_writer.h). The choice depends on a hash of
// the subject, the run's seed and the name of the decision alone, so the same row always reads the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"

namespace kernelmill {

// Immutable; safe to share between threads.
class Wording {
 public:
  // `subject`: the digest of what the text is about. `seed`: the run's.
  Wording(const Digest& subject, std::int64_t seed) : subject_(subject), seed_(seed) {}

  // One of `choices`, of which there is at least one. `purpose` names the decision: equal purposes
  // of one wording choose equally.
  std::string_view Pick(std::string_view purpose,
                        const std::vector<std::string_view>& choices) const {
    return choices[Index(purpose, choices.size())];
  }
  // A number from 0 to `count` - 1, chosen in the same way.
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

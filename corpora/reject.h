// What was refused, why, and its bytes: nothing that kernelmill rejects is lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/origin.h"

namespace kernelmill {

struct Reject {
  std::string stage;             // The step that refused it.
  std::string reason;            // A name from manifests/reason.h.
  std::string detail;            // One line for people.
  std::vector<Origin> origins;   // Where it came from, as far as it is known.
  std::string original;          // The refused bytes, whatever they are.

  // A 4-byte big-endian length, that many bytes of canonical JSON (everything but the bytes), and
  // then the bytes.
  std::string Encode() const;
  static Result<Reject> Decode(std::string_view bytes);
};

}  // namespace kernelmill

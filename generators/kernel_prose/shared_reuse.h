// Whether a barrier stands between the reads of a shared array and a later write to it, as far as
// the text of a kernel shows it. Called by kernel_exchange_prose.cc.
#pragma once

#include <cstdint>
#include <string>

#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {

struct SharedReuse {
  enum class Kind : std::uint8_t {
    kNone,       // Nothing is written after it was read.
    kOrdered,    // A barrier of the block stands between.
    kUnordered,  // All threads read, and then write other elements without a barrier between.
    kUnknown,    // It depends on conditions or loops.
  };
  Kind kind = Kind::kNone;
  std::string read, written;  // The accesses of kUnordered.
};

SharedReuse ReuseOf(const KernelSubject& subject, const std::string& array);

}  // namespace kernelmill

// What differs between the two versions of a kernel that a repository holds for CUDA and for
// another platform, token by token and without comments. The step "slice_ports" asks it whether a
// row can say everything that differs, and WritePortRow() (port_prose.h) says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/kernel_port.h"

namespace kernelmill {

struct PortChanges {
  // Code of the CUDA version, and what the other version has in its place; "" for nothing.
  struct Change {
    std::string old, now;
    friend bool operator==(const Change&, const Change&) = default;
  };
  // Headers that only one version includes: "<cuda_fp16.h>".
  std::vector<std::string> old_headers, new_headers;
  std::vector<Change> platform;  // Names of the platform and of torch, in order of first use.
  std::vector<Change> own;       // Names of this code that follow the platform's name.
  std::vector<Change> others;    // Everything else: names, statements, directives.
  int messages = 0;              // String literals that follow the platform's name.
  bool too_large = false;        // There is more in `others` than a row can quote.

  bool Empty() const {
    return old_headers.empty() && new_headers.empty() && platform.empty() && own.empty() &&
           others.empty() && messages == 0;
  }
};

PortChanges PortChangesOf(const KernelPort& port);

}  // namespace kernelmill

// Origins, licence evidence and shapes in one line each, for people. Everything is printable:
// paths and names come from repositories that nobody vouches for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/licence.h"
#include "manifests/origin.h"

namespace kernelmill {

// "net.py:3-20 (Attention), https://example.org/a at 101e133189f2"
std::string OriginText(const Origin& origin);
// "MIT (nearest_file: LICENSE)"
std::string LicenceText(const LicenceEvidence& evidence);
// "(2, 48, 512) float32"
std::string TensorText(const std::vector<std::int64_t>& shape, const std::string& dtype);

}  // namespace kernelmill

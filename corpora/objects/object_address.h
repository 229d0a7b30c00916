// The address of an object, or of all objects below a prefix, in an object store that speaks S3:
// s3://BUCKET/NAME. The store itself is named by the environment (object_access.h).
#pragma once

#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Whether a text of the command line is such an address, right or wrong.
bool IsObjectAddress(std::string_view text);

struct ObjectAddress {
  std::string bucket;
  std::string name;  // Parts between slashes, none of them empty, "." or "..".

  // kUsage, with what is wrong. A slash at the end is left out.
  static Result<ObjectAddress> Parse(std::string_view text);
  std::string Text() const;
  // The address of `part` below this one.
  ObjectAddress Below(std::string_view part) const;
};

// Whether the parts of a path may be those of an object's name, and of a file in a folder: none is
// empty, "." or "..", and there is no control character. `path` may come from a hostile manifest.
bool IsSafeObjectName(std::string_view path);

// `text` as a part of a URL: all but letters, digits and -._~/ is escaped, as signatures ask for.
std::string ObjectUrlPart(std::string_view text);

}  // namespace kernelmill

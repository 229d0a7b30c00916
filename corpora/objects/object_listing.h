// One page of the list of objects below a prefix, as S3 tells it (ListObjectsV2, in XML).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/objects/object_address.h"
#include "manifests/status.h"

namespace kernelmill {

struct ListedObject {
  std::string name;  // Below the prefix. Not checked: see IsSafeObjectName().
  std::int64_t size = 0;

  friend auto operator<=>(const ListedObject&, const ListedObject&) = default;
};

struct ObjectPage {
  std::vector<ListedObject> objects;
  std::string next;  // ObjectRequest::page of the next one; empty for the last.

  // kCorrupt if it is no such page, or names what is not below `prefix`.
  static Result<ObjectPage> Parse(std::string_view xml, const ObjectAddress& prefix);
};

}  // namespace kernelmill

// Determines the licence of each file of a repository, with its evidence: the file's header, else
// the nearest licence file in its folder or above, else the metadata of its package. The step
// "read" reads licence files; the indices of a repository (stages/mine/index_cache.h) hold the map,
// and the slicing steps and "supply" reject what LicenceAllowed() does not allow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/licence.h"

namespace kernelmill {

// A file that states the licence of others: LICENSE, COPYING, METADATA, pyproject.toml …
struct LicenceFile {
  std::string path;
  std::string blob;
  std::string spdx;  // An expression or NOASSERTION; empty when it names no licence.

  // Whether a file with this path can be one.
  static bool Is(std::string_view path);
  static LicenceFile Read(std::string path, std::string blob, std::string_view text);

  Json ToJson() const;
  static Result<LicenceFile> FromJson(const Json& json);
};

class LicenceMap {
 public:
  explicit LicenceMap(const std::vector<LicenceFile>& files);

  // `header`: the SPDX expression in the file's header; empty when there is none. The level is
  // kNone when nothing states a licence.
  LicenceEvidence Of(const std::string& path, const std::string& blob,
                     const std::string& header) const;

 private:
  // By folder: the evidence for it and all folders below.
  std::map<std::string, LicenceEvidence, std::less<>> nearest_;
  std::map<std::string, LicenceEvidence, std::less<>> packages_;
};

// Whether the licences of the list satisfy an SPDX expression: one side of an OR, both sides of an
// AND; an exception (WITH) is ignored, since it only permits more. False for malformed expressions.
bool LicenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

}  // namespace kernelmill

// The licence of every file of one repository, and the evidence: the file's own header, else the
// nearest licence file upward, else the metadata of the package around it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/licence.h"

namespace kernelmill {

// A file that speaks for others: LICENSE, COPYING, METADATA, pyproject.toml …
struct LicenceFile {
  std::string path;
  std::string blob;
  std::string spdx;  // An expression or NOASSERTION; empty when it names no licence.

  // Whether a file of that path can be one.
  static bool Is(std::string_view path);
  static LicenceFile Read(std::string path, std::string blob, std::string_view text);

  Json ToJson() const;
  static Result<LicenceFile> FromJson(const Json& json);
};

class LicenceMap {
 public:
  explicit LicenceMap(const std::vector<LicenceFile>& files);

  // `header` is what the file says of itself, empty when it says nothing. Level kNone when nobody
  // says anything.
  LicenceEvidence Of(const std::string& path, const std::string& blob,
                     const std::string& header) const;

 private:
  // Folder → what speaks for it and everything beneath.
  std::map<std::string, LicenceEvidence, std::less<>> nearest_;
  std::map<std::string, LicenceEvidence, std::less<>> packages_;
};

// Whether an SPDX expression is met by licences of the list: one side of an OR, both of an AND; an
// exception (WITH) only ever permits more. Anything malformed is not met.
bool LicenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

}  // namespace kernelmill

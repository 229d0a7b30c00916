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
  // Whether it holds the text of a licence, and does not only name one.
  bool IsText() const;

  Json ToJson() const;
  static Result<LicenceFile> FromJson(const Json& json);
};

class LicenceMap {
 public:
  explicit LicenceMap(const std::vector<LicenceFile>& files);

  // `header`: the SPDX expression in the file's header; empty when there is none. The level is
  // kNone when nothing states a licence. Evidence that is not the text of the licence names the
  // nearest file in its folder or above that is.
  LicenceEvidence Of(const std::string& path, const std::string& blob,
                     const std::string& header) const;

 private:
  // By folder: the evidence for it and all folders below.
  std::map<std::string, LicenceEvidence, std::less<>> nearest_;
  std::map<std::string, LicenceEvidence, std::less<>> packages_;
  // The files of each folder that hold the text of a known licence.
  std::map<std::string, std::vector<LicenceFile>, std::less<>> texts_;
};

// The licences under which content with this SPDX expression is used, if only those of the list may
// be: of an OR the first side that the list satisfies, of an AND both sides, which the list must
// satisfy. An exception (WITH) stays with its licence; it only permits more. The result has no OR.
// Nothing if the list does not satisfy the expression, or if it is malformed.
std::optional<std::string> ChosenLicences(std::string_view expression,
                                          const std::vector<std::string>& allowed);
// Whether the text has the form of an SPDX expression, whatever its identifiers name.
bool IsLicenceExpression(std::string_view text);
bool LicenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

// Evidence with the licences that it is used under, LicenceEvidence::chosen. Nothing if the list
// does not allow what it states.
std::optional<LicenceEvidence> AllowedEvidence(LicenceEvidence evidence,
                                               const std::vector<std::string>& allowed);

}  // namespace kernelmill

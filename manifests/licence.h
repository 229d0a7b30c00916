// The evidence for the licence of one record: which text, found where, says what.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "manifests/json.h"

namespace kernelmill {

// Where the evidence was found, strongest first.
enum class LicenceLevel {
  kFileHeader,       // In the file itself.
  kNearestFile,      // The nearest LICENSE or COPYING upward from the file.
  kPackageMetadata,  // pyproject.toml, setup.cfg or *.dist-info of the package around the file.
  kGenerator,        // What wrote the text is under this licence, and the text is its work.
  kDeclared,         // Whoever supplied the text says so.
  kNone,
};
std::string_view LicenceLevelName(LicenceLevel level);

struct LicenceEvidence {
  std::string spdx;  // An SPDX expression, or "NOASSERTION" when a text was found but not known.
  LicenceLevel level = LicenceLevel::kNone;
  std::string path;  // The file that says so: inside the repository, the generator's own, or the
                     // supplied one.
  std::string blob;  // Its Git object id; of a supplied file its SHA-256.

  Json ToJson() const;
  static Result<LicenceEvidence> FromJson(const Json& json);

  friend auto operator<=>(const LicenceEvidence&, const LicenceEvidence&) = default;
};

}  // namespace kernelmill

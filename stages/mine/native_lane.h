// The lane of a step that cuts native kernels out of repositories: it keeps the translation units
// of the repository that it is at.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stages/engine/step.h"
#include "stages/mine/index_cache.h"

namespace kernelmill {

class NativeLane : public Lane {
 public:
  // Inputs arrive in key order, so a lane keeps the units of one source.
  TranslationUnits* UnitsOf(const std::string& source,
                            const std::shared_ptr<const NativeRepository>& repository) {
    if (!units_ || source_ != source) {
      // The units use the index, which the repository owns.
      units_.emplace(std::shared_ptr<const NativeIndex>(repository, &repository->index));
      source_ = source;
    }
    return &*units_;
  }

 private:
  std::string source_;
  std::optional<TranslationUnits> units_;
};

// The evidence for the licences of the files, all of which are on the allowlist; otherwise the
// detail of a rejection, in `*refused`.
inline std::vector<LicenceEvidence> AllowedLicences(const NativeRepository& repository,
                                                    const std::vector<int>& files,
                                                    const std::vector<std::string>& allowlist,
                                                    std::string* refused) {
  std::vector<LicenceEvidence> licences;
  for (int file : files) {
    const LicenceEvidence evidence = repository.LicenceOf(file);
    std::optional<LicenceEvidence> allowed = AllowedEvidence(evidence, allowlist);
    if (!allowed) {
      *refused = evidence.spdx + " for " + repository.index.files()[file].path;
      return {};
    }
    licences.push_back(*std::move(allowed));
  }
  Unite(&licences, {});
  return licences;
}

}  // namespace kernelmill

#include "generators/record_text/provenance_text.h"

#include "manifests/printable.h"

namespace kernelmill {

std::string OriginText(const Origin& origin) {
  if (origin.generated()) {
    return "task " + std::to_string(origin.index) + " of seed " + std::to_string(origin.seed) +
           ", generated (version " + std::to_string(origin.generator) + ")";
  }
  if (origin.supplied()) {
    return (origin.row > 0 ? "row " + std::to_string(origin.row) + " of " : "") +
           PrintableLine(origin.path) + ", supplied from " + PrintableLine(origin.url) +
           " (sha256 " + origin.sha256.substr(0, 12) + ")";
  }
  if (origin.sampled()) {
    return "a sample of the model " + PrintableLine(origin.model) +
           (origin.sampling == "{}" ? "" : ", " + PrintableLine(origin.sampling)) +
           (origin.prompt.empty() ? "" : ", prompt " + origin.prompt.substr(0, 12));
  }
  return PrintableLine(origin.path) + ":" + std::to_string(origin.first_line) + "-" +
         std::to_string(origin.last_line) + " (" + PrintableLine(origin.symbol) + "), " +
         PrintableLine(origin.url) + " at " + PrintableLine(origin.commit.substr(0, 12));
}

std::string LicenceText(const LicenceEvidence& evidence) {
  return PrintableLine(evidence.spdx) + " (" + std::string(LicenceLevelName(evidence.level)) +
         ": " + PrintableLine(evidence.path) + ")";
}

}  // namespace kernelmill

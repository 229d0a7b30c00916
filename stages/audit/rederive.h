// Re-derivation: the proof that records are what their sources make of them. Some records are built
// again from the repositories that they name, at the commits that they name, and compared byte for
// byte. What no hash can show shows here: a licence, a text or a fact that was changed before the
// Merkle root was computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/audit/audit.h"

namespace kernelmill {

struct RederiveOptions {
  std::int64_t records = 0;  // How many; at most all of them.
  // Origin → local repository or URL, where the origin itself cannot be fetched.
  std::map<std::string, std::string> sources;
  std::string cache;  // The folder of fetched repositories.
  int jobs = 0;       // 0: one a processor.
};

struct RederiveReport {
  std::int64_t identical = 0;
  std::vector<AuditFinding> findings;  // One for each record that came out otherwise.
  // Set when the dataset was made by another kernelmill or torch: then a difference need not be
  // tampering.
  std::string other_tool;

  Json ToJson() const;
};

// Chooses records by a hash of the Merkle root, so that nobody can know which before publication.
// Works in a temporary folder. kNotFound, naming the origin, when a source cannot be had.
Result<RederiveReport> Rederive(const std::string& folder, const RederiveOptions& options);

}  // namespace kernelmill

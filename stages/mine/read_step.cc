#include "stages/mine/read_step.h"

#include "stages/mine/read_operation.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {

ReadStep::ReadStep(RepositoryFolders folders, MiningOptions options)
    : folders_(std::move(folders)), options_(std::move(options)) {}

Result<std::unique_ptr<Lane>> ReadStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(options_.child_program));
}

Result<Outcome> ReadStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const ListedFile file, ListedFile::FromText(input.body));
  KM_ASSIGN(UntrustedReply reply,
            ReadSource(static_cast<UntrustedLane&>(lane).child, folders_.at(file.repository_key),
                       file.blob, file.path, options_.kernels));
  if (!reply.reason.empty()) {
    Outcome outcome = OutcomeOf(std::move(reply));
    outcome.origins.push_back(file.ToOrigin());
    return outcome;
  }
  Outcome outcome = Outcome::Keep({{input.key, std::move(reply.body)}});
  outcome.counters.emplace_back("bytes", file.size);
  return outcome;
}

}  // namespace kernelmill

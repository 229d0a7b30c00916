#include "stages/mine/walk_step.h"

#include "manifests/json_fields.h"
#include "stages/mine/walk_operation.h"
#include "stages/publishable/excluded_source.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {

WalkStep::WalkStep(RepositoryFolders folders, MiningOptions options)
    : folders_(std::move(folders)), options_(std::move(options)) {}

Json WalkStep::Parameters() const {
  return Json::Object{{"most_entries", options_.most_entries},
                      {"largest_file", options_.largest_file},
                      {"kernels", options_.kernels},
                      {"exclude_sources", ToJson(options_.exclude_sources)}};
}

Result<std::unique_ptr<Lane>> WalkStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(options_.child_program));
}

Result<Outcome> WalkStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const MinedRepository source, MinedRepository::FromText(input.body));
  if (IsExcluded(source.url, options_.exclude_sources)) {
    Outcome outcome = Outcome::Drop("source_excluded");
    outcome.origins.push_back(Origin{source.url, source.commit});
    return outcome;
  }
  if (!source.trouble.empty()) {
    Outcome outcome = Outcome::Reject("bad_repository", source.trouble, "");
    outcome.origins.push_back(Origin{source.url, source.commit});
    return outcome;
  }
  KM_ASSIGN(UntrustedReply reply,
            WalkRepository(static_cast<UntrustedLane&>(lane).child, folders_.at(input.key),
                           source.commit, options_));
  if (!reply.reason.empty()) {
    Outcome outcome = OutcomeOf(std::move(reply));
    outcome.origins.push_back(Origin{source.url, source.commit});
    return outcome;
  }
  KM_ASSIGN(const Json body, Json::Parse(reply.body));
  Outcome outcome;
  std::int64_t entries = 0;
  for (const auto& [reason, count] : body.Find("counters")->as_object()) {
    outcome.counters.emplace_back("skipped." + reason, count.as_int());
    entries += count.as_int();
  }
  for (const Json& item : body.Find("entries")->as_array()) {
    ListedFile file;
    file.repository_key = input.key;
    file.url = source.url;
    file.commit = source.commit;
    file.path = item.Find("path")->as_string();
    file.blob = item.Find("blob")->as_string();
    file.size = item.Find("size")->as_int();
    outcome.outputs.push_back({file.Key(), file.ToJson().Dump()});
  }
  const auto files = static_cast<std::int64_t>(outcome.outputs.size());
  outcome.counters.emplace_back("files", files);
  outcome.counters.emplace_back("entries", entries + files);
  return outcome;
}

}  // namespace kernelmill

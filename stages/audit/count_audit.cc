#include "stages/audit/count_audit.h"

#include <algorithm>
#include <iterator>

#include "corpora/statistics/distribution.h"
#include "manifests/commit_file.h"
#include "stages/dedup/dedup_step.h"
#include "stages/mine/mine_keys.h"
#include "stages/publishable/licence_map.h"
#include "stages/recipes/published_files.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {
namespace {

constexpr std::string_view kRenderedRows = "rows.";  // Of counters of "render": rows by family.

// Steps that take nothing but what the steps that they read put out. The others also propose
// repositories, rows of files or samples.
constexpr std::string_view kFedBySteps[] = {"read",    "admit", "dedup",  "answer",
                                            "perturb", "check", "render", "measure"};

bool IsMinedText(LicenceLevel level) {
  return level == LicenceLevel::kFileHeader || level == LicenceLevel::kNearestFile ||
         level == LicenceLevel::kPackageMetadata;
}

// The lines of the list of near duplicates, each of which must be canonical JSON and follow the one
// before.
Result<std::int64_t> CountDuplicates(const std::string& folder) {
  KM_ASSIGN(const std::string text, ReadFile(folder + "/" + std::string(kDuplicateListName)));
  std::int64_t lines = 0;
  std::string last;
  for (std::size_t start = 0; start < text.size(); ++lines) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const Result<Json> json = Json::Parse(line);
    const std::string removed = json.ok() && json->is_object() ? json->TextAt("removed") : "";
    if (!json.ok() || json->Dump() != line || removed <= last || end == text.size()) {
      return Status(ErrorCode::kCorrupt, "line " + std::to_string(lines + 1) +
                                             " is not one that kernelmill writes there");
    }
    last = removed;
    start = end + 1;
  }
  return lines;
}

}  // namespace

void AuditSteps(const DatasetManifest& manifest, std::vector<AuditFinding>* findings) {
  const auto find = [&](std::string what) {
    findings->push_back({std::string(kManifestName), "", std::move(what)});
  };
  for (const auto& [step, counts] : manifest.counts) {
    if (Status status = counts.Check(step); !status.ok()) find(status.message());
  }
  std::map<std::string, std::size_t> places;  // In the table of steps.
  for (std::size_t i = 0; i < StepTable().size(); ++i) {
    places[std::string(StepTable()[i].name)] = i;
  }
  std::set<std::string> planned;
  std::size_t next = 0;
  for (const DatasetManifest::StepPlan& plan : manifest.plan) {
    const auto place = places.find(plan.step);
    const bool is_new = planned.insert(plan.step).second;
    if (place == places.end() || place->second < next || !is_new ||
        StepTable()[place->second].make == nullptr) {
      find("'plan' names " + plan.step + ", which no run does there");
      continue;
    }
    next = place->second + 1;
    const auto counts = manifest.counts.find(plan.step);
    if (counts == manifest.counts.end()) {
      find("'counts' does not have the step " + plan.step + " of 'plan'");
      continue;
    }
    std::int64_t outputs = 0;
    bool is_fed = false;
    for (const std::string_view read : StepTable()[place->second].reads) {
      const auto before = manifest.counts.find(std::string(read));
      if (before == manifest.counts.end()) continue;
      is_fed = true;
      outputs += before->second.outputs;
    }
    is_fed = is_fed && std::find(std::begin(kFedBySteps), std::end(kFedBySteps), plan.step) !=
                           std::end(kFedBySteps);
    if (is_fed && counts->second.in > outputs) {
      find("'counts' gives " + plan.step + " " + std::to_string(counts->second.in) +
           " inputs, more than the steps before it put out");
    }
  }
  for (const auto& [step, counts] : manifest.counts) {
    if (!planned.contains(step)) find("'plan' does not have the step " + step + " of 'counts'");
  }
}

void CountAudit::Add(const Record& record, const std::string& family) {
  if (!family.empty()) ++families_[family];
  for (const Origin& origin : record.origins) {
    if (origin.mined()) mined_.insert(origin.Source());
    if (origin.supplied()) supplied_.insert(origin.url);
    generated_ = generated_ || origin.generated();
  }
  for (const LicenceEvidence& evidence : record.licences) {
    if (IsMinedText(evidence.level)) licences_.insert(evidence.spdx);
  }
}

void CountAudit::Finish(const std::string& folder, const DatasetManifest& manifest,
                        const DatasetConfiguration& configuration,
                        std::vector<AuditFinding>* findings) const {
  const auto find = [&](std::string_view file, std::string what) {
    findings->push_back({std::string(file), "", std::move(what)});
  };
  std::int64_t rows = 0;
  const auto render = manifest.counts.find("render"), measure = manifest.counts.find("measure");
  for (const auto& [family, count] : families_) {
    rows += count;
    const std::string counter = std::string(kRenderedRows) + family;
    if (render != manifest.counts.end() && CountOf(render->second.counters, counter) < count) {
      find(kManifestName, "'counts' of render has fewer rows of " + family + " than the shards");
    }
  }
  if ((measure == manifest.counts.end() ? 0 : measure->second.kept) != rows) {
    find(kManifestName, "'counts' of measure does not keep the " + std::to_string(rows) +
                            " rows of the shards");
  }
  if (configuration.sampled) return;
  const Result<std::int64_t> duplicates = CountDuplicates(folder);
  const auto dedup = manifest.counts.find("dedup");
  const std::int64_t dropped = dedup == manifest.counts.end() ? 0 : dedup->second.Dropped();
  if (!duplicates.ok()) {
    if (duplicates.status().code() == ErrorCode::kCorrupt) {
      find(kDuplicateListName, duplicates.status().message());
    }
  } else if (*duplicates != dropped) {
    find(kDuplicateListName, "it lists " + std::to_string(*duplicates) +
                                 " subjects, but the manifest counts " + std::to_string(dropped) +
                                 " that dedup dropped");
  }
  const Config& config = configuration.config;
  std::set<std::pair<std::string, std::string>> repositories;
  std::set<std::string> tasks;
  for (const Json& source : config.Value("sources").as_array()) {
    if (source.TextAt("tasks").empty()) {
      repositories.emplace(source.TextAt("url"), source.TextAt("revision"));
    } else {
      tasks.insert(source.TextAt("url"));
    }
  }
  for (const auto& source : mined_) {
    if (repositories.contains(source)) continue;
    find(kConfigurationName, "it does not name the source " + source.first + " at " +
                                 source.second + ", which records come from");
  }
  for (const std::string& url : supplied_) {
    if (tasks.contains(url)) continue;
    find(kConfigurationName, "it does not name the tasks " + url + ", which records come from");
  }
  if (generated_ && config.Integer("generate.count") == 0) {
    find(kConfigurationName, "it draws no tasks, but records of the shards were drawn");
  }
  for (const std::string& licence : licences_) {
    if (LicenceAllowed(licence, config.Strings("mine.licences"))) continue;
    find(kConfigurationName, "it does not allow the licence " + licence + ", which records have");
  }
}

}  // namespace kernelmill

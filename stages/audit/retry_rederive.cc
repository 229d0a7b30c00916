#include "stages/audit/retry_rederive.h"

#include "manifests/commit_file.h"
#include "stages/audit/line_difference.h"
#include "stages/audit/record_difference.h"

namespace kernelmill {

Status CompareRetryFiles(const std::string& folder, const std::string& scratch, RetryFolder* built,
                         RederiveReport* report) {
  KM_RETURN_IF_ERROR(WriteRetryFolder(scratch, built));
  report->retry = kRetryIdentical;
  for (const std::string_view name : RetryFolderFiles()) {
    const std::string path = std::string(kRetryFolderName) + "/" + std::string(name);
    KM_ASSIGN(const std::string found, ReadFile(folder + "/" + path));
    KM_ASSIGN(const std::string expected, ReadFile(scratch + "/" + std::string(name)));
    if (found == expected) continue;
    report->retry = kRetryDifferent;
    report->findings.push_back(
        FindingOn(path, FirstDifference(found, expected), "the samples and tasks make"));
  }
  return Status::Ok();
}

void CompareRetryRecords(const RetryFolder& published, const std::set<Digest>& chosen,
                         const RetryFolder& built, RederiveReport* report) {
  report->retry = kRetryNotBuilt;
  for (const Digest& id : chosen) {
    const Record& found = published.records.at(id);
    const auto again = built.records.find(id);
    std::string difference;
    if (again == built.records.end()) {
      difference = kNotMadeAtAll;
    } else if (again->second.Encode() != found.Encode()) {
      difference = DifferenceBetween(found, again->second.Encode());
    }
    if (difference.empty()) {
      ++report->identical;
    } else {
      report->findings.push_back({std::string(kRetryFolderName) + "/records.jsonl",
                                  "record " + id.Hex(), std::move(difference)});
    }
  }
}

}  // namespace kernelmill

#include "stages/audit/verdict_rederive.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "manifests/json.h"
#include "manifests/printable.h"
#include "stages/audit/line_difference.h"
#include "stages/recipes/published_files.h"

namespace kernelmill {
namespace {

using VisitLine = std::function<Status(std::int64_t number, const std::string& line, const Json&)>;

// Visits the lines of judged samples. A line that is no JSON is for the audit of the file.
Status ForEachJudged(const std::string& text, const VisitLine& visit) {
  std::int64_t number = 0;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    const std::string line = text.substr(first, end - first);
    first = end + 1;
    ++number;
    const Result<Json> json = Json::Parse(line);
    if (!json.ok() || !json->is_object() || json->Find("verdict") == nullptr) continue;
    KM_RETURN_IF_ERROR(visit(number, line, *json));
  }
  return Status::Ok();
}

}  // namespace

Status CompareVerdictLines(const std::string& found, const std::string& built,
                           RederiveReport* report) {
  const std::string file(kVerdictsName);
  std::map<std::string, std::string> again;  // Line by the sample's key.
  std::set<std::string> tasks;
  KM_RETURN_IF_ERROR(
      ForEachJudged(built, [&](std::int64_t, const std::string& line, const Json& json) -> Status {
        again[json.TextAt("key")] = line;
        tasks.insert(json.TextAt("task"));
        return Status::Ok();
      }));
  KM_RETURN_IF_ERROR(ForEachJudged(
      found, [&](std::int64_t number, const std::string& line, const Json& json) -> Status {
        const auto expected = again.find(json.TextAt("key"));
        if (expected == again.end()) {
          if (tasks.contains(json.TextAt("task"))) {
            report->findings.push_back(
                {file, "line " + std::to_string(number), "no sample of its task has this key"});
          }
          return Status::Ok();
        }
        if (line != expected->second) {
          LineDifference difference = FirstDifference(line, expected->second);
          difference.line = number;
          report->findings.push_back(FindingOn(file, difference, "the samples and tasks make"));
        }
        again.erase(expected);
        return Status::Ok();
      }));
  for (const auto& [key, line] : again) {
    report->findings.push_back(
        {file, "",
         "the verdict on the sample with the key '" + PrintableLine(key) + "' is missing"});
  }
  return Status::Ok();
}

}  // namespace kernelmill

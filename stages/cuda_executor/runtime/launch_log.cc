#include "stages/cuda_executor/runtime/launch_log.h"

#include <algorithm>
#include <utility>

namespace kernelmill {
namespace {

// Limits for answers that launch in a loop; further entries would not add information.
constexpr std::size_t kMostRecords = 10'000;
constexpr std::size_t kMostFindings = 100;

}  // namespace

void LaunchLog::Add(LaunchRecord record) {
  ++launch_count_;
  if (launches_.size() < kMostRecords) launches_.push_back(std::move(record));
}

void LaunchLog::SetFault(Fault fault) {
  if (!fault_.has_value()) fault_ = std::move(fault);
}

void LaunchLog::AddFinding(Fault finding) {
  const bool known = std::any_of(findings_.begin(), findings_.end(), [&](const Fault& other) {
    return other.reason == finding.reason && other.line == finding.line &&
           other.file == finding.file;
  });
  if (!known && findings_.size() < kMostFindings) findings_.push_back(std::move(finding));
}

void LaunchLog::NoteOperatorBehind(std::string_view name) {
  if (operators_behind_.size() < kMostFindings && !operators_behind_.contains(name)) {
    operators_behind_.emplace(name);
  }
}

void LaunchLog::Reset() { *this = LaunchLog(); }

LaunchLog& Log() {
  static LaunchLog log;
  return log;
}

}  // namespace kernelmill

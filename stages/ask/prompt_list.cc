#include "stages/ask/prompt_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "parsers/samples/sample_format.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string GroupOf(CustomId name) {
  name.attempt.reset();
  return name.Text();
}

}  // namespace

std::size_t PromptList::PlaceOf(const CustomId& name, std::int64_t attempt) const {
  const auto group = places_.find(GroupOf(name));
  if (group == places_.end()) return prompts_.size();
  auto after = group->second.upper_bound(attempt);
  if (after == group->second.begin()) return prompts_.size();
  const std::size_t place = std::prev(after)->second;
  const AskedPrompt& prompt = prompts_[place];
  return attempt < prompt.first + prompt.samples ? place : prompts_.size();
}

Status PromptList::Add(const Json& line, const std::string& place) {
  KM_ASSIGN(AskedPrompt prompt, AskedPrompt::Of(line, place, changes_));
  auto& group = places_[GroupOf(prompt.name)];
  const auto after = group.lower_bound(prompt.first);
  const AskedPrompt* other = nullptr;
  if (after != group.end() && after->first < prompt.first + prompt.samples) {
    other = &prompts_[after->second];
  } else if (after != group.begin()) {
    const AskedPrompt& before = prompts_[std::prev(after)->second];
    if (before.first + before.samples > prompt.first) other = &before;
  }
  if (other != nullptr) {
    return Status(ErrorCode::kCorrupt,
                  place + ": asks for the same attempts at " + GroupOf(prompt.name) + " as " +
                      other->place +
                      "; if the prompts were exported for several samples, leave --n "
                      "out or export them with --samples 1");
  }
  group[prompt.first] = prompts_.size();
  prompts_.push_back(std::move(prompt));
  settled_.emplace_back();
  return Status::Ok();
}

Status PromptList::AddFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (IsBlankLine(line)) continue;
    const std::string place = path + ":" + std::to_string(number);
    const Result<Json> json = Json::Parse(line);
    if (!json.ok()) return json.status().Within(place);
    KM_RETURN_IF_ERROR(Add(*json, place));
  }
  return file.bad() ? Status::FromErrno("cannot read", path) : Status::Ok();
}

Status PromptList::AddFiles(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const std::string folder = fs::is_directory(path + "/data", error) ? path + "/data" : path;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  for (const std::string& file : files) KM_RETURN_IF_ERROR(AddFile(file));
  if (!prompts_.empty()) return Status::Ok();
  return Status(ErrorCode::kUsage, path +
                                       " holds no prompts; `export DATASET --format prompts "
                                       "--output FOLDER` writes them");
}

void PromptList::Limit(std::size_t most) {
  while (prompts_.size() > most) {
    const AskedPrompt& last = prompts_.back();
    places_[GroupOf(last.name)].erase(last.first);
    prompts_.pop_back();
    settled_.pop_back();
  }
}

std::int64_t PromptList::Samples() const {
  std::int64_t samples = 0;
  for (const AskedPrompt& prompt : prompts_) samples += prompt.samples;
  return samples;
}

const AskedPrompt* PromptList::Find(const CustomId& name, std::int64_t attempt) const {
  const std::size_t place = PlaceOf(name, attempt);
  return place == prompts_.size() ? nullptr : &prompts_[place];
}

bool PromptList::Settle(const CustomId& name, std::int64_t attempt) {
  const std::size_t place = PlaceOf(name, attempt);
  return place != prompts_.size() && settled_[place].insert(attempt).second;
}

std::vector<PromptList::Attempts> PromptList::Missing() const {
  std::vector<Attempts> missing;
  for (std::size_t place = 0; place < prompts_.size(); ++place) {
    Attempts run{.prompt = place};
    const std::int64_t end = prompts_[place].first + prompts_[place].samples;
    for (std::int64_t attempt = prompts_[place].first; attempt <= end; ++attempt) {
      if (attempt < end && !settled_[place].contains(attempt)) {
        if (run.count++ == 0) run.first = attempt;
      } else if (run.count > 0) {
        missing.push_back(run);
        run.count = 0;
      }
    }
  }
  return missing;
}

}  // namespace kernelmill

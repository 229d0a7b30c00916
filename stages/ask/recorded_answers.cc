#include "stages/ask/recorded_answers.h"

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "manifests/file_writer.h"
#include "manifests/printable.h"
#include "stages/ask/sample_line.h"

namespace kernelmill {
namespace {

// What distinguishes two bodies of requests: "temperature was 0.7 and is 1".
std::string DifferenceOf(const std::string& before, const std::string& now) {
  constexpr std::size_t kMostBytes = 60;
  const Json old_body = *Json::Parse(before), body = *Json::Parse(now);
  std::set<std::string> keys;
  for (const Json* one : {&old_body, &body}) {
    for (const auto& [key, value] : one->as_object()) keys.insert(key);
  }
  const auto text = [](const Json* value) {
    return value == nullptr ? "not set" : PrintableLine(value->Dump(), kMostBytes);
  };
  std::string difference;
  for (const std::string& key : keys) {
    const Json *was = old_body.Find(key), *is = body.Find(key);
    if (was != nullptr && is != nullptr && *was == *is) continue;
    if (!difference.empty()) difference += ", ";
    difference += key == "messages" ? "the messages are others"
                                    : key + " was " + text(was) + " and is " + text(is);
  }
  return difference;
}

// The attempts of a prompt, by the text of its name.
using Attempts = std::set<std::pair<std::string, std::int64_t>>;

bool HasAll(const Attempts& attempts, const SampleLineFacts& line) {
  for (std::int64_t i = 0; i < line.samples; ++i) {
    if (!attempts.contains({line.name.Text(), line.first + i})) return false;
  }
  return true;
}

}  // namespace

Status ReadRecordedAnswers(const AnswerFile& file, bool ask_refused, PromptList* prompts,
                           AskSummary* summary) {
  std::vector<std::pair<CustomId, std::int64_t>> refused;  // Later lines may answer them.
  KM_RETURN_IF_ERROR(file.ForEachLine([&](std::int64_t number, const std::string& line) -> Status {
    const std::string place = file.path() + ":" + std::to_string(number);
    const Result<SampleLineFacts> facts = SampleLineFacts::Of(line);
    if (!facts.ok()) {
      return Status(ErrorCode::kUsage, place + ": this is no line of `sample` (" +
                                           facts.status().message() +
                                           "); give --output another file, or remove the line");
    }
    summary->file.Add(facts->tally);
    const bool is_answer = facts->tally.answered > 0;
    for (std::int64_t i = 0; i < facts->samples; ++i) {
      const std::int64_t attempt = facts->first + i;
      const AskedPrompt* const prompt = prompts->Find(facts->name, attempt);
      if (prompt == nullptr) {
        summary->others += is_answer ? 1 : 0;
      } else if (is_answer && prompt->body != facts->request) {
        return Status(ErrorCode::kUsage,
                      place + ": answers another request than " + prompt->place +
                          " asks: " + DifferenceOf(facts->request, prompt->body) +
                          "; give --output another file");
      } else if (is_answer) {
        summary->before += prompts->Settle(facts->name, attempt) ? 1 : 0;
      } else if (facts->is_refusal && !ask_refused && prompt->body == facts->request) {
        refused.emplace_back(facts->name, attempt);
      }
    }
    return Status::Ok();
  }));
  for (const auto& [name, attempt] : refused) {
    summary->refused_before += prompts->Settle(name, attempt) ? 1 : 0;
  }
  return Status::Ok();
}

Status DropAnsweredFailures(const AnswerFile& file) {
  Attempts failed, answered;
  const auto visit = [&](const auto& take) {
    return file.ForEachLine([&](std::int64_t, const std::string& line) -> Status {
      KM_ASSIGN(const SampleLineFacts facts, SampleLineFacts::Of(line));
      return take(facts, line);
    });
  };
  const auto collect = [&](bool answers, Attempts* attempts) {
    return visit([&](const SampleLineFacts& facts, const std::string&) {
      if ((facts.tally.answered > 0) != answers) return Status::Ok();
      for (std::int64_t i = 0; i < facts.samples; ++i) {
        std::pair attempt(facts.name.Text(), facts.first + i);
        if (!answers || failed.contains(attempt)) attempts->insert(std::move(attempt));
      }
      return Status::Ok();
    });
  };
  KM_RETURN_IF_ERROR(collect(false, &failed));
  if (failed.empty()) return Status::Ok();
  KM_RETURN_IF_ERROR(collect(true, &answered));
  if (answered.empty()) return Status::Ok();
  const std::string passing = file.path() + ".passing";
  std::error_code error;
  std::filesystem::remove(passing, error);  // Of a killed run.
  KM_ASSIGN(FileWriter kept, FileWriter::Create(passing));
  KM_RETURN_IF_ERROR(visit([&](const SampleLineFacts& facts, const std::string& line) -> Status {
    if (facts.tally.answered == 0 && HasAll(answered, facts)) return Status::Ok();
    return kept.Append(line + "\n");
  }));
  KM_RETURN_IF_ERROR(kept.Finish());
  std::filesystem::rename(passing, file.path(), error);
  return error ? Status(ErrorCode::kIo, "cannot replace " + file.path() + ": " + error.message())
               : Status::Ok();
}

}  // namespace kernelmill

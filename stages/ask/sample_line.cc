#include "stages/ask/sample_line.h"

#include <utility>

#include "manifests/digest.h"
#include "parsers/samples/batch_samples.h"
#include "parsers/samples/sample_fields.h"
#include "stages/ask/asked_prompt.h"

namespace kernelmill {
namespace {

constexpr int kHttpOk = 200;

std::string LineOf(const CustomId& name, Json::Object request, Json response, Json error) {
  for (const std::string_view key : kFormKeys) request.erase(std::string(key));
  Json::Object line = {{"custom_id", name.Text()},
                       {"request", std::move(request)},
                       {"response", std::move(response)},
                       {"error", std::move(error)}};
  // Batches have such ids, by which the format is recognised in a line without an answer.
  constexpr std::size_t kIdDigits = 24;
  const std::string digest = DigestOf(Json(line).Dump()).Hex();
  line["id"] = "batch_req_" + digest.substr(0, kIdDigits);
  return Json(std::move(line)).Dump();
}

}  // namespace

bool CanBeginLine(std::string_view text) {
  // Keys are in byte order; other programs' lines with a custom_id have no "error" behind it.
  constexpr std::string_view kBegin = R"({"custom_id":")", kNext = R"(","error":)";
  if (text.size() <= kBegin.size()) return kBegin.starts_with(text);
  if (!text.starts_with(kBegin)) return false;
  std::size_t end = kBegin.size();
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return true;
  const std::string_view rest = text.substr(end);
  return rest.starts_with(kNext.substr(0, rest.size()));
}

std::string AnswerLine(const CustomId& name, Json::Object request, Json body,
                       const std::string& request_id) {
  Json::Object response = {{"status_code", kHttpOk},
                           {"request_id", request_id.empty() ? body.TextAt("id") : request_id},
                           {"body", std::move(body)}};
  return LineOf(name, std::move(request), std::move(response), nullptr);
}

std::string FailureLine(const CustomId& name, Json::Object request, const AskFailure& failure,
                        std::int64_t samples) {
  return LineOf(name, std::move(request), nullptr,
                Json::Object{{"code", failure.code},
                             {"message", failure.message},
                             {"samples", samples},
                             {"status", failure.status}});
}

Result<SampleLineFacts> SampleLineFacts::Of(std::string_view line) {
  const auto corrupt = [](const std::string& why) { return Status(ErrorCode::kCorrupt, why); };
  KM_ASSIGN(const Json json, Json::Parse(line));
  SampleFields fields(json);
  SampleLineFacts facts;
  facts.name = CustomId::Parse(fields.RequiredText("custom_id"));
  facts.first = facts.name.attempt.value_or(0);
  facts.name.attempt.reset();
  const Json* const request = fields.RequiredObject("request");
  const Json* const error = fields.Object("error");
  if (!fields.problem().empty()) return corrupt(fields.problem());
  Json::Object asked = request->as_object();
  MoveSeed(-facts.first, &asked);
  facts.request = Json(std::move(asked)).Dump();
  if (error != nullptr) {
    SampleFields of_error(*error, "error.");
    facts.samples = of_error.Count("samples").value_or(1);
    const std::string code = of_error.RequiredText("code");
    facts.is_refusal = code == AskFailure::kRefused;
    facts.tally.failed[code] = facts.samples;
    return of_error.problem().empty() ? Result<SampleLineFacts>(std::move(facts))
                                      : corrupt(of_error.problem());
  }
  const ParsedSamples parsed = ParseBatchLine(json);
  if (!parsed.problems.empty()) return corrupt(parsed.problems.front().detail);
  facts.samples = static_cast<std::int64_t>(parsed.samples.size());
  facts.tally.AddAnswer(*json.Find("response")->Find("body"), parsed.samples);
  return facts;
}

}  // namespace kernelmill

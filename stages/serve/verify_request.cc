#include "stages/serve/verify_request.h"

#include <cmath>
#include <utility>

#include "manifests/config.h"
#include "manifests/digest.h"
#include "manifests/is_one_of.h"
#include "parsers/byte_order_mark.h"
#include "parsers/samples/message_code.h"
#include "stages/task_files/supplied_rows.h"
#include "stages/verify/legality/policy.h"

namespace kernelmill {
namespace {

constexpr char kRequestsKey[] = "requests";
const std::vector<std::string>& KnownKeys() {
  static const std::vector<std::string> keys = {
      "task",   "reference", "code",     "message", "backend",         "target",
      "policy", "contract",  "sanitize", "profile", "deadline_seconds"};
  return keys;
}

// Reads the keys of one request. Keeps the first problem.
class RequestReader {
 public:
  RequestReader(const Json& json, std::string prefix) : json_(json), prefix_(std::move(prefix)) {}

  bool Has(std::string_view key) const { return json_.Find(key) != nullptr; }

  // The text at the key, or `otherwise` without such a key.
  std::string Text(std::string_view key, std::string otherwise = "") {
    if (!Has(key)) return otherwise;
    const Json& value = *json_.Find(key);
    if (value.is_string()) return value.as_string();
    WrongType(key, value, "a string");
    return otherwise;
  }

  bool Flag(std::string_view key) {
    if (!Has(key)) return false;
    const Json& value = *json_.Find(key);
    if (value.is_bool()) return value.as_bool();
    WrongType(key, value, "true or false");
    return false;
  }

  std::optional<double> Number(std::string_view key) {
    if (!Has(key)) return std::nullopt;
    const Json& value = *json_.Find(key);
    if (value.is_int() || value.is_double()) return value.as_double();
    WrongType(key, value, "a number");
    return std::nullopt;
  }

  void RefuseOtherKeys() {
    for (const auto& [key, value] : json_.as_object()) {
      if (IsOneOf(key, KnownKeys())) continue;
      const std::string nearest = NearestWord(key, KnownKeys());
      Fail(key, "there is no such key" +
                    (nearest.empty() ? std::string() : "; did you mean \"" + nearest + "\"?"));
    }
  }

  void Fail(std::string_view key, std::string message, int status = 400) {
    if (problem_) return;
    problem_ = BodyProblem{status, prefix_ + std::string(key), std::move(message)};
  }

  const std::optional<BodyProblem>& problem() const { return problem_; }

 private:
  void WrongType(std::string_view key, const Json& value, std::string_view expected) {
    Fail(key, "must be " + std::string(expected) + ", not " + std::string(value.TypeName()));
  }

  const Json& json_;
  const std::string prefix_;
  std::optional<BodyProblem> problem_;
};

void ReadTask(const RequestRules& rules, RequestReader* reader, VerifyRequest* request) {
  const bool has_task = reader->Has("task"), has_reference = reader->Has("reference");
  if (has_task == has_reference) {
    return reader->Fail("task",
                        "give either \"task\", the id of a task of the dataset that is "
                        "served, or \"reference\", the text of a task");
  }
  if (has_reference) {
    const std::string text = reader->Text("reference");
    if (text.size() > static_cast<std::size_t>(kLargestReference)) {
      return reader->Fail("reference", "has " + std::to_string(text.size()) +
                                           " bytes, and a reference has at most " +
                                           std::to_string(kLargestReference));
    }
    if (text.find('\0') != text.npos) {
      return reader->Fail("reference", "is not Python: it has a NUL character");
    }
    request->reference = WithoutByteOrderMark(text);
    return;
  }
  const std::string task = reader->Text("task");
  if (reader->problem()) return;
  if (!rules.find_task) {
    return reader->Fail("task",
                        "no dataset is served: start `kernelmill serve` with --tasks, or "
                        "send a \"reference\"");
  }
  const Result<ListedTask> found = rules.find_task(task);
  if (!found.ok()) {
    constexpr int kNotFoundStatus = 404, kUnavailable = 503;
    const ErrorCode code = found.status().code();
    const int status = code == ErrorCode::kNotFound ? kNotFoundStatus
                       : code == ErrorCode::kUsage  ? 400
                                                    : kUnavailable;
    return reader->Fail("task", found.status().message(), status);
  }
  request->reference = *found->reference;
  request->choice.contract = found->contract;
}

void ReadCandidate(RequestReader* reader, VerifyRequest* request) {
  const bool has_code = reader->Has("code"), has_message = reader->Has("message");
  if (has_code == has_message) {
    return reader->Fail("code",
                        "give either \"code\", Python that defines ModelNew, or "
                        "\"message\", the answer of a model with such a code block");
  }
  request->code =
      has_code ? std::optional(reader->Text("code")) : FindCandidateCode(reader->Text("message"));
}

void ReadChoice(RequestReader* reader, JudgingChoice* choice) {
  const std::string backend = reader->Text("backend", std::string(choice->backend->name));
  if (const auto found = KernelBackendNamed(backend); found.ok()) {
    choice->backend = *found;
  } else {
    reader->Fail("backend", found.status().message());
  }
  choice->target = reader->Text("target");
  if (const auto target = choice->backend->TargetNamed(choice->target); target.ok()) {
    // One name for one target, so that equal requests are equal.
    choice->target = (*target)->name;
  } else {
    reader->Fail("target", target.status().message());
  }
  choice->policy = reader->Text("policy", choice->policy);
  if (const auto policy = FindVerifyPolicy(choice->policy); !policy.ok()) {
    reader->Fail("policy", policy.status().message());
  }
  const Result<TaskContract> contract = TaskContract::Parse(reader->Text("contract"));
  if (contract.ok()) {
    choice->contract = choice->contract.With(*contract);
  } else {
    reader->Fail("contract", contract.status().message());
  }
  const std::string sanitize = reader->Text("sanitize", "none");
  if (!IsOneOf<std::string_view>(sanitize, {"none", "memory", "race", "all"})) {
    reader->Fail("sanitize", "must be none, memory, race or all, not \"" + sanitize + "\"");
  }
  choice->memory = sanitize == "memory" || sanitize == "all";
  choice->races = sanitize == "race" || sanitize == "all";
  choice->count = reader->Flag("profile");
}

std::optional<BodyProblem> ReadRequest(const Json& json, const RequestRules& rules,
                                       const std::string& prefix, VerifyRequest* request) {
  if (!json.is_object()) {
    return BodyProblem{.key = prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1),
                       .message = "a request is an object, not " + std::string(json.TypeName())};
  }
  RequestReader reader(json, prefix);
  reader.RefuseOtherKeys();
  request->choice = rules.choice;
  ReadTask(rules, &reader, request);
  ReadCandidate(&reader, request);
  ReadChoice(&reader, &request->choice);
  request->deadline = rules.deadline;
  if (const std::optional<double> seconds = reader.Number("deadline_seconds")) {
    const double most = std::chrono::duration<double>(rules.most_deadline).count();
    if (*seconds > 0 && *seconds <= most) {
      request->deadline = std::chrono::milliseconds(std::llround(std::ceil(*seconds * 1'000)));
    } else {
      reader.Fail("deadline_seconds",
                  "must be more than 0 and at most " + std::to_string(std::llround(most)));
    }
  }
  return reader.problem();
}

}  // namespace

std::string VerifyRequest::Identity() const {
  const auto flag = [](bool value) { return value ? "1" : "0"; };
  return Sha256()
      .Field(choice.policy)
      .Field(choice.backend->name)
      .Field(choice.target)
      .Field(choice.contract.Text())
      .Field(flag(choice.memory))
      .Field(flag(choice.races))
      .Field(flag(choice.count))
      .Field(reference)
      .Field(flag(code.has_value()))
      .Field(code.value_or(""))
      .Finish()
      .Hex();
}

ParsedBody ParseVerifyBody(std::string_view body, const RequestRules& rules) {
  ParsedBody parsed;
  const Result<Json> json = Json::Parse(body);
  if (!json.ok()) {
    parsed.problem = BodyProblem{.message = "the body is not JSON: " + json.status().message()};
    return parsed;
  }
  const Json* const list = json->Find(kRequestsKey);
  if (list == nullptr) {
    parsed.problem = ReadRequest(*json, rules, "", &parsed.requests.emplace_back());
    return parsed;
  }
  parsed.several = true;
  if (json->as_object().size() > 1) {
    parsed.problem = BodyProblem{
        .key = json->as_object().begin()->first == kRequestsKey
                   ? std::next(json->as_object().begin())->first
                   : json->as_object().begin()->first,
        .message = "beside \"requests\" there can be no other key: each request has its own"};
  } else if (!list->is_array() || list->as_array().empty()) {
    parsed.problem =
        BodyProblem{.key = kRequestsKey, .message = "must be a list with at least one request"};
  } else if (list->as_array().size() > rules.most_requests) {
    constexpr int kTooLarge = 413;
    parsed.problem = BodyProblem{kTooLarge, kRequestsKey,
                                 "has " + std::to_string(list->as_array().size()) +
                                     " requests, and there can be at most " +
                                     std::to_string(rules.most_requests)};
  }
  for (std::size_t i = 0; !parsed.problem && i < list->as_array().size(); ++i) {
    parsed.problem = ReadRequest(list->as_array()[i], rules,
                                 std::string(kRequestsKey) + '[' + std::to_string(i) + "].",
                                 &parsed.requests.emplace_back());
  }
  return parsed;
}

}  // namespace kernelmill

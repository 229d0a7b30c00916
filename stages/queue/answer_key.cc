#include "stages/queue/answer_key.h"

#include <charconv>

#include "manifests/digest.h"

namespace kernelmill {
namespace {

constexpr char kRun[] = "run", kPlan[] = "plan", kInput[] = "input", kPlace[] = "place";

}  // namespace

MessageFields AnswerKey::Fields() const {
  return {{kRun, run}, {kPlan, plan}, {kInput, std::to_string(input)}, {kPlace, place}};
}

Result<AnswerKey> AnswerKey::FromFields(const MessageFields& fields) {
  const auto refused = [](const std::string& why) {
    return Status(ErrorCode::kCorrupt, "the message is no key of an answer: " + why);
  };
  AnswerKey key;
  std::string input;
  const std::pair<const char*, std::string*> wanted[] = {
      {kRun, &key.run}, {kPlan, &key.plan}, {kInput, &input}, {kPlace, &key.place}};
  if (fields.size() != std::size(wanted)) {
    return refused("it has " + std::to_string(fields.size()) + " fields");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].first != wanted[i].first) {
      return refused(std::string("it has no field ") + wanted[i].first);
    }
    *wanted[i].second = fields[i].second;
  }
  if (!key.run.starts_with('/')) return refused("its run is no absolute path");
  const char* const end = input.data() + input.size();
  const auto [stop, error] = std::from_chars(input.data(), end, key.input);
  if (error != std::errc() || stop != end || key.input < 0)
    return refused("its input is no number");
  return key;
}

}  // namespace kernelmill

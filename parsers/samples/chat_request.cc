#include "parsers/samples/chat_request.h"

#include "manifests/is_one_of.h"

namespace kernelmill {

namespace {

constexpr std::string_view kRoles[] = {"system",    "developer", "user",
                                       "assistant", "tool",      "function"};

}  // namespace

bool IsChatRole(std::string_view role) { return IsOneOf(role, kRoles); }

std::string UnknownRole(std::string_view place, std::string_view role) {
  std::string roles;
  for (const std::string_view known : kRoles) {
    roles += (roles.empty() ? "" : ", ") + std::string(known);
  }
  return '"' + std::string(place) + "\": there is no role " + Json(role).Dump() + ", it can be " +
         roles;
}

void ReadChatRequest(SampleFields* fields, ModelSample* sample) {
  sample->model = fields->Text("model");
  SamplingParameters& sampling = sample->sampling;
  sampling.temperature = fields->Number("temperature");
  sampling.top_p = fields->Number("top_p");
  sampling.top_k = fields->Count("top_k");
  sampling.seed = fields->Count("seed");
  for (const std::string_view key : kMostTokensKeys) {
    if (!sampling.max_tokens) sampling.max_tokens = fields->Count(key);
  }
  const Json* const messages = fields->RequiredArray("messages");
  if (messages == nullptr) return;
  for (std::size_t at = 0; at < messages->as_array().size(); ++at) {
    const std::string place = fields->Name("messages[" + std::to_string(at) + "]");
    const Json& message = messages->as_array()[at];
    if (!message.is_object()) return fields->Fail('"' + place + "\" must be an object");
    SampleFields of_message(message, place + ".");
    sample->earlier.push_back({of_message.RequiredText("role"), of_message.Text("content")});
    if (!of_message.problem().empty()) return fields->Fail(of_message.problem());
    const std::string& role = sample->earlier.back().role;
    if (!IsChatRole(role)) return fields->Fail(UnknownRole(place, role));
  }
}

}  // namespace kernelmill

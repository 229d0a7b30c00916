#include "stages/mine/arguments_operation.h"

#include "manifests/json_fields.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

Json EncodeCalls(const std::vector<const PythonCall*>& calls) {
  PythonFile file;
  for (const PythonCall* call : calls) file.calls.push_back(*call);
  return file.ToJson();
}

UntrustedReply Arguments(const Json& request, OpenRepository&) {
  const Result<PythonFile> file = PythonFile::FromJson(*request.Find("calls"));
  if (!file.ok()) return UntrustedReply::Reject("parser_crashed", file.status().message(), "");
  const std::string code = request.TextAt("code");
  if (const std::string_view refused = RefuseText(code); !refused.empty()) {
    return UntrustedReply::Reject(std::string(refused), "", "");
  }
  const Redacted redacted = RedactPython(code);
  const ArgumentGuess guess = GuessArguments(redacted.text, file->calls);
  Json::Array sets;
  for (const ArgumentSet& set : guess.sets) sets.push_back(set.ToJson());
  const Json body = Json::Object{{"code", guess.code},
                                 {"detail", guess.detail},
                                 {"redacted", redacted.count},
                                 {"sets", std::move(sets)}};
  return UntrustedReply::Keep(body.Dump());
}

}  // namespace

const UntrustedOperation kArgumentsOperation = {"arguments", Arguments};

Result<UntrustedReply> AskForArguments(UntrustedChild& child, const std::string& code,
                                       const std::vector<const PythonCall*>& calls) {
  return child.Ask(kArgumentsOperation, {{"code", code}, {"calls", EncodeCalls(calls)}});
}

Result<ArgumentGuess> DecodeGuess(std::string_view body) {
  KM_ASSIGN(const Json json, Json::Parse(body));
  ArgumentGuess guess;
  JsonFields fields(json, "argument guess");
  fields.Read("code", &guess.code);
  fields.Read("detail", &guess.detail);
  fields.Read("redacted", &guess.redacted);
  fields.ReadArray("sets", &guess.sets, ArgumentSet::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return guess;
}

}  // namespace kernelmill

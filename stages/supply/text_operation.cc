#include "stages/supply/text_operation.h"

#include "stages/publishable/forbidden_text.h"
#include "stages/publishable/redaction.h"

namespace kernelmill {
namespace {

UntrustedReply Text(const Json& request, OpenRepository&) {
  const std::string code = request.TextAt("code");
  if (const std::string_view refused = RefuseText(code); !refused.empty()) {
    return UntrustedReply::Reject(std::string(refused), "", "");
  }
  return UntrustedReply::Keep(RedactPython(code).text);
}

}  // namespace

const UntrustedOperation kTextOperation = {"text", Text};

Result<UntrustedReply> RedactText(UntrustedChild& child, const std::string& code) {
  return child.Ask(kTextOperation, {{"code", code}});
}

}  // namespace kernelmill

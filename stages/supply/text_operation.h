// Redacts personal data in a text that a user supplied, or rejects the text (credentials, chat
// markers). This is the work of the step "supply" that runs in the untrusted child.
#pragma once

#include <string>

#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kTextOperation;

// Asks the child to redact `code`: the reply's body is the text. The reply is a rejection if
// RefuseText() refuses the text.
Result<UntrustedReply> RedactText(UntrustedChild& child, const std::string& code);

}  // namespace kernelmill

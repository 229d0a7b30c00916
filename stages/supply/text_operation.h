// Redacts a text that a user supplied. This is the work of the step "supply" on untrusted input.
#pragma once

#include <string>

#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kTextOperation;

// Redacts `code`. The reply's body is the text. Rejects text that RefuseText() refuses.
Result<UntrustedReply> RedactText(UntrustedChild& child, const std::string& code);

}  // namespace kernelmill

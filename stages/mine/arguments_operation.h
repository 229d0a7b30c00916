// Redacts a sliced module and guesses its arguments (arguments.h) in the confined child, because
// the module is untrusted input. The step "slice" asks for it with AskForArguments() and reads the
// reply with DecodeGuess().
#pragma once

#include <string>
#include <vector>

#include "stages/mine/arguments.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kArgumentsOperation;

// GuessArguments() for `code`, redacted. Rejects text that RefuseText() refuses. The reply's body
// is what DecodeGuess() reads.
Result<UntrustedReply> AskForArguments(UntrustedChild& child, const std::string& code,
                                       const std::vector<const PythonCall*>& calls);
Result<ArgumentGuess> DecodeGuess(std::string_view body);

}  // namespace kernelmill

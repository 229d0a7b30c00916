// Errors that tell of a shortage of this machine (descriptors, memory, processes) and not of what a
// system call was made for. A shortage is never a verdict and never a reason to reject an input: it
// is ErrorCode::kWorker, and the same command can succeed later.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Whether `error` is an errno value of a shortage: EMFILE, ENFILE, ENOMEM or EAGAIN. (A full disk
// has a code of its own, ErrorCode::kDiskFull.)
bool IsShortage(int error);

// Whether a message of another program names such an error.
bool NamesShortage(std::string_view text);

// What the user can do about it: a clause that follows a message.
std::string ShortageAdvice(int error);

}  // namespace kernelmill

// Reads the text of a licence from a repository, in the confined child (UntrustedChild), because a
// repository is untrusted input. The build of a dataset publishes these texts
// (stages/recipes/licence_files.h).
#pragma once

#include <string>

#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

// The reply's body is the content of the request's "blob".
extern const UntrustedOperation kLicenceTextOperation;

// The bytes of `blob` in the repository `git_dir`. kNotFound when it is not there, kCorrupt when
// its bytes have another Git id.
Result<std::string> ReadLicenceText(UntrustedChild& child, const std::string& git_dir,
                                    const std::string& blob);

}  // namespace kernelmill

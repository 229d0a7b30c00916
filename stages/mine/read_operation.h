// Reads and parses one file of a repository in the confined child, because the file is untrusted
// input. The step "read" asks for it with ReadSource(): `blob` is the Git id of the file's content,
// and `kernels` tells whether native kernels are mined besides modules.
#pragma once

#include <string>

#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kReadOperation;

// Reads `blob`, the file at `path`. The reply's body is a ParsedPythonFile, NativeFile or
// LicenceFile as JSON; with `kernels` it is {"module": ParsedPythonFile, "native": NativeFile} for
// a Python file with CUDA source in its strings.
Result<UntrustedReply> ReadSource(UntrustedChild& child, const std::string& git_dir,
                                  const std::string& blob, const std::string& path, bool kernels);

}  // namespace kernelmill

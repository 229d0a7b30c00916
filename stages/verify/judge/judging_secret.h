// The secret of a judge: 256 random bits, as hexadecimal digits, that decide together with the task
// and the candidate's text which inputs a candidate gets. Who writes a candidate must not know it,
// or could write down the results.
//
// A secret lies in a file that only its owner can read: in the verdict store for all commands that
// judge, and in the folder of a run for that run, so that it ends with the inputs that it began
// with. Answers that kernelmill writes itself are judged without a secret, so that everybody can
// derive them again.
#pragma once

#include <filesystem>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Whether a text may be a secret.
bool IsJudgingSecret(const std::string& text);

// A new secret.
std::string DrawSecret();

// The secret in the file. Writes `initial` to it if the file does not exist; the first writer wins.
// kCorrupt if the file holds something else.
Result<std::string> KeepSecret(const std::filesystem::path& file, const std::string& initial);

// What may be published of a secret before its run has ended: a digest of it, or nothing for an
// empty one.
std::string CommitmentTo(const std::string& secret);

}  // namespace kernelmill

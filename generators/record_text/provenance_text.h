// Writes an origin and the evidence for a licence as one line of text each, for the commands that
// show and trace rows. Paths and names come from untrusted repositories, so every line is made
// printable (manifests/printable.h).
#pragma once

#include <string>

#include "manifests/licence.h"
#include "manifests/origin.h"

namespace kernelmill {

// "net.py:3-20 (Attention), https://example.org/a at 101e133189f2", "task 12 of seed 7, generated
// (version 1)", "row 3 of tasks.jsonl, supplied from urn:local:tasks.jsonl (sha256 101e133189f2)"
std::string OriginText(const Origin& origin);
// "MIT (nearest_file: LICENSE)"
std::string LicenceText(const LicenceEvidence& evidence);

}  // namespace kernelmill

// Reads a list of repositories, the file that an entry `list:` of the key `sources` names. Called
// by SourceSpecs() (stages/recipes/source_entries.h).
//
// A line is "owner/name" or a URL, then "@REVISION" or nothing. A "#" at the beginning of a line or
// after white space begins a comment; empty lines are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {

// The repositories of the list `text` in the order of its lines. `name`, the file's, stands in
// SourceSpec::place and in messages; `revision` is that of lines without one. kConfig for the first
// line that is malformed.
Result<std::vector<SourceSpec>> ReadRepositoryList(std::string_view text, const std::string& name,
                                                   const std::string& revision);

}  // namespace kernelmill

// The names that Git gives to contents of files, for licence texts that a dataset publishes under
// these names (stages/publishable/attribution.h).
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// The id of a blob with these bytes, 40 hexadecimal digits: the SHA-1 of its kind, its size and its
// bytes.
std::string GitBlobId(std::string_view bytes);
// Whether the text is 40 lower-case hexadecimal digits.
bool IsGitId(std::string_view text);

}  // namespace kernelmill

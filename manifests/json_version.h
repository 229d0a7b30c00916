// The version of the JSON documents that commands print and `serve` sends.
#pragma once

namespace kernelmill {

// The field "version" of every such document. It is raised when a field is renamed, removed or
// changes its meaning; a new field does not raise it. Every field is described in the page
// json_outputs.md beside the commands.
inline constexpr int kJsonVersion = 1;

}  // namespace kernelmill

// Counts the requests to workers that a limit or something outside ended, in this process: what
// they say may be different on a machine with more time or memory, so no outcome store keeps what
// was made meanwhile (stages/recipes/remembering_step.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace kernelmill {

// The number so far. Thread-safe, as NoteEnd() is.
std::int64_t LimitEnds();
// Counts a reply with this "end" if it is such an end.
void NoteEnd(std::string_view end);

}  // namespace kernelmill

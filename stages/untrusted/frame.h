// Frames on the socket between this program and its confined child (untrusted_child.h), which carry
// requests one way and replies the other: a length (8 bytes, in the machine's byte order), then
// that many bytes.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Both return false when the other end is closed, and as soon as the run is asked to stop. They
// have no time limit of their own.
bool WriteFrame(int socket, std::string_view bytes);
// Refuses frames above 2 GiB.
bool ReadFrame(int socket, std::string* bytes);

}  // namespace kernelmill

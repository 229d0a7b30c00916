// Splits a message into its fenced blocks and the text around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

struct FencedText {
  // The contents of the blocks, without their fences. They point into the message.
  std::vector<std::string_view> blocks;
  std::string prose;  // What stands outside of them, with a line break for each.
};

// A block without a closing fence was cut off, so that it is in neither part. Pure.
FencedText SplitFences(std::string_view message);

}  // namespace kernelmill

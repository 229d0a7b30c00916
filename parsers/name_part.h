// What names of C, C++ and Python are made of.
#pragma once

#include <cctype>

namespace kernelmill {

inline bool IsNameStart(char c) {
  return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

inline bool IsNamePart(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace kernelmill

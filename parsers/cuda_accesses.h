// Finds the accesses to memory in CUDA code that the rewrite for the CPU (cuda_rewrite.h) passes
// through functions of the executor, because a compiler for the CPU copies structures otherwise
// than a device does.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

enum class WholeAccess { kLoad, kStore };
// Calls `wrap(place, access)` for the expression of each memory access of a statement like
// `T v = *p;`, `*p = v;` and `return p[i];`. A load yields a value, so nothing is called where a
// reference to the place is needed. `code`: the text of the tree without comments and literals.
void FindWholeAccesses(const SyntaxNode& node, std::string_view code,
                       const std::function<void(const SyntaxNode&, WholeAccess)>& wrap);

// The words by which a function is one of a device: __global__ and __device__, and the macros of
// this text that stand for them.
std::set<std::string, std::less<>> DeviceWords(const SyntaxNode& root);

// Whether the node lies in the body of a function or lambda of a device.
bool IsInDeviceCode(const SyntaxNode& node, std::string_view code,
                    const std::set<std::string, std::less<>>& device_words);

// Whether the node is a place in memory whose alignment is checked when it is accessed (Aligned()
// in aligned_access.h): `*p`, `p[i]`, or a cast to a reference, in code of a device. Not where only
// its address or its size is taken, nor where a member of it is accessed, which the compiler
// checks. `code` as above.
bool IsAlignedPlace(const SyntaxNode& node, std::string_view code,
                    const std::set<std::string, std::less<>>& device_words);
// The same for code that may be anybody's, such as the body of a macro.
bool IsAlignedPlace(const SyntaxNode& node);

}  // namespace kernelmill

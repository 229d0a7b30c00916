// What the mistake of a bug class teaches for other kernels: how it hides, and what finds or avoids
// it. Called by the writers of review and repair rows.
#pragma once

#include <string_view>

namespace kernelmill {

// One or two sentences; "" for a class without an entry. They hold for every program with the bug.
std::string_view LessonOf(std::string_view bug);

}  // namespace kernelmill

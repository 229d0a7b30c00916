#include "stages/check/checked_program.h"

namespace kernelmill {
namespace {

constexpr char kRun[] = R"(

_answer = ModelNew
_checked = []


class ModelNew(Model):
    def forward(self, *args, **kwargs):
        if not _checked:
            check(_answer)
            _checked.append(True)
        return super().forward(*args, **kwargs)
)";

}  // namespace

// Everything is one text, so that sizes which the judge reduces change in all parts.
std::string CheckedProgram(const std::string& reference, const std::string& answer,
                           const std::string& check) {
  return reference + "\n\n" + answer + "\n\n" + check + kRun;
}

}  // namespace kernelmill

// Which verdicts are about code that attacks the program that judges it, rather than lets torch do
// the work. A model is never shown such code again, not even as a mistake to repair: it would learn
// the attack.
#pragma once

#include <string_view>

#include "corpora/records/verdict.h"

namespace kernelmill {

// Whether a reason of "illegal", or the kind of a finding, names an attack. Reasons that name a
// fallback, such as "torch_compute", are none.
bool IsSandboxAttack(std::string_view reason);

// Whether the reason of the verdict or any of its findings names one, whatever the status is. An
// attack that no gate has recognised, and that only crashed, is not found here.
bool HasSandboxAttack(const Verdict& verdict);

}  // namespace kernelmill

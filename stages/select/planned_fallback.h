// Finds sentences in which a model plans to let torch or a library compute.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Whether a sentence of `prose`, English or Chinese, plans it: "for odd sizes we fall back to
// torch.mm". A function of torch's is meant if the operator table says that it computes, so that
// "I'll just call torch::empty_like" plans nothing. A sentence that says no to it before the plan
// ("instead of falling back to torch"), or speaks of what is allowed, plans nothing either. It is a
// guess from words: a plan in other words is not found. Pure.
bool PlansFallback(std::string prose);

}  // namespace kernelmill

#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "review-plain",
     .text =
         R"(Here are a PyTorch module and its {backend} version. Is the {backend} version correct? If it is not, name the line and the cause, and show the change.

{reference}

{candidate})"},

    {.name = "review-pull-request",
     .text = R"(Please review this pull request. It replaces the PyTorch module

{reference}

by hand-written {backend} kernels:

{candidate}

Approve it, or point to the line that has to change and say why.)"},

    {.name = "review-headings", .text = R"(## Reference

{reference}

## Candidate ({backend})

{candidate}

## Question

`forward` is called with {inputs_line}. Does the candidate compute the same result {tolerance}? Begin with the verdict, and then give your reasons.)"},

    {.name = "review-checklist",
     .text =
         R"(Check the {backend} code below: the build, the interface between Python, host code and kernels, index computations, boundary checks, barriers, the arithmetic, and whether its kernels really do the work. If something is wrong, give the line, the cause and the smallest change that fixes it.

Reference:

{reference}

Code:

{candidate})"},

    {.name = "review-brief", .text = R"({reference}

{candidate}

Does the {backend} program do what the PyTorch module does? Explain your answer.)"},

    {.name = "review-debugging",
     .text = R"(I ported this module to {backend} and would like a second opinion before I use it.

{reference}

My version:

{candidate}

The inputs are {inputs_line}. Is there a mistake in it, and how do I fix it?)"},

    {.name = "review-defect",
     .text = R"(Find the defect in the following {backend} implementation, if there is one.

What it should compute, in PyTorch:

{reference}

The implementation:

{candidate}

Give the line, the defect and the corrected code. If there is none, explain why the code is right.)"},

    {.name = "review-merge", .text = R"(Can this {backend} implementation be merged?

{candidate}

It replaces the following module, which is called with {inputs_line}:

{reference})"},

    {.name = "review-grade",
     .text =
         R"(Grade this {backend} solution of an exercise. It passes if `ModelNew` computes what `Model` computes, {tolerance}, and if its own kernels compute {operators}.

The exercise:

{reference}

The solution:

{candidate})"},

    {.name = "review-report",
     .text =
         R"(A user reports that the {backend} version of this module is broken or slow. Is the report justified? If so, which line is the reason?

{reference}

{candidate})"},

    {.name = "review-candidate-first", .text = R"({candidate}

The {backend} code above is supposed to compute the same as this module:

{reference}

Is that true?)"},

    {.name = "review-colleague",
     .validation = true,
     .text =
         R"(A colleague who is new to {backend} wrote this as a replacement of the PyTorch module that follows it. What would you tell them in a review?

{candidate}

The module:

{reference})"},
};

}  // namespace

void AddReviewPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill

#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "review-plain",
     .text =
         R"(Here are a PyTorch module and a {backend} version of it. Is the second one right? If not, say where it goes wrong and why, and show the change.

{reference}

{candidate})"},

    {.name = "review-pull-request", .text = R"(A pull request replaces this module

{reference}

by hand-written {backend} kernels:

{candidate}

Review it. Approve, or point to the line that has to change.)"},

    {.name = "review-headings", .text = R"(## Reference

{reference}

## Candidate ({backend})

{candidate}

## Question

`forward` is called with {inputs_line}. Does the candidate compute the same, with kernels of its own, {tolerance}? Give a verdict first, then the line and the cause.)"},

    {.name = "review-checklist",
     .text =
         R"(Check the {backend} answer below for mistakes: does it build, do its parts fit together, are guards, indices, shared memory and barriers right, is the arithmetic that of the reference, and is the work done by its kernels?

Reference:

{reference}

Answer:

{candidate}

Name the mistake with its line and the smallest change that removes it, or say that there is none.)"},

    {.name = "review-brief", .text = R"({reference}

{candidate}

Correct {backend} port? One verdict, the line, the reason, the fix.)"},

    {.name = "review-debugging",
     .text =
         R"(I ported this module to {backend} and would like a second pair of eyes before I run it.

{reference}

My version:

{candidate}

The inputs are {inputs_line}. What will happen, and what should I change?)"},

    {.name = "review-line", .text = R"(Task: find the defect, if there is one.

Specification, in PyTorch:

{reference}

Implementation, in {backend}:

{candidate}

Count lines from the first line of the implementation. Report the line, what is wrong with it, and the corrected line.)"},

    {.name = "review-mentor",
     .validation = true,
     .text =
         R"(A colleague who is new to {backend} hands you this as a replacement of the module that follows it.

{candidate}

The module:

{reference}

What would you tell them?)"},
};

}  // namespace

void AddEnglishReviewPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill

#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "review-plain",
     .text = R"(Here are a PyTorch module and a {backend} version of it. Is the second one right? [If not, say where it goes wrong and why, and show the change.|Where does it go wrong, if it does?]

{reference}

{candidate})"},
    {.name = "review-pull-request",
     .text = R"(A pull request replaces this module

{reference}

by [hand-written |]{backend} kernels:

{candidate}

[Review it|Your review]. Approve, or point to the line that has to change.)"},
    {.name = "review-headings",
     .text = R"(## [Reference|Module]

{reference}

## [Candidate|Answer] ({backend})

{candidate}

## Question

[`forward` is called with|The inputs are] {inputs_line}. [Does the candidate compute the same, with kernels of its own, {tolerance}|Is it right ({tolerance})]? [Give a verdict first, then the line and the cause|Verdict, line, cause].)"},
    {.name = "review-checklist",
     .text = R"([Check|Go through] the {backend} answer below for mistakes: [does it build, do its parts fit together, are guards, indices, shared memory and barriers right, is the arithmetic that of the reference, and is the work done by its kernels|building, interface, indices, guards, barriers, arithmetic, and whether its kernels do {operators}].

Reference:

{reference}

Answer:

{candidate}

[Name the mistake with its line and the smallest change that removes it, or say that there is none|Line, mistake and smallest change, or that there is none].)"},
    {.name = "review-brief",
     .text = R"({reference}

{candidate}

[Correct {backend} port? One verdict, the line, the reason, the fix.|Right or wrong? Line, reason, fix.])"},
    {.name = "review-debugging",
     .text = R"(I ported this module to {backend} and would like [a second pair of eyes|someone to look at it] before I run it.

{reference}

[My version|Mine]:

{candidate}

The inputs are {inputs_line}. What will happen, and what should I change?)"},
    {.name = "review-line",
     .text = R"(Task: find the defect, if there is one.

[Specification|What it should do], in PyTorch:

{reference}

[Implementation|What it does], in {backend}:

{candidate}

[Count lines from the first line of the implementation. |]Report the line, what is wrong with it, and the corrected line.)"},
    {.name = "review-merge",
     .text = R"([May this be merged|Can we merge this|Is this ready]?

{candidate}

[It is to replace|In place of] the following, for {inputs_line}:

{reference})"},
    {.name = "review-grade",
     .text = R"([Grade|Mark|Judge] this {backend} answer[ to the exercise|]. [Full marks|It passes] when `ModelNew` [computes what `Model` computes|equals the reference] {tolerance}[, with {operators} in kernels|].

Exercise:

{reference}

Answer:

{candidate})"},
    {.name = "review-report",
     .text = R"([Someone reports|We have a report] that the {backend} version of [this module|{operators}] [may be|might be] broken. Is it? With the line, please.

{reference}

{candidate})"},
    {.name = "review-compare",
     .text = R"([Compare|Hold them against each other]: module and {backend} rewrite, on {inputs_line}.

{reference}

{candidate}

[Do they agree|Same results]? What has to change if not?)"},
    {.name = "review-mentor",
     .validation = true,
     .text = R"(A colleague who is new to {backend} hands you this as a replacement of the module that follows it.

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

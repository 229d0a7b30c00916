#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "review-plain",
     .text = R"([Here are|Below:|You see] a PyTorch module and [a|its] {backend} version[ of it|]. Is the [second one|latter] right? [If not, say where and why, and show the change.|Where does it go wrong, if it does?|Line and reason, if not.|What would you change?]

{reference}

{candidate})"},
    {.name = "review-pull-request",
     .text = R"([A pull request|PR|A change under review] [replaces|takes out] this module

{reference}

[by|in favour of|for] [hand-written |]{backend} kernels:

{candidate}

[Review it|Your review|Your comments]. [Approve, or point to the line that has to change.|Approve or not?|Name the line that blocks it, if one does.|Accept or reject, with a reason.])"},
    {.name = "review-headings",
     .text = R"(## [Reference|Module|PyTorch]

{reference}

## [Candidate|Answer|Kernels] ({backend})

{candidate}

## [Question|Asked|To decide]

[`forward` is called with|The inputs are|On] {inputs_line}[. |: ][Does the candidate compute the same, {tolerance}|Is it right ({tolerance})|Equal, {tolerance}]? [Give a verdict first, then the line and the cause|Verdict, line, cause|Yes or no, and why].)"},
    {.name = "review-checklist",
     .text = R"([Check|Go through|Inspect] the {backend} [answer|code] below[ for mistakes|]: [does it build, do its parts fit, are guards, indices and barriers right, is the arithmetic the reference's, and do its kernels do the work|building, interface, indices, guards, barriers, arithmetic, and whether its kernels do {operators}|{operators} in kernels, bounds, barriers, arithmetic|everything from the includes to the last store].

[Reference|Module]:

{reference}

[Answer|Code]:

{candidate}

[Name the mistake, its line and the smallest change, or say that there is none|Line, mistake, smallest change; or none|What is wrong, where, and how little mends it?].)"},
    {.name = "review-brief",
     .text = R"({reference}

{candidate}

[Correct {backend} port? Verdict, line, reason, fix.|Right or wrong? Line, reason, fix.|Does the second do what the first does?|A mistake in the {backend} code? Which?|Would you run this on {inputs_line}?|Same as `Model`, or not?|Your verdict on `ModelNew`?|Is {operators} done right?])"},
    {.name = "review-debugging",
     .text = R"(I [ported|moved] this module to {backend} and [would like|want|need] [a second pair of eyes|someone to look at it][ before I run it|].

{reference}

[My version|Mine|What I have]:

{candidate}

[The inputs are|It gets|For] {inputs_line}. [What will happen, and what should I change|Will it work|What did I miss|Anything wrong]?)"},
    {.name = "review-line",
     .text = R"([Task: find|Find|Look for] the defect, if there is one.

[Specification|What it should do|Wanted][, in PyTorch|]:

{reference}

[Implementation|What it does|Given][, in {backend}|]:

{candidate}

[Report the line, the defect and the corrected line.|Lines count from the implementation's first.|Line, defect, correction.|Which line, and what should stand there?])"},
    {.name = "review-merge",
     .text = R"([May this be merged|Can we merge this|Is this ready|Ship it]?

{candidate}

[It is to replace|In place of|Replaces] [the following|what follows], for {inputs_line}:

{reference})"},
    {.name = "review-grade",
     .text = R"([Grade|Mark|Judge] this {backend} answer[ to the exercise|]. [Full marks|It passes] when `ModelNew` [computes what `Model` computes|equals the reference] {tolerance}[, with {operators} in kernels|].

[Exercise|Given]:

{reference}

[Answer|Handed in]:

{candidate})"},
    {.name = "review-report",
     .text = R"([Someone reports|We have a report|A user says] that the {backend} version of [this module|{operators}] [may be|might be|is] broken. [Is it? With the line, please.|True? Which line?|Check that.]

{reference}

{candidate})"},
    {.name = "review-compare",
     .text = R"([Compare|Hold against each other|Set side by side]: module and {backend} rewrite, on {inputs_line}.

{reference}

{candidate}

[Do they agree|Same results|Any difference]? [What has to change if not?|If not, why?|])"},
    {.name = "review-candidate-first",
     .text = R"({candidate}

[The above claims to be|This is meant as] [a {backend} build of|the same as] [the following|this]:

{reference}

[Is the claim true|Does it hold|Is that so]?)"},
    {.name = "review-risk",
     .text = R"([What can go wrong|What goes wrong, if anything,|What breaks] when [the second program|the {backend} program] [stands in for|replaces] the first on {inputs_line}?

{reference}

{candidate})"},
    {.name = "review-claims",
     .text = R"([Author's note|Commit message]: "{operators} in {backend}[, same results|, {tolerance}|]". [Verify|Check|Confirm or refute] [it|that].

{reference}

{candidate})"},
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

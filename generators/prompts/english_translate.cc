#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "translate-plain", .text = R"({ask}

{reference}

{calls} {conditions} {answer_form})"},

    {.name = "translate-brief", .text = R"({reference}

{ask} [Inputs|In|With|Given]: {inputs_line}. {conditions} {answer_form})"},

    {.name = "translate-headings", .text = R"(## [Goal|Task|What to do|Wanted]

{ask}

## [Reference|Module|Code|PyTorch]

{reference}

## [Data|Tensors|Inputs and outputs|Arguments]

{inputs_list}

[Result|Output|Returned|Out]: {outputs_line}

## [Rules|Conditions|Requirements|Constraints]

{conditions_dashes}

{answer_form})"},

    {.name = "translate-numbered",
     .text = R"([The following PyTorch program|This module|The code here] [defines a reference|is the reference|says what to compute].

{reference}

[Provide|Write|Give] a {backend} version [under these conditions|that keeps to this|with these properties]:

{conditions_numbers}

{calls} {answer_form})"},

    {.name = "translate-table", .text = R"([Target|Backend|Platform]: {backend}

{inputs_table}

[The module that consumes these tensors|Consumed by|What uses them|These go into]:

{reference}

[What is expected|Expected|To be met|The answer]:

{conditions_stars}

{answer_form})"},

    {.name = "translate-engineer",
     .text = R"(You [are a GPU engineer who replaces|work on kernels and replace|have to replace] framework operators [by|with] {backend} kernels. [Next on the list|Today's module|Your next task|The module]:

{reference}

[It receives|Called with|Its inputs]:
{inputs_list}

[Before you hand it over, make sure|Hand it over when this holds|Check]:
{conditions_dashes}

{answer_form})"},

    {.name = "translate-spec", .text = R"(backend: {backend}
[inputs|input|in]: {inputs_line}
[outputs|output|out]: {outputs_line}
[interface|class|what]: {interface}
[operators|forward()|work]: {forbid}
[match|accuracy|agreement]: {tolerance}
[shapes|sizes]: {contract}
{speed_line}

{reference}

{answer_form})"},

    {.name = "translate-ticket",
     .text = R"(**[Move|Take|Get] [`Model`|this module] off eager torch ({backend})**

[Profiling shows|A trace shows|We see] [the launches of |]{operators}[ in this module| here|]. [Fold them into kernels of our own|That should be our kernels|Replace that].

{reference}

[Acceptance|Done when|Criteria|To check]

{conditions_boxes}

{calls} {answer_form})"},

    {.name = "translate-conversation",
     .text = R"([Hi, I am|I am|We are] [moving|porting|bringing] a model to {backend} and [am stuck|got stuck|stopped] at [one of its modules|this]:

{reference}

[I call it with|It gets] {inputs_line} and [get|have] {outputs_line} back. [Could you write me|Can you help with|I need] a `ModelNew` that I can swap in[, please|]? {conditions} {answer_form})"},

    {.name = "translate-tags", .text = R"(<reference>
{reference}
</reference>
<inputs>
{inputs_list}
</inputs>
<target>{backend}, {build}</target>
<constraints>
{conditions_stars}
</constraints>
{answer_form})"},

    {.name = "translate-test",
     .text = R"(A test [builds|makes] `Model` and [your `ModelNew`|`ModelNew`] with [the same|one] seed, [calls|runs] both [on|with] [the same|equal] tensors and [compares|checks] what they return[; it also [sees|records] which operators run|]. [Its|The] reference:

{reference}

[Its tensors|It passes|Tensors]:

{inputs_list}

[The test passes when|What it asks|It wants]:

{conditions_dashes}

{ask} {answer_form})"},

    {.name = "translate-dense",
     .text = R"({ask} {calls} {conditions} {answer_form}

{reference})"},

    {.name = "translate-json", .text = R"(```json
{
  "backend": "{device}",
  "class": "ModelNew",
  "inputs": "{inputs_plain}",
  "outputs": "{outputs_line}",
  "tolerance": "{tolerance}",
  "forbidden_in_forward": "{operators_plain}",
  "shapes": "{contract}"
}
```

{reference}

{performance_sentence} {answer_form})"},

    {.name = "translate-three-parts",
     .text = R"(**[What you get|Given|You have].** [A PyTorch module|Code] [called with|for] {inputs_line}.

{reference}

**[What I need|Wanted|The goal].** {ask}

**[What gets it rejected|Conditions|What it has to meet].** {conditions}

{answer_form})"},

    {.name = "translate-parameters", .text = R"({ask}

{reference}

| | |
| --- | --- |
| [called with|inputs|gets] | {inputs_line} |
| [returns|outputs|gives] | {outputs_line} |
| [agreement|accuracy|match] | {tolerance} |
| [shapes|sizes] | {contract} |

[Parameters that the kernels read|Weights|Parameters]:
{parameters_list}

[Interface|The class]: {interface}. [Also|Then|In forward()]: {forbid}. {performance_sentence} {answer_form})"},

    {.name = "translate-imperative",
     .text = R"([Read the module|Look at the code|Take this module]. [Work out|Find out|See] what each output element is. [Write|Build] {backend} kernels [that compute it|for that]. [Wrap them in|Put them behind] `ModelNew`.

{reference}

[Shapes|Sizes|Data]: {inputs_line}.
{conditions_stars}
{answer_form})"},

    {.name = "translate-code-first", .text = R"({reference}

{calls} {ask} {conditions} {answer_form})"},

    {.name = "translate-comment", .text = R"([Task|Job|Request]: {ask}
[Constraints|Rules|Keep to]:
{conditions_numbers}

{reference}

{calls} {answer_form})"},

    {.name = "translate-memo",
     .validation = true,
     .text = R"(From: model team
To: kernel team

We need a {backend} build of the module attached. At present it goes through {operators}; the replacement, `ModelNew`, must not. It is fed {inputs_line}. {conditions}

Attachment:

{reference}

{answer_form})"},

    {.name = "translate-question",
     .validation = true,
     .text = R"(How would you write this module with {backend} kernels of your own?

{reference}

Suppose that it is called with {inputs_line}. The class should be named `ModelNew`. {conditions} {answer_form})"},
};

}  // namespace

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill

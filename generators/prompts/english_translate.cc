#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "translate-plain", .text = R"({ask}

{reference}

{calls} {conditions} {answer_form})"},

    {.name = "translate-target", .text = R"({ask} The kernels will run on {gpu}.

{reference}

{calls} {conditions} {answer_form})"},

    {.name = "translate-brief", .text = R"({reference}

{ask} The inputs are {inputs_line}. {conditions} {answer_form})"},

    {.name = "translate-headings", .text = R"(## Task

{ask}

## Reference

{reference}

## Inputs and outputs

{inputs_list}

The output is {outputs_line}.

## Requirements

{conditions_dashes}

{answer_form})"},

    {.name = "translate-numbered", .text = R"(The following PyTorch module is the reference.

{reference}

Write a {backend} version of it under these conditions:

{conditions_numbers}

{calls} {answer_form})"},

    {.name = "translate-table",
     .text = R"(This PyTorch module should run in {backend} kernels on {gpu}.

{reference}

It is called with these tensors:

{inputs_table}

The requirements:

{conditions_stars}

{answer_form})"},

    {.name = "translate-architecture",
     .text =
         R"(You write custom {backend} kernels to replace the PyTorch operators in the given architecture to get speedups. You may fuse several operators into one kernel (for example matmul and relu), and you may change the algorithm (for example to an online softmax). You are given the following architecture:

{reference}

Optimize the architecture named `Model` with custom {backend} operators and name the optimized architecture `ModelNew`. {forbid_sentence} {contract_sentence} {agree_sentence} {answer_form})"},

    {.name = "translate-architecture-hardware",
     .text =
         R"(You write custom {backend} kernels to replace the PyTorch operators in the given architecture to get speedups. The hardware is {gpu}.

{reference}

`get_inputs()` returns {inputs_line}. Write real code that compiles and is fully functional, not pseudocode. {conditions} {answer_form})"},

    {.name = "translate-metadata",
     .text = R"(Convert the PyTorch module below to a {backend} implementation.

Tensors:

{inputs_list}
- output: {outputs_line}

Parameters of the module:

{parameters_list}

{reference}

Constraints:

{conditions_dashes}

{answer_form})"},

    {.name = "translate-ticket",
     .text = R"(**Replace the PyTorch operators of this module by {backend} kernels**

A profile of our model shows many small launches for {operators} in this module.

{reference}

Acceptance criteria:

{conditions_boxes}

{calls} {answer_form})"},

    {.name = "translate-conversation",
     .text = R"(I am porting a model to {backend} and I need kernels for one of its modules:

{reference}

I call it with {inputs_line} and get {outputs_line} back. Could you write a `ModelNew` that I can use instead of `Model`? {conditions} {answer_form})"},

    {.name = "translate-test",
     .text =
         R"(A test constructs `Model` and `ModelNew` with the same seed, calls both with the same tensors, compares their outputs, and records which PyTorch operators `ModelNew` calls. This is the reference:

{reference}

The test uses these inputs:

{inputs_list}

It passes under these conditions:

{conditions_dashes}

{ask} {answer_form})"},

    {.name = "translate-request", .text = R"({ask} {calls} {conditions} {answer_form}

{reference})"},

    {.name = "translate-code-first", .text = R"({reference}

{calls} {ask} {conditions} {answer_form})"},

    {.name = "translate-build",
     .text =
         R"(We serve this module on {gpu} and want to replace its PyTorch operators ({operators}) by {backend} kernels that are compiled with {loader}.

{reference}

{conditions} {answer_form})"},

    {.name = "translate-memo",
     .validation = true,
     .text =
         R"(The module below currently calls {operators} one after the other. We would like a {backend} implementation of it in our serving code.

{reference}

It is called with {inputs_line}. {conditions} {answer_form})"},

    {.name = "translate-question",
     .validation = true,
     .text = R"(How would you write this module with your own {backend} kernels?

{reference}

It is called with {inputs_line}. The class should be named `ModelNew`. {conditions} {answer_form})"},
};

}  // namespace

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill

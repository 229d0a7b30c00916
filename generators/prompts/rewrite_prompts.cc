#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kPort[] = {
    {.name = "port-plain", .text = R"(Port this {from} program to {backend}.

{code}

It implements the following module, which is called with {inputs_line}:

{reference}

`ModelNew` keeps its name and its interface. {agree_sentence} {answer_form})"},

    {.name = "port-headings", .text = R"(## Port from {from} to {backend}

### Program

{code}

### Reference

{reference}

### Requirements

- The kernels keep their algorithm, and the class is still named `ModelNew`.
- The extension is built with {loader}.
- {agree_sentence}

{answer_form})"},

    {.name = "port-brief", .text = R"({code}

Please port this {from} program to {backend}. The class is still `ModelNew`, and the extension is built with {loader}. {answer_form})"},

    {.name = "port-list",
     .text = R"(We run the following program on {from} and now need it on {backend}.

{code}

1. The kernels keep their algorithm.
2. The host code uses the streams, device guards and launch checks of {backend}.
3. The extension is built with {loader}.
4. {agree_sentence}

The program replaces this module:

{reference}

{answer_form})"},

    {.name = "port-question",
     .text =
         R"(The following {from} extension has to run on {gpu}. Show the whole changed program with its `ModelNew`.

{code}

{answer_form})"},

    {.name = "port-reference", .text = R"({reference}

There is a {from} implementation of this module:

{code}

Write the {backend} version of `ModelNew`. {agree_sentence} {answer_form})"},

    {.name = "port-user",
     .text =
         R"(I have a {from} implementation of a PyTorch module and want to use it on {gpu}. Can you convert it to {backend}?

{code}

It is called with {inputs_line}. {answer_form})"},

    {.name = "port-zh-plain",
     .language = kChinese,
     .text = R"(请把下面的 {from} 程序移植到 {backend}，类名仍为 `ModelNew`，接口保持不变。

{code}

它实现的模块如下，输入为 {inputs_line}：

{reference}

{agree_sentence}{answer_form})"},

    {.name = "port-zh-list", .language = kChinese, .text = R"({code}

以上程序面向 {from}，现在需要在 {gpu} 上运行：

1. 核函数的算法不变；
2. 主机端改用 {backend} 的流、设备守卫和启动检查；
3. 扩展用 {loader} 构建；
4. {agree}。

{answer_form})"},

    {.name = "port-zh-question",
     .language = kChinese,
     .text =
         R"(下面的 {from} 扩展要在 {backend} 上运行，请给出修改后的完整程序（`ModelNew`）。

{code}

{answer_form})"},
};

const PromptTemplate kOptimize[] = {
    {.name = "optimize-plain", .text = R"(This {backend} program is correct, but it can be faster.

{code}

It computes the following module on {inputs_line}.

{reference}

A run was counted:

{figures}

Rewrite the program so that {goal}. {agree_sentence} {answer_form})"},

    {.name = "optimize-review", .text = R"(## Optimize this {backend} program

{code}

## Reference

{reference}

## Counters of one call of `forward`

{figures}

## Goal

`ModelNew` should do the same work, so that {goal}. {agree_sentence} {answer_form})"},

    {.name = "optimize-brief", .text = R"({code}

These are the counters of one call of `forward`:

{figures}

Optimize this {backend} program. Its results must stay the same, and {operators} must stay in its own kernels. {answer_form})"},

    {.name = "optimize-ticket", .text = R"(**`ModelNew` {complaint}**

Inputs: {inputs_line}. One call of `forward` gives these counters:

{figures}

{code}

Please mend that without a change of the result. {agree_sentence} This is the reference:

{reference}

{answer_form})"},

    {.name = "optimize-question",
     .text = R"(What costs time in this {backend} program, and how would you write it instead?

{code}

The counters of one call of `forward`:

{figures}

`ModelNew` keeps its interface. {answer_form})"},

    {.name = "optimize-reference", .text = R"({reference}

This module is implemented in {backend} like this:

{code}

A call with {inputs_line} gives these counters:

{figures}

Write a `ModelNew` with which {goal}. {agree_sentence} {answer_form})"},

    {.name = "optimize-first-version",
     .text =
         R"(This is our first {backend} version of a module. It passes all tests on {gpu}, but we expect that it can be faster. What would you change?

{code}

The counters of one call of `forward`:

{figures}

Please show the changed `ModelNew`. {answer_form})"},
};

}  // namespace

void AddPortPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kPort), std::end(kPort));
}

void AddOptimizePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kOptimize), std::end(kOptimize));
}

}  // namespace kernelmill

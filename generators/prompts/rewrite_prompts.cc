#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kPort[] = {
    {.name = "port-plain", .text = R"(Port this {from} program to {backend}.

{code}

It stands for the module

{reference}

and has to keep doing so on {inputs_line}, in agreement {tolerance}. `ModelNew` keeps its name and its interface. {answer_form})"},
    {.name = "port-headings", .text = R"(## From {from} to {backend}

### Program

{code}

### What it computes

{reference}

### Conditions

- build through {loader}
- same kernels, same class `ModelNew`, same results ({tolerance})
- nothing of {operators} moves back to torch

{answer_form})"},
    {.name = "port-brief", .text = R"({code}

The same for {backend}, please: `ModelNew`, built with {loader}. {answer_form})"},
    {.name = "port-list",
     .text = R"(We run on {from} today and on {backend} tomorrow. Carry this over:

{code}

1. Kernels keep their algorithm.
2. Host code uses the streams, guards and checks of {backend}.
3. The extension is loaded by {loader}.
4. `ModelNew` agrees with the reference below {tolerance}.

{reference}

{answer_form})"},
    {.name = "port-question",
     .text =
         R"(What has to change in the following {from} extension to run on {backend} hardware? Give the changed program with its `ModelNew`.

{code}

{answer_form})"},
    {.name = "port-zh-plain",
     .language = kChinese,
     .text = R"(请把下面的 {from} 程序移植到 {backend}，保留类名 `ModelNew` 及其接口。

{code}

它实现的模块：

{reference}

输入为 {inputs_line}；{tolerance}。{answer_form})"},
    {.name = "port-zh-list", .language = kChinese, .text = R"({code}

以上代码面向 {from}，现在需要在 {backend} 上运行：

1. 核函数的算法不变；
2. 主机端改用 {backend} 的流、设备守卫和错误检查；
3. 用 {loader} 加载；
4. `ModelNew` 的结果与下面的参考实现一致：{tolerance}。

{reference}

{answer_form})"},
    {.name = "port-zh-brief",
     .language = kChinese,
     .text =
         R"(把这段 {from} 代码改写为 {backend} 版本（`ModelNew`，用 {loader} 编译）。{answer_form}

{code})"},
};

const PromptTemplate kOptimize[] = {
    {.name = "optimize-plain", .text = R"(This {backend} program is right, but it can do better.

{code}

It computes

{reference}

on {inputs_line}. When it ran, these were counted:

{figures}

Rewrite it so that memory is used better; the result of `ModelNew` must not change beyond the tolerance ({tolerance}). {answer_form})"},
    {.name = "optimize-review", .text = R"(## Optimise

{figures}

### Present code ({backend})

{code}

### Reference

{reference}

`ModelNew` should need fewer accesses for the same result, {tolerance}. {answer_form})"},
    {.name = "optimize-brief", .text = R"({code}

{figures}

Make `ModelNew` cheaper. Same results, still {backend}, none of {operators} from torch. {answer_form})"},
    {.name = "optimize-ticket", .text = R"(**Too much traffic in `ModelNew`**

Inputs: {inputs_line}. When it ran, these were counted:

{figures}

{code}

Goal: strictly better counts at equal work, agreement {tolerance} with

{reference}

{answer_form})"},
    {.name = "optimize-zh-plain",
     .language = kChinese,
     .text = R"(下面的 {backend} 程序结果正确，但仍有优化空间。

{code}

它实现的模块（输入为 {inputs_line}）：

{reference}

运行时的计数：

{figures}

请改写 `ModelNew`，减少访存开销，结果保持不变：{tolerance}。{answer_form})"},
    {.name = "optimize-zh-brief", .language = kChinese, .text = R"({code}

{figures}

在结果不变的前提下，降低 `ModelNew` 的开销（{backend}，不得改用 torch 的 {operators}）。{answer_form})"},
};

}  // namespace

void AddPortPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kPort), std::end(kPort));
}

void AddOptimizePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kOptimize), std::end(kOptimize));
}

}  // namespace kernelmill

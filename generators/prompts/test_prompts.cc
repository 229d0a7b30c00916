#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTest[] = {
    {.name = "test-plain",
     .text = R"(Others will write {backend} kernels for this module:

{reference}

Write `check(ModelNew)` in Python. It stands below the code above, builds both modules on `{device}`, and raises an error for a `ModelNew` that does not do what `Model` does; for a right one it returns. {contract_sentence} Results agree {tolerance}. {answer_form})"},

    {.name = "test-brief",
     .text = R"({reference}

A test for {backend} versions of it, please: `check(ModelNew)`, device `{device}`, tolerance {tolerance}. {contract_sentence} {answer_form})"},

    {.name = "test-headings", .text = R"(## Reference

{reference}

## Wanted

A function `check(ModelNew)` that tells correct {backend} implementations from wrong ones.

- it may use `Model`, `get_inputs` and `get_init_inputs`
- it runs on `{device}`
- wrong: an error is raised, whose message names the case; correct: nothing happens
- results have to agree {tolerance}
- {contract}

{answer_form})"},

    {.name = "test-ticket",
     .text = R"(**Kernels for `Model` are merged without a test**

Inputs: {inputs_line}. Outputs: {outputs_line}.

{reference}

We need `check(ModelNew)` for the {backend} build (`{device}`): it fails for wrong values, wrong shapes and whatever else goes wrong with such kernels, and lets differences pass that are {tolerance}. {contract_sentence} {answer_form})"},

    {.name = "test-question",
     .text = R"(How would you find out whether a hand-written {backend} replacement `ModelNew` of the following module is right? Answer with a Python function `check(ModelNew)` that raises where it is not (on `{device}`, {tolerance}). {contract_sentence}

{reference}

{answer_form})"},

    {.name = "test-acceptance",
     .text = R"({reference}

[We accept|CI accepts] {backend} code for [this module|it] by a function `check(ModelNew)`[, run on `{device}`|]: [no exception means accepted|it raises for what is wrong]. [Write it|Your check], {tolerance}. {contract_sentence} {answer_form})"},

    {.name = "test-adversary",
     .text = R"(Assume that `ModelNew` ({backend}) was written by [somebody careless|a model that makes mistakes]: tails, strides, extreme values, wrong dtypes. Which `check(ModelNew)` [finds that|does not let it pass] and still accepts a right one ({tolerance}, device `{device}`)? {contract_sentence}

{reference}

{answer_form})"},

    {.name = "test-spec",
     .text = R"(function: check(ModelNew)
device: {device}
against: Model, {tolerance}
shapes: {contract}
on failure: raise, and say in which case

{reference}

{answer_form})"},

    {.name = "test-inputs",
     .text = R"([Normally|As a rule] `forward` sees {inputs_line}. [Test|Check] a {backend} `ModelNew` with that and with what is likely to break it: `check(ModelNew)` on `{device}`, {tolerance}, an exception for a failure. {contract_sentence}

{reference}

{answer_form})"},

    {.name = "test-review",
     .validation = true,
     .text = R"(Before I accept {backend} code for this module I want a check that I can trust.

{reference}

Interface: `check(ModelNew)`, raising on `{device}` for results that do not agree {tolerance}. {contract_sentence} {answer_form})"},

    {.name = "test-zh-plain",
     .language = kChinese,
     .text = R"(下面的模块将由他人用 {backend} 核函数实现：

{reference}

请编写 Python 函数 `check(ModelNew)`：它位于上述代码之后，在 `{device}` 上构造两个模块；若 `ModelNew` 与 `Model` 不一致则抛出异常，否则正常返回。{contract_sentence}{tolerance}。{answer_form})"},

    {.name = "test-zh-list",
     .language = kChinese,
     .text = R"({reference}

为该模块的 {backend} 实现写一个测试 `check(ModelNew)`：

1. 设备为 `{device}`；
2. 可使用 `Model`、`get_inputs`、`get_init_inputs`；
3. {tolerance}；
4. {contract}；
5. 出错时抛出异常并指明是哪种情况。

{answer_form})"},

    {.name = "test-zh-question",
     .language = kChinese,
     .text = R"(怎样确认 {backend} 版的 `ModelNew` [与下面的模块一致|是正确的]？请写出 `check(ModelNew)`（在 `{device}` 上运行，{tolerance}，出错时抛出异常）。{contract_sentence}

{reference}

{answer_form})"},

    {.name = "test-zh-brief",
     .language = kChinese,
     .text = R"(请为以下模块的 {backend} 版本编写检查函数 `check(ModelNew)`（设备 `{device}`，{tolerance}）。{contract_sentence}{answer_form}

{reference})"},
};

}  // namespace

void AddTestPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTest), std::end(kTest));
}

}  // namespace kernelmill

#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

const PromptTemplate kTemplates[] = {
    {.name = "translate-plain",
     .text =
         R"(Write a {backend} implementation of the PyTorch module below: a class `ModelNew` with the same constructor and the same `forward` signature, whose work is done by kernels of your own.

{reference}

`forward` is called with {inputs_line} and returns {outputs_line}. {contract}

Calling {operators}, or any other torch operator that computes something, is not allowed in `forward`; allocating the outputs and taking views is. The results must match {tolerance}. {performance} {answer_form})",
     .fixed_shapes = "These sizes do not change.",
     .any_shape = "The sizes are an example{open_sizes}: the kernels have to work for others too.",
     .performance = "It should run faster than the eager module."},

    {.name = "translate-brief",
     .text = R"({reference}

`ModelNew` for this in {backend}, please. Inputs: {inputs_line}. {contract} Own kernels only, no {operators} from torch. Match {tolerance}. {performance} {answer_form})",
     .fixed_shapes = "Sizes are fixed.",
     .any_shape = "Any size{open_sizes}.",
     .performance = "Fast."},

    {.name = "translate-headings",
     .text = R"(## Goal

Replace the module `Model` by `ModelNew`, which computes the same with hand-written {backend} kernels.

## Reference

{reference}

## Data

Inputs of `forward`:

{inputs_list}

Result: {outputs_line}

{contract}

## Rules

- `forward` may allocate memory and take views. Everything else happens in your kernels: {operators} and their like are off limits.
- The kernels are compiled with {loader}.
- Results agree {tolerance}.

## Answer

{performance} {answer_form})",
     .fixed_shapes = "The shapes above are the only ones that occur.",
     .any_shape = "The shapes above are one case of many{open_sizes}; do not bake them in.",
     .performance = "Optimise for throughput once it is right."},

    {.name = "translate-numbered",
     .text = R"(The following PyTorch program defines a reference.

{reference}

Provide a {backend} version under these conditions:

1. The class is called `ModelNew` and is constructed and called exactly like `Model`.
2. Parameters are created in the same order as in the reference, so that equal seeds give equal weights.
3. Device code is compiled through {loader} and does all arithmetic. None of {operators} may be called in `forward`, directly or in disguise.
4. Arguments are {inputs_line}.
5. {contract}
6. Outputs ({outputs_line}) are compared with the reference and have to agree {tolerance}.

{performance} {answer_form})",
     .fixed_shapes = "No other shapes will be passed.",
     .any_shape = "Other sizes will be passed as well{open_sizes}.",
     .performance = "Among correct answers the fastest one is preferred."},

    {.name = "translate-table",
     .text = R"(Target: {backend}. Entry point: `ModelNew`.

{inputs_table}

The module that consumes these tensors:

{reference}

What is expected of `ModelNew`:

* same results, {tolerance};
* kernels of its own instead of {operators};
* the same `__init__` arguments and parameters as `Model`;
* {contract}

{performance} {answer_form})",
     .fixed_shapes = "the sizes in the table, which are final.",
     .any_shape = "whatever sizes come{open_sizes}, not only those in the table.",
     .performance = "Keep memory traffic low."},

    {.name = "translate-engineer",
     .text =
         R"(You are a GPU engineer who replaces framework operators by hand-written {backend} kernels.

Here is the module that is next on the list:

{reference}

It receives:
{inputs_list}

Before you hand it over, make sure that
- `ModelNew` can be dropped in for `Model`;
- nothing in `forward` falls back to torch for arithmetic ({operators} are done by your kernels);
- every access is guarded where a thread can lie beyond the end;
- inputs that are not contiguous are handled;
- the output agrees {tolerance}.

{contract} {performance} {answer_form})",
     .fixed_shapes = "Shapes are settled.",
     .any_shape = "Shapes vary at run time{open_sizes}.",
     .performance = "Latency matters here."},

    {.name = "translate-spec",
     .text = R"(backend:    {backend}
class:      ModelNew
inputs:     {inputs_line}
outputs:    {outputs_line}
match:      {tolerance}
not in forward(): {operators}
build:      {loader}
shapes:     {contract}

{reference}

{performance} {answer_form})",
     .fixed_shapes = "fixed",
     .any_shape = "free{open_sizes}",
     .performance = "goal:       lowest run time"},

    {.name = "translate-ticket",
     .text = R"(**Move `Model` off eager torch ({backend})**

Profiling shows the launches of {operators} in this module. Fold them into kernels of our own.

{reference}

Acceptance criteria

- [ ] `ModelNew` takes the same arguments as `Model` and has the same parameters
- [ ] `forward` launches only our kernels; torch allocates and reshapes, nothing more
- [ ] for {inputs_line} the difference from `Model` is {tolerance} or less
- [ ] {contract}

{performance} {answer_form})",
     .fixed_shapes = "shapes may be assumed as given",
     .any_shape = "no shape is hard-coded{open_sizes}",
     .performance = "Bonus: no tensor is read twice without need."},

    {.name = "translate-conversation",
     .text =
         R"(Hi, I am moving a model to {backend} and am stuck with one of its modules. This is what it looks like in PyTorch:

{reference}

I call it with {inputs_line} and get {outputs_line} back. {contract} Could you write me a `ModelNew` that I can swap in? My reviewers reject anything that still calls {operators} or similar, so it has to be real kernels, loaded with {loader}. The numbers should agree {tolerance}. {performance} {answer_form})",
     .fixed_shapes = "It is always these sizes.",
     .any_shape = "The sizes depend on the request{open_sizes}, so please keep it general.",
     .performance = "It is on the hot path, so speed counts."},

    {.name = "translate-tags",
     .text = R"(<reference>
{reference}
</reference>
<inputs>
{inputs_list}
</inputs>
<target>{backend}, through {loader}</target>
<constraints>
Define `ModelNew`. Do the computation in kernels; do not call {operators} or other computing operators of torch.
{contract}
Agreement with the reference: {tolerance}.
{performance}
</constraints>
{answer_form})",
     .fixed_shapes = "Sizes are constants.",
     .any_shape = "Sizes are variables{open_sizes}.",
     .performance = "Prefer the faster of two designs."},

    {.name = "translate-test",
     .text =
         R"(A test builds `Model` and your `ModelNew` with the same seed on the same device, calls both with the same tensors, and compares what they return. It also watches which operators run: {operators}, and anything else that computes, must not show up in `ModelNew.forward`.

The reference of the test:

{reference}

Its tensors:

{inputs_list}

{contract} The comparison passes when results agree {tolerance}.

Write `ModelNew` with {backend} kernels so that the test passes. {performance} {answer_form})",
     .fixed_shapes = "The test uses these shapes only.",
     .any_shape = "The test draws further sizes{open_sizes}.",
     .performance = "The test also takes the time: beat the reference."},

    {.name = "translate-dense",
     .text =
         R"(Given the module `Model` at the end, taking {inputs_line}, produce an equivalent `ModelNew` (same constructor, same parameters, same result {outputs_line}, agreement {tolerance}) in which {operators} are computed by {backend} kernels built with {loader} rather than by torch; in `forward`, torch may allocate, view and make contiguous. {contract} {performance} {answer_form}

{reference})",
     .fixed_shapes = "Only the shapes given here need to work.",
     .any_shape = "All shapes that the reference accepts need to work{open_sizes}.",
     .performance = "Aim for the memory bandwidth of the device."},

    {.name = "translate-json",
     .text = R"(```json
{
  "task": "native_kernel",
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

{performance} {answer_form})",
     .fixed_shapes = "fixed",
     .any_shape = "any{open_sizes}",
     .performance = "Minimise run time."},

    {.name = "translate-three-parts",
     .text = R"(**What you get.** A PyTorch module and what it is called with: {inputs_line}.

{reference}

**What I need.** `ModelNew`, a replacement whose `forward` runs {backend} kernels that you write. {contract} It returns {outputs_line}, in agreement {tolerance}.

**What gets it rejected.** A call of {operators} or another computing operator in `forward`; a kernel that reads or writes outside its tensors; two threads that write the same element without order; results that depend on the layout of the inputs.

{performance} {answer_form})",
     .fixed_shapes = "These shapes are enough.",
     .any_shape = "It takes any size that `Model` takes{open_sizes}.",
     .performance = "**What makes it good.** Few launches, coalesced accesses, nothing stored that "
                    "can stay in registers."},

    {.name = "translate-parameters",
     .text = R"(Implement the computation of this module natively.

{reference}

| | |
| --- | --- |
| backend | {backend} |
| called with | {inputs_line} |
| returns | {outputs_line} |
| agreement | {tolerance} |
| shapes | {contract} |

Parameters that the kernels read:
{parameters_list}

Keep `__init__` as it is, rename the class to `ModelNew`, and replace the body of `forward` by calls of your own functions. {operators} are what those functions have to do. {performance} {answer_form})",
     .fixed_shapes = "as listed",
     .any_shape = "as they come{open_sizes}",
     .performance = "A kernel that fuses them is better than one for each."},

    {.name = "translate-imperative",
     .text =
         R"(Read the module. Work out what each output element is. Write {backend} kernels that compute it. Wrap them in `ModelNew`.

{reference}

Shapes: {inputs_line}. {contract}
Precision: {tolerance}.
Not allowed: {operators} in `forward`.
{performance}
{answer_form})",
     .fixed_shapes = "Use them as they are.",
     .any_shape = "Take sizes from the tensors{open_sizes}.",
     .performance = "Speed: as fast as you can make it."},

    {.name = "translate-memo",
     .validation = true,
     .text = R"(From: model team
To: kernel team

We need a {backend} build of the module attached. At present it goes through {operators}; the replacement, `ModelNew`, must not. It is fed {inputs_line}. {contract} Please keep the deviation {tolerance}. {performance}

Attachment:

{reference}

{answer_form})",
     .fixed_shapes = "We do not use other sizes.",
     .any_shape = "Sizes differ between customers{open_sizes}.",
     .performance = "Our budget for this step is tight."},

    {.name = "translate-question",
     .validation = true,
     .text = R"(How would you write this module with {backend} kernels of your own?

{reference}

Suppose that it is called with {inputs_line}. {contract} The class should be named `ModelNew`, none of {operators} may remain in `forward`, and the result should agree {tolerance}. {performance} {answer_form})",
     .fixed_shapes = "You may rely on these sizes.",
     .any_shape = "You may not rely on these sizes{open_sizes}.",
     .performance = "What would make it fast?"},
};

}  // namespace

void AddEnglishTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill

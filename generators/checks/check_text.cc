#include "generators/checks/check_text.h"

#include "generators/checks/check_comparison.h"
#include "generators/lowering/code_template.h"

namespace kernelmill {
namespace {

// The structure of a check: functions with the holes @device@, @models@, @names@, @seeds@, @run@,
// and the list of cases.
struct CheckForm {
  std::string_view name;
  std::string_view text;
  // One case, with @label@, @aspect@ and @inputs@.
  std::string_view item;
};

// For checks whose only inputs are those that get_inputs() draws.
constexpr CheckForm kSeedsOnly = {"seeds", R"(
def check(ModelNew):
    @models@
    for seed in @seeds@:
        torch.manual_seed(seed)
        agree(reference, candidate, f"seed {seed}", [tensor.to("@device@") for tensor in get_inputs()])
)",
                                  ""};

constexpr CheckForm kForms[] = {
    {"loops", R"(
def check(ModelNew):
    @models@
    for seed in @seeds@:
        torch.manual_seed(seed)
        agree(reference, candidate, f"seed {seed}", [tensor.to("@device@") for tensor in get_inputs()])
    @names@
    for label, inputs in [
        @items@
    ]:
        agree(reference, candidate, label, inputs)
)",
     "(\"@label@\", [@inputs@]),"},
    {"generator", R"(
def cases():
    for seed in @seeds@:
        torch.manual_seed(seed)
        yield f"seed {seed}", [tensor.to("@device@") for tensor in get_inputs()]
    @names@
    @items@


def check(ModelNew):
    @models@
    for label, inputs in cases():
        agree(reference, candidate, label, inputs)
)",
     "yield \"@label@\", [@inputs@]"},
    {"table", R"(
CASES = {
    @items@
}


def check(ModelNew):
    @models@
    for seed in @seeds@:
        torch.manual_seed(seed)
        fresh = [tensor.to("@device@") for tensor in get_inputs()]
        agree(reference, candidate, f"seed {seed}", fresh)
    for label, change in CASES.items():
        agree(reference, candidate, label, change(*fresh))
)",
     "\"@label@\": lambda @parameters@: [@inputs@],"},
    {"collected", R"(
def check(ModelNew):
    @models@
    cases = []
    for seed in @seeds@:
        torch.manual_seed(seed)
        cases.append((f"seed {seed}", [tensor.to("@device@") for tensor in get_inputs()]))
    @names@
    cases += [
        @items@
    ]
    failures = []
    for label, inputs in cases:
        try:
            agree(reference, candidate, label, inputs)
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, f"{len(failures)} of {len(cases)} cases fail:\n" + "\n".join(failures)
)",
     "(\"@label@\", [@inputs@]),"},
    {"functions", R"(
def draw(seed):
    torch.manual_seed(seed)
    return [tensor.to("@device@") for tensor in get_inputs()]


def check_fresh_values(reference, candidate):
    for seed in @seeds@:
        agree(reference, candidate, f"seed {seed}", draw(seed))


@items@


def check(ModelNew):
    @models@
    for part in (check_fresh_values, @parts@):
        part(reference, candidate)
)",
     R"(
def check_@aspect@(reference, candidate):
    @drawn@
    agree(reference, candidate, "@label@", [@inputs@])
)"},
};

std::string Models(const CheckPlan& plan) {
  std::string text;
  for (const auto& [name, type] : {std::pair("reference", "Model"), {"candidate", "ModelNew"}}) {
    if (plan.seeds_models) text += "torch.manual_seed(0)\n";
    const std::string made = std::string(type) + "(*get_init_inputs()).to(\"" + plan.device + "\")";
    text +=
        std::string(name) + " = " + (plan.spreads_constants ? "spread(" + made + ")" : made) + "\n";
  }
  return text;
}

// "x, y = [...]"; for one input "x, = [...]".
std::string Unpacked(const CheckPlan& plan, const std::string& from) {
  return Join(plan.inputs, ", ") + (plan.inputs.size() == 1 ? ", = " : " = ") + from + "\n";
}

std::string Items(const CheckForm& form, const CheckPlan& plan) {
  std::string text;
  for (const CheckCase& item : plan.cases) {
    const std::string filled = FillHoles(
        form.item,
        Holes{{"label", item.aspect.what},
              {"aspect", item.aspect.name},
              {"inputs", Join(item.inputs, ", ")},
              {"parameters", Join(plan.inputs, ", ")},
              {"drawn", Unpacked(plan, "draw(" + std::to_string(plan.seeds.back() + 1) + ")")}});
    if (!text.empty() && form.item.starts_with('\n')) text += "\n\n";
    text += filled;
  }
  return text;
}

// The statements that test the candidate on one set of inputs.
std::string Agree(const CheckPlan& plan, bool in_double) {
  // A launch that fails may only show when the result is read.
  std::string text =
      "def agree(reference, candidate, label, inputs):\n"
      "    try:\n"
      "        results_agree(reference, candidate, label, inputs)\n"
      "    except AssertionError:\n"
      "        raise\n"
      "    except Exception as error:\n"
      "        raise AssertionError(f\"{label}: {type(error).__name__}: {error}\") from error\n\n\n"
      "def results_agree(reference, candidate, label, inputs):\n";
  if (plan.watches_inputs) text += "    before = [tensor.clone() for tensor in inputs]\n";
  text += "    with torch.no_grad():\n";
  text += "        want = reference(*[tensor.clone() for tensor in inputs])\n";
  if (!plan.allowed_operators.empty()) {
    text +=
        "        with Operators() as operators:\n"
        "            got = candidate(*inputs)\n"
        "    refused = operators.names - ALLOWED\n"
        "    assert not refused, f\"{label}: PyTorch computes {sorted(refused)}\"\n";
  } else {
    text += "        got = candidate(*inputs)\n";
  }
  if (in_double) {
    text += "        exact = copy.deepcopy(reference).double()(*[\n"
            "            tensor.double() if tensor.is_floating_point() else tensor.clone()\n"
            "            for tensor in inputs])\n";
  }
  if (plan.several_outputs) {
    text += "    assert len(got) == len(want), f\"{label}: {len(got)} results, not {len(want)}\"\n"
            "    for place, (one, other) in enumerate(zip(got, want)):\n"
            "        compare(f\"{label}, result {place}\", one, other)\n";
  } else {
    text += in_double ? "    compare(label, got, want, exact)\n" : "    compare(label, got, want)\n";
  }
  if (plan.watches_inputs) {
    text += "    for number, (tensor, old) in enumerate(zip(inputs, before)):\n"
            "        assert torch.equal(tensor, old), f\"{label}: input {number} was written to\"\n";
  }
  if (plan.calls_again) {
    text +=
        "    first = got.clone()\n"
        "    with torch.no_grad():\n"
        "        candidate(*[torch.zeros_like(tensor) for tensor in inputs])\n"
        "        assert torch.equal(got, first), f\"{label}: a later call overwrites the "
        "result\"\n"
        "        again = candidate(*inputs)\n"
        "    assert torch.equal(again, first), f\"{label}: the second call gives another "
        "result\"\n";
  }
  return text;
}

// Values that are drawn on the CPU are the same for both models.
constexpr std::string_view kSpread = R"(
def spread(model):
    """Gives each parameter that is one constant, such as a new PReLU's, values that differ."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.numel() > 1 and (parameter == parameter.flatten()[0]).all():
                noise = torch.rand(parameter.shape, generator=generator) - 0.5
                parameter.add_(noise.to(parameter.device, parameter.dtype))
    return model
)";

constexpr std::string_view kOperators = R"(
class Operators(TorchDispatchMode):
    """Records the ATen operators that run while it is active."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace == "aten":
            self.names.add(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))
)";

}  // namespace

CheckText WriteCheck(const CheckPlan& plan, const Wording& wording) {
  const CheckForm& form = plan.cases.empty()
                              ? kSeedsOnly
                              : kForms[wording.Index("check form", std::size(kForms))];
  const CheckComparison comparison = ChooseComparison(plan, wording);
  std::string code = comparison.in_double ? "import copy\n\nimport torch\n" : "import torch\n";
  if (!plan.allowed_operators.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& name : plan.allowed_operators) quoted.push_back('"' + name + '"');
    code += "from torch.utils._python_dispatch import TorchDispatchMode\n\n" +
            CallText("ALLOWED = {", quoted, "}") + "\n\n\n" + FillHoles(kOperators, Holes());
  }
  std::string parts;
  for (const CheckCase& item : plan.cases) {
    parts += (parts.empty() ? "check_" : ", check_") + item.aspect.name;
  }
  std::vector<std::string> seeds;
  for (const int seed : plan.seeds) seeds.push_back(std::to_string(seed));
  const std::string fresh = "[tensor.to(\"" + plan.device + "\") for tensor in get_inputs()]";
  if (plan.spreads_constants) code += "\n\n" + FillHoles(kSpread, Holes());
  code += "\n\n" + comparison.text + "\n\n" + Agree(plan, comparison.in_double) + "\n\n" +
          FillHoles(form.text, Holes{{"device", plan.device},
                                     {"models", Models(plan)},
                                     {"names", Unpacked(plan, fresh)},
                                     {"seeds", "(" + Join(seeds, ", ") + ")"},
                                     {"items", Items(form, plan)},
                                     {"parts", parts}});
  return {std::string(form.name) + ", " + comparison.name, code};
}

}  // namespace kernelmill

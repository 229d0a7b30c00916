#include "generators/checks/check_comparison.h"

#include "generators/lowering/code_template.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKinds = R"(
    assert got.shape == want.shape, f"{label}: shape {tuple(got.shape)}, not {tuple(want.shape)}"
    assert got.dtype == want.dtype, f"{label}: {got.dtype}, not {want.dtype}"
)";

constexpr std::string_view kWholeToo = R"(
    if not want.is_floating_point():
        assert torch.equal(got, want), f"{label}: {int((got != want).sum())} elements differ"
        return
)";

struct ComparisonForm {
  std::string_view name;
  bool whole;  // Compares integers and bools; other forms compare floating-point numbers.
  bool in_double;
  std::string_view text;  // The Python text, with @tolerance@.
};

// Comparisons with NaN are false, so each form is written such that a NaN fails.
constexpr ComparisonForm kForms[] = {
    {"assert_close", false, false, R"(
    torch.testing.assert_close(
        got, want, rtol=@tolerance@, atol=@tolerance@, msg=lambda text: f"{label}: {text}")
)"},
    {"limits", false, false, R"(
    limit = @tolerance@ + @tolerance@ * want.double().abs()
    error = (got.double() - want.double()).abs()
    worst = (error / limit).max().item()
    assert worst <= 1, f"{label}: the error is up to {worst:.3g} times the tolerance"
)"},
    {"worst element", false, false, R"(
    error = (got.double() - want.double()).abs()
    wrong = ~(error <= @tolerance@ + @tolerance@ * want.double().abs())  # NaN is wrong, too.
    if wrong.any():
        at = tuple(wrong.nonzero()[0].tolist())
        raise AssertionError(
            f"{label}: {int(wrong.sum())} of {wrong.numel()} elements differ, the first at {at}: "
            f"{got[at].item()} instead of {want[at].item()}")
)"},
    {"share", false, false, R"(
    limit = @tolerance@ + @tolerance@ * want.double().abs()
    within = (got.double() - want.double()).abs() <= limit  # False for NaN.
    share = (~within).double().mean().item()
    assert within.all(), f"{label}: {share:.1%} of the elements are not within @tolerance@"
)"},
    {"float64", false, true, R"(
    # The reference in float64 is free of the rounding of float32, which may go either way.
    limit = @tolerance@ + @tolerance@ * exact.abs()
    error = (got.double() - exact).abs()
    wrong = ~(error <= limit)
    assert not wrong.any(), f"{label}: {int(wrong.sum())} elements are off, by up to {error.max():.3g}"
)"},
    {"equal", true, false, R"(
    assert torch.equal(got, want), f"{label}: {int((got != want).sum())} elements differ"
)"},
    {"first difference", true, false, R"(
    wrong = (got != want).nonzero().tolist()
    assert not wrong, f"{label}: {len(wrong)} elements differ, the first at {wrong[0]}"
)"},
};

}  // namespace

CheckComparison ChooseComparison(const CheckPlan& plan, const Wording& wording) {
  std::vector<const ComparisonForm*> fitting;
  for (const ComparisonForm& form : kForms) {
    if (form.whole == plan.all_integers && (plan.in_double || !form.in_double))
      fitting.push_back(&form);
  }
  const ComparisonForm& form = *fitting[wording.Index("check comparison", fitting.size())];
  const std::string tolerance = plan.tolerance > 1e-3 ? "1e-2" : "1e-4";
  std::string text = form.in_double ? "def compare(label, got, want, exact):\n"
                                    : "def compare(label, got, want):\n";
  text += FillHoles(kKinds, Holes());
  if (plan.some_integers) text += FillHoles(kWholeToo, Holes());
  text += FillHoles(form.text, Holes{{"tolerance", tolerance}});
  return {std::string(form.name), text, form.in_double};
}

}  // namespace kernelmill

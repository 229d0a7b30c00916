#include "generators/checks/value_cases.h"

#include <algorithm>
#include <regex>

#include "generators/wording/operator_words.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

bool IsFloat(const InputSpec& input) {
  return input.dtype.starts_with("float") || input.dtype.starts_with("bfloat");
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The first operator that computes something, which sees the values of the inputs as they are; null
// where the table does not know it.
const OperatorCall* FirstComputing(const Annotation& facts) {
  for (const OperatorCall& call : facts.operators) {
    const OperatorRow* const row = OperatorCalled(call.name);
    const bool moves = row != nullptr && (row->family == OperatorFamily::kShape ||
                                          row->family == OperatorFamily::kLayout ||
                                          row->family == OperatorFamily::kCast);
    if (ComputesNothing(call.name) || moves) continue;
    return row == nullptr || call.outputs.empty() ? nullptr : &call;
  }
  return nullptr;
}

class ValueCasePlanner {
 public:
  ValueCasePlanner(const KnownTask& known, const std::vector<std::string>& names,
                   const Wording& wording)
      : known_(known), names_(names), wording_(wording) {}

  std::vector<CheckCase> All() {
    IndexEnds();
    const OperatorCall* const first = FirstComputing(known_.facts);
    const auto& inputs = known_.task.inputs;
    if (first == nullptr || !std::any_of(inputs.begin(), inputs.end(), IsFloat)) return cases_;
    name_ = first->name;
    const OperatorRow& row = *OperatorCalled(first->name);
    switch (row.family) {
      case OperatorFamily::kSoftmax:
        Map("large_values", "values a hundred times as large", "100 * ", "",
            {"`exp` overflows for scores this large unless `{op}` subtracts the maximum first",
             "`{op}` is only finite for such scores if the maximum of the row is subtracted before "
             "`exp`"});
        break;
      case OperatorFamily::kNorm:
        Norm(row);
        break;
      case OperatorFamily::kPooling:
      case OperatorFamily::kReduction:
      case OperatorFamily::kArgReduction:
      case OperatorFamily::kScan:
        Extremes(*first);
        break;
      case OperatorFamily::kSort:
        Ties();
        break;
      case OperatorFamily::kComparison:
        if (std::count_if(inputs.begin(), inputs.end(), IsFloat) > 1 && !row.commutative) Equal();
        break;
      case OperatorFamily::kActivation:
      case OperatorFamily::kElementwise:
        // torch.max() of two tensors and of one have the same name.
        if (row.operands.size() == 2 && inputs.size() == 1 && first->outputs.size() == 2) {
          Extremes(*first);
        } else {
          Scalar(row);
        }
        break;
      case OperatorFamily::kMatmul:
      case OperatorFamily::kConvolution:
        LastTerm(*first, row.family == OperatorFamily::kConvolution);
        break;
      default:
        break;
    }
    return cases_;
  }

 private:
  // {op} in the variants is the operator.
  void Add(const std::string& aspect, const std::string& label, std::vector<std::string> inputs,
           const std::vector<std::string_view>& why) {
    const std::string text =
        FillPlaceholders(wording_.Pick("check why " + aspect, why), {{"op", name_}});
    cases_.push_back({{aspect, label, text}, std::move(inputs)});
  }

  // A case in which every floating-point input is put between the two texts.
  void Map(const std::string& aspect, const std::string& label, const std::string& before,
           const std::string& behind, const std::vector<std::string_view>& why) {
    std::vector<std::string> inputs = names_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (IsFloat(known_.task.inputs[i])) inputs[i] = before + names_[i] + behind;
    }
    Add(aspect, label, std::move(inputs), why);
  }

  // Norms that compute their statistics from the input, and have a constant against zero.
  void Norm(const OperatorRow& row) {
    const bool keeps = std::any_of(row.operands.begin(), row.operands.end(), [](const auto& one) {
      return one.role == OperandRow::Role::kBuffer;
    });
    const bool guards = std::any_of(row.attributes.begin(), row.attributes.end(),
                                    [](const auto& one) { return one.name == "eps"; });
    if (keeps || !guards) return;
    Map("zeros", "inputs of zeros", "torch.zeros_like(", ")",
        {"the statistic that `{op}` divides by is 0 here, so only `eps` keeps the result finite",
         "without `eps`, or with it in the wrong place, `{op}` divides 0 by 0 and returns NaN"});
    Map("small_values", "values a hundred times as small", "0.01 * ", "",
        {"`eps` is a larger part of what `{op}` divides by, so an `eps` that is left out or added "
         "outside of the root changes more digits"});
  }

  void Extremes(const OperatorCall& call) {
    const bool most = Has(call.name, "max"), least = Has(call.name, "min");
    if (most) {
      Map("signs", "negative values only", "-", ".abs()",
          {"a maximum that starts at 0 instead of minus infinity returns 0 from `{op}`",
           "padding or an accumulator that counts as 0 wins in `{op}` when all values are "
           "negative"});
    } else if (least) {
      Map("signs", "positive values only", "", ".abs()",
          {"a minimum that starts at 0 instead of plus infinity returns 0 from `{op}`"});
    }
    const bool positions =
        std::any_of(call.outputs.begin(), call.outputs.end(),
                    [](const TensorFacts& output) { return output.dtype == "int64"; });
    if ((most || least) && positions) Ties();
  }

  void Ties() {
    Map("ties", "values rounded to integers", "", ".round()",
        {"many values are equal, and `{op}` must then choose the same positions as PyTorch",
         "equal values show whether `{op}` breaks ties as PyTorch does"});
  }

  void Equal() {
    Map("ties", "values rounded to integers", "", ".round()",
        {"many values are equal, where `{op}` differs between a strict and a non-strict "
         "comparison"});
  }

  void Scalar(const OperatorRow& row) {
    static const std::regex kBranches(R"(\?|\bf(max|min|abs)\w*\()"),
        kExponentials(R"(\b(exp|expm1|tanh|erf)f?\()");
    const std::string scalar(row.scalar);
    const bool branches = std::regex_search(scalar, kBranches);
    const bool exponential = std::regex_search(scalar, kExponentials);
    if (row.operands.size() != 1) return;
    if (exponential && row.family == OperatorFamily::kActivation) {
      Map("large_values", "values a hundred times as large", "100 * ", "",
          {"for large positive and negative arguments a formula of `{op}` that overflows gives "
           "infinity or NaN",
           "`{op}` has to approach its limits here, and not the quotient of two infinities"});
    }
    if (branches) {
      Map("signs", "negative values only", "-", ".abs()",
          {"`{op}` treats negative values in another way than positive ones, and all values take "
           "that way here"});
    }
  }

  // Contractions of an input along its last dimension, or a convolution's channels, in which only
  // the last term is not zero.
  void LastTerm(const OperatorCall& call, bool channels) {
    const std::vector<std::int64_t>& out = call.outputs[0].shape;
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const InputSpec& input = known_.task.inputs[i];
      const std::size_t rank = input.shape.size();
      if (!IsFloat(input) || rank < 2 || rank != out.size()) continue;
      const bool like_rows = std::equal(out.begin(), out.end() - 1, input.shape.begin());
      // All channels of a group are added up, so there must be one group only.
      const bool one_group = std::any_of(
          known_.facts.parameters.begin(), known_.facts.parameters.end(), [&](const auto& weight) {
            return weight.shape.size() == rank && weight.shape[1] == input.shape[1];
          });
      const std::int64_t terms = channels ? input.shape[1] : input.shape[rank - 1];
      if (terms > 1 && (channels ? one_group && out[0] == input.shape[0] : like_rows))
        fitting.push_back(i);
    }
    if (fitting.size() != 1) return;
    const std::string& name = names_[fitting[0]];
    const std::string at = channels ? ":, " : "..., ", axis = channels ? "1" : "-1";
    std::vector<std::string> inputs = names_;
    inputs[fitting[0]] = "torch.cat([torch.zeros_like(" + name + "[" + at + ":-1]), " + name + "[" +
                         at + "-1:]], " + axis + ")";
    Add("last_term", name + " with zeros in front of the last " + (channels ? "channel" : "column"),
        std::move(inputs),
        {"a kernel whose sum ends before the last, partial tile loses the only term that is not "
         "zero, while among random terms one that is missing may be within the tolerance",
         "apart from a bias, the whole result of `{op}` comes from the last term of its sum, so a "
         "loop that ends too "
         "early shows in every element"});
  }

  // Indices at the ends of their range.
  void IndexEnds() {
    const auto of_family = [&](OperatorFamily family) -> std::string {
      for (const OperatorCall& call : known_.facts.operators) {
        const OperatorRow* const row = OperatorCalled(call.name);
        if (row != nullptr && row->family == family) return call.name;
      }
      return "";
    };
    name_ = of_family(OperatorFamily::kEmbedding);
    if (name_.empty()) name_ = of_family(OperatorFamily::kGather);
    const auto& inputs = known_.task.inputs;
    const bool drawn = std::any_of(inputs.begin(), inputs.end(),
                                   [](const InputSpec& input) { return input.draw == "randint"; });
    if (name_.empty() || !drawn) return;
    const auto all = [&](bool last) {
      std::vector<std::string> made = names_;
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if (inputs[i].draw != "randint") continue;
        made[i] = "torch.full_like(" + names_[i] + ", " +
                  std::to_string(last ? inputs[i].high - 1 : inputs[i].low) + ")";
      }
      return made;
    };
    if (Has(name_, "scatter") || Has(name_, "_add")) {
      Add("first_index", "the first index everywhere", all(false),
          {"all elements go to one place, so updates that are not atomic get lost in `{op}`"});
    }
    Add("last_index", "the last index everywhere", all(true),
        {"`{op}` must reach the last row, and an index that is one too large is out of bounds",
         "the largest valid index is the one that an off-by-one bounds check of `{op}` refuses"});
  }

  const KnownTask& known_;
  const std::vector<std::string>& names_;
  const Wording& wording_;
  std::vector<CheckCase> cases_;
  std::string name_;  // Of the operator that the next case is about.
};

}  // namespace

std::vector<CheckCase> ValueCases(const KnownTask& known, const std::vector<std::string>& names,
                                  const Wording& wording) {
  return ValueCasePlanner(known, names, wording).All();
}

}  // namespace kernelmill

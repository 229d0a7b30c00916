#include "generators/lowering/contractions/convolution_spec.h"

#include "generators/lowering/contractions/contraction_writer.h"
#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSpaceWords[3][3] = {{"x", "", ""}, {"y", "x", ""}, {"z", "y", "x"}};

class ConvolutionWriter : public ContractionWriter {
 public:
  explicit ConvolutionWriter(GroupScope* scope) : ContractionWriter(scope) {}

  std::optional<ContractionSpec> Write() {
    if (operands_.empty() || node_.result_count != 1) return std::nullopt;
    spec_.type = scope_.Scalar(node_.first_result).compute;
    const bool known = node_.op->family == OperatorFamily::kConvolution ? Convolution()
                                                                        : TransposedConvolution();
    if (!known) return std::nullopt;
    return std::move(spec_);
  }

 private:
  // The sizes of a tensor with channels as {batch, channels, spatial…}; the batch is 1 if the
  // tensor has none.
  std::vector<std::string> ChannelSizes(ValueId id, int spatial) {
    std::vector<std::string> sizes = scope_.Sizes(id);
    if (static_cast<int>(sizes.size()) == spatial + 1) sizes.insert(sizes.begin(), "1");
    return sizes;
  }

  // The batch size, 1 if the tensor has none.
  std::int64_t Images(int spatial) const {
    const Shape& x = ShapeOf(0);
    return x.rank() == spatial + 1 ? 1 : x[0];
  }

  std::int64_t At(std::string_view name, int i) const {
    return AttributeAt(AttributeOf(scope_.graph(), node_, name), i);
  }

  void BiasOfChannel(const std::string& channel) {
    if (Has(2)) spec_.result = "acc + " + Read(2, channel).value;
  }

  bool Convolution() {
    const int spatial = scope_.TypeOf(operands_[1]).shape.rank() - 2;
    const std::vector<std::string> in = ChannelSizes(operands_[0], spatial);
    const std::vector<std::string> out = ChannelSizes(node_.first_result, spatial);
    const Shape& weight = scope_.TypeOf(operands_[1]).shape;
    const std::int64_t groups = AttributeOf(scope_.graph(), node_, "groups").integer();
    // The weight's shape tells the number of channels per group.
    const std::string in_per_group = groups == 1 ? in[1] : scope_.Sizes(operands_[1])[1];
    const std::string group_count =
        groups == 1 ? "1" : Size("groups", GroupScope::Parenthesized(in[1]) + " / " + in_per_group);
    const std::string per_group =
        groups == 1
            ? out[1]
            : Size("out_per_group", GroupScope::Parenthesized(out[1]) + " / " + group_count);
    spec_.m.Add("m", per_group, weight[0] / groups);
    spec_.n.Add("image", out[0], Images(spatial));
    spec_.k.Add("c", in_per_group, weight[1]);
    const std::string oc = groups == 1 ? "m" : "(group * " + per_group + " + m)";
    const std::string ic = groups == 1 ? "c" : "(group * " + in_per_group + " + c)";
    std::vector<Axis> from = {{"image", in[0]}, {ic, in[1]}}, to = {{"image", out[0]}, {oc, out[1]}};
    std::vector<Axis> filter = {{oc, ""}, {"c", in_per_group}};
    const Shape& result = scope_.TypeOf(node_.first_result).shape;
    for (int d = 0; d < spatial; ++d) {
      const std::string word(kSpaceWords[spatial - 1][d]);
      const std::string tap = "k" + word, o = "o" + word, i = "i" + word;
      spec_.n.Add(o, out[2 + d], result[result.rank() - spatial + d]);
      to.push_back({o, out[2 + d]});
      const std::int64_t stride = At("stride", d), padding = At("padding", d),
                         dilation = At("dilation", d);
      std::string position = o + (stride == 1 ? "" : " * " + std::to_string(stride));
      if (weight[2 + d] > 1) {
        const std::string kernel = std::to_string(weight[2 + d]);
        spec_.k.Add(tap, kernel, weight[2 + d]);
        filter.push_back({tap, kernel});
        position += " + " + tap + (dilation == 1 ? "" : " * " + std::to_string(dilation));
      }
      if (padding > 0) position += " - " + std::to_string(padding);
      if (position == o) {
        from.push_back({o, in[2 + d]});
        continue;
      }
      spec_.b.statements += "const " + scope_.index() + ' ' + i + " = " + position + ";\n";
      if (padding > 0) Guard(i, in[2 + d]);
      from.push_back({i, in[2 + d]});
    }
    if (groups > 1) spec_.group.Add("group", group_count, groups);
    filter[0].second = "1";
    spec_.a = Read(1, Horner(filter));
    // A filter is contiguous in memory in the order of k: by channel, then by tap.
    const std::string whole = Size("K", spec_.k.Count());
    spec_.a.value_by_k = Read(1, oc + " * " + GroupScope::Parenthesized(whole) + " + k").value;
    const Factor read = Read(0, Horner(from), false);
    spec_.b.value = read.value;
    spec_.b.along_k = false;
    spec_.b.adjacent = At("stride", spatial - 1) == 1;
    spec_.position = Horner(to);
    BiasOfChannel(oc);
    spec_.matrices =
        "m is an output channel, n an output position of an image, k a channel and a "
        "tap of the filter: the input is read as the matrix that im2col would make, "
        "which never exists";
    return true;
  }

  void Guard(const std::string& i, const std::string& size) {
    spec_.b.condition +=
        (spec_.b.condition.empty() ? "" : " && ") + i + " >= 0 && " + i + " < " + size;
  }

  // Every output element gathers the products of the taps that reach it. With stride s only every
  // s-th tap meets an input element, and which taps these are depends on the output's position
  // modulo s, its phase. The phase is part of the group index, so that no product has a zero
  // factor.
  bool TransposedConvolution() {
    const int spatial = scope_.TypeOf(operands_[1]).shape.rank() - 2;
    const std::vector<std::string> in = ChannelSizes(operands_[0], spatial);
    const std::vector<std::string> out = ChannelSizes(node_.first_result, spatial);
    const Shape& weight = scope_.TypeOf(operands_[1]).shape;
    const std::int64_t groups = AttributeOf(scope_.graph(), node_, "groups").integer();
    const std::string per_group = scope_.Sizes(operands_[1])[1];
    const std::string group_count = GroupsOf(scope_, node_);
    const std::string in_per_group =
        groups == 1 ? in[1]
                    : Size("in_per_group", GroupScope::Parenthesized(in[1]) + " / " + group_count);
    spec_.m.Add("m", per_group, weight[1]);
    spec_.n.Add("image", out[0], Images(spatial));
    spec_.k.Add("c", in_per_group, weight[0] / groups);
    bool phases = false;
    for (int d = 0; d < spatial; ++d) phases |= HasPhases(d);
    const std::string group = phases ? "g" : "group";
    if (groups > 1) spec_.group.Add(group, group_count, groups);
    const std::string oc = groups == 1 ? "m" : '(' + group + " * " + per_group + " + m)";
    const std::string ic = groups == 1 ? "c" : '(' + group + " * " + in_per_group + " + c)";
    std::vector<Axis> from = {{"image", in[0]}, {ic, in[1]}},
                      to = {{"image", out[0]}, {oc, out[1]}};
    std::vector<Axis> filter = {{ic, "1"}, {"m", per_group}};
    for (int d = 0; d < spatial; ++d) {
      const std::string word(kSpaceWords[spatial - 1][d]);
      const TransposedAxis axis = HasPhases(d) ? InPhases(d, spatial, word, out[2 + d])
                                               : TapByTap(d, spatial, word, out[2 + d]);
      Guard("i" + word, in[2 + d]);
      filter.push_back({axis.tap, std::to_string(weight[2 + d])});
      to.push_back({axis.output, out[2 + d]});
      from.push_back({"i" + word, in[2 + d]});
    }
    const Factor filtered = Read(1, Horner(filter), false);
    spec_.a.value = filtered.value;
    spec_.a.along_k = false;
    spec_.a.adjacent = weight.rank() == 2 || weight.Elements() == weight[0] * weight[1];
    spec_.b.value = Read(0, Horner(from), false).value;
    spec_.b.along_k = false;
    spec_.b.adjacent = HasPhases(spatial - 1) || At("stride", spatial - 1) == 1;
    spec_.position = Horner(to);
    BiasOfChannel(oc);
    spec_.matrices =
        "m is an output channel, n an output position of an image; each gathers what "
        "taps of the filter bring to it, so that no two threads write one element";
    if (phases) {
      spec_.matrices += ", and positions that the same taps reach, a stride apart, go together";
    }
    return true;
  }

  struct TransposedAxis {
    std::string tap, output;
  };

  bool HasPhases(int d) const { return At("stride", d) > 1 && At("dilation", d) == 1; }

  TransposedAxis InPhases(int d, int spatial, const std::string& word, const std::string& out) {
    const Shape& result = scope_.TypeOf(node_.first_result).shape;
    const std::int64_t size = result[result.rank() - spatial + d];
    const std::int64_t stride = At("stride", d), padding = At("padding", d),
                       kernel = scope_.TypeOf(operands_[1]).shape[2 + d];
    const std::string phase = "p" + word, q = "q" + word, j = "j" + word, tap = "k" + word;
    const std::string step = std::to_string(stride);
    const std::string shifted =
        padding == 0 ? phase : '(' + phase + " + " + std::to_string(padding) + ')';
    const std::int64_t taps = (kernel + stride - 1) / stride;
    spec_.group.Add(phase, step, stride);
    spec_.n.Add(q,
                Size("steps_" + word, '(' + GroupScope::Parenthesized(out) + " + " +
                                          std::to_string(stride - 1) + ") / " + step),
                (size + stride - 1) / stride);
    std::string first = shifted + " % " + step, moved = shifted + " / " + step;
    if (padding == 0) {
      first = phase;
      moved = "";
    }
    std::string input = q + (moved.empty() ? "" : " + " + moved), used = first;
    if (taps > 1) {
      spec_.k.Add(j, std::to_string(taps), taps);
      input += " - " + j;
      used += " + " + j + " * " + step;
    }
    const std::string type = "const " + scope_.index() + ' ';
    const std::string of_tap = type + tap + " = " + used + ";\n";
    spec_.a.statements += of_tap;
    if (kernel % stride != 0) {
      // The last tap does not exist in every phase.
      const std::string there = tap + " < " + std::to_string(kernel);
      spec_.b.statements += of_tap;
      for (std::string* condition : {&spec_.a.condition, &spec_.b.condition}) {
        *condition += (condition->empty() ? "" : " && ") + there;
      }
    }
    spec_.b.statements += type + 'i' + word + " = " + input + ";\n";
    const std::string output = q + " * " + step + " + " + phase;
    spec_.has_result += (spec_.has_result.empty() ? "" : " && ") + output + " < " + out;
    return {tap, '(' + output + ')'};
  }

  TransposedAxis TapByTap(int d, int spatial, const std::string& word, const std::string& out) {
    const Shape &weight = scope_.TypeOf(operands_[1]).shape,
                &result = scope_.TypeOf(node_.first_result).shape;
    const std::string tap = "k" + word, o = "o" + word, i = "i" + word, reach = "r" + word;
    spec_.n.Add(o, out, result[result.rank() - spatial + d]);
    const bool one_tap = weight[2 + d] == 1;
    if (!one_tap) spec_.k.Add(tap, std::to_string(weight[2 + d]), weight[2 + d]);
    const std::int64_t stride = At("stride", d), padding = At("padding", d),
                       dilation = At("dilation", d);
    const std::string type = "const " + scope_.index() + ' ';
    // The input element whose tap reaches this output, if there is one.
    const std::string moved = " - " + tap + (dilation == 1 ? "" : " * " + std::to_string(dilation));
    const std::string sum =
        o + (padding == 0 ? "" : " + " + std::to_string(padding)) + (one_tap ? "" : moved);
    if (stride == 1) {
      spec_.b.statements += type + i + " = " + sum + ";\n";
    } else {
      const std::string step = std::to_string(stride);
      spec_.b.statements +=
          type + reach + " = " + sum + ";\n" + type + i + " = " + reach + " / " + step + ";\n";
      spec_.b.condition += (spec_.b.condition.empty() ? "" : " && ") + reach + " >= 0 && " + reach +
                           " % " + step + " == 0";
    }
    return {one_tap ? "0" : tap, o};
  }
};

}  // namespace

std::optional<ContractionSpec> ConvolutionSpecOf(GroupScope* scope) {
  return ConvolutionWriter(scope).Write();
}

}  // namespace kernelmill

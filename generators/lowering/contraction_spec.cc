#include "generators/lowering/contraction_spec.h"

#include <algorithm>
#include <map>

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

using Axis = std::pair<std::string, std::string>;

constexpr std::string_view kSpaceWords[3][3] = {{"x", "", ""}, {"y", "x", ""}, {"z", "y", "x"}};

// Row-major, without what is 1.
std::string Horner(const std::vector<Axis>& axes) {
  std::string text;
  for (const auto& [name, size] : axes) {
    if (!text.empty() && size != "1") {
      text = GroupScope::Factor(text) + " * " + GroupScope::Factor(size);
    }
    if (name == "0") continue;
    text += (text.empty() ? "" : " + ") + name;
  }
  return text.empty() ? "0" : text;
}

class SpecWriter {
 public:
  explicit SpecWriter(GroupScope* scope)
      : scope_(*scope), node_(scope->head()), operands_(scope->graph().operands(node_)) {}

  std::optional<ContractionSpec> Write() {
    const std::string_view name = node_.op->name;
    if (operands_.empty() || node_.result_count != 1) return std::nullopt;
    spec_.type = scope_.Scalar(node_.first_result).compute;
    bool known = false;
    using enum OperatorFamily;
    if (node_.op->family == kConvolution) {
      known = Convolution();
    } else if (node_.op->family == kTransposedConvolution) {
      known = TransposedConvolution();
    } else if (name == "linear") {
      known = Linear();
    } else if (name == "matmul" || name == "mm" || name == "bmm" || name == "mv" || name == "dot") {
      known = Product(0, 1);
    } else if (name == "addmm" || name == "addmv" || name == "baddbmm") {
      known = Product(1, 2) && AddTo();
    } else if (name == "addbmm") {
      known = SummedBatches() && AddTo();
    } else if (name == "outer") {
      spec_.m.Add("m", scope_.Sizes(operands_[0])[0], ShapeOf(0)[0]);
      spec_.n.Add("n", scope_.Sizes(operands_[1])[0], ShapeOf(1)[0]);
      spec_.a = Read(0, "m");
      spec_.b = Read(1, "n");
      spec_.position = "m * " + GroupScope::Factor(spec_.n.Count()) + " + n";
      known = true;
    } else if (name == "einsum") {
      known = Einsum();
    } else if (name == "tensordot") {
      known = Tensordot();
    } else if (name == "bilinear") {
      known = Bilinear();
    }
    if (!known) return std::nullopt;
    return std::move(spec_);
  }

 private:
  Factor Read(int operand, const std::string& position, bool along_k = true) const {
    const ValueId id = operands_[operand];
    Factor factor;
    factor.value = Loaded(scope_.TypeOf(id).dtype, scope_.dialect(),
                          scope_.TensorName(id) + '[' + position + ']');
    factor.along_k = along_k;
    return factor;
  }

  const Shape& ShapeOf(int operand) const { return scope_.TypeOf(operands_[operand]).shape; }

  std::string Size(std::string_view word, const std::string& expression) {
    return scope_.AddSize(word, expression);
  }

  bool Product(int left, int right) {
    const ValueId a = operands_[left], b = operands_[right];
    const Shape &a_shape = scope_.TypeOf(a).shape, &b_shape = scope_.TypeOf(b).shape;
    std::vector<std::string> a_sizes = scope_.Sizes(a), b_sizes = scope_.Sizes(b);
    if (a_sizes.size() == 1) a_sizes.insert(a_sizes.begin(), "1");
    if (b_sizes.size() == 1) b_sizes.push_back("1");
    const std::vector<std::string> a_batch(a_sizes.begin(), a_sizes.end() - 2);
    const std::vector<std::string> b_batch(b_sizes.begin(), b_sizes.end() - 2);
    std::string rows = a_sizes[a_sizes.size() - 2];
    const std::string inner = a_sizes.back(), columns = b_sizes.back();
    bool a_groups = false, b_groups = false;
    if (b_batch.empty()) {
      // Every row of every matrix meets the same columns: one tall matrix.
      std::vector<std::string> all = a_batch;
      all.push_back(rows);
      rows = Size("M", GroupScope::Product(all));
    } else if (a_batch.empty()) {
      b_groups = true;
    } else {
      if (!SameBatch(a_shape, b_shape)) return false;
      a_groups = b_groups = true;
    }
    const std::int64_t a_rows = a_shape.rank() == 1 ? 1 : a_shape.Back(1);
    const std::int64_t a_matrices = a_shape.Elements() / std::max<std::int64_t>(1, a_rows * a_shape.Back(0));
    spec_.m.Add("m", rows, b_batch.empty() ? a_rows * a_matrices : a_rows);
    spec_.n.Add("n", columns, b_shape.rank() == 1 ? 1 : b_shape.Back(0));
    spec_.k.Add("k", inner, a_shape.Back(0));
    if (b_groups) {
      std::int64_t matrices = 1;
      for (int d = 0; d + 2 < b_shape.rank(); ++d) matrices *= b_shape[d];
      spec_.group.Add("group", Size("groups", GroupScope::Product(b_batch)), matrices);
    }
    const Axis group{"group", ""};
    std::vector<Axis> a_axes = {{"m", rows}, {"k", inner}}, b_axes = {{"k", inner}, {"n", columns}};
    std::vector<Axis> out_axes = {{"m", rows}, {"n", columns}};
    if (a_groups) a_axes.insert(a_axes.begin(), group);
    if (b_groups) b_axes.insert(b_axes.begin(), group);
    if (b_groups) out_axes.insert(out_axes.begin(), group);
    spec_.a = Read(left, Horner(a_axes));
    spec_.b = Read(right, Horner(b_axes), columns == "1");
    spec_.position = Horner(out_axes);
    spec_.matrices = "m is a row of the left matrix, n a column of the right one";
    return true;
  }

  static bool SameBatch(const Shape& a, const Shape& b) {
    return a.rank() == b.rank() && std::equal(a.begin(), a.end() - 2, b.begin());
  }

  bool Linear() {
    const std::vector<std::string> sizes = scope_.Sizes(operands_[0]);
    const std::string features = scope_.Sizes(operands_[1])[0];
    const std::string rows = Size("M", GroupScope::Product({sizes.begin(), sizes.end() - 1}));
    const std::string& inner = sizes.back();
    const Shape &x = ShapeOf(0), &weight = ShapeOf(1);
    spec_.m.Add("m", rows, x.Elements() / std::max<std::int64_t>(1, x.Back(0)));
    spec_.n.Add("n", features, weight[0]);
    spec_.k.Add("k", inner, x.Back(0));
    spec_.a = Read(0, Horner({{"m", rows}, {"k", inner}}));
    spec_.b = Read(1, Horner({{"n", features}, {"k", inner}}));
    spec_.position = Horner({{"m", rows}, {"n", features}});
    if (Has(2)) spec_.result = "acc + " + Read(2, "n").value;
    spec_.matrices = "m is a row of the input, n an output feature: weight is read transposed";
    return true;
  }

  bool Has(std::size_t operand) const {
    return operand < operands_.size() && operands_[operand] != kAbsent;
  }

  // The products of all matrices of a batch, added up: the batch belongs to the sum.
  bool SummedBatches() {
    const std::vector<std::string> a = scope_.Sizes(operands_[1]), b = scope_.Sizes(operands_[2]);
    spec_.m.Add("m", a[1], ShapeOf(1)[1]);
    spec_.n.Add("n", b[2], ShapeOf(2)[2]);
    spec_.k.Add("p", a[0], ShapeOf(1)[0]);
    spec_.k.Add("q", a[2], ShapeOf(1)[2]);
    spec_.a = Read(1, Horner({{"p", a[0]}, {"m", a[1]}, {"q", a[2]}}));
    spec_.b = Read(2, Horner({{"p", b[0]}, {"q", b[1]}, {"n", b[2]}}), false);
    spec_.position = Horner({{"m", a[1]}, {"n", b[2]}});
    spec_.matrices =
        "m is a row of the left matrices, n a column of the right ones, k a matrix and "
        "a column of it";
    return true;
  }

  // beta * input + alpha * product; input is broadcast to the result's shape.
  bool AddTo() {
    const Shape& input = scope_.TypeOf(operands_[0]).shape;
    const Shape& result = scope_.TypeOf(node_.first_result).shape;
    std::vector<std::string> names = {"group", "m", "n"};
    if (result.rank() < 3) names.erase(names.begin());
    if (result.rank() < 2) names.pop_back();
    if (static_cast<int>(names.size()) != result.rank() || input.rank() > result.rank()) {
      return false;
    }
    const std::vector<std::string> sizes = scope_.Sizes(operands_[0]);
    std::vector<Axis> axes;
    for (int d = 0; d < input.rank(); ++d) {
      const int at = d + result.rank() - input.rank();
      const bool spread = input[d] == 1 && result[at] != 1;
      axes.push_back({spread ? "0" : names[at], spread ? "1" : sizes[d]});
    }
    const std::string place = Horner(axes);
    const auto factor = [&](std::string_view name) {
      const Attribute& attribute = AttributeOf(scope_.graph(), node_, name);
      const double number = attribute.is_none() ? 1 : attribute.number();
      return number == 1 ? std::string()
                         : Literal(number, scope_.TypeOf(node_.first_result).dtype) + " * ";
    };
    spec_.result = factor("alpha") + "acc";
    // With a beta of zero torch does not read the input.
    const Attribute& beta = AttributeOf(scope_.graph(), node_, "beta");
    if (beta.is_none() || beta.number() != 0) {
      spec_.result += " + " + factor("beta") + Read(0, place).value;
    }
    return true;
  }

  bool Tensordot() {
    const int dims = static_cast<int>(AttributeOf(scope_.graph(), node_, "dims").integer());
    const std::vector<std::string> a = scope_.Sizes(operands_[0]), b = scope_.Sizes(operands_[1]);
    if (dims > static_cast<int>(std::min(a.size(), b.size()))) return false;
    const std::string rows = Size("M", GroupScope::Product({a.begin(), a.end() - dims}));
    const std::string inner = Size("K", GroupScope::Product({a.end() - dims, a.end()}));
    const std::string columns = Size("N", GroupScope::Product({b.begin() + dims, b.end()}));
    std::int64_t summed = 1;
    for (int d = 0; d < dims; ++d) summed *= ShapeOf(1)[d];
    spec_.m.Add("m", rows, ShapeOf(0).Elements() / std::max<std::int64_t>(1, summed));
    spec_.n.Add("n", columns, ShapeOf(1).Elements() / std::max<std::int64_t>(1, summed));
    spec_.k.Add("k", inner, summed);
    spec_.a = Read(0, Horner({{"m", rows}, {"k", inner}}));
    spec_.b = Read(1, Horner({{"k", inner}, {"n", columns}}), false);
    spec_.position = Horner({{"m", rows}, {"n", columns}});
    return true;
  }

  bool Bilinear() {
    const std::vector<std::string> first = scope_.Sizes(operands_[0]),
                                   second = scope_.Sizes(operands_[1]);
    const std::string features = scope_.Sizes(operands_[2])[0];
    const std::string rows = Size("M", GroupScope::Product({first.begin(), first.end() - 1}));
    const Shape& x = ShapeOf(0);
    spec_.m.Add("m", rows, x.Elements() / std::max<std::int64_t>(1, x.Back(0)));
    spec_.n.Add("n", features, ShapeOf(2)[0]);
    spec_.k.Add("p", first.back(), x.Back(0));
    spec_.k.Add("q", second.back(), ShapeOf(1).Back(0));
    spec_.a = Read(0, Horner({{"m", rows}, {"p", first.back()}}));
    spec_.a.value += " * " + Read(1, Horner({{"m", rows}, {"q", second.back()}})).value;
    spec_.b = Read(2, Horner({{"n", features}, {"p", first.back()}, {"q", second.back()}}));
    spec_.position = Horner({{"m", rows}, {"n", features}});
    if (Has(3)) spec_.result = "acc + " + Read(3, "n").value;
    return true;
  }

  bool Einsum() {
    const int index = FindAttribute(*node_.op, "equation");
    if (index < 0 || operands_.size() != 2) return false;
    const std::string_view equation =
        node_.op->attributes[index].choices[scope_.graph().attributes(node_)[index].choice()];
    const std::size_t comma = equation.find(','), arrow = equation.find("->");
    if (comma == equation.npos || arrow == equation.npos) return false;
    const std::string_view a = equation.substr(0, comma),
                           b = equation.substr(comma + 1, arrow - comma - 1),
                           out = equation.substr(arrow + 2);
    std::map<char, std::string> sizes;
    std::map<char, std::int64_t> own;
    for (const auto& [letters, operand] : {std::pair(a, 0), std::pair(b, 1)}) {
      const std::vector<std::string> given = scope_.Sizes(operands_[operand]);
      if (given.size() != letters.size()) return false;
      for (std::size_t i = 0; i < letters.size(); ++i) {
        if (letters.find(letters[i], i + 1) != letters.npos) return false;
        sizes.emplace(letters[i], given[i]);
        // One of them is spread along the other.
        const std::int64_t size = scope_.TypeOf(operands_[operand]).shape[static_cast<int>(i)];
        if (own.emplace(letters[i], size).first->second != size) return false;
      }
    }
    const auto named = [&](std::string_view letters) {
      std::vector<Axis> axes;
      for (const char letter : letters) {
        axes.push_back({std::string("i_") + letter, sizes.at(letter)});
      }
      return axes;
    };
    for (const char letter : out) {
      const bool in_a = a.find(letter) != a.npos, in_b = b.find(letter) != b.npos;
      IndexAxes& to = in_a && in_b ? spec_.group : in_a ? spec_.m : spec_.n;
      to.Add(std::string("i_") + letter, sizes.at(letter), own.at(letter));
    }
    for (const char letter : a) {
      if (out.find(letter) != out.npos) continue;
      if (b.find(letter) == b.npos) return false;
      spec_.k.Add(std::string("i_") + letter, sizes.at(letter), own.at(letter));
    }
    for (const char letter : b) {
      if (out.find(letter) == out.npos && a.find(letter) == a.npos) return false;
    }
    const auto ends_in_k = [&](std::string_view letters) {
      return !letters.empty() && out.find(letters.back()) == out.npos;
    };
    spec_.a = Read(0, Horner(named(a)), ends_in_k(a));
    spec_.b = Read(1, Horner(named(b)), ends_in_k(b));
    spec_.position = Horner(named(out));
    return true;
  }

  // Sizes of a tensor of channels, a batch of which there may be none: {batch, channels, spatial…}.
  std::vector<std::string> ChannelSizes(ValueId id, int spatial) {
    std::vector<std::string> sizes = scope_.Sizes(id);
    if (static_cast<int>(sizes.size()) == spatial + 1) sizes.insert(sizes.begin(), "1");
    return sizes;
  }

  // How many images a tensor of channels has.
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
    // The weight knows how many channels a group has.
    const std::string in_per_group = groups == 1 ? in[1] : scope_.Sizes(operands_[1])[1];
    const std::string group_count =
        groups == 1 ? "1" : Size("groups", GroupScope::Factor(in[1]) + " / " + in_per_group);
    const std::string per_group =
        groups == 1 ? out[1]
                    : Size("out_per_group", GroupScope::Factor(out[1]) + " / " + group_count);
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
    // A filter lies in memory as k counts: channel by channel, tap by tap.
    const std::string whole = Size("K", spec_.k.Count());
    spec_.a.value_by_k = Read(1, oc + " * " + GroupScope::Factor(whole) + " + k").value;
    const Factor read = Read(0, Horner(from), false);
    spec_.b.value = read.value;
    spec_.b.along_k = false;
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

  // Every output element gathers what taps of the filter bring to it. With a stride of s only each
  // s-th tap meets an element of the input, and which of them depends on the output's position
  // modulo s, its phase: phases belong to the group, so that no product is with nothing.
  bool TransposedConvolution() {
    const int spatial = scope_.TypeOf(operands_[1]).shape.rank() - 2;
    const std::vector<std::string> in = ChannelSizes(operands_[0], spatial);
    const std::vector<std::string> out = ChannelSizes(node_.first_result, spatial);
    const Shape& weight = scope_.TypeOf(operands_[1]).shape;
    const std::int64_t groups = AttributeOf(scope_.graph(), node_, "groups").integer();
    const std::string per_group = scope_.Sizes(operands_[1])[1];
    const std::string group_count = GroupsOf(scope_, node_);
    const std::string in_per_group =
        groups == 1 ? in[1] : Size("in_per_group", GroupScope::Factor(in[1]) + " / " + group_count);
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
    spec_.b.value = Read(0, Horner(from), false).value;
    spec_.b.along_k = false;
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
                Size("steps_" + word, '(' + GroupScope::Factor(out) + " + " +
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
      // The last of the taps is not there in every phase.
      const std::string there = tap + " < " + std::to_string(kernel);
      spec_.b.statements += of_tap;
      for (std::string* condition : {&spec_.a.condition, &spec_.b.condition}) {
        *condition += (condition->empty() ? "" : " && ") + there;
      }
    }
    spec_.b.statements += type + 'i' + word + " = " + input + ";\n";
    const std::string output = q + " * " + step + " + " + phase;
    spec_.exists += (spec_.exists.empty() ? "" : " && ") + output + " < " + out;
    return {tap, '(' + output + ')'};
  }

  TransposedAxis TapByTap(int d, int spatial, const std::string& word, const std::string& out) {
    const Shape &weight = scope_.TypeOf(operands_[1]).shape,
                &result = scope_.TypeOf(node_.first_result).shape;
    const std::string tap = "k" + word, o = "o" + word, i = "i" + word, reach = "r" + word;
    spec_.n.Add(o, out, result[result.rank() - spatial + d]);
    spec_.k.Add(tap, std::to_string(weight[2 + d]), weight[2 + d]);
    const std::int64_t stride = At("stride", d), padding = At("padding", d),
                       dilation = At("dilation", d);
    const std::string type = "const " + scope_.index() + ' ';
    // The input element whose tap reaches this output, if there is one.
    const std::string sum = o + (padding == 0 ? "" : " + " + std::to_string(padding)) + " - " + tap +
                            (dilation == 1 ? "" : " * " + std::to_string(dilation));
    if (stride == 1) {
      spec_.b.statements += type + i + " = " + sum + ";\n";
    } else {
      const std::string step = std::to_string(stride);
      spec_.b.statements +=
          type + reach + " = " + sum + ";\n" + type + i + " = " + reach + " / " + step + ";\n";
      spec_.b.condition += (spec_.b.condition.empty() ? "" : " && ") + reach + " >= 0 && " + reach +
                           " % " + step + " == 0";
    }
    return {tap, o};
  }

  GroupScope& scope_;
  const Node& node_;
  std::span<const ValueId> operands_;
  ContractionSpec spec_;
};

}  // namespace

std::string IndexAxes::Count() const {
  std::vector<std::string> sizes;
  for (const auto& [name, size] : axes) sizes.push_back(size);
  return GroupScope::Product(sizes);
}

std::string IndexAxes::Decoded(const GroupScope& scope, const std::string& index,
                               std::string_view code) const {
  std::string text;
  std::vector<std::string> behind;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto& [name, size] = axes[i];
    if (UsesName(code, name) && name != index) {
      const std::string product = GroupScope::Product(behind);
      std::string value = index;
      if (product != "1") {
        value += " / " + (product.find(' ') == product.npos ? product : '(' + product + ')');
      }
      if (i > 0) value += " % " + GroupScope::Factor(size);
      text += "const " + scope.index() + ' ' + name + " = " + value + ";\n";
    }
    behind.insert(behind.begin(), size);
  }
  return text;
}

std::string GroupsOf(GroupScope& scope, const Node& node) {
  const std::int64_t groups = AttributeOf(scope.graph(), node, "groups").integer();
  const ValueId input = scope.graph().operands(node)[0];
  const Shape& weight = scope.TypeOf(scope.graph().operands(node)[1]).shape;
  const std::vector<std::string> sizes = scope.Sizes(input);
  // One filter a channel, however many there are.
  if (groups > 1 && groups == weight[0]) return sizes[sizes.size() - (weight.rank() - 1)];
  return std::to_string(groups);
}

std::optional<ContractionSpec> ContractionSpecOf(GroupScope* scope) {
  return SpecWriter(scope).Write();
}

std::optional<ContractionSpec> SpecOfContraction(const OperatorGraph& graph,
                                                 const FusionGroup& group) {
  if (group.head < 0) return std::nullopt;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, DialectOf(KernelBackend::kCuda), names, "");
  return ContractionSpecOf(&scope);
}

bool HasContractionSpec(const OperatorGraph& graph, const FusionGroup& group) {
  return SpecOfContraction(graph, group).has_value();
}

std::int64_t AttributeAt(const Attribute& attribute, int i) {
  const auto integers = attribute.integers();
  if (integers.empty()) return attribute.integer();
  return integers[std::min<std::size_t>(i, integers.size() - 1)];
}

std::string WindowCount(const std::string& size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation) {
  const std::int64_t offset = 2 * padding - dilation * (kernel - 1) - 1;
  const auto plus = [](const std::string& text, std::int64_t number) {
    if (number == 0) return text;
    return text + (number > 0 ? " + " : " - ") + std::to_string(std::abs(number));
  };
  if (stride == 1) return plus(size, offset + 1);
  return '(' + plus(size, offset) + ") / " + std::to_string(stride) + " + 1";
}

}  // namespace kernelmill

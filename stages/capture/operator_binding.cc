#include "stages/capture/operator_binding.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kernelmill {
namespace {

bool IsOneTensor(const Json& argument) { return argument.Find("value") != nullptr; }

bool IsTensorList(const Json& argument) {
  return argument.is_array() && !argument.as_array().empty() &&
         std::all_of(argument.as_array().begin(), argument.as_array().end(), IsOneTensor);
}

// Maps other names that torch accepts for an argument to one name.
std::string_view Synonym(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
      {"axis", "dim"}, {"keepdims", "keepdim"}, {"self", "input"},  {"dims", "dim"},
      {"esp", "eps"},  {"min", "min_val"},      {"max", "max_val"}, {"size", "shape"},
      {"a", "input"},  {"tensors", "tensor"}};
  for (const auto& [name_there, name_here] : kSynonyms) {
    if (name == name_there) return name_here;
  }
  return name;
}

bool SameName(std::string_view a, std::string_view b) {
  return a == b || Synonym(a) == b || a == Synonym(b) || Synonym(a) == Synonym(b);
}

std::optional<std::int64_t> IntegerOf(const Json& json) {
  if (json.is_int()) return json.as_int();
  if (json.is_double() && json.as_double() == std::floor(json.as_double()) &&
      std::abs(json.as_double()) < 1e15) {
    return static_cast<std::int64_t>(json.as_double());
  }
  return std::nullopt;
}

std::optional<double> NumberOf(const Json& json) {
  if (json.is_int() || json.is_double()) return json.as_double();
  if (json.is_bool()) return json.as_bool();
  if (json == Json("fro")) return 2;  // The Frobenius norm.
  const std::string text = json.TextAt("number");
  if (text == "inf") return INFINITY;
  if (text == "-inf") return -INFINITY;
  if (text == "nan") return NAN;
  return std::nullopt;
}

// An attribute of integers, given as a tuple or as one number that stands for all dimensions. A
// tuple of equal numbers becomes one number if the row's default, `like`, is one.
std::optional<Attribute> IntegersOf(const Json& json, const Attribute& like) {
  if (const std::optional<std::int64_t> integer = IntegerOf(json)) {
    return Attribute::Integer(*integer);
  }
  if (!json.is_array()) return std::nullopt;
  std::vector<std::int64_t> integers;
  for (const Json& item : json.as_array()) {
    const std::optional<std::int64_t> integer = IntegerOf(item);
    if (!integer) return std::nullopt;
    integers.push_back(*integer);
  }
  if (integers.size() > Attribute::kMaxIntegers) return std::nullopt;
  const bool alike =
      like.kind() == Attribute::Kind::kInteger && !integers.empty() &&
      std::count(integers.begin(), integers.end(), integers[0]) == std::int64_t(integers.size());
  return alike ? Attribute::Integer(integers[0]) : Attribute::Integers(integers);
}

std::optional<Attribute> ChoiceOf(const Json& json, const AttributeRow& row) {
  std::string word = json.TextAt("dtype");
  if (!word.empty()) word = "torch." + word;
  if (json.is_string()) word = json.as_string();
  const auto found = std::find(row.choices.begin(), row.choices.end(), word);
  if (word.empty() || found == row.choices.end()) return std::nullopt;
  return Attribute::Choice(static_cast<int>(found - row.choices.begin()));
}

std::optional<Attribute> AttributeOf(const Json& json, const AttributeRow& row) {
  if (json.is_null()) return Attribute();
  switch (row.kind) {
    case Attribute::Kind::kNone:
      return std::nullopt;
    case Attribute::Kind::kFlag:
      if (!json.is_bool()) return std::nullopt;
      return Attribute::Flag(json.as_bool());
    case Attribute::Kind::kInteger:
    case Attribute::Kind::kSize: {
      std::optional<std::int64_t> integer = IntegerOf(json);
      if (json.is_array() && json.as_array().size() == 1) integer = IntegerOf(json.as_array()[0]);
      if (!integer) return std::nullopt;
      return row.kind == Attribute::Kind::kSize ? Attribute::Size(*integer)
                                                : Attribute::Integer(*integer);
    }
    case Attribute::Kind::kIntegers:
      return IntegersOf(json, row.default_value);
    case Attribute::Kind::kNumber: {
      // An integer stays one, because whether the number is a float decides the result's dtype.
      if (json.is_int()) return Attribute::Integer(json.as_int());
      const std::optional<double> number = NumberOf(json);
      if (!number) return std::nullopt;
      return Attribute::Number(*number);
    }
    case Attribute::Kind::kChoice:
      return ChoiceOf(json, row);
  }
  return std::nullopt;
}

// Assigns the arguments of a call to the operands and attributes of a row.
class Binding {
 public:
  Binding(const CapturedCall& call, const OperatorRow& row) : call_(call), row_(row) {
    operands_.resize(row.operands.size());
    for (const AttributeRow& attribute : row.attributes) {
      attributes_.push_back(attribute.default_value);
    }
    given_.resize(row.attributes.size());
  }

  // Binds arguments by their names. With `by_position`, the arguments before the first keyword are
  // bound in the row's order instead.
  bool Run(bool by_position) {
    // Numbers passed as separate arguments: x.view(2, 3), x.permute(0, 2, 1).
    std::vector<Json> separate_numbers;
    std::size_t place = 0;
    for (const auto& [name, argument, is_default] : call_.arguments) {
      const bool tensors = IsOneTensor(argument) || IsTensorList(argument);
      if (!name.empty() && !by_position) {
        if (!PutNamed(name, argument) && !is_default && !ChangesNoValue(name, argument))
          return false;
      } else if (IsBound(name) && !HasAttribute(name) && !argument.is_null()) {
        return false;  // clamp(max=0.5) is not clamp_min.
      } else if (tensors) {
        if (!PutNextOperand(argument)) return false;
      } else if (argument.is_int() && NextIsList(place)) {
        separate_numbers.push_back(argument);
      } else if (!PutNextAttribute(argument, &place)) {
        return false;
      }
    }
    if (!separate_numbers.empty() && !PutNextAttribute(Json(std::move(separate_numbers)), &place))
      return false;
    return HasItsInputs();
  }

  BoundCall Finish() {
    BoundCall bound;
    for (const std::vector<int>& operand : operands_) {
      if (operand.empty()) bound.operands.push_back(kAbsent);
      bound.operands.insert(bound.operands.end(), operand.begin(), operand.end());
    }
    bound.attributes = std::move(attributes_);
    return bound;
  }

 private:
  // Whether all required inputs are bound. The rules of rows read inputs without checking that they
  // exist.
  bool HasItsInputs() const {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const OperandRow::Role role = row_.operands[i].role;
      const bool needed = role == OperandRow::Role::kInput || role == OperandRow::Role::kList;
      if (needed && operands_[i].empty()) return false;
    }
    return true;
  }

  // Arguments that must not be bound by position to an operand or attribute of another name.
  static bool IsBound(std::string_view name) { return name == "min" || name == "max"; }
  bool HasAttribute(std::string_view name) const {
    return std::any_of(row_.attributes.begin(), row_.attributes.end(),
                       [&](const AttributeRow& attribute) {
                         return SameName(name, attribute.name);
                       });
  }

  // Whether results do not depend on this argument, so that a row need not have it.
  static bool ChangesNoValue(std::string_view name, const Json& argument) {
    // Their defaults are true, so that false changes results.
    if (name == "unbiased" || name == "largest" || name == "count_include_pad") return false;
    // An argument of multi_head_attention_forward() that the row's own rules check.
    if (name == "embed_dim_to_check") return true;
    if (name == "dropout_p") return NumberOf(argument) == 0.0;
    return name == "inplace" || name == "_stacklevel" || name == "train" || name == "device" ||
           argument.is_null() || argument == Json(false) || argument.Find("other") != nullptr;
  }

  bool PutNamed(std::string_view name, const Json& argument) {
    for (std::size_t i = 0; i < row_.operands.size(); ++i) {
      if (!SameName(name, row_.operands[i].name)) continue;
      return argument.is_null() || PutOperands(i, ValuesIn(argument));
    }
    for (std::size_t i = 0; i < row_.attributes.size(); ++i) {
      if (SameName(name, row_.attributes[i].name)) return PutAttribute(i, argument);
      // var(unbiased=False) divides by the count, not by one less.
      if (name == "unbiased" && row_.attributes[i].name == "correction" && argument.is_bool()) {
        return PutAttribute(i, Json(argument.as_bool() ? 1 : 0));
      }
    }
    return false;
  }

  bool PutNextOperand(const Json& argument) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (operands_[i].empty()) return PutOperands(i, ValuesIn(argument));
    }
    // einsum takes its operands as separate arguments.
    if (row_.operands.empty() || row_.operands.back().role != OperandRow::Role::kList ||
        !IsOneTensor(argument)) {
      return false;
    }
    const std::vector<int> more = ValuesIn(argument);
    operands_.back().insert(operands_.back().end(), more.begin(), more.end());
    return true;
  }

  // A tuple of tensors may be one operand of the row, or several, such as the states of an LSTM
  // cell.
  bool PutOperands(std::size_t i, const std::vector<int>& values) {
    const OperandRow::Role role = row_.operands[i].role;
    if (role == OperandRow::Role::kList || role == OperandRow::Role::kParameters) {
      operands_[i] = values;
      return !values.empty();
    }
    for (const int value : values) {
      if (i == operands_.size() || !operands_[i].empty()) return false;
      operands_[i++] = {value};
    }
    return !values.empty();
  }

  // Sets the next attribute that the function takes by position.
  bool PutNextAttribute(const Json& argument, std::size_t* place) {
    while (*place < row_.attributes.size() &&
           (row_.attributes[*place].module_only || given_[*place])) {
      ++*place;
    }
    if (*place == row_.attributes.size()) return argument.is_null();
    return PutAttribute((*place)++, argument);
  }

  bool NextIsList(std::size_t place) const {
    while (place < row_.attributes.size() &&
           (row_.attributes[place].module_only || given_[place])) {
      ++place;
    }
    return place < row_.attributes.size() &&
           row_.attributes[place].kind == Attribute::Kind::kIntegers;
  }

  bool PutAttribute(std::size_t i, const Json& argument) {
    const std::optional<Attribute> attribute = AttributeOf(argument, row_.attributes[i]);
    if (!attribute) return false;
    attributes_[i] = *attribute;
    given_[i] = true;
    return true;
  }

  const CapturedCall& call_;
  const OperatorRow& row_;
  std::vector<std::vector<int>> operands_;
  std::vector<Attribute> attributes_;
  std::vector<bool> given_;
};

// The values to try for the attribute `row`, which the call does not give: those that can follow
// from the `types` of the parameters and the number of `groups` of channels.
std::vector<Attribute> Candidates(const AttributeRow& row, const std::vector<TensorType>& types,
                                  std::int64_t groups) {
  if (row.kind == Attribute::Kind::kFlag) return {Attribute::Flag(true), Attribute::Flag(false)};
  std::vector<Attribute> found;
  if (types.empty()) return {row.default_value};
  if (row.kind == Attribute::Kind::kIntegers) {
    const std::span<const std::int64_t> sizes = types.front().shape.sizes();
    for (std::size_t from = 0; from < sizes.size(); ++from) {
      const std::span<const std::int64_t> last = sizes.subspan(from);
      found.push_back(Attribute::Integers(last));
      if (std::count(last.begin(), last.end(), last[0]) == std::int64_t(last.size())) {
        found.push_back(Attribute::Integer(last[0]));
      }
    }
    // Fewer dimensions come first, and one number before the tuple that means the same.
    std::reverse(found.begin(), found.end());
    return found;
  }
  if (row.kind != Attribute::Kind::kSize && row.kind != Attribute::Kind::kInteger) {
    return {row.default_value};
  }
  std::vector<std::int64_t> sizes = {row.default_value.integer()};
  for (const TensorType& type : types) {
    sizes.insert(sizes.end(), type.shape.begin(), type.shape.end());
    for (const std::int64_t size : type.shape.sizes()) sizes.push_back(size * groups);
  }
  // A parameter may hold several equal parts (the gates of a cell) or groups.
  for (const std::int64_t part : {2, 3, 4}) {
    if (types.front().shape.rank() > 0 && types.front().shape[0] % part == 0) {
      sizes.push_back(types.front().shape[0] / part);
    }
  }
  for (const std::int64_t size : sizes) {
    const Attribute candidate =
        row.kind == Attribute::Kind::kSize ? Attribute::Size(size) : Attribute::Integer(size);
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  }
  return found;
}

std::int64_t GroupsOf(const OperatorRow& row, const BoundCall& bound) {
  for (std::size_t i = 0; i < row.attributes.size(); ++i) {
    if (row.attributes[i].name == "groups") return bound.attributes[i].integer();
  }
  return 1;
}

bool IsParameter(const OperandRow& operand) {
  return operand.role == OperandRow::Role::kParameter ||
         operand.role == OperandRow::Role::kBuffer || operand.role == OperandRow::Role::kParameters;
}

// Sets the attributes that only a module's constructor takes to the first values for which the
// row's rule yields the captured parameters.
bool ReadOffParameters(const OperatorRow& row, const std::vector<CapturedValue>& values,
                       BoundCall* bound) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < row.attributes.size(); ++i) {
    if (row.attributes[i].module_only) open.push_back(i);
  }
  if (open.empty() || row.parameters == nullptr) return true;
  std::vector<const TensorType*> operands;
  std::vector<TensorType> given;
  for (std::size_t i = 0; i < bound->operands.size(); ++i) {
    const int value = bound->operands[i];
    const TensorType* type = value == kAbsent ? nullptr : &*values[value].type;
    const OperandRow& operand = row.operands[std::min(i, row.operands.size() - 1)];
    if (!IsParameter(operand)) {
      operands.push_back(type);
    } else if (type != nullptr) {
      given.push_back(*type);
    }
  }
  std::vector<std::vector<Attribute>> candidates;
  for (const std::size_t i : open) {
    candidates.push_back(Candidates(row.attributes[i], given, GroupsOf(row, *bound)));
  }
  std::vector<std::size_t> at(open.size());
  std::vector<TensorType> expected;
  while (true) {
    for (std::size_t i = 0; i < open.size(); ++i) bound->attributes[open[i]] = candidates[i][at[i]];
    expected.clear();
    if (row.parameters({operands, bound->attributes}, &expected) && expected == given) return true;
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == candidates[i].size()) at[i++] = 0;
    if (i == at.size()) return false;
  }
}

}  // namespace

std::optional<BoundCall> Bind(const CapturedCall& call, const OperatorRow& row,
                              const std::vector<CapturedValue>& values) {
  std::optional<BoundCall> norm;
  for (const bool by_position : {false, true}) {
    Binding binding(call, row);
    if (!binding.Run(by_position)) continue;
    BoundCall bound = binding.Finish();
    const bool typed = std::all_of(bound.operands.begin(), bound.operands.end(), [&](int value) {
      return value == kAbsent || values[value].type.has_value();
    });
    if (!typed) continue;
    BoundCall as_function = bound;
    if (ReadOffParameters(row, values, &bound)) return bound;
    // A norm with a weight but no bias comes from a function, not from a module: the function's own
    // rule decides.
    if (row.family == OperatorFamily::kNorm && !norm) norm = std::move(as_function);
  }
  return norm;
}

}  // namespace kernelmill

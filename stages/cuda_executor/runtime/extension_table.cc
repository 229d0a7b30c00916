// Compiled once for all extensions: the conversions between IValues and the types of bound
// functions.
#include <kernelmill/bound_object.h>
#include <kernelmill/extension_table.h>

namespace kernelmill {
namespace {

[[noreturn]] void Refuse(const char* wanted, const c10::IValue& value) {
  TORCH_CHECK_TYPE(false, "expected ", wanted, ", got ", value.tagKind());
}

std::int64_t Integer(const c10::IValue& value) {
  if (value.isInt()) return value.toInt();
  if (value.isBool()) return value.toBool();
  if (value.isTensor() && value.toTensor().numel() == 1 &&
      c10::isIntegralType(value.toTensor().scalar_type(), true)) {
    return value.toTensor().item<std::int64_t>();
  }
  Refuse("an int", value);
}
double Number(const c10::IValue& value) {
  if (value.isDouble()) return value.toDouble();
  if (value.isTensor() && value.toTensor().numel() == 1) return value.toTensor().item<double>();
  if (value.isInt() || value.isBool()) return static_cast<double>(Integer(value));
  Refuse("a float", value);
}
template <typename T>
T Narrowed(const c10::IValue& value) {
  const std::int64_t number = Integer(value);
  const T result = static_cast<T>(number);
  TORCH_CHECK_TYPE(static_cast<std::int64_t>(result) == number && (result < 0) == (number < 0),
                   "the integer ", number, " does not fit its parameter");
  return result;
}
template <typename T, typename Convert>
std::vector<T> Elements(const c10::IValue& value, Convert convert) {
  std::vector<T> result;
  if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) result.push_back(convert(element));
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      result.push_back(convert(element));
    }
  } else {
    Refuse("a list", value);
  }
  return result;
}

}  // namespace

#define KM_FROM(...) \
  template <>        \
  __VA_ARGS__ FromValue<__VA_ARGS__>::Get(const c10::IValue& value)
KM_FROM(at::Tensor) {
  if (!value.isTensor()) Refuse("a tensor", value);
  return value.toTensor();
}
KM_FROM(bool) {
  if (value.isBool()) return value.toBool();
  Refuse("a bool", value);
}
KM_FROM(int) { return Narrowed<int>(value); }
KM_FROM(unsigned) { return Narrowed<unsigned>(value); }
KM_FROM(short) { return Narrowed<short>(value); }
KM_FROM(long) { return Integer(value); }
KM_FROM(unsigned long) { return Narrowed<unsigned long>(value); }
KM_FROM(long long) { return Integer(value); }
KM_FROM(unsigned long long) { return Narrowed<unsigned long long>(value); }
KM_FROM(float) { return static_cast<float>(Number(value)); }
KM_FROM(double) { return Number(value); }
KM_FROM(std::string) {
  if (!value.isString()) Refuse("a str", value);
  return value.toStringRef();
}
KM_FROM(c10::ScalarType) { return static_cast<c10::ScalarType>(Integer(value)); }
KM_FROM(c10::Scalar) {
  if (!value.isScalar()) Refuse("a number", value);
  return value.toScalar();
}
KM_FROM(c10::Device) {
  if (!value.isDevice()) Refuse("a device", value);
  return value.toDevice();
}
KM_FROM(std::vector<at::Tensor>) { return Elements<at::Tensor>(value, FromValue<at::Tensor>::Get); }
KM_FROM(std::vector<long>) { return Elements<long>(value, Integer); }
KM_FROM(std::vector<int>) { return Elements<int>(value, Narrowed<int>); }
KM_FROM(std::vector<double>) { return Elements<double>(value, Number); }
KM_FROM(std::vector<float>) {
  return Elements<float>(value, [](const c10::IValue& element) { return float(Number(element)); });
}
KM_FROM(std::vector<bool>) { return Elements<bool>(value, FromValue<bool>::Get); }
KM_FROM(std::vector<std::string>) {
  return Elements<std::string>(value, FromValue<std::string>::Get);
}

std::vector<c10::IValue> ElementsOf(const c10::IValue& value, std::size_t size) {
  std::vector<c10::IValue> elements =
      Elements<c10::IValue>(value, [](const c10::IValue& element) { return element; });
  TORCH_CHECK_TYPE(elements.size() == size, "expected ", size, " elements, got ", elements.size());
  return elements;
}

c10::IValue ToValue(at::Tensor value) { return c10::IValue(std::move(value)); }
c10::IValue ToValue(bool value) { return c10::IValue(value); }
c10::IValue ToValue(std::int64_t value) { return c10::IValue(value); }
c10::IValue ToValue(double value) { return c10::IValue(value); }
c10::IValue ToValue(std::string value) { return c10::IValue(std::move(value)); }
c10::IValue ToValue(std::vector<at::Tensor> value) { return c10::IValue(std::move(value)); }
c10::IValue ToValue(std::vector<std::int64_t> value) { return c10::IValue(std::move(value)); }
c10::IValue ToValue(std::vector<double> value) { return c10::IValue(std::move(value)); }
c10::IValue ToValue(std::vector<std::string> value) { return c10::IValue(std::move(value)); }
c10::IValue TupleOf(std::vector<c10::IValue> values) {
  return c10::ivalue::Tuple::create(std::move(values));
}

c10::IValue ValueOfObject(const void* type, std::shared_ptr<void> object) {
  return c10::IValue::make_capsule(c10::make_intrusive<BoundObject>(type, std::move(object)));
}
std::shared_ptr<void> ObjectIn(const c10::IValue& value, const void* type) {
  if (!value.isCapsule()) Refuse("an object of a bound class", value);
  const auto held = value.toCapsule();
  const auto* const object = static_cast<const BoundObject*>(held.get());
  TORCH_CHECK_TYPE(object->type == type, "expected an object of another bound class");
  return object->object;
}

void ExtensionTable::AddClass(const char* name, const void* type) {
  classes_.push_back({name, type});
}
BoundFunction& ExtensionTable::Insert(const char* name, std::size_t parameter_count,
                                      const void* function,
                                      c10::IValue (*call)(const void*, const c10::IValue*)) {
  BoundFunction& bound = functions_.emplace_back();
  bound.name = name;
  bound.parameter_count = parameter_count;
  bound.function = function;
  bound.call = call;
  return bound;
}

}  // namespace kernelmill

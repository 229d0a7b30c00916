// The table of the functions that an extension exports to Python: PYBIND11_MODULE of
// torch_extension.h fills it when a library is compiled for the executor, and the loader
// (runtime/python_extension.h) reads it. Each function has a caller that takes IValues, so that the
// conversions, which a binding library would instantiate for each candidate, are compiled once in
// the runtime.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/types.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernelmill {

// Converts an IValue to a parameter type. Throws c10::TypeError for an IValue of another kind.
template <typename T>
struct FromValue {
  static T Get(const c10::IValue& value);
};
#define KM_PARAMETER_TYPES(X) \
  X(at::Tensor)               \
  X(bool)                     \
  X(int)                      \
  X(unsigned)                 \
  X(long)                     \
  X(unsigned long)            \
  X(long long)                \
  X(unsigned long long)       \
  X(short)                    \
  X(float)                    \
  X(double)                   \
  X(std::string)              \
  X(c10::ScalarType)          \
  X(c10::Scalar)              \
  X(c10::Device)              \
  X(std::vector<at::Tensor>)  \
  X(std::vector<long>)        \
  X(std::vector<int>)         \
  X(std::vector<double>)      \
  X(std::vector<float>)       \
  X(std::vector<bool>)        \
  X(std::vector<std::string>)
#define KM_DECLARE(...) \
  template <>           \
  __VA_ARGS__ FromValue<__VA_ARGS__>::Get(const c10::IValue& value);
KM_PARAMETER_TYPES(KM_DECLARE)
#undef KM_DECLARE
template <typename T>
struct FromValue<std::optional<T>> {
  static std::optional<T> Get(const c10::IValue& value) {
    if (value.isNone()) return std::nullopt;
    return FromValue<T>::Get(value);
  }
};
template <typename T>
struct FromValue<T*> {
  static T* Get(const c10::IValue& value) {
    TORCH_CHECK_TYPE(value.isNone(), "expected a pointer, got ", value.tagKind());
    return nullptr;
  }
};
// The elements of a list or tuple, which must have `size` of them.
std::vector<c10::IValue> ElementsOf(const c10::IValue& value, std::size_t size);
template <typename... T>
struct FromValue<std::tuple<T...>> {
  static std::tuple<T...> Get(const c10::IValue& value) {
    return Take(ElementsOf(value, sizeof...(T)), std::index_sequence_for<T...>());
  }
  template <std::size_t... kIndex>
  static std::tuple<T...> Take(const std::vector<c10::IValue>& elements,
                               std::index_sequence<kIndex...>) {
    return {FromValue<T>::Get(elements[kIndex])...};
  }
};
template <typename A, typename B>
struct FromValue<std::pair<A, B>> {
  static std::pair<A, B> Get(const c10::IValue& value) {
    const std::vector<c10::IValue> elements = ElementsOf(value, 2);
    return {FromValue<A>::Get(elements[0]), FromValue<B>::Get(elements[1])};
  }
};
template <typename T, std::size_t kSize>
struct FromValue<std::array<T, kSize>> {
  static std::array<T, kSize> Get(const c10::IValue& value) {
    const std::vector<c10::IValue> elements = ElementsOf(value, kSize);
    std::array<T, kSize> result;
    for (std::size_t i = 0; i < kSize; ++i) result[i] = FromValue<T>::Get(elements[i]);
    return result;
  }
};
// Holds one argument during a call, so that views of it stay valid.
template <typename T>
struct Parameter {
  explicit Parameter(const c10::IValue& value) : held(FromValue<T>::Get(value)) {}
  T& Get() { return held; }
  T held;
};
template <>
struct Parameter<c10::IntArrayRef> {
  explicit Parameter(const c10::IValue& value) : held(FromValue<std::vector<long>>::Get(value)) {}
  c10::IntArrayRef Get() const { return held; }
  std::vector<long> held;
};
template <>
struct Parameter<at::TensorList> {
  explicit Parameter(const c10::IValue& value)
      : held(FromValue<std::vector<at::Tensor>>::Get(value)) {}
  at::TensorList Get() const { return held; }
  std::vector<at::Tensor> held;
};
template <>
struct Parameter<std::string_view> {
  explicit Parameter(const c10::IValue& value) : held(FromValue<std::string>::Get(value)) {}
  std::string_view Get() const { return held; }
  std::string held;
};
template <>
struct Parameter<const char*> {
  explicit Parameter(const c10::IValue& value) : held(FromValue<std::string>::Get(value)) {}
  const char* Get() const { return held.c_str(); }
  std::string held;
};

// Convert a function's result for Python.
c10::IValue ToValue(at::Tensor value);
c10::IValue ToValue(bool value);
c10::IValue ToValue(std::int64_t value);
c10::IValue ToValue(double value);
c10::IValue ToValue(std::string value);
c10::IValue ToValue(std::vector<at::Tensor> value);
c10::IValue ToValue(std::vector<std::int64_t> value);
c10::IValue ToValue(std::vector<double> value);
c10::IValue ToValue(std::vector<std::string> value);
c10::IValue TupleOf(std::vector<c10::IValue> values);
inline c10::IValue ToValue(c10::IValue value) { return value; }
// An object of a bound class (bound_object.h).
template <typename T>
c10::IValue ToValue(std::shared_ptr<T> object);
template <typename T>
c10::IValue ToResult(T&& value) {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_same_v<Plain, bool>) {
    return ToValue(value);
  } else if constexpr (std::is_integral_v<Plain>) {
    return ToValue(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<Plain>) {
    return ToValue(static_cast<double>(value));
  } else if constexpr (requires { typename std::tuple_size<Plain>::type; }) {
    return std::apply(
        [](auto&&... parts) {
          std::vector<c10::IValue> values;
          (values.push_back(ToResult(std::forward<decltype(parts)>(parts))), ...);
          return TupleOf(std::move(values));
        },
        std::forward<T>(value));
  } else if constexpr (std::is_convertible_v<Plain, const char*>) {
    return ToValue(std::string(value));
  } else {
    return ToValue(std::forward<T>(value));
  }
}

struct BoundParameter {
  std::string name;
  std::optional<c10::IValue> value;  // The default value.
};
// What a function is of the class that owns it, if there is one. A constructor has no object yet.
enum class BoundRole : unsigned char {
  kFunction,
  kConstructor,
  kMethod,
  kStatic,
  kGetter,
  kSetter
};
struct BoundClass {
  std::string name;
  const void* type;  // TypeKey<T>() of bound_object.h.
};
struct BoundFunction {
  std::string name;
  std::string owner;
  BoundRole role = BoundRole::kFunction;
  std::size_t parameter_count = 0;
  std::vector<BoundParameter> parameters;  // Empty if they have no names.
  // Calls `function`. `arguments` has `parameter_count` elements.
  c10::IValue (*call)(const void* function, const c10::IValue* arguments) = nullptr;
  const void* function = nullptr;  // Lives as long as the library.
};

// Everything that this instantiates is compiled for each candidate, so it uses as little as
// possible: even the first std::decay makes the compiler load all its specialisations from the
// precompiled header.
template <typename Result, typename... Parameters>
struct BoxedCaller {
  static constexpr std::size_t kCount = sizeof...(Parameters);
  template <typename Function, std::size_t... i>
  static c10::IValue Call(const Function& function, const c10::IValue* arguments,
                          std::index_sequence<i...>) {
    if constexpr (__is_void(Result)) {
      function(
          static_cast<Parameters>(Parameter<__remove_cvref(Parameters)>(arguments[i]).Get())...);
      return c10::IValue();
    } else if constexpr (__is_same(Result, at::Tensor)) {
      return ToValue(function(
          static_cast<Parameters>(Parameter<__remove_cvref(Parameters)>(arguments[i]).Get())...));
    } else {
      return ToResult(function(
          static_cast<Parameters>(Parameter<__remove_cvref(Parameters)>(arguments[i]).Get())...));
    }
  }
};
template <typename Function>
struct CallerOf : CallerOf<decltype(&Function::operator())> {};  // For lambdas.
template <typename Result, typename... Parameters>
struct CallerOf<Result (*)(Parameters...)> : BoxedCaller<Result, Parameters...> {};
template <typename Class, typename Result, typename... Parameters>
struct CallerOf<Result (Class::*)(Parameters...) const> : BoxedCaller<Result, Parameters...> {};

class ExtensionTable {
 public:
  template <typename Function>
  BoundFunction& Add(const char* name, Function function) {
    using Caller = CallerOf<Function>;
    return Insert(name, Caller::kCount, new Function(static_cast<Function&&>(function)),
                  [](const void* context, const c10::IValue* arguments) {
                    return Caller::Call(*static_cast<const Function*>(context), arguments,
                                        std::make_index_sequence<Caller::kCount>());
                  });
  }
  void AddClass(const char* name, const void* type);
  const std::vector<BoundFunction>& functions() const { return functions_; }
  const std::vector<BoundClass>& classes() const { return classes_; }
  std::string documentation;

 private:
  BoundFunction& Insert(const char* name, std::size_t parameter_count, const void* function,
                        c10::IValue (*call)(const void*, const c10::IValue*));
  std::vector<BoundFunction> functions_;
  std::vector<BoundClass> classes_;
};

}  // namespace kernelmill

// The function that the library exports, which fills the table.
#define KM_BIND_EXTENSION                                                          \
  extern "C" __attribute__((visibility("default"), optnone)) void kernelmill_bind( \
      [[maybe_unused]] ::kernelmill::ExtensionTable& km_table)

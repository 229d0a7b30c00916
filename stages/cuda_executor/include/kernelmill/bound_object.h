// Objects of classes that an extension binds (bound_class.h). Where functions are called with
// IValues, such an object is a capsule of a BoundObject. The loader gives it to Python as an object
// of a class of the bound name (runtime/python/python_classes.h).
#pragma once

#include <kernelmill/extension_table.h>

#include <memory>
#include <string_view>
#include <type_traits>

namespace kernelmill {

struct BoundObject : torch::CustomClassHolder {
  BoundObject(const void* of_type, std::shared_ptr<void> held)
      : type(of_type), object(std::move(held)) {}
  const void* type;  // TypeKey<T>().
  std::shared_ptr<void> object;
};
// An address for each type.
template <typename T>
inline const void* TypeKey() {
  static const char key = 0;
  return &key;
}
c10::IValue ValueOfObject(const void* type, std::shared_ptr<void> object);
// The object of a value. Throws c10::TypeError if it is none of this type.
std::shared_ptr<void> ObjectIn(const c10::IValue& value, const void* type);

// Whether a library declares the type, which FromValue converts or nothing does.
template <typename T>
constexpr bool IsOfLibrary() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::string_view name = text.substr(text.find("T = ") + 4);
  for (const std::string_view scope : {"std::", "c10::", "at::", "torch::", "pybind11::"}) {
    if (name.starts_with(scope)) return true;
  }
  return false;
}
template <typename T>
concept BoundParameterType = std::is_class_v<T> && !IsOfLibrary<T>();
template <BoundParameterType T>
struct Parameter<T> {
  explicit Parameter(const c10::IValue& value) : held(ObjectIn(value, TypeKey<T>())) {}
  T& Get() { return *static_cast<T*>(held.get()); }
  std::shared_ptr<void> held;
};
template <typename T>
struct Parameter<std::shared_ptr<T>> {
  explicit Parameter(const c10::IValue& value)
      : held(std::static_pointer_cast<T>(ObjectIn(value, TypeKey<T>()))) {}
  std::shared_ptr<T> Get() const { return held; }
  std::shared_ptr<T> held;
};
template <typename T>
c10::IValue ToValue(std::shared_ptr<T> object) {
  return ValueOfObject(TypeKey<T>(), std::move(object));
}

}  // namespace kernelmill

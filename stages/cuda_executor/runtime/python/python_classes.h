// Classes that an extension binds (include/kernelmill/bound_class.h), as classes of Python. The
// caller must hold the GIL.
#pragma once

#include <torch/csrc/python_headers.h>

#include <utility>

#include <kernelmill/bound_object.h>

namespace kernelmill {

// Owns a reference.
class PyHandle {
 public:
  explicit PyHandle(PyObject* object) : object_(object) {}
  PyHandle(PyHandle&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  PyHandle(const PyHandle&) = delete;
  PyHandle& operator=(PyHandle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyHandle() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* const object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  PyObject* object_;
};

// Makes the class, whose functions `callable_of` makes callable; null with a Python exception set.
// Its objects have no attributes but those that it binds.
PyHandle MakeClass(const BoundClass& bound, const ExtensionTable& table,
                   PyHandle (*callable_of)(const BoundFunction&));

bool IsBoundInstance(PyObject* object);
// The value that an object holds. Throws c10::TypeError for one whose constructor has not run.
c10::IValue ValueOfInstance(PyObject* object);
void FillInstance(PyObject* object, c10::IValue value);
// A new object that holds the value.
PyObject* InstanceOf(const c10::IValue& value);

}  // namespace kernelmill

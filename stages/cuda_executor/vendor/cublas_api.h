// The same API by another of its names.
#pragma once

#include <cublas_v2.h>

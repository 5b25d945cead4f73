// Opening the compiler's library (jit/).
#ifndef CABERNET_VM_ADAPTIVE_COMPILER_LIBRARY_H
#define CABERNET_VM_ADAPTIVE_COMPILER_LIBRARY_H

#include "vm/api/compiler.h"

// The compiler, ready for use. NULL: *error (static) says why not; if *error is NULL, this is a build without a
// compiler, and no option requested one. Takes tens of milliseconds; one caller at a time.
const CompilerInterface *compilerlibrary_open(const char **error);

#endif

// Opening the compiler's library (jit/).
#ifndef CABERNET_VM_COMPILERLIBRARY_H
#define CABERNET_VM_COMPILERLIBRARY_H

#include "vm/api/compiler.h"

// The compiler, ready to be used, or NULL with *error (static): why not; *error NULL: this is a build
// without a compiler and nobody has asked for one. Takes tens of milliseconds; one caller at a time.
const CompilerInterface *compilerlibrary_open(const char **error);

#endif

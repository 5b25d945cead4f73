// Advice files as the VM reads them (docs/FORMATS.md, "Advice"): layouts of classes (vm/objects/fieldorder.h), and
// calls for the compiler's plans (vm/api/advice.h). Plans belong to the compiler (jit/replay/replay_file.h) and are
// ignored here.
#ifndef CABERNET_VM_ADAPTIVE_ADVICE_H
#define CABERNET_VM_ADAPTIVE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/base/options.h"

// Reads the files of -Xadvice: and -Xreplay: and the argument of -Xlayout:. Called at the start, on the main thread,
// before any class is loaded. False: *error (size bytes) names file and line. Malloc and stdio only.
bool advice_start(const Options *options, char *error, size_t size);

#endif

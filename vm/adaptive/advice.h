// Advice files as the VM reads them (docs/FORMATS.md, "Advice"): layouts of classes, for vm/objects/fieldorder.h, and calls, for the
// compiler's plans (vm/api/advice.h). Plans are the compiler's own (jit/plan/replay_file.h), and passed over here.
#ifndef CABERNET_VM_ADVICE_H
#define CABERNET_VM_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/base/options.h"

// Reads what -Xadvice:, -Xreplay: and -Xlayout: name; at the start, on the main thread, before any class. False: *error (size
// bytes) names file and line. Malloc and stdio only.
bool advice_start(const Options *options, char *error, size_t size);

#endif

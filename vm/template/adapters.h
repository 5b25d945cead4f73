// Adapters between template code and compiled code, which is what the optimising tier makes: how a method of one tier
// calls a method of the other. Template code passes arguments on the Java stack, compiled code as vm/api/compiler.h
// says. So an adapter is made for each shape, that is the kinds of the arguments and of the result, and lives for ever.
//
// An adapter makes the frames that vm/interp and vm/code make for the same calls: a FRAME_COMPILED for a call into
// compiled code, a FRAME_ENTRY for a call out of it. In rare cases it leaves the call to them before it has done
// anything.
#ifndef CABERNET_VM_TEMPLATE_ADAPTERS_H
#define CABERNET_VM_TEMPLATE_ADAPTERS_H

#include "vm/template/stubs.h"

// The adapter for calls of a method. `to_code`: the address that template code jumps to if the method has compiled code
// (Method.template_entry); otherwise the function that compiled code calls if the method has template code or is native
// or an intrinsic (Method.entry). `mode`: for which it is made. NULL: memory is out. Under the tier's lock; it neither
// blocks for long nor throws.
const uint8_t *adapters_of(const TemplateStubs *stubs, Method *m, bool to_code, TemplateMode mode);

#endif

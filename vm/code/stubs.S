// The list of stubs between compiled code, the interpreter and the VM (vm/code/entry.h, vm/code/runtime_calls.h). The
// processor's part defines their code (arch_stubs.h).
#include "vm/code/entry_layout.h"

#include "arch_stubs.h"

        .text

        STUB_ENTRY compiled_call
        STUB_ENTRY_FLOAT compiled_call_float
        STUB_INTERPRET compiled_to_interpreter, entry_interpret
        STUB_EXIT compiled_exit, deopt_exit

        STUB_RETURN compiled_marked_return, deopt_marked_return

        .macro  STUB_LEAF name, target  // compiled code calls it directly
        .endm

#define RUNTIME(name, signature, kind, text) STUB_##kind compiled_rt_##name, rt_##name ;
#include "vm/api/runtime_calls.def"

        .section .note.GNU-stack, "", @progbits

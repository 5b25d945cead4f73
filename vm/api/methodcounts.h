// What template code counts of a method under -Xadaptive, for the plan of its optimised code: how often each block of
// bytecode has begun, and the classes of the receivers of each invocation that may select by them.
//
// Counts are words that threads add to without synchronisation, so they may lose each other's; a reader takes them as they are
// (__atomic_load_n, relaxed). Which blocks and invocations there are follows from the bytecode alone.
#ifndef CABERNET_VM_API_METHODCOUNTS_H
#define CABERNET_VM_API_METHODCOUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/classfile/opcodes.h"
#include "vm/model/class.h"

// The first classes that came have rows. How many receivers came in all says the block.
enum { COUNTED_CLASSES = 6 };
typedef struct ReceiverCounts {
    struct {
        const VTable *vtable;  // NULL: free
        uint64_t count;
    } rows[COUNTED_CLASSES];
} ReceiverCounts;

typedef struct MethodCounts {
    struct MethodCounts *next;   // vm/adaptive/methodcounts.c's
    Method *method;
    uint64_t freed_behind;       // likewise
    uint32_t block_count;        // as many as the method's Dataflow has, in its order
    uint32_t receivers_count;    // one for each invokevirtual and invokeinterface, by bytecode index
    ReceiverCounts *receivers;
    struct MethodCounts *recent; // what samples of its optimised code have counted since the plan (vm/adaptive/codesampling.h), or NULL
    _Atomic uint32_t samples;    // number of these samples
    _Atomic uint8_t *left;       // a bit for each bytecode index: optimised code was left there because something came that never had
    uint64_t blocks[];
} MethodCounts;

static inline bool method_counts_selects(uint8_t opcode) { return opcode == OPC_invokevirtual || opcode == OPC_invokeinterface; }

// How many invocations that may select there are in front of `end`: which of MethodCounts.receivers is that of one there.
static inline uint32_t method_counts_selecting(const Method *m, uint32_t end) {
    const ClassFileCode *code = m->info->code;
    uint32_t count = 0, length;
    for (uint32_t bci = 0; bci < end; bci += length) {
        length = opcodes_length(code->code, code->code_len, bci);
        if (length == 0) break;  // cannot be: the code was checked
        count += method_counts_selects(code->code[bci]);
    }
    return count;
}

static inline bool method_counts_was_left(const MethodCounts *counts, uint32_t bci) {
    return atomic_load_explicit(&counts->left[bci / 8], memory_order_relaxed) >> bci % 8 & 1;
}

// A receiver of that class has come. Any thread, no lock.
static inline void method_counts_receiver(ReceiverCounts *counts, const VTable *vtable) {
    for (int i = 0; i < COUNTED_CLASSES; i++) {
        const VTable *its = __atomic_load_n(&counts->rows[i].vtable, __ATOMIC_RELAXED);
        if (its && its != vtable) continue;
        if (!its) __atomic_store_n(&counts->rows[i].vtable, vtable, __ATOMIC_RELAXED);
        uint64_t count = __atomic_load_n(&counts->rows[i].count, __ATOMIC_RELAXED);
        __atomic_store_n(&counts->rows[i].count, count + 1, __ATOMIC_RELAXED);
        return;
    }
}

#endif

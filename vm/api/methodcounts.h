// Counts of a method by template code under -Xadaptive, used by the plan of its optimised code: executions of each
// block of bytecode, and the receiver classes of each invocation that may select by them.
//
// Counts are words that threads increment without synchronisation, so increments may be lost; readers accept that
// (__atomic_load_n, relaxed). The bytecode alone determines which blocks and invocations there are.
#ifndef CABERNET_VM_API_METHODCOUNTS_H
#define CABERNET_VM_API_METHODCOUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/classfile/opcodes.h"
#include "vm/model/class.h"

// The first classes met have rows. The block's count is the total number of receivers.
enum { COUNTED_CLASSES = 6 };
typedef struct ReceiverCounts {
    struct {
        const VTable *vtable;  // NULL: free
        uint64_t count;
    } rows[COUNTED_CLASSES];
} ReceiverCounts;

typedef struct MethodCounts {
    struct MethodCounts *next;  // used by vm/adaptive/methodcounts.c
    Method *method;
    uint64_t freed_after;      // used by the same file
    uint32_t block_count;      // blocks of the method's Dataflow, in its order
    uint32_t receivers_count;  // one for each invokevirtual and invokeinterface, by bytecode index
    ReceiverCounts *receivers;
    // Counted by samples of optimised code since the plan (vm/adaptive/codesampling.h), or NULL.
    struct MethodCounts *recent;
    _Atomic uint32_t samples;  // number of these samples
    _Atomic uint8_t *left;     // a bit for each bytecode index: optimised code deoptimised there for a new case
    uint64_t blocks[];
} MethodCounts;

static inline bool method_counts_selects(uint8_t opcode) {
    return opcode == OPC_invokevirtual || opcode == OPC_invokeinterface;
}

// The number of invocations that may select before `end`: the index in MethodCounts.receivers of an invocation at
// `end`.
static inline uint32_t method_counts_selecting(const Method *m, uint32_t end) {
    const ClassFileCode *code = m->info->code;
    uint32_t count = 0, length;
    for (uint32_t bci = 0; bci < end; bci += length) {
        length = opcodes_length(code->code, code->code_len, bci);
        if (length == 0) break;  // impossible: the code was checked
        count += method_counts_selects(code->code[bci]);
    }
    return count;
}

static inline bool method_counts_was_left(const MethodCounts *counts, uint32_t bci) {
    return atomic_load_explicit(&counts->left[bci / 8], memory_order_relaxed) >> bci % 8 & 1;
}

// Adds `times` receivers of a class. Any thread, no lock.
static inline void method_counts_add_receivers(ReceiverCounts *counts, const VTable *vtable, uint64_t times) {
    for (int i = 0; i < COUNTED_CLASSES; i++) {
        const VTable *its = __atomic_load_n(&counts->rows[i].vtable, __ATOMIC_RELAXED);
        if (its && its != vtable) continue;
        if (!its) __atomic_store_n(&counts->rows[i].vtable, vtable, __ATOMIC_RELAXED);
        uint64_t count = __atomic_load_n(&counts->rows[i].count, __ATOMIC_RELAXED);
        __atomic_store_n(&counts->rows[i].count, count + times, __ATOMIC_RELAXED);
        return;
    }
}

static inline void method_counts_receiver(ReceiverCounts *counts, const VTable *vtable) {
    method_counts_add_receivers(counts, vtable, 1);
}

#endif

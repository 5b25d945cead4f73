// Calls that leave a mark on the stack. A collection skips C frames between two marks.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_MARK_H
#define CABERNET_VM_ARCH_X86_64_ARCH_MARK_H

#include <stdint.h>

// The lowest word of the frame of such a call. The callers' registers are above it.
typedef struct ArchMark {
    struct ArchMark *outer;
    uint64_t leaving;  // 0: made by arch_call_entering, 1: by arch_call_leaving
} ArchMark;

typedef void ArchMarkedFn(void);

// Calls fn(a, b, c, d) with the callee-saved registers cleared. Meanwhile *innermost is the mark's address, afterwards
// it has its previous value. The result is the function's value in rax.
uint64_t arch_call_entering(ArchMark **innermost, ArchMarkedFn *fn, void *a, void *b, void *c, void *d);
uint64_t arch_call_leaving(ArchMark **innermost, ArchMarkedFn *fn, void *a, void *b, void *c, void *d);

#endif

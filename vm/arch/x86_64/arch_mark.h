// Calls that leave a mark on the stack, by which a collection knows which frames of C between two marks it need not look at.
#ifndef CABERNET_VM_ARCH_MARK_H
#define CABERNET_VM_ARCH_MARK_H

#include <stdint.h>

// The lowest word of the frame of such a call. Above it lie the registers of its callers.
typedef struct ArchMark {
    struct ArchMark *outer;
    uint64_t leaving;  // 0: arch_call_entering has made it, 1: arch_call_leaving
} ArchMark;

typedef void ArchMarkedFn(void);

// fn(a, b, c, d), called with the registers cleared that belong to its callers. Meanwhile *innermost is the mark's
// address, afterwards what it was before. The result is what the function leaves in rax.
uint64_t arch_call_entering(ArchMark **innermost, ArchMarkedFn *fn, void *a, void *b, void *c, void *d);
uint64_t arch_call_leaving(ArchMark **innermost, ArchMarkedFn *fn, void *a, void *b, void *c, void *d);

#endif

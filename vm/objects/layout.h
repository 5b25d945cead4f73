// Field layout as a pure function: where the fields of a class go, given where its superclass left
// room, and which of them are wanted first and in which order (vm/objects/fieldorder.h). Of the others references
// are kept together (short mark bitmaps), wide fields are before narrow ones, narrow ones fill the holes. Unsafe, reflection, JNI, serialization and replay all depend on the result,
// so there is no other place that chooses an offset.
#ifndef CABERNET_VM_LAYOUT_H
#define CABERNET_VM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_MAX_GAPS = 8, LAYOUT_MAX_SIZE = 1 << 24 };

// What a class leaves for its subclasses: the first byte after its last field, and holes before it.
// Also everything the collector needs to know.
typedef struct LayoutEnd {
    uint32_t end;                  // 12 for a class without fields
    uint32_t gap_count;
    struct { uint32_t offset, size; } gaps[LAYOUT_MAX_GAPS];
    uint64_t ref_words;            // bit w: word w is a reference the collector follows (w < 64)
    bool far_refs;                 // some reference lies beyond what the bitmap can say
    bool any_refs;
} LayoutEnd;

typedef struct LayoutField {
    char type;        // type character; L and [ are references
    bool weak;        // a reference that the mark bitmap leaves out (Reference.referent)
    uint32_t offset;  // result
} LayoutField;

// The layout of an object without fields (java.lang.Object).
LayoutEnd layout_root(void);
// What to do when the object would be larger with the fields that are wanted first than without such a wish.
typedef enum LayoutRule {
    LAYOUT_NO_LARGER,  // the wide ones of them first; if that is no better, as without
    LAYOUT_STRICT,     // nothing
} LayoutRule;

// Places `fields` behind `super`, the first `wanted` of them in their order and in front of the others; fills the offsets
// and returns what is left for subclasses.
LayoutEnd layout_place(const LayoutEnd *super, LayoutField *fields, size_t count, size_t wanted, LayoutRule rule);
// Instance size in bytes (a multiple of 8, at least 16).
uint32_t layout_size(const LayoutEnd *end);
// Mark descriptor for the vtable (gc/heap.h).
uintptr_t layout_descriptor(const LayoutEnd *end);
// log2 of the bytes a value of this type takes in a field or array.
unsigned layout_shift(char type);

#endif

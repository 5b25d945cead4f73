// Field layout as a pure function: the offsets of a class's fields, given the room that its superclass leaves and an
// order of preferred fields (vm/objects/fieldorder.h). The other fields are placed with references together (short mark
// bitmaps), wide fields before narrow ones, and narrow ones in holes. Unsafe, reflection, JNI, serialization and replay
// all depend on the result, so no other code chooses an offset.
#ifndef CABERNET_VM_OBJECTS_LAYOUT_H
#define CABERNET_VM_OBJECTS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_MAX_GAPS = 8, LAYOUT_MAX_SIZE = 1 << 24 };

// The room that a class leaves for its subclasses: the first byte after its last field, and holes before it. Also
// everything the collector needs to know.
typedef struct LayoutEnd {
    uint32_t end;  // 12 for a class without fields
    uint32_t gap_count;
    struct {
        uint32_t offset, size;
    } gaps[LAYOUT_MAX_GAPS];
    uint64_t ref_words;  // bit w: word w is a reference the collector follows (w < 64)
    bool far_refs;       // a reference lies beyond the range of the bitmap
    bool any_refs;
} LayoutEnd;

typedef struct LayoutField {
    char type;        // type character; L and [ are references
    bool weak;        // a reference that the mark bitmap omits (Reference.referent)
    uint32_t offset;  // result
} LayoutField;

// The layout of an object without fields (java.lang.Object).
LayoutEnd layout_root(void);
// The rule for an object that would be larger with the preferred fields first than without that preference.
typedef enum LayoutRule {
    LAYOUT_NO_LARGER,  // place wide preferred fields first; if that is still larger, ignore the preference
    LAYOUT_STRICT,     // accept it
} LayoutRule;

// Places `fields` after those of `super`, the first `wanted` in their order and before the others; sets the offsets and
// returns the room left for subclasses.
LayoutEnd layout_place(const LayoutEnd *super, LayoutField *fields, size_t count, size_t wanted, LayoutRule rule);
// Instance size in bytes (a multiple of 8, at least 16).
uint32_t layout_size(const LayoutEnd *end);
// Mark descriptor for the vtable (gc/heap.h).
uintptr_t layout_descriptor(const LayoutEnd *end);
// log2 of the bytes that a value of this type takes in a field or array.
unsigned layout_shift(char type);

#endif

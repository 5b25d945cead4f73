// Field layout: see vm/objects/layout.h.
//
// Greedy: every field, widest first and references before other wide ones, goes into the first hole that fits, else
// after the end. Holes come from alignment: at most a few of at most 7 bytes, so a short list suffices. A hole that
// does not fit into the list is lost, which costs bytes but not correctness. Preferred fields are placed in the same
// manner, in their order.
#include "vm/objects/layout.h"

#include <string.h>

#include "base/invariant.h"
#include "gc/heap.h"

enum { HEADER_BYTES = 12, WORD = 8, MIN_OBJECT = 16 };

LayoutEnd layout_root(void) {
    LayoutEnd e;
    memset(&e, 0, sizeof e);
    e.end = HEADER_BYTES;
    return e;
}

unsigned layout_shift(char type) {
    switch (type) {
        case 'Z':
        case 'B': return 0;
        case 'C':
        case 'S': return 1;
        case 'I':
        case 'F': return 2;
        default: return 3;
    }
}

static void add_gap(LayoutEnd *e, uint32_t offset, uint32_t size) {
    if (size == 0 || e->gap_count == LAYOUT_MAX_GAPS) return;
    e->gaps[e->gap_count].offset = offset;
    e->gaps[e->gap_count].size = size;
    e->gap_count++;
}

static uint32_t align_up(uint32_t v, uint32_t size) { return (v + size - 1) & ~(size - 1); }

static bool take_gap(LayoutEnd *e, uint32_t size, uint32_t *offset) {
    for (uint32_t i = 0; i < e->gap_count; i++) {
        uint32_t at = align_up(e->gaps[i].offset, size);
        uint32_t gap_end = e->gaps[i].offset + e->gaps[i].size;
        if (at + size > gap_end) continue;
        uint32_t before = e->gaps[i].offset;
        e->gap_count--;
        memmove(&e->gaps[i], &e->gaps[i + 1], (e->gap_count - i) * sizeof e->gaps[0]);
        add_gap(e, before, at - before);
        add_gap(e, at + size, gap_end - at - size);
        *offset = at;
        return true;
    }
    return false;
}

static bool is_reference(const LayoutField *f) { return f->type == 'L' || f->type == '['; }

static void place(LayoutEnd *e, LayoutField *f) {
    uint32_t size = 1u << layout_shift(f->type);
    if (!take_gap(e, size, &f->offset)) {
        uint32_t hole = e->end;
        f->offset = align_up(hole, size);
        e->end = f->offset + size;
        add_gap(e, hole, f->offset - hole);
    }
    if (is_reference(f) && !f->weak) {
        uint32_t word = f->offset / WORD;
        ASSERT(f->offset % WORD == 0, "reference at offset %u", f->offset);
        e->any_refs = true;
        if (word < HEAP_BITMAP_WORDS) e->ref_words |= UINT64_C(1) << word;
        else e->far_refs = true;
    }
    ASSERT(f->offset >= HEADER_BYTES && f->offset + size <= e->end, "field at %u, end %u", f->offset, e->end);
}

static LayoutEnd place_all(LayoutEnd e, LayoutField *fields, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_reference(&fields[i])) place(&e, &fields[i]);
    for (int shift = 3; shift >= 0; shift--)
        for (size_t i = 0; i < count; i++)
            if (!is_reference(&fields[i]) && layout_shift(fields[i].type) == (unsigned)shift) place(&e, &fields[i]);
    return e;
}

// Places the first `wanted` fields in their order; with `by_width` wide ones before narrow ones.
static LayoutEnd place_wanted(LayoutEnd e, LayoutField *fields, size_t count, size_t wanted, bool by_width) {
    for (int shift = 3; shift >= 0; shift--)
        for (size_t i = 0; i < wanted; i++)
            if (by_width ? layout_shift(fields[i].type) == (unsigned)shift : shift == 3) place(&e, &fields[i]);
    return place_all(e, fields + wanted, count - wanted);
}

// A preferred order that makes the object larger costs more cache than it saves.
LayoutEnd layout_place(const LayoutEnd *super, LayoutField *fields, size_t count, size_t wanted, LayoutRule rule) {
    ASSERT(wanted <= count, "%zu of %zu fields", wanted, count);
    if (rule == LAYOUT_STRICT) return place_wanted(*super, fields, count, wanted, false);
    LayoutEnd plain = place_all(*super, fields, count);
    for (int by_width = 0; wanted && by_width < 2; by_width++) {
        LayoutEnd e = place_wanted(*super, fields, count, wanted, by_width);
        if (layout_size(&e) <= layout_size(&plain)) return e;
    }
    return place_all(*super, fields, count);
}

uint32_t layout_size(const LayoutEnd *end) {
    uint32_t size = align_up(end->end, WORD);
    return size < MIN_OBJECT ? MIN_OBJECT : size;
}

uintptr_t layout_descriptor(const LayoutEnd *end) {
    return end->far_refs ? heap_descriptor_length(layout_size(end)) : heap_descriptor_bitmap(end->ref_words);
}

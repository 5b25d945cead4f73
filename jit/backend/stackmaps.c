// From LLVM's stack maps to ours (jit/backend/stackmaps.h). Pure: reads bytes, makes arrays; any thread.
//
// The section (LLVM's documentation, "Stack maps and patch points"): header {version 3, 3 zero bytes, number of
// functions, of constants, of records}; functions {address, frame size, number of records}, 8 bytes each; constants, 8
// bytes; records {id 8, offset of the return address from the function's start 4, flags 2, number of locations 2},
// locations of 12 bytes {kind 1, 0, size 2, DWARF register 2, 0 2, offset or constant 4}, padding to 8, {0 2, number of
// live-outs 2}, live-outs of 4 bytes, padding to 8.
// A call with a deopt bundle has locations {calling convention, flags, number N of bundle operands}, all constants,
// then N operands of one location each.
// An exit's record has the offset of the EXIT_BYTES that are reserved for its call, and a location for each value.
#include "jit/backend/stackmaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "jit/backend/target.h"

enum { KIND_REGISTER = 1, KIND_DIRECT, KIND_INDIRECT, KIND_CONSTANT, KIND_CONSTANT_INDEX };
enum { HEADER = 16, FUNCTION = 24, LOCATION = 12, BEFORE_OPERANDS = 3 };

typedef struct Reader {
    Unit *unit;
    const uint8_t *at, *end;
    const uint8_t *constants;
    uint32_t constant_count;
    uint64_t frame_size;  // UINT64_MAX: not constant
    uint32_t function;    // offset of the function in the code
    uint64_t id;          // of the record
    StackMaps *out;
} Reader;

static bool broken(Reader *r, const char *why) {
    return unit_bail_out(r->unit, BAILOUT_backend, "stack maps: %s", why);
}

static uint16_t read16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static uint32_t read32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static uint64_t read64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static bool has(const Reader *r, size_t bytes) { return (size_t)(r->end - r->at) >= bytes; }

static bool constant_of(Reader *r, const uint8_t *location, uint64_t *value) {
    uint32_t field = read32(location + 8);
    if (location[0] == KIND_CONSTANT) *value = field;
    else if (location[0] == KIND_CONSTANT_INDEX && field < r->constant_count)
        *value = read64(r->constants + 8 * (size_t)field);
    else return broken(r, "constant expected");
    return true;
}

// The location of a value. A location relative to the stack pointer is made relative to the frame pointer, which does
// not move when arguments are pushed.
static CodeValue value_of(const Reader *r, const uint8_t *location, uint8_t level) {
    CodeValue m = {.location = CODE_LOC_REGISTER, .level = level, .offset = (int32_t)read32(location + 8)};
    uint16_t reg = read16(location + 4);
    if (location[0] == KIND_CONSTANT) {
        m.location = CODE_LOC_CONSTANT;
    } else if (location[0] == KIND_CONSTANT_INDEX) {
        m.location = CODE_LOC_WIDE_CONSTANT;
    } else if (location[0] == KIND_INDIRECT && reg == target_frame_pointer) {
        m.location = CODE_LOC_FP;
    } else if (location[0] == KIND_INDIRECT && reg == target_stack_pointer && r->frame_size != UINT64_MAX) {
        m.location = CODE_LOC_FP;
        m.offset -= target_frame_pointer_distance(r->frame_size);
    } else if (location[0] == KIND_INDIRECT && reg == target_stack_pointer) {
        m.location = CODE_LOC_SP;
    } else {
        m.offset = target_register_number(reg);
    }
    return m;
}

static bool read_stack_map(Reader *r, uint64_t number, uint32_t offset, const uint8_t *operands, uint64_t count) {
    if (number >= r->unit->stack_map_count) return broken(r, "unknown number of the stack map");
    const struct UnitStackMap *map = &r->unit->stack_maps[number];
    ASSERT(map->position < r->unit->position_count, "stack map %llu at position %u of %u", (unsigned long long)number,
           map->position, r->unit->position_count);
    if (count - 1 != map->value_count) return broken(r, "wrong number of operands");
    r->out->stack_maps[r->out->stack_map_count++] = (CodeStackMap){
        offset,
        map->exit ? map->point : map->position,
        r->out->value_count,
        map->value_count,
        map->node,
        map->sampling,
        map->entering,
        map->passes_memory,
        map->exit,
    };
    for (uint32_t i = 0; i < map->value_count; i++)
        r->out->values[r->out->value_count++] = value_of(r, operands + (size_t)(i + 1) * LOCATION, map->levels[i]);
    return true;
}

// All `locations` are values: the thread is passed like any other argument.
static bool read_exit(Reader *r, uint64_t number, uint32_t offset, const uint8_t *locations, uint32_t count) {
    if (number >= r->unit->stack_map_count || !r->unit->stack_maps[number].exit) return broken(r, "unknown exit");
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *l = locations + (size_t)i * LOCATION;
        bool is_general = l[0] == KIND_REGISTER && target_register_number(read16(l + 4)) >= 0;
        bool is_slot = l[0] == KIND_INDIRECT &&
            (read16(l + 4) == target_frame_pointer || read16(l + 4) == target_stack_pointer);
        if (!is_general && !is_slot && l[0] != KIND_CONSTANT && l[0] != KIND_CONSTANT_INDEX)
            return broken(r, "an exit's value in an unknown place");
        if (l[0] == KIND_CONSTANT_INDEX && read32(l + 8) >= r->constant_count) return broken(r, "constant expected");
    }
    return read_stack_map(r, number, offset + EXIT_BYTES, locations - LOCATION, (uint64_t)count + 1);
}

// Skips a record. Returns its first location, or NULL if the record is cut off.
static const uint8_t *next_record(Reader *r, uint32_t *offset, uint16_t *count) {
    if (!has(r, 16)) return NULL;
    r->id = read64(r->at);
    *offset = read32(r->at + 8);
    *count = read16(r->at + 14);
    size_t locations = ((size_t)*count * LOCATION + 16 + 7) & ~(size_t)7;
    if (!has(r, locations + 4)) return NULL;
    size_t live_outs = (4 + (size_t)read16(r->at + locations + 2) * 4 + 7) & ~(size_t)7;
    if (!has(r, locations + live_outs)) return NULL;
    const uint8_t *first = r->at + 16;
    r->at += locations + live_outs;
    return first;
}

static bool read_record(Reader *r) {
    uint32_t offset;
    uint16_t count;
    uint64_t operands = 0, number = 0;
    const uint8_t *location = next_record(r, &offset, &count);
    if (!location) return broken(r, "cut off");
    offset += r->function;
    if (r->id >= EXIT_ID) return read_exit(r, r->id - EXIT_ID, offset, location, count);
    if (count < BEFORE_OPERANDS || !constant_of(r, location + 2 * LOCATION, &operands) ||
        operands > (uint64_t)count - BEFORE_OPERANDS)
        return broken(r, "not a deopt bundle");
    location += BEFORE_OPERANDS * LOCATION;
    if (!operands || !constant_of(r, location, &number)) return broken(r, "no number of the stack map");
    return read_stack_map(r, number, offset, location, operands);
}

// An upper bound is enough: each location may be a value.
static bool make_room(Reader *r, uint32_t records) {
    size_t locations = (size_t)(r->end - r->at) / LOCATION;
    r->out->stack_maps = calloc(records, sizeof *r->out->stack_maps);
    r->out->values = calloc(locations, sizeof *r->out->values);
    r->out->constants = malloc((r->constant_count + 1) * sizeof *r->out->constants);
    if (!r->out->stack_maps || !r->out->values || !r->out->constants) return broken(r, "out of memory");
    r->out->constant_count = r->constant_count;
    memcpy(r->out->constants, r->constants, r->constant_count * sizeof *r->out->constants);
    return true;
}

// `left`: records of all functions that are not read yet.
static bool read_function(Reader *r, const void *code, const uint8_t *function, uint32_t *left) {
    uint64_t records = read64(function + 16);
    r->function = (uint32_t)(read64(function) - (uintptr_t)code);
    r->frame_size = read64(function + 8);
    if (records > *left) return broken(r, "too many records");
    *left -= (uint32_t)records;
    for (uint64_t i = 0; i < records; i++)
        if (!read_record(r)) return false;
    return true;
}

static bool read_all(Reader *r, const void *code) {
    if (!has(r, HEADER) || r->at[0] != 3) return broken(r, "not version 3");
    uint32_t functions = read32(r->at + 4), constants = read32(r->at + 8), records = read32(r->at + 12);
    r->at += HEADER;
    if (functions < 1 || functions > 2) return broken(r, "neither one nor two functions");
    if (!has(r, functions * FUNCTION + (size_t)constants * 8)) return broken(r, "cut off");
    const uint8_t *function = r->at;
    r->constants = r->at + functions * FUNCTION;
    r->constant_count = constants;
    r->at += functions * FUNCTION + (size_t)constants * 8;
    if ((size_t)(r->end - r->at) / 16 < records) return broken(r, "too many records");
    if (!records) return true;
    if (!make_room(r, records)) return false;
    uint32_t left = records;
    for (; functions > 0; functions--, function += FUNCTION)
        if (!read_function(r, code, function, &left)) return false;
    return left == 0 || broken(r, "records of no function");
}

static int by_offset(const void *a, const void *b) {
    uint32_t x = ((const CodeStackMap *)a)->return_offset, y = ((const CodeStackMap *)b)->return_offset;
    return x < y ? -1 : x > y;
}

void stackmaps_free(StackMaps *maps) {
    free(maps->stack_maps);
    free(maps->values);
    free(maps->constants);
    *maps = (StackMaps){0};
}

bool stackmaps_read(Unit *unit, const void *code, const void *section, size_t size, StackMaps *out) {
    *out = (StackMaps){0};
    if (!size) return true;
    Reader r = {.unit = unit, .at = section, .end = (const uint8_t *)section + size, .out = out};
    if (!read_all(&r, code)) {
        stackmaps_free(out);
        return false;
    }
    if (out->stack_map_count) qsort(out->stack_maps, out->stack_map_count, sizeof *out->stack_maps, by_offset);
    return true;
}

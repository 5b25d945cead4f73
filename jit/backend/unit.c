// The growing arrays of a compilation (jit/backend/unit.h). A unit belongs to one thread; no locks. Uses malloc only
// and does not touch the Java heap. Running out of memory ends the process, because no caller could handle it.
#include "jit/backend/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "jit/backend/backend.h"

// Small arrays that live as long as the unit: chunks that never move.
typedef struct UnitMemory {
    struct UnitMemory *next;
    size_t used, size;
    _Alignas(8) char bytes[];
} UnitMemory;

static void *or_die(void *p) {
    if (p) return p;
    fputs("cabernet: the compiler is out of memory\n", stderr);
    abort();
}

static void *take(Unit *u, size_t bytes) {
    enum { CHUNK = 16 << 10 };
    bytes = (bytes + 7) & ~(size_t)7;
    UnitMemory *m = u->memory;
    if (!m || m->size - m->used < bytes) {
        size_t size = bytes > CHUNK ? bytes : CHUNK;
        m = or_die(malloc(sizeof *m + size));
        *m = (UnitMemory){u->memory, 0, size};
        u->memory = m;
    }
    void *p = m->bytes + m->used;
    m->used += bytes;
    return p;
}

static void *take_copy(Unit *u, const void *from, size_t bytes) {
    return bytes ? memcpy(take(u, bytes), from, bytes) : NULL;
}

// Room for `more` further elements.
static void *grow(void *array, uint32_t count, uint32_t *room, uint32_t more, size_t element) {
    if (*room - count < more && !grow_array(&array, element, room, sizeof *room, count + more, false)) or_die(NULL);
    return array;
}

void unit_init(Unit *u, const CompileTask *task, const CompilerOptions *options) {
    *u = (Unit){.task = task, .options = options, .function_name = UNIT_FUNCTION};
    u->context = backend_context();
    u->target = backend_target();
    u->module = LLVMModuleCreateWithNameInContext("cabernet", u->context);
    backend_set_target(u->module, u->target);
}

uint32_t unit_add_position(Unit *u, Method *m, int32_t bci, uint32_t parent) {
    u->positions = grow(u->positions, u->position_count, &u->position_room, 1, sizeof *u->positions);
    ASSERT(parent == CODE_NONE || parent < u->position_count, "position %u is inlined into %u", u->position_count,
           parent);
    u->positions[u->position_count] = (CodePosition){m, bci, parent};
    return u->position_count++;
}

uint32_t unit_add_stack_map(Unit *u, uint32_t position, uint8_t sampling, const uint8_t *levels, uint32_t value_count) {
    ASSERT(position < u->position_count, "position %u of %u", position, u->position_count);
    u->stack_maps = grow(u->stack_maps, u->stack_map_count, &u->stack_map_room, 1, sizeof *u->stack_maps);
    u->stack_maps[u->stack_map_count] = (struct UnitStackMap){
        .position = position,
        .value_count = value_count,
        .sampling = sampling,
        .levels = take_copy(u, levels, value_count),
    };
    return u->stack_map_count++;
}

uint32_t unit_add_deopt_point(Unit *u, DeoptPoint point, const DeoptFrame *frames, uint32_t count) {
    u->deopt_frames = grow(u->deopt_frames, u->deopt_frame_count, &u->deopt_frame_room, count, sizeof *u->deopt_frames);
    point.first_frame = u->deopt_frame_count;
    point.frame_count = count;
    for (uint32_t i = 0; i < count; i++) {
        DeoptFrame *f = &u->deopt_frames[u->deopt_frame_count++];
        *f = frames[i];
        ASSERT(!f->method || f->stack_depth <= f->method->max_stack, "a frame of %s with %u operands",
               f->method->name->text, f->stack_depth);
        for (uint32_t k = 0; ASSERTIONS && f->method && k < f->value_count; k++)
            ASSERT(f->slots[k] < f->method->max_locals + f->method->max_stack, "slot %u of a frame of %s", f->slots[k],
                   f->method->name->text);
        f->slots = take_copy(u, f->slots, f->value_count * sizeof *f->slots);
    }
    ASSERT(point.first_frame + count == u->deopt_frame_count, "frames %u...%u", point.first_frame,
           u->deopt_frame_count);
    u->deopt_points = grow(u->deopt_points, u->deopt_point_count, &u->deopt_point_room, 1, sizeof *u->deopt_points);
    u->deopt_points[u->deopt_point_count] = point;
    return u->deopt_point_count++;
}

uint32_t unit_add_mark(Unit *u, LLVMBasicBlockRef block, uint16_t event, const uint32_t *words, uint32_t count) {
    u->marks = grow(u->marks, u->mark_count, &u->mark_room, 1, sizeof *u->marks);
    u->mark_words = grow(u->mark_words, u->mark_word_count, &u->mark_word_room, count, sizeof *u->mark_words);
    u->marks[u->mark_count++] = (struct UnitMark){
        block,
        block ? LLVMGetLastInstruction(block) : NULL,
        {.node = COUNT_NO_NODE, .event = event, .first_word = u->mark_word_count},
    };
    memcpy(u->mark_words + u->mark_word_count, words, count * sizeof *words);
    u->mark_word_count += count;
    return u->mark_count - 1;
}

uint32_t unit_allocation_counter(Unit *u, uint32_t mark) {
    CodeMark *m = &u->marks[mark].mark;
    if (!m->counter) m->counter = ++u->allocation_words;
    return m->counter - 1;
}

uint32_t unit_add_allocation(Unit *u, struct UnitAllocation allocation) {
    GROW_OR_EXIT(u->allocations, u->allocation_room, u->allocation_count + 1);
    u->allocations[u->allocation_count] = allocation;
    return u->allocation_count++;
}

// ---- symbols ---------------------------------------------------------------------------------------

static uint32_t hash_of_symbol(const void *unit, uintptr_t item) {
    return hash_string(((const Unit *)unit)->symbols[item - 1].name);
}

static bool has_name(const void *unit, uintptr_t item, const void *name) {
    return strcmp(((const Unit *)unit)->symbols[item - 1].name, name) == 0;
}

static const HashKind by_name = {hash_of_symbol, has_name};

void unit_add_symbol(Unit *u, const char *name, void *address) {
    uint32_t hash = hash_string(name);
    if (hash_find(&u->symbol_index, &by_name, u, hash, name)) return;
    u->symbols = grow(u->symbols, u->symbol_count, &u->symbol_room, 1, sizeof *u->symbols);
    u->symbols[u->symbol_count] = (UnitSymbol){take_copy(u, name, strlen(name) + 1), address};
    hash_add_or_exit(&u->symbol_index, &by_name, u, hash, ++u->symbol_count);
}

const UnitSymbol *unit_symbol(const Unit *u, const char *name) {
    uintptr_t item = hash_find(&u->symbol_index, &by_name, u, hash_string(name), name);
    return item ? &u->symbols[item - 1] : NULL;
}

// ---- end -------------------------------------------------------------------------------------------

bool unit_bail_out(Unit *u, int bailout, const char *format, ...) {
    if (u->bailout) return false;  // the first reason is the cause
    u->bailout = bailout;
    va_list args;
    va_start(args, format);
    vsnprintf(u->detail, sizeof u->detail, format, args);
    va_end(args);
    return false;
}

uint32_t unit_path_counters(Unit *u, uint32_t method, uint32_t count) {
    enum { MOST = 4096 };  // per code, because each thread has a set
    for (uint32_t i = 0; i < u->path_counters_count; i++)
        if (u->path_counters[i].method == method) return u->path_counters[i].first;
    if (count > MOST - u->path_words) return UINT32_MAX;
    GROW_OR_EXIT(u->path_counters, u->path_counters_room, u->path_counters_count + 1);
    u->path_counters[u->path_counters_count++] = (CodePathCounters){method, u->path_words, count};
    u->path_words += count;
    return u->path_words - count;
}

uint32_t unit_selected_calls(Unit *u, uint64_t site, const struct Selector *selector, uint32_t count) {
    GROW_OR_EXIT(u->selected_calls, u->selected_calls_room, u->selected_calls_count + 1);
    u->selected_calls[u->selected_calls_count++] = (CodeSelectedCalls){site, selector, u->selected_words, count};
    u->selected_words += count;
    return u->selected_words - count;
}

void unit_free(Unit *u) {
    if (u->module) LLVMDisposeModule(u->module);
    if (u->object) LLVMDisposeMemoryBuffer(u->object);
    if (u->kept) LLVMDisposeMemoryBuffer(u->kept);
    free(u->positions);
    free(u->deopt_points);
    free(u->deopt_frames);
    free(u->stack_maps);
    free(u->marks);
    free(u->mark_words);
    free(u->count_edges);
    free(u->allocations);
    free(u->path_counters);
    free(u->selected_calls);
    free(u->runs);
    free(u->symbols);
    hash_free(&u->symbol_index);
    for (UnitMemory *m = u->memory, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    *u = (Unit){0};
}

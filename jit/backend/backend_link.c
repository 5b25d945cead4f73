// From an object to running code: ORC's LLJIT with RTDyld and the VM's code memory (vm/api/codememory.h), the Code
// structure, and its release.
//
// One object is loaded at a time (`lock`); the memory callbacks take its Load from `loading`. A Code and its arrays are
// one malloc block, so one free releases them. A resource tracker owns what ORC keeps for the code. Function names use
// numbers from a pool that are reused, so ORC's string table does not grow.
#include "jit/backend/backend_link.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "base/splitmix.h"
#include "jit/backend/backend.h"
#include "jit/backend/counters.h"
#include "jit/backend/elfobject.h"
#include "jit/backend/lines.h"
#include "jit/plan/plan.h"
#include "jit/backend/stackmaps.h"
#include "jit/backend/target.h"
#include "vm/api/codememory.h"
#include "vm/api/perf.h"

enum { CODE_ALIGN = 16, MOST_ROOM = 1024 };

// A section in the arena or, if the code does not refer to it, in malloc memory.
typedef struct Section {
    struct Section *next;
    void *memory;
    bool in_arena;
} Section;

// The memory of one loaded object. Lives from its first section to the destroy callback.
typedef struct Load {
    Section *sections;
    char *text;  // in the arena's writable view: where it is linked, not where it runs
    size_t text_size;
    Section *maps;  // .llvm_stackmaps, until it is read
    size_t maps_size;
    bool taken, failed;  // ORC owns it; a section did not fit
} Load;

// The target of Code.jit.
typedef struct Linked {
    LLVMOrcResourceTrackerRef tracker;
    uint32_t name;
} Linked;

static struct Linker {
    pthread_mutex_t lock;
    LLVMOrcLLJITRef jit;
    Load *loading;
    uint32_t *free_names, free_count, free_room, next_name;
    unsigned releases;
    uint8_t *exit;   // in the arena: a jump to CompilerLayout.exit, which calls cannot reach
    bool scattered;  // code is placed at random distances
    uint64_t random;
    _Atomic size_t metadata;
} linker = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- RTDyld's callbacks ----------------------------------------------------------------------------

static void *create_context(void *unused) {
    (void)unused;
    linker.loading->taken = true;
    return linker.loading;
}

static void terminating(void *unused) { (void)unused; }

static Section *add_section(Load *load, size_t size, bool in_arena) {
    Section *s = malloc(sizeof *s);
    if (!s) return NULL;
    // RTDyld may request an empty section, and still expects an address.
    void *memory = in_arena ? codememory_allocate(size) : aligned_alloc(64, (size + 64) & ~(size_t)63);
    if (!memory) {
        free(s);
        load->failed = true;
        return NULL;
    }
    *s = (Section){.next = load->sections, .memory = memory, .in_arena = in_arena};
    load->sections = s;
    return s;
}

static uint8_t *allocate_code(void *opaque, uintptr_t size, unsigned alignment, unsigned id, const char *name) {
    (void)id, (void)name;
    Load *load = opaque;
    // The speed of code depends on its address: on cache lines, pages, and aliases in the branch predictor. Random room
    // before the code gives one program many layouts.
    size_t step = alignment > CODE_ALIGN ? alignment : CODE_ALIGN;
    size_t room = linker.scattered ? splitmix_next(&linker.random) % (MOST_ROOM / step) * step : 0;
    Section *s = add_section(load, room + size, true);
    if (!s) return NULL;
    char *code = (char *)s->memory + room;
    if (!load->text) {
        load->text = code;
        load->text_size = size;
    }
    return (uint8_t *)code;
}

static uint8_t *allocate_data(void *opaque, uintptr_t size, unsigned alignment, unsigned id, const char *name,
                              LLVMBool read_only) {
    (void)alignment, (void)id, (void)read_only;
    Load *load = opaque;
    bool maps = strcmp(name, ".llvm_stackmaps") == 0;
    Section *s = add_section(load, size, !maps);
    if (!s) return NULL;
    if (maps) {
        load->maps = s;
        load->maps_size = size;
    }
    return s->memory;
}

static LLVMBool finalize(void *opaque, char **error) {
    (void)opaque, (void)error;
    return false;
}

static void free_section(Section *s) {
    if (s->in_arena) codememory_free(s->memory);
    else free(s->memory);
    s->memory = NULL;
}

static void destroy(void *opaque) {
    Load *load = opaque;
    for (Section *s = load->sections, *next; s; s = next) {
        next = s->next;
        free_section(s);
        free(s);
    }
    free(load);
}

static LLVMOrcObjectLayerRef create_layer(void *unused, LLVMOrcExecutionSessionRef session, const char *triple) {
    (void)unused, (void)triple;
    return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
        session, NULL, create_context, terminating, allocate_code, allocate_data, finalize, destroy);
}

// ---- session ---------------------------------------------------------------------------------------

static void report(void *unused, LLVMErrorRef error) {
    (void)unused;
    char *text = LLVMGetErrorMessage(error);
    compiler_log(text);
    LLVMDisposeErrorMessage(text);
}

bool backend_link_start(uint32_t layout, const char **error) {
    linker.scattered = layout != 0;
    linker.random = layout;
    if (!codememory_init(CODEMEMORY_BYTES) || !(linker.exit = codememory_allocate(TARGET_JUMP_BYTES))) {
        *error = "no memory for code";
        return false;
    }
    target_write_jump(linker.exit, compiler_layout()->exit);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(backend_new_target()));
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, create_layer, NULL);
    LLVMErrorRef failed = LLVMOrcCreateLLJIT(&linker.jit, builder);
    if (failed) {
        *error = LLVMGetErrorMessage(failed);
        return false;
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(linker.jit), report, NULL);
    return true;
}

// ---- the Code --------------------------------------------------------------------------------------

typedef struct Packer {
    char *at;  // NULL: only measures
    size_t size;
} Packer;

// Copies the bytes and pads them to 8. Returns the copy's address, or NULL while measuring and for 0 bytes.
static void *pack(Packer *p, const void *from, size_t bytes) {
    size_t offset = p->size;
    p->size += (bytes + 7) & ~(size_t)7;
    if (!p->at || !bytes) return NULL;
    return memcpy(p->at + offset, from, bytes);
}

// The metaspaces of the classes that a plan names, without those that are never unloaded.
typedef struct Owners {
    Metaspace **spaces;
    uint32_t count, room;
} Owners;

static void add_owner(Owners *o, const Class *cls) {
    Metaspace *space = cls ? compiler_owner(cls) : NULL;
    if (!space) return;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->spaces[i] == space) return;
    GROW_OR_EXIT(o->spaces, o->room, o->count + 1);
    o->spaces[o->count++] = space;
}

static void add_owner_of(Owners *o, const Method *m) {
    if (m) add_owner(o, m->cls);
}

// The resolved value of a constant pool entry lives as long as the class with the entry. Receivers and targets need
// not, so they are added.
static void add_owners(Owners *o, const Plan *plan) {
    add_owner(o, plan->method->cls);
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *s = &plan->sites[i];
        add_owner(o, s->site.cls);
        add_owner(o, s->site.receiver);
        add_owner(o, s->receiver);
        add_owner_of(o, s->site.method);
        add_owner_of(o, s->site.target);
        add_owner_of(o, s->target);
        add_owner_of(o, s->member);
        add_owner(o, s->instance);
        for (uint32_t k = 0; k < s->more_count; k++) {
            add_owner(o, s->more[k].receiver);
            add_owner_of(o, s->more[k].target);
        }
        for (uint32_t k = 0; k < PLAN_TARGETS; k++)
            if (plan_inlined(s, k)) add_owners(o, plan_inlined(s, k));
    }
}

// ---- the inlining tree --------------------------------------------------------------------------

static uint32_t count_inlined(const Plan *plan) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < plan->site_count; i++)
        for (uint32_t k = 0; k < PLAN_TARGETS; k++)
            if (plan_inlined(&plan->sites[i], k)) n += count_inlined(plan_inlined(&plan->sites[i], k));
    return n;
}

static CodeInlined *list_inlined(const Plan *plan, CodeInlined *at) {
    CodeInlined *own = at++;
    for (uint32_t i = 0; i < plan->site_count; i++)
        for (uint32_t k = 0; k < PLAN_TARGETS; k++)
            if (plan_inlined(&plan->sites[i], k)) at = list_inlined(plan_inlined(&plan->sites[i], k), at);
    *own = (CodeInlined){plan->method, plan->parent_bci, (uint32_t)(at - own) - 1};
    return at;
}

// The tree if inlined methods make no checks, because they are part of the activation that they are inlined
// into. NULL: not so, or no memory. The caller frees it.
static CodeInlined *inlining_tree(const Plan *plan, uint32_t *count) {
    *count = 0;
    if (!plan || !plan->sampling.on || !plan->sampling.exits || plan->sampling.dup != DUP_FULL) return NULL;
    uint32_t n = count_inlined(plan);
    CodeInlined *tree = malloc(n * sizeof *tree);
    if (!tree) return NULL;
    list_inlined(plan, tree);
    *count = n;
    return tree;
}

// Packs Code and its arrays one after the other. Called twice: to measure and to copy.
static void pack_code(Packer *p, const Unit *u, const Linked *linked, const Code *filled, const StackMaps *maps,
                      const Owners *owned_by) {
    Code *c = pack(p, filled, sizeof *filled);
    void *jit = pack(p, linked, sizeof *linked);
    void *stack_maps = pack(p, maps->stack_maps, maps->stack_map_count * sizeof *maps->stack_maps);
    void *values = pack(p, maps->values, maps->value_count * sizeof *maps->values);
    void *constants = pack(p, maps->constants, maps->constant_count * sizeof *maps->constants);
    void *positions = pack(p, u->positions, u->position_count * sizeof *u->positions);
    const Plan *plan = u->plan;
    void *inlined = pack(p, filled->inlined, filled->inlined_count * sizeof *filled->inlined);
    size_t dependencies_size = plan ? plan->dependency_count * sizeof *plan->dependencies : 0;
    void *dependencies = pack(p, plan ? plan->dependencies : NULL, dependencies_size);
    void *path_counters = pack(p, u->path_counters, u->path_counters_count * sizeof *u->path_counters);
    void *selected_calls = pack(p, u->selected_calls, u->selected_calls_count * sizeof *u->selected_calls);
    void *count_edges = pack(p, u->count_edges, u->count_edge_count * sizeof *u->count_edges);
    void *mark_words = pack(p, u->mark_words, u->mark_word_count * sizeof *u->mark_words);
    CodeMark *marks = NULL;
    for (uint32_t i = 0; i < u->mark_count; i++) {
        CodeMark *m = pack(p, &u->marks[i].mark, sizeof *m);
        if (i == 0) marks = m;
    }
    void *runs = pack(p, u->runs, u->run_bytes);
    void *owners = pack(p, owned_by->spaces, owned_by->count * sizeof *owned_by->spaces);
    void *deopt_points = pack(p, u->deopt_points, u->deopt_point_count * sizeof *u->deopt_points);
    DeoptFrame *frames = pack(p, u->deopt_frames, u->deopt_frame_count * sizeof *u->deopt_frames);
    for (uint32_t i = 0; i < u->deopt_frame_count; i++) {
        const DeoptFrame *f = &u->deopt_frames[i];
        bool as_before = i && f[-1].value_count == f->value_count &&
            (!f->value_count || memcmp(f[-1].slots, f->slots, f->value_count * sizeof *f->slots) == 0);
        uint16_t *slots = as_before ? NULL : pack(p, f->slots, f->value_count * sizeof *f->slots);
        if (frames) frames[i].slots = as_before ? frames[i - 1].slots : slots;
    }
    if (!c) return;
    c->jit = jit;
    c->stack_maps = stack_maps;
    c->values = values;
    c->constants = constants;
    c->positions = positions;
    c->inlined = inlined;
    c->path_counters = path_counters;
    c->selected_calls = selected_calls;
    c->count_edges = count_edges;
    c->mark_words = mark_words;
    c->marks = marks;
    c->deopt_points = deopt_points;
    c->dependencies = dependencies;
    c->runs = runs;
    c->owners = owners;
    c->deopt_frames = frames;
}

static uint32_t counter_words(const Unit *u) {
    return u->counters + u->path_words + u->selected_words + u->allocation_words +
        u->calls * CALL_ENTRIES * (uint32_t)(sizeof(CodeCallEntry) / 8);
}

static Code *make_code(const Unit *u, const Load *load, const Linked *linked, void *entry, const StackMaps *maps) {
    Owners owners = {0};
    if (u->plan) add_owners(&owners, u->plan);
    uint32_t inlined_count;
    CodeInlined *inlined = inlining_tree(u->plan, &inlined_count);
    Code filled = {
        .method = u->task->method,
        .osr_bci = u->task->osr_bci,
        .start = codememory_executable(load->text),
        .size = load->text_size,
        .entry = entry,
        .stack_map_count = maps->stack_map_count,
        .position_count = u->position_count,
        .value_count = maps->value_count,
        .constant_count = maps->constant_count,
        .deopt_point_count = u->deopt_point_count,
        .deopt_frame_count = u->deopt_frame_count,
        .buffer_words = u->buffer_words,
        .run_bytes = u->run_bytes,
        .count_edge_count = u->count_edge_count,
        .mark_count = u->mark_count,
        .call_count = u->calls,
        .path_counters_count = u->path_counters_count,
        .edge_counters = u->counters,
        .selected_calls_count = u->selected_calls_count,
        .path_words = u->path_words,
        .selected_words = u->selected_words,
        .allocation_words = u->allocation_words,
        .counter_count = counter_words(u),
        .counter_offset = u->counter_offset,
        .count_nodes = (uint16_t)u->count_nodes,
        .count_exit = (uint16_t)u->count_exit,
        .inlined = inlined,
        .inlined_count = inlined_count,
        .dependency_count = u->plan ? u->plan->dependency_count : 0,
        .owner_count = owners.count,
        .hash = u->hash,
    };
    Packer p = {0};
    pack_code(&p, u, linked, &filled, maps, &owners);
    filled.metadata_bytes = p.size;
    p = (Packer){.at = malloc(p.size)};
    Code *code = (Code *)p.at;
    if (code) {
        pack_code(&p, u, linked, &filled, maps, &owners);
        atomic_fetch_add(&linker.metadata, code->metadata_bytes);
    }
    free(inlined);
    free(owners.spaces);
    return code;
}

// ---- loading ---------------------------------------------------------------------------------------

static void drop(Linked *linked) {
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(linked->tracker);
    if (error) LLVMConsumeError(error);
    LLVMOrcReleaseResourceTracker(linked->tracker);
    ASSERT(linked->name < linker.next_name && linker.free_count < linker.next_name, "name %u of %u is given back",
           linked->name, linker.next_name);
    GROW_OR_EXIT(linker.free_names, linker.free_room, linker.free_count + 1);
    linker.free_names[linker.free_count++] = linked->name;
}

// Requires the lock. ORC takes the object.
static bool load_object(Unit *unit, Load *load, Linked *linked, void **entry) {
    char name[32];
    // As long as UNIT_FUNCTION, because elfobject_bind renames in place.
    snprintf(name, sizeof name, "cab_%0*x", (int)strlen(UNIT_FUNCTION) - 4, linked->name);
    if (!elfobject_bind(unit, name)) return false;
    LLVMMemoryBufferRef object = unit->object;
    unit->object = NULL;
    ASSERT(!linker.loading, "two objects are loaded at once");
    linker.loading = load;
    LLVMOrcExecutorAddress address = 0;
    bool ok = backend_take_error(unit, LLVMOrcLLJITAddObjectFileWithRT(linker.jit, linked->tracker, object)) &&
        backend_take_error(unit, LLVMOrcLLJITLookup(linker.jit, &address, name));
    if (ok) *entry = codememory_executable((void *)address);
    linker.loading = NULL;
    return ok;
}

static Code *finish(Unit *unit, Load *load, const Linked *linked, void *entry) {
    StackMaps maps;
    const void *section = load->maps ? load->maps->memory : NULL;
    if (!stackmaps_read(unit, load->text, section, load->maps_size, &maps)) return NULL;
    if (load->maps) free_section(load->maps);
    // No thread can run the code yet, so the calls of exits can be written.
    for (uint32_t i = 0; i < maps.stack_map_count; i++)
        if (maps.stack_maps[i].exit)
            target_write_call((uint8_t *)load->text + maps.stack_maps[i].return_offset - EXIT_BYTES, linker.exit);
    Code *code = make_code(unit, load, linked, entry, &maps);
    if (!code) unit_bail_out(unit, BAILOUT_backend, "out of memory");
    stackmaps_free(&maps);
    return code;
}

static void link_unit(Unit *unit, Load *load) {
    Linked linked = {
        .tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(linker.jit)),
        .name = linker.free_count ? linker.free_names[--linker.free_count] : linker.next_name++,
    };
    void *entry = NULL;
    bool loaded = load_object(unit, load, &linked, &entry);
    if (!load->taken) {
        destroy(load);  // ORC made no sections
        load = NULL;
    }
    if (loaded) unit->code = finish(unit, load, &linked, entry);
    if (!unit->code) drop(&linked);
}

// Takes the counters' memory. Its distance from the thread becomes part of the code.
static bool bind_counters(Unit *unit) {
    if (counter_words(unit) == 0) return true;
    unit->counter_offset = compiler_counters_take(counter_words(unit));
    if (unit->counter_offset == 0) return unit_bail_out(unit, BAILOUT_cache_full, "counters");
    unit_add_symbol(unit, COUNTERS_SYMBOL, (void *)(uintptr_t)unit->counter_offset);
    uint32_t paths = unit->counters, selected = paths + unit->path_words;
    uint32_t allocations = selected + unit->selected_words, calls = allocations + unit->allocation_words;
    unit_add_symbol(unit, PATHS_SYMBOL, (void *)(uintptr_t)(unit->counter_offset + 8 * paths));
    unit_add_symbol(unit, SELECTED_SYMBOL, (void *)(uintptr_t)(unit->counter_offset + 8 * selected));
    unit_add_symbol(unit, ALLOCATIONS_SYMBOL, (void *)(uintptr_t)(unit->counter_offset + 8 * allocations));
    unit_add_symbol(unit, CALLS_SYMBOL, (void *)(uintptr_t)(unit->counter_offset + 8 * calls));
    return true;
}

bool backend_link(Unit *unit) {
    // RTDyld treats a section that does not fit as fatal. Twice the object's size is a safe upper bound.
    if (codememory_left() < 2 * LLVMGetBufferSize(unit->object) + (1 << 20))
        return unit_bail_out(unit, BAILOUT_cache_full, "arena");
    lines_read(unit);
    Load *load = calloc(1, sizeof *load);
    if (!load) return unit_bail_out(unit, BAILOUT_backend, "out of memory");
    if (!bind_counters(unit)) {
        free(load);
        return false;
    }
    pthread_mutex_lock(&linker.lock);
    link_unit(unit, load);
    pthread_mutex_unlock(&linker.lock);
    if (!unit->code && counter_words(unit)) compiler_counters_give(unit->counter_offset, counter_words(unit));
    return unit->code != NULL;
}

void backend_release(Code *code) {
    enum { BETWEEN_CLEANINGS = 1000 };
    pthread_mutex_lock(&linker.lock);
    drop(code->jit);
    if (++linker.releases % BETWEEN_CLEANINGS == 0) {
        LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(linker.jit);
        LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(session));
    }
    pthread_mutex_unlock(&linker.lock);
    atomic_fetch_sub(&linker.metadata, code->metadata_bytes);
    free(code);
}

void backend_tell_perf(const Code *code) {
    if (!perf_wanted()) return;
    char name[1024];
    const Method *m = code->method;
    snprintf(name, sizeof name, "%s.%s%s [opt]%s", m->cls->name->text, m->name->text, m->desc->text,
             code->osr_bci >= 0 ? " [osr]" : "");
    perf_add_code(code->start, code->size, name);
}

size_t backend_memory(void) { return codememory_used() + atomic_load(&linker.metadata); }

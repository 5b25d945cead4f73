// State of the bytecode frame being emitted: operand stack, local variables and known facts; and the symbols through
// which code refers to the running program.
//
// Within a FlowBlock a local's value is kept in `cached` (and also stored in its alloca). At the beginning of a block
// only facts that hold throughout the method are known.
#include "base/grow.h"
#include "base/hash.h"
#include "jit/backend/counters.h"
#include "jit/emit/emit_core.h"

#include <stdio.h>

#include "base/invariant.h"

typedef struct EmitSymbol {
    SymbolKind kind;
    const void *key;
    LLVMValueRef global;
} EmitSymbol;

static uint32_t hash_symbol(const void *owner, uintptr_t item) {
    (void)owner;
    const EmitSymbol *s = (const EmitSymbol *)item;
    return hash_pointer(s->key) ^ (uint32_t)s->kind;
}
static bool same_symbol(const void *owner, uintptr_t item, const void *wanted) {
    (void)owner;
    const EmitSymbol *s = (const EmitSymbol *)item, *key = wanted;
    return s->kind == key->kind && s->key == key->key;
}
static const HashKind by_kind_and_key = {hash_symbol, same_symbol};

void *emit_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (p) return p;
    fputs("cabernet: no memory for the compiler\n", stderr);
    abort();
}

void emit_state_end(Emit *e) {
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&e->symbols, &at));) free((void *)item);
    hash_free(&e->symbols);
    free(e->nonnull);
}

// ---- types and values ---------------------------------------------------------------------------

LLVMTypeRef emit_type(const Emit *e, char kind) {
    switch (kind) {
        case KIND_INT: return e->i32;
        case KIND_LONG: case KIND_RETURN: return e->i64;
        case KIND_FLOAT: return e->f32;
        case KIND_DOUBLE: return e->f64;
        case 'V': return e->void_type;
        default: return e->ptr;
    }
}

static unsigned kind_column(char kind) {
    switch (kind) {
        case KIND_INT: return 0;
        case KIND_LONG: return 1;
        case KIND_FLOAT: return 2;
        case KIND_DOUBLE: return 3;
        case KIND_RETURN: return 5;
        default: return 4;
    }
}

LLVMValueRef emit_int(Emit *e, int64_t value) {
    return LLVMConstInt(e->i32, (unsigned long long)value, true);
}
LLVMValueRef emit_long(Emit *e, int64_t value) {
    return LLVMConstInt(e->i64, (unsigned long long)value, true);
}
LLVMValueRef emit_null(Emit *e) { return LLVMConstNull(e->ptr); }

LLVMValueRef emit_to_raw(Emit *e, char kind, LLVMValueRef v) {
    LLVMBuilderRef b = e->builder;
    switch (kind) {
        case KIND_INT: return LLVMBuildZExt(b, v, e->i64, "");
        case KIND_FLOAT: return LLVMBuildZExt(b, LLVMBuildBitCast(b, v, e->i32, ""), e->i64, "");
        case KIND_DOUBLE: return LLVMBuildBitCast(b, v, e->i64, "");
        case KIND_REF: return LLVMBuildPtrToInt(b, v, e->i64, "");
        default: return v;
    }
}

LLVMValueRef emit_from_raw(Emit *e, char kind, LLVMValueRef raw) {
    LLVMBuilderRef b = e->builder;
    switch (kind) {
        case KIND_INT: return LLVMBuildTrunc(b, raw, e->i32, "");
        case KIND_FLOAT: return LLVMBuildBitCast(b, LLVMBuildTrunc(b, raw, e->i32, ""), e->f32, "");
        case KIND_DOUBLE: return LLVMBuildBitCast(b, raw, e->f64, "");
        case KIND_REF: return LLVMBuildIntToPtr(b, raw, e->ptr, "");
        default: return raw;
    }
}

LLVMValueRef emit_offset(Emit *e, LLVMValueRef base, LLVMValueRef i64_offset) {
    return LLVMBuildInBoundsGEP2(e->builder, e->i8, base, &i64_offset, 1, "");
}
LLVMValueRef emit_offset_const(Emit *e, LLVMValueRef base, int64_t offset) {
    return offset == 0 ? base : emit_offset(e, base, emit_long(e, offset));
}
LLVMValueRef emit_load(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset) {
    return LLVMBuildLoad2(e->builder, type, emit_offset_const(e, base, offset), "");
}
void emit_store(Emit *e, LLVMValueRef v, LLVMValueRef base, int64_t offset) {
    LLVMBuildStore(e->builder, v, emit_offset_const(e, base, offset));
}
LLVMValueRef emit_load_atomic(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset, LLVMAtomicOrdering order) {
    LLVMValueRef v = emit_load(e, type, base, offset);
    LLVMSetAlignment(v, type == e->i32 ? 4 : 8);
    LLVMSetOrdering(v, order);
    return v;
}
LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, const char *name) {
    return LLVMBuildAlloca(e->entry_builder, type, name);
}
void emit_metadata(Emit *e, LLVMValueRef instruction, const char *kind) {
    unsigned id = LLVMGetMDKindIDInContext(e->context, kind, (unsigned)strlen(kind));
    LLVMMetadataRef empty = LLVMMDNodeInContext2(e->context, NULL, 0);
    LLVMSetMetadata(instruction, id, LLVMMetadataAsValue(e->context, empty));
}

void emit_attribute(Emit *e, LLVMValueRef of, unsigned index, const char *name, bool is_call) {
    unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(e->context, id, 0);
    if (is_call) LLVMAddCallSiteAttribute(of, index, attribute);
    else LLVMAddAttributeAtIndex(of, index, attribute);
}

LLVMValueRef emit_buffer(Emit *e, uint32_t slots) {
    if (slots > e->deopt_buffer_size) e->deopt_buffer_size = slots;
    return e->deopt_buffer;
}

// ---- operand stack ------------------------------------------------------------------------------

void emit_push(Emit *e, char kind, LLVMValueRef v) {
    EmitFrame *f = e->frame;
    ASSERT(v && f->depth <= f->plan->flow->max_stack, "operand %u of %u", f->depth, f->plan->flow->max_stack);
    f->stack[f->depth++] = (EmitValue){v, kind};
}
EmitValue emit_pop_value(Emit *e) {
    ASSERT(e->frame->depth > 0, "an operand is taken from an empty stack at %u", e->frame->bci);
    return e->frame->stack[--e->frame->depth];
}
LLVMValueRef emit_pop(Emit *e) { return emit_pop_value(e).v; }
EmitValue emit_peek(const Emit *e, uint32_t from_top) {
    return e->frame->stack[e->frame->depth - 1 - from_top];
}

static LLVMValueRef slot_alloca(Emit *e, LLVMValueRef *table, uint32_t index, char kind,
                                const char *prefix) {
    LLVMValueRef *entry = &table[index * EMIT_KINDS + kind_column(kind)];
    char name[32];
    if (*entry) return *entry;
    snprintf(name, sizeof name, "%s%u%c", prefix, index, kind);
    return *entry = emit_alloca(e, emit_type(e, kind), name);
}

void emit_spill_stack(Emit *e) {
    EmitFrame *f = e->frame;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < f->depth; i++) {
        EmitValue v = f->stack[i];
        LLVMBuildStore(e->builder, v.v, slot_alloca(e, f->slots, slot, v.kind, "s"));
        slot += 1 + emit_is_wide(v.kind);
    }
}

LLVMValueRef emit_operand_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind) {
    return slot_alloca(e, f->slots, slot, kind, "s");
}

LLVMValueRef emit_load_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind) {
    return LLVMBuildLoad2(e->builder, emit_type(e, kind), emit_operand_slot(e, f, slot, kind), "");
}

// ---- locals -------------------------------------------------------------------------------------

LLVMValueRef emit_local_slot(Emit *e, EmitFrame *f, uint32_t index, char kind) {
    return slot_alloca(e, f->locals, index, kind, "l");
}

LLVMValueRef emit_reload_local(Emit *e, EmitFrame *f, uint32_t index, char kind) {
    if (f->fixed[index]) return f->fixed[index];
    return LLVMBuildLoad2(e->builder, emit_type(e, kind), emit_local_slot(e, f, index, kind), "");
}

LLVMValueRef emit_load_local(Emit *e, uint32_t index, char kind) {
    EmitFrame *f = e->frame;
    ASSERT(index < f->plan->flow->max_locals, "local %u of %u", index, f->plan->flow->max_locals);
    if (!f->cached[index] || f->local_kinds[index] != kind) {
        f->cached[index] = emit_reload_local(e, f, index, kind);
        f->local_kinds[index] = kind;
        if (index == 0 && f->this_nonnull) emit_mark_nonnull(e, f->cached[0]);
    }
    return f->cached[index];
}

void emit_store_local(Emit *e, uint32_t index, char kind, LLVMValueRef v) {
    EmitFrame *f = e->frame;
    char *kinds = f->local_kinds;
    if (kinds[index] == KIND_UPPER && index > 0) {
        kinds[index - 1] = KIND_DEAD;
        f->cached[index - 1] = NULL;
    }
    if (emit_is_wide(kinds[index])) kinds[index + 1] = KIND_DEAD;
    LLVMBuildStore(e->builder, v, emit_local_slot(e, f, index, kind));
    kinds[index] = kind;
    f->cached[index] = v;
    if (!emit_is_wide(kind)) return;
    if (emit_is_wide(kinds[index + 1])) kinds[index + 2] = KIND_DEAD;
    kinds[index + 1] = KIND_UPPER;
    f->cached[index + 1] = NULL;
}

void emit_forget_locals(Emit *e) {
    memcpy(e->frame->cached, e->frame->fixed, e->frame->plan->flow->max_locals * sizeof(LLVMValueRef));
}

void emit_block_begins(Emit *e, uint32_t block) {
    EmitFrame *f = e->frame;
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[block];
    ASSERT(block < flow->block_count && b->stack_depth <= flow->max_stack, "block %u of %u", block, flow->block_count);
    f->block = block;
    memcpy(f->local_kinds, b->kinds, flow->max_locals);
    emit_forget_locals(e);
    f->depth = 0;
    f->lock_depth = f->before_locks = b->lock_depth;
    e->nonnull_count = f->nonnull_base;
    e->compared.result = NULL;
    for (uint32_t i = 0; i < b->stack_depth; i++) {
        char kind = b->kinds[flow->max_locals + i];
        if (kind == KIND_UPPER) continue;
        if (kind == KIND_DEAD) kind = KIND_INT;
        emit_push(e, kind, emit_load_slot(e, f, i, kind));
    }
}

// ---- references known to be non-null --------------------------------------------------------------

void emit_mark_nonnull(Emit *e, LLVMValueRef ref) {
    GROW_OR_EXIT(e->nonnull, e->nonnull_room, e->nonnull_count + 1);
    e->nonnull[e->nonnull_count++] = ref;
}

// Searches only the newest, to avoid quadratic time in long blocks.
bool emit_known_nonnull(const Emit *e, LLVMValueRef ref) {
    enum { NEWEST = 100 };
    uint32_t end = e->nonnull_count > NEWEST ? e->nonnull_count - NEWEST : 0;
    for (uint32_t i = e->nonnull_count; i-- > end;)
        if (e->nonnull[i] == ref) return true;
    return false;
}

// ---- symbols ------------------------------------------------------------------------------------

// The symbol's name after the prefix: a stable name, or a number if there is none.
static char *stable_part(Emit *e, SymbolKind kind, const void *key) {
    char *name = NULL;
    switch (kind) {
        case SYMBOL_CLASS: case SYMBOL_VTABLE: name = compiler_class_name(key); break;
        case SYMBOL_METHOD: name = compiler_method_name(key); break;
        case SYMBOL_STATIC: case SYMBOL_FIELD: name = compiler_field_name(key); break;
        case SYMBOL_CONST_REF: name = compiler_method_name(e->frame->method); break;
        case SYMBOL_RUNTIME: break;
    }
    if (!name && asprintf(&name, "#%u", e->symbol_serial++) < 0) abort();
    return name;
}

static char *symbol_name(Emit *e, SymbolKind kind, const void *key) {
    static const char *const prefixes[] = {"class", "vtable", "method", "static", "field", "counts", "constant"};
    char *part = stable_part(e, kind, key), *name;
    int n = kind == SYMBOL_CONST_REF
                ? asprintf(&name, "%s:%s@%u", prefixes[kind], part, e->frame->bci)
                : asprintf(&name, "%s:%s", prefixes[kind], part);
    if (n < 0) abort();
    free(part);
    return name;
}

static void *symbol_address(SymbolKind kind, const void *key) {
    switch (kind) {
        case SYMBOL_VTABLE: return ((const Class *)key)->vt;
        case SYMBOL_STATIC: return field_static_addr(key);
        default: return (void *)(uintptr_t)key;
    }
}

static LLVMTypeRef signature_type(const Emit *e, char c) {
    switch (c) {
        case 'v': return e->void_type;
        case 'i': return e->i32;
        case 'l': return e->i64;
        case 'f': return e->f32;
        case 'd': return e->f64;
        default: return e->ptr;
    }
}

static bool rarely_called(enum RuntimeCallId id) {
    switch (id) {
        case RT_poll: case RT_check: case RT_stack_guard: case RT_deopt_pending: case RT_throw_null:
        case RT_throw_bounds: case RT_throw_divide: case RT_throw_store: case RT_throw_cast:
        case RT_handler: case RT_class_init: case RT_register_finalizer: case RT_materialize:
        case RT_materialize_often: case RT_materialize_box:
            return true;
        default:
            return compiler_runtime_calls[id].kind == RUNTIME_KEEP;
    }
}

unsigned emit_runtime_convention(enum RuntimeCallId id) {
    enum { LEAF, CALL, KEEP };
    static const uint8_t kinds[] = {
#define RUNTIME(name, signature, kind, text) kind,
#include "vm/api/runtime_calls.def"
    };
    return kinds[id] == KEEP ? target_keep_convention : LLVMCCallConv;
}

static LLVMValueRef runtime_function(Emit *e, enum RuntimeCallId id) {
    const RuntimeCall *call = &compiler_runtime_calls[id];
    LLVMTypeRef params[8];
    unsigned count = 0;
    for (const char *s = call->signature + 1; *s; s++) params[count++] = signature_type(e, *s);
    LLVMTypeRef type = LLVMFunctionType(signature_type(e, call->signature[0]), params, count, false);
    LLVMValueRef f = LLVMAddFunction(e->module, call->name, type);
    emit_attribute(e, f, LLVMAttributeFunctionIndex, "nounwind", false);
    if (rarely_called(id)) emit_attribute(e, f, LLVMAttributeFunctionIndex, "cold", false);
    LLVMSetFunctionCallConv(f, emit_runtime_convention(id));
    unit_add_symbol(e->unit, call->name, call->address);
    return f;
}

static LLVMValueRef data_symbol(Emit *e, SymbolKind kind, const void *key) {
    char *name = symbol_name(e, kind, key);
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMArrayType2(e->i8, 0), name);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetAlignment(global, kind == SYMBOL_STATIC ? 1 : 8);
    free(name);
    size_t length;
    unit_add_symbol(e->unit, LLVMGetValueName2(global, &length), symbol_address(kind, key));
    return global;
}

LLVMValueRef emit_symbol(Emit *e, SymbolKind kind, const void *key) {
    EmitSymbol wanted = {.kind = kind, .key = key};
    uint32_t hash = hash_symbol(NULL, (uintptr_t)&wanted);
    EmitSymbol *s = (EmitSymbol *)hash_find(&e->symbols, &by_kind_and_key, NULL, hash, &wanted);
    if (s) return s->global;
    s = emit_alloc(1, sizeof *s);
    *s = wanted;
    s->global = kind == SYMBOL_RUNTIME ? runtime_function(e, (enum RuntimeCallId)(uintptr_t)key)
                                       : data_symbol(e, kind, key);
    hash_add_or_exit(&e->symbols, &by_kind_and_key, NULL, hash, (uintptr_t)s);
    return s->global;
}

LLVMValueRef emit_number(Emit *e, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "number.%u", e->number_serial++);
    unit_add_symbol(e->unit, name, (void *)(uintptr_t)number);
    return counters_distance(e->unit, name);
}

LLVMValueRef emit_const_ref(Emit *e, Object **slot) {
    LLVMValueRef v = emit_load(e, e->ptr, emit_symbol(e, SYMBOL_CONST_REF, slot), 0);
    emit_metadata(e, v, "invariant.load");
    return v;
}

// ---- the class file ------------------------------------------------------------------------------

uint16_t emit_cp_index(const EmitFrame *f) { return opcodes_cp_index(f->plan->code->code, f->bci); }

char *emit_member_descriptor(const EmitFrame *f, uint16_t cp_index) {
    const ClassFile *file = f->method->cls->file;
    const CpEntry *entry = &file->cp[cp_index];
    uint16_t nat = entry->tag == CP_DYNAMIC || entry->tag == CP_INVOKE_DYNAMIC
                       ? entry->u.dyn.nat_index : entry->u.ref.nat_index;
    ClassFileUtf8 text = classfile_utf8(file, file->cp[nat].u.nat.desc_index);
    char *copy = strndup((const char *)text.ptr, text.len);
    if (!copy) abort();
    return copy;
}

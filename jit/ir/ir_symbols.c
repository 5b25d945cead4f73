// The symbols through which code refers to the running program (ir.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "jit/backend/counters.h"
#include "jit/backend/target.h"
#include "jit/ir/ir.h"

typedef struct IrSymbol {
    SymbolKind kind;
    const void *key;
    LLVMValueRef global;
} IrSymbol;

static uint32_t hash_symbol(const void *owner, uintptr_t item) {
    (void)owner;
    const IrSymbol *s = (const IrSymbol *)item;
    return hash_pointer(s->key) ^ (uint32_t)s->kind;
}
static bool same_symbol(const void *owner, uintptr_t item, const void *wanted) {
    (void)owner;
    const IrSymbol *s = (const IrSymbol *)item, *key = wanted;
    return s->kind == key->kind && s->key == key->key;
}
static const HashKind by_kind_and_key = {hash_symbol, same_symbol};

// Adds a symbol to the object. `name` is its stable name without the prefix; NULL: a number takes its place. Frees it.
static LLVMValueRef data_symbol(Ir *ir, SymbolKind kind, const void *key, char *name) {
    static const char *const prefixes[] = {"class", "vtable", "method", "static", "field", "counts"};
    void *address = (void *)(uintptr_t)key;
    char *full;
    size_t length;
    if (!name && asprintf(&name, "#%u", ir->symbol_serial++) < 0) abort();
    if (asprintf(&full, "%s:%s", prefixes[kind], name) < 0) abort();
    LLVMValueRef global = LLVMAddGlobal(ir->module, LLVMArrayType2(ir->i8, 0), full);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetAlignment(global, kind == SYMBOL_STATIC ? 1 : 8);
    free(name);
    free(full);
    if (kind == SYMBOL_VTABLE) address = ((const Class *)key)->vt;
    if (kind == SYMBOL_STATIC) address = field_static_addr(key);
    unit_add_symbol(ir->unit, LLVMGetValueName2(global, &length), address);
    return global;
}

static char *stable_name(SymbolKind kind, const void *key) {
    switch (kind) {
        case SYMBOL_CLASS:
        case SYMBOL_VTABLE: return compiler_class_name(key);
        case SYMBOL_METHOD: return compiler_method_name(key);
        default: return compiler_field_name(key);
    }
}

// ---- runtime calls ------------------------------------------------------------------------------

static LLVMTypeRef signature_type(const Ir *ir, char c) {
    switch (c) {
        case 'v': return ir->void_type;
        case 'i': return ir->i32;
        case 'l': return ir->i64;
        case 'f': return ir->f32;
        case 'd': return ir->f64;
        default: return ir->ptr;
    }
}

static bool rarely_called(enum RuntimeCallId id) {
    switch (id) {
        case RT_poll:
        case RT_check:
        case RT_stack_guard:
        case RT_deopt_pending:
        case RT_throw_null:
        case RT_throw_bounds:
        case RT_throw_divide:
        case RT_throw_store:
        case RT_throw_cast:
        case RT_handler:
        case RT_class_init:
        case RT_register_finalizer:
        case RT_materialize:
        case RT_materialize_often:
        case RT_materialize_box: return true;
        default: return compiler_runtime_calls[id].kind == RUNTIME_KEEP;
    }
}

unsigned ir_runtime_convention(enum RuntimeCallId id) {
    return compiler_runtime_calls[id].kind == RUNTIME_KEEP ? target_keep_convention : LLVMCCallConv;
}

static LLVMValueRef runtime_function(Ir *ir, enum RuntimeCallId id) {
    const RuntimeCall *call = &compiler_runtime_calls[id];
    LLVMTypeRef params[8];
    unsigned count = 0;
    for (const char *s = call->signature + 1; *s; s++) params[count++] = signature_type(ir, *s);
    LLVMTypeRef type = LLVMFunctionType(signature_type(ir, call->signature[0]), params, count, false);
    LLVMValueRef f = LLVMAddFunction(ir->module, call->name, type);
    ir_attribute(ir, f, LLVMAttributeFunctionIndex, "nounwind", false);
    if (rarely_called(id)) ir_attribute(ir, f, LLVMAttributeFunctionIndex, "cold", false);
    LLVMSetFunctionCallConv(f, ir_runtime_convention(id));
    unit_add_symbol(ir->unit, call->name, call->address);
    return f;
}

// ---- the table ----------------------------------------------------------------------------------

// The symbol, without a global if it is new.
static IrSymbol *find(Ir *ir, SymbolKind kind, const void *key) {
    IrSymbol wanted = {.kind = kind, .key = key};
    uint32_t hash = hash_symbol(NULL, (uintptr_t)&wanted);
    IrSymbol *s = (IrSymbol *)hash_find(&ir->symbols, &by_kind_and_key, NULL, hash, &wanted);
    if (s) return s;
    s = grow_zeroed(1, sizeof *s);
    *s = wanted;
    hash_add_or_exit(&ir->symbols, &by_kind_and_key, NULL, hash, (uintptr_t)s);
    return s;
}

LLVMValueRef ir_symbol(Ir *ir, SymbolKind kind, const void *key) {
    IrSymbol *s = find(ir, kind, key);
    if (s->global) return s->global;
    if (kind == SYMBOL_RUNTIME) s->global = runtime_function(ir, (enum RuntimeCallId)(uintptr_t)key);
    else s->global = data_symbol(ir, kind, key, stable_name(kind, key));
    return s->global;
}

LLVMValueRef ir_const_ref(Ir *ir, Object **slot, const Method *m, uint32_t bci) {
    IrSymbol *s = find(ir, SYMBOL_CONST_REF, slot);
    if (!s->global) {
        char *method = compiler_method_name(m), *name;
        if (!method && asprintf(&method, "#%u", ir->symbol_serial++) < 0) abort();
        if (asprintf(&name, "%s@%u", method, bci) < 0) abort();
        free(method);
        s->global = data_symbol(ir, SYMBOL_CONST_REF, slot, name);
    }
    return ir_load_constant(ir, ir->ptr, s->global, 0);
}

LLVMValueRef ir_number(Ir *ir, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "number.%u", ir->number_serial++);
    unit_add_symbol(ir->unit, name, (void *)(uintptr_t)number);
    return counters_distance(ir->unit, name);
}

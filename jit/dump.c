// Dumps of the stages of a compilation, one letter each: c the bytecode and its blocks, p the plan, i the IR as
// emitted, e the outcome of each allocation, o the IR as optimised, a the machine code with its stack maps. Each dump
// is written in one piece, so that dumps of several compile threads do not mix.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Disassembler.h>

#include "bytecode/classfile/disasm.h"
#include "bytecode/classfile/pattern.h"
#include "jit/backend/backend.h"
#include "jit/backend/target.h"
#include "jit/dump.h"
#include "jit/plan/plan.h"

static struct Dump {
    pthread_mutex_t lock;
    FILE *file;
} dump = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- filter and destination ------------------------------------------------------------------------

static bool wanted(const Unit *unit, char letter) {
    const CompilerOptions *o = unit->options;
    if (!o->dump || !strchr(o->dump, letter)) return false;
    if (!o->dump_filter) return true;
    const Method *m = unit->task->method;
    return pattern_any(o->dump_filter, m->cls->name->text, m->name->text, m->desc->text);
}

static FILE *destination(const CompilerOptions *o) {
    if (!o->dump_file) return stderr;
    if (!dump.file) dump.file = fopen(o->dump_file, "we");
    return dump.file ? dump.file : stderr;
}

// A dump under construction; end_dump writes it.
typedef struct Text {
    const Unit *unit;
    FILE *out;
    char *bytes;
    size_t size;
} Text;

static bool begin_dump(Text *t, const Unit *unit, char letter, const char *stage) {
    if (!wanted(unit, letter)) return false;
    *t = (Text){.unit = unit};
    t->out = open_memstream(&t->bytes, &t->size);
    if (!t->out) return false;
    const CompileTask *r = unit->task;
    fprintf(t->out, "==== %s: %s.%s%s", stage, r->method->cls->name->text, r->method->name->text,
            r->method->desc->text);
    if (r->osr_bci >= 0) fprintf(t->out, ", at loop %d", r->osr_bci);
    fputs("\n", t->out);
    return true;
}

static void end_dump(Text *t) {
    fclose(t->out);
    pthread_mutex_lock(&dump.lock);
    FILE *f = destination(t->unit->options);
    fwrite(t->bytes, 1, t->size, f);
    fflush(f);
    pthread_mutex_unlock(&dump.lock);
    free(t->bytes);
}

void dump_finish(void) {
    pthread_mutex_lock(&dump.lock);
    if (dump.file) fclose(dump.file);
    dump.file = NULL;
    pthread_mutex_unlock(&dump.lock);
}

// ---- plan, bytecode, IR ----------------------------------------------------------------------------

void dump_plan(const Unit *unit) {
    Text t;
    if (!begin_dump(&t, unit, 'p', "plan")) return;
    plan_print(unit->plan, t.out);
    end_dump(&t);
}

static void print_block(FILE *out, const Dataflow *flow, uint32_t b) {
    const FlowBlock *block = &flow->blocks[b];
    fprintf(out, "block %u: %u...%u", b, block->start, block->end);
    if (block->context) fprintf(out, " context %u", block->context);
    if (block->is_loop_header) fputs(" loop", out);
    if (block->is_handler) fputs(" handler", out);
    if (!block->reached) fputs(" unreached", out);
    fputs(" ->", out);
    for (uint32_t i = 0; i < block->succ_count; i++) fprintf(out, " %u", flow->edges[block->first_succ + i]);
    if (block->handler_count) fputs("; throws ->", out);
    for (uint32_t i = 0; i < block->handler_count; i++)
        fprintf(out, " %u", flow->handlers[block->first_handler + i].block);
    fprintf(out, "; stack %u, locks %u; ", block->stack_depth, block->lock_depth);
    for (unsigned i = 0; i < flow->max_locals; i++) fputc(block->kinds[i] ? block->kinds[i] : '.', out);
    fputc('|', out);
    for (unsigned i = 0; i < block->stack_depth; i++) {
        char kind = block->kinds[flow->max_locals + i];
        fputc(kind ? kind : '.', out);
    }
    fputc('\n', out);
}

static void print_flow(FILE *out, const Plan *plan) {
    const Method *m = plan->method;
    fprintf(out, "---- %s.%s%s", m->cls->name->text, m->name->text, m->desc->text);
    if (plan->parent) fprintf(out, ", inlined at %u of %s", plan->parent_bci, plan->parent->method->name->text);
    fputs("\n", out);
    if (m->info) disasm_method(out, m->cls->file, m->info);
    for (uint32_t b = 0; b < plan->flow->block_count; b++) print_block(out, plan->flow, b);
    for (uint32_t i = 0; i < plan->site_count; i++)
        if (plan->sites[i].inlined) print_flow(out, plan->sites[i].inlined);
}

void dump_flow(const Unit *unit) {
    Text t;
    if (!begin_dump(&t, unit, 'c', "bytecode")) return;
    print_flow(t.out, unit->plan);
    end_dump(&t);
}

void dump_ir(const Unit *unit, bool optimized) {
    Text t;
    if (!begin_dump(&t, unit, optimized ? 'o' : 'i', optimized ? "IR, optimised" : "IR")) return;
    char *text = LLVMPrintModuleToString(unit->module);
    fputs(text, t.out);
    LLVMDisposeMessage(text);
    end_dump(&t);
}

// ---- escape analysis -------------------------------------------------------------------------------

void dump_allocations(const Unit *unit) {
    Text t;
    if (!unit->has_escape_ops || !begin_dump(&t, unit, 'e', "allocations")) return;
    for (uint32_t i = 0; i < unit->allocation_count; i++) {
        const struct UnitAllocation *a = &unit->allocations[i];
        fprintf(t.out, "%s", a->cls->name->text);
        for (uint32_t p = unit->stack_maps[a->map].position; p != CODE_NONE; p = unit->positions[p].parent)
            fprintf(t.out, " %s.%s:%d", unit->positions[p].method->cls->name->text,
                    unit->positions[p].method->name->text, unit->positions[p].bci);
        fprintf(t.out, ": %s\n", a->outcome ? a->outcome : "is not there any more");
    }
    end_dump(&t);
}

// ---- machine code ----------------------------------------------------------------------------------

// Names the target of a branch: a label in the code itself, or "exit". Other references get no name.
static const char *name_reference(void *info, uint64_t value, uint64_t *type, uint64_t pc, const char **name) {
    (void)pc;
    Unit *unit = info;
    const Code *code = unit->code;
    *name = NULL;
    if (*type == LLVMDisassembler_ReferenceType_In_Branch && value - (uintptr_t)code->start < code->size) {
        *type = LLVMDisassembler_ReferenceType_InOut_None;
        snprintf(unit->place, sizeof unit->place, "L%llx", (unsigned long long)(value - (uintptr_t)code->start));
        return unit->place;
    }
    // A pc-relative branch out of the code calls an exit.
    bool leads = *type == LLVMDisassembler_ReferenceType_In_Branch;
    *type = LLVMDisassembler_ReferenceType_InOut_None;
    return leads ? "exit" : NULL;
}

// The symbol whose address an instruction loads from the global offset table, or NULL.
static const char *loaded_symbol(const Unit *unit, const uint8_t *insn, size_t length, const char *text) {
    const void *place = target_loaded_from(insn, length, text);
    void *value;
    if (!place) return NULL;
    memcpy(&value, place, sizeof value);
    for (uint32_t i = 0; i < unit->symbol_count; i++)
        if (unit->symbols[i].address == value) return unit->symbols[i].name;
    return NULL;
}

static void print_stack_map(FILE *out, const Code *code, uint32_t offset) {
    for (uint32_t i = 0; i < code->stack_map_count; i++) {
        const CodeStackMap *s = &code->stack_maps[i];
        if (s->return_offset != offset) continue;
        fputs("          ;", out);
        for (uint32_t p = s->exit ? code->deopt_points[s->position].position : s->position; p != CODE_NONE;
             p = code->positions[p].parent) {
            const Method *m = code->positions[p].method;
            fprintf(out, " %s.%s:%d", m ? m->cls->name->text : "?", m ? m->name->text : "?", code->positions[p].bci);
        }
        if (s->value_count) fprintf(out, ", %u %s", s->value_count, s->exit ? "values" : "locks");
        fputs("\n", out);
    }
}

static void print_code(FILE *out, Unit *unit) {
    const BackendMachine machine = backend_machine();
    LLVMDisasmContextRef d = LLVMCreateDisasmCPUFeatures(LLVMGetTarget(unit->module), machine.cpu, machine.features,
                                                         unit, 0, NULL, name_reference);
    if (!d) return;
    const Code *code = unit->code;
    for (size_t at = 0; at < code->size;) {
        char text[256];
        uint8_t *insn = (uint8_t *)code->start + at;
        size_t n = LLVMDisasmInstruction(d, insn, code->size - at, (uintptr_t)insn, text, sizeof text);
        if (!n) snprintf(text, sizeof text, "\t.byte %#x", *insn);
        fprintf(out, "%6zx: %s", at, text);
        const char *symbol = loaded_symbol(unit, insn, n, text);
        if (symbol) fprintf(out, "  ; %s", symbol);
        fputs("\n", out);
        at += n ? n : 1;
        print_stack_map(out, code, (uint32_t)at);
    }
    LLVMDisasmDispose(d);
}

void dump_assembly(Unit *unit) {
    Text t;
    if (!unit->code || !begin_dump(&t, unit, 'a', "machine code")) return;
    fprintf(t.out,
            "%zu bytes at %p, entry +%zx, hash %016llx, %u stack maps, %u deoptimisation points, "
            "%zu bytes of metadata\n",
            unit->code->size, (void *)unit->code->start, (size_t)((char *)unit->code->entry - unit->code->start),
            (unsigned long long)unit->code->hash, unit->code->stack_map_count, unit->code->deopt_point_count,
            unit->code->metadata_bytes);
    print_code(t.out, unit);
    end_dump(&t);
}

// See vm/instrument/pathprofile.h.
#include "vm/instrument/pathprofile.h"

#include <stdio.h>
#include <stdlib.h>

#include "bytecode/analysis/paths.h"
#include "vm/instrument/report.h"
#include "vm/instrument/unloaded.h"
#include "vm/objects/classes.h"
#include "vm/threads/thread.h"

const Paths *paths_of(const Method *m) {
    static const Paths none;
    const Paths **slot = (const Paths **)&m->paths, *paths = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *made = NULL;
    if (!paths) {
        if (m->info && m->info->code) made = paths_build(m->info->code, PATHS_MOST);
        const Paths *wanted = made ? made : &none;
        if (__atomic_compare_exchange_n(slot, &paths, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            paths = wanted;
        else free((void *)made);
    }
    return paths->path_count ? paths : NULL;
}

// ---- in the interpreter -------------------------------------------------------------------------------

static void report_end(Thread *self, const Frame *f, int32_t bci, uint64_t number) {
    if (number < PATHS_UNKNOWN) report_path(self, f->method, bci, (uint32_t)number);
}

void paths_begin(Frame *f, int32_t bci, int32_t edge) {
    const Paths *p = f->method->events & EVENTS_OF_PATHS ? paths_of(f->method) : NULL;
    if (!p) return;
    const PathBlock *b = paths_block(p, (uint32_t)bci);
    if (edge >= 0) b = &p->blocks[paths_edge(p, b, (uint32_t)edge)->to];
    f->path = b->begins ? b->begin : PATHS_UNKNOWN;  // checks are at places where paths may begin
}

void paths_branch(Thread *self, Frame *f, int32_t bci, uint32_t edge) {
    const Paths *p = paths_of(f->method);
    if (!p) return;
    const PathEdge *e = paths_edge(p, paths_block(p, (uint32_t)bci), edge);
    f->path += e->value;
    if (!e->ends) return;
    report_end(self, f, EVENT_NO_BCI, f->path);
    if (e->to != PATHS_EXIT) f->path = p->blocks[e->to].begin;
}

void paths_throw(Thread *self, Frame *f, int32_t bci, int32_t handler) {
    const Paths *p = paths_of(f->method);
    if (!p || bci < 0) return;
    report_end(self, f, (int32_t)paths_block(p, (uint32_t)bci)->start, f->path);
    if (handler >= 0) f->path = paths_block(p, (uint32_t)handler)->begin;
}

void paths_forget(Thread *t) {
    for (Frame *f = t->frame; f; f = f->prev)
        if (f->kind == FRAME_INTERP) f->path = PATHS_UNKNOWN;
}

// ---- as text ------------------------------------------------------------------------------------------

static void print(const Paths *p, int32_t bci, const uint32_t *blocks, uint32_t count, const PathEdge *last,
                  FILE *out) {
    for (uint32_t i = 0; i < count; i++) {
        const PathBlock *b = &p->blocks[blocks[i]];
        fprintf(out, "%s%u", i ? ">" : "", b->start);
        if (bci >= 0 && b->start == (uint32_t)bci) {
            putc('!', out);
            return;
        }
    }
    if (last->to == PATHS_EXIT) putc('.', out);
    else fprintf(out, ">^%u", p->blocks[last->to].start);
}

char *paths_text(uint32_t method, int32_t bci, uint32_t path) {
    const Method *m = method_by_id(method);
    const Paths *p = m ? paths_of(m) : unloaded_paths(method);
    const PathEdge *last = NULL;
    uint32_t count = p ? paths_blocks(p, path, NULL, 0, &last) : 0;
    uint32_t *blocks = count ? malloc(count * sizeof *blocks) : NULL;
    char *text = NULL;
    size_t size;
    FILE *out = blocks ? open_memstream(&text, &size) : NULL;
    if (out) {
        paths_blocks(p, path, blocks, count, &last);
        print(p, bci, blocks, count, last, out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(blocks);
    return text;
}

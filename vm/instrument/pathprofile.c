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

static void take(Thread *self, Frame *f, const Paths *p, const PathEdge *e) {
    f->path += e->value;
    if (!e->ends) return;
    report_end(self, f, EVENT_NO_BCI, f->path);
    if (e->to != PATHS_EXIT) f->path = p->blocks[e->to].begin;
}

// Checks are at places where paths may begin.
static void begin(Frame *f, const PathBlock *b) { f->path = b->begins ? b->begin : PATHS_UNKNOWN; }

static const Paths *reported_paths(const Method *m) { return m->events & EVENTS_OF_PATHS ? paths_of(m) : NULL; }

void paths_begin_at(Frame *f, int32_t bci) {
    const Paths *p = reported_paths(f->method);
    if (p) begin(f, paths_block(p, (uint32_t)bci));
}

void paths_begin_after_edge(Frame *f, int32_t bci, uint32_t edge) {
    const Paths *p = reported_paths(f->method);
    if (p) begin(f, &p->blocks[paths_edge(p, paths_block(p, (uint32_t)bci), edge)->to]);
}

void paths_branch(Thread *self, Frame *f, int32_t bci, uint32_t edge) {
    const Paths *p = paths_of(f->method);
    if (p) take(self, f, p, paths_edge(p, paths_block(p, (uint32_t)bci), edge));
}

void paths_leave(Thread *self, Frame *f, int32_t bci) { paths_branch(self, f, bci, 0); }

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

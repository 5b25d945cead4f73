// The table of methods that the VM implements itself, hashed by text.
//
// The hash index is built once, under pthread_once, from the constant table; afterwards everything
// here is read-only.
#include "vm/natives/intrinsics.h"

#include <pthread.h>
#include <string.h>

#include "vm/model/frame.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/loading/loader.h"
#include "vm/threads/thread.h"

static const Intrinsic table[] = {
#define LEAF(cls, name, desc, fn) {cls, name, desc, fn, INTRINSIC_LEAF},
#define FRAME(cls, name, desc, fn) {cls, name, desc, fn, INTRINSIC_FRAME},
#define TRY(cls, name, desc, fn) {cls, name, desc, (IntrinsicFn)(void (*)(void))fn, INTRINSIC_TRY},
#include "vm/natives/intrinsics.def"
};

enum { ROWS = sizeof table / sizeof table[0], INDEX_SIZE = 2048 };
static_assert(ROWS * 2 <= INDEX_SIZE, "the index is at most half full");

static uint16_t index_[INDEX_SIZE];  // row + 1, open addressing
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static uint32_t hash_text(uint32_t h, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

static uint32_t hash_member(const char *name, size_t name_len, const char *desc, size_t desc_len) {
    uint32_t h = hash_text(hash_text(2166136261u, name, name_len), desc, desc_len);
    return (h ^ h >> 15) % INDEX_SIZE;
}

static void build_index(void) {
    for (uint16_t row = 0; row < ROWS; row++) {
        const Intrinsic *r = &table[row];
        uint32_t at = hash_member(r->name, strlen(r->name), r->desc, strlen(r->desc));
        while (index_[at] != 0) at = (at + 1) % INDEX_SIZE;
        index_[at] = (uint16_t)(row + 1);
    }
}

static bool same_text(const Symbol *s, const char *text) {
    return strncmp(s->text, text, s->length) == 0 && text[s->length] == '\0';
}

const Intrinsic *intrinsic_find(const Symbol *cls, const Symbol *name, const Symbol *desc) {
    pthread_once(&index_once, build_index);
    uint32_t at = hash_member(name->text, name->length, desc->text, desc->length);
    for (; index_[at] != 0; at = (at + 1) % INDEX_SIZE) {
        const Intrinsic *r = &table[index_[at] - 1];
        if (same_text(name, r->name) && same_text(desc, r->desc) && same_text(cls, r->cls)) return r;
    }
    return NULL;
}

void intrinsic_bind(Method *m) {
    if (m->cls->loader->java_loader != NULL) return;
    const Intrinsic *row = intrinsic_find(m->cls->name, m->name, m->desc);
    if (row == NULL) return;
    m->intrinsic = row->fn;
    m->mflags |= MF_INTRINSIC;
}

IntrinsicKind intrinsic_kind(const Method *m) {
    return intrinsic_find(m->cls->name, m->name, m->desc)->kind;
}

Frame *intrinsic_push_frame(Thread *self, Method *m, Slot *args) {
    Frame *caller = self->frame;
    // Compiled code keeps the arguments on the C stack.
    Slot *top = args + method_locals(m);
    if (caller && caller->kind == FRAME_COMPILED) top = caller->sp;
    Frame *f = (Frame *)top;
    if ((Slot *)(f + 1) > self->stack_limit) return caller;
    *f = (Frame){
        .prev = caller, .method = m, .sp = frame_stack(f), .locals = args, .kind = FRAME_NATIVE};
    self->frame = f;
    return caller;
}

void intrinsic_pop_frame(Thread *self, Frame *saved) { self->frame = saved; }

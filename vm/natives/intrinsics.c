// The table of intrinsics, hashed by text.
//
// The index is built once, under pthread_once, from the constant table; afterwards everything here is read-only.
#include "vm/natives/intrinsics.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "vm/model/frame.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/loading/loader.h"
#include "vm/threads/thread.h"

static const Intrinsic table[] = {
#define LEAF(cls, name, desc, fn) {cls, name, desc, fn, INTRINSIC_LEAF, false},
#define QUIET_LEAF(cls, name, desc, fn) {cls, name, desc, fn, INTRINSIC_LEAF, true},
#define FRAME(cls, name, desc, fn) {cls, name, desc, fn, INTRINSIC_FRAME, false},
#define TRY(cls, name, desc, fn) {cls, name, desc, (IntrinsicFn)(void (*)(void))fn, INTRINSIC_TRY, false},
#define QUIET_TRY(cls, name, desc, fn) {cls, name, desc, (IntrinsicFn)(void (*)(void))fn, INTRINSIC_TRY, true},
#include "vm/natives/intrinsics.def"
};

enum { ROWS = sizeof table / sizeof table[0] };

static struct Intrinsics {
    pthread_once_t once;
    HashTable rows;  // Intrinsic, by name and descriptor
} intrinsics = {.once = PTHREAD_ONCE_INIT};

typedef struct Key {
    const Symbol *cls, *name, *desc;
} Key;

static uint32_t hash_member(const char *name, size_t name_len, const char *desc, size_t desc_len) {
    return hash_bytes(hash_bytes(HASH_START, name, name_len), desc, desc_len);
}

static bool same_text(const Symbol *s, const char *text) {
    return strncmp(s->text, text, s->length) == 0 && text[s->length] == '\0';
}

static bool same_member(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    const Intrinsic *r = (const Intrinsic *)item;
    const Key *k = key;
    return same_text(k->name, r->name) && same_text(k->desc, r->desc) && same_text(k->cls, r->cls);
}

static const HashKind by_member = {NULL, same_member};

static void enter_rows(void) {
    if (!hash_begin(&intrinsics.rows, ROWS)) grow_out_of_memory(sizeof table);
    for (const Intrinsic *r = table; r < table + ROWS; r++)
        hash_place(&intrinsics.rows, hash_member(r->name, strlen(r->name), r->desc, strlen(r->desc)), (uintptr_t)r);
}

const Intrinsic *intrinsic_find(const Symbol *cls, const Symbol *name, const Symbol *desc) {
    pthread_once(&intrinsics.once, enter_rows);
    return (const Intrinsic *)hash_find(&intrinsics.rows, &by_member, NULL,
                                        hash_member(name->text, name->length, desc->text, desc->length),
                                        &(Key){cls, name, desc});
}

void intrinsic_bind(Method *m) {
    if (m->cls->loader->java_loader) return;
    const Intrinsic *row = intrinsic_find(m->cls->name, m->name, m->desc);
    if (!row) return;
    m->intrinsic = row->fn;
    m->mflags |= MF_INTRINSIC;
}

IntrinsicKind intrinsic_kind(const Method *m) { return intrinsic_find(m->cls->name, m->name, m->desc)->kind; }

Frame *intrinsic_push_frame(Thread *self, Method *m, Slot *args) {
    Frame *caller = self->frame;
    // Compiled code keeps the arguments on the C stack.
    Slot *top = args + method_locals(m);
    if (caller && caller->kind == FRAME_COMPILED) top = caller->sp;
    Frame *f = (Frame *)top;
    if ((Slot *)(f + 1) > self->stack_limit) return caller;
    *f = (Frame){.prev = caller, .method = m, .sp = frame_stack(f), .locals = args, .kind = FRAME_NATIVE};
    self->frame = f;
    return caller;
}

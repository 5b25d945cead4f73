// See vm/instrument/unloaded.h. Symbols are never freed; the name of a hidden class goes with it and is copied.
#include "vm/instrument/unloaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vm/base/arena.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/profile.h"
#include "vm/model/loader.h"
#include "vm/objects/classes.h"

// One block each, with the lines behind it.
typedef struct UnloadedMethod {
    uint32_t id;
    ProfiledMethod facts;
    const struct Paths *paths;
    uint32_t line_count;
    ClassFileLine lines[];
} UnloadedMethod;

typedef struct UnloadedClass {
    uint32_t id;
    const char *name;
} UnloadedClass;

typedef struct UnloadedField {
    uint32_t id;
    ProfiledField facts;
} UnloadedField;

static struct Unloaded {
    pthread_mutex_t lock;
    HashTable methods, fields, classes;  // of UnloadedMethod, UnloadedField and UnloadedClass, by id
} unloaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The number is the first member of all three.
static uint32_t hash_of_item(const void *owner, uintptr_t item) {
    (void)owner;
    return *(const uint32_t *)item;
}
static bool has_id(const void *owner, uintptr_t item, const void *id) {
    (void)owner;
    return *(const uint32_t *)item == *(const uint32_t *)id;
}
static const HashKind by_id = {hash_of_item, has_id};

static const void *find(const HashTable *table, uint32_t id) {
    pthread_mutex_lock(&unloaded.lock);
    const void *item = (const void *)hash_find(table, &by_id, NULL, id, &id);
    pthread_mutex_unlock(&unloaded.lock);
    return item;
}

static void add_method(const Method *m, const char *class_name) {
    const ClassFileCode *code = m->info ? m->info->code : NULL;
    uint32_t lines = code ? code->line_count : 0;
    UnloadedMethod *u = arena_malloc(sizeof *u + lines * sizeof *u->lines);
    const Symbol *source = m->cls->source_file;
    u->id = m->id;
    u->facts = (ProfiledMethod){class_name, m->name->text, m->desc->text, source ? source->text : NULL, m->flags,
                                 class_is_applications(m->cls)};
    u->paths = m->paths;
    u->line_count = lines;
    if (lines) memcpy(u->lines, code->lines, lines * sizeof *u->lines);
    hash_add_or_exit(&unloaded.methods, &by_id, NULL, u->id, (uintptr_t)u);
}

static void add_field(const Field *f, const char *class_name) {
    UnloadedField *u = arena_malloc(sizeof *u);
    u->id = f->id;
    u->facts = (ProfiledField){class_name, f->name->text, f->desc->text, f->flags, class_is_applications(f->cls)};
    hash_add_or_exit(&unloaded.fields, &by_id, NULL, u->id, (uintptr_t)u);
}

static void add_class(const Class *c, const char *name) {
    UnloadedClass *u = arena_malloc(sizeof *u);
    *u = (UnloadedClass){c->id, name};
    hash_add_or_exit(&unloaded.classes, &by_id, NULL, u->id, (uintptr_t)u);
}

static void forget_method(Method *m, bool profiled, const char *class_name) {
    if (!m->id) return;
    if (profiled) add_method(m, class_name);
    method_take_id(m, !profiled);
}

void unloaded_add(Class *cls) {
    bool profiled = profile_is_on();
    const char *name = cls->name->text;
    if (profiled && cls->cflags & CF_HIDDEN) name = strcpy(arena_malloc(cls->name->length + 1u), name);
    class_take_id(cls);
    pthread_mutex_lock(&unloaded.lock);
    if (profiled) add_class(cls, name);
    for (uint32_t i = 0; i < cls->method_count; i++) forget_method(&cls->methods[i], profiled, name);
    for (Overpass *o = atomic_load(&cls->overpasses); o; o = o->next) forget_method(&o->method, profiled, name);
    for (uint32_t i = 0; i < cls->field_count; i++) {
        if (!cls->fields[i].id) continue;
        add_field(&cls->fields[i], name);
        fieldid_forget(&cls->fields[i]);
    }
    pthread_mutex_unlock(&unloaded.lock);
}

bool unloaded_method(uint32_t id, ProfiledMethod *out) {
    const UnloadedMethod *u = find(&unloaded.methods, id);
    if (u) *out = u->facts;
    return u;
}

int32_t unloaded_line(uint32_t id, int32_t bci) {
    const UnloadedMethod *u = find(&unloaded.methods, id);
    if (!u || bci < 0) return -1;
    const ClassFileCode code = {.lines = u->lines, .line_count = u->line_count};
    return classfile_line_of(&code, (uint32_t)bci);
}

const struct Paths *unloaded_paths(uint32_t id) {
    const UnloadedMethod *u = find(&unloaded.methods, id);
    return u ? u->paths : NULL;
}

const char *unloaded_class(uint32_t id) {
    const UnloadedClass *u = find(&unloaded.classes, id);
    return u ? u->name : NULL;
}

bool unloaded_field(uint32_t id, ProfiledField *out) {
    const UnloadedField *u = find(&unloaded.fields, id);
    if (u) *out = u->facts;
    return u;
}

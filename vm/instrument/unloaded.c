// See vm/instrument/unloaded.h. Symbols are never freed. The name of a hidden class is freed with the class, so it is
// copied.
#include "vm/instrument/unloaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "vm/base/arena.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/profile.h"
#include "vm/model/classloader.h"
#include "vm/objects/classes.h"

typedef struct UnloadedClass {
    uint32_t id;
    LabelledClass facts;
    bool has_file;
    ProfiledClassFile file;
} UnloadedClass;

// One block each, with the lines at the end.
typedef struct UnloadedMethod {
    uint32_t id;
    const UnloadedClass *cls;
    ProfiledMethod facts;  // without the class's name, which is its label
    const struct Paths *paths;
    uint32_t line_count;
    ClassFileLine lines[];
} UnloadedMethod;

typedef struct UnloadedField {
    uint32_t id;
    const UnloadedClass *cls;
    ProfiledField facts;  // without the class's name, too
} UnloadedField;

// The data that classes of one loader share.
typedef struct UnloadedLoader {
    uint32_t serial;
    char label[];
} UnloadedLoader;

static struct Unloaded {
    pthread_mutex_t lock;
    HashTable methods, fields, classes, loaders;  // by id; of the four structures above
} unloaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The id or serial is the first member of all four.
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

static void add_method(const Method *m, const UnloadedClass *cls) {
    const ClassFileCode *code = m->info ? m->info->code : NULL;
    uint32_t lines = code ? code->line_count : 0;
    UnloadedMethod *u = arena_malloc(sizeof *u + lines * sizeof *u->lines);
    const Symbol *source = m->cls->source_file;
    u->id = m->id;
    u->cls = cls;
    u->facts = (ProfiledMethod){
        NULL, m->name->text, m->desc->text, source ? source->text : NULL, m->flags, class_is_applications(m->cls)};
    u->paths = m->paths;
    u->line_count = lines;
    if (lines) memcpy(u->lines, code->lines, lines * sizeof *u->lines);
    hash_add_or_exit(&unloaded.methods, &by_id, NULL, u->id, (uintptr_t)u);
}

// The label is freed with the loader, which may have died as well, so it is copied.
static const char *keep_loader(uint32_t serial, const char *label) {
    UnloadedLoader *l = (UnloadedLoader *)hash_find(&unloaded.loaders, &by_id, NULL, serial, &serial);
    if (l) return l->label;
    l = arena_malloc(sizeof *l + strlen(label) + 1);
    l->serial = serial;
    strcpy(l->label, label);
    hash_add_or_exit(&unloaded.loaders, &by_id, NULL, serial, (uintptr_t)l);
    return l->label;
}

bool unloaded_file_of(const Class *c, ProfiledClassFile *out) {
    if (!c->file || c->cflags & CF_HIDDEN) return false;
    *out = (ProfiledClassFile){(uint32_t)crc32_z(0, c->file->bytes, c->file->len), c->file->len, c->source};
    return true;
}

static const UnloadedClass *add_class(const Class *c) {
    UnloadedClass *u = arena_malloc(sizeof *u);
    char *base = classlabels_base(c);
    u->id = c->id;
    u->facts = classlabels_facts(c, base);
    u->has_file = unloaded_file_of(c, &u->file);
    // A base name is kept for good. The name of a hidden class is freed with the class, so it is copied.
    if (!base && (class_is_array(c) ? c->element : c)->cflags & CF_HIDDEN)
        u->facts.name = strcpy(arena_malloc(c->name->length + 1u), c->name->text);
    u->facts.loader_label = u->facts.loader ? keep_loader(u->facts.loader, u->facts.loader_label) : NULL;
    hash_add_or_exit(&unloaded.classes, &by_id, NULL, u->id, (uintptr_t)u);
    return u;
}

static void forget_method(Method *m, const UnloadedClass *profiled) {
    if (!m->id) return;
    if (profiled) add_method(m, profiled);
    method_take_id(m, !profiled);
}

void unloaded_add(Class *cls) {
    class_take_id(cls);
    pthread_mutex_lock(&unloaded.lock);
    const UnloadedClass *profiled = profile_any_is_on() ? add_class(cls) : NULL;
    for (uint32_t i = 0; i < cls->method_count; i++) forget_method(&cls->methods[i], profiled);
    for (Overpass *o = atomic_load(&cls->overpasses); o; o = o->next) forget_method(&o->method, profiled);
    for (const Field *f = cls->fields; f < cls->fields + cls->field_count; f++) {
        if (!f->id) continue;  // only fields in a profile have one
        if (!profiled) profiled = add_class(cls);
        UnloadedField *u = arena_malloc(sizeof *u);
        u->id = f->id;
        u->cls = profiled;
        u->facts = (ProfiledField){NULL, f->name->text, f->desc->text, f->flags, class_is_applications(cls)};
        hash_add_or_exit(&unloaded.fields, &by_id, NULL, u->id, (uintptr_t)u);
        fieldid_forget(f);
    }
    pthread_mutex_unlock(&unloaded.lock);
}

static const char *label_of(const UnloadedClass *c) { return classlabels_of(c->id, c->facts.name); }

bool unloaded_method(uint32_t id, ProfiledMethod *out) {
    const UnloadedMethod *u = find(&unloaded.methods, id);
    if (!u) return false;
    *out = u->facts;
    out->class_name = label_of(u->cls);
    return true;
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
    return u ? label_of(u) : NULL;
}

bool unloaded_class_file(uint32_t id, ProfiledClassFile *out) {
    const UnloadedClass *u = find(&unloaded.classes, id);
    if (u && u->has_file) *out = u->file;
    return u && u->has_file;
}

bool unloaded_field(uint32_t id, ProfiledField *out) {
    const UnloadedField *u = find(&unloaded.fields, id);
    if (!u) return false;
    *out = u->facts;
    out->class_name = label_of(u->cls);
    return true;
}

void unloaded_each_class(void (*fn)(void *arg, const LabelledClass *c), void *arg) {
    pthread_mutex_lock(&unloaded.lock);
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&unloaded.classes, &at));) fn(arg, &((const UnloadedClass *)item)->facts);
    pthread_mutex_unlock(&unloaded.lock);
}

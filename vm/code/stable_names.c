// Stable names of classes, methods and fields (vm/api/compiler.h). They are the same in every run of a deterministic
// program, so that recorded plans find their methods and classes in a later run.
//
//   java/lang/String      the class of that name that was defined first
//   com/example/Plug~1    the second one (in another loader)
//   Main#0                the first hidden class that was defined with Main as its lookup class
//   [I  [LMain#0;         arrays, by the names of their elements
//   Main.run(I)V          a method        Main.count:J   a field
// Bytes that would end or split a name are written %XX.
//
// The index holds all classes except arrays, in order of their ids, which is the order of definition. It is updated
// when a lookup misses and classes have been defined since the last update; a class keeps its name. One mutex guards
// it, never held across an operation that blocks or allocates in the heap. An unloaded class leaves the index, and
// its name is not reused.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"
#include "vm/api/compiler.h"
#include "vm/base/arena.h"
#include "vm/loading/loader.h"
#include "vm/objects/classes.h"
#include "vm/objects/sigpoly.h"
#include "vm/objects/symbol.h"
#include "vm/natives/methodhandle.h"

typedef struct Named {
    Class *cls;
    char text[];
} Named;

// The number of classes with a base name, or of hidden classes with a host.
typedef struct Ordinals {
    uint32_t count;
    char base[];
} Ordinals;

static struct {
    pthread_mutex_t lock;
    HashTable by_text, by_class;  // of Named
    HashTable ordinals;           // of Ordinals, by base
    uint32_t seen;                // loader_class_count at the last scan
} stable_names = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- text -------------------------------------------------------------------------------------------

static void put_number(Text *t, char mark, uint32_t n) {
    char digits[16];
    text_put(t, digits, (size_t)snprintf(digits, sizeof digits, "%c%u", mark, n));
}

// The symbol for escaped text; NULL if none exists.
static Symbol *find_symbol(const char *s, size_t length) {
    char *text = arena_malloc(length + 1);
    memcpy(text, s, length);
    ptrdiff_t n = text_unescape(text, length);
    Symbol *symbol = n >= 0 && n <= UINT16_MAX ? symbol_find(text, (size_t)n) : NULL;
    free(text);
    return symbol;
}

static const char IN_CLASS[] = "#~", IN_MEMBER[] = "(:", IN_DESCRIPTOR[] = "";

// ---- the index of classes -----------------------------------------------------------------------------

HASH_BY_STRING(by_text, Named, text);
HASH_BY_POINTER(by_class, Named, cls);
HASH_BY_STRING(by_base, Ordinals, base);

static Named *find_named(const Class *c) {
    return (Named *)hash_find(&stable_names.by_class, &by_class, NULL, hash_pointer(c), c);
}

static Named *add_class(Class *c);

// "Host#3" for hidden classes; "Name" or "Name~1" for all others.
static void compose(Text *t, Class *c) {
    bool hidden = c->cflags & CF_HIDDEN && c->host;
    if (hidden) {
        text_put_string(t, add_class(c->host)->text);
        text_put(t, "#", 1);
    } else {
        text_put_escaped(t, c->name->text, c->name->length, IN_CLASS);
    }
    // The number of earlier classes with this base name.
    uint32_t hash = hash_string(t->at);
    Ordinals *o = (Ordinals *)hash_find(&stable_names.ordinals, &by_base, NULL, hash, t->at);
    if (!o) {
        o = arena_malloc(sizeof *o + strlen(t->at) + 1);
        strcpy(o->base, t->at);
        hash_add_or_exit(&stable_names.ordinals, &by_base, NULL, hash, (uintptr_t)o);
    }
    uint32_t ordinal = o->count++;
    if (hidden) t->length--, put_number(t, '#', ordinal);
    else if (ordinal) put_number(t, '~', ordinal);
}

static Named *add_class(Class *c) {
    Named *n = find_named(c);
    if (n) return n;
    Text t = {0};
    compose(&t, c);
    n = arena_malloc(sizeof *n + t.length + 1);
    memcpy(n->text, t.at, t.length + 1);
    free(t.at);
    n->cls = c;
    hash_add_or_exit(&stable_names.by_class, &by_class, NULL, hash_pointer(c), (uintptr_t)n);
    hash_add_or_exit(&stable_names.by_text, &by_text, NULL, hash_string(n->text), (uintptr_t)n);
    return n;
}

typedef struct Fresh {
    Class **classes;
    uint32_t count, capacity;
} Fresh;

static void note_fresh(void *arg, Class *c) {
    Fresh *f = arg;
    if (class_is_array(c) || find_named(c)) return;
    GROW_OR_EXIT(f->classes, f->capacity, f->count + 1);
    f->classes[f->count++] = c;
}

static int by_id(const void *a, const void *b) {
    uint32_t x = (*(Class *const *)a)->id, y = (*(Class *const *)b)->id;
    return (x > y) - (x < y);
}

// Names the classes defined since the last call. The caller holds the lock, as for all functions above.
static void update(void) {
    uint32_t count = loader_class_count();
    if (count == stable_names.seen) return;
    Fresh fresh = {0};
    loader_each_class(note_fresh, &fresh);
    if (fresh.count) qsort(fresh.classes, fresh.count, sizeof(Class *), by_id);
    for (uint32_t i = 0; i < fresh.count; i++) add_class(fresh.classes[i]);
    free(fresh.classes);
    stable_names.seen = count;
}

static bool stays_in_text(uintptr_t item) { return !((const Named *)item)->cls->space->freed; }

static bool stays(uintptr_t item) {
    Named *n = (Named *)item;
    if (!n->cls->space->freed) return true;
    free(n);
    return false;
}

void stablename_forget_freed(void) {
    pthread_mutex_lock(&stable_names.lock);
    hash_filter(&stable_names.by_text, stays_in_text);
    hash_filter(&stable_names.by_class, stays);
    pthread_mutex_unlock(&stable_names.lock);
}

// ---- classes --------------------------------------------------------------------------------------------

static void put_class(Text *t, const Class *c) {
    if (class_is_array(c)) {
        for (int i = 0; i < c->dims; i++) text_put(t, "[", 1);
        if (class_is_primitive(c->element)) {
            text_put(t, &c->element->prim, 1);
            return;
        }
        text_put(t, "L", 1);
        put_class(t, c->element);
        text_put(t, ";", 1);
        return;
    }
    pthread_mutex_lock(&stable_names.lock);
    const Named *n = find_named(c);
    if (!n) {
        update();
        n = add_class((Class *)(uintptr_t)c);
    }
    text_put_string(t, n->text);
    pthread_mutex_unlock(&stable_names.lock);
}

char *compiler_class_name(const Class *c) {
    Text t = {0};
    put_class(&t, c);
    return t.at;
}

static Named *find_text(const char *text) {
    return (Named *)hash_find(&stable_names.by_text, &by_text, NULL, hash_string(text), text);
}

static Class *find_plain(const char *s, size_t length) {
    char *text = arena_malloc(length + 1);
    memcpy(text, s, length);
    pthread_mutex_lock(&stable_names.lock);
    Named *n = find_text(text);
    if (!n) {
        update();
        n = find_text(text);
    }
    pthread_mutex_unlock(&stable_names.lock);
    free(text);
    return n && !n->cls->space->dead ? n->cls : NULL;
}

static Class *find_class(const char *s, size_t length) {
    size_t dims = 0;
    while (dims < length && s[dims] == '[') dims++;
    if (dims == 0) return find_plain(s, length);
    Class *c = NULL;
    if (length - dims == 1 && strchr("ZBCSIJFD", s[dims])) c = class_primitive(s[dims]);
    else if (length - dims > 2 && s[dims] == 'L' && s[length - 1] == ';')
        c = find_plain(s + dims + 1, length - dims - 2);
    while (c && dims-- > 0) c = atomic_load_explicit(&c->array_class, memory_order_acquire);
    return c;
}

Class *compiler_find_class(const char *name) { return find_class(name, strlen(name)); }

// ---- members ----------------------------------------------------------------------------------------------

static char *member_name(const Class *c, const Symbol *name, const char *between, const Symbol *desc) {
    Text t = {0};
    put_class(&t, c);
    text_put(&t, ".", 1);
    text_put_escaped(&t, name->text, name->length, IN_MEMBER);
    text_put_string(&t, between);
    text_put_escaped(&t, desc->text, desc->length, IN_DESCRIPTOR);
    return t.at;
}

char *compiler_method_name(const Method *m) { return member_name(m->cls, m->name, "", m->desc); }
char *compiler_field_name(const Field *f) { return member_name(f->cls, f->name, ":", f->desc); }

typedef struct Member {
    Class *cls;
    Symbol *name, *desc;
} Member;

// Splits "class.name(desc" or "class.name:desc". A descriptor of unknown classes has no symbol.
static bool find_member(const char *text, char split, Member *out) {
    const char *dot = strchr(text, '.');
    const char *end = dot ? strchr(dot, split) : NULL;
    if (!end) return false;
    const char *desc = split == '(' ? end : end + 1;
    out->cls = find_class(text, (size_t)(dot - text));
    out->name = find_symbol(dot + 1, (size_t)(end - dot - 1));
    out->desc = find_symbol(desc, strlen(desc));
    return out->cls && out->name && out->desc;
}

Method *compiler_find_method(const char *name) {
    Member member;
    if (!find_member(name, '(', &member)) return NULL;
    int id = sigpoly_id(member.cls->name, member.name);
    Method *m = id > MH_GENERIC ? mh_find_intrinsic_method(id, member.desc) : NULL;
    if (!m) m = class_find_declared_method(member.cls, member.name, member.desc);
    if (m) return m;
    Overpass *o = atomic_load(&member.cls->overpasses);
    while (o && (o->method.name != member.name || o->method.desc != member.desc)) o = o->next;
    return o ? &o->method : NULL;
}

bool compiler_lacks_method(const char *name) {
    const char *dot = strchr(name, '.');
    const Class *c = dot ? find_class(name, (size_t)(dot - name)) : NULL;
    if (!c || class_is_array(c) || c->cflags & CF_HIDDEN) return false;
    for (uint32_t i = 0; i < c->method_count; i++)
        if (c->methods[i].mflags & MF_SIGPOLY) return false;  // its methods are created when they are called
    return !compiler_find_method(name);
}

Field *compiler_find_field(const char *name) {
    Member member;
    if (!find_member(name, ':', &member)) return NULL;
    for (uint32_t i = 0; i < member.cls->field_count; i++) {
        Field *f = &member.cls->fields[i];
        if (f->name == member.name && f->desc == member.desc) return f;
    }
    return NULL;
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void stablename_before_fork(void) { pthread_mutex_lock(&stable_names.lock); }
void stablename_after_fork(void) { pthread_mutex_unlock(&stable_names.lock); }

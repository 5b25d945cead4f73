#include "profiler/control/shadownames.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

// One process takes from its shadows on one thread at a time.
static struct ShadowNames {
    ShadowName *known;
    uint32_t known_count, known_capacity;
    HashTable known_index;
    ShadowLine *lines;
    uint32_t line_count, line_capacity;
    HashTable line_index;
    ShadowPath *paths;
    uint32_t path_count, path_capacity;
    HashTable path_index;
} names;

static uint32_t hash_of(ShadowNameKind kind, const ProfiledMethod *m) {
    uint32_t h = hash_bytes(HASH_START, &kind, sizeof kind);
    h = hash_bytes(h, m->class_name, strlen(m->class_name));
    h = hash_bytes(h, m->name, strlen(m->name));
    return hash_bytes(h, m->desc, strlen(m->desc));
}

static uint32_t hash_known(const void *owner, uintptr_t item) {
    const ShadowName *k = &((const struct ShadowNames *)owner)->known[item - 1];
    return hash_of(k->kind, &k->what);
}

static bool same_known(const void *owner, uintptr_t item, const void *key) {
    const ShadowName *a = &((const struct ShadowNames *)owner)->known[item - 1], *b = key;
    return a->kind == b->kind && strcmp(a->what.class_name, b->what.class_name) == 0 &&
        strcmp(a->what.name, b->what.name) == 0 && strcmp(a->what.desc, b->what.desc) == 0;
}

static const HashKind by_name = {hash_known, same_known};

void shadownames_free_texts(ProfiledMethod *m) {
    free((char *)m->class_name);
    free((char *)m->name);
    free((char *)m->desc);
    free((char *)m->source_file);
}

// The number of these names; takes ownership of the strings. 0: out of memory.
uint32_t shadownames_add(ShadowName *k) {
    uint32_t hash = hash_of(k->kind, &k->what);
    uintptr_t there = hash_find(&names.known_index, &by_name, &names, hash, k);
    if (!there && GROW(names.known, names.known_capacity, names.known_count + 1)) {
        names.known[names.known_count] = *k;
        if (hash_add(&names.known_index, &by_name, &names, hash, names.known_count + 1)) return ++names.known_count;
    }
    shadownames_free_texts(&k->what);
    return (uint32_t)there;
}

static uint32_t hash_line(const void *owner, uintptr_t item) {
    const ShadowLine *l = &((const struct ShadowNames *)owner)->lines[item - 1];
    return hash_bytes(HASH_START, l, 2 * sizeof l->bci);
}

static bool same_line(const void *owner, uintptr_t item, const void *key) {
    const ShadowLine *a = &((const struct ShadowNames *)owner)->lines[item - 1], *b = key;
    return a->method == b->method && a->bci == b->bci;
}

static const HashKind by_place = {hash_line, same_line};

bool shadownames_add_line(const ShadowLine *l) {
    uint32_t hash = hash_bytes(HASH_START, l, 2 * sizeof l->bci);
    if (hash_find(&names.line_index, &by_place, &names, hash, l)) return true;
    if (!GROW(names.lines, names.line_capacity, names.line_count + 1)) return false;
    names.lines[names.line_count] = *l;
    return hash_add(&names.line_index, &by_place, &names, hash, names.line_count + 1) && ++names.line_count;
}

static uint32_t hash_path(const void *owner, uintptr_t item) {
    return hash_bytes(HASH_START, ((const struct ShadowNames *)owner)->paths[item - 1].key, sizeof(uint32_t[3]));
}

static bool same_path(const void *owner, uintptr_t item, const void *key) {
    return memcmp(((const struct ShadowNames *)owner)->paths[item - 1].key, key, sizeof(uint32_t[3])) == 0;
}

static const HashKind by_path = {hash_path, same_path};

// Takes ownership of the text.
bool shadownames_add_path(const ShadowPath *p) {
    uint32_t hash = hash_bytes(HASH_START, p->key, sizeof p->key);
    bool there = hash_find(&names.path_index, &by_path, &names, hash, p->key);
    if (!there && GROW(names.paths, names.path_capacity, names.path_count + 1)) {
        names.paths[names.path_count] = *p;
        if (hash_add(&names.path_index, &by_path, &names, hash, names.path_count + 1)) return ++names.path_count;
    }
    free(p->text);
    return there;
}

static const ShadowName *known(ShadowNameKind kind, uint32_t id) {
    const ShadowName *k = id && id <= names.known_count ? &names.known[id - 1] : NULL;
    return k && k->kind == kind ? k : NULL;
}

static bool host_method(uint32_t id, ProfiledMethod *out) {
    const ShadowName *k = known(SHADOW_METHOD, id);
    if (k) *out = k->what;
    return k;
}

static bool host_field(uint32_t id, ProfiledField *out) {
    const ShadowName *k = known(SHADOW_FIELD, id);
    if (k) *out = (ProfiledField){k->what.class_name, k->what.name, k->what.desc, k->what.flags, k->what.application};
    return k;
}

static const char *host_class(uint32_t id) {
    const ShadowName *k = known(SHADOW_CLASS, id);
    return k ? k->what.class_name : NULL;
}

static int32_t host_line(uint32_t method, int32_t bci) {
    ShadowLine l = {.method = method, .bci = bci};
    uintptr_t at = hash_find(&names.line_index, &by_place, &names, hash_bytes(HASH_START, &l, 2 * sizeof l.bci), &l);
    return at ? names.lines[at - 1].line : -1;
}

static char *host_path(uint32_t method, int32_t bci, uint32_t path) {
    uint32_t key[3] = {method, (uint32_t)bci, path};
    uintptr_t at = hash_find(&names.path_index, &by_path, &names, hash_bytes(HASH_START, key, sizeof key), key);
    return at ? strdup(names.paths[at - 1].text) : NULL;
}

const ProfileHost shadownames_host = {
    .method = host_method, .line = host_line, .field = host_field, .class_name = host_class, .path = host_path};

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

bool shadownames_add_line(const ShadowLine *l) {
    HashKeyedRecords owner = {names.lines, sizeof *l, offsetof(ShadowLine, line)};
    uint32_t hash = hash_bytes(HASH_START, l, owner.key);
    if (hash_find(&names.line_index, &hash_by_bytes, &owner, hash, l)) return true;
    if (!GROW(names.lines, names.line_capacity, names.line_count + 1)) return false;
    names.lines[names.line_count] = *l;
    owner.records = names.lines;
    return hash_add(&names.line_index, &hash_by_bytes, &owner, hash, names.line_count + 1) && ++names.line_count;
}

// Takes ownership of the text.
bool shadownames_add_path(const ShadowPath *p) {
    HashKeyedRecords owner = {names.paths, sizeof *p, sizeof p->key};
    uint32_t hash = hash_bytes(HASH_START, p->key, sizeof p->key);
    bool there = hash_find(&names.path_index, &hash_by_bytes, &owner, hash, p->key);
    if (!there && GROW(names.paths, names.path_capacity, names.path_count + 1)) {
        names.paths[names.path_count] = *p;
        owner.records = names.paths;
        if (hash_add(&names.path_index, &hash_by_bytes, &owner, hash, names.path_count + 1)) return ++names.path_count;
    }
    free(p->text);
    return there;
}

void shadownames_end(void) {
    for (uint32_t i = 0; i < names.known_count; i++) shadownames_free_texts(&names.known[i].what);
    for (uint32_t i = 0; i < names.path_count; i++) free(names.paths[i].text);
    free(names.known);
    free(names.lines);
    free(names.paths);
    hash_free(&names.known_index);
    hash_free(&names.line_index);
    hash_free(&names.path_index);
    names = (struct ShadowNames){0};
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
    HashKeyedRecords owner = {names.lines, sizeof l, offsetof(ShadowLine, line)};
    uintptr_t at = hash_find(&names.line_index, &hash_by_bytes, &owner, hash_bytes(HASH_START, &l, owner.key), &l);
    return at ? names.lines[at - 1].line : -1;
}

static char *host_path(uint32_t method, int32_t bci, uint32_t path) {
    uint32_t key[3] = {method, (uint32_t)bci, path};
    HashKeyedRecords owner = {names.paths, sizeof *names.paths, sizeof key};
    uintptr_t at = hash_find(&names.path_index, &hash_by_bytes, &owner, hash_bytes(HASH_START, key, sizeof key), key);
    return at ? strdup(names.paths[at - 1].text) : NULL;
}

const ProfileHost shadownames_host = {
    .method = host_method, .line = host_line, .field = host_field, .class_name = host_class, .path = host_path};

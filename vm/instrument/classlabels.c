#include "vm/instrument/classlabels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "bytecode/classfile/classfile.h"
#include "vm/instrument/unloaded.h"
#include "vm/model/classloader.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"

typedef struct Found {
    const char *label;
    uint32_t id;
} Found;

static struct ClassLabels {
    char **text;  // by class id; NULL: the class's name
    uint32_t limit;
    Found *found;  // classes that come from files, sorted by label
    size_t found_count;
    uint32_t *loaders;  // numbers of loaders in labels, by serial; 0: none yet
    size_t loader_capacity;
    uint32_t loader_count;
} labels;

// ---- hidden classes ------------------------------------------------------------------------------

// Hashes the text without the class's own name, which contains a counter.
static uint32_t hash_text(uint32_t h, ClassFileUtf8 text, ClassFileUtf8 own) {
    const uint8_t *at = text.ptr, *end = at + text.len;
    for (const uint8_t *found; own.len && at && (found = memmem(at, (size_t)(end - at), own.ptr, own.len));
         at = found + own.len)
        h = hash_bytes(h, at, (size_t)(found - at));
    return at ? hash_bytes(h, at, (size_t)(end - at)) : h;
}

static uint32_t hash_constants(uint32_t h, const ClassFile *cf) {
    for (uint16_t i = 1; i < cf->cp_count; i++) {
        const CpEntry *e = &cf->cp[i];
        h = hash_bytes(h, &e->tag, 1);
        switch (e->tag) {
            case CP_UTF8: h = hash_text(h, classfile_utf8(cf, i), classfile_this_name(cf)); break;
            case CP_INTEGER:
            case CP_FLOAT: h = hash_bytes(h, &e->u.i, sizeof e->u.i); break;
            case CP_LONG:
            case CP_DOUBLE: h = hash_bytes(h, &e->u.j, sizeof e->u.j); break;
            case CP_CLASS:
            case CP_STRING:
            case CP_METHOD_TYPE: h = hash_bytes(h, &e->u.name_index, 2); break;
            case CP_METHOD_HANDLE: h = hash_bytes(hash_bytes(h, &e->ref_kind, 1), &e->u.ref_index, 2); break;
            case CP_UNUSABLE:
            case CP_MODULE:
            case CP_PACKAGE: break;
            default: h = hash_bytes(h, &e->u.ref, sizeof e->u.ref); break;  // two indexes
        }
    }
    return h;
}

// Hashes the contents of the class file without the class's name.
static uint32_t hash_class(const ClassFile *cf) {
    uint32_t h = hash_constants(HASH_START, cf);
    for (uint32_t i = 0; i < cf->field_count; i++) h = hash_bytes(h, &cf->fields[i].name_index, 2);
    for (uint32_t i = 0; i < cf->method_count; i++) {
        const ClassFileMethod *m = &cf->methods[i];
        h = hash_bytes(hash_bytes(h, &m->name_index, 2), &m->desc_index, 2);
        if (m->code) h = hash_bytes(h, m->code->code, m->code->code_len);
    }
    return h;
}

// Arrays are named after their elements.
char *classlabels_base(const Class *c) {
    const Class *element = class_is_array(c) ? c->element : c;
    char *text = NULL, hash[16] = "";
    if (!(element->cflags & CF_HIDDEN) || !element->place) return NULL;
    size_t n = strlen(element->place);
    if (n && element->place[n - 1] == '-' && element->file)
        snprintf(hash, sizeof hash, "%08x", hash_class(element->file));
    if (n > 1 && element->place[n - 1] == '-' && element->place[n - 2] == '+') n--;  // no place: the hash alone
    int dims = class_is_array(c) ? c->dims : 0;
    if (asprintf(&text, "%.*s%s%.*s%s%s", dims, "[[[[[[[[[[[[[[[[", dims ? "L" : "", (int)n, element->place, hash,
                 dims ? ";" : "") < 0)
        return NULL;
    return text;
}

LabelledClass classlabels_facts(const Class *c, const char *base) {
    bool apart = c->loader->java_loader && !c->loader->delegating;
    return (LabelledClass){c->id, base ? base : c->name->text, apart ? c->loader->serial : 0, c->loader->label,
                           c->cflags & CF_HIDDEN || !c->file};
}

// ---- all classes ---------------------------------------------------------------------------------

typedef struct All {
    LabelledClass *classes;
    char **bases;
    size_t count, capacity, base_count, base_capacity;
    bool failed;
} All;

static void add(void *arg, const LabelledClass *c) {
    All *all = arg;
    if (GROW(all->classes, all->capacity, all->count + 1)) all->classes[all->count++] = *c;
    else all->failed = true;
}

static All find_all(void) {
    All all = {0};
    for (uint32_t id = 1; id < class_id_limit(); id++) {
        const Class *c = class_by_id(id);
        if (!c || !c->name || !c->loader) continue;
        char *base = classlabels_base(c);
        LabelledClass facts = classlabels_facts(c, base);
        if (base && GROW(all.bases, all.base_capacity, all.base_count + 1)) all.bases[all.base_count++] = base;
        else if (base) all.failed = true;
        add(&all, &facts);
    }
    unloaded_each_class(add, &all);
    return all;
}

static int by_name(const void *x, const void *y) {
    const LabelledClass *a = x, *b = y;
    int order = a->name == b->name ? 0 : strcmp(a->name, b->name);
    if (order) return order;
    if (a->loader != b->loader) return a->loader < b->loader ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_age(const void *x, const void *y) {
    const LabelledClass *a = x, *b = y;
    return a->id < b->id ? -1 : a->id > b->id;
}

// ---- labels --------------------------------------------------------------------------------------

// A class that shares its name with others.
typedef struct Shared {
    LabelledClass c;
    bool by_loader;    // the classes of this name have several loaders
    uint32_t ordinal;  // among those of one name and loader, from 1
} Shared;

static void label(const Shared *s) {
    char loader[256] = "", ordinal[16] = "";
    if (s->by_loader && s->c.loader) {
        bool has_room = GROW_ZEROED(labels.loaders, labels.loader_capacity, s->c.loader + 1u);
        uint32_t *number = has_room ? &labels.loaders[s->c.loader] : NULL;
        if (number && !*number) *number = ++labels.loader_count;
        snprintf(loader, sizeof loader, "@%.200s#%u", s->c.loader_label, number ? *number : 0);
    }
    if (s->ordinal > 1) snprintf(ordinal, sizeof ordinal, "~%u", s->ordinal);
    char **to = &labels.text[s->c.id];
    if (asprintf(to, "%s%s%s", s->c.name, ordinal, loader) < 0) *to = NULL;
}

// Labels the classes, which are sorted by name and loader. Those that share a name are labelled in the order of their
// definition, so that loaders are numbered in that order.
static void label_all(const All *all, Shared *shared) {
    size_t count = 0;
    for (size_t i = 0, end; i < all->count; i = end) {
        const LabelledClass *first = &all->classes[i];
        for (end = i + 1; end < all->count && strcmp(all->classes[end].name, first->name) == 0;) end++;
        bool is_shared = end > i + 1 || strchr(first->name, '+'),
             by_loader = all->classes[end - 1].loader != first->loader;
        for (size_t k = i; k < end && is_shared; k++) {
            bool again = k > i && all->classes[k].loader == all->classes[k - 1].loader;
            shared[count] = (Shared){all->classes[k], by_loader, again ? shared[count - 1].ordinal + 1 : 1};
            count++;
        }
    }
    qsort(shared, count, sizeof *shared, by_age);
    for (size_t i = 0; i < count; i++) label(&shared[i]);
}

static int by_label(const void *x, const void *y) {
    return strcmp(((const Found *)x)->label, ((const Found *)y)->label);
}

void classlabels_make(void) {
    for (uint32_t i = 0; labels.text && i < labels.limit; i++) free(labels.text[i]);
    free(labels.text);
    free(labels.loaders);
    free(labels.found);
    labels = (struct ClassLabels){0};
    All all = find_all();
    uint32_t limit = class_id_limit();
    Shared *shared = calloc(all.count + 1, sizeof *shared);
    labels.text = calloc(limit, sizeof *labels.text);
    if (shared && labels.text && !all.failed) {
        labels.limit = limit;
        qsort(all.classes, all.count, sizeof *all.classes, by_name);
        label_all(&all, shared);
        labels.found = malloc((all.count + 1) * sizeof *labels.found);
        for (size_t i = 0; labels.found && i < all.count; i++) {
            const LabelledClass *c = &all.classes[i];
            if (!c->hidden) labels.found[labels.found_count++] = (Found){classlabels_of(c->id, c->name), c->id};
        }
        if (labels.found) qsort(labels.found, labels.found_count, sizeof *labels.found, by_label);
    }
    for (size_t i = 0; i < all.base_count; i++) free(all.bases[i]);
    free(all.bases);
    free(all.classes);
    free(shared);
}

const char *classlabels_of(uint32_t id, const char *name) {
    return id < labels.limit && labels.text[id] ? labels.text[id] : name;
}

uint32_t classlabels_find(const char *label) {
    const Found wanted = {label, 0}, *found = NULL;
    if (labels.found_count) found = bsearch(&wanted, labels.found, labels.found_count, sizeof wanted, by_label);
    return found ? found->id : 0;
}

#include "vm/instrument/classlabels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/loader.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/objects/string.h"

static struct ClassLabels {
    char **text;             // by class id; NULL: the name
    uint32_t limit;
    const Loader **loaders;  // of labels, by number - 1
    uint32_t loader_count;
} labels;

// Names are symbols, so equal ones have one address.
static int by_name(const void *x, const void *y) {
    const Class *a = *(const Class *const *)x, *b = *(const Class *const *)y;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_age(const void *x, const void *y) {
    const Class *a = *(const Class *const *)x, *b = *(const Class *const *)y;
    return a->id < b->id ? -1 : a->id > b->id;
}

static uint32_t number_of(const Loader *l) {
    for (uint32_t i = labels.loader_count; i > 0; i--)
        if (labels.loaders[i - 1] == l) return i;
    labels.loaders[labels.loader_count++] = l;
    return labels.loader_count;
}

// The loader's own name or its class's, without what separates packages, members and columns.
static char *loader_text(const Loader *l) {
    Object *name = get_ref(l->java_loader, WK_OFF(java_lang_ClassLoader, name));
    const char *class_name = object_class(l->java_loader)->name->text, *slash = strrchr(class_name, '/');
    char *text = name ? string_to_mutf8(name) : strdup(slash ? slash + 1 : class_name);
    for (char *p = text; p && *p; p++)
        if (strchr("/.:;@# ", *p)) *p = '_';
    return text;
}

static void label(const Class *c) {
    char *loader = loader_text(c->loader);
    if (loader && asprintf(&labels.text[c->id], "%s@%s#%u", c->name->text, loader, number_of(c->loader)) < 0)
        labels.text[c->id] = NULL;
    free(loader);
}

static void forget(void) {
    for (uint32_t i = 0; labels.text && i < labels.limit; i++) free(labels.text[i]);
    free(labels.text);
    free(labels.loaders);
    labels = (struct ClassLabels){0};
}

void classlabels_make(void) {
    forget();
    uint32_t limit = class_id_limit(), count = 0, shared_count = 0;
    const Class **all = calloc(limit, sizeof *all), **shared = calloc(limit, sizeof *shared);
    labels.text = calloc(limit, sizeof *labels.text);
    labels.loaders = calloc(limit, sizeof *labels.loaders);
    labels.limit = limit;
    if (!all || !shared || !labels.text || !labels.loaders) {
        forget();
        free(all);
        free(shared);
        return;
    }
    for (uint32_t id = 1; id < limit; id++) {
        const Class *c = class_by_id(id);
        if (c && c->name && c->loader && !(c->cflags & CF_HIDDEN)) all[count++] = c;
    }
    qsort(all, count, sizeof *all, by_name);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end]->name == all[i]->name;) end++;
        for (uint32_t k = i; end > i + 1 && k < end; k++)
            if (all[k]->loader->java_loader) shared[shared_count++] = all[k];
    }
    qsort(shared, shared_count, sizeof *shared, by_age);
    for (uint32_t i = 0; i < shared_count; i++) label(shared[i]);
    free(shared);
    free(all);
}

const char *classlabels_of(const Class *c) {
    return c->id < labels.limit && labels.text[c->id] ? labels.text[c->id] : c->name->text;
}

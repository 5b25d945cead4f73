#include "profiler/store/nodes.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
    uint64_t x = ((const Node *)a)->number, y = ((const Node *)b)->number;
    return x < y ? -1 : x > y;
}

// Compares the columns after the parent's number.
static int by_step(const void *a, const void *b) {
    const uint64_t *x = (*(Node *const *)a)->key, *y = (*(Node *const *)b)->key;
    for (int i = 2; i < TABLE_KEYS; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

// Combined tables are sorted by number already.
static void sort_by_number(Nodes *n) {
    bool sorted = true;
    for (size_t i = 1; i < n->count && sorted; i++) sorted = by_number(&n->node[i - 1], &n->node[i]) <= 0;
    if (!sorted) qsort(n->node, n->count, sizeof *n->node, by_number);
}

// About as many first positions as nodes.
static bool find_first(Nodes *n) {
    uint32_t bits = 1;
    while (bits < 32 && (size_t)1 << bits < n->count) bits++;
    n->shift = 64 - bits;
    n->first = malloc((((size_t)1 << bits) + 1) * sizeof *n->first);
    if (!n->first) return false;
    size_t at = 0;
    for (size_t lead = 0; lead >> bits == 0; lead++) {
        while (at < n->count && n->node[at].number >> n->shift < lead) at++;
        n->first[lead] = at;
    }
    n->first[(size_t)1 << bits] = n->count;
    return true;
}

static const Node *find(const Nodes *n, uint64_t number) {
    size_t low = n->first[number >> n->shift], high = n->first[(number >> n->shift) + 1];
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (n->node[mid].number < number) low = mid + 1;
        else high = mid;
    }
    return low < n->count && n->node[low].number == number ? &n->node[low] : NULL;
}

const Node *nodes_find(Nodes *n, uint64_t number) {
    if (!n->count) return NULL;
    const Node *node = n->next < n->count && n->node[n->next].number == number ? &n->node[n->next] : find(n, number);
    if (node) n->next = (size_t)(node - n->node) + 1;
    return node;
}

// Children of the root, or of a node.
typedef struct Family {
    size_t parent;     // the family that the parent is a child in
    size_t next, end;  // those not numbered yet
} Family;

// Family 0 has the root's children, i + 1 those of node i, and the last one nodes whose parents are missing.
static void find_families(const Nodes *n, Family *families, Node **children) {
    for (size_t i = 0; i < n->count; i++) {
        uint64_t parent = n->node[i].key[1];
        const Node *up = parent ? find(n, parent) : NULL;
        families[i + 1].parent = up ? (size_t)(up - n->node) + 1 : parent ? n->count + 1 : 0;
        families[families[i + 1].parent].end++;
    }
    size_t end = 0;
    for (size_t f = 0; f <= n->count + 1; f++) {
        families[f].next = end;
        end = families[f].end += end;
        families[f].end = families[f].next;
    }
    for (size_t i = 0; i < n->count; i++) children[families[families[i + 1].parent].end++] = &n->node[i];
    for (size_t f = 0; f <= n->count; f++)
        if (families[f].end - families[f].next > 1)
            qsort(children + families[f].next, families[f].end - families[f].next, sizeof *children, by_step);
}

static void number_nodes(const Nodes *n, Family *families, Node **children) {
    uint64_t index = 0;
    size_t at = 0;
    for (;;) {
        if (families[at].next < families[at].end) {
            Node *child = children[families[at].next++];
            child->index = ++index;
            child->parent_index = at ? n->node[at - 1].index : 0;
            at = (size_t)(child - n->node) + 1;
        } else if (at == 0) {
            return;
        } else {
            at = families[at].parent;
        }
    }
}

bool nodes_take(Nodes *n, const Table *rows) {
    nodes_free(n);
    if (!rows->count) return true;
    n->node = calloc(rows->count, sizeof *n->node);
    Family *families = calloc(rows->count + 2, sizeof *families);
    Node **children = malloc(rows->count * sizeof(Node *));
    bool ok = n->node && families && children;
    if (ok) {
        n->count = rows->count;
        for (size_t i = 0; i < rows->count; i++)
            n->node[i] = (Node){.number = *rows->rows[i].key, .key = rows->rows[i].key};
        sort_by_number(n);
        ok = find_first(n);
    }
    if (ok) {
        find_families(n, families, children);
        number_nodes(n, families, children);
    } else {
        nodes_free(n);
    }
    free(families);
    free(children);
    return ok;
}

void nodes_free(Nodes *n) {
    free(n->node);
    free(n->first);
    *n = (Nodes){0};
}

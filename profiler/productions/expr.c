// Expressions of productions: their pool, the tables of words, and conversion to text. Equal expressions are stored
// once, so places where matching leaves the same condition share it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "profiler/productions/productions_internal.h"

// ---- tables -------------------------------------------------------------------------------------

const PlaceRow productions_places[PLACES] = {
#define PLACE(id, event, has, text) {EVENT_##event, has, text},
#include "profiler/productions/words.def"
};

#define ANY -1, -1
#define OPCODES(from, to) OPC_##from, OPC_##to
const ClassRow productions_classes[] = {
#define CLASS(word, places, opcodes) {word, places, opcodes},
#include "profiler/productions/words.def"
};
const uint32_t productions_class_count = sizeof productions_classes / sizeof *productions_classes;

const AtomRow *productions_atom(ExprKind kind) {
    static const AtomRow rows[EXPR_KINDS] = {
#define ATOM(id, word, form, kind) [EXPR_##id] = {word, FORM_##form, kind},
#include "profiler/productions/words.def"
    };
    return kind < EXPR_KINDS && rows[kind].word ? &rows[kind] : NULL;
}

const HandlerRow productions_handlers[HANDLERS] = {
#define HANDLER(id, name, place_event, places) {name, place_event, places},
#include "profiler/productions/words.def"
};

const KeyRow productions_keys[KEYS] = {
#define KEY(id, word, numbers, has) {word, numbers, has},
#include "profiler/productions/words.def"
};
const char *productions_place_text(enum ProductionPlace place) { return productions_places[place].text; }

const char *const productions_relations[] = {"==", "!=", "<", "<=", ">", ">="};

// ---- the pool -----------------------------------------------------------------------------------

static bool same(const Expr *a, const Expr *b) {
    return a->kind == b->kind && a->relation == b->relation && a->which == b->which && a->type == b->type &&
        a->left == b->left && a->right == b->right && a->number == b->number &&
        (a->pattern == b->pattern || (a->pattern && b->pattern && strcmp(a->pattern, b->pattern) == 0));
}

static uint32_t hash(const Expr *e) {
    uint64_t h = e->kind + 8u * e->relation + 64u * e->which + ((uint64_t)e->left << 20) + ((uint64_t)e->right << 40);
    h = (h ^ (uint64_t)e->number * 31) * UINT64_C(0x9e3779b97f4a7c15);
    for (const char *c = e->pattern; c && *c; c++) h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (uint32_t)(h >> 32) & (EXPR_HASH - 1);
}

const Expr *productions_expr(const Productions *p, uint32_t i) { return &p->blocks[i / EXPR_BLOCK][i % EXPR_BLOCK]; }

uint32_t productions_add_expr(Productions *p, const Expr *e, bool *ok) {
    uint32_t slot = hash(e);
    for (; p->hash[slot]; slot = (slot + 1) & (EXPR_HASH - 1))
        if (same(productions_expr(p, p->hash[slot] - 1), e)) return p->hash[slot] - 1;
    uint32_t i = p->expr_count;
    if (i < EXPR_MOST && !p->blocks[i / EXPR_BLOCK]) p->blocks[i / EXPR_BLOCK] = calloc(EXPR_BLOCK, sizeof(Expr));
    if (i >= EXPR_MOST || !p->blocks[i / EXPR_BLOCK]) {
        *ok = false;
        return FALSE_EXPR;
    }
    p->blocks[i / EXPR_BLOCK][i % EXPR_BLOCK] = *e;
    p->hash[slot] = i + 1;
    return p->expr_count++;
}

uint32_t productions_not(Productions *p, uint32_t a, bool *ok) {
    const Expr *e = productions_expr(p, a);
    if (a == FALSE_EXPR || a == TRUE_EXPR) return a == FALSE_EXPR ? TRUE_EXPR : FALSE_EXPR;
    if (e->kind == EXPR_NOT) return e->left;
    return productions_add_expr(p, &(Expr){.kind = EXPR_NOT, .left = a, .line = e->line, .column = e->column}, ok);
}

uint32_t productions_both(Productions *p, ExprKind kind, uint32_t a, uint32_t b, bool *ok) {
    uint32_t decides = kind == EXPR_AND ? FALSE_EXPR : TRUE_EXPR, neutral = kind == EXPR_AND ? TRUE_EXPR : FALSE_EXPR;
    if (a == decides || b == decides) return decides;
    if (a == neutral || a == b) return b;
    if (b == neutral) return a;
    const Expr *e = productions_expr(p, a);
    return productions_add_expr(
        p, &(Expr){.kind = (uint8_t)kind, .left = a, .right = b, .line = e->line, .column = e->column}, ok);
}

Productions *productions_new(void) {
    Productions *p = calloc(1, sizeof *p);
    bool ok = p != NULL;
    if (p) p->hash = calloc(EXPR_HASH, sizeof *p->hash);
    if (p) p->scratch = malloc(SCRATCH);
    if (!p || !p->hash || !p->scratch) ok = false;
    if (ok) productions_add_expr(p, &(Expr){.kind = EXPR_FALSE}, &ok);
    if (ok) productions_add_expr(p, &(Expr){.kind = EXPR_TRUE}, &ok);
    if (ok) return p;
    productions_free(p);
    return NULL;
}

void productions_free(Productions *p) {
    if (!p) return;
    for (uint32_t i = 0; i < EXPR_BLOCKS; i++) free(p->blocks[i]);
    for (uint32_t i = 0; i < p->rule_count; i++)
        for (CounterOp *op = p->rules[i].operations, *next; op; op = next) {
            next = op->next;
            free(op);
        }
    for (OwnedText *t = p->texts, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(p->shipped);
    free(p->hash);
    free(p->scratch);
    free(p);
}

// ---- access -------------------------------------------------------------------------------------

bool productions_take_contexts(const Productions *p) {
    for (uint32_t i = 0; i < p->rule_count; i++)
        if (p->rules[i].frames) return true;
    return false;
}

uint32_t productions_count(const Productions *p) { return p->rule_count; }
const Production *productions_get(const Productions *p, uint32_t i) { return &p->rules[i]; }
const ProductionShape *productions_shape(const Productions *p) { return &p->shape; }

uint32_t productions_register_count(const Productions *p) { return p->register_count; }
Register *productions_register(Productions *p, uint32_t i) { return &p->registers[i]; }

int productions_find_register(const Productions *p, const char *name, size_t length) {
    for (uint32_t i = 0; i < p->register_count; i++)
        if (strlen(p->registers[i].name) == length && memcmp(p->registers[i].name, name, length) == 0) return (int)i;
    return -1;
}

// ---- text ---------------------------------------------------------------------------------------

static void put(const Productions *p, uint32_t at, int level, FILE *out) {
    static const char *const sources[] = {"object", "value", "size", "edge", "class", "caller"};
    const Expr *e = productions_expr(p, at);
    const AtomRow *row = productions_atom(e->kind);
    switch ((ExprKind)e->kind) {
        case EXPR_FALSE: fputs("never", out); return;
        case EXPR_TRUE: fputs("always", out); return;
        case EXPR_NOT:
            putc('!', out);
            put(p, e->left, 2, out);
            return;
        case EXPR_AND:
        case EXPR_OR: {
            int own = e->kind == EXPR_AND;
            if (level > own) putc('(', out);
            put(p, e->left, own, out);
            fputs(own ? " && " : " || ", out);
            put(p, e->right, own, out);
            if (level > own) putc(')', out);
            return;
        }
        case EXPR_CLASS: fputs(productions_classes[e->number].word, out); return;
        case EXPR_ZERO: fprintf(out, "zero_%" PRId64, e->number + 1); return;
        case EXPR_OVERFLOW: fprintf(out, "overflow_%" PRId64, e->number + 1); return;
        case EXPR_BURST: fputs("burst", out); return;
        case EXPR_DYNAMIC_TYPE: fprintf(out, "type == \"%s\"", e->pattern); return;
        case EXPR_ARG: fprintf(out, "arg(%u)", e->which); break;
        case EXPR_OPERAND:
            if (e->which < SOURCE_OBJECT) fprintf(out, "operand %u", e->which + 1u);
            else fputs(sources[e->which - SOURCE_OBJECT], out);
            break;
        default:
            if (row) fputs(row->word, out);
            break;
    }
    fprintf(out, " %s ", productions_relations[e->relation]);
    if (e->pattern) fprintf(out, "\"%s\"", e->pattern);
    else if (e->kind == EXPR_OPCODE) fputs(opcodes_name((unsigned)e->number), out);
    else if (e->type == 'A') fputs("null", out);
    else fprintf(out, "%" PRId64, e->number);
}

char *productions_text(const Productions *p, uint32_t expr) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    put(p, expr, 0, out);
    return fclose(out) == 0 ? text : NULL;
}

// Reading productions: parses texts to expressions, actions and counter operations. Every message gives file, line and
// column, what was found and what was expected. Texts are untrusted: everything is checked, and their size is bounded.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "bytecode/classfile/opcodes.h"
#include "profiler/productions/productions_internal.h"

enum { MOST_DEPTH = 100, MOST_TEXT = 1 << 20 };

typedef enum TokenKind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_BAD } TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *start;
    size_t length;
    int64_t number;
    uint32_t line, column;
} Token;

typedef struct Parser {
    Productions *p;
    const char *name, *directory;
    const char *at, *end, *line_start;
    uint32_t line;
    Token token;  // the current token
    int depth;
    bool failed;
    char *error;
    size_t error_size;
} Parser;

__attribute__((format(printf, 4, 5))) static bool fail_at(Parser *r, uint32_t line, uint32_t column, const char *format,
                                                          ...) {
    char what[384];
    va_list args;
    if (r->failed) return false;
    r->failed = true;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    snprintf(r->error, r->error_size, "%s:%u:%u: %s", r->name, line, column, what);
    return false;
}

#define fail(r, ...) fail_at(r, (r)->token.line, (r)->token.column, __VA_ARGS__)

// ---- tokens -------------------------------------------------------------------------------------

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return is_letter(c) || is_digit(c); }

static void skip_blanks(Parser *r) {
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (*r->at == '#') {
            while (r->at + 1 < r->end && r->at[1] != '\n') r->at++;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
            return;
        }
    }
}

static void take(Parser *r, TokenKind kind, size_t length) {
    r->token.kind = kind;
    r->token.start = r->at;
    r->token.length = length;
    r->at += length;
}

// A number, optionally followed by k, m or g for 1024 and its powers.
static void number(Parser *r) {
    const char *c = r->at;
    int64_t n = 0;
    bool fits = true;
    for (; c < r->end && is_digit(*c); c++)
        fits &= !__builtin_mul_overflow(n, 10, &n) && !__builtin_add_overflow(n, *c - '0', &n);
    const char *unit = c < r->end && *c ? strchr("kmg", *c | 0x20) : NULL;
    for (const char *u = "kmg"; unit && fits && u <= unit; u++) fits &= !__builtin_mul_overflow(n, 1024, &n);
    unit = c < r->end && *c && strchr("kmgKMG", *c) ? c + 1 : c;
    bool ends = unit == r->end || !is_name(*unit);
    r->token.number = n;
    take(r, fits && ends ? TOKEN_NUMBER : TOKEN_BAD, (size_t)(unit - r->at));
    if (!ends) fail(r, "a number ends with a digit, k, m or g");
    else if (!fits)
        fail(r, "the number %.*s is too large", (int)(r->token.length < 40 ? r->token.length : 40), r->token.start);
}

static void string(Parser *r) {
    const char *c = r->at + 1;
    while (c < r->end && *c != '"' && *c != '\n') c++;
    if (c < r->end && *c == '"') {
        take(r, TOKEN_STRING, (size_t)(c - r->at) + 1);
        return;
    }
    take(r, TOKEN_BAD, (size_t)(c - r->at));
    fail(r, "the text has no closing quote in its line");
}

static void next(Parser *r) {
    static const char *const signs[] = {"&&", "||", "==", "!=", "<=", ">=", "=>"};
    skip_blanks(r);
    r->token.line = r->line;
    r->token.column = (uint32_t)(r->at - r->line_start) + 1;
    if (r->failed || r->at >= r->end) {
        take(r, TOKEN_END, 0);
        return;
    }
    if (is_letter(*r->at)) {
        size_t n = 1;
        while (r->at + n < r->end && is_name(r->at[n])) n++;
        take(r, TOKEN_WORD, n);
    } else if (is_digit(*r->at)) {
        number(r);
    } else if (*r->at == '"') {
        string(r);
    } else {
        size_t n = *r->at && strchr("!(),;:=<>-+", *r->at) ? 1 : 0;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (r->end - r->at >= 2 && memcmp(r->at, signs[i], 2) == 0) n = 2;
        take(r, n ? TOKEN_SIGN : TOKEN_BAD, n ? n : 1);
        if (!n && (unsigned char)*r->token.start >= ' ' && (unsigned char)*r->token.start < 0x7f)
            fail(r, "'%c' stands where nothing begins with it", *r->token.start);
        else if (!n) fail(r, "a byte %u stands where nothing begins with it", (unsigned char)*r->token.start);
    }
}

static bool is_sign(const Parser *r, const char *sign) {
    return r->token.kind == TOKEN_SIGN && r->token.length == strlen(sign) &&
        memcmp(r->token.start, sign, r->token.length) == 0;
}

static bool is_word(const Parser *r, const char *word) {
    return r->token.kind == TOKEN_WORD && r->token.length == strlen(word) &&
        memcmp(r->token.start, word, r->token.length) == 0;
}

static bool expected(Parser *r, const char *what) {
    if (r->token.kind == TOKEN_END) return fail(r, "%s is expected, but the text ends", what);
    int n = (int)(r->token.length < 40 ? r->token.length : 40);
    return fail(r, "%s is expected, not %.*s", what, n, r->token.start);
}

static bool accept(Parser *r, const char *sign) {
    if (r->failed || !is_sign(r, sign)) return false;
    next(r);
    return true;
}

static bool expect(Parser *r, const char *sign) {
    char what[8];
    if (accept(r, sign)) return true;
    snprintf(what, sizeof what, "'%s'", sign);
    return expected(r, what);
}

static bool out_of_memory(Parser *r) { return fail(r, "out of memory"); }

// A copy that lives as long as the productions.
static const char *keep(Productions *p, const char *text, size_t length) {
    OwnedText *t = malloc(sizeof *t + length + 1);
    if (!t) return NULL;
    memcpy(t->text, text, length);
    t->text[length] = '\0';
    t->next = p->texts;
    p->texts = t;
    return t->text;
}

// ---- expressions --------------------------------------------------------------------------------

static uint32_t disjunction(Parser *r);

static uint32_t add(Parser *r, Expr e) {
    bool ok = true;
    uint32_t at = productions_add_expr(r->p, &e, &ok);
    if (!ok) fail_at(r, e.line, e.column, "there are too many different conditions, or no memory for them");
    return at;
}

static bool relation(Parser *r, Relation *to, bool only_equal) {
    for (int i = 0; i <= (only_equal ? REL_NE : REL_GE); i++) {
        if (!is_sign(r, productions_relations[i])) continue;
        *to = (Relation)i;
        return true;  // the caller continues: a pattern may follow
    }
    return expected(r, only_equal ? "== or !=" : "==, !=, <, <=, > or >=");
}

// Parses the pattern after a comparison: quoted, or all characters that names may have. `=>` ends it.
static const char *pattern(Parser *r) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == '"') {
        next(r);
        if (r->failed) return NULL;
        if (r->token.length == 2) return expected(r, "a pattern that is not empty"), NULL;
        const char *text = keep(r->p, r->token.start + 1, r->token.length - 2);
        if (!text) out_of_memory(r);
        else if (strlen(text) != r->token.length - 2) fail(r, "a pattern contains a zero byte"), text = NULL;
        next(r);
        return text;
    }
    size_t n = 0;
    for (; r->at + n < r->end; n++) {
        char c = r->at[n];
        if (!is_name(c) && !(c && strchr("$.*/<>[]-", c)) && (unsigned char)c < 0x80) break;
    }
    if (n == 0) return next(r), expected(r, "a pattern, as demo.*, byte[] or \"demo.Main.run(I)V\""), NULL;
    const char *text = keep(r->p, r->at, n);
    r->at += n;
    next(r);
    if (!text) out_of_memory(r);
    return text;
}

static bool counter_number(Parser *r, const Token *t, size_t skip, int64_t *n) {
    *n = 0;
    for (size_t i = skip; i < t->length; i++) {
        if (!is_digit(t->start[i]) || *n > PRODUCTION_COUNTERS) {
            *n = 0;
            break;
        }
        *n = *n * 10 + t->start[i] - '0';
    }
    if (*n >= 1 && *n <= PRODUCTION_COUNTERS) return true;
    return fail_at(r, t->line, t->column, "a counter has a number from 1 to %d, as in %.*s1", PRODUCTION_COUNTERS,
                   (int)(skip < 12 ? skip : 12), t->start);
}

static bool begins(const Token *t, const char *with) {
    size_t n = strlen(with);
    return t->length >= n && memcmp(t->start, with, n) == 0;
}

// burst, zero_N, overflow_N.
static bool flag(Parser *r, uint32_t *to) {
    static const struct {
        const char *word;
        ExprKind kind;
    } flags[] = {{"zero_", EXPR_ZERO}, {"overflow_", EXPR_OVERFLOW}};
    Token t = r->token;
    if (is_word(r, "burst")) {
        next(r);
        *to = add(r, (Expr){.kind = EXPR_BURST, .line = t.line, .column = t.column});
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (!begins(&t, flags[i].word)) continue;
        int64_t n;
        if (!counter_number(r, &t, strlen(flags[i].word), &n)) return true;
        next(r);
        *to = add(r, (Expr){.kind = flags[i].kind, .number = n - 1, .line = t.line, .column = t.column});
        return true;
    }
    return false;
}

static bool signed_number(Parser *r, int64_t *n, const char *what) {
    bool negative = accept(r, "-");
    if (r->token.kind != TOKEN_NUMBER) return expected(r, what);
    *n = negative ? -r->token.number : r->token.number;
    next(r);
    return !r->failed;
}

// RELATION NUMBER, or == null.
static bool operand(Parser *r, Expr *e) {
    Relation relation_;
    if (!relation(r, &relation_, false)) return false;
    e->relation = relation_;
    next(r);
    if (!is_word(r, "null")) return signed_number(r, &e->number, "a number or null");
    if (relation_ > REL_NE) return fail(r, "null is compared with == and != alone");
    e->type = 'A';
    next(r);
    return true;
}

static bool opcode(Parser *r, Expr *e) {
    Relation relation_;
    if (!relation(r, &relation_, true)) return false;
    e->relation = relation_;
    next(r);
    for (int i = 0; i < 256; i++) {
        if (r->token.kind != TOKEN_WORD || !opcodes_info[i].name || !is_word(r, opcodes_info[i].name)) continue;
        e->number = i;
        next(r);
        return true;
    }
    return expected(r, "an instruction's name, as getfield or if_icmplt,");
}

static bool compare_with(Parser *r, const AtomRow *row, Expr *e) {
    Relation relation_;
    switch (row->form) {
        case FORM_OPERAND: return operand(r, e);
        case FORM_OPCODE: return opcode(r, e);
        case FORM_NUMBER:
            if (!relation(r, &relation_, false)) return false;
            e->relation = relation_;
            next(r);
            return signed_number(r, &e->number, "a number");
        case FORM_PATTERN:
            if (!relation(r, &relation_, true)) return false;
            e->relation = relation_;
            e->pattern = pattern(r);
            return e->pattern && !r->failed;
    }
    return false;
}

static uint32_t argument(Parser *r) {
    Expr e = {.kind = EXPR_ARG, .line = r->token.line, .column = r->token.column};
    next(r);
    if (!expect(r, "(")) return FALSE_EXPR;
    if (r->token.kind != TOKEN_NUMBER || r->token.number > 255)
        return expected(r, "the number of an argument, the first being 1,"), FALSE_EXPR;
    e.which = (uint8_t)r->token.number;
    next(r);
    if (!expect(r, ")") || !operand(r, &e)) return FALSE_EXPR;
    return add(r, e);
}

// A word and its comparison.
static bool compared(Parser *r, uint32_t *to) {
    for (ExprKind kind = 0; kind < EXPR_KINDS; kind++) {
        const AtomRow *row = productions_atom(kind);
        if (!row || !is_word(r, row->word)) continue;
        Expr e = {.kind = (uint8_t)kind, .line = r->token.line, .column = r->token.column};
        next(r);
        if (!compare_with(r, row, &e)) return true;
        // only the positive form of a pattern is stored
        bool negated = row->form == FORM_PATTERN && e.relation == REL_NE;
        if (negated) e.relation = REL_EQ;
        bool ok = true;
        *to = add(r, e);
        if (negated) *to = productions_not(r->p, *to, &ok);
        if (!ok) fail(r, "there are too many different conditions");
        return true;
    }
    return false;
}

static uint32_t atom(Parser *r) {
    uint32_t e = FALSE_EXPR;
    if (accept(r, "(")) {
        if (++r->depth > MOST_DEPTH) return fail(r, "more than %d parentheses are open", MOST_DEPTH), FALSE_EXPR;
        e = disjunction(r);
        r->depth--;
        expect(r, ")");
        return e;
    }
    if (r->token.kind == TOKEN_WORD) {
        if (is_word(r, "arg")) return argument(r);
        if (flag(r, &e) || compared(r, &e)) return e;
        for (uint32_t i = 0; i < productions_class_count; i++) {
            if (!is_word(r, productions_classes[i].word)) continue;
            e = add(r, (Expr){.kind = EXPR_CLASS, .number = i, .line = r->token.line, .column = r->token.column});
            next(r);
            return e;
        }
    }
    expected(
        r,
        "a class of instructions (entry, call, get, ...) or a condition (method == ..., zero_1, value == null, ...)");
    return FALSE_EXPR;
}

static uint32_t negation(Parser *r) {
    bool ok = true, negative = false;
    while (accept(r, "!")) negative = !negative;
    uint32_t e = atom(r);
    if (negative) e = productions_not(r->p, e, &ok);
    if (!ok) fail(r, "there are too many different conditions");
    return e;
}

static uint32_t conjunction(Parser *r) {
    bool ok = true;
    uint32_t e = negation(r);
    while (accept(r, "&&")) e = productions_both(r->p, EXPR_AND, e, negation(r), &ok);
    if (!ok) fail(r, "there are too many different conditions");
    return e;
}

static uint32_t disjunction(Parser *r) {
    bool ok = true;
    uint32_t e = conjunction(r);
    while (accept(r, "||")) e = productions_both(r->p, EXPR_OR, e, conjunction(r), &ok);
    if (!ok) fail(r, "there are too many different conditions");
    return e;
}

// ---- actions ------------------------------------------------------------------------------------

// [-] NUMBER | REGISTER | random ( NUMBER | REGISTER ), then [+ NUMBER]
static bool counter_value(Parser *r, CounterValue *v, bool may_be_random) {
    *v = (CounterValue){.negative = accept(r, "-"), .reg = -1};
    if (may_be_random && is_word(r, "random")) {
        v->random = true;
        next(r);
        if (!expect(r, "(")) return false;
    }
    if (r->token.kind == TOKEN_NUMBER) {
        v->number = r->token.number;
        if (v->number > UINT32_MAX) return fail(r, "a counter is set to less than 4294967296");
    } else if (r->token.kind == TOKEN_WORD) {
        v->reg = productions_find_register(r->p, r->token.start, r->token.length);
        if (v->reg < 0) return expected(r, "a number or a register that was declared before (register NAME = NUMBER;)");
    } else {
        return expected(r, "a number or the name of a register");
    }
    next(r);
    if (v->random && !expect(r, ")")) return false;
    if (!accept(r, "+")) return !r->failed;
    if (r->token.kind != TOKEN_NUMBER || r->token.number > UINT32_MAX)
        return expected(r, "a number less than 4294967296");
    v->plus = r->token.number;
    next(r);
    return true;
}

// inc_N, dec_N, set_N(value).
static bool operation(Parser *r, Production *rule, bool *is) {
    static const char *const names[] = {
#define OPERATION(id, word) word "_",
#include "profiler/productions/words.def"
    };
    Token t = r->token;
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        int64_t n;
        if (t.kind != TOKEN_WORD || !begins(&t, names[i])) continue;
        *is = true;
        CounterOp op = {.operation = (uint8_t)i};
        if (!counter_number(r, &t, strlen(names[i]), &n)) return false;
        op.counter = (uint8_t)(n - 1);
        next(r);
        if (i == OPERATION_SET && (!expect(r, "(") || !counter_value(r, &op.value, false) || !expect(r, ")")))
            return false;
        CounterOp **last = &rule->operations;
        while (*last) last = &(*last)->next;
        *last = malloc(sizeof op);
        if (!*last) return out_of_memory(r);
        **last = op;
        return true;
    }
    return true;
}

static bool key(Parser *r, Production *rule) {
    int used = 0;
    for (uint32_t i = 0; i < rule->key_count; i++) used += productions_keys[rule->keys[i]].numbers;
    for (int i = 0; i < KEYS; i++) {
        if (!is_word(r, productions_keys[i].word)) continue;
        for (uint32_t k = 0; k < rule->key_count; k++)
            if (rule->keys[k] == i) return fail(r, "%s is named twice", productions_keys[i].word);
        if (used + productions_keys[i].numbers > PRODUCTION_KEYS)
            return fail(r, "a row's key has room for %d numbers: site and caller take two, the others one",
                        PRODUCTION_KEYS);
        if (i == KEY_OF_WITH && (!rule->key_count || rule->keys[rule->key_count - 1] != KEY_OF_SITE))
            return fail(r, "with needs site in front of it");
        rule->keys[rule->key_count++] = (uint8_t)i;
        next(r);
        return true;
    }
    char known[128] = "";
    for (int i = 0; i < KEYS; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", productions_keys[i].word);
    strncat(known, ": one of them", sizeof known - strlen(known) - 1);
    return expected(r, known);
}

static bool count_action(Parser *r, Production *rule) {
    if (rule->counts) return fail(r, "a production counts once");
    rule->counts = true;
    rule->key_columns = (uint64_t)r->token.line << 32 | r->token.column;
    next(r);
    if (!expect(r, "(")) return false;
    if (accept(r, ")")) return true;
    do {
        if (!key(r, rule)) return false;
    } while (accept(r, ","));
    return expect(r, ")");
}

// context or context(N).
static bool context_action(Parser *r, Production *rule) {
    enum { USUAL_FRAMES = 8 };
    if (rule->frames) return fail(r, "a production takes one calling context");
    rule->frames = USUAL_FRAMES;
    next(r);
    if (!accept(r, "(")) return !r->failed;
    if (r->token.kind != TOKEN_NUMBER || r->token.number < 1 || r->token.number > PRODUCTION_FRAMES)
        return expected(r, "a number of frames from 1 to 32");
    rule->frames = (uint8_t)r->token.number;
    next(r);
    return expect(r, ")");
}

static bool add_handler(Parser *r, Production *rule, enum ProductionHandler handler, const Token *at) {
    if (rule->handlers >> handler & 1)
        return fail_at(r, at->line, at->column, "the handler %s is named twice", productions_handlers[handler].name);
    rule->handlers |= 1u << handler;
    if (!rule->key_columns) rule->key_columns = (uint64_t)at->line << 32 | at->column;
    return true;
}

// handler(analysis): the name has hyphens, which pattern() accepts.
static bool handler_action(Parser *r, Production *rule) {
    Token at = r->token;
    next(r);
    if (!is_sign(r, "(")) return expected(r, "'('");
    const char *name = pattern(r);
    if (!name) return false;
    for (int i = 0; i < HANDLERS; i++)
        if (strcmp(productions_handlers[i].name, name) == 0) return add_handler(r, rule, i, &at) && expect(r, ")");
    char known[256] = "";
    for (int i = 0; i < HANDLERS; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 productions_handlers[i].name);
    return fail_at(r, at.line, at.column, "no analysis %.60s has a handler; there are %s", name, known);
}

static bool burst_action(Parser *r, Production *rule, ProductionBurst burst) {
    if (rule->burst) return fail(r, "a production starts or stops a burst once");
    rule->burst = burst;
    next(r);
    return !r->failed;
}

static bool action(Parser *r, Production *rule) {
    static const char *const words[] = {
#define ACTION(id, word) word,
#include "profiler/productions/words.def"
    };
    enum {
#define ACTION(id, word) ACTION_##id,
#include "profiler/productions/words.def"
        ACTIONS
    };
    bool is = false;
    if (!operation(r, rule, &is) || is) return !r->failed;
    Token at = r->token;
    int which = 0;
    while (which < ACTIONS && !is_word(r, words[which])) which++;
    switch (which) {
        case ACTION_NULL: next(r); return !r->failed;
        case ACTION_COUNT: return count_action(r, rule);
        case ACTION_CONTEXT: return context_action(r, rule);
        case ACTION_STREAM: next(r); return add_handler(r, rule, HANDLER_hot_stream, &at);
        case ACTION_HANDLER: return handler_action(r, rule);
        case ACTION_BURST_START: return burst_action(r, rule, BURST_START);
        case ACTION_BURST_STOP: return burst_action(r, rule, BURST_STOP);
        default:
            return expected(
                r,
                "an action (null, count(...), context, stream, ...) or a counter operation (inc_1, dec_1, set_1(...))");
    }
}

// ---- items --------------------------------------------------------------------------------------

static bool add_file(Parser *from, Productions *p, const char *directory, const char *path, char *error,
                     size_t error_size);

static bool use_item(Parser *r) {
    next(r);
    if (r->token.kind != TOKEN_STRING || r->token.length == 2) return expected(r, "a file's name in quotes");
    char *path = strndup(r->token.start + 1, r->token.length - 2);
    if (!path) return out_of_memory(r);
    bool ok = add_file(r, r->p, r->directory, path, r->error, r->error_size);
    if (!ok) r->failed = true;
    free(path);
    next(r);
    return ok && expect(r, ";");
}

static bool register_item(Parser *r) {
    Productions *p = r->p;
    next(r);
    if (r->token.kind != TOKEN_WORD) return expected(r, "the name of a register");
    if (r->token.length >= sizeof p->registers[0].name)
        return fail(r, "the name of a register has at most 31 characters");
    if (is_word(r, "random")) return fail(r, "random is no name of a register");
    int there = productions_find_register(p, r->token.start, r->token.length);
    if (there >= 0 && p->registers[there].file == r->name)
        return fail(r, "there is a register %.*s already", (int)r->token.length, r->token.start);
    if (there < 0 && p->register_count == PRODUCTION_REGISTERS)
        return fail(r, "there are at most %d registers", PRODUCTION_REGISTERS);
    Register ignored, *to = there < 0 ? &p->registers[p->register_count] : &ignored;  // the first file decides
    memcpy(to->name, r->token.start, r->token.length);
    to->name[r->token.length] = '\0';
    to->file = r->name;
    next(r);
    if (!expect(r, "=")) return false;
    if (r->token.kind != TOKEN_NUMBER) return expected(r, "a number");
    if (r->token.number > UINT32_MAX) return fail(r, "a register holds less than 4294967296");
    to->value = r->token.number;
    if (there < 0) p->register_count++;
    next(r);
    return expect(r, ";");
}

static bool counter_item(Parser *r) {
    Productions *p = r->p;
    next(r);
    if (r->token.kind != TOKEN_NUMBER || r->token.number < 1 || r->token.number > PRODUCTION_COUNTERS)
        return expected(r, "the number of a counter, from 1 to 16,");
    int64_t n = r->token.number - 1;
    if (p->counters[n].declared) return fail(r, "counter %" PRId64 " has a beginning already", n + 1);
    next(r);
    if (!expect(r, "=") || !counter_value(r, &p->counters[n].value, true)) return false;
    p->counters[n].declared = true;
    return expect(r, ";");
}

// Parses an optional NAME: before a production.
static bool label(Parser *r, Production *rule) {
    Parser ahead = *r;
    if (r->token.kind != TOKEN_WORD) return true;
    next(&ahead);
    if (ahead.failed || !is_sign(&ahead, ":")) return true;
    if (r->token.length > 40) return fail(r, "a label has at most 40 characters");
    char name[48];
    snprintf(name, sizeof name, "%.*s", (int)r->token.length, r->token.start);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';  // the spelling of analyses
    for (const Production *other = r->p->rules; other < rule; other++)
        if (strcmp(other->name, name) == 0) return fail(r, "there is a production %s already", name);
    if (!(rule->name = keep(r->p, name, strlen(name)))) return out_of_memory(r);
    next(r);
    return expect(r, ":");
}

static bool production(Parser *r) {
    Productions *p = r->p;
    if (p->rule_count == PRODUCTIONS_MOST) return fail(r, "there are at most %d productions", PRODUCTIONS_MOST);
    Production *rule = &p->rules[p->rule_count];
    *rule = (Production){.file = r->name, .line = r->token.line, .column = r->token.column};
    p->rule_count++;  // now, so that productions_free frees its contents after an error
    if (!label(r, rule)) return false;
    if (!rule->name) {
        char name[24];
        snprintf(name, sizeof name, "rule-%u", p->rule_count);
        if (!(rule->name = keep(p, name, strlen(name)))) return out_of_memory(r);
    }
    rule->root = disjunction(r);
    if (r->failed || !expect(r, "=>")) return false;
    do {
        if (!action(r, rule)) return false;
    } while (accept(r, ","));
    return r->token.kind == TOKEN_END ? !r->failed : expect(r, ";");
}

static bool items(Parser *r) {
    next(r);
    while (!r->failed && r->token.kind != TOKEN_END) {
        if (is_word(r, "use")) use_item(r);
        else if (is_word(r, "register")) register_item(r);
        else if (is_word(r, "counter")) counter_item(r);
        else production(r);
    }
    return !r->failed;
}

// ---- files --------------------------------------------------------------------------------------

bool productions_add(Productions *p, const char *name, const char *text, size_t size, const char *directory,
                     char *error, size_t error_size) {
    const char *kept = keep(p, name, strlen(name));
    Parser r = {.p = p,
                .name = kept ? kept : name,
                .directory = directory,
                .at = text,
                .end = text + size,
                .line_start = text,
                .line = 1,
                .error = error,
                .error_size = error_size};
    if (!kept) return out_of_memory(&r);
    return items(&r);
}

// Reads the whole file; NULL with errno.
static char *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "re");
    struct stat status;
    if (!in) return NULL;
    char *text = NULL;
    if (fstat(fileno(in), &status) == 0 && S_ISDIR(status.st_mode)) errno = EISDIR;
    else if ((text = malloc(MOST_TEXT + 1))) *size = fread(text, 1, MOST_TEXT + 1, in);
    fclose(in);
    return text;
}

// Searches beside the file that names it, then among the shipped files; malloc'd.
static char *find_file(const Productions *p, const char *directory, const char *path) {
    char *candidate = NULL;
    if (directory && path[0] != '/' && asprintf(&candidate, "%s/%s", directory, path) < 0) candidate = NULL;
    if (!candidate) candidate = strdup(path);
    if (!candidate || access(candidate, F_OK) == 0 || !p->shipped || strchr(path, '/')) return candidate;
    char *shipped;
    bool named = strchr(path, '.');
    if (asprintf(&shipped, "%s/%s%s", p->shipped, path, named ? "" : ".prod") < 0) return candidate;
    if (access(shipped, F_OK) == 0) {
        free(candidate);
        return shipped;
    }
    free(shipped);
    return candidate;
}

static bool add_text_of(Productions *p, const char *found, char *error, size_t error_size) {
    size_t size = 0;
    char *text = read_file(found, &size);
    if (!text) {
        snprintf(error, error_size, "%s: %s", found, strerror(errno));
        return false;
    }
    bool ok = false;
    if (size > MOST_TEXT) {
        snprintf(error, error_size, "%s: a file of productions has at most %d bytes", found, MOST_TEXT);
    } else {
        const char *slash = strrchr(found, '/');
        char *directory = slash ? strndup(found, (size_t)(slash - found) + (slash == found)) : strdup(".");
        ok = directory && productions_add(p, found, text, size, directory, error, error_size);
        free(directory);
    }
    free(text);
    return ok;
}

// Reads a file only once, even if several others use it.
static bool add_file(Parser *from, Productions *p, const char *directory, const char *path, char *error,
                     size_t error_size) {
    char *found = find_file(p, directory, path), *real = found ? realpath(found, NULL) : NULL;
    const char *name = real ? real : found ? found : path;
    bool ok = true, seen = false;
    for (uint32_t i = 0; i < p->file_count; i++) seen |= strcmp(p->files[i], name) == 0;
    const uint32_t room = sizeof p->files / sizeof *p->files;
    if (!seen) {
        const char *kept = keep(p, name, strlen(name));
        if (kept && p->file_count < room) {
            p->files[p->file_count++] = kept;
            ok = add_text_of(p, found ? found : path, error, error_size);
        } else {
            snprintf(error, error_size, "%s: %s", path,
                     kept ? "there are too many files of productions" : "out of memory");
            ok = false;
        }
    }
    if (!ok && from) from->failed = true;
    free(found);
    free(real);
    return ok;
}

bool productions_add_file(Productions *p, const char *path, char *error, size_t error_size) {
    return add_file(NULL, p, NULL, path, error, error_size);
}

void productions_shipped(Productions *p, const char *directory) {
    free(p->shipped);
    p->shipped = directory ? strdup(directory) : NULL;
}

// ---- what is known where ------------------------------------------------------------------------

typedef enum Verdict { NO, YES, MAYBE } Verdict;

// Evaluates an expression at a kind of place, as far as the place decides. `nowhere`: treats every word that identifies
// the instruction as false.
static Verdict possible(const Productions *p, uint32_t at, enum ProductionPlace place, bool nowhere) {
    const Expr *e = productions_expr(p, at);
    Verdict a, b;
    switch ((ExprKind)e->kind) {
        case EXPR_FALSE: return NO;
        case EXPR_TRUE: return YES;
        case EXPR_NOT: a = possible(p, e->left, place, nowhere); return a == MAYBE ? MAYBE : a == YES ? NO : YES;
        case EXPR_AND:
        case EXPR_OR: {
            Verdict decides = e->kind == EXPR_AND ? NO : YES;
            a = possible(p, e->left, place, nowhere);
            if (a == decides) return a;
            b = possible(p, e->right, place, nowhere);
            return b == decides ? b : a == MAYBE ? a : b;
        }
        case EXPR_CLASS: {
            const ClassRow *row = &productions_classes[e->number];
            if (nowhere || !(row->places >> place & 1)) return NO;
            return row->first < 0 ? YES : MAYBE;
        }
        case EXPR_OPCODE: return nowhere ? NO : MAYBE;
        case EXPR_FIELD: return nowhere || !(productions_places[place].has & HAS_FIELD) ? NO : MAYBE;
        case EXPR_CALLEE: return nowhere || place != PLACE_OF_call ? NO : MAYBE;
        default: return MAYBE;
    }
}

static bool refuse(const Production *rule, const Expr *e, char *error, size_t size, const char *what,
                   const char *where) {
    snprintf(error, size, "%s:%u:%u: %s is not known at %s", rule->file,
             e ? e->line : (uint32_t)(rule->key_columns >> 32), e ? e->column : (uint32_t)rule->key_columns, what,
             where);
    return false;
}

// Checks that every compared operand is known at all places.
static bool check_operands(const Productions *p, const Production *rule, uint32_t at, char *error, size_t size) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT) return check_operands(p, rule, e->left, error, size);
    if (e->kind == EXPR_AND || e->kind == EXPR_OR)
        return check_operands(p, rule, e->left, error, size) && check_operands(p, rule, e->right, error, size);
    const AtomRow *row = productions_atom(e->kind);
    uint32_t needs = e->kind == EXPR_ARG ? HAS_ARG : row && row->kind > 0 ? (uint32_t)row->kind : 0;
    for (int place = 0; place < PLACES; place++)
        if (needs && rule->places >> place & 1 && !(productions_places[place].has & needs))
            return refuse(rule, e, error, size, row ? row->word : "arg", productions_places[place].text);
    return true;
}

static bool check_keys(const Production *rule, char *error, size_t size) {
    for (uint32_t k = 0; k < rule->key_count; k++)
        for (int place = 0; place < PLACES; place++) {
            const KeyRow *key = &productions_keys[rule->keys[k]];
            uint32_t needs = key->has;
            if (needs && rule->places >> place & 1 && !(productions_places[place].has & needs))
                return refuse(rule, NULL, error, size, key->word, productions_places[place].text);
        }
    return true;
}

static bool check_handlers(const Production *rule, char *error, size_t size) {
    for (int i = 0; i < HANDLERS; i++)
        for (int place = 0; place < PLACES; place++) {
            if (!(rule->handlers >> i & 1) || !(rule->places >> place & 1) ||
                productions_handlers[i].places >> place & 1)
                continue;
            snprintf(error, size, "%s:%u:%u: the analysis %s takes nothing at %s", rule->file,
                     (uint32_t)(rule->key_columns >> 32), (uint32_t)rule->key_columns, productions_handlers[i].name,
                     productions_places[place].text);
            return false;
        }
    return true;
}

static bool check_rule(Productions *p, Production *rule, char *error, size_t size) {
    for (int place = 0; place < PLACES; place++) {
        if (possible(p, rule->root, place, true) != NO) {
            snprintf(error, size,
                     "%s:%u:%u: the pattern says of no instruction what it is: begin with entry, call, get, "
                     "allocation, opcode == ..., or any &&",
                     rule->file, rule->line, rule->column);
            return false;
        }
        if (possible(p, rule->root, place, false) != NO) rule->places |= 1u << place;
    }
    return check_operands(p, rule, rule->root, error, size) && check_keys(rule, error, size) &&
        check_handlers(rule, error, size);
}

bool productions_check(Productions *p, char *error, size_t error_size) {
    if (!p->rule_count) {
        snprintf(error, error_size, "%s: there is no production in it", p->file_count ? p->files[0] : "productions");
        return false;
    }
    for (uint32_t i = 0; i < p->rule_count; i++)
        if (!check_rule(p, &p->rules[i], error, error_size)) return false;
    for (uint32_t i = 0; i < p->expr_count; i++) {
        p->asks_loop_depth |= productions_expr(p, i)->kind == EXPR_LOOP_DEPTH;
        p->asks_annotations |= productions_expr(p, i)->kind == EXPR_ANNOTATION;
    }
    productions_find_idle(p);
    return productions_find_shape(p);
}

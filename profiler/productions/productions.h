// Productions: what to observe and when, as a small language (docs/PRODUCTIONS.md) after Mousa and Krintz, "HPS: Hybrid
// Profiling Support" (2005), Figures 3 to 5. A bytecode instruction takes the role of what their decoder sees.
//
//     label: pattern && conditions => actions, counter operations;
//
// Reading (parse.c) turns files into a list of productions. Matching (match.c) determines which productions can apply
// at each instruction of a method: it partially evaluates their expressions, leaving only what depends on the running
// program. Evaluation (eval.c) computes the rest when an event reports the instruction.
//
// Pure functions of texts and class-file bytes; malloc only. After productions_check, only matching changes
// productions, by appending expressions: one thread at a time matches, and any number of threads evaluate concurrently.
#ifndef CABERNET_PROFILER_PRODUCTIONS_PRODUCTIONS_H
#define CABERNET_PROFILER_PRODUCTIONS_PRODUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bytecode/classfile/classfile.h"
#include "vm/api/events.h"
#include "vm/api/places.h"

enum ProductionPlace {
#define PLACE(id, event, has, text) PLACE_OF_##id,
#include "profiler/productions/words.def"
    PLACES
};
typedef uint32_t PlaceSet;  // 1 << ProductionPlace

enum ProductionHas {
    HAS_OBJECT = 1 << 0,
    HAS_VALUE = 1 << 1,
    HAS_INDEX = 1 << 2,
    HAS_LENGTH = 1 << 3,
    HAS_SIZE = 1 << 4,
    HAS_EDGE = 1 << 5,
    HAS_ARG = 1 << 6,
    HAS_FIELD = 1 << 7,
    HAS_TYPE = 1 << 8,
    HAS_CALLER = 1 << 9,
    HAS_PARTNER = 1 << 10
};

enum {
    PRODUCTION_COUNTERS = BURST_COUNTER,
    PRODUCTION_REGISTERS = 16,
    PRODUCTIONS_MOST = 256,
    PRODUCTION_KEYS = 4,
    PRODUCTION_FRAMES = 32
};

// ---- expressions ----

typedef enum ExprKind {
    EXPR_FALSE,
    EXPR_TRUE,
    EXPR_NOT,
    EXPR_AND,
    EXPR_OR,
    EXPR_CLASS,  // number: row of a CLASS word
    EXPR_ZERO,
    EXPR_OVERFLOW,  // number: the counter
    EXPR_BURST,     // a burst of the thread is in progress
    EXPR_ARG,       // which: number of the argument, 0 for the receiver
#define ATOM(id, word, form, kind) EXPR_##id,
#include "profiler/productions/words.def"
    EXPR_OPERAND,       // the form of EXPR_OBJECT, EXPR_ARG etc. at a place; which: ProductionSource
    EXPR_DYNAMIC_TYPE,  // the form of EXPR_TYPE where only the running program knows the class
    EXPR_KINDS
} ExprKind;

typedef enum Relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE } Relation;

typedef struct Expr {
    uint8_t kind, relation, which;
    char type;             // of an operand: I J F D A
    uint32_t left, right;  // EXPR_NOT: left
    int64_t number;        // right-hand side of the comparison; unused for a pattern
    const char *pattern;
    uint32_t line, column;
} Expr;

// Where evaluation finds an operand's value.
typedef enum ProductionSource {
    SOURCE_FIRST,  // the five operands of the event `instruction`
    SOURCE_OBJECT = INSTRUCTION_OPERANDS,
    SOURCE_VALUE,
    SOURCE_SIZE,
    SOURCE_EDGE,
    SOURCE_CLASS,
    SOURCE_CALLER,
    SOURCES
} ProductionSource;

// ---- contents of a file ----

enum ProductionKey {
#define KEY(id, word, numbers, has) KEY_OF_##id,
#include "profiler/productions/words.def"
    KEYS
};
enum CounterOperation {
#define OPERATION(id, word) OPERATION_##id,
#include "profiler/productions/words.def"
};

enum ProductionHandler {
#define HANDLER(id, name, place_event, places) HANDLER_##id,
#include "profiler/productions/words.def"
    HANDLERS
};
typedef enum ProductionBurst { BURST_AS_IT_IS, BURST_START, BURST_STOP } ProductionBurst;

// The value to which a counter is set: of a register, or a number in the text. A negative one makes the counter
// overflow after that number of increments. `random`: a number from 1 to the value, drawn per thread. `plus` is added
// to the counter afterwards.
typedef struct CounterValue {
    bool negative, random;
    int reg;  // -1: `number`
    int64_t number, plus;
} CounterValue;

typedef struct CounterOp {
    uint8_t operation, counter;
    CounterValue value;  // OPERATION_SET
    struct CounterOp *next;
} CounterOp;

typedef struct Production {
    const char *name;  // its label, or "rule" and its number
    const char *file;
    uint32_t line, column;
    uint32_t root;  // of its expression
    bool counts;    // has an action count()
    uint8_t keys[PRODUCTION_KEYS], key_count;
    uint8_t frames;     // maximum for context(); 0: no context is taken
    uint8_t burst;      // ProductionBurst
    uint32_t handlers;  // 1 << ProductionHandler
    CounterOp *operations;
    PlaceSet places;       // where it may match
    uint64_t key_columns;  // line and column of count(), for messages: line << 32 | column
} Production;

typedef struct Register {
    char name[32];
    const char *file;  // the one that declared it
    _Atomic int64_t value;
} Register;

// The result of recognising the sampling shape (shape.c).
typedef struct ProductionShape {
    bool sampled;         // the framework of vm/instrument/sampling.h implements the productions
    int sampling, burst;  // counters
    // Values to which they are set; phase: the first one, at a thread's start. The framework's interval and burst are
    // one more than the increments to overflow; its phase is the increments.
    CounterValue interval_value, burst_value, phase_value;
    char why[256];  // if not: the reason
} ProductionShape;

typedef struct Productions Productions;

Productions *productions_new(void);  // NULL: out of memory
void productions_free(Productions *p);

// Adds the productions of a text, called `name` in messages. `directory`: where "use" searches for files, in addition
// to `shipped`; NULL: nowhere. False with *error: NAME:LINE:COLUMN, what is wrong and what was expected.
bool productions_add(Productions *p, const char *name, const char *text, size_t size, const char *directory,
                     char *error, size_t error_size);
// The same for a file. A missing file is searched in the directory set by productions_shipped.
bool productions_add_file(Productions *p, const char *path, char *error, size_t error_size);
void productions_shipped(Productions *p, const char *directory);
// Call after all were added. Checks labels, registers and where operands are known, and finds the sampling shape. False
// with *error.
bool productions_check(Productions *p, char *error, size_t error_size);

// Does any production take the context of its events?
bool productions_take_contexts(const Productions *p);
uint32_t productions_count(const Productions *p);
const Production *productions_get(const Productions *p, uint32_t i);
const Expr *productions_expr(const Productions *p, uint32_t i);
const ProductionShape *productions_shape(const Productions *p);
uint32_t productions_register_count(const Productions *p);
Register *productions_register(Productions *p, uint32_t i);
int productions_find_register(const Productions *p, const char *name, size_t length);  // -1: none
int64_t productions_value(const Productions *p, CounterValue v, uint64_t *random);
// The number of increments after which a counter that was set to a negative value overflows; the largest if `random`.
int64_t productions_increments(const Productions *p, CounterValue v);
// The initial counters of the thread with that number.
void productions_begin(const Productions *p, uint64_t thread, int64_t counters[PRODUCTION_COUNTERS]);

// An expression as text: malloc'd.
char *productions_text(const Productions *p, uint32_t expr);
const char *productions_place_text(enum ProductionPlace place);

// Does the production only change counters or the burst? Such a production controls the others (eval.c).
bool productions_controls(const Production *r);

// Explains which productions are the sampling framework, which are probes, and what probes test each time: one line
// each.
void productions_explain(const Productions *p, FILE *out);

// Why the production never acts, whatever the program does in less than 2147483648 increments of each counter; NULL: it
// may act. The text is constant.
const char *productions_idle(const Productions *p, uint32_t rule);
// Does no production that records anything ever act? *why: the reason, of the first one that would record.
bool productions_record_nothing(const Productions *p, char *why, size_t why_size);

// Events that some place may need, and the subset that may be counted where they happen, because every production they
// decide always counts there, under constant keys.
EventSet productions_events(const Productions *p);
EventSet productions_counts(const Productions *p);

// ---- matching ----

// A production that applies at a place if `rest` is true there.
typedef struct Match {
    uint16_t production;
    uint32_t rest;  // EXPR_TRUE: always
} Match;

// Values with which an assigned value is compared. Names: of the locals, then the constants as text, then "before".
enum { SCALAR_CONSTANTS = 5, SCALAR_PARTNERS = SCALAR_LOCALS + SCALAR_CONSTANTS + 1, SCALAR_NAME = 40 };
typedef struct ScalarPartners {
    uint16_t locals[SCALAR_LOCALS];
    int64_t constants[SCALAR_CONSTANTS];  // 0 first
    uint32_t local_count, constant_count;
    uint32_t left_out;  // those without room
    char names[SCALAR_PARTNERS][SCALAR_NAME];
} ScalarPartners;

// A place with its matches, in order of the productions.
typedef struct MatchSite {
    int32_t bci;  // EVENT_NO_BCI: the method's entry
    uint8_t place, opcode;
    bool secondary;       // a place in addition to the opcode's main place
    char value_type;      // of `value`: I J F D A
    int8_t value_source;  // -1: none
    const Match *matches;
    uint32_t count;
    const ScalarPartners *partners;  // of an assignment, when in use (profiler/analyses/productionsites.c)
    EventSet events;                 // to be reported there
    uint8_t decides;                 // EventId: the report that triggers evaluation
} MatchSite;
typedef void MatchFn(void *arg, const MatchSite *site);

// Calls `fn` for every place of the method where a production can apply: first its entry, then by bytecode index, the
// main place of an instruction before its secondary ones. The code need not have been verified. False: out of memory,
// or the code is malformed: *error says how.
bool productions_match(Productions *p, const ClassFile *file, const ClassFileMethod *method, MatchFn *fn, void *arg,
                       char *error, size_t error_size);

// The source of a key's number when the site's deciding event happens; -1: it is no operand, or not present.
int productions_key_source(const MatchSite *site, enum ProductionKey key);

// For the place `assign` at `bci`. `with_locals`: also finds locals, which requires an analysis of the method. Accepts
// any code whose file could be parsed.
void productions_partners(const ClassFile *file, const ClassFileMethod *method, uint32_t bci, bool with_locals,
                          ScalarPartners *p);
bool productions_compares(const Production *r);  // it counts by the partner or the relation of a comparison

// Converts a class in internal form ([B, java/lang/String) to Java's form: byte[], java/lang/String. Returns `to`.
const char *productions_type_name(const char *internal, size_t length, char *to, size_t size);

// Adds to the guard the counter tests that are necessary for the expression. False: counters do not decide it, or the
// guard is full.
bool productions_guard(const Productions *p, uint32_t expr, PlaceGuard *guard);

// ---- evaluating ----

typedef struct ProductionState {
    int64_t *counters;       // of the thread
    const int64_t *sources;  // by ProductionSource; floats and doubles as bits
    const char *thread_name;
    const char *(*class_name)(uint32_t id);  // internal form, or NULL
    bool (*method_matches)(uint32_t id, const char *pattern);
} ProductionState;
bool productions_eval(const Productions *p, uint32_t expr, const ProductionState *s);
// Performs counter operations.
void productions_operate(const Productions *p, const Production *r, int64_t *counters, uint64_t *random);

#endif

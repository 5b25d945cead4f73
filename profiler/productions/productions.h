// Productions: what to observe and when, as a small language (docs/PRODUCTIONS.md) after Mousa and Krintz, "HPS: Hybrid
// Profiling Support" (2005), Figures 3 to 5. An instruction of the bytecode is what their decoder sees.
//
//     label: pattern && conditions => actions, counter operations;
//
// Reading (parse.c) makes a list of productions out of files. Matching (match.c) decides for each instruction of a method
// which productions can apply there: what is known of the instruction is put into their expressions, and what remains
// depends on the running program alone. Evaluating (eval.c) does that, where an event says that the instruction works.
//
// Pure functions of the texts and of class-file bytes; malloc only. Productions that were checked are changed by matching
// alone, which adds expressions at the end: one thread at a time matches, any number evaluates meanwhile.
#ifndef CABERNET_PROFILER_PRODUCTIONS_H
#define CABERNET_PROFILER_PRODUCTIONS_H

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
    HAS_OBJECT = 1 << 0, HAS_VALUE = 1 << 1, HAS_INDEX = 1 << 2, HAS_LENGTH = 1 << 3, HAS_SIZE = 1 << 4, HAS_EDGE = 1 << 5,
    HAS_ARG = 1 << 6, HAS_FIELD = 1 << 7, HAS_TYPE = 1 << 8, HAS_CALLER = 1 << 9,
    HAS_PARTNER = 1 << 10
};

enum { PRODUCTION_COUNTERS = BURST_COUNTER, PRODUCTION_REGISTERS = 16, PRODUCTIONS_MOST = 256, PRODUCTION_KEYS = 4, PRODUCTION_FRAMES = 32 };

// ---- expressions ----

typedef enum ExprKind {
    EXPR_FALSE, EXPR_TRUE, EXPR_NOT, EXPR_AND, EXPR_OR,
    EXPR_CLASS,     // number: the row of a CLASS word
    EXPR_ZERO, EXPR_OVERFLOW,  // number: the counter
    EXPR_BURST,     // a burst of the thread is on
    EXPR_ARG,       // which: the argument's number, the receiver 0
#define ATOM(id, word, form, kind) EXPR_##id,
#include "profiler/productions/words.def"
    EXPR_OPERAND,   // what EXPR_OBJECT, EXPR_ARG and so on become where they stand: which: ProductionSource
    EXPR_DYNAMIC_TYPE,  // what EXPR_TYPE becomes where only the running program knows the class
    EXPR_KINDS
} ExprKind;

typedef enum Relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE } Relation;

typedef struct Expr {
    uint8_t kind, relation, which;
    char type;            // of an operand: I J F D A
    uint32_t left, right; // EXPR_NOT: left
    int64_t number;       // what is compared with; of a pattern: unused
    const char *pattern;
    uint32_t line, column;
} Expr;

// Where an operand's value comes from when an event is there.
typedef enum ProductionSource {
    SOURCE_FIRST,                           // operands of the event `instruction`, five
    SOURCE_OBJECT = INSTRUCTION_OPERANDS, SOURCE_VALUE, SOURCE_SIZE, SOURCE_EDGE, SOURCE_CLASS, SOURCE_CALLER,
    SOURCES
} ProductionSource;

// ---- what a file says ----

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

// The number that a counter is set to: of a register or in the text. A negative one lets the counter overflow after so
// many increments; `random`: a number from 1 to it, drawn for each thread.
typedef struct CounterValue {
    bool negative, random;
    int reg;              // -1: `number`
    int64_t number;
} CounterValue;

typedef struct CounterOp {
    uint8_t operation, counter;
    CounterValue value;   // OPERATION_SET
    struct CounterOp *next;
} CounterOp;

typedef struct Production {
    const char *name;     // its label, or "rule" and its number
    const char *file;
    uint32_t line, column;
    uint32_t root;        // of its expression
    bool counts;          // has an action count()
    uint8_t keys[PRODUCTION_KEYS], key_count;
    uint8_t frames;       // of context(): most of them; 0: it takes none
    uint8_t burst;        // ProductionBurst
    uint32_t handlers;    // 1 << ProductionHandler
    CounterOp *operations;
    PlaceSet places;      // where it may match
    uint64_t key_columns; // line and column of count(), for messages: line << 32 | column
} Production;

typedef struct Register {
    char name[32];
    const char *file;     // that has declared it
    _Atomic int64_t value;
} Register;

// Where conditions of the sampling shape lead (shape.c).
typedef struct ProductionShape {
    bool sampled;          // the framework of vm/instrument/sampling.h does what the productions say
    int sampling, burst;   // counters
    CounterValue interval_value, burst_value, phase_value;  // what they are set to; phase: sampling's at a thread's start
    char why[256];         // if not: the reason
} ProductionShape;

typedef struct Productions Productions;

Productions *productions_new(void);  // NULL: out of memory
void productions_free(Productions *p);

// Adds the productions of a text, called `name` in messages. `directory`: where files of "use" are, besides `shipped`;
// NULL: there are none. False with *error: NAME:LINE:COLUMN: what is wrong and what was expected.
bool productions_add(Productions *p, const char *name, const char *text, size_t size, const char *directory,
                     char *error, size_t error_size);
// The same of a file; one that is not there is looked for in `shipped`, by productions_shipped.
bool productions_add_file(Productions *p, const char *path, char *error, size_t error_size);
void productions_shipped(Productions *p, const char *directory);
// After all of them: labels and registers, what is known where, the sampling shape. False with *error.
bool productions_check(Productions *p, char *error, size_t error_size);

uint32_t productions_count(const Productions *p);
const Production *productions_get(const Productions *p, uint32_t i);
const Expr *productions_expr(const Productions *p, uint32_t i);
const ProductionShape *productions_shape(const Productions *p);
bool productions_is_of_shape(const Productions *p, uint32_t i);  // one of those that are the sampling framework
uint32_t productions_register_count(const Productions *p);
Register *productions_register(Productions *p, uint32_t i);
int productions_find_register(const Productions *p, const char *name, size_t length);  // -1: there is none
int64_t productions_value(const Productions *p, CounterValue v, uint64_t *random);
// What counters begin with, in a thread whose number is `thread`.
void productions_begin(const Productions *p, uint64_t thread, int64_t counters[PRODUCTION_COUNTERS]);

// An expression as text: malloc'd.
char *productions_text(const Productions *p, uint32_t expr);
const char *productions_place_text(enum ProductionPlace place);
const char *productions_key_word(enum ProductionKey key);
const char *productions_handler_name(enum ProductionHandler handler);

// Which productions are the sampling framework, which are probes, and what probes test each time: a line for each.
void productions_explain(const Productions *p, FILE *out);

// Events that may be needed at some place; and those of them that may be counted where they happen, because every production
// that they decide about always counts there, under constant keys.
EventSet productions_events(const Productions *p);
EventSet productions_counts(const Productions *p);

// ---- matching ----

// A production that can apply at a place, if `rest` is true there.
typedef struct Match {
    uint16_t production;
    uint32_t rest;        // EXPR_TRUE: always
} Match;

// What the value of an assignment is compared with. Names: of the locals, then the constants as they are, then "before".
enum { SCALAR_CONSTANTS = 5, SCALAR_PARTNERS = SCALAR_LOCALS + SCALAR_CONSTANTS + 1, SCALAR_NAME = 40 };
typedef struct ScalarPartners {
    uint16_t locals[SCALAR_LOCALS];
    int64_t constants[SCALAR_CONSTANTS];   // 0 first
    uint32_t local_count, constant_count;
    uint32_t left_out;                     // for which there was no room
    char names[SCALAR_PARTNERS][SCALAR_NAME];
} ScalarPartners;

// A place with matches, in order of the productions.
typedef struct MatchSite {
    int32_t bci;          // EVENT_NO_BCI: the method's entry
    uint8_t place, opcode;
    bool secondary;       // it is one besides what the opcode is
    char value_type;      // of `value`: I J F D A
    int8_t value_source;  // -1: there is none
    const Match *matches;
    uint32_t count;
    const ScalarPartners *partners;  // of an assignment, once it is used (profiler/analyses/productionsites.c)
    EventSet events;      // that have to be reported there
    uint8_t decides;      // EventId: the one whose report evaluates
} MatchSite;
typedef void MatchFn(void *arg, const MatchSite *site);

// Calls `fn` for every place of the method where a production can apply: its entry, then in order of bytecode index, what
// the instruction is before what it also is. The code need not have been checked. False: out of memory, or the code makes
// no sense: *error says what.
bool productions_match(Productions *p, const ClassFile *file, const ClassFileMethod *method, MatchFn *fn, void *arg,
                       char *error, size_t error_size);

// Where the number of a key is when the site's deciding event comes; -1: it is no operand, or not there.
int productions_key_source(const MatchSite *site, enum ProductionKey key);

// Of the place `assign` at `bci`. `with_locals`: finding them takes an analysis of the method. Any code whose file was read.
void productions_partners(const ClassFile *file, const ClassFileMethod *method, uint32_t bci, bool with_locals, ScalarPartners *p);
bool productions_compares(const Production *r);  // it counts by what a value is compared with

// A class in internal form ([B, java/lang/String) as Java has it: byte[], java/lang/String. Returns `to`.
const char *productions_type_name(const char *internal, size_t length, char *to, size_t size);

// Adds to the guard what counters must be for the expression to be true. False: they do not decide, or it has no room.
bool productions_guard(const Productions *p, uint32_t expr, PlaceGuard *guard);

// ---- evaluating ----

typedef struct ProductionState {
    int64_t *counters;                 // of the thread
    const int64_t *sources;            // by ProductionSource; floats and doubles as bits
    const char *thread_name;
    const char *(*class_name)(uint32_t id);                        // internal form, or NULL
    bool (*method_matches)(uint32_t id, const char *pattern);
} ProductionState;
bool productions_eval(const Productions *p, uint32_t expr, const ProductionState *s);
// Carries out counter operations.
void productions_operate(const Productions *p, const Production *r, int64_t *counters, uint64_t *random);

#endif

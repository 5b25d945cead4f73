// Declarations shared by the files of this folder.
#ifndef CABERNET_PROFILER_PRODUCTIONS_PRODUCTIONS_INTERNAL_H
#define CABERNET_PROFILER_PRODUCTIONS_PRODUCTIONS_INTERNAL_H

#include "profiler/productions/productions.h"

// Expressions are in blocks that never move, because readers take no lock.
enum { EXPR_BLOCK = 256, EXPR_BLOCKS = 256, EXPR_MOST = EXPR_BLOCK * EXPR_BLOCKS, EXPR_HASH = 2 * EXPR_MOST };
// Room for the texts of a member: class, name, descriptor.
enum { SCRATCH = 4 * 65536 };

typedef struct OwnedText {
    struct OwnedText *next;
    char text[];
} OwnedText;

struct Productions {
    Expr *blocks[EXPR_BLOCKS];
    uint32_t expr_count;
    uint32_t *hash;  // expression number + 1, by contents
    Production rules[PRODUCTIONS_MOST];
    uint32_t rule_count;
    Register registers[PRODUCTION_REGISTERS];
    uint32_t register_count;
    struct {
        bool declared;
        CounterValue value;
    } counters[PRODUCTION_COUNTERS];
    ProductionShape shape;
    bool of_shape[PRODUCTIONS_MOST];
    bool idle[PRODUCTIONS_MOST];  // never acts (idle.c)
    bool asks_loop_depth, asks_annotations;
    char *shipped;
    char *scratch;          // for matching
    OwnedText *texts;       // strings of the files
    const char *files[64];  // files read, each once
    uint32_t file_count;
};

// A new expression, or an existing equal one. 0 (EXPR_FALSE) with *ok false: *p is full, or out of memory.
uint32_t productions_add_expr(Productions *p, const Expr *e, bool *ok);
// The first two expressions are the constants.
enum { FALSE_EXPR = 0, TRUE_EXPR = 1 };
uint32_t productions_not(Productions *p, uint32_t a, bool *ok);
uint32_t productions_both(Productions *p, ExprKind kind, uint32_t a, uint32_t b, bool *ok);

typedef struct ClassRow {
    const char *word;
    PlaceSet places;
    int first, last;  // opcodes
} ClassRow;
extern const ClassRow productions_classes[];
extern const uint32_t productions_class_count;

typedef struct PlaceRow {
    enum EventId event;
    uint32_t has;
    const char *text;
} PlaceRow;
extern const PlaceRow productions_places[PLACES];

// Places considered when only the opcode is given.
#define AT(id) (1u << PLACE_OF_##id)
#define MAIN_PLACES (((1u << PLACES) - 1) & ~(AT(entry) | AT(backward_branch) | AT(select) | AT(assign)))

typedef enum AtomForm { FORM_PATTERN, FORM_NUMBER, FORM_OPERAND, FORM_OPCODE } AtomForm;
typedef struct AtomRow {
    const char *word;
    AtomForm form;
    int kind;  // STATIC, or HAS_
} AtomRow;
enum { STATIC = -1 };
const AtomRow *productions_atom(ExprKind kind);  // NULL: not an atom of the table
typedef struct HandlerRow {
    const char *name;
    enum EventId event;  // EVENT_COUNT: the place's event
    PlaceSet places;
} HandlerRow;
extern const HandlerRow productions_handlers[HANDLERS];
typedef struct KeyRow {
    const char *word;
    int numbers;   // that it takes in a row's key
    uint32_t has;  // that a place must have; 0: any place
} KeyRow;
extern const KeyRow productions_keys[KEYS];

extern const char *const productions_relations[REL_GE + 1];  // their signs, by Relation
// Does the relation hold for values whose comparison gives `order`: negative, 0 or positive?
bool productions_holds(Relation relation, int order);

// Does the instruction assign a number to a local or a field? *type: I J F D. The code must consist of complete
// instructions.
bool productions_is_assignment(const ClassFile *file, const ClassFileCode *code, uint32_t bci, char *type);

bool productions_find_shape(Productions *p);
void productions_find_idle(Productions *p);

#endif

// Lists of options in one text, as in -Xjit:quick=off,threads=2 and -Xprofile:...:interval=1000:dup=auto. The owner
// declares a table with a row for each option: its name, the kind of its value, where the value is stored, its bounds,
// and its help. The functions here split the text, store the values, print the help and report errors: for an unknown
// name they list the names, for an unknown word the words.
//
// Values are stored in a structure of the owner at the offset of their row. Texts are malloc'd copies, which the owner
// frees. The code here does not know what an option means or which options fit together. No state; uses malloc and
// stdio.
#ifndef CABERNET_BASE_OPTIONLIST_H
#define CABERNET_BASE_OPTIONLIST_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/grow.h"
#include "base/words.h"

typedef enum OptionKind {
    OPTION_SWITCH,  // NAME, NAME=on, NAME=off: bool
    OPTION_NUMBER,  // NAME=N, with k and m: uint32_t
    OPTION_SIZE,    // NAME=N, with k, m, g and t: int64_t
    OPTION_EVERY,   // NAME=N, with k and m, or NAME alone for 1: uint32_t
    OPTION_AMOUNT,  // NAME=N or NAME=N followed by a unit: OptionAmount, for optionlist_amount
    OPTION_CHOICE,  // NAME=WORD, a word of the table: int, its index among the option's words
    OPTION_TEXT,    // NAME=TEXT, not empty: char *
    OPTION_FILE,    // the same: a writable file, which is created at once
    OPTION_OWN,     // NAME=TEXT, not empty: handled by the table's function
    OPTION_BARE,    // NAME: bool
} OptionKind;

#define OPTION_COMPARISONS "For comparisons and experiments:"

typedef enum OptionState {
    OPTION_NOW,
    OPTION_COMPARE,  // for comparisons and experiments: a section at the end of the help
    OPTION_LATER,    // rejected: not built yet
} OptionState;

typedef struct OptionRow {
    const char *name;
    OptionKind kind;
    OptionState state;
    size_t offset;
    int64_t preset, low, high;
    const char *help;
} OptionRow;

// A word that an OPTION_CHOICE accepts.
typedef struct OptionWord {
    const char *text;
    int row;
    OptionState state;
    const char *help;
} OptionWord;

// A number whose unit is interpreted when all options are known.
typedef struct OptionAmount {
    bool given;
    uint64_t value;
    char unit[4];
} OptionAmount;

typedef struct OptionUnit {
    const char *name;
    uint64_t factor;
} OptionUnit;

typedef struct OptionParse OptionParse;
typedef struct OptionTable {
    const OptionRow *rows;
    int row_count;
    const OptionWord *words;
    int word_count;
    const char *called;  // the term for a row in messages: "suboption"
    char separator;
    WordsEscape escape;
    bool repeatable;  // a repeated option's last value counts, and empty words are allowed
    // Takes the value of an OPTION_OWN row; false when it rejects the value. NULL: the table has no such row.
    bool (*own)(OptionParse *p, const OptionRow *row, const char *value);
} OptionTable;

struct OptionParse {
    const OptionTable *table;
    void *to;     // the structure that the offsets refer to
    bool *given;  // by row: named in the text; NULL: not recorded
    char *error;  // NUL-terminated, truncated to error_size
    size_t error_size;
};

// ---- messages ------------------------------------------------------------------------------------

// Stores the message; always returns false.
__attribute__((format(printf, 2, 3))) static inline bool optionlist_refuse(OptionParse *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, p->error_size, format, args);
    va_end(args);
    return false;
}

// Appends `name` to a list, followed by `left` more names: "a, b or c".
static inline void optionlist_append(char *list, size_t size, const char *name, int left, const char *last) {
    size_t n = strlen(list);
    if (n < size) snprintf(list + n, size - n, "%s%s", name, left > 1 ? ", " : left == 1 ? last : "");
}

static inline bool optionlist_refuse_word(OptionParse *p, int row, const char *text) {
    char known[512] = "", hint[WORDS_HINT];
    int left = 0;
    const OptionTable *t = p->table;
    WordsGuess guess = {0};
    for (int i = 0; i < t->word_count; i++)
        if (t->words[i].row == row) words_consider(&guess, text, t->words[i].text);
    for (int i = 0; i < t->word_count; i++) left += t->words[i].row == row && t->words[i].state != OPTION_LATER;
    for (int i = 0; i < t->word_count; i++)
        if (t->words[i].row == row && t->words[i].state != OPTION_LATER)
            optionlist_append(known, sizeof known, t->words[i].text, --left, " or ");
    return optionlist_refuse(p, "%s=%s: must be %s%s", t->rows[row].name, text, known, words_hint(&guess, hint));
}

// ---- values --------------------------------------------------------------------------------------

static inline void *optionlist_field(const OptionParse *p, const OptionRow *row) { return (char *)p->to + row->offset; }

static inline char *optionlist_copy(const char *text) {
    char *copy = strdup(text);
    if (!copy) grow_out_of_memory(strlen(text) + 1);
    return copy;
}

static inline bool optionlist_take_number(OptionParse *p, const OptionRow *row, const char *value) {
    int64_t n;
    uint64_t digits;
    bool fits;
    if (!words_size(value, 10, row->kind == OPTION_SIZE ? "kmgt" : "km", &n)) {
        bool number = words_number(value, 10, &digits, &fits) && !fits;
        return optionlist_refuse(p, number ? "%s=%s is too large" : "%s=%s: a whole number is needed", row->name,
                                 value);
    }
    if (n < row->low || n > row->high)
        return optionlist_refuse(p, "%s=%s: must be %" PRId64 "...%" PRId64, row->name, value, row->low, row->high);
    if (row->kind == OPTION_SIZE) *(int64_t *)optionlist_field(p, row) = n;
    else *(uint32_t *)optionlist_field(p, row) = (uint32_t)n;
    return true;
}

// Digits, and letters after them that may be a unit.
static inline bool optionlist_take_amount(OptionParse *p, const OptionRow *row, const char *value) {
    OptionAmount *a = optionlist_field(p, row);
    bool fits;
    *a = (OptionAmount){.given = true};
    const char *unit = words_number(value, 10, &a->value, &fits);
    if (!unit || strlen(unit) >= sizeof a->unit)
        return optionlist_refuse(p, "%s=%s: a whole number is needed", row->name, value);
    if (!fits) return optionlist_refuse(p, "%s=%s is too large", row->name, value);
    strcpy(a->unit, unit);
    return true;
}

// The amount converted by `units`, UINT64_MAX on overflow. False: no unit, or an unknown one.
static inline bool optionlist_scale(const OptionAmount *a, const OptionUnit *units, int count, uint64_t *n) {
    for (int i = 0; i < count; i++) {
        if (strcmp(units[i].name, a->unit) != 0) continue;
        *n = a->value > UINT64_MAX / units[i].factor ? UINT64_MAX : a->value * units[i].factor;
        return true;
    }
    return false;
}

// The amount as a plain number from `low` to `high`; `otherwise` if none was given.
static inline bool optionlist_amount(OptionParse *p, const OptionRow *row, uint64_t low, uint64_t high,
                                     uint64_t otherwise, uint64_t *n) {
    const OptionAmount *a = optionlist_field(p, row);
    *n = a->given ? a->value : otherwise;
    if (*a->unit)
        return optionlist_refuse(p, "%s=%" PRIu64 "%s: a number without a unit is needed", row->name, a->value,
                                 a->unit);
    if (*n >= low && *n <= high) return true;
    return optionlist_refuse(p, "%s=%" PRIu64 ": must be %" PRIu64 "...%" PRIu64, row->name, *n, low, high);
}

static inline bool optionlist_take_choice(OptionParse *p, const OptionRow *row, const char *value) {
    int number = (int)(row - p->table->rows), position = 0;
    for (const OptionWord *w = p->table->words; w < p->table->words + p->table->word_count; w++) {
        if (w->row != number) continue;
        if (strcmp(w->text, value) == 0) {
            if (w->state == OPTION_LATER) return optionlist_refuse(p, "%s=%s is not built yet", row->name, value);
            *(int *)optionlist_field(p, row) = position;
            return true;
        }
        position++;
    }
    return optionlist_refuse_word(p, number, value);
}

static inline bool optionlist_take_text(OptionParse *p, const OptionRow *row, const char *value) {
    if (row->kind == OPTION_FILE) {  // reject it now rather than when it is written
        FILE *f = fopen(value, "ae");
        if (!f) return optionlist_refuse(p, "%s: %s: %s", row->name, value, strerror(errno));
        fclose(f);
    }
    char **to = optionlist_field(p, row);
    free(*to);
    *to = optionlist_copy(value);
    return true;
}

// NULL: there was no equals sign.
static inline bool optionlist_take_value(OptionParse *p, const OptionRow *row, const char *value) {
    if (row->kind == OPTION_SWITCH) {
        bool on = !value || strcmp(value, "on") == 0;
        if (!on && strcmp(value, "off") != 0) return optionlist_refuse(p, "%s=%s: must be on or off", row->name, value);
        *(bool *)optionlist_field(p, row) = on;
        return true;
    }
    if (row->kind == OPTION_EVERY) return optionlist_take_number(p, row, value ? value : "1");
    if (row->kind == OPTION_BARE) {
        if (value) return optionlist_refuse(p, "%s takes no value", row->name);
        return *(bool *)optionlist_field(p, row) = true;
    }
    bool text = row->kind == OPTION_TEXT || row->kind == OPTION_FILE || row->kind == OPTION_OWN;
    if (!value || (text && !*value)) return optionlist_refuse(p, "%s needs a value: %s=...", row->name, row->name);
    switch (row->kind) {
        case OPTION_AMOUNT: return optionlist_take_amount(p, row, value);
        case OPTION_CHOICE: return optionlist_take_choice(p, row, value);
        case OPTION_OWN: return p->table->own(p, row, value);
        case OPTION_TEXT:
        case OPTION_FILE: return optionlist_take_text(p, row, value);
        default: return optionlist_take_number(p, row, value);
    }
}

// ---- the list ------------------------------------------------------------------------------------

// One option, NAME or NAME=VALUE, which is split in place. False with p->error.
static inline bool optionlist_take(OptionParse *p, char *word) {
    const OptionTable *t = p->table;
    const char *value = words_value(word);
    int at = words_find(t->rows, (size_t)t->row_count, sizeof *t->rows, word), left = 0;
    if (at < 0) {
        char known[1024] = "", hint[WORDS_HINT];
        WordsGuess guess = {0};
        for (int i = 0; i < t->row_count; i++) words_consider(&guess, word, t->rows[i].name);
        for (int i = 0; i < t->row_count; i++) left += t->rows[i].state != OPTION_LATER;
        for (int i = 0; i < t->row_count; i++)
            if (t->rows[i].state != OPTION_LATER)
                optionlist_append(known, sizeof known, t->rows[i].name, --left, " and ");
        return optionlist_refuse(p, "no such %s: %s%s; there are %s", t->called, word, words_hint(&guess, hint), known);
    }
    const OptionRow *row = &t->rows[at];
    if (row->state == OPTION_LATER) return optionlist_refuse(p, "%s= is not built yet (%s)", row->name, row->help);
    bool *given = p->given ? &p->given[at] : NULL;
    if (given && *given && !t->repeatable) return optionlist_refuse(p, "%s= is given twice", row->name);
    if (given) *given = true;
    return optionlist_take_value(p, row, value);
}

// A list of options. NULL: none. Modifies the text.
static inline bool optionlist_take_all(OptionParse *p, char *text) {
    for (char *word; (word = words_next(&text, p->table->separator, p->table->escape)) != NULL;) {
        if (!*word && p->table->repeatable) continue;
        if (!*word) return optionlist_refuse(p, "there is an empty %s", p->table->called);
        if (!optionlist_take(p, word)) return false;
    }
    return true;
}

// Stores the defaults: presets, the first word of a choice, no text.
static inline void optionlist_presets(const OptionTable *t, void *to) {
    for (const OptionRow *row = t->rows; row < t->rows + t->row_count; row++) {
        void *field = (char *)to + row->offset;
        switch (row->kind) {
            case OPTION_NUMBER:
            case OPTION_EVERY: *(uint32_t *)field = (uint32_t)row->preset; break;
            case OPTION_SIZE: *(int64_t *)field = row->preset; break;
            case OPTION_SWITCH:
            case OPTION_BARE: *(bool *)field = row->preset; break;
            case OPTION_AMOUNT: *(OptionAmount *)field = (OptionAmount){0}; break;
            case OPTION_CHOICE: *(int *)field = 0; break;
            case OPTION_TEXT:
            case OPTION_FILE: *(char **)field = NULL; break;
            case OPTION_OWN: break;
        }
    }
}

// ---- help ----------------------------------------------------------------------------------------

static inline const char *optionlist_later(OptionState state) {
    return state == OPTION_LATER ? "  [not built yet]" : "";
}

static inline void optionlist_help_row(FILE *out, const OptionTable *t, const OptionRow *row) {
    static const char *const takes[] = {
        [OPTION_SWITCH] = "[=on|off]", [OPTION_NUMBER] = "=N", [OPTION_SIZE] = "=SIZE", [OPTION_EVERY] = "[=N]",
        [OPTION_AMOUNT] = "=N",        [OPTION_CHOICE] = "=",  [OPTION_TEXT] = "=TEXT", [OPTION_FILE] = "=FILE",
        [OPTION_OWN] = "=PATTERN",     [OPTION_BARE] = "",
    };
    char spelling[64];
    snprintf(spelling, sizeof spelling, "%s%s", row->name, takes[row->kind]);
    fprintf(out, "    %-24s %s", spelling, row->help);
    if (row->kind == OPTION_NUMBER) fprintf(out, " (%" PRId64 ")", row->preset);
    if (row->kind == OPTION_SIZE) fprintf(out, " (%" PRId64 "m)", row->preset >> 20);
    if (row->kind == OPTION_SWITCH && row->preset) fprintf(out, " (on)");
    fprintf(out, "%s\n", optionlist_later(row->state));
    const char *note = " (default)";
    for (const OptionWord *w = t->words; w < t->words + t->word_count; w++) {
        if (row->kind != OPTION_CHOICE || w->row != row - t->rows || w->state == OPTION_COMPARE) continue;
        fprintf(out, "        %-20s %s%s%s\n", w->text, w->help, note, optionlist_later(w->state));
        note = "";
    }
}

// The options, then those for comparisons and experiments: whole rows, and single words of other rows.
static inline void optionlist_help(FILE *out, const OptionTable *t) {
    bool compared = false;
    for (const OptionRow *row = t->rows; row < t->rows + t->row_count; row++) {
        if (row->state != OPTION_COMPARE) optionlist_help_row(out, t, row);
        compared |= row->state == OPTION_COMPARE;
    }
    for (const OptionWord *w = t->words; w < t->words + t->word_count; w++) compared |= w->state == OPTION_COMPARE;
    if (compared) fputs("\n" OPTION_COMPARISONS "\n", out);
    for (const OptionRow *row = t->rows; row < t->rows + t->row_count; row++)
        if (row->state == OPTION_COMPARE) optionlist_help_row(out, t, row);
    for (const OptionWord *w = t->words; w < t->words + t->word_count; w++) {
        char spelling[64];
        if (w->state != OPTION_COMPARE) continue;
        snprintf(spelling, sizeof spelling, "%s=%s", t->rows[w->row].name, w->text);
        fprintf(out, "    %-24s %s\n", spelling, w->help);
    }
}

#endif

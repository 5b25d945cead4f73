// `cabernet-prof plans` (prof_plans.h). The output is a function of the files and their order.
#include "profiler/tool/advise/prof_plans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/tool/advise/prof_recording.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"

enum { MOST_FILES = 64, SHOWN = 8, WIDEST = 160 };

typedef struct Files {
    Recording list[MOST_FILES];
    uint32_t count;
    const RecordedPlan **plans;  // of all files, by name and file
    size_t plan_count;
} Files;

// Plans with the same name, at most one per file.
typedef struct Group {
    const RecordedPlan **list;
    size_t count;
} Group;

static int by_name_and_file(const void *x, const void *y) {
    const RecordedPlan *a = *(const RecordedPlan *const *)x, *b = *(const RecordedPlan *const *)y;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->file > b->file) - (a->file < b->file);
}

static bool read_files(Files *f, char **paths) {
    for (; paths[f->count]; f->count++) {
        if (f->count == MOST_FILES) {
            fprintf(stderr, "cabernet-prof: more than %d files of plans\n", MOST_FILES);
            return false;
        }
        if (!prof_recording_read(paths[f->count], f->count, &f->list[f->count])) return false;
        f->plan_count += f->list[f->count].count;
    }
    f->plans = prof_alloc((f->plan_count + 1) * sizeof *f->plans);
    size_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < f->list[i].count; k++) f->plans[n++] = &f->list[i].plans[k];
    if (n) qsort(f->plans, n, sizeof *f->plans, by_name_and_file);
    return true;
}

static Group group_at(const Files *f, size_t i) {
    Group g = {&f->plans[i], 1};
    while (i + g.count < f->plan_count && strcmp(f->plans[i + g.count]->name, f->plans[i]->name) == 0) g.count++;
    return g;
}

static bool same_decision(const RecordedRow *a, const RecordedRow *b) {
    if (!a || !b) return (a ? a : b)->fact;
    return strcmp(a->text, b->text) == 0;
}

// The slots of several plans, sorted, without duplicates.
typedef struct Slots {
    const char **list;
    size_t count, room;
} Slots;

static Slots slots_of(const RecordedRows *const *rows, size_t n) {
    Slots s = {0};
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < rows[i]->count; k++) {
            GROW_OR_EXIT(s.list, s.room, s.count + 1);
            s.list[s.count++] = rows[i]->list[k].slot;
        }
    if (s.count) qsort(s.list, s.count, sizeof *s.list, prof_by_text);
    for (size_t i = 0; i < s.count; i++)
        if (kept == 0 || strcmp(s.list[kept - 1], s.list[i]) != 0) s.list[kept++] = s.list[i];
    s.count = kept;
    return s;
}

// ---- comparing -----------------------------------------------------------------------------------

typedef struct Comparison {
    const Files *files;
    bool all;
    FILE *out;
    size_t equal, missing, plans, counts, code, moments;
} Comparison;

static void put_names(const Comparison *c, const bool *in) {
    const char *between = "";
    for (uint32_t i = 0; i < c->files->count; i++) {
        if (!in[i]) continue;
        fprintf(c->out, "%s%s", between, c->files->list[i].path);
        between = ", ";
    }
}

// Prints a slot at which plans differ: each text once, with the files that have it.
static void put_difference(const Comparison *c, Group g, const char *slot, const RecordedRow *const *rows) {
    bool told[MOST_FILES] = {0};
    fprintf(c->out, "    %s\n", slot);
    for (size_t i = 0; i < g.count; i++) {
        bool in[MOST_FILES] = {0};
        if (told[i]) continue;
        for (size_t k = i; k < g.count; k++) {
            if (rows[i] != rows[k] && (!rows[i] || !rows[k] || strcmp(rows[i]->text, rows[k]->text) != 0)) continue;
            told[k] = true;
            in[g.list[k]->file] = true;
        }
        const char *text = !rows[i]                  ? "not there"
            : rows[i]->bytes && strstr(slot, " at ") ? "inlined"
            : *rows[i]->text                         ? rows[i]->text
                                                     : "there";
        fprintf(c->out, "        %.*s%s: ", WIDEST, text, strlen(text) > WIDEST ? "..." : "");
        put_names(c, in);
        putc('\n', c->out);
    }
}

// Prints the decisions that differ and returns the number of slots. Where a body is missing from some plans, only the
// body itself is reported, not the slots below it.
static size_t compare_decisions(Comparison *c, Group g, const Slots *slots) {
    const RecordedRow *rows[MOST_FILES];
    const char *outside = NULL;
    size_t found = 0;
    for (size_t i = 0; i < slots->count; i++) {
        bool differs = false, absent = false;
        const char *slot = slots->list[i];
        size_t body = outside ? strlen(outside) : 0;
        // A slot of the missing body, or of one inlined into it.
        if (outside && strncmp(slot, outside, body) == 0 && (slot[body] == ' ' || slot[body] == ':')) continue;
        for (size_t k = 0; k < g.count; k++) {
            rows[k] = prof_recording_row(&g.list[k]->sorted, slot);
            absent |= !rows[k];
            differs |= (rows[0] || rows[k]) && !same_decision(rows[0], rows[k]);
        }
        for (size_t k = 0; absent && k < g.count; k++)
            if (rows[k] && rows[k]->bytes) outside = slot;
        if (differs && (c->all || found < SHOWN)) put_difference(c, g, slot, rows);
        found += differs;
    }
    if (found > SHOWN && !c->all) fprintf(c->out, "    and %zu more (--all)\n", found - SHOWN);
    return found;
}

// The number of differing counts, and the slot with the largest relative difference.
typedef struct Counts {
    size_t rows, differ;
    const char *slot;
    double distance;
} Counts;

static Counts compare_counts(Group g, const Slots *slots) {
    Counts result = {.distance = -1};
    for (size_t i = 0; i < slots->count; i++) {
        uint64_t low = UINT64_MAX, high = 0;
        bool counted = false;
        for (size_t k = 0; k < g.count; k++) {
            const RecordedRow *row = prof_recording_row(&g.list[k]->sorted, slots->list[i]);
            uint64_t n = row ? row->count : 0;
            counted |= row && row->behind;
            low = n < low ? n : low;
            high = n > high ? n : high;
        }
        double distance = high ? (double)(high - low) / (double)high : 0;
        result.rows += counted;
        if (!counted || low == high) continue;
        result.differ++;
        if (distance > result.distance) result.slot = slots->list[i], result.distance = distance;
    }
    return result;
}

// Prints the counts at a slot, or without one the moments of compilation.
static void put_numbers(const Comparison *c, Group g, const char *slot) {
    for (size_t k = 0; k < g.count; k++) {
        const RecordedRow *row = slot ? prof_recording_row(&g.list[k]->sorted, slot) : NULL;
        fprintf(c->out, "%s%" PRIu64, k ? ", " : " ", !slot ? g.list[k]->hotness : row ? row->count : 0);
    }
    putc('\n', c->out);
}

static bool same_moments(Group g) {
    for (size_t k = 1; k < g.count; k++)
        if (g.list[k]->hotness != g.list[0]->hotness) return false;
    return true;
}

// The code hash of an averaged plan is unknown and written as zero.
static bool same_code(Group g) {
    const char *known = NULL;
    for (size_t k = 0; k < g.count; k++) {
        if (strcmp(g.list[k]->code, "hash=0000000000000000") == 0) continue;
        if (known && strcmp(known, g.list[k]->code) != 0) return false;
        known = g.list[k]->code;
    }
    return true;
}

static void compare_group(Comparison *c, Group g) {
    const RecordedRows *rows[MOST_FILES];
    char *made = NULL;
    size_t size = 0;
    FILE *out = c->out;
    for (size_t i = 0; i < g.count; i++) rows[i] = &g.list[i]->sorted;
    Slots slots = slots_of(rows, g.count);
    c->out = open_memstream(&made, &size);
    if (!c->out) prof_out_of_memory();
    size_t decisions = compare_decisions(c, g, &slots);
    Counts counts = compare_counts(g, &slots);
    if (counts.differ) {
        fprintf(c->out, "    %zu of %zu counts differ, most of all %s:", counts.differ, counts.rows, counts.slot);
        put_numbers(c, g, counts.slot);
    }
    if (!same_moments(g)) {
        fprintf(c->out, "    moment:");
        put_numbers(c, g, NULL);
    }
    fclose(c->out);
    c->out = out;
    bool whole = g.count == c->files->count;
    const char *what = decisions ? "plans differ"
        : counts.differ          ? "counts differ"
        : !same_code(g)          ? "code differs"
        : !same_moments(g)       ? "moments differ"
                                 : NULL;
    if (!whole) {
        bool in[MOST_FILES] = {0};
        for (size_t k = 0; k < g.count; k++) in[g.list[k]->file] = true;
        fprintf(out, "in %zu of %u files  %s (", g.count, c->files->count, g.list[0]->name);
        put_names(c, in);
        fputs(")\n", out);
    } else if (what) {
        fprintf(out, "%-15s  %s\n", what, g.list[0]->name);
    }
    if (what) fwrite(made, 1, size, out);
    *(!whole              ? &c->missing
          : decisions     ? &c->plans
          : counts.differ ? &c->counts
          : !what         ? &c->equal
          : *what == 'c'  ? &c->code
                          : &c->moments) += 1;
    free(made);
    free(slots.list);
}

// Advice outside of plans: reports each line that is missing from a file or differs between files.
static size_t compare_advice(const Comparison *c) {
    const RecordedRows *rows[MOST_FILES];
    size_t found = 0;
    for (uint32_t i = 0; i < c->files->count; i++) rows[i] = &c->files->list[i].advice;
    Slots slots = slots_of(rows, c->files->count);
    for (size_t i = 0; i < slots.count; i++) {
        const RecordedRow *first = prof_recording_row(rows[0], slots.list[i]);
        bool differs = false;
        for (uint32_t k = 0; k < c->files->count; k++) {
            const RecordedRow *row = prof_recording_row(rows[k], slots.list[i]);
            differs |= !first != !row || (row && (row->count != first->count || strcmp(row->text, first->text) != 0));
        }
        if (differs && (c->all || found < SHOWN)) fprintf(c->out, "advice differs   %s\n", slots.list[i]);
        found += differs;
    }
    if (found > SHOWN && !c->all) fprintf(c->out, "and %zu more lines of advice (--all)\n", found - SHOWN);
    free(slots.list);
    return found;
}

int prof_plans_compare(char **paths, bool all) {
    Files *files = prof_alloc(sizeof *files);
    if (!read_files(files, paths)) return 2;
    Comparison c = {.files = files, .all = all, .out = stdout};
    size_t advice = compare_advice(&c);
    for (size_t i = 0; i < files->plan_count;) {
        Group g = group_at(files, i);
        compare_group(&c, g);
        i += g.count;
    }
    printf("%zu equal, %zu with other plans, %zu with other counts alone, %zu with other code of equal plans, %zu at "
           "other moments alone, "
           "%zu not in all files\n",
           c.equal, c.plans, c.counts, c.code, c.moments, c.missing);
    return advice || c.plans || c.counts || c.code || c.moments || c.missing;
}

// ---- averaging -----------------------------------------------------------------------------------

// The lower median.
static uint64_t median(uint64_t *values, size_t count) {
    qsort(values, count, sizeof *values, prof_by_number);
    return values[(count - 1) / 2];
}

// Does not overflow; rounds half up.
static uint64_t mean(const uint64_t *values, size_t count) {
    uint64_t whole = 0, rest = 0;
    for (size_t i = 0; i < count; i++) whole += values[i] / count, rest += values[i] % count;
    return whole + (2 * rest + count) / (2 * count);
}

static size_t distance(const RecordedPlan *a, const RecordedPlan *b) {
    const RecordedRows *x = &a->sorted, *y = &b->sorted;
    size_t n = 0;
    for (size_t i = 0, k = 0; i < x->count || k < y->count;) {
        int order = i == x->count ? 1 : k == y->count ? -1 : strcmp(x->list[i].slot, y->list[k].slot);
        const RecordedRow *left = order <= 0 ? &x->list[i++] : NULL, *right = order >= 0 ? &y->list[k++] : NULL;
        n += !same_decision(left, right);
    }
    return n;
}

// The plan whose decisions differ least from those of all others, so a plan that a majority of the files have, if there
// is one. Ties go to the first file. A plan is taken whole because its decisions depend on each other.
static const RecordedPlan *most_usual(Group g) {
    const RecordedPlan *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < g.count; i++) {
        size_t sum = 0;
        for (size_t k = 0; k < g.count; k++) sum += distance(g.list[i], g.list[k]);
        if (sum < least) least = sum, best = g.list[i];
    }
    return best;
}

typedef struct Chosen {
    const RecordedPlan *plan;
    Group of;
    uint64_t hotness, place;  // medians
} Chosen;

static int by_place(const void *x, const void *y) {
    const Chosen *a = x, *b = y;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return strcmp(a->plan->name, b->plan->name);
}

// Does x follow y in most of the files that have both?
static bool is_later(const Chosen *x, const Chosen *y) {
    int later = 0;
    for (size_t i = 0; i < x->of.count; i++)
        for (size_t k = 0; k < y->of.count; k++)
            if (x->of.list[i]->file == y->of.list[k]->file)
                later += x->of.list[i]->place > y->of.list[k]->place ? 1 : -1;
    return later > 0;
}

// Plans of one method apply in the order of the file. Sorting by median places alone could reverse that order.
static void order_within_methods(Chosen *chosen, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t k = i, last = i; k-- > 0;) {
            if (strcmp(chosen[k].plan->method, chosen[last].plan->method) != 0) continue;
            if (!is_later(&chosen[k], &chosen[last])) break;
            Chosen t = chosen[k];
            chosen[k] = chosen[last];
            chosen[last] = t;
            last = k;
        }
}

// The mean over the plans that contain the row's body.
static uint64_t mean_count(Group g, const RecordedRow *row) {
    uint64_t values[MOST_FILES];
    // The slot of the body precedes the colon; a row without one belongs to the plan.
    const char *colon = strstr(row->slot, ": ");
    size_t n = 0, length = colon ? (size_t)(colon - row->slot) : 0;
    char *body = strndup(row->slot, length);
    if (!body) prof_out_of_memory();
    for (size_t i = 0; i < g.count; i++) {
        const RecordedRow *other = prof_recording_row(&g.list[i]->sorted, row->slot);
        if (other || (length && prof_recording_row(&g.list[i]->sorted, body))) values[n++] = other ? other->count : 0;
    }
    free(body);
    return mean(values, n);
}

static void put_row(FILE *out, const RecordedRow *row, uint64_t count) {
    if (row->behind) fprintf(out, "%.*s%" PRIu64 "%s\n", (int)row->digits, row->line, count, row->line + row->behind);
    else fprintf(out, "%s\n", row->line);
}

static void put_plan(FILE *out, const Chosen *c, size_t id) {
    bool changed = false;
    for (size_t i = 0; i < c->plan->rows.count; i++) {
        const RecordedRow *row = &c->plan->rows.list[i];
        uint64_t count = row->behind ? mean_count(c->of, row) : 0;
        if (row->fact && count == 0) count = 1;  // a line with count 0 is invalid
        changed |= count != row->count;
        put_row(out, row, count);
    }
    fprintf(out, "code id=%zu hotness=%" PRIu64 " %s\n", id, c->hotness,
            changed ? "hash=0000000000000000" : c->plan->code);
}

// The advice line that most files have; NULL: at most half of them have one. Files without the line count as 0 in
// *count.
static const RecordedRow *usual_advice(const Files *f, const char *slot, uint64_t *count) {
    const RecordedRow *rows[MOST_FILES] = {0}, *best = NULL;
    uint64_t values[MOST_FILES];
    size_t have = 0, most = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        rows[i] = prof_recording_row(&f->list[i].advice, slot);
        values[i] = rows[i] ? rows[i]->count : 0;
        have += rows[i] != NULL;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        size_t n = 0;
        for (uint32_t k = 0; rows[i] && k < f->count; k++) n += rows[k] && strcmp(rows[i]->text, rows[k]->text) == 0;
        if (n > most) most = n, best = rows[i];
    }
    *count = mean(values, f->count);
    if (best->fact) return *count ? best : NULL;
    return have * 2 > f->count ? best : NULL;
}

static void put_advice(FILE *out, const Files *f) {
    const RecordedRows *rows[MOST_FILES];
    for (uint32_t i = 0; i < f->count; i++) rows[i] = &f->list[i].advice;
    Slots slots = slots_of(rows, f->count);
    for (size_t i = 0; i < slots.count; i++) {
        uint64_t count;
        const RecordedRow *row = usual_advice(f, slots.list[i], &count);
        if (row && strcmp(row->slot, "vm") != 0) put_row(out, row, count);
    }
    free(slots.list);
}

static bool mismatch(const Files *f, const RecordedPlan *a, const RecordedPlan *b, const char *what,
                     const char *which) {
    fprintf(stderr, "cabernet-prof: %s and %s are not of one %s: %s of %s\n", f->list[a->file].path,
            f->list[b->file].path, what, which, a->name);
    return false;
}

// Do the bodies that both plans contain have the same bytecode? Hidden classes are skipped: their names depend on
// creation order, which varies with thread timing.
static bool same_classes(const Files *f, const RecordedPlan *a, const RecordedPlan *b) {
    for (size_t i = 0; i < a->sorted.count; i++) {
        const RecordedRow *x = &a->sorted.list[i];
        const char *last = strstr(x->slot, ": ") ? NULL : strrchr(x->slot, ' '), *method = last ? last + 1 : x->slot;
        const char *hash = strchr(method, '#'), *end = strchr(method, '(');
        bool hidden = hash && end && hash < end;
        const RecordedRow *y = x->bytes && !hidden ? prof_recording_row(&b->sorted, x->slot) : NULL;
        if (y && strncmp(x->bytes, y->bytes, 8) != 0)
            return mismatch(f, a, b, "version of the program", "other bytecode in the plan");
    }
    const RecordedRow *x = prof_recording_row(&a->sorted, "plan"), *y = prof_recording_row(&b->sorted, "plan");
    return strcmp(x->text, y->text) == 0 ||
        mismatch(f, a, b, "profile and option", "other events or sampling in the plan");
}

// All files that name their VM must name the same one.
static bool same_vm(const Files *f) {
    const RecordedRow *first = NULL;
    uint32_t of = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const RecordedRow *row = prof_recording_row(&f->list[i].advice, "vm");
        if (row && first && strcmp(row->text, first->text) != 0) {
            fprintf(stderr, "cabernet-prof: %s and %s are not of one VM: %s, and %s\n", f->list[of].path,
                    f->list[i].path, first->text, row->text);
            return false;
        }
        if (row) first = row, of = i;
    }
    return true;
}

static bool can_be_averaged(const Files *f) {
    if (!same_vm(f)) return false;
    bool together[MOST_FILES] = {true};
    for (size_t i = 0; i < f->plan_count;) {
        Group g = group_at(f, i);
        for (size_t k = 1; k < g.count; k++) {
            if (!same_classes(f, g.list[0], g.list[k])) return false;
            if (g.list[0]->file == 0) together[g.list[k]->file] = true;
        }
        i += g.count;
    }
    for (uint32_t i = 1; i < f->count; i++)
        if (!together[i] && f->list[i].count && f->list[0].count) {
            fprintf(stderr, "cabernet-prof: %s and %s have no plan in common: they are of different programs\n",
                    f->list[0].path, f->list[i].path);
            return false;
        }
    return true;
}

static void average(const Files *f, FILE *out) {
    Chosen *chosen = prof_alloc((f->plan_count + 1) * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < f->plan_count;) {
        Group g = group_at(f, i);
        uint64_t moments[MOST_FILES], places[MOST_FILES];
        i += g.count;
        if (g.count * 2 <= f->count) continue;
        for (size_t k = 0; k < g.count; k++) moments[k] = g.list[k]->hotness, places[k] = g.list[k]->place;
        chosen[count++] = (Chosen){most_usual(g), g, median(moments, g.count), median(places, g.count)};
    }
    if (count) qsort(chosen, count, sizeof *chosen, by_place);
    order_within_methods(chosen, count);
    fputs(PROF_ADVICE_HEADER "\n", out);
    for (uint32_t i = 0; i < f->count; i++) {
        const RecordedRow *row = prof_recording_row(&f->list[i].advice, "vm");
        if (!row) continue;
        fprintf(out, "%s\n", row->line);
        break;
    }
    put_advice(out, f);
    for (size_t i = 0; i < count; i++) put_plan(out, &chosen[i], i);
    free(chosen);
}

int prof_plans_average(char **paths, const char *output) {
    Files *files = prof_alloc(sizeof *files);
    if (!read_files(files, paths) || !can_be_averaged(files)) return 2;
    FILE *out = fopen(output, "wbe");
    bool good = out != NULL;
    if (good) average(files, out);
    good = good && !ferror(out);
    if (out && fclose(out) != 0) good = false;
    if (!good) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", output, strerror(errno));
    return good ? 0 : 2;
}

// Sections (profiler/analyses/section.h) as text and as lines. Column descriptions control the layout; the code knows
// no section by name.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { SECTION_TOP = 20, CELL = 160, STRIPE = 16, LONGEST_SERIES = 96 };

static bool is_histogram(SectionKind kind) { return kind == SECTION_HISTOGRAM || kind == SECTION_SAMPLED; }

// ---- cells ----

// Three digits and a unit.
static void time_text(char out[CELL], uint64_t ns) {
    static const struct {
        uint64_t least;
        double divisor;
        const char *unit;
    } units[] = {{1000000000, 1e9, "s"}, {1000000, 1e6, "ms"}, {1000, 1e3, "us"}, {0, 1, "ns"}};
    size_t i = 0;
    while (ns < units[i].least) i++;
    double v = (double)ns / units[i].divisor;
    snprintf(out, CELL,
             v >= 100 || units[i].divisor == 1 ? "%.0f %s"
                 : v >= 10                     ? "%.1f %s"
                                               : "%.2f %s",
             v, units[i].unit);
}

static const char *const shades[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *shade(double part) { return shades[part <= 0 ? 0 : part >= 1 ? 8 : 1 + (int)(part * 7.999)]; }

// Counts over logarithmic time, from the smallest to the largest bucket.
static void stripe(const Histogram *h, char out[CELL]) {
    uint64_t columns[STRIPE] = {0}, most = 0;
    if (!h->used) return;
    uint32_t first = h->buckets[0].bucket, range = h->buckets[h->used - 1].bucket - first + 1;
    for (uint32_t i = 0; i < h->used; i++) {
        uint64_t *c = &columns[(uint64_t)(h->buckets[i].bucket - first) * STRIPE / range];
        *c += h->buckets[i].count;
        if (*c > most) most = *c;
    }
    *out = '\0';
    for (int i = 0; i < STRIPE; i++) strcat(out, shade((double)columns[i] / (double)most));
}

static void histogram_text(const Histogram *h, char out[2 * CELL]) {
    char p50[CELL], p99[CELL], largest[CELL], picture[CELL] = "", count[32];
    if (!h->count) {
        strcpy(out, "-");
        return;
    }
    time_text(p50, histogram_percentile(h, 0.5));
    time_text(p99, histogram_percentile(h, 0.99));
    time_text(largest, h->largest);
    stripe(h, picture);
    snprintf(out, 2 * CELL, "%s: %.24s, 99%% %.24s, max %.24s |%.64s|", prof_number(count, h->count), p50, p99, largest,
             picture);
}

// A series fitted to the line width by averaging neighbours.
static void series_text(const ProfCell *c, FILE *out) {
    uint64_t most = 0, width = c->number / LONGEST_SERIES + 1;
    for (uint64_t i = 0; i < c->number; i++)
        if (c->series[i] > most) most = c->series[i];
    putc('|', out);
    for (uint64_t i = 0; i < c->number; i += width) {
        uint64_t sum = 0, n = 0;
        for (uint64_t k = i; k < i + width && k < c->number; k++, n++) sum += c->series[k];
        fputs(shade(most ? (double)sum / (double)n / (double)most : 0), out);
    }
    fprintf(out, "| peak %.3f", (double)most / 1000);
}

static void print_frame(const ProfFile *f, const char *frame, FILE *out) {
    char *text = prof_frame_text(f, frame);
    fputs(text, out);
    free(text);
}

static void print_cell(const ProfFile *f, const struct ProfSectionColumn *column, const ProfCell *c, FILE *out) {
    char text[2 * CELL], number[32];
    switch (column->kind) {
        case SECTION_TEXT:
        case SECTION_NOTE: fputs(*c->text ? c->text : "-", out); break;
        case SECTION_NUMBER:
        case SECTION_VARYING: fputs(prof_number(number, c->number), out); break;
        case SECTION_NS: time_text(text, c->number), fputs(text, out); break;
        case SECTION_PERMILLE: fprintf(out, "%.3f", (double)c->number / 1000); break;
        case SECTION_HISTOGRAM:
        case SECTION_SAMPLED: histogram_text(c->histogram, text), fputs(text, out); break;
        case SECTION_STACK: print_frame(f, c->number ? c->frames[0] : "-", out); break;
        case SECTION_SERIES: series_text(c, out); break;
    }
}

// ---- order: longest first ----

static uint64_t weight_of(const ProfSection *s, size_t row) {
    uint64_t weight = 0;
    for (uint32_t c = 0; c < s->column_count; c++) {
        const ProfCell *cell = &s->cells[row * s->column_count + c];
        uint64_t w = s->columns[c].kind == SECTION_NS ? cell->number
            : is_histogram(s->columns[c].kind)        ? cell->histogram->sum
                                                      : 0;
        if (w > weight) weight = w;
    }
    return weight;
}

// ---- text ----

static void print_wide(const ProfFile *f, const ProfSection *s, size_t row, FILE *out) {
    for (uint32_t c = 0; c < s->column_count; c++) {
        const ProfCell *cell = &s->cells[row * s->column_count + c];
        if (is_histogram(s->columns[c].kind) && !cell->histogram->count) continue;
        fprintf(out, "%s%-24s ", c ? "        " : "  ----- ", s->columns[c].name);
        print_cell(f, &s->columns[c], cell, out);
        for (uint64_t i = 1; s->columns[c].kind == SECTION_STACK && i < cell->number; i++) {
            fprintf(out, "\n        %-24s < ", "");
            print_frame(f, cell->frames[i], out);
        }
        putc('\n', out);
    }
}

static void print_narrow(const ProfFile *f, const ProfSection *s, size_t row, FILE *out) {
    for (uint32_t c = 0; c < s->column_count; c++) {
        fputs(c ? "  " : "  ", out);
        if (s->column_count == 2 && c == 0) fprintf(out, "%-28s", s->cells[row * s->column_count].text);
        else if (s->columns[c].kind == SECTION_TEXT || s->columns[c].kind == SECTION_NOTE)
            fprintf(out, "%-28s",
                    *s->cells[row * s->column_count + c].text ? s->cells[row * s->column_count + c].text : "-");
        else {
            fprintf(out, "%s ", s->columns[c].name);
            print_cell(f, &s->columns[c], &s->cells[row * s->column_count + c], out);
        }
    }
    putc('\n', out);
}

void prof_section_print(const ProfFile *f, const ProfSection *s, const ProfOptions *o, FILE *out) {
    size_t n = 0, top = o->top_given ? o->top : SECTION_TOP;
    ProfRank *order = prof_alloc(s->rows * sizeof *order);
    for (size_t i = 0; i < s->rows; i++)
        if (prof_section_passes(s, i, o)) order[n++] = (ProfRank){weight_of(s, i), i};
    if (n) qsort(order, n, sizeof *order, prof_by_weight);
    bool wide = false;  // sections with wide cells print one line for each cell, others one for each row
    for (uint32_t c = 0; c < s->column_count; c++)
        wide |= is_histogram(s->columns[c].kind) || s->columns[c].kind == SECTION_STACK;
    fprintf(out, "\n%s: %zu rows. %s.\n", s->name, n, s->title);
    for (size_t i = 0; i < n && (!top || i < top); i++) {
        if (wide) print_wide(f, s, order[i].item, out);
        else print_narrow(f, s, order[i].item, out);
    }
    if (top && n > top) fprintf(out, "  (%zu more)\n", n - top);
    free(order);
}

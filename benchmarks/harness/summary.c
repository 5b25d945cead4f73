// From records to cells and ratios. A cell with a failed invocation has no figures: its successful runs are not
// representative.
//
// A cell's ratio refers to the baseline's cell of the same program, invocation by invocation, because these were
// measured close in time: in turns, iteration by iteration; else by the medians of their steady states. The layouts of
// stats_layered are invocations, or plans if there are several. Machines are strata: the estimate is the mean of
// theirs, and a resample draws within each.
#include "benchmarks/harness/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "benchmarks/harness/run.h"

static const char *text_in(json_t *record, const char *key) {
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

static void *zeroed(size_t n, size_t size) {
    void *p = calloc(n + 1, size);
    if (!p) run_die("out of memory", "");
    return p;
}

// ---- observations --------------------------------------------------------------------------------------

static double *numbers_of(json_t *array, size_t *n) {
    *n = json_array_size(array);
    double *v = zeroed(*n, sizeof *v);
    for (size_t i = 0; i < *n; i++) v[i] = json_number_value(json_array_get(array, i));
    return v;
}

static double mean_from(json_t *array, size_t from) {
    double sum = 0;
    size_t n = json_array_size(array);
    for (size_t i = from; i < n; i++) sum += json_number_value(json_array_get(array, i));
    return n > from ? sum / (double)(n - from) : 0;
}

static bool observe(Observation *o, json_t *record, json_t *run, bool wall) {
    size_t n_wall;
    json_t *compile = json_object_get(run, "compile_ns");
    *o = (Observation){.machine = text_in(record, "machine"),
                       .invocation = (int)json_integer_value(json_object_get(record, "invocation")),
                       .plan = (int)json_integer_value(json_object_get(record, "plan"))};
    o->cpu_ns = numbers_of(json_object_get(run, "cpu_ns"), &o->n);
    o->wall_ns = numbers_of(json_object_get(run, "wall_ns"), &n_wall);
    if (o->n == 0 || n_wall != o->n) return false;
    o->warmup = warmup_of(wall ? o->wall_ns : o->cpu_ns, o->n);
    size_t from = o->warmup.steady;
    o->steady_cpu_ns = stats_median(o->cpu_ns + from, o->n - from);
    o->steady_wall_ns = stats_median(o->wall_ns + from, o->n - from);
    o->compile_ns = mean_from(compile, 0) * (double)json_array_size(compile);
    o->gc_ns = mean_from(json_object_get(run, "gc_ns"), from);
    o->peak_kib = json_number_value(json_object_get(run, "peak_kib"));
    return o->steady_cpu_ns > 0 && o->steady_wall_ns > 0;
}

static void add_run(Summary *s, Cell *cell, json_t *record, json_t *run) {
    Observation o = {0};
    bool ok = strcmp(text_in(run, "status"), "ok") == 0;
    // A part of a campaign that ran twice, or was named twice, counts once.
    for (size_t i = 0; i < cell->n; i++)
        if (cell->observations[i].invocation == json_integer_value(json_object_get(record, "invocation")) &&
            strcmp(cell->observations[i].machine, text_in(record, "machine")) == 0)
            return;
    cell->heap_mib = (int)json_integer_value(json_object_get(record, "heap_mib"));
    if (ok && observe(&o, record, run, s->campaign.wall)) {
        GROW_OR_EXIT(cell->observations, cell->capacity, cell->n + 1);
        cell->observations[cell->n++] = o;
        cell->checked |= json_is_true(json_object_get(record, "checked"));
        size_t known = 0;
        while (known < s->n_machines && strcmp(s->machines[known], o.machine) != 0) known++;
        if (known == s->n_machines) s->machines[s->n_machines++] = o.machine;
        return;
    }
    warmup_free(&o.warmup);
    free(o.cpu_ns);
    free(o.wall_ns);
    if (cell->failed++ == 0) {
        cell->status = ok ? "no times" : text_in(run, "status");
        cell->detail = text_in(run, "detail");
    }
}

static Cell *cell_named(const Summary *s, const char *program, const char *configuration) {
    size_t p = campaign_subject(&s->campaign, program), c = campaign_configuration(&s->campaign, configuration);
    return p < s->campaign.n_subjects && c < s->campaign.n_configurations ? summary_cell(s, p, c) : NULL;
}

static void read_records(Summary *s) {
    size_t i, k;
    json_t *record, *run;
    json_array_foreach(s->records->list, i, record) {
        Cell *cell = cell_named(s, text_in(record, "program"), text_in(record, "configuration"));
        if (cell && strcmp(text_in(record, "kind"), "heap") == 0)
            cell->least_heap_mib = (int)json_integer_value(json_object_get(record, "mib"));
        if (strcmp(text_in(record, "kind"), "job") != 0) continue;
        json_array_foreach(json_object_get(record, "runs"), k,
                           run) if ((cell = cell_named(s, text_in(record, "program"), text_in(run, "configuration"))))
            add_run(s, cell, record, run);
    }
}

static int by_name(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

static int by_invocation(const void *x, const void *y) {
    const Observation *a = x, *b = y;
    int order = strcmp(a->machine, b->machine);
    return order ? order : a->invocation - b->invocation;
}

static void fill_cell(Cell *c) {
    // The figures must not depend on the order in which parts of a campaign are named, and a resample draws by
    // position.
    if (c->n > 0) qsort(c->observations, c->n, sizeof *c->observations, by_invocation);
    WarmupClass *classes = zeroed(c->n, sizeof *classes);
    double sum[5] = {0}, squares = 0, n = (double)c->n;
    for (size_t i = 0; i < c->n; i++) {
        const Observation *o = &c->observations[i];
        const double v[] = {o->steady_cpu_ns / 1e6, o->steady_wall_ns / 1e6, o->compile_ns / 1e6, o->gc_ns / 1e6,
                            o->peak_kib / 1024};
        for (int k = 0; k < 5; k++) sum[k] += v[k];
        squares += v[0] * v[0];
        classes[i] = o->warmup.class;
    }
    c->warmup = warmup_together(classes, c->n);
    c->cpu_ms = sum[0] / n, c->wall_ms = sum[1] / n, c->compile_ms = sum[2] / n, c->gc_ms = sum[3] / n,
    c->peak_mib = sum[4] / n;
    double variance = c->n > 1 ? (squares - sum[0] * sum[0] / n) / (n - 1) : 0;
    c->spread = sqrt(variance > 0 ? variance : 0) / c->cpu_ms;
    c->cpu = c->wall = (Interval){NAN, NAN, NAN};
    free(classes);
}

// ---- ratios --------------------------------------------------------------------------------------------

// Layouts of log ratios, grouped by machine; the strata own them.
typedef struct Strata {
    Layouts *list;
    size_t n, capacity;
} Strata;

static void free_strata(Strata *t) {
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->list[i].n; k++) free((void *)t->list[i].layouts[k].log_ratios);
        free((void *)t->list[i].layouts);
    }
    free(t->list);
    *t = (Strata){0};
}

static Layout layout_of(const Observation *a, const Observation *b, bool turns, bool wall) {
    size_t from = a->warmup.steady > b->warmup.steady ? a->warmup.steady : b->warmup.steady,
           to = a->n < b->n ? a->n : b->n;
    const double *x = wall ? a->wall_ns : a->cpu_ns, *y = wall ? b->wall_ns : b->cpu_ns;
    if (!turns || from >= to) {
        double *one = zeroed(1, sizeof *one);
        *one = wall ? log(b->steady_wall_ns / a->steady_wall_ns) : log(b->steady_cpu_ns / a->steady_cpu_ns);
        return (Layout){one, 1};
    }
    double *ratios = zeroed(to - from, sizeof *ratios);
    for (size_t i = from; i < to; i++) ratios[i - from] = log(y[i] / x[i]);
    return (Layout){ratios, to - from};
}

const Observation *summary_beside(const Cell *base, const Observation *o) {
    for (size_t i = 0; i < base->n; i++)
        if (base->observations[i].invocation == o->invocation && strcmp(base->observations[i].machine, o->machine) == 0)
            return &base->observations[i];
    return NULL;
}

// Matched pairs: with several plans each plan is a layout. Its pairs are the invocations with that plan, baseline and
// cell in the same block. Returns the number of layouts.
static size_t join_plans(const Summary *s, Layout *layouts, const int *plans, size_t n) {
    Layout *joined = zeroed((size_t)s->campaign.plans, sizeof *joined);
    size_t made = 0;
    for (int p = 0; p < s->campaign.plans; p++) {
        double *medians = zeroed(n, sizeof *medians);
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (plans[i] == p) medians[m++] = stats_median(layouts[i].log_ratios, layouts[i].n);
        if (m > 0) joined[made++] = (Layout){medians, m};
        else free(medians);
    }
    for (size_t i = 0; i < n; i++) free((void *)layouts[i].log_ratios);
    memcpy(layouts, joined, made * sizeof *layouts);
    free(joined);
    return made;
}

// Adds the layouts of the cell and the baseline's on one machine (NULL: on all).
static void add_stratum(const Summary *s, Strata *t, const Cell *base, const Cell *cell, const char *machine,
                        bool wall) {
    Layout *layouts = zeroed(cell->n, sizeof *layouts);
    int *plans = zeroed(cell->n, sizeof *plans);
    size_t n = 0;
    for (size_t i = 0; i < cell->n; i++) {
        const Observation *b = &cell->observations[i], *a = summary_beside(base, b);
        if (!a || (machine && strcmp(a->machine, machine) != 0)) continue;
        plans[n] = b->plan;
        layouts[n++] = layout_of(a, b, s->campaign.turns, wall);
    }
    size_t row = s->campaign.n_configurations;
    if (summary_by_plan(s, (size_t)(base - s->cells) % row, (size_t)(cell - s->cells) % row))
        n = join_plans(s, layouts, plans, n);
    free(plans);
    if (n == 0) {
        free(layouts);
        return;
    }
    GROW_OR_EXIT(t->list, t->capacity, t->n + 1);
    t->list[t->n++] = (Layouts){layouts, n};
}

// By machine, if every machine has at least two invocations; otherwise all together.
static void add_strata(const Summary *s, Strata *t, const Cell *base, const Cell *cell, bool wall) {
    size_t before = t->n;
    for (size_t m = 0; m < s->n_machines; m++) add_stratum(s, t, base, cell, s->machines[m], wall);
    bool few = false;
    for (size_t i = before; i < t->n; i++) few |= t->list[i].n < 2;
    if (few && t->n - before > 1) {
        Strata last = {.list = t->list + before, .n = t->n - before};
        for (size_t i = 0; i < last.n; i++) {
            for (size_t k = 0; k < last.list[i].n; k++) free((void *)last.list[i].layouts[k].log_ratios);
            free((void *)last.list[i].layouts);
        }
        t->n = before;
        add_stratum(s, t, base, cell, NULL, wall);
    }
}

static Interval ratio_of(const Summary *s, const Cell *base, const Cell *cell, bool wall) {
    Strata t = {0};
    if (cell == base) return (Interval){1, NAN, NAN};
    add_strata(s, &t, base, cell, wall);
    Interval i = stats_layered(t.list, t.n);
    free_strata(&t);
    return i;
}

bool summary_shows_plans(const Summary *s, size_t subject, size_t configuration) {
    return summary_by_plan(s, configuration,
                           configuration == s->campaign.baseline ? configuration : s->campaign.baseline) &&
        summary_good(summary_cell(s, subject, configuration)) &&
        summary_good(summary_cell(s, subject, s->campaign.baseline));
}

double summary_plan_ratio(const Summary *s, size_t subject, size_t configuration, int plan, bool wall) {
    const Cell *base = summary_cell(s, subject, s->campaign.baseline), *cell = summary_cell(s, subject, configuration);
    double *logs = zeroed(cell->n, sizeof *logs);
    size_t n = 0;
    for (size_t i = 0; i < cell->n; i++) {
        const Observation *b = &cell->observations[i], *a = summary_beside(base, b);
        if (!a || b->plan != plan) continue;
        Layout l = layout_of(a, b, s->campaign.turns, wall);
        logs[n++] = stats_median(l.log_ratios, l.n);
        free((void *)l.log_ratios);
    }
    double ratio = n ? exp(stats_median(logs, n)) : NAN;
    free(logs);
    return ratio;
}

PlanSpread summary_plan_spread(const Summary *s, const Cell *c) {
    double within = 0, squares = 0, sum = 0, sizes = 0;
    size_t groups = 0, n = 0;
    for (int p = 0; p < s->campaign.plans; p++) {
        double own = 0, own_squares = 0;
        size_t m = 0;
        for (size_t i = 0; i < c->n; i++) {
            double v = log(s->campaign.wall ? c->observations[i].steady_wall_ns : c->observations[i].steady_cpu_ns);
            if (c->observations[i].plan == p) own += v, own_squares += v * v, m++;
        }
        if (m == 0) continue;
        double mean = own / (double)m;
        within += own_squares - own * mean;
        sum += mean, squares += mean * mean, sizes += 1 / (double)m;
        groups++, n += m;
    }
    if (groups < 2 || n <= groups) return (PlanSpread){NAN, NAN};
    // Means of few processes vary anyway; only the excess is between plans.
    within /= (double)(n - groups);
    double between = (squares - sum * sum / (double)groups) / (double)(groups - 1) - within * sizes / (double)groups;
    return (PlanSpread){sqrt(between > 0 ? between : 0), sqrt(within > 0 ? within : 0)};
}

// The mean over the programs that are good on both; on one machine, or on all if machine is NULL.
static Interval mean_ratio(const Summary *s, size_t configuration, const char *machine, bool wall, size_t *programs) {
    Strata t = {0};
    *programs = 0;
    for (size_t p = 0; p < s->campaign.n_subjects; p++) {
        const Cell *base = summary_cell(s, p, s->campaign.baseline), *cell = summary_cell(s, p, configuration);
        size_t before = t.n;
        if (!summary_good(base) || !summary_good(cell)) continue;
        if (machine) add_stratum(s, &t, base, cell, machine, wall);
        else add_strata(s, &t, base, cell, wall);
        *programs += t.n > before;
    }
    Interval i = stats_layered(t.list, t.n);
    free_strata(&t);
    return i;
}

// The machines are a sample: the interval covers the mean for machines of this kind.
static Interval across_machines(const MachineEffect *effects, size_t n) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double v = log(effects[i].ratio.value);
        sum += v, squares += v * v;
    }
    double mean = sum / (double)n, variance = (squares - sum * mean) / (double)(n - 1);
    // Student's t, 97.5 %.
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    double quantile = n - 2 < sizeof t / sizeof *t ? t[n - 2] : 1.96 + 2.5 / (double)n;
    double half = quantile * sqrt((variance > 0 ? variance : 0) / (double)n);
    return (Interval){exp(mean), exp(mean - half), exp(mean + half)};
}

static void machine_effects(Summary *s) {
    size_t programs;
    for (size_t c = 0; c < s->campaign.n_configurations; c++) {
        MachineEffect *own = &s->effects[c * s->n_machines];
        bool all = s->n_machines > 1;
        for (size_t m = 0; m < s->n_machines; m++) {
            own[m] = (MachineEffect){s->machines[m], mean_ratio(s, c, s->machines[m], s->campaign.wall, &programs)};
            all &= !isnan(own[m].ratio.value);
        }
        s->across[c] = all ? across_machines(own, s->n_machines) : (Interval){NAN, NAN, NAN};
    }
}

Summary summary_of(const Records *r) {
    Summary s = {.campaign = campaign_of(r->description), .records = r};
    const Campaign *c = &s.campaign;
    s.cells = zeroed(c->n_subjects * c->n_configurations, sizeof *s.cells);
    s.machines = zeroed(json_array_size(r->list), sizeof *s.machines);
    s.cpu = zeroed(c->n_configurations, sizeof *s.cpu);
    s.wall = zeroed(c->n_configurations, sizeof *s.wall);
    s.across = zeroed(c->n_configurations, sizeof *s.across);
    s.programs = zeroed(c->n_configurations, sizeof *s.programs);
    read_records(&s);
    qsort(s.machines, s.n_machines, sizeof *s.machines, by_name);
    s.effects = zeroed(c->n_configurations * s.n_machines, sizeof *s.effects);
    for (size_t p = 0; p < c->n_subjects; p++)
        for (size_t k = 0; k < c->n_configurations; k++) fill_cell(summary_cell(&s, p, k));
    for (size_t p = 0; p < c->n_subjects; p++) {
        const Cell *base = summary_cell(&s, p, c->baseline);
        for (size_t k = 0; k < c->n_configurations; k++) {
            Cell *cell = summary_cell(&s, p, k);
            if (!summary_good(base) || !summary_good(cell)) continue;
            cell->cpu = ratio_of(&s, base, cell, false);
            cell->wall = ratio_of(&s, base, cell, true);
        }
    }
    for (size_t k = 0; k < c->n_configurations; k++) {
        s.cpu[k] = mean_ratio(&s, k, NULL, false, &s.programs[k]);
        s.wall[k] = mean_ratio(&s, k, NULL, true, &s.programs[k]);
    }
    machine_effects(&s);
    return s;
}

void summary_free(Summary *s) {
    size_t cells = s->campaign.n_subjects * s->campaign.n_configurations;
    for (size_t i = 0; i < cells; i++) {
        for (size_t k = 0; k < s->cells[i].n; k++) {
            Observation *o = &s->cells[i].observations[k];
            free(o->cpu_ns), free(o->wall_ns);
            warmup_free(&o->warmup);
        }
        free(s->cells[i].observations);
    }
    free(s->cells), free(s->machines), free(s->cpu), free(s->wall), free(s->across), free(s->programs),
        free(s->effects);
    campaign_free(&s->campaign);
    *s = (Summary){0};
}

// The tables of a campaign as text and as JSON, and the subcommands that print them again.
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/run.h"
#include "benchmarks/harness/summary.h"

// ---- text ----------------------------------------------------------------------------------------------

static void put_interval(FILE *out, Interval i) {
    if (isnan(i.value)) fprintf(out, " %-24s", "     -");
    else if (isnan(i.low)) fprintf(out, " %7.4f %-16s", i.value, "");
    else fprintf(out, " %7.4f [%.4f, %.4f]", i.value, i.low, i.high);
}

static void put_cell(FILE *out, const Cell *c) {
    if (c->failed) {
        fprintf(out, " %s in %zu of %zu: %.60s\n", c->status, c->failed, c->failed + c->n, c->detail);
        return;
    }
    if (c->n == 0) {
        fprintf(out, " not measured\n");
        return;
    }
    fprintf(out, " %10.3f %10.3f %5.1f", c->cpu_ms, c->wall_ms, 100 * c->spread);
    put_interval(out, c->cpu);
    put_interval(out, c->wall);
    fprintf(out, " %-9s %9.0f %8.2f %7.0f %4zu%s\n", warmup_name(c->warmup), c->compile_ms, c->gc_ms, c->peak_mib, c->n,
            c->checked ? "" : " ?");
}

static void put_machines(FILE *out, const Summary *s) {
    if (s->n_machines < 2) return;
    fprintf(
        out,
        "\nMachines: ratio of %s time, geometric mean over the programs, and where it lies for machines like these\n",
        s->campaign.wall ? "wall" : "processor");
    for (size_t c = 0; c < s->campaign.n_configurations; c++) {
        if (c == s->campaign.baseline) continue;
        for (size_t m = 0; m < s->n_machines; m++) {
            fprintf(out, "  %-20s %-20s", s->campaign.configurations[c].name, s->machines[m]);
            put_interval(out, s->effects[c * s->n_machines + m].ratio);
            putc('\n', out);
        }
        fprintf(out, "  %-20s %-20s", "", "machines like these");
        put_interval(out, s->across[c]);
        putc('\n', out);
    }
}

// For each program whose ratios depend on plans: the ratio with each plan.
static void put_plans(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    bool any = false;
    for (size_t p = 0; p < c->n_subjects; p++)
        for (size_t k = 0; k < c->n_configurations; k++) {
            if (!summary_shows_plans(s, p, k)) continue;
            if (!any)
                fprintf(out,
                        "\nPlans: variation of the steady %s time between plans and from process to process with the "
                        "same plan, %%; the ratio with each "
                        "plan\n",
                        c->wall ? "wall" : "processor");
            any = true;
            PlanSpread spread = summary_plan_spread(s, summary_cell(s, p, k));
            fprintf(out, "  %-14s %-14s", c->subjects[p].name, c->configurations[k].name);
            if (isnan(spread.between)) fprintf(out, "      -      -");
            else fprintf(out, " %6.2f %6.2f", 100 * spread.between, 100 * spread.within);
            for (int i = 0; i < c->plans && k != c->baseline; i++) {
                double ratio = summary_plan_ratio(s, p, k, i, c->wall);
                isnan(ratio) ? fprintf(out, "       -") : fprintf(out, " %7.4f", ratio);
            }
            putc('\n', out);
        }
}

static void put_head(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    for (size_t i = 0; i < c->n_configurations; i++)
        fprintf(out, "%s%s: %s\n", i == c->baseline ? "*" : " ", c->configurations[i].name,
                c->configurations[i].command);
    fprintf(out,
            "ratios are to * with 95 %% intervals; times are medians of the steady iterations, %s; +-%% is between "
            "processes\n",
            c->turns ? "all configurations alive, in turns" : "one process after the other");
    if (c->plans)
        fprintf(out, "{plan}: one of %d %s, in turn; ratios of matched pairs, plan by plan\n", c->plans,
                c->plan_files ? "files" : "that were recorded first");
    if (c->plan_command) fprintf(out, "recorded by: %s\n", c->plan_command);
    if (c->heap > 0) fprintf(out, "heap: %g times the least that suffices to all\n", c->heap);
    fprintf(out, "\n%-14s %-14s %10s %10s %5s  %-24s %-24s %-9s %9s %8s %7s %4s\n", "", "", "cpu ms", "wall ms", "+-%",
            "processor time", "wall time", "warm-up", "compile", "gc ms", "MiB", "n");
}

void summary_text(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    bool unchecked = false;
    put_head(out, s);
    for (size_t p = 0; p < c->n_subjects; p++) {
        for (size_t k = 0; k < c->n_configurations; k++) {
            const Cell *cell = summary_cell(s, p, k);
            fprintf(out, "%-14s %-14s", k ? "" : c->subjects[p].name, c->configurations[k].name);
            put_cell(out, cell);
            unchecked |= cell->n > 0 && !cell->checked;
        }
    }
    for (size_t k = 0; k < c->n_configurations; k++) {
        if (k == c->baseline) continue;
        fprintf(out, "%-14s %-14s %27s", "geometric mean", c->configurations[k].name, "");
        put_interval(out, s->cpu[k]);
        put_interval(out, s->wall[k]);
        fprintf(out, " over %zu of %zu\n", s->programs[k], c->n_subjects);
    }
    if (unchecked) fputs("?: what it printed was not checked\n", out);
    put_plans(out, s);
    put_machines(out, s);
}

// ---- JSON ----------------------------------------------------------------------------------------------

static json_t *real(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t *interval_json(Interval i) {
    return json_pack("{s:o, s:o, s:o}", "value", real(i.value), "low", real(i.low), "high", real(i.high));
}

static json_t *cell_json(const Summary *s, size_t p, size_t k) {
    const Cell *c = summary_cell(s, p, k);
    json_t *cell = json_pack("{s:s, s:s, s:s, s:I, s:I, s:b}", "program", s->campaign.subjects[p].name, "configuration",
                             s->campaign.configurations[k].name, "status",
                             c->failed  ? c->status
                                 : c->n ? "ok"
                                        : "not measured",
                             "invocations", (json_int_t)c->n, "failed", (json_int_t)c->failed, "checked", c->checked);
    if (c->failed) json_object_set_new(cell, "detail", json_string(c->detail));
    if (c->least_heap_mib) json_object_set_new(cell, "least_heap_mib", json_integer(c->least_heap_mib));
    if (c->heap_mib) json_object_set_new(cell, "heap_mib", json_integer(c->heap_mib));
    if (!summary_good(c)) return cell;
    json_t *figures = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "cpu_ms", real(c->cpu_ms), "wall_ms",
                                real(c->wall_ms), "spread", real(c->spread), "compile_ms", real(c->compile_ms), "gc_ms",
                                real(c->gc_ms), "peak_mib", real(c->peak_mib), "warmup", warmup_name(c->warmup),
                                "cpu_ratio", interval_json(c->cpu), "wall_ratio", interval_json(c->wall));
    json_object_update_new(cell, figures);
    if (s->campaign.plans > 1 && s->campaign.configurations[k].replays) {
        PlanSpread spread = summary_plan_spread(s, c);
        json_object_set_new(cell, "spread_between_plans", real(spread.between));
        json_object_set_new(cell, "spread_within_plans", real(spread.within));
    }
    if (summary_by_plan(s, k, s->campaign.baseline) && k != s->campaign.baseline) {
        json_t *ratios = json_array();
        for (int i = 0; i < s->campaign.plans; i++)
            json_array_append_new(ratios, real(summary_plan_ratio(s, p, k, i, s->campaign.wall)));
        json_object_set_new(cell, "plan_ratios", ratios);
    }
    return cell;
}

json_t *summary_json(const Summary *s) {
    const Campaign *c = &s->campaign;
    json_t *cells = json_array(), *means = json_array(), *machines = json_array();
    for (size_t p = 0; p < c->n_subjects; p++)
        for (size_t k = 0; k < c->n_configurations; k++) json_array_append_new(cells, cell_json(s, p, k));
    for (size_t k = 0; k < c->n_configurations; k++) {
        json_array_append_new(means,
                              json_pack("{s:s, s:o, s:o, s:I}", "configuration", c->configurations[k].name, "cpu_ratio",
                                        interval_json(s->cpu[k]), "wall_ratio", interval_json(s->wall[k]), "programs",
                                        (json_int_t)s->programs[k]));
        for (size_t m = 0; s->n_machines > 1 && m < s->n_machines; m++)
            json_array_append_new(machines,
                                  json_pack("{s:s, s:s, s:o}", "configuration", c->configurations[k].name, "machine",
                                            s->machines[m], "ratio",
                                            interval_json(s->effects[k * s->n_machines + m].ratio)));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "baseline", c->configurations[c->baseline].name, "cells", cells, "means",
                     means, "machines", machines);
}

// ---- commands ------------------------------------------------------------------------------------------

static bool any_failed(const Summary *s) {
    bool failed = false;
    for (size_t i = 0; i < s->campaign.n_subjects * s->campaign.n_configurations; i++) failed |= s->cells[i].failed > 0;
    return failed;
}

static void write_html(const Summary *s, const char *path) {
    FILE *out = fopen(path, "we");
    if (!out) run_die("cannot write ", path);
    summary_html(out, s);
    bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) run_die("cannot write all of ", path);
}

bool summary_write(const Records *r, const char *dir) {
    Summary s = summary_of(r);
    char path[4096];
    summary_text(stdout, &s);
    snprintf(path, sizeof path, "%s/result.json", dir);
    records_save(r, path, summary_json(&s));
    printf("\nall data: %s\n", path);
    snprintf(path, sizeof path, "%s/report.html", dir);
    write_html(&s, path);
    printf("report: %s\n", path);
    bool failed = any_failed(&s);
    summary_free(&s);
    return failed;
}

int campaign_report(int argc, char **argv) {
    static const struct option options[] = {
        {"html", required_argument, NULL, 'h'}, {"json", required_argument, NULL, 'j'}, {0}};
    const char *html = NULL, *json = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?') exit(2);
        *(c == 'h' ? &html : &json) = optarg;
    }
    Records r = records_load(argv + optind, argc - optind);
    Summary s = summary_of(&r);
    summary_text(stdout, &s);
    if (html) write_html(&s, html);
    if (json) records_save(&r, json, summary_json(&s));
    bool failed = any_failed(&s);
    summary_free(&s);
    records_close(&r);
    return failed;
}

int campaign_merge(int argc, char **argv) {
    static const struct option options[] = {{"out", required_argument, NULL, 'o'}, {0}};
    const char *out = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?') exit(2);
        out = optarg;
    }
    if (!out) run_die("merge needs --out FILE", "");
    Records r = records_load(argv + optind, argc - optind);
    Summary s = summary_of(&r);
    records_save(&r, out, summary_json(&s));
    summary_text(stdout, &s);
    summary_free(&s);
    records_close(&r);
    return 0;
}

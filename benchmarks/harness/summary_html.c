// The report of a campaign as one HTML file: tables, ratios with intervals, the iterations of every process with their
// change points, the machines, and all raw data.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/html.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/summary.h"

static void put_configurations(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    fputs("<table><tr><th>configuration<th class=t>command</tr>\n", out);
    for (size_t i = 0; i < c->n_configurations; i++) {
        fputs("<tr><td>", out);
        html_text(out, c->configurations[i].name);
        fputs(i == c->baseline ? " (baseline)<td class=t><code>" : "<td class=t><code>", out);
        html_text(out, c->configurations[i].command);
        fputs("</code></tr>\n", out);
    }
    fprintf(
        out,
        "</table>\n<p>Ratios are to the baseline, with 95 %% intervals. Times are medians of the steady iterations%s.",
        c->turns ? ", with all configurations alive and in turns" : ", of one process after the other");
    if (c->heap > 0)
        fprintf(out, " The heap has %g times the least size that suffices to every configuration.", c->heap);
    fputs(" Configurations that crashed, hung or printed something wrong are in no average.</p>\n", out);
}

static void put_row(FILE *out, const Summary *s, size_t p, size_t k) {
    const Cell *c = summary_cell(s, p, k);
    fputs("<tr><td>", out);
    html_text(out, k ? "" : s->campaign.subjects[p].name);
    fputs("<td class=t>", out);
    html_text(out, s->campaign.configurations[k].name);
    if (!summary_good(c)) {
        fputs("<td class=bad colspan=9>", out);
        if (c->failed) fprintf(out, "%s in %zu of %zu: ", c->status, c->failed, c->failed + c->n);
        html_text(out, c->failed ? c->detail : "not measured");
        fputs("</tr>\n", out);
        return;
    }
    fprintf(out, "<td>%.3f<td>%.3f<td>%.1f", c->cpu_ms, c->wall_ms, 100 * c->spread);
    html_interval(out, c->cpu);
    html_interval(out, c->wall);
    fprintf(out, "<td class=t>%s<td>%.0f<td>%.2f<td>%.0f<td>%zu</tr>\n", warmup_name(c->warmup), c->compile_ms,
            c->gc_ms, c->peak_mib, c->n);
}

static void put_table(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    fputs("<table><tr><th>program<th class=t>configuration<th>cpu ms<th>wall ms<th>&plusmn;%<th>processor time<th>wall "
          "time<th class=t>warm-up"
          "<th>compile ms<th>gc ms<th>MiB<th>n</tr>\n",
          out);
    for (size_t p = 0; p < c->n_subjects; p++)
        for (size_t k = 0; k < c->n_configurations; k++) put_row(out, s, p, k);
    for (size_t k = 0; k < c->n_configurations; k++) {
        if (k == c->baseline) continue;
        fputs("<tr><td><b>geometric mean</b><td class=t>", out);
        html_text(out, c->configurations[k].name);
        fputs("<td><td><td>", out);
        html_interval(out, s->cpu[k]);
        html_interval(out, s->wall[k]);
        fprintf(out, "<td class=t colspan=5>over %zu of %zu programs</tr>\n", s->programs[k], c->n_subjects);
    }
    fputs("</table>\n", out);
}

static void put_ratios(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    HtmlBar *bars = calloc((c->n_subjects + 1) * c->n_configurations + 1, sizeof *bars);
    size_t n = 0;
    if (!bars) run_die("out of memory", "");
    for (size_t p = 0; p <= c->n_subjects; p++) {
        for (size_t k = 0; k < c->n_configurations; k++) {
            if (k == c->baseline) continue;
            bool mean = p == c->n_subjects;
            const Cell *cell = mean ? NULL : summary_cell(s, p, k);
            Interval v = mean ? (c->wall ? s->wall[k] : s->cpu[k]) : c->wall ? cell->wall : cell->cpu;
            bars[n++] = (HtmlBar){mean ? "geometric mean" : c->subjects[p].name, c->configurations[k].name, (int)k, v};
        }
    }
    fprintf(out, "<h2>Ratios of %s time</h2>\n", c->wall ? "wall" : "processor");
    html_interval_plot(out, bars, n);
    free(bars);
}

// ---- iterations ------------------------------------------------------------------------------------------

enum { SERIES_WIDTH = 360, SERIES_HEIGHT = 120, SERIES_SHOWN = 10 };

static double longest_of(const Cell *c, bool wall, size_t *iterations) {
    double longest = 0;
    for (size_t i = 0; i < c->n && i < SERIES_SHOWN; i++) {
        const Observation *o = &c->observations[i];
        *iterations = o->n > *iterations ? o->n : *iterations;
        for (size_t k = 0; k < o->n; k++) {
            double v = wall ? o->wall_ns[k] : o->cpu_ns[k];
            longest = v > longest ? v : longest;
        }
    }
    return longest;
}

static void put_series(FILE *out, const Observation *o, bool wall, double longest, size_t iterations, int colour) {
    double step = (double)SERIES_WIDTH / (double)(iterations > 1 ? iterations - 1 : 1);
    fputs("<polyline fill=\"none\" stroke-width=\"1\" opacity=\".7\" stroke=\"", out);
    fprintf(out, "%s\" points=\"", html_colour(colour));
    for (size_t k = 0; k < o->n; k++)
        fprintf(out, "%.1f,%.1f ", (double)k * step,
                SERIES_HEIGHT * (1 - (wall ? o->wall_ns[k] : o->cpu_ns[k]) / longest));
    fputs("\"/>", out);
    for (size_t k = 1; k < o->warmup.n; k++) {
        double x = ((double)o->warmup.segments[k].start - 0.5) * step;
        fprintf(
            out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"2,3\" opacity=\".6\"/>",
            x, x, SERIES_HEIGHT, html_colour(colour));
    }
}

static void put_iterations(FILE *out, const Summary *s) {
    const Campaign *c = &s->campaign;
    fprintf(out,
            "<h2>Iterations</h2>\n<p>Each line is a process (the first %d), dashed lines are its change points.</p>\n",
            SERIES_SHOWN);
    for (size_t p = 0; p < c->n_subjects; p++) {
        for (size_t k = 0; k < c->n_configurations; k++) {
            const Cell *cell = summary_cell(s, p, k);
            size_t iterations = 0;
            double longest = longest_of(cell, c->wall, &iterations);
            if (iterations < 2) continue;
            fprintf(out, "<figure><svg width=\"%d\" height=\"%d\" style=\"border:1px solid #ddd\">", SERIES_WIDTH,
                    SERIES_HEIGHT);
            for (size_t i = 0; i < cell->n && i < SERIES_SHOWN; i++)
                put_series(out, &cell->observations[i], c->wall, longest, iterations, (int)i);
            fputs("</svg><figcaption>", out);
            html_text(out, c->subjects[p].name);
            fputs(" on ", out);
            html_text(out, c->configurations[k].name);
            fprintf(out, ": %s; 0 to %.2f ms, %zu iterations</figcaption></figure>\n", warmup_name(cell->warmup),
                    longest / 1e6, iterations);
        }
    }
}

// ---- plans --------------------------------------------------------------------------------------------------

static void put_plan_row(FILE *out, const Summary *s, size_t p, size_t k) {
    PlanSpread spread = summary_plan_spread(s, summary_cell(s, p, k));
    const double numbers[] = {100 * spread.between, 100 * spread.within};
    fputs("<tr><td>", out);
    html_text(out, s->campaign.subjects[p].name);
    fputs("<td>", out);
    html_text(out, s->campaign.configurations[k].name);
    for (int i = 0; i < 2; i++) isnan(numbers[i]) ? fputs("<td>-", out) : fprintf(out, "<td>%.2f", numbers[i]);
    for (int i = 0; i < s->campaign.plans; i++) {
        double ratio = k == s->campaign.baseline ? NAN : summary_plan_ratio(s, p, k, i, s->campaign.wall);
        isnan(ratio) ? fputs("<td>", out) : fprintf(out, "<td>%.4f", ratio);
    }
    fputs("</tr>\n", out);
}

static void put_plans(FILE *out, const Summary *s) {
    if (s->campaign.plans < 2) return;
    fputs("<h2>Plans</h2>\n<table><tr><th>program<th>configuration<th>% between plans<th>% with one", out);
    for (int i = 0; i < s->campaign.plans; i++) fprintf(out, "<th>plan %d", i + 1);
    fputs("</tr>\n", out);
    for (size_t p = 0; p < s->campaign.n_subjects; p++)
        for (size_t k = 0; k < s->campaign.n_configurations; k++)
            if (summary_shows_plans(s, p, k)) put_plan_row(out, s, p, k);
    fputs("</table>\n", out);
}

// ---- machines and programs ----------------------------------------------------------------------------------

static void put_machines(FILE *out, const Summary *s) {
    size_t i;
    json_t *record, *value;
    const char *key;
    fputs("<h2>Machines</h2>\n", out);
    for (size_t k = 0; s->n_machines > 1 && k < s->campaign.n_configurations; k++) {
        if (k == s->campaign.baseline) continue;
        fputs("<table><tr><th>", out);
        html_text(out, s->campaign.configurations[k].name);
        fputs("<th>geometric mean</tr>\n", out);
        for (size_t m = 0; m < s->n_machines; m++) {
            fputs("<tr><td>", out);
            html_text(out, s->machines[m]);
            html_interval(out, s->effects[k * s->n_machines + m].ratio);
            fputs("</tr>\n", out);
        }
        fputs("<tr><td>machines like these", out);
        html_interval(out, s->across[k]);
        fputs("</tr></table>\n", out);
    }
    json_array_foreach(s->records->list, i, record) {
        json_t *machine = json_object_get(record, "machine");
        if (!json_is_object(machine)) continue;
        fputs("<table>", out);
        json_object_foreach(machine, key, value) {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_INDENT(1));
            fputs("<tr><td>", out);
            html_text(out, key);
            fputs("<td class=t><code>", out);
            html_text(out, text ? text : "");
            fputs("</code></tr>\n", out);
            free(text);
        }
        fputs("</table>\n", out);
    }
}

static void put_programs(FILE *out, const Summary *s) {
    fputs("<h2>Programs</h2>\n<table><tr><th>program<th class=t>stands for<th class=t>runs</tr>\n", out);
    for (size_t p = 0; p < s->campaign.n_subjects; p++) {
        const Subject *subject = &s->campaign.subjects[p];
        fputs("<tr><td>", out);
        html_text(out, subject->name);
        fputs("<td class=t>", out);
        html_text(out, subject->stands_for ? subject->stands_for : "");
        fputs("<td class=t><code>", out);
        html_text(out, subject->run);
        fputs("</code></tr>\n", out);
    }
    fputs("</table>\n", out);
}

void summary_html(FILE *out, const Summary *s) {
    const char *title = json_string_value(json_object_get(s->campaign.description, "title"));
    html_report_begin(out, title ? title : "cabernet-bench");
    put_configurations(out, s);
    put_table(out, s);
    put_ratios(out, s);
    put_iterations(out, s);
    put_programs(out, s);
    put_plans(out, s);
    put_machines(out, s);
    json_t *all = json_pack("{s:O, s:o, s:O}", "description", s->campaign.description, "summary", summary_json(s),
                            "records", s->records->list);
    html_data(out, "results", all);
    json_decref(all);
    html_end(out);
}

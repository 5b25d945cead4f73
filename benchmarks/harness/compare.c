// cabernet-bench compare: which differences between two results are real.
//
// Each cell that both results contain is compared by the logarithms of its processes' steady times. The results were
// measured at different times, perhaps on different machines, so an effect on all programs alike is not a difference
// between the programs. Where both have a good baseline, the ratios to it are therefore compared, invocation by
// invocation; otherwise the times themselves. The tests are Welch's; Holm's procedure keeps the probability of a false
// alarm in the whole table below 5 %.
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/html.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/summary.h"

typedef struct Sample {
    size_t n;
    double mean, variance;
} Sample;

typedef struct Difference {
    const char *program, *configuration, *trouble;
    Interval ratio;
    double p;
    bool relative, real;
} Difference;

// ---- Welch's test ----------------------------------------------------------------------------------------

// The continued fraction of the incomplete beta function (Lentz's method; the formula is in Numerical Recipes 6.4).
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1), tiny = 1e-300;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < 300; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
               odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double terms[] = {even, odd};
        double change = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            c = 1 + terms[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            h *= change = d * c;
        }
        if (fabs(change - 1) < 1e-12) break;
    }
    return h;
}

// Two-sided p of Student's t: the incomplete beta function of freedom / 2 and 1 / 2.
static double student_p(double t, double freedom) {
    double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
    if (x <= 0 || x >= 1) return x >= 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static void welch(const Sample *a, const Sample *b, Difference *d) {
    double va = a->variance / (double)a->n, vb = b->variance / (double)b->n, difference = b->mean - a->mean;
    d->ratio = (Interval){exp(difference), NAN, NAN};
    d->p = 1;
    if (a->n < 2 || b->n < 2) return;
    // Even values that do not vary have the clock's resolution as an error.
    double error = sqrt(va + vb + 1e-12);
    double freedom = va + vb > 0 ? (va + vb) * (va + vb) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1))
                                 : 1;
    d->p = student_p(difference / error, freedom);
    double low = 0, high = 1000;  // bounds of the t whose two-sided p is 5 %
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(student_p(middle, freedom) > 0.05 ? &low : &high) = middle;
    }
    double half = high * error;
    d->ratio.low = exp(difference - half);
    d->ratio.high = exp(difference + half);
}

// ---- samples ---------------------------------------------------------------------------------------------

static double steady(const Observation *o, bool wall) { return log(wall ? o->steady_wall_ns : o->steady_cpu_ns); }

// Statistics over the cell's processes or, if plans > 0, over the means of each plan's processes; with `base`, relative
// to the baseline's process in the same invocation.
static Sample sample_of(const Cell *cell, const Cell *base, int plans, bool wall) {
    Sample s = {0};
    double sum = 0, squares = 0;
    for (int p = 0; p < (plans ? plans : (int)cell->n); p++) {
        double own = 0;
        size_t n = 0;
        for (size_t i = 0; i < cell->n; i++) {
            const Observation *o = &cell->observations[i], *other = base ? summary_beside(base, o) : NULL;
            if ((base && !other) || (plans ? o->plan : (int)i) != p) continue;
            own += steady(o, wall) - (other ? steady(other, wall) : 0);
            n++;
        }
        double mean = own / (double)n;
        if (n > 0) sum += mean, squares += mean * mean, s.n++;
    }
    double n = (double)s.n;
    s.mean = sum / n;
    s.variance = s.n > 1 ? (squares - sum * sum / n) / (n - 1) : 0;
    s.variance = s.variance > 0 ? s.variance : 0;
    return s;
}

static Difference difference_of(const Summary *a, const Summary *b, size_t p, size_t k, bool relative) {
    const Campaign *c = &a->campaign;
    Difference d = {
        .program = c->subjects[p].name, .configuration = c->configurations[k].name, .ratio = {NAN, NAN, NAN}, .p = 1};
    size_t q = campaign_subject(&b->campaign, d.program), l = campaign_configuration(&b->campaign, d.configuration);
    if (q == b->campaign.n_subjects || l == b->campaign.n_configurations) {
        d.trouble = "not in B";
        return d;
    }
    const Cell *x = summary_cell(a, p, k), *y = summary_cell(b, q, l);
    if (!summary_good(x) || !summary_good(y)) {
        d.trouble = x->failed ? y->failed ? "failed in both" : "failed in A"
            : y->failed       ? "failed in B"
                              : "not measured in both";
        return d;
    }
    const Cell *base = summary_cell(a, p, c->baseline), *other = summary_cell(b, q, b->campaign.baseline);
    bool same = strcmp(c->configurations[c->baseline].name, b->campaign.configurations[b->campaign.baseline].name) == 0;
    d.relative = relative && same && k != c->baseline && summary_good(base) && summary_good(other);
    int plans = summary_by_plan(a, k, d.relative ? c->baseline : k) ? c->plans : 0,
        others = plans ? b->campaign.plans : 0;
    Sample one = sample_of(x, d.relative ? base : NULL, plans, c->wall),
           two = sample_of(y, d.relative ? other : NULL, others, c->wall);
    if (one.n == 0 || two.n == 0) d.trouble = "nothing to compare";
    else welch(&one, &two, &d);
    return d;
}

// ---- Holm ------------------------------------------------------------------------------------------------

static int by_p(const void *x, const void *y) {
    const Difference *a = *(Difference *const *)x, *b = *(Difference *const *)y;
    return (a->p > b->p) - (a->p < b->p);
}

static void decide(Difference *d, size_t n) {
    Difference **sorted = calloc(n + 1, sizeof *sorted);
    size_t tests = 0;
    if (!sorted) run_die("out of memory", "");
    for (size_t i = 0; i < n; i++)
        if (!d[i].trouble) sorted[tests++] = &d[i];
    qsort(sorted, tests, sizeof *sorted, by_p);
    for (size_t i = 0; i < tests && sorted[i]->p <= 0.05 / (double)(tests - i); i++) sorted[i]->real = true;
    free(sorted);
}

// ---- output ------------------------------------------------------------------------------------------------

static const char *verdict(const Difference *d) {
    return d->trouble        ? d->trouble
        : !d->real           ? "no difference shown"
        : d->ratio.value > 1 ? "slower in B"
                             : "faster in B";
}

static void put_text(const Difference *d, size_t n) {
    printf("%-14s %-14s %8s  %-18s %9s  %s\n", "", "", "B/A", "95 %", "p", "");
    for (size_t i = 0; i < n; i++) {
        printf("%-14s %-14s", d[i].program, d[i].configuration);
        if (d[i].trouble) printf(" %39s  %s\n", "", d[i].trouble);
        else if (isnan(d[i].ratio.low))
            printf(" %8.4f  %-18s %9s  one process is not enough\n", d[i].ratio.value, "", "");
        else
            printf(" %8.4f  [%.4f, %.4f]   %9.2g  %s%s\n", d[i].ratio.value, d[i].ratio.low, d[i].ratio.high, d[i].p,
                   verdict(&d[i]), d[i].relative ? "" : " (times, not ratios to the baseline)");
    }
}

static void put_html(FILE *out, const char *a, const char *b, const Difference *d, size_t n) {
    HtmlBar *bars = calloc(n + 1, sizeof *bars);
    if (!bars) run_die("out of memory", "");
    html_report_begin(out, "cabernet-bench compare");
    fputs("<p>A: <code>", out);
    html_text(out, a);
    fputs("</code>, B: <code>", out);
    html_text(out, b);
    fputs("</code>. Ratios are B/A with 95 % intervals; a difference counts as real when Holm's procedure over the "
          "whole table says so.</p>\n"
          "<table><tr><th>program<th class=t>configuration<th>B/A<th>p<th class=t></tr>\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fputs("<tr><td>", out);
        html_text(out, d[i].program);
        fputs("<td class=t>", out);
        html_text(out, d[i].configuration);
        html_interval(out, d[i].ratio);
        fprintf(out, "<td>%.2g<td class=t>%s</tr>\n", d[i].p, verdict(&d[i]));
        bars[i] = (HtmlBar){d[i].program, d[i].configuration, d[i].real ? 5 : 7, d[i].ratio};
    }
    fputs("</table>\n", out);
    html_interval_plot(out, bars, n);
    html_end(out);
    free(bars);
}

int campaign_compare(int argc, char **argv) {
    static const struct option options[] = {
        {"html", required_argument, NULL, 'h'}, {"times", no_argument, NULL, 't'}, {0}};
    const char *html = NULL;
    bool relative = true, real = false;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?') exit(2);
        if (c == 't') relative = false;
        else html = optarg;
    }
    if (argc - optind != 2) run_die("compare takes two results", "");
    Records ra = records_load(argv + optind, 1), rb = records_load(argv + optind + 1, 1);
    Summary a = summary_of(&ra), b = summary_of(&rb);
    if (a.campaign.wall != b.campaign.wall) run_die("one is about processor time, the other about wall time", "");
    size_t n = a.campaign.n_subjects * a.campaign.n_configurations;
    Difference *d = calloc(n + 1, sizeof *d);
    if (!d) run_die("out of memory", "");
    for (size_t i = 0; i < n; i++)
        d[i] = difference_of(&a, &b, i / a.campaign.n_configurations, i % a.campaign.n_configurations, relative);
    decide(d, n);
    put_text(d, n);
    FILE *out = html ? fopen(html, "we") : NULL;
    if (html && !out) run_die("cannot write ", html);
    if (out) {
        put_html(out, argv[optind], argv[optind + 1], d, n);
        fclose(out);
    }
    for (size_t i = 0; i < n; i++) real |= d[i].real;
    free(d);
    summary_free(&a), summary_free(&b);
    records_close(&ra), records_close(&rb);
    return real;
}

// HTML and SVG, written by hand: a report must be readable in ten years, from a single file, without a network.
#include "benchmarks/harness/html.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child,td.t,th.t{text-align:left}.bad{color:#b00020;text-align:left}.note{color:#666}"
    "svg{background:#fff}svg text{font:11px system-ui,sans-serif}code{background:#f3f3f3;padding:0 .2em}"
    "figure{display:inline-block;margin:.4em}figcaption{font-size:12px}";

void html_report_begin(FILE *out, const char *title) { html_begin(out, title, title, style); }

void html_interval(FILE *out, Interval i) {
    if (isnan(i.value)) fputs("<td>-</td>", out);
    else if (isnan(i.low)) fprintf(out, "<td>%.4f</td>", i.value);
    else fprintf(out, "<td>%.4f <span class=\"note\">[%.4f, %.4f]</span></td>", i.value, i.low, i.high);
}

void html_data(FILE *out, const char *id, json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(12));
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *p = text ? text : ""; *p; p++)
        fputs(*p == '<' ? "\\u003c" : (char[]){*p, 0}, out);  // so that no text can end the block
    fputs("</script>\n", out);
    free(text);
}

const char *html_colour(int series) {
    static const char *const colours[] = {"#3366cc", "#dc6900", "#109618", "#990099",
                                          "#0099a8", "#b82e2e", "#66aa00", "#555555"};
    return colours[(unsigned)series % (sizeof colours / sizeof *colours)];
}

// ---- interval plot --------------------------------------------------------------------------------------

enum { PLOT_LABEL = 260, PLOT_WIDTH = 620, PLOT_ROW = 18, PLOT_TOP = 26 };

typedef struct Axis {
    double low, high;  // logarithms
} Axis;

static double place(Axis a, double v) { return PLOT_LABEL + (log(v) - a.low) / (a.high - a.low) * PLOT_WIDTH; }

static Axis axis_of(const HtmlBar *bars, size_t n) {
    Axis a = {log(0.9), log(1.1)};
    for (size_t i = 0; i < n; i++) {
        Interval v = bars[i].value;
        if (isnan(v.value)) continue;
        double low = log(isnan(v.low) ? v.value : v.low), high = log(isnan(v.high) ? v.value : v.high);
        a.low = low < a.low ? low : a.low;
        a.high = high > a.high ? high : a.high;
    }
    double margin = (a.high - a.low) * 0.04;
    return (Axis){a.low - margin, a.high + margin};
}

static void put_ticks(FILE *out, Axis a, int bottom) {
    static const double ticks[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 1,
                                   1.05, 1.1,  1.25, 1.5, 2,   3,   5,   10,  20,  50,   100};
    double last = -100;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        double x = place(a, ticks[i]);
        bool one = ticks[i] == 1;
        if (log(ticks[i]) < a.low || log(ticks[i]) > a.high || (x - last < 34 && !one)) continue;
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>", x, PLOT_TOP - 6, x, bottom,
                one ? "#333" : "#ddd");
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>", x, PLOT_TOP - 10, ticks[i]);
        last = x;
    }
}

static void put_bar(FILE *out, Axis a, const HtmlBar *b, int y) {
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", PLOT_LABEL - 8, y + 4);
    html_text(out, b->label);
    fputs(" ", out);
    html_text(out, b->series);
    fputs("</text>", out);
    if (isnan(b->value.value)) return;
    if (!isnan(b->value.low))
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>",
                place(a, b->value.low), y, place(a, b->value.high), y, html_colour(b->colour));
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%d\" r=\"4\" fill=\"%s\"><title>%.4f</title></circle>\n",
            place(a, b->value.value), y, html_colour(b->colour), b->value.value);
}

void html_interval_plot(FILE *out, const HtmlBar *bars, size_t n) {
    Axis a = axis_of(bars, n);
    int height = PLOT_TOP + (int)n * PLOT_ROW + 10;
    fprintf(out, "<svg width=\"%d\" height=\"%d\" role=\"img\">", PLOT_LABEL + PLOT_WIDTH + 20, height);
    put_ticks(out, a, height - 6);
    for (size_t i = 0; i < n; i++) put_bar(out, a, &bars[i], PLOT_TOP + (int)i * PLOT_ROW + PLOT_ROW / 2);
    fputs("</svg>\n", out);
}

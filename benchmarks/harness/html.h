// Pieces of a self-contained HTML page: no script, no external file or address.
#ifndef CABERNET_BENCHMARKS_HARNESS_HTML_H
#define CABERNET_BENCHMARKS_HARNESS_HTML_H

#include <jansson.h>
#include <stdio.h>

#include "base/htmlpage.h"
#include "benchmarks/harness/stats.h"

// The start of a report, with the style of all reports; html_end ends it.
void html_report_begin(FILE *out, const char *title);
// A table cell with a ratio and its interval.
void html_interval(FILE *out, Interval i);
// The value as a <script type="application/json"> block, which browsers do not run.
void html_data(FILE *out, const char *id, json_t *value);

// A row of an interval plot.
typedef struct HtmlBar {
    const char *label, *series;  // rows of one series share a colour
    int colour;
    Interval value;
} HtmlBar;

// Ratios as dots with whiskers on a logarithmic axis with a line at 1: an SVG.
void html_interval_plot(FILE *out, const HtmlBar *bars, size_t n);

// The CSS colour of a series.
const char *html_colour(int series);

#endif

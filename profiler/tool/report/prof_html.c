// `cabernet-prof report --html`: a self-contained page with the sections of a profile. Series are timelines and
// histograms are bars, both SVG.
#include <stdlib.h>
#include <string.h>

#include "base/htmlpage.h"
#include "profiler/tool/report/prof_report.h"

static const char style[] =
    "body{font:14px sans-serif;margin:2em}"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 6px;text-align:left;vertical-align:top}"
    "svg{background:#f4f4f4}polyline{fill:#69c;stroke:none}rect{fill:#69c}";
enum { HTML_WIDTH = 720, HTML_HEIGHT = 48, HTML_BARS = 48, HTML_BAR = 4 };

static void html_series(FILE *out, const ProfCell *c) {
    uint64_t most = 1;
    for (uint64_t i = 0; i < c->number; i++)
        if (c->series[i] > most) most = c->series[i];
    fprintf(out, "<svg width='%d' height='%d'><polyline points='0,%d", HTML_WIDTH, HTML_HEIGHT, HTML_HEIGHT);
    for (uint64_t i = 0; i < c->number; i++) {
        double y = HTML_HEIGHT - (double)c->series[i] * (HTML_HEIGHT - 2) / (double)most;
        fprintf(out, " %.1f,%.1f %.1f,%.1f", (double)i * HTML_WIDTH / (double)c->number, y,
                (double)(i + 1) * HTML_WIDTH / (double)c->number, y);
    }
    fprintf(out, " %d,%d'/></svg> peak %.3f", HTML_WIDTH, HTML_HEIGHT, (double)most / 1000);
}

static void html_histogram(FILE *out, const Histogram *h) {
    uint64_t bars[HTML_BARS] = {0}, most = 1;
    if (!h->used) return;
    uint32_t first = h->buckets[0].bucket, range = h->buckets[h->used - 1].bucket - first + 1;
    for (uint32_t i = 0; i < h->used; i++) {
        uint64_t *b = &bars[(uint64_t)(h->buckets[i].bucket - first) * HTML_BARS / range];
        if ((*b += h->buckets[i].count) > most) most = *b;
    }
    fprintf(out, "%llu: %.3f / %.3f / %.3f ms<br><svg width='%d' height='24'>", (unsigned long long)h->count,
            (double)histogram_percentile(h, 0.5) / 1e6, (double)histogram_percentile(h, 0.99) / 1e6,
            (double)h->largest / 1e6, HTML_BARS * HTML_BAR);
    for (int i = 0; i < HTML_BARS; i++)
        if (bars[i]) {
            int height = 1 + (int)(bars[i] * 23 / most);
            fprintf(out, "<rect x='%d' y='%d' width='%d' height='%d'/>", i * HTML_BAR, 24 - height, HTML_BAR - 1,
                    height);
        }
    fputs("</svg>", out);
}

static void html_cell(FILE *out, SectionKind kind, const ProfCell *c) {
    char number[32];
    switch (kind) {
        case SECTION_TEXT:
        case SECTION_NOTE: html_text(out, c->text); break;
        case SECTION_NUMBER:
        case SECTION_VARYING: fputs(prof_number(number, c->number), out); break;
        case SECTION_NS: fprintf(out, "%.3f ms", (double)c->number / 1e6); break;
        case SECTION_PERMILLE: fprintf(out, "%.3f", (double)c->number / 1000); break;
        case SECTION_HISTOGRAM:
        case SECTION_SAMPLED: html_histogram(out, c->histogram); break;
        case SECTION_SERIES: html_series(out, c); break;
        case SECTION_STACK:
            for (uint64_t i = 0; i < c->number; i++) {
                if (i) fputs("<br>&nbsp;&lt; ", out);
                html_text(out, c->frames[i]);
            }
            break;
    }
}

static void html_section(FILE *out, const ProfSection *s) {
    fputs("<h2>", out);
    html_text(out, s->name);
    fputs("</h2><p>", out);
    html_text(out, s->title);
    fputs(".</p><table><tr>", out);
    for (uint32_t c = 0; c < s->column_count; c++) {
        fputs("<th>", out);
        html_text(out, s->columns[c].name);
    }
    for (size_t row = 0; row < s->rows; row++) {
        fputs("\n<tr>", out);
        for (uint32_t c = 0; c < s->column_count; c++) {
            fputs("<td>", out);
            html_cell(out, s->columns[c].kind, &s->cells[row * s->column_count + c]);
        }
    }
    fputs("</table>\n", out);
}

int prof_html(const ProfFile *f, const ProfOptions *o, FILE *out) {
    html_begin(out, "cabernet profile", prof_meta(f, "command", "profile"), style);
    fputs("<p>Histograms: number: median / 99 % / longest, over the logarithm of the time.</p>\n", out);
    for (size_t i = 0; i < f->section_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->sections[i].analysis) == 0) html_section(out, &f->sections[i]);
    html_end(out);
    return 0;
}

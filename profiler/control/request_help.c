// The text of -Xprofile:help, and the words for values of the request (request.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/control/request_parse.h"

// ---- names -------------------------------------------------------------------------------------

const char *request_value_name(enum KeyId key, int position) {
    for (int i = 0; i < (int)request_options.word_count; i++)
        if (request_options.words[i].row == (int)key && position-- == 0) return request_options.words[i].text;
    return "?";
}

const char *request_mode_name(const SamplingRequest *s) {
    return request_value_name(KEY_SAMPLING, s->rate ? BY_RATE : (int)s->mode);
}

const char *request_transport_name(const Request *r) {
    static const int words[] = {[RING_CAB] = CAB,
                                [RING_NWAY] = NWAY,
                                [RING_FASTFORWARD] = FASTFORWARD,
                                [RING_LAMPORT] = LAMPORT,
                                [RING_WORD] = WORD};
    const TransportRequest *t = &r->transport;
    int word = t->tee ? TEE : t->on ? words[t->kind] : r->calls ? CALL : DIRECT;
    return request_value_name(KEY_TRANSPORT, word);
}

// ---- help --------------------------------------------------------------------------------------

static const char usage[] = "-Xprofile                      where the time goes, on one screen at the end\n"
                            "-Xprofile:<name>[,<name>...][:<option>=<value>]...\n"
                            "\n"
                            "Profiles the program from its first method to its end and writes a file that\n"
                            "`cabernet-prof report FILE` prints.";

static void put_row(FILE *out, const char *name, const char *help, OptionState state) {
    fprintf(out, "  %-26s %s%s\n", name, help, optionlist_later(state));
}

static void put_questions(FILE *out) {
    fputs("\nQuestions:\n", out);
#define PRESET(name, question, expansion) put_row(out, name, question, OPTION_NOW);
#include "profiler/control/preset.def"
}

static void help_screen(FILE *out) {
    static const enum KeyId daily[] = {KEY_FILE, KEY_SCOPE, KEY_FROM, KEY_SAMPLING};
    fprintf(out, "%s Names can be combined.\n", usage);
    put_questions(out);
    fputs("\nOptions used most:\n", out);
    for (size_t i = 0; i < LENGTH(daily); i++)
        fprintf(out, "  %-26s %s\n", request_key(daily[i]), request_options.rows[daily[i]].help);
    fputs("\nExamples:\n"
          "  cabernet -Xprofile -cp app.jar Main\n"
          "  cabernet -Xprofile:cpu,locks:file=main.prof -cp app.jar Main\n"
          "  cabernet-prof report main.prof\n"
          "\n-Xprofile:help=NAME explains a name or an option, -Xprofile:help=all lists everything.\n",
          out);
}

static void help_all(FILE *out) {
    fprintf(out, "%s A backslash takes the next character as it is.\n\nAnalyses:\n", usage);
#define ANALYSIS(id, name, word, help) put_row(out, name, help, OPTION_NOW);
#define PART(id, name, whole, help) put_row(out, name, help, OPTION_NOW);
#include "profiler/analyses/analyses.def"
    put_questions(out);
    fputs("\nPresets:\n", out);
#define VARIANT(name, help, expansion) put_row(out, name, help, OPTION_NOW);
#include "profiler/control/preset.def"
    fputs("\nOptions:\n", out);
    optionlist_help(out, &request_options);
    fputs("\nExamples:\n"
          "  cabernet -Xprofile:exact -cp app.jar Main\n"
          "  cabernet -Xprofile:method-count:file=main.prof -cp app.jar Main\n"
          "  cabernet-prof report main.prof\n",
          out);
}

// The columns of an analysis and the ways to record it; a part of the analysis `threads` has neither.
static void put_analysis(FILE *out, const AnalysisWord *word) {
    const Analysis *a = word->part < 0 ? analysis_table[word->id] : NULL;
    fprintf(out, "%s: %s\n\n", word->name, word->help);
    if (a && a->columns[0].name) {
        fputs("  columns       ", out);
        for (int c = 0; c < TABLE_KEYS && a->columns[c].name; c++)
            fprintf(out, "%s%s", c ? ", " : "", a->columns[c].kind == COLUMN_BCI ? "bci, line" : a->columns[c].name);
        putc('\n', out);
    }
    if (a) fprintf(out, "  sampling=     %s\n", a->unsampled ? a->unsampled : a->uncut ? a->uncut : "possible");
    if (a) fprintf(out, "  where=shadow  %s\n", a->unshadowed ? a->unshadowed : "possible");
    fprintf(out,
            "  record        cabernet -Xprofile:%s:file=run.prof -cp app.jar Main\n"
            "  read          cabernet-prof report run.prof\n",
            word->name);
}

static void help_name(FILE *out, const char *topic) {
    int analysis = WORDS_FIND(request_analyses, topic), preset = WORDS_FIND(request_presets, topic);
    int key = words_find(request_options.rows, KEY_COUNT, sizeof *request_options.rows, topic);
    if (preset >= 0) fprintf(out, "%s: %s\n", topic, request_presets[preset].help);
    if (preset >= 0 && analysis < 0) fprintf(out, "  the same as -Xprofile:%s\n", request_presets[preset].expansion);
    if (analysis >= 0) put_analysis(out, &request_analyses[analysis]);
    if (key >= 0) optionlist_help_row(out, &request_options, &request_options.rows[key]);
}

char *request_help(const char *text) {
    char *help = NULL;
    const char *topic = strchr(text, '=');
    size_t size;
    FILE *out = open_memstream(&help, &size);
    if (!out) return NULL;
    if (!topic) help_screen(out);
    else if (strcmp(topic + 1, "all") == 0) help_all(out);
    else help_name(out, topic + 1);
    if (fclose(out) == 0) return help;
    free(help);
    return NULL;
}

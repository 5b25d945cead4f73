// The text of -Xprofile:help, and the words for values of the request (request.h).
#include <stdio.h>
#include <stdlib.h>

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

static void put_row(FILE *out, const char *name, const char *help, OptionState state) {
    fprintf(out, "  %-26s %s%s\n", name, help, optionlist_later(state));
}

static void help_text(FILE *out) {
    fputs("-Xprofile:<analysis>[,<analysis>...][:<option>=<value>]...\n"
          "-Xprofile:<preset>[:<option>=<value>]...\n"
          "\n"
          "Profiles the program from its first method to its end and writes a file that\n"
          "`cabernet-prof report FILE` prints. A backslash takes the next character as it is.\n"
          "\nAnalyses:\n",
          out);
#define ANALYSIS(id, name, word, help) put_row(out, name, help, OPTION_NOW);
#define PART(id, name, whole, help) put_row(out, name, help, OPTION_NOW);
#include "profiler/analyses/analyses.def"
    fputs("\nPresets:\n", out);
#define PRESET(name, state, expansion, help) put_row(out, name, help, OPTION_##state);
#include "profiler/control/options.def"
    fputs("\nOptions:\n", out);
    optionlist_help(out, &request_options);
    fputs("\nExamples:\n"
          "  cabernet -Xprofile:exact -cp app.jar Main\n"
          "  cabernet -Xprofile:method-count:file=main.prof -cp app.jar Main\n"
          "  cabernet-prof report main.prof\n",
          out);
}

char *request_help(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    help_text(out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

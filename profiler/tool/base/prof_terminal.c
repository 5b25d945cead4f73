#include "profiler/tool/base/prof_terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define BOLD "\033[1m"
#define RED "\033[31m"
#define BAR_COLOUR "\033[36m"
#define PLAIN "\033[0m"

ProfScreen prof_screen(size_t width) {
    ProfScreen s = {.width = width};
    struct winsize size;
    const char *term = getenv("TERM"), *pager = getenv("PAGER"), *no_colour = getenv("NO_COLOR");
    if (!isatty(STDOUT_FILENO)) return s;
    s.colours = !(no_colour && *no_colour) && term && *term && strcmp(term, "dumb") != 0;
    s.pages = isatty(STDIN_FILENO) && (!pager || *pager);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return s;
    if (!s.width) s.width = size.ws_col;
    s.height = size.ws_row;
    return s;
}

// ---- lines -------------------------------------------------------------------------------------

size_t prof_cut(const char *line, size_t length, size_t width) {
    size_t characters = 0;
    for (size_t i = 0; width && i < length; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80 && characters++ == width) return i;
    return length;
}

// Headings begin in the first column; warnings begin with their label; bars are runs of #. Table rows, which begin with
// blanks and a number, are cut to the width; other text is not.
static void write_line(const ProfScreen *s, const char *line, size_t length, FILE *out) {
    static const char warning[] = "  WARNING";
    size_t blanks = 0;
    while (blanks < length && line[blanks] == ' ') blanks++;
    bool row = blanks > 1 && blanks < length && line[blanks] >= '0' && line[blanks] <= '9';
    size_t n = row ? prof_cut(line, length, s->width) : length;
    bool shortened = n < length;
    if (shortened) n = prof_cut(line, length, s->width > 1 ? s->width - 1 : 1);
    bool warns = n >= sizeof warning - 1 && memcmp(line, warning, sizeof warning - 1) == 0;
    const char *colour = !s->colours || !n ? "" : line[0] != ' ' ? BOLD : warns ? RED : "";
    const char *bar = s->colours && !*colour ? memmem(line, n, "  #", 3) : NULL, *end = line + n,
               *after = bar ? bar + 2 : end;
    while (bar && after < end && *after == '#') after++;
    fputs(colour, out);
    fwrite(line, 1, (size_t)((bar ? bar : end) - line), out);
    if (bar) fprintf(out, BAR_COLOUR "%.*s" PLAIN "%.*s", (int)(after - bar), bar, (int)(end - after), after);
    if (shortened) fputs("\xe2\x80\xa6", out);
    if (*colour) fputs(PLAIN, out);
}

void prof_screen_write(const ProfScreen *s, const char *text, size_t size, FILE *out) {
    for (const char *at = text, *end = text + size; at < end && !ferror(out);) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        write_line(s, at, length, out);
        if (stop) putc('\n', out);
        at += length + (stop != NULL);
    }
}

// ---- pager -------------------------------------------------------------------------------------

bool prof_screen_show(const ProfScreen *s, const char *text, size_t size) {
    FILE *pager = NULL;
    size_t lines = 0;
    for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))) != NULL; at++) lines++;
    if (s->pages && s->height && lines >= s->height) {
        const char *command = getenv("PAGER");
        signal(SIGPIPE, SIG_IGN);  // the user may quit the pager early
        setenv("LESS", "FRX", 0);
        fflush(stdout);
        pager = popen(command ? command : "less", "w");
    }
    prof_screen_write(s, text, size, pager ? pager : stdout);
    if (!pager) return fflush(stdout) == 0 && !ferror(stdout);
    int status = pclose(pager);
    bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;  // the shell did not find the pager
    if (missing) prof_screen_write(s, text, size, stdout);
    return fflush(stdout) == 0 && !ferror(stdout);
}

// ---- progress ----------------------------------------------------------------------------------

void prof_progress(const char *what, uint64_t done, uint64_t of) {
    enum { FIRST_NS = 1000000000, EACH_NS = 200000000 };
    static struct {
        int64_t began, said;
        bool shown;
    } progress;
    int64_t now = clock_monotonic_ns();
    if (!isatty(STDERR_FILENO)) return;
    if (!progress.began) progress.began = now;
    if (done >= of) {
        if (progress.shown) fputs("\r\033[K", stderr);
        progress.began = progress.said = 0;
        progress.shown = false;
    } else if (now - progress.began > FIRST_NS && now - progress.said > EACH_NS) {
        fprintf(stderr, "\r%s: %d %%\033[K", what, (int)(100.0 * (double)done / (double)of));
        progress.said = now;
        progress.shown = true;
    }
}

// Internal header of the parser of -Xprofile. request.c reads words; the other files check combinations of options.
#ifndef CABERNET_PROFILER_CONTROL_REQUEST_PARSE_H
#define CABERNET_PROFILER_CONTROL_REQUEST_PARSE_H

#include "base/optionlist.h"
#include "profiler/control/request.h"

#define SEE_HELP "; -Xprofile:help lists what there is"
#define LENGTH(a) (sizeof(a) / sizeof *(a))

enum KeyId {
#define KEY(id, name, kind, state, help) KEY_##id,
#include "profiler/control/options.def"
    KEY_COUNT
};

enum {
#define ANALYSIS(id, name, word, help) +1
#define PART(id, name, whole, help) +1
    ANALYSIS_WORDS = 0
#include "profiler/analyses/analyses.def"
};

// A row of analyses.def.
typedef struct AnalysisWord {
    const char *name, *help;
    int id;
    int part;  // of the analysis; -1: the whole
} AnalysisWord;
extern const AnalysisWord request_analyses[ANALYSIS_WORDS];

enum {
#define PRESET(name, question, expansion) +1
#define VARIANT(name, help, expansion) +1
    PRESET_COUNT = 0
#include "profiler/control/preset.def"
};

// A row of preset.def.
typedef struct Preset {
    const char *name, *help, *expansion;
} Preset;
extern const Preset request_presets[PRESET_COUNT];

// The values given to options, one field each.
typedef OptionAmount ValueOfAMOUNT;
typedef int ValueOfCHOICE;
typedef char *ValueOfTEXT, *ValueOfOWN;
typedef struct Values {
#define KEY(id, name, kind, state, help) ValueOf##kind id;
#include "profiler/control/options.def"
    Request *r;  // its scope is set directly
} Values;

typedef struct Parse {
    OptionParse list;
    bool given[KEY_COUNT];  // named by the user, not by a preset
    bool presets[PRESET_COUNT];
    bool in_preset;  // the words are a preset's: its analyses may have been named already
    Values values;
} Parse;

// The rows and words of options.def.
extern const OptionTable request_options;

enum { DIRECT, CALL, CAB, NWAY, FASTFORWARD, LAMPORT, TEE, WORD };  // the words of TRANSPORT
enum { MESSAGE_ON, MESSAGE_ANSWERS, MESSAGE_OFF };                  // the words of MESSAGE

// The value of the option sampling= that follows those of SamplingMode.
enum { BY_RATE = SAMPLING_TIMER + 1 };
enum { LAST_INTERVAL = 1000000000, LAST_BURST = 1000000000 };

#define refuse(p, ...) optionlist_refuse(&(p)->list, __VA_ARGS__)

// Rejects options that the user named but that have no effect.
bool request_refuse_idle(Parse *p, const enum KeyId *idle, size_t count, const char *why);
// The number given to an option, or the default.
bool request_number(Parse *p, enum KeyId key, uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *to);
// The same for a number of bytes, which may have the unit k or m: at most 1 GB.
bool request_bytes(Parse *p, enum KeyId key, uint64_t least, uint64_t otherwise, uint64_t *to);

// The word for a value. The enumerations of vm/api/sampling.h number the VALUE rows of a key.
const char *request_value_name(enum KeyId key, int position);
static inline const char *request_key(enum KeyId key) { return request_options.rows[key].name; }

void request_begin(Parse *p, Request *r, char *error, size_t error_size);
// Sets options from words; frees the texts that the request does not keep.
bool request_set_options(Parse *p, char *rest);
void request_keep_texts(Parse *p, Request *r);

// Checks of combinations, by subject. They also fill the request. False: refused.
bool request_resolve_productions(Parse *p);
bool request_resolve_sampling(Parse *p);
bool request_resolve_ring(Parse *p);
bool request_resolve_analyses(Parse *p);
bool request_resolve_shards(Parse *p);  // after the analyses
bool request_resolve_shadow(Parse *p);
// Refuses options that the mode does not use; the interval, jitter and phase of `s`.
bool request_only_where_used(Parse *p, SamplingMode mode);
bool request_resolve_interval(Parse *p, SamplingRequest *s);

#endif

/*
 * What is said when no engine has judged a call.
 *
 * The install writes ready answers, one file for each agent and event: `refusals/AGENT/EVENT` holds an exit code, a line
 * break, and what goes to stdout. So a refusal in an agent's own words needs neither Python nor any knowledge here.
 */

/* Names come from a command line: nothing but a plain one becomes part of a path. */
static int is_plain(const char *word) {
    for (const char *c = word; *c; c++) {
        int letter = (*c | 32) >= 'a' && (*c | 32) <= 'z', digit = *c >= '0' && *c <= '9';
        if (!letter && !digit && *c != '-' && *c != '_' && (*c != '.' || c == word)) return 0;
    }
    return *word != 0;
}

/* Prints the ready answer; its exit code, or 2, which most agents take for a refusal. */
static int print_refusal(void) {
    static char text[64 * KIB], path[PATH_MAX];
    if (!is_plain(agent) || !is_plain(event)) return 2;
    if (!join(path, sizeof path, home, "/refusals/", agent, "/", event, NULL)) return 2;
    ssize_t n = read_small(path, text, sizeof text), at = 0;
    int code = 0;
    for (; at < n && text[at] >= '0' && text[at] <= '9'; at++) code = (code * 10 + text[at] - '0') & 0xff;
    if (at < 1 || at >= n || text[at] != '\n') return 2;
    struct iovec v = {text + at + 1, (size_t)(n - at - 1)};
    return write_all(STDOUT_FILENO, &v, 1, SILENCE_MS) ? code : 2;
}

static void refuse_or_go_on(int closed, const char *why, const char *detail) {
    static char line[PATH_MAX + 512];
    const char *said = closed ? "synaptic: blocked, because it could not be checked: "
                              : "synaptic: this call was NOT checked: ";
    size_t n = join(line, sizeof line, said, why, detail, "; type: synaptic doctor\n", NULL);
    struct iovec v = {line, n};
    write_all(STDERR_FILENO, &v, 1, SILENCE_MS);
    _exit(closed ? print_refusal() : 0);
}

/* An `engine` file that does not say `open` is lost or damaged: nobody has chosen that calls go on unchecked. */
static int fails_closed(void) {
    read_engine();
    return strcmp(engine.fail, "open") && !asks_to_stop();
}

/* Nothing of the engine can be started: what the user has chosen counts. */
static void give_up(const char *why, const char *detail) {
    refuse_or_go_on(fails_closed(), why, detail);
}

/* An engine that is there and cannot be believed or heard: before a tool runs this is no question of `fail`. */
static void refuse_act(const char *why, const char *detail) {
    refuse_or_go_on(comes_before_act() || fails_closed(), why, detail);
}

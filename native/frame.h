/*
 * The frame: what is asked and what is answered, as `daemon/frame.py` writes and reads it.
 *
 * request:  "SYN1" u32 meta, u32 env, u32 stdin | meta | environ, NUL-joined | stdin
 * meta:     version NUL id NUL agent NUL event NUL cwd, then NUL again when it was asked before and not answered
 * response: "."*   "SYN1" u8 status, u8 exit, u32 out, u32 err | out | err            (integers little-endian)
 */

/* ---- the request ---- */

static struct {
    char head[REQUEST_HEAD + 128 + 2 * WORD_LIMIT + PATH_MAX + 8];
    size_t head_len;
    char *env, *in;
    size_t env_len, in_len;
} request;

/* 48 bits of milliseconds and 80 of chance, in Crockford's alphabet: sorts by time, needs no coordination. */
static void make_id(char id[27]) {
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    unsigned char chance[16];
    uint64_t ms = (uint64_t)now_ms(CLOCK_REALTIME);
    if (getentropy(chance, sizeof chance)) {
        uint64_t poor[2] = {(uint64_t)getpid() * 0x9E3779B97F4A7C15u, (uint64_t)now_ms(CLOCK_MONOTONIC)};
        memcpy(chance, poor, sizeof chance);
    }
    for (int i = 9; i >= 0; i--, ms >>= 5) id[i] = alphabet[ms & 31];
    for (int i = 0; i < 16; i++) id[10 + i] = alphabet[chance[i] & 31];
    id[26] = 0;
}

static size_t put_word(char *to, const char *word) {
    size_t n = 0;
    for (; n < WORD_LIMIT && word[n]; n++) to[n] = word[n];
    to[n] = 0;
    return n + 1;
}

static void read_words(int argc, char **argv) {
    const char *words[2] = {"", ""};
    int count = 0;
    for (int i = 1; i < argc && count < 2; i++)
        if (strncmp(argv[i], "--entry=", 8)) words[count++] = argv[i];
    if (count == 2) agent = words[0];
    event = count == 2 ? words[1] : words[0];
}

static void make_head(void) {
    char id[27], *p = request.head + REQUEST_HEAD;
    make_id(id);
    p += put_word(p, SYNAPTIC_VERSION);
    p += put_word(p, id);
    p += put_word(p, agent);
    p += put_word(p, event);
    /* The folder of an event that names none. One that is gone or out of reach has no path, and is left empty. */
    if (getcwd(p, PATH_MAX) && *p == '/') p += strlen(p);
    request.head_len = (size_t)(p - request.head);
}

/* The kernel lays the environment out as one NUL-joined block: it is sent from where it is. */
static void take_env(void) {
    if (!environ || !*environ) return;
    size_t total = 0;
    int whole = 1;
    for (char **e = environ; *e; e++) {
        size_t n = strlen(*e) + 1;
        total += n;
        if (e[1] && e[1] != *e + n) whole = 0;
    }
    request.env_len = total - 1;
    if (whole) {
        request.env = *environ;
        return;
    }
    char *p = request.env = pages(total);
    if (!p) refuse_act("out of memory", "");
    for (char **e = environ; *e; e++)
        for (const char *c = *e;; c++)
            if (!(*p++ = *c)) break;
}

static void drain(void) {
    static char sink[64 * KIB];
    for (size_t gone = 0; gone < DRAIN_LIMIT;) {
        ssize_t n = read(STDIN_FILENO, sink, sizeof sink);
        if (n == 0 || (n < 0 && errno != EINTR)) return;
        if (n > 0) gone += (size_t)n;
    }
}

static void read_stdin(void) {
    static char small[64 * KIB];
    size_t cap = sizeof small;
    request.in = small;
    for (;;) {
        if (request.in_len == cap) {
            /* One mapping of the largest size: only pages that are touched cost anything. */
            char *large = cap > sizeof small ? NULL : pages(STDIN_LIMIT + 1);
            if (!large) break;
            memcpy(large, small, cap);
            request.in = large;
            cap = STDIN_LIMIT + 1;
        }
        ssize_t n = read(STDIN_FILENO, request.in + request.in_len, cap - request.in_len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && ready(STDIN_FILENO, POLLIN, -1)) continue;
        if (n <= 0) return; /* a closed stdin is an empty one */
        request.in_len += (size_t)n;
    }
    drain();
    /* No event, and so refused by the engine, which knows the words for it. */
    static char told[] = "\"its input is larger than 64 MiB\"";
    request.in = told;
    request.in_len = sizeof told - 1;
}

static void make_request(void) {
    make_head();
    take_env();
    read_stdin();
    memcpy(request.head, "SYN1", 4);
    put_u32(request.head + 4, (uint32_t)(request.head_len - REQUEST_HEAD));
    put_u32(request.head + 8, (uint32_t)request.env_len);
    put_u32(request.head + 12, (uint32_t)request.in_len);
}

/* Says that it was asked before: who has answered it already gives the same answer once more. */
static void mark_repeated(void) {
    memcpy(request.head + request.head_len, "\0again", 6);
    request.head_len += 6;
    put_u32(request.head + 4, (uint32_t)(request.head_len - REQUEST_HEAD));
}

static int send_request(int fd) {
    struct iovec v[3] = {
        {request.head, request.head_len}, {request.env, request.env_len}, {request.in, request.in_len}};
    return write_all(fd, v, 3, SILENCE_MS);
}

/* ---- the answer ---- */

static struct {
    char *bytes;
    size_t out_len, err_len;
    int status, exit, silent;
} answer;

/* 1 when a whole answer arrived; 0 on silence, an early end or bytes that are no answer. */
static int read_answer(int fd, int silence_ms) {
    static char small[64 * KIB];
    char *buffer = small;
    size_t cap = sizeof small, have = 0, need = ANSWER_HEAD;
    while (have < need) {
        if ((answer.silent = !ready(fd, POLLIN, silence_ms))) return 0;
        ssize_t n = read(fd, buffer + have, cap - have);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return 0;
        have += (size_t)n;
        size_t dots = 0;
        while (dots < have && buffer[dots] == '.') dots++;
        if (dots) memmove(buffer, buffer + dots, have -= dots);
        if (have < ANSWER_HEAD || need > ANSWER_HEAD) continue;
        answer.out_len = get_u32(buffer + 6);
        answer.err_len = get_u32(buffer + 10);
        if (memcmp(buffer, "SYN1", 4) || answer.out_len > ANSWER_LIMIT || answer.err_len > ANSWER_LIMIT) return 0;
        need = ANSWER_HEAD + answer.out_len + answer.err_len;
        if (need > cap) {
            char *large = pages(need);
            if (!large) return 0;
            memcpy(large, buffer, have);
            buffer = large;
            cap = need;
        }
    }
    answer.bytes = buffer + ANSWER_HEAD;
    answer.status = (unsigned char)buffer[4];
    answer.exit = (unsigned char)buffer[5];
    return have == need && answer.status == 0;
}

static int is_mute; /* nobody reads stdout */

static void deliver(void) {
    struct iovec out = {answer.bytes, answer.out_len}, err = {answer.bytes + answer.out_len, answer.err_len};
    int heard = write_all(STDOUT_FILENO, &out, 1, -1) && !(is_mute && answer.out_len);
    write_all(STDERR_FILENO, &err, 1, -1);
    /* What could not be said may have been a refusal: then the exit code says it. */
    _exit(heard || !comes_before_act() ? answer.exit : 2);
}

/*
 * Callers that find no daemon take turns: one of them runs the engine and starts the daemon, the others wait for it.
 *
 * Who holds the lock on run/start.lock has the turn; it lives on in the Python child until the daemon holds its own lock,
 * which is on the home itself.
 */

enum { NO_TURN = -1, NO_QUEUE = -2, MOST_ASKS = 2 };

static int asks, was_silent;
static long long asked; /* when the last time was over */

/* Held means that a daemon lives or is being started. */
static int daemon_held(void) {
    int fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    int held = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    close(fd);
    return held;
}

static int open_turn(void) {
    static char path[PATH_MAX];
    if (!join(path, sizeof path, home, "/run/start.lock", NULL)) return -1;
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/* The turn's descriptor. NO_TURN: somebody else has it. NO_QUEUE: it cannot be had, and nobody is waited for. */
static int take_turn(void) {
    int fd = open_turn();
    if (fd < 0 && errno == ENOENT) {
        static char run[PATH_MAX];
        if (join(run, sizeof run, home, "/run", NULL)) (void)!mkdir(run, 0700); /* or another one has just made it */
        fd = open_turn();
    }
    if (fd < 0) return NO_QUEUE;
    if (!flock(fd, LOCK_EX | LOCK_NB)) return fd;
    close(fd);
    return NO_TURN;
}

/* The first times, and then every few seconds: what had no answer may have been killed, or was slow to start, and dozens
 * who never asked again would each run an engine of their own, one after another, beside a daemon with nothing to do. */
static int is_first_time(void) { return !was_silent && asks < MOST_ASKS; }

/* Delivers the daemon's answer and ends; returns when there is none. */
static void ask_daemon(int fd) {
    /* A daemon that answers before it has read everything closes early: its answer still counts. */
    int heard = send_request(fd) || errno == EPIPE || errno == ECONNRESET;
    if (heard && read_answer(fd, is_first_time() ? SILENCE_MS : SHORT_SILENCE_MS)) deliver();
    close(fd);
    if (!asks++) {
        was_silent = !heard || answer.silent;
        mark_repeated();
    }
    asked = now_ms(CLOCK_MONOTONIC);
}

/* Asks the daemon if it listens; 1 when nobody does yet and somebody may. */
static int try_daemon(long long now) {
    if (!is_first_time() && now - asked < AGAIN_MS) return 0;
    int fd = connect_daemon();
    if (fd >= 0) ask_daemon(fd);
    return fd < 0 && (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN);
}

/* 1 while a daemon is being started, though not for too long. Only who has the turn looks: hundreds who looked at the
 * lock at once would keep it from being taken. */
static int is_starting(long long now, long long *since) {
    if (!try_daemon(now) || !daemon_held()) return 0;
    if (!*since) *since = now;
    return now - *since < START_MS;
}

/* Longer with time, up to a tenth of a second: hundreds who look for the daemon must not keep it from starting. */
static void nap_longer(long long waited) {
    nap(waited < 16 * (LONG_NAP_MS - NAP_MS) ? NAP_MS + (long)waited / 16 : LONG_NAP_MS);
}

/* The turn, or NO_QUEUE; when neither daemon nor turn comes in time, the call is refused. */
static int wait_for_turn(long long began) {
    long long since = 0;
    for (long long now = began; now - began < TURN_MS; nap_longer(now - began), now = now_ms(CLOCK_MONOTONIC)) {
        int turn = take_turn();
        if (turn == NO_TURN) {
            try_daemon(now);
            continue;
        }
        /* Whoever had the turn before has started a daemon, most likely. */
        if (!is_starting(now, &since)) return turn;
        if (turn >= 0) close(turn);
    }
    refuse_act("too many calls wait for the engine under ", home);
    return NO_QUEUE;
}

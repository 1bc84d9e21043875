/* Clocks, waiting, whole writes and fresh pages: what every step of dispatch stands on. */

static long long now_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void nap(long ms) {
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
}

/* Joins strings up to a NULL; returns the length, or 0 when they do not fit. */
static size_t join(char *to, size_t cap, ...) {
    size_t used = 0;
    va_list parts;
    va_start(parts, cap);
    for (const char *part; (part = va_arg(parts, const char *)) != NULL;) {
        size_t n = strlen(part);
        if (n >= cap - used) {
            used = 0;
            break;
        }
        memcpy(to + used, part, n);
        used += n;
    }
    va_end(parts);
    to[used] = 0;
    return used;
}

static void put_u32(char *to, uint32_t n) {
    for (int i = 0; i < 4; i++) to[i] = (char)(n >> (8 * i));
}

static uint32_t get_u32(const char *from) {
    const unsigned char *b = (const unsigned char *)from;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Whether a file can be read or written within a time; a negative time is for ever. */
static int ready(int fd, short what, int timeout_ms) {
    struct pollfd p = {fd, what, 0};
    long long until = 0;
    for (int left = timeout_ms;;) {
        int n = poll(&p, 1, left);
        if (n >= 0) return n;
        if (errno != EINTR) return 0;
        if (timeout_ms < 0) continue;
        if (!until) until = now_ms(CLOCK_MONOTONIC) + timeout_ms;
        left = (int)(until - now_ms(CLOCK_MONOTONIC));
        if (left < 0) left = 0;
    }
}

/* Writes everything, also to a non-blocking file; a reader that takes nothing for `silence_ms` ends it. */
static int write_all(int fd, struct iovec *v, int count, int silence_ms) {
    while (count) {
        if (!v->iov_len) {
            v++, count--;
            continue;
        }
        ssize_t n = writev(fd, v, count);
        if (n < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN && ready(fd, POLLOUT, silence_ms)) continue;
            return 0;
        }
        for (; count && (size_t)n >= v->iov_len; v++, count--) n -= (ssize_t)v->iov_len;
        if (count) {
            v->iov_base = (char *)v->iov_base + n;
            v->iov_len -= (size_t)n;
        }
    }
    return 1;
}

static void *pages(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static ssize_t read_small(const char *path, char *to, size_t cap) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, to, cap);
    if (fd >= 0) close(fd);
    return n;
}

/* A number in digits, into room for twelve. */
static char *print_number(char *room, int n) {
    char *p = room + 11;
    *p = 0;
    do *--p = (char)('0' + n % 10);
    while (n /= 10);
    return p;
}

/* What the name of an event says without its payload: whether a tool runs after it, whether a block means "go on". */

/* A block on these events means "go on": refusing them could keep an agent running for ever. */
static int asks_to_stop(void) {
    size_t n = strlen(event);
    if (n >= 4 && !strcmp(event + n - 3, "top") && (event[n - 4] | 32) == 's') return 1;
    return !strcmp(event, "TeammateIdle") || !strcmp(event, "AfterAgent");
}

/* Whether a tool runs after this event: PreToolUse, BeforeTool, beforeShellExecution, tool.execute.before. */
static int comes_before_act(void) {
    size_t n = strlen(event);
    if (n > 7 && !strcmp(event + n - 7, ".before")) return 1;
    int starts = !strncmp(event + 1, "re", 2) && (event[0] | 32) == 'p';
    starts = starts || (!strncmp(event + 1, "efore", 5) && (event[0] | 32) == 'b');
    for (const char *c = event; starts && *c; c++)
        if (!strncmp(c, "Tool", 4) || !strncmp(c, "Execution", 9) || !strncmp(c, "File", 4)) return 1;
    return 0;
}

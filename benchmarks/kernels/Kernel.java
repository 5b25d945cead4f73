/** One benchmark: a fixed amount of deterministic work whose checksum every VM must reproduce. */
interface Kernel {
    /** Does the work once, from fresh state, and returns its checksum. */
    long run();
}

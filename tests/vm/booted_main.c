// The program of a suite that is a shared library (tests/vm/booted.h).
int booted_tests(void);

int main(void) { return booted_tests(); }
